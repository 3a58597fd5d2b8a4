"""The last prediction of each model, remembered: labels are written, counted and explained from the same one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from thumbwise._typing import FloatArray
from thumbwise.votes.counted_votes import CountedVotes

Predict: TypeAlias = Callable[[Any, CountedVotes], FloatArray]


def remembering(predict: Predict) -> Predict:
    """A method that gives its last answer again, if it is asked for the same votes and the model is as it was.

    Votes do not change. A model does when it is fitted again or an attribute is set, which then is another object.
    Neither votes nor models are kept alive by this.
    """
    last: WeakKeyDictionary[Any, WeakKeyDictionary[CountedVotes, tuple[dict[str, Any], FloatArray]]]
    last = WeakKeyDictionary()

    @wraps(predict)
    def remembered(model: Any, votes: CountedVotes) -> FloatArray:
        known = last[model].get(votes) if model in last else None
        if known is not None and _are_same(known[0], vars(model)):
            return known[1]
        answer = predict(model, votes)
        answer.flags.writeable = False
        last[model] = WeakKeyDictionary({votes: (dict(vars(model)), answer)})
        return answer

    return remembered


def _are_same(before: dict[str, Any], now: dict[str, Any]) -> bool:
    return before.keys() == now.keys() and all(now[name] is value for name, value in before.items())

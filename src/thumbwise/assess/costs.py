"""Costs of judges: checked, of some or of each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.exceptions import Argument, InvalidChoiceError


def check_costs(costs: Mapping[str, float], judges: Sequence[str]) -> Mapping[str, float]:
    """Costs of one vote of some judges, as they are given, or an error."""
    for name, cost in costs.items():
        if name not in judges:
            raise InvalidChoiceError(
                Argument("costs"),
                f" must name judges; there is no judge {name!r} among {len(judges):,}.",
                *nearest(name, judges),
            )
        if not (isinstance(cost, (int, float, np.integer, np.floating)) and 0 <= cost < math.inf):
            raise InvalidChoiceError(
                Argument("costs"),
                f" must be numbers that are not negative, the cost of one vote; found {cost!r} for {name!r}.",
            )
    return costs


def cost_of_each(costs: Mapping[str, float], judges: Sequence[str]) -> FloatArray:
    """Cost of one vote of every judge, in order; none may be missing.

    Examples
    --------
    >>> cost_of_each({"large": 20, "small": 1}, ["small", "large"]).tolist()
    [1.0, 20.0]
    """
    known = check_costs(costs, judges)
    missing = [name for name in judges if name not in known]
    if missing:
        shown = ", ".join(map(repr, missing[:5])) + (", ..." if len(missing) > 5 else "")
        raise InvalidChoiceError(
            Argument("costs"),
            f" must name every judge; {len(missing):,} of {len(judges):,} have no cost: {shown}. A vote may cost 0.",
        )
    return np.array([known[name] for name in judges], dtype=float)


def nearest(name: object, names: Iterable[str]) -> tuple[str, ...]:
    """A question whether the name most like this one is meant, if one is like it."""
    near = get_close_matches(str(name), list(names), n=1)
    return (f" Did you mean {near[0]!r}?",) if near else ()

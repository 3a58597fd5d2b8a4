"""The stopping rule: when labeling may stop, settled before the first label; intervals are valid for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np

from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidLabelsError
from thumbwise.numerics.anytime import HORIZON
from thumbwise.summaries import plural

# What people pass: planned numbers of gold labels, "anytime", or nothing.
Looks: TypeAlias = "Sequence[int] | Literal['anytime'] | None"
ANYTIME: Literal["anytime"] = "anytime"


@dataclass(frozen=True)
class StoppingRule:
    """When labeling may stop.

    The rule is settled before the first label is seen, and nothing of it after. What is decided after depends on it:

    - *fixed*: nothing. So many items were to be labeled, whatever their labels say.
    - *looks*: at which of the planned numbers of labels to stop. The error is divided by how many there are: at each of
      them an interval misses with probability at most its part, so at any of them, whichever is chosen by what was
      seen, with probability at most the whole.
    - *anytime*: when to stop, after any label, for any reason. Only intervals that hold after every draw at once are
      used (:mod:`thumbwise.numerics.anytime`).

    Attributes
    ----------
    rule : {"fixed", "looks", "anytime"}
    looks : tuple of int
        Planned numbers of labels; empty under the other rules.

    Examples
    --------
    >>> rule = StoppingRule.of([50, 100, 150, 200])
    >>> rule.each(0.05), rule.reached(170)
    (0.0125, 150)
    >>> print(rule.words)
    at each of the 4 planned looks (50, 100, 150, 200 labels)
    """

    rule: Literal["fixed", "looks", "anytime"] = "fixed"
    looks: tuple[int, ...] = ()

    @classmethod
    def of(cls, looks: Looks) -> StoppingRule:
        """From what people pass: numbers that grow, "anytime", or None for a number that was fixed before."""
        if looks is None:
            return cls()
        if isinstance(looks, str) and looks == ANYTIME:
            return cls("anytime")
        return cls("looks", _read_looks(looks))

    @property
    def is_anytime(self) -> bool:
        return self.rule == "anytime"

    @property
    def n_looks(self) -> int:
        """How many times the error must be divided."""
        return max(1, len(self.looks))

    def each(self, error: Any) -> Any:
        """The error that is left for each look; all of it under the other rules."""
        return error / self.n_looks

    def reached(self, n_labels: int) -> int | None:
        """The last planned look that so many labels have come to, if they have come to one."""
        return max((look for look in self.looks if look <= n_labels), default=None)

    def check(self, n_gold: int) -> None:
        """Refuse a number of gold labels at which nobody had planned to look."""
        if self.rule == "looks" and n_gold not in self.looks:
            near = self.reached(n_gold)
            mend = f"Use the first {near:,} of them" if near else f"Label {self.looks[0] - n_gold:,} more"
            raise InvalidLabelsError(
                Argument("looks"),
                f" are the numbers of gold labels at which one may look ({', '.join(map(str, self.looks))}); found "
                f"{plural(n_gold, 'gold label')}. {mend}, in the order in which they were drawn.",
            )

    @property
    def words(self) -> str:
        """When what is stated holds, as the end of an assumption; nothing if the number of labels was fixed."""
        if self.is_anytime:
            return "whenever labeling stopped"
        if self.rule == "looks":
            numbers = ", ".join(f"{look:,}" for look in self.looks)
            return f"at each of the {self.n_looks} planned looks ({numbers} labels)" if self.n_looks > 1 else ""
        return ""

    def assumed(self, assumption: str) -> str:
        """An assumption about the draw with the rule at its end."""
        return f"{assumption}, in random order, {self.words}" if self.words else assumption

    def typical(self, n_gold: int) -> int:
        """Number of labels by which a budget may be split: not how many there are, if labels decided on that."""
        return HORIZON if self.is_anytime else n_gold


FIXED = StoppingRule()


def _read_looks(looks: Any) -> tuple[int, ...]:
    is_list = isinstance(looks, (Sequence, np.ndarray)) and not isinstance(looks, (str, bytes))
    numbers = list(looks) if is_list else []
    is_whole = all(isinstance(n, (int, np.integer)) and not isinstance(n, bool) and n > 0 for n in numbers)
    if not numbers or not is_whole or any(later <= earlier for earlier, later in pairwise(numbers)):
        raise InvalidChoiceError(
            Argument("looks"),
            " must be the planned numbers of gold labels, each larger than the one before, such as [50, 100, 150, "
            f"200], or 'anytime'; found {looks!r}.",
        )
    return tuple(int(n) for n in numbers)

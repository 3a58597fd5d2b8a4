"""Later items in a cascade: what is decided by the judges that were asked so far, and who is asked next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.assess.accepting.ranked import proposals
from thumbwise.assess.accepting.stages import Stage, early_sureness
from thumbwise.exceptions import InvalidVotesError
from thumbwise.models.inputs import align
from thumbwise.summaries import plural
from thumbwise.votes.inputs import as_votes, in_memory, is_unnamed
from thumbwise.votes.votes import Votes


@dataclass(frozen=True, eq=False)
class Decided:
    """What a cascade decides of later items. *Guarantee*: none.

    Attributes
    ----------
    stage : ndarray of shape (n_items,)
        Number of the stage that decides each item, from 1; 0 where none has yet.
    labels : list
        Class of each item, None where it is not decided.
    sureness : ndarray of shape (n_items,)
        Probability of the label of the stage that decides, or of the last that was asked.
    ask : tuple of str
        Judges to ask next about the items that are not decided; nobody if these are for people.
    """

    stage: IntArray
    labels: list[Any]
    sureness: FloatArray
    ask: tuple[str, ...]

    @property
    def undecided(self) -> IntArray:
        """Positions of the items that are not decided."""
        return np.flatnonzero(self.stage == 0)

    def __str__(self) -> str:
        n, left = len(self.stage), len(self.undecided)
        who = f"ask {', '.join(self.ask)} about" if self.ask else "let a person look at"
        rest = f"; {who} the other {left:,}" if left else ""
        return (
            f"{n - left:,} of {plural(n, 'item')} decided{rest}. No guarantee: what was shown holds for the items that "
            "the cascade was calibrated on."
        )

    def __repr__(self) -> str:
        return str(self)


def decide_later(votes: Any, stages: Sequence[Stage], level: float | None, class_names: tuple[Any, ...]) -> Decided:
    """Each item stops at the first stage that is sure enough, of those whose judges were asked."""
    read = in_memory(as_votes(votes, class_names), "a cascade")
    n_asked = _stages_asked(read.rule_names, stages)
    read = align(read, stages[n_asked - 1].asked, class_names, "a cascade")
    stage, number, sureness = np.zeros(len(read), int), np.zeros(len(read), int), np.zeros(len(read))
    for s, one in enumerate(stages[:n_asked], 1):
        is_open = stage == 0
        proposed, sure = _propose(read, one)
        number[is_open], sureness[is_open] = proposed[is_open], sure[is_open]
        if level is not None:
            counted = sure if s == len(stages) else early_sureness(sure)
            stage[is_open & (counted >= level)] = s
    labels = [class_names[c] if s else None for c, s in zip(number.tolist(), stage.tolist(), strict=True)]
    return Decided(stage, labels, sureness, stages[n_asked].judges if n_asked < len(stages) else ())


def _propose(votes: Votes, stage: Stage) -> tuple[IntArray, FloatArray]:
    """What a stage proposes for each item, and how sure it is."""
    place = {name: j for j, name in enumerate(votes.rule_names)}
    patterns = votes.patterns.with_rules([place[name] for name in stage.asked])
    proposed, sure = proposals(stage.taught.proba(patterns))
    return proposed[votes.inverse], sure[votes.inverse]


def _stages_asked(names: tuple[str, ...], stages: Sequence[Stage]) -> int:
    """How many stages have been asked, by the names of the columns; all of them where columns have no names."""
    everyone, given = stages[-1].asked, set(names)
    if is_unnamed(names) and len(names) == len(everyone):
        return len(stages)
    for number, stage in enumerate(stages, 1):
        if given == set(stage.asked):
            return number
    strange = [name for name in names if name not in everyone]
    if strange:
        raise InvalidVotesError(
            f"columns must be judges of the cascade; {len(strange)} are none, such as {strange[0]!r}. The judges are "
            f"{', '.join(map(repr, everyone[:8]))}{', ...' if len(everyone) > 8 else ''}, in the order of the votes."
        )
    first = next(stage for stage in stages if not set(stage.asked) <= given)
    missing = [name for name in first.asked if name not in given]
    raise InvalidVotesError(
        f"columns must be all judges of the first stages; found {len(names)} columns, and {missing[0]!r} is missing "
        f"from stage {stages.index(first) + 1} ({len(missing)} such judges). A judge that was asked and said nothing "
        "has a column of abstentions."
    )

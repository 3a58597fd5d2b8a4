"""Win rates: how often a system is preferred, with an interval that holds, over all its comparisons and by opponent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, Literal

import numpy as np

from thumbwise.box.stopping import Looks
from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidVotesError
from thumbwise.io.pairs import Pairs
from thumbwise.io.readings import Reading, no_gold
from thumbwise.rates.asking import rate
from thumbwise.rates.intervals import Method
from thumbwise.rates.results import Rate, Rates, Unit
from thumbwise.votes.labels import UNKNOWN
from thumbwise.votes.votes import Votes

OPPONENT = "opponent"
# Classes as the system sees them, in the order of "first", "second" and "tie" if it is first.
OUTCOMES = ("win", "loss", "tie")
POINTS = {"win": 1.0, "loss": 0.0, "tie": 0.5}
_IF_SECOND = np.array([1, 0, 2, UNKNOWN])  # what is first, second, tie and nothing where the system is second
_HALF = 0.5


def win_rate(
    reading: Reading,
    *,
    system: str,
    by: Literal["opponent"] | None = None,
    cluster: Any = None,
    method: Method = "assisted",
    confidence_level: float = 0.95,
    looks: Looks = None,
) -> Rates:
    """How often a system is preferred: a win counts 1, a tie 1/2, a loss 0; estimate and guaranteed interval.

    Parameters
    ----------
    reading : Reading
        Comparisons of two systems, with gold; see ``docs/pairs.md``.
    system : str
        The system that is asked about.
    by : {"opponent"}, optional
        The win rate against each opponent is reported too; all intervals share the error evenly.
    cluster : str or array-like, optional
        Clusters of comparisons that were drawn and labeled as a whole, such as the column of questions.
    method, confidence_level, looks
        As for :func:`rate`.

    Notes
    -----
    *Guarantee*: that of :func:`rate`, whose means these are. Which comparisons a system is part of is settled before a
    gold label is seen; those of them that are gold are a random sample of them, because gold is one of all comparisons.
    Which side a system stood on, in the table or by its name, is not used. System, ``by``, method and level must be
    settled before gold labels are seen; who asks for several systems should ask for each at 1 - error / their number.

    Examples
    --------
    >>> import thumbwise as tw
    >>> made = tw.datasets.make_pairs(random_state=0)
    >>> reading = tw.read_votes(made.votes, gold=made.gold)
    >>> print(tw.win_rate(reading, system="aster"))  # doctest: +NORMALIZE_WHITESPACE
    With 95 % confidence the win rate of aster among all 600 comparisons lies between 60.6 % and 70.1 % (estimate
    65.6 %), if the 97 gold items are a random sample of all 600 items.
    aster beats its opponents: its win rate is above 50 %.
    """
    if not isinstance(reading, Reading) or reading.pairs is None:
        raise InvalidVotesError(
            "a win rate needs comparisons of two systems, read by read_votes; these votes are none. Read a table with "
            "two columns of systems with ",
            Argument("layout", '"pairs"'),
            ".",
        )
    if by not in (None, OPPONENT):
        raise InvalidChoiceError(
            "win rates are given for all comparisons, or ", Argument("by", '"opponent"'), f"; found {by!r}."
        )
    own = seen_by(reading, system)
    if not len(own.gold_labels):
        if not len(reading.gold_labels):
            raise no_gold()
        raise InvalidChoiceError(
            f"gold must hold comparisons of {system!r}; none of the {len(reading.gold_labels):,} gold items is one. "
            "Draw more gold at random."
        )
    asked = rate(
        own, values=POINTS, by=by, cluster=cluster, method=method, confidence_level=confidence_level, looks=looks
    )
    rows = tuple(_as_win_rate(row, system) for row in asked.rows)
    verdicts = tuple(_verdict(row, system) for row in rows) if asked.is_guarantee else ()
    return replace(asked, rows=rows, remarks=(*asked.remarks, *verdicts))


def seen_by(reading: Reading, system: str) -> Reading:
    """The comparisons of one system, in the order of the items, with classes win, loss and tie of that system.

    Of a judge with two columns, the first is then what it says where this system was shown first.
    """
    pairs = reading.pairs
    assert isinstance(pairs, Pairs)  # noqa: S101  # who calls has looked
    if system not in pairs.systems:
        near = get_close_matches(str(system), pairs.systems, n=1)
        meant = f" Is {near[0]!r} meant?" if near else ""
        shown = ", ".join(map(repr, pairs.systems[:20]))
        raise InvalidChoiceError(Argument("system"), f" must be one of {shown}; found {system!r}.{meant}")
    _check_drawn(reading)
    is_second = pairs.second == system
    chosen = np.flatnonzero((pairs.first == system) | is_second)
    flips = is_second[chosen]
    votes, gold = reading.votes.array[chosen], reading.gold[chosen]
    other = votes[:, _in_other_order(pairs, reading.votes.rule_names)]
    opponents = np.where(flips, pairs.first[chosen], pairs.second[chosen])
    return replace(
        reading,
        votes=Votes(
            np.where(flips[:, None], _IF_SECOND[other], votes),
            class_names=OUTCOMES,
            rule_names=reading.votes.rule_names,
            item_ids=reading.votes.item_ids[chosen],
        ),
        gold=np.where(flips, _IF_SECOND[gold], gold),
        passed_on={
            **{name: column[chosen] for name, column in reading.passed_on.items()},
            OPPONENT: np.ma.asarray(opponents.astype(object)),
        },
        pairs=replace(pairs, first=pairs.first[chosen], second=pairs.second[chosen]),
        gold_design=None,
        source=None,
    )


def _in_other_order(pairs: Pairs, rule_names: Sequence[str]) -> list[int]:
    """For each rule the one that holds what its judge says in the other order: itself, if there is one for both."""
    place = {name: j for j, name in enumerate(rule_names)}
    partner = {name: judge.columns[::-1][j] for judge in pairs.judges for j, name in enumerate(judge.columns)}
    return [place[partner[name]] for name in rule_names]


def _check_drawn(reading: Reading) -> None:
    """Of a fixed number of items drawn at random, those of one system are a random sample; of other draws not so."""
    design = reading.gold_design
    if design is not None and (
        not design.is_plain or design.objection is not None or getattr(design, "looks", None) is not None
    ):
        raise InvalidChoiceError(
            "a win rate needs gold that is a plain random sample of the comparisons, of a number fixed before; "
            "this gold was drawn otherwise. Ask for the share of a class among all items with rate."
        )


def _as_win_rate(row: Rate, system: str) -> Rate:
    """A mean in the words of a win rate, in per cent."""
    about = row.what.removeprefix("the mean")
    against = f" against {row.group}" if row.group is not None else about.replace("items", "comparisons")
    return replace(row, what=f"the win rate of {system}{against}", unit=Unit())


def _verdict(row: Rate, system: str) -> str:
    """Whether a system is preferred more often than not, as far as that is settled."""
    others = "its opponents" if row.group is None else row.group
    if row.lower > _HALF:
        return f"{system} beats {others}: its win rate is above 50 %."
    if row.upper < _HALF:
        return f"{system} loses to {others}: its win rate is below 50 %."
    return f"Whether {system} beats {others} is not settled by these labels: 50 % is within the interval."

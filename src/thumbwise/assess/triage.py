"""Triage: labels that may be accepted with a proof, and items that a person should look at."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from thumbwise.assess.accepting.looks import look_at
from thumbwise.assess.accepting.ranked import TAUGHT, Parts, Ranked, rank
from thumbwise.assess.accepting.result import Accepted, Triage
from thumbwise.assess.accepting.targets import (
    Family,
    Shares,
    Targets,
    count_tests,
    families,
    good_enough,
    read_targets,
)
from thumbwise.box.estimates import EXACT, check_level, gold_evidence
from thumbwise.box.gold import Design, GoldIs
from thumbwise.box.opened_gold import check_plain
from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidLabelsError
from thumbwise.numerics.fixed_sequence import BoolArray, fewest_labels
from thumbwise.rates.asked import Asked, open_asked

# Of the check whether votes speak against a random draw.
_PERMUTATIONS = 999


def triage(
    votes: Any,
    y: Any = None,
    *,
    precision: Shares = None,
    recall: Any = None,
    per_class: bool = False,
    budget: int | None = None,
    gold_is: GoldIs | Design | None = None,
    confidence_level: float = 0.95,
    random_state: int = 0,
) -> Triage:
    """Accept the largest set of labels that is shown to be good enough; a person should look at the other items.

    A fifth of gold, drawn by ``random_state``, teaches a regression on the votes (that of :class:`Stack`), which
    proposes a label for every item and says how sure it is. The sets in question are those of all items that are surer
    than some threshold. The rest of gold tests them one after the other, from a set that is large enough to be tested
    to the largest, until a test fails (:mod:`thumbwise.numerics.fixed_sequence`): no error is spent on how many there
    are. Items with the same votes share their fate, so a threshold works for items in files too.

    Parameters
    ----------
    votes : Reading, Votes, array-like or frame
        All items; they may stay in files.
    y : array-like of shape (n_items,) or Gold, optional
        Label of each item, -1 or missing where nobody looked; or gold items of their own. A reading holds its own.
    precision : float or mapping of class to float, optional
        Share of the accepted labels that must be right; with a mapping, of those of each class, which then has a
        threshold of its own, and labels of other classes are not accepted.
    recall : mapping of class to float, optional
        Share of the items of a class that must not be accepted under another label: 0.95 misses at most 5 % of them.
    per_class : bool
        The same precision for each class, with a threshold of its own.
    budget : int, optional
        Instead of targets: so many items can be looked at. They are the least sure ones; what is then guaranteed for
        all items, with people's labels counted as right, is in ``looks``.
    gold_is : {"subset", "separate"} or Design, optional
        How gold was drawn, if the votes do not say; a plain random sample.
    confidence_level : float
        That all targets are reached at once.
    random_state : int
        Which part of gold teaches. Settle it before you look: the best of several seeds has no guarantee.

    Returns
    -------
    Triage

    Notes
    -----
    *Guarantee*: with probability at least ``confidence_level``, over the draw of gold, all targets are reached by the
    accepted labels, if gold is a plain random sample; ``assumption`` says of what. The ranking is settled by the part
    of gold that teaches, the sets and their order by numbers of items, all before a certifying label is seen; so must
    be the targets, the level and the seed. Gold items are accepted too, with their known label.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> made = tw.datasets.make_one_coin(5000, [0.9, 0.85, 0.8, 0.75, 0.7], random_state=0)
    >>> y = np.where(np.arange(5000) < 300, made.labels, -1)
    >>> sorted_out = tw.triage(made.votes, y, precision=0.95)
    >>> print(sorted_out)  # doctest: +NORMALIZE_WHITESPACE
    With 95 % confidence at least 95.0 % of the 4,694 labels accepted are right (estimate 98 %), if the 300 gold items
    are a random sample of all 5,000 items.
    278 of 5,000 items are left for a person to look at.
    """
    check_level(confidence_level)
    asked, ranked = open_ranked(votes, y, gold_is, random_state)
    sample = asked.sample
    evidence = gold_evidence(sample, confidence_level, EXACT, _PERMUTATIONS)
    if budget is not None:
        _check_alone(precision, recall, per_class)
        return Triage(
            asked, ranked, (), evidence, looks=look_at(ranked, asked.sample.pool.n_items, budget, 1 - confidence_level)
        )
    _check_per_class(precision, recall, per_class)
    targets = read_targets(precision, recall, per_class, sample.pool.class_names)
    _check_recall(targets, ranked.is_outside)
    parts = families(ranked, targets)
    error = (1 - confidence_level) / count_tests(parts, targets)
    _check_possible(parts, targets, error, sample.pool.class_names)
    accepted = tuple(_accept(part, good_enough(ranked, part, parts, targets, error)) for part in parts)
    return Triage(asked, ranked, accepted, evidence, targets=targets)


def open_ranked(votes: Any, y: Any, gold_is: GoldIs | Design | None, random_state: int) -> tuple[Asked, Ranked]:
    """Items and gold, a plain random sample, and the ranking that a part of it teaches."""
    asked = open_asked(votes, y, gold_is)
    check_plain(asked.sample.design)
    return asked, rank(asked.sample, Parts.of(asked.sample, random_state))


def _accept(family: Family, claimed: BoolArray) -> Accepted:
    """The largest set that is claimed, or none."""
    return Accepted(family, int(np.flatnonzero(claimed)[-1]) if claimed.any() else None)


def _check_alone(precision: Any, recall: Any, per_class: bool) -> None:
    for name, given in (("precision", precision), ("recall", recall), ("per_class", per_class or None)):
        if given is not None:
            raise InvalidChoiceError(
                "either what accepted labels must be like is asked, or how many items can be looked at; found both, ",
                Argument("budget"),
                " and ",
                Argument(name),
                ". Drop one of them.",
            )


def _check_per_class(precision: Any, recall: Any, per_class: bool) -> None:
    if per_class and precision is None and recall is not None:
        raise InvalidChoiceError(
            Argument("per_class"),
            " says that a precision is asked of each class; found none. Add ",
            Argument("precision", 0.95),
            ", or drop it.",
        )


def _check_recall(targets: Targets, is_outside: bool) -> None:
    if targets.recall and is_outside:
        raise InvalidLabelsError(
            Argument("recall"),
            " needs gold that is part of the items; this gold consists of further items. Draw gold from the items "
            "themselves, or ask for ",
            Argument("precision"),
            " alone.",
        )


def _check_possible(parts: list[Family], targets: Targets, error: float, names: Sequence[Hashable]) -> None:
    """Refuse gold that is too small to show even that a perfect set is good enough."""
    wanted = [(part, targets.precision[part.number]) for part in parts if part.number in targets.precision]
    if not wanted or any(part.ladder.start(share, error) is not None for part, share in wanted):
        return
    so_many, part, share = min(((_gold_for(*pair, error), *pair) for pair in wanted), key=lambda row: row[0])
    needed, of_class, about = fewest_labels(share, error), "", ""
    if part.number is not None:  # how many items are labeled so varies with what is taught
        name, about = str(names[part.number]), "about "
        of_class = f", about {part.ladder.expected[-1]} of them on items labeled {name!r},"
    raise InvalidLabelsError(
        f"{part.ladder.n_gold} certifying gold labels{of_class} are too few to show that {100 * share:g} % of any set "
        f"are right: in a large set it takes {needed} right of {needed}. Label {about}{so_many} items or "
        "more, of which a part teaches, or ask for less with ",
        Argument("precision"),
        ".",
    )


def _gold_for(part: Family, share: float, error: float) -> int:
    """Gold labels, those that teach too, of which enough may be expected to fall to the items of a family."""
    n_of_all = part.ladder.n_items / part.ladder.size[-1]
    return int(np.ceil(fewest_labels(share, error) * n_of_all / (1 - TAUGHT)))

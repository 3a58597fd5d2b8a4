"""Triage: labels that may be accepted with a proof, and items that a person should look at."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from thumbwise.assess.accepting.cascades import Cascade, climb_stages, good_in_stages, open_cascade
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
from thumbwise.box.evidence import Evidence
from thumbwise.box.gold import Design, GoldIs
from thumbwise.box.opened_gold import check_plain
from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidLabelsError
from thumbwise.numerics.fixed_sequence import fewest_labels
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
    costs: Mapping[str, float] | None = None,
    gold_is: GoldIs | Design | None = None,
    confidence_level: float = 0.95,
    random_state: int = 0,
) -> Triage:
    """Accept the largest set of labels that is shown to be good enough; a person should look at the other items.

    A fifth of gold, drawn by ``random_state``, teaches a regression on the votes (that of :class:`Stack`), which
    proposes a label for every item and says how sure it is. The sets in question are those of all items that are surer
    than some threshold. The rest of gold tests them one after the other, from the set that promises most to the
    largest, until a test fails (:mod:`thumbwise.numerics.fixed_sequence`): no error is spent on how many there
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
    costs : mapping of judge to float, optional
        What one vote of each judge costs. Judges are then asked in stages, the cheap ones first, and an item stops at
        the first stage that is sure enough; ``cascade`` tells of stages and costs, and decides later items
        (:mod:`thumbwise.assess.accepting.cascades`). With one threshold for all classes, and no budget.
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
    *Guarantee*: with probability at least ``confidence_level``, over the draw of gold and of the seed, all targets are
    reached by the accepted labels, if gold is a plain random sample; ``assumption`` says of what. The ranking is
    settled by the part of gold that teaches, the sets and their order by that and by numbers of items, all before a
    certifying label is seen; so must be the targets, the level and the seed. Gold items are accepted too, with their
    known label: those that the rule takes count among the right ones. A set must pass the tests of all targets, each at
    the whole error; classes with thresholds of their own share the error evenly. Proofs are in
    :mod:`thumbwise.assess.accepting.ladders`, :mod:`thumbwise.assess.accepting.targets` and
    :mod:`thumbwise.assess.accepting.looks`.

    If gold says of itself that it was looked at at planned numbers of labels, the error is divided among these; if
    labeling could stop at any moment, what is found is no guarantee, and says so.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> made = tw.datasets.make_one_coin(5000, [0.9, 0.85, 0.8, 0.75, 0.7], random_state=4)
    >>> y = np.where(np.arange(5000) < 300, made.labels, -1)
    >>> sorted_out = tw.triage(made.votes, y, precision=0.95)
    >>> print(sorted_out)  # doctest: +NORMALIZE_WHITESPACE
    With 95 % confidence at least 95.0 % of the 4,345 labels accepted are right (estimate 98 %), if the 300 gold items
    are a random sample of all 5,000 items.
    615 of 5,000 items are left for a person to look at.
    """
    check_level(confidence_level)
    asked = _open(votes, y, gold_is)
    _check_placed(asked)
    sample, parts = asked.sample, Parts.of(asked.sample, random_state)
    evidence = gold_evidence(sample, confidence_level, EXACT, _PERMUTATIONS)
    error = sample.stopping.each(1 - confidence_level)
    if budget is not None:
        _check_alone(precision=precision, recall=recall, per_class=per_class or None, costs=costs)
        ranked = rank(sample, parts)
        looks = look_at(ranked, sample.pool.n_items, budget, error)
        return Triage(asked, ranked, (), evidence, looks=looks)
    _check_per_class(precision, recall, per_class)
    targets = read_targets(precision, recall, per_class, sample.pool.class_names)
    _check_recall(targets, sample.gold_is == "separate")
    if costs is not None:
        _check_one_threshold(targets)
        cascade = open_cascade(sample, parts, costs)
        return _accept_in_stages(asked, cascade, targets, evidence, error)
    ranked = rank(sample, parts)
    by_class = families(ranked, targets)
    error = error / count_tests(by_class, targets)
    _check_possible(by_class, targets, error, sample.pool.class_names)
    accepted = tuple(Accepted.largest(part, good_enough(ranked, part, by_class, targets, error)) for part in by_class)
    return Triage(asked, ranked, accepted, evidence, targets=targets)


def open_ranked(votes: Any, y: Any, gold_is: GoldIs | Design | None, random_state: int) -> tuple[Asked, Ranked]:
    """Items and gold, a plain random sample, and the ranking that a part of it teaches."""
    asked = _open(votes, y, gold_is)
    return asked, rank(asked.sample, Parts.of(asked.sample, random_state))


def _open(votes: Any, y: Any, gold_is: GoldIs | Design | None) -> Asked:
    asked = open_asked(votes, y, gold_is)
    check_plain(asked.sample.design)
    return asked


def _accept_in_stages(asked: Asked, cascade: Cascade, targets: Targets, evidence: Evidence, error: float) -> Triage:
    """The lowest threshold of all stages that is shown to be good enough."""
    ladder = climb_stages(cascade)
    everything = Family(None, np.ones(cascade.n_patterns, dtype=bool), ladder)
    each = error / count_tests([everything], targets)
    _check_possible([everything], targets, each, asked.sample.pool.class_names)
    part = Accepted.largest(everything, good_in_stages(cascade, ladder, targets, each))
    chosen = cascade.at(part.level)
    return Triage(asked, chosen.ranked, (part,), evidence, targets=targets, cascade=chosen)


def _check_alone(**others: Any) -> None:
    for name, given in others.items():
        if given is not None:
            raise InvalidChoiceError(
                "either what accepted labels must be like is asked, or how many items can be looked at; found both, ",
                Argument("budget"),
                " and ",
                Argument(name),
                ". Drop one of them.",
            )


def _check_placed(asked: Asked) -> None:
    """Refuse gold items of which it is not known which items they are: they would keep no known label."""
    sample = asked.sample
    if sample.gold_is == "subset" and asked.positions is None and sample.known_labels() is None:
        raise InvalidLabelsError(
            f"gold items keep their known label, so that it must be known which of the {sample.pool.n_items:,} items "
            f"they are; of these {len(sample):,} it is not. Give items and gold ids, or pass the labels of all items, "
            "-1 where nobody looked, as ",
            Argument("y"),
            ".",
        )


def _check_one_threshold(targets: Targets) -> None:
    if targets.is_per_class:
        raise InvalidChoiceError(
            "judges that are asked in stages have one threshold for all classes: where items of one class stop settles "
            "which are left for another. Found ",
            Argument("costs"),
            " and a precision for each class. Ask for one ",
            Argument("precision"),
            " of all labels, or drop the costs.",
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

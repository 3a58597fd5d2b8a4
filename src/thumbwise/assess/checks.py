"""Coded checks: what is wrong with rules, gold and fit, how bad it is, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from thumbwise.assess.check_rules import beside_others, on_fits, on_gold, on_rules
from thumbwise.assess.check_rules.codes import CODES
from thumbwise.assess.check_rules.findings import Checks, Finding, in_order
from thumbwise.assess.check_rules.subject import Subject, open_subject
from thumbwise.box.box import Box
from thumbwise.box.estimates import check_level
from thumbwise.box.gold import Design, GoldIs
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.models.balsubramani_freund import BalsubramaniFreund

_CHECKS: dict[str, Callable[[Subject], Finding | None]] = {
    "TW101": on_rules.below_chance,
    "TW102": on_rules.unseen_on_gold,
    "TW103": on_rules.near_duplicates,
    "TW104": on_rules.silent_or_constant,
    "TW105": on_rules.rare_rules,
    "TW106": beside_others.copies,
    "TW107": beside_others.silent_beside_others,
    "TW108": beside_others.lopsided,
    "TW201": on_gold.not_a_sample,
    "TW202": on_gold.missing_classes,
    "TW203": on_gold.labels_do_not_fit,
    "TW204": on_gold.little_gold,
    "TW301": on_fits.proves_nothing,
    "TW302": on_fits.majority_does_as_well,
    "TW303": on_fits.infeasible,
    "TW304": on_fits.not_converged,
    "TW305": on_fits.overruled,
    "TW306": on_fits.never_labeled,
    "TW401": on_fits.many_silent_items,
}
_NEED_GOLD = ("TW102", "TW201", "TW202", "TW203", "TW204", "TW302", "TW306")
_NEED_BOX = ("TW101", "TW301", "TW303", "TW304", "TW305", "TW306")
_NEED_FIT = ("TW301", "TW304", "TW305", "TW306")


def check(
    votes: Any,
    gold_votes: Any = None,
    gold_labels: Any = None,
    *,
    gold_is: GoldIs | Design | None = None,
    model: BalsubramaniFreund | None = None,
    box: Box | None = None,
    confidence_level: float = 0.95,
    skip: Sequence[str] = (),
) -> Checks:
    """Look for what commonly goes wrong, and say how bad it is and what to do.

    Codes are stable: TW1xx speak of rules, TW2xx of gold, TW3xx of the fit, TW4xx of items; docs/checks.md has a
    section on each. Without gold, or without a fit, the checks that need them are left out, and ``skipped`` says so.

    *Guarantee*: if gold is a random sample as the box assumes, the chance that TW101 or TW201 speaks although no rule
    is worse than guessing is at most ``error`` of the answer: one minus the confidence level of the box, plus 0.01.
    The others count, compare and estimate; what they call few, wide or rare is a rule of thumb that docs/checks.md
    states, settled before gold labels are seen. To leave out a rule because of a finding is a choice made after;
    only :meth:`Box.without_rules` keeps the guarantee then.

    Parameters
    ----------
    votes : Reading, Votes, array-like or frame
        The pool. A :class:`Reading` brings its own gold.
    gold_votes, gold_labels, gold_is
        As for :meth:`Box.from_gold`.
    model : BalsubramaniFreund, optional
        Fitted to these votes. Absent: fitted here, to ``box``, or to the box that gold gives.
    box : Box, optional
        Instead of a model.
    confidence_level : float
        Of the box that gold gives.
    skip : sequence of str
        Codes that are not to be looked at, such as ``["TW302"]``, which takes the longest.

    Returns
    -------
    Checks
        Iterable of findings, errors first; ``has_errors``, ``codes``, ``frame()``.

    Examples
    --------
    >>> import thumbwise as tw
    >>> made = tw.datasets.make_one_coin(2000, [0.9, 0.8, 0.2], random_state=0)
    >>> checks = tw.check(made.votes, made.votes.take(range(200)), made.labels[:200], gold_is="subset")
    >>> checks.codes, checks.has_errors
    (('TW101',), False)
    >>> [(finding.severity, finding.rules) for finding in checks]
    [('warning', ('rule_2',))]
    """
    check_level(confidence_level)
    _check_codes(skip)
    subject = open_subject(votes, gold_votes, gold_labels, gold_is, model, box, confidence_level)
    skipped = _skipped(subject, skip)
    findings = [look(subject) for code, look in _CHECKS.items() if code not in skipped]
    return Checks(
        in_order([finding for finding in findings if finding is not None]),
        skipped,
        _error(subject, skipped),
        None if subject.model is None else subject.classes,
        None if "TW302" in skipped else subject.comparison,
    )


def _skipped(subject: Subject, skip: Sequence[str]) -> dict[str, str]:
    """Codes that cannot be looked at, and why, in their order."""
    reasons: dict[str, str | None] = dict.fromkeys(CODES)
    reasons["TW305"] = on_fits.reason_not_to_look_at_rows(subject)
    reasons["TW302"] = on_fits.reason_not_to_compare(subject)
    reasons["TW201"] = None if on_gold.claims_random_gold(subject) else "gold is not said to be a plain random sample"
    reasons["TW101"] = None if len(subject.bounded_rules) else "needs intervals for the accuracies of rules"
    if subject.model is None:
        reasons |= dict.fromkeys(_NEED_FIT, "needs a fit, and the box is infeasible")
    if subject.box is None:
        reasons |= dict.fromkeys(_NEED_BOX, "needs gold labels, a box or a model")
    if subject.gold is None:
        reasons |= dict.fromkeys(_NEED_GOLD, "needs gold labels")
    reasons |= dict.fromkeys(skip, "not wanted")
    return {code: why for code, why in reasons.items() if why is not None}


def _check_codes(skip: Sequence[str]) -> None:
    strange = [code for code in ([skip] if isinstance(skip, str) else skip) if code not in CODES or code == skip]
    if strange:
        raise InvalidChoiceError(
            f"skip must be a list of codes, some of {', '.join(CODES)}; found {strange[0]!r} ({len(strange)} such)."
        )


def _error(subject: Subject, skipped: dict[str, str]) -> float | None:
    """By the union bound, the error of the intervals and that of the test of gold against the pool."""
    evidence = None if subject.box is None else subject.box.evidence
    if evidence is None or not evidence.is_implied or evidence.confidence_level is None or "TW101" in skipped:
        return None
    return 1 - evidence.confidence_level + (0.0 if "TW201" in skipped else on_gold.SAMPLE_ERROR)

"""Contents of a report: every table and sentence of it, before anything is drawn."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from typing import Any, Protocol

import numpy as np

from thumbwise import __version__
from thumbwise._typing import IntArray
from thumbwise.assess.check_rules.findings import Checks
from thumbwise.assess.comparison import Comparison
from thumbwise.assess.tables.accuracy import accuracy_table
from thumbwise.assess.tables.bounds import certificate_table, frontier_table, parts_table, plan_table
from thumbwise.assess.tables.classes import classes_table
from thumbwise.assess.tables.items import least_certain, most_contested
from thumbwise.assess.tables.opinions import opinions_table
from thumbwise.assess.tables.pairs import agreement_table, errors_table
from thumbwise.assess.tables.probabilities import confidence_table, reliability_table
from thumbwise.assess.tables.rules import rules_table
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.box.gold_checks.label_fit import check_labels
from thumbwise.display.report.accepting import Accepting, accepting_for_report
from thumbwise.display.report.samples import compare_for_report, plan_for_report
from thumbwise.game.certificate import Certificate
from thumbwise.io.readings import Reading
from thumbwise.models.balsubramani_freund import BalsubramaniFreund
from thumbwise.models.frontier import why_no_frontier
from thumbwise.numerics.one_thread import one_thread
from thumbwise.votes.labels import UNKNOWN
from thumbwise.votes.votes import Votes

# Rules that a heat map, a dot plot and the table of rules show at most: those with most votes.
MOST_MAPPED, MOST_DOTS, MOST_RULES = 100, 100, 500
MOST_CLASSES = 100
# Votes on distinct patterns with which a frontier takes some seconds.
MOST_FRONTIER_VOTES = 75_000
_MOST_COLUMNS = 4


class Finding(Protocol):
    """What a coded check found."""

    @property
    def code(self) -> str: ...
    @property
    def severity(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def explanation(self) -> str: ...
    @property
    def advice(self) -> str: ...
    @property
    def anchor(self) -> str: ...


@dataclass(frozen=True, eq=False)
class Contents:
    """Tables and sentences; a table is None where it cannot be made, and ``notes`` says why, by its name.

    Attributes
    ----------
    mapped : tuple of str
        The rules that ``agreement`` and ``errors`` number.
    """

    title: str
    sizes: Mapping[str, int]
    certificate: Certificate
    accuracy: Tidy
    certificate_levels: Tidy
    parts: Tidy
    rules: Tidy
    opinions: Tidy
    frontier: Tidy | None
    mapped: tuple[str, ...]
    agreement: Tidy
    errors: Tidy | None
    confidences: Tidy
    classes: Tidy
    reliability: Tidy | None
    accepting: Accepting | None
    planned: Tidy | None
    plan_sentences: str
    comparison: Comparison | None
    least_certain: Tidy
    most_contested: Tidy
    findings: tuple[Finding, ...] | None
    label_fit: str
    provenance: Mapping[str, str]
    notes: Mapping[str, str]

    @property
    def has_accuracy(self) -> bool:
        """Whether something is proved of labels: not where all are known, nor in a model from an old file."""
        return self.accuracy.facts["accuracy_at_least"] is not None and self.certificate.n_open > 0


@one_thread()
def gather(
    reading: Reading, model: BalsubramaniFreund, *, title: str, findings: Iterable[Finding] | None = None
) -> Contents:
    """Compute everything that a report shows."""
    votes, level = reading.votes, model.certificate_.confidence_level or 0.95
    has_gold = len(reading.gold_labels) > 0
    absent = (None, "Left out: there are no gold labels.")
    plan, plan_note = plan_for_report(reading, level, model.pin_gold) if has_gold else absent
    comparison, comparison_note = _comparison(reading, level, findings) if has_gold else absent
    reliability, reliability_note = _reliability(reading, comparison, comparison_note)
    frontier, frontier_note = frontier_for_report(model, votes)
    accepting, accepting_note = accepting_for_report(reading, model, level)
    proba, gold = model.predict_proba(votes), np.flatnonzero(reading.gold != UNKNOWN)
    free = np.setdiff1d(np.arange(votes.n_items), gold, assume_unique=True)
    texts = {name: reading.passed_on[name] for name in list(reading.passed_on)[:_MOST_COLUMNS]}
    mapped = most_voting(votes.patterns.votes_per_rule, MOST_MAPPED)
    worth = None if plan is None or not plan.worth else {row.rule: row.worth for row in plan.worth}
    return Contents(
        title=title,
        sizes={
            "item": votes.n_items,
            "rule": votes.n_rules,
            "class": votes.n_classes,
            "gold": len(reading.gold_labels),
        },
        certificate=model.certificate_,
        accuracy=accuracy_table(model.certificate_),
        certificate_levels=certificate_table(model.certificate_, plan),
        parts=parts_table(model, votes),
        rules=rules_table(model, votes, worth),
        opinions=opinions_table(model, votes),
        frontier=frontier,
        mapped=tuple(votes.rule_names[j] for j in mapped),
        agreement=agreement_table(votes, mapped.tolist() if len(mapped) < votes.n_rules else None),
        errors=errors_table(reading.gold_votes.with_rules(mapped.tolist()), _names(reading)) if has_gold else None,
        confidences=confidence_table(proba[free]),
        classes=classes_table(model, reading),
        reliability=reliability,
        accepting=accepting,
        planned=None if plan is None else plan_table(plan),
        plan_sentences=str(plan or ""),
        comparison=comparison,
        least_certain=least_certain(votes, proba, texts=texts, skip=gold),
        most_contested=most_contested(votes, proba, texts=texts, skip=gold),
        findings=None if findings is None else tuple(findings),
        label_fit=str(check_labels(reading.gold_votes, reading.gold_labels)) if has_gold else "",
        provenance=_provenance(reading, model),
        notes={
            "plan": plan_note,
            "comparison": comparison_note,
            "reliability": reliability_note,
            "frontier": frontier_note,
            "accepting": accepting_note,
        },
    )


def frontier_for_report(model: BalsubramaniFreund, votes: Votes) -> tuple[Tidy | None, str]:
    """The frontier of caution, or why there is none."""
    missing = why_no_frontier(model)
    if missing is not None:
        return None, f"Left out: it needs {missing}."
    if len(votes.patterns.rules) > MOST_FRONTIER_VOTES:
        return None, "Left out, because it takes long on so many items; model.frontier in Python finds it."
    return frontier_table(model.frontier(votes)), ""


def most_voting(votes_per_rule: IntArray, n_rules: int) -> IntArray:
    """Positions of the rules with most votes, in their own order."""
    return np.sort(np.argsort(-votes_per_rule, kind="stable")[:n_rules])


def _comparison(reading: Reading, level: float, findings: Iterable[Finding] | None) -> tuple[Comparison | None, str]:
    """The comparison that the checks made, if they did at this level, so that finding and page say the same."""
    made = findings.comparison if isinstance(findings, Checks) else None
    return (made, "") if made is not None and made.confidence_level == level else compare_for_report(reading, level)


def _reliability(reading: Reading, comparison: Comparison | None, note: str) -> tuple[Tidy | None, str]:
    """From the same folds as the comparison: no gold item is judged by a fit that has seen its label."""
    if comparison is None:
        return None, note
    labels = reading.gold_labels
    n_bins = min(10, max(2, len(labels) // 20))
    level = comparison.confidence_level
    return reliability_table(labels, comparison.held_out, confidence_level=level, n_bins=n_bins), note


def _names(reading: Reading) -> list[Any]:
    """Gold labels by class name."""
    return [reading.votes.class_names[c] for c in reading.gold_labels.tolist()]


def _provenance(reading: Reading, model: BalsubramaniFreund) -> dict[str, str]:
    """Versions and fingerprints: what must be the same for the report to come out the same."""
    certificate = model.certificate_
    gold = sha256(repr(sorted(_gold_pairs(reading))).encode("utf-8", "backslashreplace")).hexdigest()
    packages = {name: version(name) for name in ("numpy", "scipy", "scikit-learn", "jinja2")}
    return {
        "thumbwise": __version__,
        "Python": platform.python_version(),
        **packages,
        "fingerprint of the votes": reading.votes.fingerprint,
        "fingerprint of gold": gold,
        "intervals": certificate.evidence.method,
        "iterations": str(model.n_iter_),
        "gap": f"{certificate.gap:.1e}",
        "KKT residual": f"{certificate.kkt_residual:.1e}",
    }


def _gold_pairs(reading: Reading) -> list[tuple[str, str]]:
    ids = [str(value) for value in reading.gold_votes.item_ids.tolist()]
    return list(zip(ids, map(str, _names(reading)), strict=True))

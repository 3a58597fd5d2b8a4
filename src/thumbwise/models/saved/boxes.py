"""A box, its evidence and its certificate as plain values, and back."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.box import Box
from thumbwise.box.evidence import Evidence
from thumbwise.box.gold_checks.sample_check import COVERAGE, SampleCheck, SampleRow
from thumbwise.box.moments.kinds import kind_of
from thumbwise.box.moments.linear import About, MomentBuilder, build_moments
from thumbwise.box.opinions.score_levels import ScoreLevels
from thumbwise.exceptions import InvalidFileError
from thumbwise.game.accuracy import AccuracyProof
from thumbwise.game.certificate import Certificate
from thumbwise.models.saved.builders import read_builder, write_builder
from thumbwise.models.saved.fields import read_share
from thumbwise.numerics.feasibility import Widening
from thumbwise.tables.json_values import LARGE, Node, plain, write_name
from thumbwise.votes.labels import KnownLabels
from thumbwise.votes.votes import Votes

# Rules times groups that a file may speak of.
_MOST_CELLS = 10**8
_ACCURACY = ("accuracy_at_least", "expected", "baseline")
_SUMMARY = ("log_loss_bound", "baseline", "entropy", "gap", "kkt_residual", "box_violation")


def write_box(box: Box, weights: FloatArray, rules: Sequence[str]) -> dict[str, Any]:
    """Intervals with their weights, one line each, and what they rest on."""
    if isinstance(box.levels, ScoreLevels):
        raise InvalidFileError(
            "a model can be saved if it sees votes alone; this one was fitted to scores. Write its labels, and keep "
            "the script that fits it; or fit to the verdicts alone, votes.verdicts(), and save that."
        )
    if box.levels is not None:
        raise InvalidFileError(
            "a model can be saved if it sees votes alone; this one was fitted with features of the items. Keep the "
            "script that fits it, or fit without X."
        )
    if box.reviewed is not None:
        raise InvalidFileError(
            f"a model can be saved if gold is all that it knows; this one keeps {len(box.reviewed):,} reviewed labels. "
            "Write its labels, and keep the review file; or fit without reviewed labels, and save that."
        )
    columns: dict[str, list[Any]] = {
        "moment": list(box.names),
        "subject": [moment.subject for moment in box.about],
        "lower": plain(box.lower),
        "upper": plain(box.upper),
        "weight": plain(weights),
    }
    if box.gold_right is not None and box.gold_drawn is not None:
        columns |= {"gold_right": plain(box.gold_right), "gold_drawn": plain(box.gold_drawn)}
    groups = _groups_of(box)
    return {
        "moments": [write_builder(builder, rules) for builder in box.builders],
        **({"groups": [write_name(group, "group") for group in groups]} if groups else {}),
        "intervals": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
        "least": plain(box.least),
        "most": plain(box.most),
        "class_bounds": None if box.class_bounds is None else plain(box.class_bounds),
        "evidence": _write_evidence(box.evidence),
    }


def read_box(node: Node, votes: Votes, pool: str, known: KnownLabels | None) -> tuple[Box, FloatArray]:
    """The box and the weights. ``votes`` has the rules and classes of the model."""
    has_groups = "groups" in node.keys((), (*_BOX, "groups"))
    builders, intervals, least, most, alone, evidence, *groups = node.fields(*_BOX, *(["groups"] if has_groups else []))
    made = tuple(read_builder(entry, votes) for entry in builders.items())
    rows = intervals.items()
    grouped = _with_groups(votes, groups[0] if groups else None)
    _check_number_of_moments(node, made, grouped, len(rows))
    counted = ("gold_right", "gold_drawn") if rows and "gold_right" in rows[0].keys((), _ROW) else ()
    columns = list(zip(*(row.fields(*_ROW[:5], *counted) for row in rows), strict=True))
    about = build_moments(made, grouped).about
    _check_names(columns[:2], about)
    lower, upper, weights = (_floats(column) for column in columns[2:5])
    right, drawn = (_counts(column) for column in columns[5:]) if counted else (None, None)
    box = Box(
        about,
        lower,
        upper,
        _read_evidence(evidence, votes, pool),
        made,
        right,
        drawn,
        known,
        _read_limit(least, len(rows)),
        _read_limit(most, len(rows)),
        alone.optional(lambda bounds: bounds.array((2, votes.n_classes))),
        votes.class_names,
    )
    return box, weights


_BOX = ("moments", "intervals", "least", "most", "class_bounds", "evidence")
_ROW = ("moment", "subject", "lower", "upper", "weight", "gold_right", "gold_drawn")


def _floats(nodes: Sequence[Node]) -> FloatArray:
    return np.array([node.number() for node in nodes])


def _counts(nodes: Sequence[Node]) -> IntArray:
    return np.array([node.whole() for node in nodes], dtype=np.int64)


def _read_limit(node: Node, n_moments: int) -> FloatArray | float:
    return node.array((n_moments,)) if isinstance(node.value, list) else node.number()


def _check_number_of_moments(node: Node, builders: Sequence[MomentBuilder], votes: Votes, n_intervals: int) -> None:
    """Before anything is built: a short file must not ask for a table of billions of moments."""
    sizes = votes.n_rules, votes.n_classes, len(votes.group_names)
    counts = [1 if kind is None else kind.count(*sizes) for kind in map(kind_of, builders)]
    if 0 in counts:
        node.refuse("a box with a list of groups, of which its moments speak", "none")
    n_moments = sum(counts)
    if n_intervals != n_moments or not builders:
        node.refuse(f"a box of {n_moments} intervals, as its moments say", f"{n_intervals}")


def _check_names(columns: Sequence[Sequence[Node]], about: Sequence[About]) -> None:
    """What a file calls the moments must be what builders, rules, classes and groups make of them."""
    for name, subject, moment in zip(*columns, about, strict=True):
        if name.text() != moment.name:
            name.refuse(f"{moment.name[:60]!r}, as moments, rules and classes say")
        if subject.text() != moment.subject:
            subject.refuse(f"{moment.subject[:60]!r}, as moments, rules and classes say")


def _groups_of(box: Box) -> list[Hashable]:
    """Groups of items that moments speak of."""
    groups = [moment.group for moment in box.about if moment.group is not None]
    for builder in box.builders:
        groups += [group for group in getattr(builder, "coefficients", {}) if group is not None]
    return list(dict.fromkeys(groups))


def _with_groups(votes: Votes, groups: Node | None) -> Votes:
    """Votes of the same rules and classes on an item of each group."""
    if groups is None:
        return votes
    names: list[Any] = [entry.scalar() for entry in groups.items()]
    if not names or len(set(names)) < len(names):
        groups.refuse("a list of different groups", "a group twice, or none")
    if len(names) * votes.n_rules > _MOST_CELLS:
        groups.refuse(f"at most {_MOST_CELLS // votes.n_rules:,} groups for so many rules", f"{len(names):,}")
    silent = np.full((len(names), votes.n_rules), -1, dtype=np.int8)
    return Votes(silent, class_names=votes.class_names, rule_names=votes.rule_names, item_groups=names)


def _write_evidence(evidence: Evidence) -> dict[str, Any]:
    return {
        "method": evidence.method,
        "assumption": evidence.assumption,
        "confidence_level": evidence.confidence_level,
        "is_implied": bool(evidence.is_implied),
        "is_guarantee": bool(evidence.is_guarantee),
        "objection": evidence.objection,
        "widening": _write_widening(evidence.widening),
        "n_gold": int(evidence.n_gold),
        "is_for_this_pool": evidence.pool is not None,
        "sample_check": None if evidence.sample_check is None else _write_check(evidence.sample_check),
    }


def _read_evidence(node: Node, votes: Votes, pool: str) -> Evidence:
    method, assumption, level, implied, sure, objection, widening, n_gold, is_bound, check = node.fields(
        "method",
        "assumption",
        "confidence_level",
        "is_implied",
        "is_guarantee",
        "objection",
        "widening",
        "n_gold",
        "is_for_this_pool",
        "sample_check",
    )
    evidence = Evidence(
        method.text(),
        assumption.text(),
        level.optional(lambda number: number.number(0, 1)),
        implied.truth(),
        n_gold.whole(),
        pool if is_bound.truth() else None,
        check.optional(lambda entry: _read_check(entry, votes)),
        objection.optional(Node.text),
        widening.optional(_read_widening),
    )
    if sure.truth() != evidence.is_guarantee:
        sure.refuse(f"{str(evidence.is_guarantee).lower()}, as the rest of the evidence says")
    return evidence


def _write_check(check: SampleCheck) -> dict[str, Any]:
    """Rows by rule: coverage, then classes; each with two shares and two p-values."""
    by_rule: dict[str, list[list[float]]] = {}
    for row in check.rows:
        numbers = (row.gold_share, row.population_share, row.p_value, row.adjusted_p_value)
        by_rule.setdefault(row.rule, []).append([float(number) for number in numbers])
    return {
        "error": check.error,
        "omnibus_p_value": check.omnibus_p_value,
        "n_tests": check.n_tests,
        "gold_is": check.gold_is,
        "rows": by_rule,
    }


def _read_check(node: Node, votes: Votes) -> SampleCheck:
    error, omnibus, n_tests, gold_is, rows = node.fields("error", "omnibus_p_value", "n_tests", "gold_is", "rows")
    numbers = rows.by_name(votes.rule_names, (votes.n_classes + 1, 4), 0, 1 + 1e-9)
    names = [(rule, what) for rule in votes.rule_names for what in (COVERAGE, *votes.class_names)]
    return SampleCheck(
        error.number(0, 1),
        omnibus.optional(lambda number: number.number(0, 1 + 1e-9)),
        tuple(SampleRow(*name, *row) for name, row in zip(names, numbers.reshape(-1, 4).tolist(), strict=True)),
        n_tests.whole(),
        "subset" if gold_is.text(("separate", "subset")) == "subset" else "separate",
    )


def write_certificate(certificate: Certificate) -> dict[str, Any]:
    """Its numbers, and the sentence for whoever opens the file; the evidence is the box's."""
    return {
        "sentence": str(certificate),
        **{name: plain(float(getattr(certificate, name))) for name in _SUMMARY},
        "n_items": int(certificate.n_items),
        "n_known": int(certificate.n_known),
        "caution": float(certificate.caution),
        **_write_accuracy(certificate.accuracy),
    }


def _write_accuracy(proof: AccuracyProof | None) -> dict[str, Any]:
    """Found for the file if it was not asked for before, so that a file is the same either way."""
    return {} if proof is None else {"accuracy": {name: float(getattr(proof, name)) for name in _ACCURACY}}


def read_certificate(node: Node, evidence: Evidence, n_classes: int) -> Certificate:
    """The certificate; its sentence is made anew from its numbers.

    Before there was caution, it was 1; of right labels, the first files say nothing.
    """
    required = ("sentence", *_SUMMARY, "n_items", "n_known")
    there = node.keys(required, (*required, "caution", "accuracy"))
    sentence, bound, *others, n_items, n_known = map(node.child, required)
    sentence.text()
    baseline, entropy, gap, residual, violation = (other.number(special=True) for other in others)
    return Certificate(
        log_loss_bound=bound.number(0),
        entropy=entropy,
        gap=gap,
        kkt_residual=residual,
        box_violation=violation,
        n_items=n_items.whole(),
        n_known=(known := n_known.whole(0, n_items.whole())),
        n_classes=n_classes,
        baseline=baseline,
        evidence=evidence,
        caution=read_share(node.child("caution")) if "caution" in there else 1.0,
        right_labels=_read_accuracy(node.child("accuracy"), n_items.whole(), known, evidence)
        if "accuracy" in there
        else None,
    )


def _read_accuracy(node: Node, n_items: int, n_known: int, evidence: Evidence) -> AccuracyProof:
    at_least, expected, baseline = (share.number(0, 1) for share in node.fields(*_ACCURACY))
    return AccuracyProof(at_least, expected, baseline, n_items, n_known, evidence)


def _write_widening(widening: Widening | None) -> dict[str, Any] | None:
    return None if widening is None else {key: plain(float(value)) for key, value in vars(widening).items()}


def _read_widening(node: Node) -> Widening:
    factor, amount = node.fields("factor", "amount")
    return Widening(factor.number(0, LARGE, special=True), amount.number(0, LARGE, special=True))

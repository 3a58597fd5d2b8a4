"""A box, its evidence and its certificate as plain values, and back."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.box import Box
from thumbwise.box.evidence import Evidence
from thumbwise.box.gold_checks.sample_check import COVERAGE, SampleCheck, SampleRow
from thumbwise.box.moments.kinds import find_kind, kind_names, kind_of
from thumbwise.box.moments.linear import About, MomentBuilder, build_moments
from thumbwise.box.moments.of_rules import ConditionalRate
from thumbwise.box.moments.written import LinearMoment
from thumbwise.exceptions import InvalidFileError
from thumbwise.game.certificate import Certificate
from thumbwise.models.saved.schema import LARGE, Node, plain, refuse
from thumbwise.numerics.feasibility import Widening
from thumbwise.votes.labels import KnownLabels
from thumbwise.votes.votes import Votes

# Rules times groups that a file may speak of.
_MOST_CELLS = 10**8
_SUMMARY = ("log_loss_bound", "baseline", "entropy", "gap", "kkt_residual", "box_violation")


def write_name(name: Hashable, what: str) -> Any:
    """A class, group or item as JSON has it."""
    value = name.item() if isinstance(name, np.generic) else name
    is_plain = value is None or type(value) in (str, bool)
    is_plain |= type(value) is int and -(2**63) <= value < 2**64
    is_plain |= type(value) is float and bool(np.isfinite(value))
    if not is_plain:
        raise InvalidFileError(
            f"a {what} must be a string, a finite number, true, false or None to be saved; found {str(value)[:60]!r} "
            f"of type {type(value).__name__}. Name it by a string."
        )
    return value


def write_box(box: Box, weights: FloatArray) -> dict[str, Any]:
    """Intervals with their weights, one line each, and what they rest on."""
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
        "moments": [_write_builder(builder) for builder in box.builders],
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
    made = tuple(_read_builder(entry, votes) for entry in builders.items())
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


def _write_builder(builder: MomentBuilder) -> Any:
    if kind_of(builder) is not None:
        return builder.__name__
    if type(builder) is ConditionalRate:
        pair = {key: write_name(getattr(builder, key), "class") for key in ("true", "said")}
        return {"kind": "ConditionalRate", "rule": builder.rule, **pair, "rate": float(builder.rate)}
    if type(builder) is LinearMoment:
        return {"kind": "LinearMoment", "name": builder.name, "coefficients": _write_coefficients(builder)}
    raise InvalidFileError(
        f"a model can be saved if its moments are those of thumbwise.box.moments, which a file can name; found "
        f"{getattr(builder, '__qualname__', None) or type(builder).__qualname__}, which is code. Write it as a "
        "LinearMoment, register it with thumbwise.moments.moment_kind, or keep the script that fits the model."
    )


def _write_coefficients(moment: LinearMoment) -> list[list[Any]]:
    return [
        [write_name(group, "group"), write_name(name, "class"), plain(float(number))]
        for group, by_class in moment.coefficients.items()
        for name, number in by_class.items()
    ]


def _read_builder(node: Node, votes: Votes) -> MomentBuilder:
    if not isinstance(node.value, dict):
        return find_kind(node.text(kind_names())) or refuse(node.path, "its moments must be known; they are not")
    node.keys(("kind",), ("kind", "rule", "true", "said", "rate", "name", "coefficients"))
    if node.child("kind").text(("ConditionalRate", "LinearMoment")) == "LinearMoment":
        _, name, coefficients = node.fields("kind", "name", "coefficients")
        return LinearMoment(name.text(), _read_coefficients(coefficients, votes))
    _, rule, true, voted, rate = node.fields("kind", "rule", "true", "said", "rate")
    if rule.text() not in votes.rule_names:
        rule.refuse("one of the rules of the model")
    return ConditionalRate(rule.text(), _read_class(true, votes), _read_class(voted, votes), rate.number(0, 1))


def _read_class(node: Node, votes: Votes) -> Hashable:
    if node.scalar() not in votes.class_names:
        node.refuse("one of the classes of the model")
    return node.scalar()


def _read_coefficients(node: Node, votes: Votes) -> dict[Hashable, dict[Hashable, float]]:
    table: dict[Hashable, dict[Hashable, float]] = {}
    for entry in node.items():
        group, name, number = entry.items(3)
        by_class = table.setdefault(group.scalar(), {})
        if _read_class(name, votes) in by_class:
            entry.refuse("the only coefficient of its group and class", "a second one")
        by_class[name.scalar()] = number.number()
    return table


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
    }


def read_certificate(node: Node, evidence: Evidence, n_classes: int) -> Certificate:
    """The certificate; its sentence is made anew from its numbers."""
    sentence, bound, *others, n_items, n_known = node.fields("sentence", *_SUMMARY, "n_items", "n_known")
    sentence.text()
    baseline, entropy, gap, residual, violation = (other.number(special=True) for other in others)
    return Certificate(
        log_loss_bound=bound.number(0),
        entropy=entropy,
        gap=gap,
        kkt_residual=residual,
        box_violation=violation,
        n_items=n_items.whole(),
        n_known=n_known.whole(0, n_items.whole()),
        n_classes=n_classes,
        baseline=baseline,
        evidence=evidence,
    )


def _write_widening(widening: Widening | None) -> dict[str, Any] | None:
    return None if widening is None else {key: plain(float(value)) for key, value in vars(widening).items()}


def _read_widening(node: Node) -> Widening:
    factor, amount = node.fields("factor", "amount")
    return Widening(factor.number(0, LARGE, special=True), amount.number(0, LARGE, special=True))

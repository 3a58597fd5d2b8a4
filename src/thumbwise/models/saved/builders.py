"""Kinds of moments as plain values, and back: by name, or by the numbers they are made of."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from thumbwise.box.moments.kinds import find_kind, kind_names, kind_of
from thumbwise.box.moments.linear import MomentBuilder
from thumbwise.box.moments.of_rules import ConditionalRate
from thumbwise.box.moments.written import LinearMoment
from thumbwise.box.opinions.choosing import MANY_CLASSES
from thumbwise.box.opinions.learned import LearnedOpinion
from thumbwise.box.opinions.opinion import WeightedVote
from thumbwise.box.opinions.tiers import Tier
from thumbwise.box.opinions.written import WrittenOpinion
from thumbwise.exceptions import InvalidFileError
from thumbwise.models.saved.columns import read_columns, write_columns
from thumbwise.tables.json_values import LARGE, Node, plain, refuse, write_name
from thumbwise.votes.votes import Votes

# A learned opinion gives every class at least this much, so that no log is infinite.
_LEAST_FLOOR = 1e-300


def write_builder(builder: MomentBuilder, rules: Sequence[str]) -> Any:
    """Its name if it is registered; otherwise its kind and its numbers."""
    if kind_of(builder) is not None:
        return builder.__name__
    if type(builder) in _WRITERS:
        return {"kind": type(builder).__name__, **_WRITERS[type(builder)](builder, rules)}
    if isinstance(builder, WrittenOpinion):
        raise InvalidFileError(
            f"a model can be saved if its opinions are those of thumbwise; found {builder.name!r}, a function of your "
            "own, which is code. Make the box without it, or keep the script that fits the model."
        )
    raise InvalidFileError(
        f"a model can be saved if its moments are those of thumbwise.box.moments, which a file can name; found "
        f"{getattr(builder, '__qualname__', None) or type(builder).__qualname__}, which is code. Write it as a "
        "LinearMoment, register it with thumbwise.moments.moment_kind, or keep the script that fits the model."
    )


def read_builder(node: Node, votes: Votes) -> MomentBuilder:
    """The builder, for the rules and classes of some votes."""
    if not isinstance(node.value, dict):
        return find_kind(node.text(kind_names())) or refuse(node.path, "its moments must be known; they are not")
    node.keys(("kind",), list(node.value))
    return _READERS[node.child("kind").text(tuple(_READERS))](node, votes)


def _write_rate(rate: ConditionalRate, rules: Sequence[str]) -> dict[str, Any]:
    pair = {key: write_name(getattr(rate, key), "class") for key in ("true", "said")}
    return {"rule": rate.rule, **pair, "rate": float(rate.rate)}


def _read_rate(node: Node, votes: Votes) -> ConditionalRate:
    _, rule, true, voted, rate = node.fields("kind", "rule", "true", "said", "rate")
    if rule.text() not in votes.rule_names:
        rule.refuse("one of the rules of the model")
    return ConditionalRate(rule.text(), _read_class(true, votes), _read_class(voted, votes), rate.number(0, 1))


def _read_class(node: Node, votes: Votes) -> Hashable:
    if node.scalar() not in votes.class_names:
        node.refuse("one of the classes of the model")
    return node.scalar()


def _write_linear(moment: LinearMoment, rules: Sequence[str]) -> dict[str, Any]:
    rows = [
        [write_name(group, "group"), write_name(name, "class"), plain(float(number))]
        for group, by_class in moment.coefficients.items()
        for name, number in by_class.items()
    ]
    return {"name": moment.name, "coefficients": rows}


def _read_linear(node: Node, votes: Votes) -> LinearMoment:
    _, moment, coefficients = node.fields("kind", "name", "coefficients")
    table: dict[Hashable, dict[Hashable, float]] = {}
    for entry in coefficients.items():
        group, name, number = entry.items(3)
        by_class = table.setdefault(group.scalar(), {})
        if _read_class(name, votes) in by_class:
            entry.refuse("the only coefficient of its group and class", "a second one")
        by_class[name.scalar()] = number.number()
    return LinearMoment(moment.text(), table)


def _write_vote(opinion: WeightedVote, rules: Sequence[str]) -> dict[str, Any]:
    return {"name": opinion.name, "weights": dict(zip(rules, plain(opinion.weights), strict=True))}


def _read_vote(node: Node, votes: Votes) -> WeightedVote:
    kind, name, weights = node.fields("kind", "name", "weights")
    kind.text(("WeightedVote",))
    return WeightedVote(name.text(), votes.rule_names, weights.by_name(votes.rule_names, (), -LARGE, LARGE))


def _write_tier(tier: Tier, rules: Sequence[str]) -> dict[str, Any]:
    edges = {"least": plain(tier.least), "most": plain(tier.most)}
    return {"name": tier.name, "of": write_builder(tier.of, rules), **edges}


def _read_tier(node: Node, votes: Votes) -> Tier:
    _, name, of, least, most = node.fields("kind", "name", "of", "least", "most")
    edges = least.number(special=True), most.number(special=True)
    if not edges[0] < edges[1]:
        least.refuse("less than the most, as margins of a tier are")
    return Tier(name.text(), _read_vote(of, votes), *edges)


def _write_learned(opinion: LearnedOpinion, rules: Sequence[str]) -> dict[str, Any]:
    columns = write_columns(opinion.columns, rules)
    return {**columns, "weights": plain(opinion.weights), "floor": float(opinion.floor)}


def _read_learned(node: Node, votes: Votes) -> LearnedOpinion:
    if votes.n_classes >= MANY_CLASSES:  # it has a table of rules, votes and classes, which no file lists
        node.refuse(f"of a model with fewer than {MANY_CLASSES} classes", f"{votes.n_classes:,}")
    columns, (_, weights, floor) = read_columns(node, votes, "kind", "weights", "floor")
    return LearnedOpinion(columns, weights.array((columns.n_columns,)), floor.number(_LEAST_FLOOR, 1))


_WRITERS: dict[type, Callable[[Any, Sequence[str]], dict[str, Any]]] = {
    ConditionalRate: _write_rate,
    LinearMoment: _write_linear,
    WeightedVote: _write_vote,
    Tier: _write_tier,
    LearnedOpinion: _write_learned,
}
_READERS: dict[str, Callable[[Node, Votes], MomentBuilder]] = {
    "ConditionalRate": _read_rate,
    "LinearMoment": _read_linear,
    "WeightedVote": _read_vote,
    "Tier": _read_tier,
    "LearnedOpinion": _read_learned,
}

"""Entries of one public name: a signature as it is written, and the fields, properties and methods of a class."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from types import FunctionType, ModuleType
from typing import Any

from thumbwise.models.base import LabelModel

WIDTH = 110
# Of the methods with two underscores, those that users meet as syntax.
SYNTAX = ("__add__", "__bool__", "__call__", "__contains__", "__getitem__", "__iter__", "__len__")
# Members without an underscore that other parts of the package call, and no user has a reason to.
INNER = {
    *("Accepted.accepts", "Accepted.largest", "BalsubramaniFreund.with_features", "Box.certain", "Box.from_sample"),
    *("Box.gold", "Box.in_groups", "Box.levels", "Box.made", "Box.places", "ByClass.rates", "Certificate.from_fit"),
    *("Certificate.right_labels", "CountedVotes.any_id", "_Drawn.beside", "InTiers.split", "Cascade.ranked"),
    *("LabelModel.pool_summary_", "CheckedVotes.with_patterns", "Stage.ranked", "Stage.taught"),
    *("LazyVotes.answer", "LazyVotes.any_id", "LazyVotes.from_items", "LazyVotes.items", "LearnedOpinion.columns"),
    *("LearnedOpinion.log_losses", "Message.worded", "Predictions.for_metric", "Predictions.why_not_unseen"),
    *("Reading.files", "ScoredVotes.of", "ScoredVotes.on", "ScoredVotes.with_patterns"),
    *("Stratified.counts", "Stratified.n_drawn_of_each", "Stratified.weights", "Table.coded", "TagReadings.grammar"),
    *("Triage.asked", "Triage.ranked"),
}
# Classes that users make by calling them, besides the models; all others come from functions, and may gain arguments.
MADE = {f"thumbwise.{name}" for name in ("Gold", "LazyVotes", "RuleVotes", "ScoredVotes", "Votes", "theory.Truth")} | {
    *(f"thumbwise.designs.{name}" for name in ("ByClass", "Clusters", "Poisson", "Separate", "Stratified", "Subset")),
    "thumbwise.designs.WithReplacement",
    *(f"thumbwise.moments.{name}" for name in ("About", "ConditionalRate", "LinearMoment")),
    "thumbwise.opinions.InTiers",
}
# What parts of the package hand to each other: public names may hold them, and their insides may change.
INSIDES = {
    *("Asked", "CheckedVotes", "Coded", "Consensus", "CountedVotes", "Distilled", "Engine", "Family", "FeatureColumns"),
    *("FeatureLevels", "Files", "GoldCounts", "GoldSample", "Grammar", "Items", "Ladder", "Patterns", "PoolSummary"),
    *("Problem", "Ranked", "Rules", "ScoreColumns", "ScoreScale", "ShownInNotebooks", "ShowsItself", "StackColumns"),
    *("Statement", "StoppingRule", "SummedOpinion", "TagRoles", "Taught", "ThreeParts", "VoteColumn", "VotesAndGold"),
}


def describe(name: str, value: Any) -> list[str]:
    if isinstance(value, ModuleType):
        return [f"{name} (module)"]
    if inspect.isclass(value):
        return describe_class(name, value)
    if isinstance(value, FunctionType):
        return [_signature(name, value)]
    return [f"{name} = {value!r}" if isinstance(value, (int, str, tuple)) else f"{name}: {type(value).__name__}"]


def describe_class(name: str, kind: type) -> list[str]:
    """A class under a name; what it has from a class that is described too is not said again."""
    bases = [base.__name__ for base in kind.__bases__ if base is not object and not is_inside(base)]
    head = f"{name} (class{' of ' + ', '.join(bases) if bases else ''})"
    is_made = name in MADE or (name.startswith("thumbwise.") and issubclass(kind, LabelModel))
    return [head, *([_signature(name, kind)] if is_made else []), *(f"{name}.{each}" for each in _members(kind))]


def _members(kind: type) -> Iterator[str]:
    """Entries of what a class has; not those that a class above it, with entries of its own, has in the same words."""
    told = bases_told(kind)
    above = {
        entry for base in kind.__mro__ if is_ours(base) and base not in told for entry in _entries_of(base).values()
    }
    own: dict[str, str] = {}
    for base in reversed(told):
        own |= _entries_of(base)
    yield from (entry for entry in own.values() if entry not in above)


def _entries_of(base: type) -> dict[str, str]:
    named = {key: key if text is None else f"{key}: {plain(text)}" for key, text in fields(base).items()}
    return named | {key: _member(key, value) for key, value in vars(base).items() if is_public(base, key, value)}


def bases_told(kind: type) -> list[type]:
    """The class, and those bases of it within thumbwise that have no entry of their own."""
    return [each for each in kind.__mro__ if is_ours(each) and (each is kind or is_inside(each))]


def is_inside(kind: type) -> bool:
    return is_ours(kind) and (kind.__name__ in INSIDES or kind.__name__.startswith("_"))


def is_ours(kind: type) -> bool:
    """Whether a class is of thumbwise; other libraries have versions of their own."""
    return kind.__module__.startswith("thumbwise")


def is_public(base: type, key: str, value: Any) -> bool:
    """Whether what a class defines is a method or property for users."""
    is_call = isinstance(value, (FunctionType, classmethod, staticmethod, property, cached_property))
    return is_call and (not key.startswith("_") or key in SYNTAX) and f"{base.__name__}.{key}" not in INNER


def fields(base: type) -> dict[str, Any]:
    """Attributes that the class describes, or if it describes none all that it annotates; None for no annotation."""
    annotated, described = inspect.get_annotations(base), _described(base)
    names = [name for name in described or annotated if not name.startswith("_")]
    return {name: annotated.get(name) for name in names if f"{base.__name__}.{name}" not in INNER}


def _described(base: type) -> list[str]:
    """Names under the heading Attributes."""
    text = inspect.cleandoc(vars(base).get("__doc__") or "")
    section = re.search(r"Attributes\n-+\n(.*?)(?:\n\n[A-Z]|\Z)", text, re.DOTALL)
    lines = re.findall(r"^([A-Za-z]\w*(?:, \w+)*)(?: :.*)?$", section[1], re.MULTILINE) if section else []
    return [name for line in lines for name in line.split(", ")]


def _member(key: str, value: Any) -> str:
    if isinstance(value, (property, cached_property)):
        getter: Any = value.fget if isinstance(value, property) else value.func
        return f"{key}: {plain(inspect.signature(getter).return_annotation)} (read only)"
    if isinstance(value, (classmethod, staticmethod)):
        return (
            _signature(key, value.__func__, drops_first=isinstance(value, classmethod)) + f" ({type(value).__name__})"
        )
    return _signature(key, value, drops_first=True)


def _signature(name: str, function: Callable[..., Any], drops_first: bool = False) -> str:
    """A call, on one line if it is short."""
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())[int(drops_first) :]
    written = list(_parameters(parameters))
    end = "" if signature.return_annotation is signature.empty else f" -> {plain(signature.return_annotation)}"
    short = f"{name}({', '.join(written)}){end}"
    return short if len(short) <= WIDTH else f"{name}(\n" + "".join(f"    {each},\n" for each in written) + f"){end}"


def _parameters(parameters: list[inspect.Parameter]) -> Iterator[str]:
    has_star = False
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            has_star = True
        if parameter.kind is parameter.KEYWORD_ONLY and not has_star:
            has_star = True
            yield "*"
        yield _parameter(parameter)


def _parameter(parameter: inspect.Parameter) -> str:
    stars = "*" * (parameter.kind is parameter.VAR_POSITIONAL) + "**" * (parameter.kind is parameter.VAR_KEYWORD)
    annotation = "" if parameter.annotation is parameter.empty else f": {plain(parameter.annotation)}"
    default = "" if parameter.default is parameter.empty else f" = {_default(parameter.default)}"
    return f"{stars}{parameter.name}{annotation}{default}"


def _default(value: Any) -> str:
    """A default as it would be written; of functions and the like their name, as their text has an address."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_default, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, Mapping):
        return "{...}"
    return (
        value.__qualname__
        if callable(value)
        else f"{type(value).__name__}()"
        if " object at 0x" in repr(value)
        else repr(value)
    )


def plain(annotation: Any) -> str:
    """An annotation as it is written; Python's versions write types that are evaluated in their own ways."""
    if isinstance(annotation, str):
        return annotation
    return annotation.__name__ if inspect.isclass(annotation) else str(annotation)

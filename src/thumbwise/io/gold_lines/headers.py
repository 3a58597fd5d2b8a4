"""The header of a gold file: classes, items, draw and stopping rule, all decided before the first answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidFileError
from thumbwise.io.gold_lines.fields import Fields, fields_of, parse_line, read_name, read_share, read_time
from thumbwise.tables.json_values import Node

VERSION = 1
# What people say of an item that they cannot put into a class; a class of its own in gold.
UNCLEAR = "unclear"
RULES = ("fixed", "looks", "anytime")
_MOST_CLASSES = 10_000
_MOST_ITEMS = 2**53


@dataclass(frozen=True)
class Items:
    """The items that were drawn from: name of their file, how many, and the SHA-256 by which a change is noticed."""

    file: str
    n: int
    fingerprint: str


@dataclass(frozen=True)
class Stratum:
    """A group of items of which gold is drawn apart: its name, its items, and how many of them are to be labeled."""

    name: str
    size: int
    n: int


@dataclass(frozen=True)
class Design:
    """How the order of the items was drawn: at random over all, or at random within each stratum.

    Decided before the first answer, as the header is written before it.

    Attributes
    ----------
    kind : {"random", "stratified"}
    seed : int
    strata : tuple of Stratum
        Empty for a random draw; together they hold all items.
    """

    kind: Literal["random", "stratified"]
    seed: int
    strata: tuple[Stratum, ...] = ()


@dataclass(frozen=True)
class Goal:
    """What labeling is for: a rate known to within a margin, or a share of the labels accepted at a precision.

    Attributes
    ----------
    kind : {"rate", "accepted"}
    within : float or None
        Of a rate: half the width of its interval.
    share, precision : float or None
        Of what is accepted.
    """

    kind: Literal["rate", "accepted"]
    within: float | None = None
    share: float | None = None
    precision: float | None = None


@dataclass(frozen=True)
class Stopping:
    """When labeling stops; fixed before the first answer, and what intervals must be valid under.

    Attributes
    ----------
    rule : {"fixed", "looks", "anytime"}
        After so many labels; at one of the planned looks; at any moment.
    n : int or None
        So many labels; under the other rules at most so many.
    looks : tuple of int or None
        Numbers of labels at which anybody may look and stop.
    confidence_level : float
    of : str or None
        The class whose share is asked for.
    goal : Goal or None
    """

    rule: Literal["fixed", "looks", "anytime"] = "fixed"
    n: int | None = None
    looks: tuple[int, ...] | None = None
    confidence_level: float = 0.95
    of: str | None = None
    goal: Goal | None = None


@dataclass(frozen=True)
class Header:
    """The first line of a gold file.

    Attributes
    ----------
    made : str
        Time, ISO 8601.
    classes : tuple of str
    id : str or None
        Column of ids; None if items are numbered from 0.
    items : Items
    design : Design
    stopping : Stopping
    unknown : tuple of str
        Fields that this version does not know.

    Examples
    --------
    >>> header = Header("2024-05-01T12:00:00+00:00", ("pass", "fail"), "id", Items("a.csv", 9, "0" * 64),
    ...                 Design("random", 1), Stopping("fixed", 5))
    >>> parse_header(header.line().encode()) == header
    True
    """

    made: str
    classes: tuple[str, ...]
    id: str | None
    items: Items
    design: Design
    stopping: Stopping
    unknown: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        _check_classes(self.classes)

    def line(self) -> str:
        """The header as the file has it, checked by reading it back; without a line break."""
        text = json.dumps(self._as_json(), allow_nan=False)
        parse_header(text.encode(), Path(self.items.file))
        return text

    def _as_json(self) -> dict[str, Any]:
        design: dict[str, Any] = {"kind": self.design.kind, "seed": self.design.seed}
        if self.design.kind == "stratified":
            design["strata"] = [dict(vars(stratum)) for stratum in self.design.strata]
        stopping = dict(vars(self.stopping))
        stopping["looks"] = None if self.stopping.looks is None else list(self.stopping.looks)
        stopping["goal"] = _goal_as_json(self.stopping.goal)
        return {
            "thumbwise": "gold",
            "version": VERSION,
            "made": self.made,
            "classes": list(self.classes),
            "id": self.id,
            "items": dict(vars(self.items)),
            "design": design,
            "stopping": stopping,
        }


def _check_classes(classes: tuple[str, ...]) -> None:
    if len(classes) < 2 or len(set(classes)) < len(classes) or not all(classes):
        raise InvalidChoiceError(
            f"there must be two classes or more, all different and none empty; found {', '.join(map(repr, classes))}.",
            " List them with ",
            Argument("class_names", ["pass", "fail"]),
            ".",
        )
    named = [name for name in classes if name.strip().lower() == UNCLEAR]
    if named:
        raise InvalidChoiceError(
            f"no class may be called {UNCLEAR!r}, which is an answer of its own for items that fit no class; found "
            f"{named[0]!r}. Leave it out of ",
            Argument("class_names"),
            ", or give the class another name.",
        )


def _goal_as_json(goal: Goal | None) -> dict[str, Any] | None:
    return None if goal is None else {name: value for name, value in vars(goal).items() if value is not None}


def parse_header(line: bytes, path: Path = Path("the file")) -> Header:
    """The header on a line; an error says which field of it is wrong."""
    node = parse_line(path, 1, line)
    if not is_header(node.value):
        node.refuse(
            'an object that says {"thumbwise": "gold"}', f"the fields {', '.join(map(repr, [*node.value][:8]))}"
        )
    _check_version(node)
    names = ("thumbwise", "version", "made", "classes", "id", "items", "design", "stopping")
    fields = fields_of(node, names)
    items, unknown_of_items = _read_items(fields["items"])
    design, unknown_of_design = _read_design(fields["design"], items.n)
    classes = _read_classes(fields["classes"])
    stopping, unknown_of_stopping = _read_stopping(fields["stopping"], classes)
    unknown = (*fields.unknown, *unknown_of_items, *unknown_of_design, *unknown_of_stopping)
    id_name = fields["id"].optional(lambda node: read_name(node, may_be_empty=True))
    return Header(read_time(fields["made"]), classes, id_name, items, design, stopping, unknown)


def is_header(value: object) -> bool:
    """Whether a value says that it heads a gold file."""
    return isinstance(value, dict) and value.get("thumbwise") == "gold"


def _check_version(node: Node) -> None:
    version = node.value.get("version")
    if type(version) is not int or version != VERSION:
        raise InvalidFileError(
            f"{node.path} must be a gold file of version {VERSION}; it says version {str(version)[:20]}. Read it with "
            "the version of thumbwise that wrote it, or with a later one."
        )


def _read_classes(node: Node) -> tuple[str, ...]:
    nodes = node.items()
    if len(nodes) > _MOST_CLASSES:
        node.refuse(f"a list of at most {_MOST_CLASSES:,} classes")
    classes = tuple(map(read_name, nodes))
    try:
        _check_classes(classes)
    except InvalidChoiceError as error:
        raise InvalidFileError(f"{node.path} {node.form.isnt}: classes: ", error) from None
    return classes


def _read_items(node: Node) -> tuple[Items, tuple[str, ...]]:
    fields = fields_of(node, ("file", "n", "fingerprint"))
    fingerprint = fields["fingerprint"].text()
    if len(fingerprint) != 64 or set(fingerprint) - set("0123456789abcdef"):
        fields["fingerprint"].refuse("a SHA-256, 64 digits 0-9 and a-f")
    items = Items(read_name(fields["file"], may_be_empty=True), fields["n"].whole(1, _MOST_ITEMS), fingerprint)
    return items, fields.unknown


def _read_design(node: Node, n_items: int) -> tuple[Design, tuple[str, ...]]:
    fields = fields_of(node, ("kind", "seed"), ("strata",))
    seed = fields["seed"].whole(0)
    strata_node = fields.get("strata")
    if fields["kind"].text(("random", "stratified")) == "random":
        if strata_node is not None:
            strata_node.refuse("absent from a random draw")
        return Design("random", seed), fields.unknown
    if strata_node is None:
        node.refuse("an object with strata, since it is stratified", "none")
    strata = tuple(_read_stratum(stratum) for stratum in strata_node.items())
    if sum(stratum.size for stratum in strata) != n_items:
        strata_node.refuse(f"strata whose sizes add up to all {n_items:,} items", f"{sum(s.size for s in strata):,}")
    if len({stratum.name for stratum in strata}) < len(strata):
        strata_node.refuse("strata with different names", "a name that occurs twice")
    return Design("stratified", seed, strata), fields.unknown


def _read_stratum(node: Node) -> Stratum:
    fields = fields_of(node, ("name", "size", "n"))
    size = fields["size"].whole(1, _MOST_ITEMS)
    return Stratum(read_name(fields["name"], may_be_empty=True), size, fields["n"].whole(0, size))


def _read_stopping(node: Node, classes: tuple[str, ...]) -> tuple[Stopping, tuple[str, ...]]:
    fields = fields_of(node, ("rule", "confidence_level"), ("n", "looks", "of", "goal"))
    rule = fields["rule"].text(RULES)
    looks, n, of, goal = (fields.get(name) for name in ("looks", "n", "of", "goal"))
    if (looks is None) == (rule == "looks"):
        node.refuse('an object with looks if its rule is "looks", and without them otherwise')
    if n is None and rule == "fixed":
        node.refuse('an object with n, the number of labels, since its rule is "fixed"')
    read_goal, unknown_of_goal = (None, ()) if goal is None else _read_goal(goal)
    stopping = Stopping(
        rule,  # type: ignore[arg-type]  # one of RULES
        None if n is None else n.whole(1),
        None if looks is None else _read_looks(looks),
        read_share(fields["confidence_level"]),
        None if of is None else of.text(classes),
        read_goal,
    )
    return stopping, (*fields.unknown, *unknown_of_goal)


def _read_looks(node: Node) -> tuple[int, ...]:
    looks = tuple(look.whole(1) for look in node.items())
    if not looks or any(later <= earlier for earlier, later in pairwise(looks)):
        node.refuse("a list of one or more numbers, each larger than the one before", f"{list(looks)[:10]}")
    return looks


def _read_goal(node: Node) -> tuple[Goal, tuple[str, ...]]:
    fields = fields_of(node, ("kind",), ("within", "share", "precision"))
    kind = fields["kind"].text(("rate", "accepted"))
    wanted = ("within",) if kind == "rate" else ("share", "precision")
    present = {name for name in ("within", "share", "precision") if fields.get(name) is not None}
    if present != set(wanted):
        node.refuse(f"an object with {' and '.join(wanted)}, since its kind is {kind!r}", f"{sorted(present)}")
    return _as_goal(kind, fields), fields.unknown


def _as_goal(kind: str, fields: Fields) -> Goal:
    if kind == "rate":
        return Goal("rate", within=read_share(fields["within"]))
    share, precision = (read_share(fields[name], may_be_one=True) for name in ("share", "precision"))
    return Goal("accepted", share=share, precision=precision)

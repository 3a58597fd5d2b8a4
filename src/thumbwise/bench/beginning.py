"""The beginning of a gold file: what is asked for becomes its header, or must be what its header says."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from thumbwise.bench.folder_items import open_folder
from thumbwise.bench.items import Items
from thumbwise.bench.table_items import open_table
from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidFileError
from thumbwise.io import gold_lines
from thumbwise.io.gold_lines import Design, Goal, Header, Stopping
from thumbwise.tables.file_formats import PLAIN, FileFormat

DEFAULT_N = 100


@dataclass(frozen=True)
class Asked:
    """What somebody asks for; None leaves it to the file, and to what is usual if there is none yet.

    Attributes
    ----------
    classes : sequence of str or None
    n : int or None
        Number of labels; 100 is usual.
    looks : sequence of int or None
        Numbers of labels at which anybody may look and stop.
    anytime : bool
        Whether anybody may look and stop at any moment.
    of : str or None
        The class whose share is wanted.
    goal : Goal or None
    confidence : float or None
        0.95 is usual.
    design : {"random", "stratified"} or None
    seed : int or None
        Of the draw; drawn itself if there is none.
    """

    classes: Sequence[str] | None = None
    n: int | None = None
    looks: Sequence[int] | None = None
    anytime: bool = False
    of: str | None = None
    goal: Goal | None = None
    confidence: float | None = None
    design: str | None = None
    seed: int | None = None


def open_items(
    path: Path, *, item_id: str | None, show: Sequence[str], classes: Sequence[str], form: FileFormat = PLAIN
) -> Items:
    """Items of a table or of a folder."""
    if not path.is_dir():
        return open_table(path, item_id=item_id, show=show, classes=classes, form=form)
    if item_id is not None or show:
        raise InvalidChoiceError(
            f"columns can be named for tables only; {path} is a folder, whose files are shown whole. Drop ",
            Argument("item_id"),
            " and ",
            Argument("show"),
            ".",
        )
    return open_folder(path)


def new_header(items: Items, asked: Asked) -> Header:
    """The header of a file that begins, but for the strata of a stratified draw.

    All of it is decided here, before the first label.
    """
    if asked.classes is None:
        raise InvalidChoiceError(
            "the classes must be known before anything is labeled; none were given. List them with ",
            Argument("class_names", ["pass", "fail"]),
            ".",
        )
    seed = secrets.randbelow(2**31) if asked.seed is None else asked.seed
    if seed < 0:
        raise InvalidChoiceError(f"the seed must be 0 or more; found {seed}.")
    classes = tuple(asked.classes)
    if asked.of is not None and asked.of not in classes:
        raise InvalidChoiceError(
            f"the class whose share is wanted must be one of {', '.join(map(repr, classes))}; found {asked.of!r}. Say ",
            Argument("of", classes[0]),
            ".",
        )
    return Header(
        _now(),
        classes,
        items.id_name,
        gold_lines.Items(items.path.name, len(items), items.fingerprint),
        Design("stratified" if asked.design == "stratified" else "random", seed),
        stopping_of(asked, len(items)),
    )


def stopping_of(asked: Asked, n_items: int) -> Stopping:
    """The rule by which labeling stops, as it is asked for."""
    named = [asked.n is not None, asked.looks is not None, asked.anytime]
    if sum(named) > 1:
        raise InvalidChoiceError(
            "labeling must stop by one rule, which is fixed at the start: after a number of labels, at planned looks, "
            f"or whenever you like; found {sum(named)} of them. Leave one."
        )
    if asked.n is not None and asked.n < 1:
        raise InvalidChoiceError(f"there must be at least one label; found {asked.n}.")
    looks = None if asked.looks is None else _checked_looks(asked.looks, n_items)
    rule: Literal["fixed", "looks", "anytime"] = "anytime" if asked.anytime else "looks" if looks else "fixed"
    n = min(asked.n or DEFAULT_N, n_items) if rule == "fixed" else None
    return Stopping(rule, n, looks, asked.confidence or 0.95, asked.of, asked.goal)


def _checked_looks(looks: Sequence[int], n_items: int) -> tuple[int, ...]:
    rising = all(earlier < later for earlier, later in zip([0, *looks], looks, strict=False))
    if not looks or not rising or looks[-1] > n_items:
        raise InvalidChoiceError(
            f"planned looks must be rising numbers of labels, at most the {n_items:,} items, such as 50,100,150; found "
            f"{','.join(map(str, looks)) or 'none'}."
        )
    return tuple(looks)


def check_same(path: Path, header: Header, items: Items, asked: Asked) -> None:
    """Refuse to go on with a file that was begun with other items, classes, draw or stopping rule.

    What is not asked for is as the file says. Otherwise labels of other items, or other rules seen in view of labels,
    would stand under a header that does not tell of them.
    """
    if header.items.n != len(items) or header.items.fingerprint != items.fingerprint:
        n = f"it had {header.items.n:,} items, now {len(items):,}" if header.items.n != len(items) else "as many"
        raise InvalidFileError(
            f"the items must be those that {path} was begun with; {items.path} has changed since, or other columns are "
            f"shown ({n}). Put the file back as it was, name the same columns with ",
            Argument("show", "NAME"),
            ", or begin another gold file.",
        )
    for what, asked_for, there in _differing(header, asked, len(items)):
        raise InvalidChoiceError(
            f"{what} must stay as in {path}, which was begun with {there}; found {asked_for}. It was fixed before the "
            "first label; leave it out to go on, or begin another gold file."
        )


def _differing(header: Header, asked: Asked, n_items: int) -> list[tuple[str, object, object]]:
    """What was asked for, and what the file says, where both are known and differ."""
    stopping, old = stopping_of(asked, n_items), header.stopping
    named_rule = asked.n is not None or asked.looks is not None or asked.anytime
    pairs = [
        ("classes", asked.classes and ",".join(asked.classes), ",".join(header.classes)),
        ("the stopping rule", _rule(stopping) if named_rule else None, _rule(old)),
        ("the class whose share is wanted", asked.of, old.of),
        ("the goal", asked.goal, old.goal),
        ("the confidence", asked.confidence, old.confidence_level),
        ("the design", asked.design, header.design.kind),
        ("the seed", asked.seed, header.design.seed),
    ]
    return [pair for pair in pairs if pair[1] is not None and pair[1] != pair[2]]


def _rule(stopping: Stopping) -> str:
    if stopping.looks is not None:
        return f"looks at {','.join(map(str, stopping.looks))}"
    return f"{stopping.n} labels" if stopping.rule == "fixed" else "looks at any moment"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")

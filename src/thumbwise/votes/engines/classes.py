"""Columns that hold votes, their kinds, and the classes that there are, found out by the engine."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from thumbwise.exceptions import Argument, InPython, InvalidVotesError
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.votes.engines.frames import Engine, LazyFrame
from thumbwise.votes.engines.vote_digits import Kind, VoteColumn, kind_of
from thumbwise.votes.reading.coding import MAX_INFERRED_CLASSES, code_names, settle_n_classes
from thumbwise.votes.reading.raw_votes import first_repeated


def settle_rules(
    names: Sequence[str], rules: Sequence[str] | None, item_id: str | None, keep: Sequence[str]
) -> tuple[str, ...]:
    """Columns that hold votes: those named, or all that are neither the id nor kept."""
    named = [*(rules or ()), *([] if item_id is None else [item_id]), *keep]
    strange = [name for name in named if name not in names]
    if strange:
        raise InvalidVotesError(
            InPython("rules, item_id and keep must name columns of the frame; "),
            f"found {strange[0]!r} ({len(strange)} such names). The columns are {list(names[:20])}.",
        )
    chosen = tuple(name for name in names if name != item_id and name not in keep) if rules is None else tuple(rules)
    repeated = first_repeated(chosen)
    if repeated is not None:
        raise InvalidVotesError(f"rule names must be unique; found {repeated!r} more than once.")
    if item_id in chosen:
        raise InvalidVotesError(f"the column of ids must be no rule; found {item_id!r} in both. Drop it from rules.")
    if not chosen:
        raise InvalidVotesError("votes must hold at least one rule; found no column for one.")
    return chosen


def settle_columns(frame: LazyFrame, engine: Engine, names: Sequence[str], rules: Sequence[str]) -> list[VoteColumn]:
    """The kind of each rule's column; a column without values fits any, which only a look at it can tell."""
    schema = frame.collect_schema()
    kinds: list[Kind] = [kind_of(schema[name]) for name in names]
    if not set(kinds) <= {"whole", "float"} and set(kinds) != {"text"}:
        n_present = engine.fetch(frame.select(*(nw.col(name).count().alias(name) for name in names)))
        kinds = [kind if n_present[name][0] else "silent" for name, kind in zip(names, kinds, strict=True)]
    if "other" in kinds:
        j = kinds.index("other")
        raise InvalidVotesError(
            f"votes must be numbers or strings; rule {rules[j]!r} has type {schema[names[j]]}. Convert it, or leave it "
            "out of rules if it is none."
        )
    texts, numbers = ([j for j, kind in enumerate(kinds) if kind in some] for some in (("text",), ("whole", "float")))
    if texts and numbers:
        raise InvalidVotesError(
            f"votes must be all numbers or all strings; rule {rules[texts[0]]!r} holds strings, rule "
            f"{rules[numbers[0]]!r} numbers ({len(texts)} columns of strings, {len(numbers)} of numbers). A column of "
            "ids or texts is no rule: ",
            InPython("name it as item_id, or list the rules in rules=[...]."),
        )
    return [VoteColumn(name, kind) for name, kind in zip(names, kinds, strict=True)]


def check_names(class_names: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Names that were declared, each once."""
    names = tuple(name.item() if isinstance(name, np.generic) else name for name in class_names)
    repeated = first_repeated(names)
    if repeated is not None:
        raise InvalidVotesError(f"class names must be unique; found {repeated!r} more than once.")
    return names


def settle_classes(
    frame: LazyFrame,
    engine: Engine,
    columns: Sequence[VoteColumn],
    n_classes: int | None,
    class_names: tuple[Hashable, ...] | None,
    abstain: str | None,
) -> tuple[Hashable, ...]:
    """Class names as declared, or else as the votes show them: one more pass over the items."""
    if any(column.kind == "text" for column in columns):
        texts = [] if class_names is not None else _find_texts(frame, engine, columns)
        return code_names([(texts, np.empty(0, dtype=np.int64))], [""], class_names, n_classes, abstain)[1]
    is_declared = n_classes is not None or class_names is not None
    k = settle_n_classes(0 if is_declared else _find_largest(frame, engine, columns), n_classes, class_names)
    return tuple(range(k)) if class_names is None else class_names


def _find_largest(frame: LazyFrame, engine: Engine, columns: Sequence[VoteColumn]) -> int:
    asked = [
        nw.when(column.is_whole).then(column.value).max().alias(column.name)
        for column in columns
        if column.kind != "silent"
    ]
    largest = engine.fetch(frame.select(*asked)) if asked else {}
    return max((_whole(column_max[0]) for column_max in largest.values()), default=ABSTAIN)


def _whole(value: Any) -> int:
    """The largest vote of a rule; NULL or NaN if it has none."""
    return ABSTAIN if value is None or value != value else int(value)  # noqa: PLR0124  # NaN differs from itself


def _find_texts(frame: LazyFrame, engine: Engine, columns: Sequence[VoteColumn]) -> list[str]:
    spoken = [frame.select(column.value.alias("vote")) for column in columns if column.kind == "text"]
    distinct = nw.concat(spoken).unique().filter(~nw.col("vote").is_null()).head(MAX_INFERRED_CLASSES + 1)
    texts = [str(value) for value in engine.fetch(distinct)["vote"]]
    if len(texts) > MAX_INFERRED_CLASSES:
        raise InvalidVotesError(
            f"the votes hold more than {MAX_INFERRED_CLASSES} different strings, such as {texts[0][:60]!r}; that many "
            "classes are not inferred. If a column is no rule, leave it out",
            InPython(" of rules"),
            "; otherwise declare ",
            Argument("class_names"),
            ".",
        )
    return texts

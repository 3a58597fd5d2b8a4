"""The fields of jury records as columns: where they are, under which name, and of which kind."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from reprlib import repr as short
from types import NoneType
from typing import Any, TypeAlias

import numpy as np

from thumbwise._typing import AnyArray
from thumbwise.exceptions import Argument, InvalidVotesError
from thumbwise.io.jury_records.files import read_records, refuse_mixed
from thumbwise.tables.opened_frames import is_missing, open_frame
from thumbwise.tables.table_files import Table
from thumbwise.votes.reading.long_columns import as_array

# The first name is the field's own. Another counts if the field's own is absent and no second one is there.
SYNONYMS = {
    "item": ("item", "item_id", "task", "task_id", "id"),
    "judge": ("judge", "judge_name", "judge_model", "model", "rater", "worker", "annotator"),
    "verdict": ("verdict", "label", "answer", "vote"),
    "status": ("status",),
    "error": ("error", "error_message"),
}
REQUIRED = ("item", "judge", "verdict")
_KINDS = {
    "item": ("text", "whole number"),
    "judge": ("text", "whole number"),
    "verdict": ("text", "whole number", "number", "truth value"),
    "status": ("text",),
    "error": ("text",),
}
NO_ARGUMENTS: Mapping[str, str] = {}
# Names of columns, and what gives the column of a name.
_Opened: TypeAlias = "tuple[list[Any], Callable[[Any], AnyArray]]"


@dataclass(frozen=True)
class Fields:
    """Columns of equal length by field, of one kind each, None or NaN where missing; optional ones may be absent."""

    columns: dict[str, AnyArray]
    names: dict[str, str]
    ignored: tuple[str, ...]

    @property
    def n_records(self) -> int:
        return len(self.columns["item"])

    @property
    def notes(self) -> list[str]:
        """Which field was found where, and which were not looked at."""
        used = [f"{field} in {self.names[field]!r}" if field in self.names else f"no {field}" for field in SYNONYMS]
        shown = ", ".join(short(name) for name in self.ignored[:10]) + (", ..." if len(self.ignored) > 10 else "")
        ignored = [f"{len(self.ignored)} ignored: {shown}"] if self.ignored else []
        return ["fields: " + ", ".join(used), *ignored]


def open_fields(records: Any, given: Mapping[str, str | None]) -> Fields:
    """Find the fields in a file, a frame, a mapping of columns or an iterable of mappings, and check their kinds."""
    path = Path(records) if isinstance(records, (str, os.PathLike)) else None
    all_names, take = _open(records if path is None else read_records(path))
    names = settle_names(all_names, given)
    columns = {field: take(name) for field, name in names.items()}
    _refuse_uneven(columns)
    if path is not None:
        refuse_mixed(path, [names[f] for f, column in columns.items() if _is_text(column)])
    columns = {field: check_kind(column, field) for field, column in columns.items()}
    used = set(names.values())
    return Fields(columns, names, tuple(str(name) for name in all_names if name not in used))


def _is_text(column: AnyArray) -> bool:
    return column.dtype.kind == "O" and isinstance(next((v for v in column if v is not None), None), str)


def _open(records: Any) -> _Opened:
    if isinstance(records, Table):
        return list(records.names), lambda name: as_array(records.columns[name], name)
    frame = open_frame(records, "records")
    if frame is not None:
        return list(frame.columns), lambda name: as_array(frame.get_column(name), name)
    if isinstance(records, Mapping):
        return list(records), lambda name: _column(records[name], name)
    return _open_rows(records)


def _column(values: Any, name: str) -> AnyArray:
    """Lists as objects, because NumPy would make numbers of truth values among numbers."""
    return _objects(values) if isinstance(values, (list, tuple)) else as_array(values, name)


def _objects(values: Sequence[Any]) -> AnyArray:
    return np.fromiter(values, dtype=object, count=len(values))


def _open_rows(records: Any) -> _Opened:
    if isinstance(records, (bytes, np.ndarray)) or not isinstance(records, Iterable):
        raise _no_records(short(records))
    rows = list(records)
    odd = [i for i, row in enumerate(rows) if not isinstance(row, Mapping)]
    if odd:
        raise _no_records(f"{short(rows[odd[0]])} at record {odd[0]} ({len(odd)} such records)")
    if not rows:
        raise _no_records("none")
    all_names = list(dict.fromkeys(chain.from_iterable(rows)))
    return all_names, lambda name: _objects([row.get(name) for row in rows])


def _no_records(offender: str) -> InvalidVotesError:
    return InvalidVotesError(
        "records must be a file, a frame, a mapping of columns, or mappings such as "
        f'{{"item": "q1", "judge": "m1", "verdict": "yes"}}; found {offender}. Pass one mapping for each answer.'
    )


def settle_names(
    all_names: Sequence[Any], given: Mapping[str, str | None], arguments: Mapping[str, str] = NO_ARGUMENTS
) -> dict[str, str]:
    """Name of each field that is there.

    Parameters
    ----------
    all_names : sequence
        Names of all fields.
    given : mapping
        Those that the user names.
    arguments : mapping
        How the arguments are called that name fields, where not like the fields.
    """
    names = {field: _find_name(field, all_names, given.get(field), arguments.get(field, field)) for field in SYNONYMS}
    settled = {field: name for field, name in names.items() if name is not None}
    repeated = [name for name in settled.values() if list(settled.values()).count(name) > 1]
    if repeated:
        raise InvalidVotesError(
            f"every field must have a name of its own; {short(repeated[0])} was given for {len(repeated)} of them."
        )
    return settled


def _find_name(field: str, all_names: Sequence[Any], given: str | None, argument: str) -> str | None:
    shown = ", ".join(short(name) for name in all_names[:20]) + (", ..." if len(all_names) > 20 else "")
    if given is not None:
        if given not in all_names:
            raise InvalidVotesError(
                f"records must have the field {given!r}, as ", Argument(argument, ...), f" says; found {shown}."
            )
        return given
    known = [name for name in SYNONYMS[field] if name in all_names]
    if known and (known[0] == field or len(known) == 1):
        return known[0]
    if known or field in REQUIRED:
        several = f"; it could be {' or '.join(map(repr, known))}" if known else ""
        raise InvalidVotesError(
            f"records must have the field {field!r}; found {shown}{several}. Name it with ",
            Argument(argument, "NAME"),
            ".",
        )
    return None


def _refuse_uneven(columns: Mapping[str, AnyArray]) -> None:
    lengths = {field: len(column) for field, column in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{field} {length}" for field, length in lengths.items())
        raise InvalidVotesError(f"the columns of records must be equally long; found {listed}.")
    if not lengths["item"]:
        raise _no_records("none")


def check_kind(column: AnyArray, field: str) -> AnyArray:
    """Refuse what is neither missing nor of a kind that the field may have, and text among numbers."""
    if column.dtype.kind not in "biufO":
        column = column.astype(object)
    if column.dtype.kind == "O":
        return _without_truths(_check_objects(column, field))
    if column.dtype.kind == "b" and "truth value" in _KINDS[field]:
        return column.astype(np.int64)
    if _kind_of(column.dtype.type) not in _KINDS[field]:
        present = np.flatnonzero(column == column)  # noqa: PLR0124  # NaN is missing
        if len(present):
            raise _strange(column, field, present.tolist())
    return column


def _check_objects(column: AnyArray, field: str) -> AnyArray:
    plain = column.tolist()
    kinds = {kind: _kind_of(kind) for kind in set(map(type, plain)) - {NoneType}}
    doubtful = {kind for kind, word in kinds.items() if word == "number" or word not in _KINDS[field]}
    if doubtful:
        rows = [i for i, value in enumerate(plain) if type(value) in doubtful]
        gaps = [i for i in rows if _is_gap(plain[i])]
        strange = [i for i in set(rows) - set(gaps) if kinds[type(plain[i])] not in _KINDS[field]]
        if strange:
            raise _strange(column, field, sorted(strange))
        column = column.copy()
        column[gaps] = None
        kinds = {kind: _kind_of(kind) for kind in set(map(type, column.tolist())) - {NoneType}}
    for kind, what in (("text", "all text or all numbers"), ("truth value", "all truth values or none")):
        if kind in kinds.values() and set(kinds.values()) != {kind}:
            raise _mixture(column, field, kind, what)
    return column


def _without_truths(column: AnyArray) -> AnyArray:
    """False and true as the numbers 0 and 1, as in tables."""
    plain = column.tolist()
    if not {bool, np.bool_} & set(map(type, plain)):
        return column
    return _objects([None if value is None else int(value) for value in plain])


def _kind_of(kind: type) -> str:
    if issubclass(kind, str):
        return "text"
    if issubclass(kind, (bool, np.bool_)):
        return "truth value"
    if issubclass(kind, (int, np.integer)):
        return "whole number"
    return "number" if issubclass(kind, (float, np.floating)) else kind.__name__


def _is_gap(value: object) -> bool:
    try:
        return is_missing(value)
    except Exception:  # arrays, and objects of strangers, may refuse to be compared
        return False


def _strange(column: AnyArray, field: str, strange: Sequence[int]) -> InvalidVotesError:
    value = column[strange[0]]
    hint = ' Write names, such as "pass" and "fail".' if field == "verdict" else " Write text."
    return InvalidVotesError(
        f"{field} must be {' or '.join(_KINDS[field])}, or missing; found {short(value)} "
        f"({_kind_of(type(value))}) at record {strange[0]} ({len(strange)} such records).{hint}"
    )


_AMONG = {"text": "text", "truth value": "truth values"}


def _mixture(column: AnyArray, field: str, kind: str, what: str) -> InvalidVotesError:
    rows = [i for i, value in enumerate(column) if value is not None and _kind_of(type(value)) != kind]
    return InvalidVotesError(
        f"{field} must be {what}; found {short(column[rows[0]])} at record {rows[0]}, among {_AMONG[kind]} "
        f"({len(rows)} such records). 1, '1' and true could be meant to be the same: convert them to one kind."
    )

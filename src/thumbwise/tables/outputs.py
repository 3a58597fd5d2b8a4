"""Policy of everything that writes a file or a folder: what may be written where.

- An output is never one of the inputs, lies in none, holds none, and would not be found by their wildcards.
- A file that exists is replaced unasked only if nothing is lost: it is empty, or recognisably an earlier output of the
  same kind, of a kind that nobody makes by hand (labels, a report, a saved model). Votes, gold and judges' records are
  what people make by hand. Everything else takes ``overwrite=True``, on the command line ``--overwrite``.
- A folder that exists is replaced only if it is empty, or if marks in its files prove that one run wrote all of them.
- At every moment the old output or the new one is whole; see ``whole``.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from thumbwise.exceptions import Argument, InvalidFileError
from thumbwise.tables.collisions import check_apart
from thumbwise.tables.delimited import read_header
from thumbwise.tables.dialects import DELIMITERS, Dialect
from thumbwise.tables.formats import connect, pattern_of
from thumbwise.tables.given_paths import real_place
from thumbwise.tables.label_tables import is_label_table
from thumbwise.tables.marks import find_foreign
from thumbwise.tables.plain_files import read_start, split_ending
from thumbwise.tables.whole_files import workspace

GENERATOR = '<meta name="generator" content="thumbwise">'
_LONGEST_START = 2**16


@dataclass(frozen=True)
class Kind:
    """What is written, in words, and whether a file can be recognised as an earlier one of the kind."""

    what: str
    is_ours: Callable[[Path], bool] | None = None


def check_file(
    path: str | Path, kind: Kind, *, inputs: Sequence[str | Path | None] = (), overwrite: bool = False
) -> Path:
    """Find out whether a file may be written before anything is computed for it; return where it really lies.

    Raises
    ------
    InvalidFileError
        It may not, or cannot; the message says why.
    """
    target = real_place(path)
    if target.is_dir():
        raise InvalidFileError(f"{path} must be a file to write to; it is a folder. Add a file name.")
    check_apart(target, inputs, shown=path)
    if target.exists():
        _check_replaceable(path, target, kind, overwrite)
    _check_home(path, target)
    return target


def check_folder(path: str | Path, *, inputs: Sequence[str | Path | None] = ()) -> Path:
    """The same for a folder of files, all of which are replaced; there is no ``overwrite``."""
    target = real_place(path)
    check_apart(target, inputs, shown=path, is_folder=True)
    if target.exists() and not target.is_dir():
        raise InvalidFileError(
            f"{path} must be a folder, new or empty, or a file that ends in .parquet, .csv or .tsv; it is a file "
            "without such an ending. Choose another name."
        )
    if target.is_dir():
        try:
            foreign = find_foreign(target)
        except OSError as error:
            raise InvalidFileError(f"the folder {path} cannot be read: {error.strerror}. Choose another.") from error
        if foreign:
            raise InvalidFileError(
                f"{path} must be a new folder, an empty one, or one that holds labels of one run and nothing else; it "
                f"holds {foreign[0]!r}, which is something else ({len(foreign)} such files). Choose another "
                "folder, or empty it."
            )
    _check_home(path, target)
    return target


def _check_replaceable(path: str | Path, target: Path, kind: Kind, overwrite: bool) -> None:
    if not target.is_file():
        raise InvalidFileError(f"{path} must be a plain file to write to; it is a device or a pipe.")
    try:
        target.open("ab").close()  # a file that is write-protected stays
        is_free = overwrite or not target.stat().st_size or (kind.is_ours is not None and kind.is_ours(target))
    except OSError as error:
        raise _unwritable(path, error) from error
    if not is_free:
        rule = "must not exist yet" if kind.is_ours is None else f"must be new, or {kind.what} that was written before"
        raise InvalidFileError(
            f"{path} {rule}; there is another file of that name, which would be lost. Choose another name, or pass ",
            Argument("overwrite", True),
            ".",
        )


def _check_home(path: str | Path, target: Path) -> None:
    if not target.parent.is_dir():
        raise InvalidFileError(f"{path} cannot be written: the folder {target.parent} does not exist. Create it first.")
    try:
        with workspace(target.parent):
            pass
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: str | Path, error: OSError) -> InvalidFileError:
    return InvalidFileError(f"{path} cannot be written: {error.strerror}. Choose a place that you may write to.")


def _holds_labels(path: Path) -> bool:
    """By its columns, whatever its ending promises."""
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    ending, packing = split_ending(path)
    try:
        if ending in DELIMITERS and not packing:
            return is_label_table(read_header(path, Dialect(DELIMITERS[ending]))[0])
        if ending in DELIMITERS:
            return is_label_table(next(iter(Dialect(DELIMITERS[ending]).records([_start(path).splitlines()[0]]))))
        if ending != ".parquet":
            return is_label_table(list(json.loads(_start(path).splitlines()[0])))
        with connect(path) as connection:
            rows = connection.execute("SELECT name FROM parquet_schema(?)", [pattern_of(path)]).fetchall()
    except (InvalidFileError, duckdb.Error, ValueError, TypeError, IndexError, RecursionError, csv.Error):
        return False
    return is_label_table([name for (name,) in rows[1:]])  # the first is that of the whole table


def _start(path: Path) -> str:
    return read_start(path, _LONGEST_START).decode("utf-8-sig", "replace")


def _is_report(path: Path) -> bool:
    return GENERATOR in _start(path)


def _is_model(path: Path) -> bool:
    return re.match(r'\s*\{\s*"format":\s*"thumbwise model"', _start(path)) is not None


# Of a kind that people make by hand.
TABLE = Kind("a table")
LABELS = Kind("a table of labels", _holds_labels)
REPORT = Kind("a report", _is_report)
MODEL = Kind("a model", _is_model)

"""A DuckDB of our own for items that stay in files: with a limit on its memory, and a place for what exceeds it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from glob import has_magic
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thumbwise.exceptions import InvalidChoiceError, InvalidFileError
from thumbwise.tables.formats import NOTHING_LOADED, confine
from thumbwise.tables.given_paths import as_text, real_place
from thumbwise.tables.plain_files import lasting_scratch, split_ending
from thumbwise.tables.whole_files import workspace

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True)
class Limits:
    """How much memory the database may take, and where it puts what exceeds it; None leaves it to the database."""

    memory: str | None = None
    spill: Path | None = None


NO_LIMITS = Limits()


@contextmanager
def database(
    limits: Limits = NO_LIMITS, *, reads: Path, writes: Sequence[Path | None] = ()
) -> Iterator[DuckDBPyConnection]:
    """A database in memory, which is gone at the end with all that it spilled.

    It can touch what it reads, the folders in which it writes, and nothing else.

    Parameters
    ----------
    limits : Limits
    reads : Path
        A file, a folder, or a pattern with wildcards.
    writes : sequence of paths
        Files or folders; None is none.
    """
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    memory = limits.memory
    with _spill_folder(limits.spill) as folder:
        settings: dict[str, Any] = {**NOTHING_LOADED, "temp_directory": as_text(os.fspath(folder))}
        try:
            connection = duckdb.connect(":memory:", config={**settings, **({"memory_limit": memory} if memory else {})})
        except duckdb.Error as error:
            raise InvalidChoiceError(f"memory must be a size such as 4GB; found {memory!r} ({error}).") from None
        with connection:
            files, folders = _places_of(reads)
            confine(connection, files=files, folders=[*folders, *(real_place(p).parent for p in writes if p)])
            connection.execute("SET preserve_insertion_order = false")
            connection.execute("SET enable_progress_bar_print = false")  # stdout is for what was asked
            yield connection


def _places_of(pattern: Path) -> tuple[list[Path], list[Path]]:
    """Files and folders that a pattern stands for; texts may be rewritten in a place of their own."""
    rewritten = []
    if not pattern.is_dir() and split_ending(pattern) != (".parquet", ""):
        with suppress(OSError):  # said when a place is needed
            rewritten.append(lasting_scratch().home())
    if pattern.is_dir():
        return [], [pattern]
    if pattern.exists() or not has_magic(str(pattern)):
        return [pattern], rewritten
    fixed = list(takewhile(lambda part: not has_magic(part), pattern.parts))
    return [], [Path(*fixed), *rewritten]


@contextmanager
def _spill_folder(home: Path | None) -> Iterator[Path]:
    """A folder that the database makes when it needs it; gone at the end, or when the next run finds it left behind."""
    if home is not None and not home.is_dir():
        raise InvalidFileError(f"the folder for temporary files must exist; there is no folder {home}.")
    home = Path(tempfile.gettempdir()) if home is None else home
    with ExitStack() as stack:
        try:
            place = stack.enter_context(workspace(home))
        except OSError as error:
            raise InvalidFileError(
                f"the folder for temporary files must be one that can be written to; {home} is not: {error.strerror}."
            ) from error
        yield place / "spill"

"""A DuckDB of our own for items that stay in files: with a limit on its memory, and a place for what exceeds it.

It may touch the files that are read, the folders in which it writes, its place to spill to, and nothing else.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thumbwise.exceptions import InvalidChoiceError, InvalidFileError
from thumbwise.tables.formats import NOTHING_LOADED, confine
from thumbwise.tables.given_paths import as_text, real_place
from thumbwise.tables.watched import watched
from thumbwise.tables.whole_files import workspace

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True)
class Limits:
    """How much memory the database may take, and where it puts what exceeds it; None leaves it to the database."""

    memory: str | None = None
    spill: Path | None = None


NO_LIMITS = Limits()


@dataclass(frozen=True)
class Database:
    """A database of our own, and where it may write.

    Attributes
    ----------
    connection : DuckDB connection
    folders : tuple of Path or None
        Folders in which it may write; None where the caller goes on with what it gives and may write anywhere.
    """

    connection: DuckDBPyConnection
    folders: tuple[Path, ...] | None = None

    def confine(self, files: Sequence[str | Path], patterns: Sequence[str] = ()) -> None:
        """From now on it touches these files and its folders only, and no setting of it can be changed.

        Parameters
        ----------
        files : sequence of paths
            All that it is to read.
        patterns : sequence of str
            Wildcards that stand for them, as it will be asked.
        """
        if self.folders is not None:
            confine(self.connection, files=[Path(file) for file in files], patterns=patterns, folders=self.folders)


def open_database() -> Database:
    """A database in memory that loads nothing, for whoever brings none and goes on with its rows."""
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    return Database(duckdb.connect(config=NOTHING_LOADED))


@contextmanager
def database(limits: Limits = NO_LIMITS, writes: Sequence[Path | None] = ()) -> Iterator[Database]:
    """A database in memory, which is gone at the end with all that it spilled.

    Parameters
    ----------
    limits : Limits
    writes : sequence of paths
        Files or folders that it will write; None is none.
    """
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    memory = limits.memory
    with _spill_folder(limits.spill) as folder:
        settings: dict[str, Any] = {**NOTHING_LOADED, "temp_directory": as_text(os.fspath(folder))}
        try:
            connection = duckdb.connect(":memory:", config={**settings, **({"memory_limit": memory} if memory else {})})
        except duckdb.Error as error:
            raise InvalidChoiceError(f"memory must be a size such as 4GB; found {memory!r} ({error}).") from None
        with connection, watched(connection):
            connection.execute("SET preserve_insertion_order = false")
            yield Database(connection, tuple(real_place(path).parent for path in writes if path is not None))


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

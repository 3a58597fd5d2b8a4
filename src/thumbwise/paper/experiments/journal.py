"""Finished rows on disk, one JSON line each, that survive an interrupt at any moment; and a lock for the folder."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from thumbwise import __version__
from thumbwise.exceptions import InvalidFileError
from thumbwise.paper.experiments.specs import Experiment, Fit, Row

_KEY = ("dataset", "method", "run", "n_gold", "n_items")
LOCK_NAME = ".thumbwise-lock"


class Journal:
    """The rows of an experiment that are done.

    The first line says which experiment, by its fingerprint, and which version of the package; each further line is a
    row. A line is written in one piece and forced to disk before the next fit is handed out. So a kill can only tear
    the last line, which is cut off when the journal is opened again.

    Attributes
    ----------
    rows : dict of Fit to row
    """

    def __init__(self, path: Path, experiment: Experiment) -> None:
        self.path = path
        self._header = {
            "experiment": experiment.name,
            "fits": len(experiment.fits),
            "fingerprint": experiment.fingerprint,
            "thumbwise": __version__,
        }
        lines = _read_whole_lines(path)
        if lines:
            self._check_header(lines[0])
        self.rows = self._read_rows(lines[1:], set(experiment.fits))
        self._file = path.open("ab")
        if not lines:
            self._write(self._header)

    def append(self, fit: Fit, row: Row) -> None:
        """Keep a finished row."""
        self._write(row)
        self.rows[fit] = row

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _write(self, content: dict[str, Any]) -> None:
        self._file.write(json.dumps(content).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _check_header(self, header: dict[str, Any]) -> None:
        if header != self._header:
            raise InvalidFileError(
                f"{self.path} must belong to the experiment that is run, {_in_words(self._header)}; it was begun by "
                f"another one, {_in_words(header)}. Choose another folder, or delete that file to start anew."
            )

    def _read_rows(self, lines: list[dict[str, Any]], fits: set[Fit]) -> dict[Fit, Row]:
        rows: dict[Fit, Row] = {}
        for number, line in enumerate(lines, start=2):
            fit = Fit(*(line.get(name) for name in _KEY))  # type: ignore[arg-type]  # what is strange is in no spec
            if fit not in fits or fit in rows:
                problem = "repeats a row" if fit in rows else "is no row of this experiment"
                raise InvalidFileError(
                    f"each line of {self.path} must be a row of its own; line {number} {problem} ({fit.key}). "
                    "Something else wrote to it; delete it to start anew."
                )
            rows[fit] = line
        return rows


def make_row(fit: Fit, measured: Row) -> Row:
    """What identifies a fit, followed by what was measured."""
    return {**{name: getattr(fit, name) for name in _KEY}, **measured}


def _read_whole_lines(path: Path) -> list[dict[str, Any]]:
    """All lines; a torn one at the end is cut off the file."""
    if not path.exists():
        return []
    pieces = path.read_bytes().split(b"\n")
    lines: list[dict[str, Any]] = []
    n_bytes = 0
    for number, piece in enumerate(pieces[:-1], start=1):
        line = _parse(piece)
        if line is None and number < len(pieces) - 1:
            raise InvalidFileError(
                f"each line of {path} must be one JSON object; line {number} is not. Delete the file to start anew."
            )
        if line is not None:
            lines.append(line)
            n_bytes += len(piece) + 1
    with path.open("rb+") as file:
        file.truncate(n_bytes)
    return lines


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        content = json.loads(line)
    except ValueError:
        return None
    return content if isinstance(content, dict) else None


def _in_words(header: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in header.items())


def check_run_folder(folder: Path) -> None:
    """Refuse a folder that holds files and that no run has begun: those of the same names would be lost."""
    if folder.is_dir() and any(folder.iterdir()) and not (folder / LOCK_NAME).exists():
        raise InvalidFileError(
            f"{folder} must be a new folder, an empty one, or that of an earlier run; it holds other files, which "
            "might be replaced. Choose another folder."
        )


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep a second runner out of a folder.

    The operating system drops the lock when its holder ends, however it ends, so that no lock outlives its process. The
    file stays; the number in it is for the message only.
    """
    with (folder / LOCK_NAME).open("a+") as file:
        if not _try_lock(file):
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise InvalidFileError(
                f"only one process may run experiments in {folder}; process {holder} does so now. Wait for it, or "
                "choose another folder."
            )
        file.seek(0)
        file.truncate()
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def _try_lock(file: IO[str]) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415

            # A byte far behind the number, which others must be able to read.
            file.seek(2**20)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl  # noqa: PLC0415

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True

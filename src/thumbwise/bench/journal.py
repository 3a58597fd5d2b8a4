"""The journal: a gold file that answers are appended to, each on disk before anybody is told that it was kept.

Whoever writes holds a lock on the file and has read what others wrote before. A line that a kill left half written is
no answer; its bytes are moved to a file beside, so that the next line begins where it should. A whole answer that lacks
nothing but its line break is given one, since all who read the file count it.
"""

from __future__ import annotations

import os
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from thumbwise.exceptions import InvalidFileError
from thumbwise.io.gold_lines import Answer, Header, is_gold_lines, is_torn, parse_answer, parse_header

# How a header begins, all of it or the half of it that a kill left.
_BEGINNING = b'{"thumbwise": "gold", '


class Journal:
    """A gold file that stays open: its header, and all answers that anybody has appended so far.

    Attributes
    ----------
    path : Path
    header : Header
        That of the file.
    answers : list of Answer
        In the order of the file.
    n_set_aside : int
        Bytes of half-written lines that were moved away since it was opened.
    """

    def __init__(self, path: Path, header: Header) -> None:
        """Begin a file with this header, or go on with one that has begun; the caller compares the headers."""
        self.path, self.n_set_aside = path, 0
        self.answers: list[Answer] = []
        self._in_process = threading.Lock()
        check_journal(path)
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o644)
        except OSError as error:
            raise _unwritable(path, error) from error
        with self._locked():
            self._begin(header)
            self.header = parse_header(self._first_line(), path)
            self._offset = len(self._first_line())
            self._read_new()

    def append(self, decide: Callable[[list[Answer]], Answer | None]) -> Answer | None:
        """Append what is decided in view of all answers in the file; on disk when this returns.

        Parameters
        ----------
        decide : callable
            From all answers, those of other processes too, to the one that is appended; None appends nothing. Nobody
            else appends while it is called.

        Raises
        ------
        InvalidFileError
            The file is gone, replaced, full or changed by something else; nothing is appended then.
        """
        with self._locked():
            self._read_new()
            answer = decide(self.answers)
            if answer is not None:
                line = answer.line().encode() + b"\n"
                self._write(line)
                self.answers.append(answer)
                self._offset += len(line)
        return answer

    def refresh(self) -> list[Answer]:
        """All answers, with those that others have appended."""
        with self._locked():
            self._read_new()
        return self.answers

    def close(self) -> None:
        """Close the file; there is nothing left to be written."""
        with suppress(OSError):
            os.close(self._file)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """One thread of one process at a time; the system drops the lock when its holder ends, however it ends."""
        with self._in_process:
            _lock(self._file, on=True)
            try:
                yield
            finally:
                _lock(self._file, on=False)

    def _begin(self, header: Header) -> None:
        """Write the header to an empty file, or in place of one that was left half written."""
        size = os.fstat(self._file).st_size
        if size and b"\n" not in os.pread(self._file, size, 0):
            os.ftruncate(self._file, 0)
            size = 0
        if not size:
            self._write(header.line().encode() + b"\n")
            _keep_name(self.path.parent)

    def _first_line(self) -> bytes:
        size = os.fstat(self._file).st_size
        return os.pread(self._file, size, 0).partition(b"\n")[0] + b"\n"

    def _read_new(self) -> None:
        """Answers that others have appended; what they left half written is set aside, since they hold no lock."""
        self._check_place()
        size = os.fstat(self._file).st_size
        new = os.pread(self._file, size - self._offset, self._offset) if size > self._offset else b""
        if new and not new.endswith(b"\n") and not is_torn(new.rpartition(b"\n")[2]):
            self._write(b"\n")  # a whole answer that lacks its line break, as some editors leave it
            new += b"\n"
        *lines, torn = new.split(b"\n")
        for line in lines:
            self.answers.append(parse_answer(line, self.header, len(self.answers) + 2, self.path))
            self._offset += len(line) + 1
        if torn:
            self._set_aside(torn)

    def _check_place(self) -> None:
        ours = os.fstat(self._file)
        try:
            there = self.path.stat()
        except OSError:
            there = None
        if there is None or (there.st_dev, there.st_ino) != (ours.st_dev, ours.st_ino) or ours.st_size < self._offset:
            raise InvalidFileError(
                f"{self.path} must stay in its place while labels are made; it was removed, replaced or cut. The "
                "answers up to now were on disk there. Put it back and start again."
            )

    def _set_aside(self, torn: bytes) -> None:
        with _open_beside(self.path.with_name(f"{self.path.name}.torn")) as file:
            file.write(torn + b"\n")
        os.ftruncate(self._file, self._offset)
        os.fsync(self._file)
        self.n_set_aside += len(torn)

    def _write(self, line: bytes) -> None:
        """All of a line or nothing, and on disk."""
        before = os.fstat(self._file).st_size
        try:
            written = 0
            while written < len(line):
                written += os.write(self._file, line[written:])
            os.fsync(self._file)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._file, before)
            raise _unwritable(self.path, error) from error


def _open_beside(path: Path) -> BinaryIO:
    """A plain file of that name, to append to. The name is not the user's choice, so that a link of it is not followed.

    Whoever planted the link would else have what he left half written appended to a file of the user's.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        file = os.fdopen(os.open(path, flags, 0o644), "ab")
    except OSError as error:
        raise _not_plain(path) from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise _not_plain(path)
    return file


def _not_plain(path: Path) -> InvalidFileError:
    return InvalidFileError(
        f"{path} must be a plain file that can be written to, since a half-written line of the gold file is set aside "
        "there; it is a link, a folder or something else. Remove it and start again."
    )


def check_journal(path: Path) -> bool:
    """Refuse a file that is no gold file, which stays as it is; whether labeling has begun in it."""
    if path.suffix.lower() not in (".jsonl", ".ndjson"):
        raise InvalidFileError(
            f"{path} must end in .jsonl, since answers are appended to it one a line; call it {path.stem}.jsonl."
        )
    if path.is_dir() or not path.parent.is_dir():
        what = "it is a folder" if path.is_dir() else f"the folder {path.parent} does not exist"
        raise InvalidFileError(f"{path} must be a file that can be written to; {what}. Choose another place.")
    if not path.exists() or not path.stat().st_size:
        return False
    with path.open("rb") as file:
        first = file.readline(2**20)
    if not first.endswith(b"\n") and (first.startswith(_BEGINNING) or _BEGINNING.startswith(first)):
        return False  # a header that a kill left half written, before any answer
    if not is_gold_lines(path):
        raise InvalidFileError(
            f"{path} must be new, or a gold file that was begun here; there is another file of that name, which stays "
            "as it is. Choose another name."
        )
    return True


def _lock(file: int, *, on: bool) -> None:
    if sys.platform == "win32":
        return
    import fcntl  # noqa: PLC0415  # not on Windows

    with suppress(OSError):  # some network file systems have no locks; appending is all or nothing there too
        fcntl.flock(file, fcntl.LOCK_EX if on else fcntl.LOCK_UN)


def _keep_name(folder: Path) -> None:
    """A new name in a folder is on disk when the folder is."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _unwritable(path: Path, error: OSError) -> InvalidFileError:
    return InvalidFileError(f"{path} cannot be written: {error.strerror or error}. Make room, or choose another place.")

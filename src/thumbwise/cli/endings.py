"""Endings of commands: with a message and an exit code, never with a traceback for a user's mistake, and cleaned up."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

import typer

from thumbwise.cli.console import stderr, visible
from thumbwise.cli.wording import in_command_words
from thumbwise.exceptions import NoGuaranteeError, ThumbwiseError
from thumbwise.tables.whole_files import remove_own

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
# As a shell reports a process that its reader left alone.
_BROKEN_PIPE = 141
# Why the system does not take what is printed. Without memory, processes or sockets it says other things.
_OF_PRINTING = {errno.EBADF, errno.EIO, errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.ENXIO}
# Back to the start of the line, which is emptied, and the cursor is shown again.
_TIDY_LINE = b"\r\x1b[2K\x1b[?25h"


@contextmanager
def reported() -> Iterator[None]:
    """Errors on purpose become one message and an exit code; anything else is a bug and stays one.

    2 for a mistake, 3 for a guarantee that was required and is missing, 130 for an interrupt.
    """
    try:
        yield
    except ThumbwiseError as error:
        stderr().print(f"error: {visible(in_command_words(error))}")
        raise typer.Exit(3 if isinstance(error, NoGuaranteeError) else 2) from None
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno is None:
            raise
        _say_refused(error)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        stderr().print("interrupted")
        raise typer.Exit(130) from None


def _say_refused(error: OSError) -> None:
    """Which file the system refuses, and why; what has no name is what is printed, if printing can fail so."""
    what = "" if error.filename is None else visible(os.fsdecode(error.filename))
    if not what and error.errno in _OF_PRINTING:
        what = "standard output"
    refused = f"{what} cannot be read or written" if what else "the system refuses what this takes"
    with suppress(OSError):
        stderr().print(f"error: {refused}: {error.strerror}.")


def open_closed_streams() -> None:
    """Give a process that was started without standard streams some that go nowhere.

    Else the next file that is opened would take the place of one, and be written to by what is printed. What is
    printed to a standard output that is closed is refused by the system, and so said.
    """
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # the lowest number that is free
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115  # as long as the process
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115


def heed_signals() -> None:
    """From now on Ctrl-C, a request to end, and the end of the terminal clean up and end the process at once.

    No error is raised through what runs: DuckDB, whose threads go on while it is interrupted, crashes in about half of
    the tries. What is ignored, as under nohup, stays ignored.
    """
    for name in _SIGNALS:
        number = getattr(signal, name, None)  # not all are there on Windows
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _leave)


def _leave(number: int, _frame: FrameType | None) -> NoReturn:
    """Remove what is half-written, say so, and end: exit code 130 for Ctrl-C, 143 for a request to end."""
    _ignore_signals()
    remove_own()
    with suppress(OSError):
        os.write(2, (_TIDY_LINE if os.isatty(2) else b"") + b"interrupted\n")
    with suppress(Exception):  # what was printed before shall be seen; it may be in the middle of being printed
        sys.stdout.flush()
    os._exit(128 + number)


def _ignore_signals() -> None:
    for name in _SIGNALS:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)


def run_to_end(command: Callable[[], object]) -> NoReturn:
    """Run a command and end the process; if nobody reads what it prints any more, quietly."""
    try:
        command()
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):
            _end_unread()
        _flush()
        raise
    except BrokenPipeError:
        _end_unread()
    except OSError as error:  # of what typer prints itself
        if error.errno is None:
            raise
        _say_refused(error)
        _end_unread(2)
    _flush()
    sys.exit(0)


def _flush() -> None:
    """The last that is done: a signal while Python takes itself apart would kill it, though everything is there."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _end_unread()
    except OSError as error:
        _say_refused(error)
        _end_unread(2)
    _ignore_signals()


def _end_unread(code: int = _BROKEN_PIPE) -> NoReturn:
    """What is still to be printed goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            os.dup2(nowhere, stream.fileno())
    _ignore_signals()
    sys.exit(code)

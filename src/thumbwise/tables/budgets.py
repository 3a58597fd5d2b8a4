"""Bytes that one file may take in memory or unpacked, so that a small file that grows without end is a message.

The budget is one for all readers of tables: what gzip, zstd and Excel's zip unpack to, what standard input sends, what
another encoding is rewritten as, and what the columns of Parquet, CSV and JSON lines, the objects of JSON and the
arrays of MATLAB files take in memory. It is checked from what a format says of itself before anything is unpacked, and
counted while it is where a format says nothing.
"""

from __future__ import annotations

import os
import re

from thumbwise.exceptions import InvalidChoiceError, InvalidFileError

VARIABLE = "THUMBWISE_MAX_BYTES"
DEFAULT = 4 * 10**9
# What a text takes beside its letters: a Python string and a reference to it.
BYTES_PER_TEXT = 64
# What JSON takes in Python for each mark: a list, an object, a value and its place, half a text.
_BYTES_PER_MARK = {b"[": 106, b"{": 160, b",": 48, b'"': 36}
# Letters beyond 16 bits, as they are or escaped: a text that has one takes four bytes for each letter.
_WIDE = re.compile(rb"[\xf0-\xf4]|\\u[dD][89abAB]")
_UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def most_bytes() -> int:
    """The budget: that of the environment variable ``THUMBWISE_MAX_BYTES``, such as 8GB, or 4 GB.

    Examples
    --------
    >>> os.environ["THUMBWISE_MAX_BYTES"] = "1.5 GB"
    >>> most_bytes()
    1500000000
    >>> del os.environ["THUMBWISE_MAX_BYTES"]
    >>> most_bytes()
    4000000000
    """
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return DEFAULT
    parts = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,9})?)\s*([KMGT]?B)?", text, re.ASCII | re.IGNORECASE)
    n_bytes = 0 if parts is None else int(float(parts[1]) * _UNITS[(parts[2] or "B").upper()])
    if n_bytes <= 0:
        raise InvalidChoiceError(
            f"the environment variable {VARIABLE} must be a size such as 8GB or 500MB; found {text[:60]!r}."
        )
    return n_bytes


def check_bytes(path: object, n_bytes: float, what: str) -> None:
    """Refuse a file that takes more than the budget; ``what`` says how it takes it."""
    if n_bytes > most_bytes():
        raise too_large(path, f"{what} {in_words(n_bytes)}")


def check_json(path: object, content: bytes) -> None:
    """Refuse JSON whose objects would take more than the budget, before any is made: three bytes may stand for 80."""
    check_bytes(path, memory_of_json(content), "in memory its JSON may take")


def memory_of_json(content: bytes) -> int:
    """At most how many bytes JSON takes in memory: itself, as text, its texts, and the objects of Python.

    Examples
    --------
    >>> memory_of_json(b"[]"), memory_of_json(b'{"a": [1, 2]}')
    (112, 425)
    """
    is_narrow = content.isascii() and rb"\u" not in content  # most are, and a search takes ten times as long
    per_letter = 1 if is_narrow else 4 if _WIDE.search(content) else 2
    n_bytes = (1 + 2 * per_letter) * len(content)
    for mark, each in _BYTES_PER_MARK.items():
        n_bytes += each * content.count(mark)
    return n_bytes


def too_large(path: object, what: str) -> InvalidFileError:
    """The error for a file that takes more than the budget."""
    return InvalidFileError(
        f"{path} may take at most {in_words(most_bytes())}; {what}. If it is the file that you expect, raise the "
        f"environment variable {VARIABLE}, such as {VARIABLE}=16GB."
    )


def in_words(n_bytes: float) -> str:
    """A number of bytes as people say it.

    Examples
    --------
    >>> in_words(4 * 10**9), in_words(71_500), in_words(12)
    ('4.0 GB', '71.5 kB', '12 bytes')
    """
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= size:
            return f"{n_bytes / size:,.1f} {unit}"
    return f"{n_bytes:.0f} bytes"

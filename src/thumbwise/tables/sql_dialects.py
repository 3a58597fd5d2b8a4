r"""SQL of three databases: names, texts and numbers, written so that nothing in them is read as anything else.

What differs:

===========  ==============  ==================================  ====================  =========================
database     names           texts                               numbers are DOUBLE    names that it cannot take
===========  ==============  ==================================  ====================  =========================
DuckDB       ``"a""b"``      ``'a''b'``                          ``1.5e0``
PostgreSQL   ``"a""b"``      ``'a''b'``, ``E'a\\b'``             ``CAST('1.5' AS ...``  above 63 bytes: cut off
Spark        `` `a``b` ``    ``'a\'b'``, ``'\\'``, ``'\u0024'``  ``1.5D``              with ``${``: substituted
===========  ==============  ==================================  ====================  =========================

A backslash means itself in a PostgreSQL text only if a setting says so; behind E it is always an escape. Spark before
version 4 reads ``'a''b'`` as two texts put together, ``ab``; it replaces ``${...}`` even within quotes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from thumbwise.exceptions import InvalidChoiceError

_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


@dataclass(frozen=True)
class Dialect:
    """One database.

    Attributes
    ----------
    name : str
    quote : str
        Stands on both sides of a name, and twice within it for itself.
    fence : str
        Ends a subquery that must not be merged into the query around it. PostgreSQL copies what a subquery computes to
        every place that uses it, so that five steps of k expressions would become k^5.
    max_bytes : int
        Longest name; 0 if there is no limit.
    """

    name: str
    quote: str = '"'
    fence: str = ""
    max_bytes: int = 0

    def why_not(self, name: str) -> str:
        """Why a name cannot be written, empty if it can."""
        if not name:
            return "a name must not be empty"
        if self.max_bytes and len(name.encode(errors="replace")) > self.max_bytes:
            return f"{self.name} cuts names after {self.max_bytes} bytes"
        if self.name == "spark" and "${" in name:
            return "Spark substitutes ${...}, within names too"
        return _why_not_text(name)

    def write_name(self, name: str) -> str:
        """A name between quotes; one that must be there, such as that of a table."""
        reason = self.why_not(name)
        if reason:
            raise InvalidChoiceError(
                f"{reason}; found {_shorten(name)}. If it is the column of a rule, pass columns={{rule: column}} with "
                "the name that the table has; otherwise read from a view with other names."
            )
        return self.quote + name.replace(self.quote, 2 * self.quote) + self.quote

    def fold(self, name: str) -> str:
        """Equal for names that the database takes for the same."""
        if self.name == "spark":
            return name.lower()
        return name.translate(_ASCII_LOWER) if self.name == "duckdb" else name

    def write_value(self, value: Any) -> str:
        """A text, whole number, number or truth value as a constant."""
        if isinstance(value, str):
            return self._write_text(value)
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, int):
            return str(value)
        if isinstance(value, float) and value - value == 0:
            return self.write_float(value)
        raise InvalidChoiceError(
            f"a constant in SQL must be a text, a truth value or a finite number; found {value!r} of type "
            f"{type(value).__name__}."
        )

    def write_float(self, value: float) -> str:
        """A DOUBLE that reads back as the same one; plain 1.5 would be a DECIMAL."""
        shown = repr(float(value))
        if self.name == "postgresql":
            return f"CAST('{shown}' AS double precision)"
        if self.name == "spark":
            return f"{shown}D"
        return shown if "e" in shown else f"{shown}e0"

    def _write_text(self, text: str) -> str:
        reason = _why_not_text(text)
        if reason:
            raise InvalidChoiceError(f"{reason}; found {_shorten(text)}.")
        if self.name == "spark":
            escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("$", "\\u0024")
            return f"'{escaped}'"
        doubled = text.replace("'", "''")
        if self.name == "postgresql" and "\\" in text:
            doubled = doubled.replace("\\", "\\\\")
            return f"E'{doubled}'"
        return f"'{doubled}'"


DIALECTS = {
    "duckdb": Dialect("duckdb"),
    "postgresql": Dialect("postgresql", fence=" OFFSET 0", max_bytes=63),
    "spark": Dialect("spark", quote="`"),
}


def find_dialect(name: str) -> Dialect:
    """The dialect of that name."""
    if name not in DIALECTS:
        raise InvalidChoiceError(f"dialect must be one of {', '.join(map(repr, DIALECTS))}; found {name!r}.")
    return DIALECTS[name]


def name_outputs(wanted: Iterable[str], taken: Iterable[str], dialect: Dialect) -> list[str]:
    """Names for new columns: as wanted, or where that cannot be or is taken, cut and followed by ``#`` and position."""
    seen = {dialect.fold(name) for name in taken}
    names = []
    for position, name in enumerate(wanted):
        free = name
        if dialect.why_not(name) or dialect.fold(name) in seen:
            mark = f"#{position}"
            room = (dialect.max_bytes or 63) - len(mark)
            kept = name.encode(errors="replace")[:room].decode(errors="ignore")
            free = kept.replace("\0", "").replace("${", "$ {") + mark
        if dialect.fold(free) in seen:
            raise InvalidChoiceError(f"two columns of the answer would be called {_shorten(free)}. Rename the classes.")
        seen.add(dialect.fold(free))
        names.append(free)
    return names


def _why_not_text(text: str) -> str:
    if "\0" in text:
        return "SQL has no NUL character"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "SQL is written in UTF-8, which has no lone surrogates"
    return ""


def _shorten(name: str) -> str:
    return repr(name) if len(name) <= 80 else f"{name[:60]!r}... ({len(name)} characters)"

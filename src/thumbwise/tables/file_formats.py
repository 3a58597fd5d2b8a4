"""How a file is written, as far as a user says it: the rest is found out from the file, and noted."""

from __future__ import annotations

import codecs
from dataclasses import dataclass, replace

from thumbwise.exceptions import Argument, InvalidChoiceError

# What the kinds of tables are called where there is no ending that would say it.
KIND_ENDINGS = {"csv": ".csv", "tsv": ".tsv", "jsonl": ".jsonl", "parquet": ".parquet", "xlsx": ".xlsx"}
_SPELLED = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
# Encodings of Python that are none of texts in files, or that take a time that grows with the square of the text.
_NO_FILES = ("idna", "punycode", "undefined", "unicode_escape", "unicode-escape", "raw_unicode_escape", "mbcs", "oem")


@dataclass(frozen=True)
class FileFormat:
    r"""What a user says of a file of votes, or of another table.

    Attributes
    ----------
    delimiter : str or None
        What separates the fields of CSV: one character, or ``tab``.
    encoding : str or None
        Of text, by a name that Python knows: ``windows-1252``, ``utf-16``, ``shift_jis``, ...
    decimal : {",", "."} or None
        What stands before the fraction of a number in CSV.
    sheet : str or None
        Of a workbook.
    kind : {"csv", "tsv", "jsonl", "parquet", "xlsx"} or None
        What the file is, whatever its ending says; standard input has none.
    decides : bool
        Whether it overrules what the file shows. Otherwise, as for gold beside votes, it counts where the file does not
        show it: where two readings are equally good, where text is not UTF-8, where there is a sheet of this name.

    Examples
    --------
    >>> FileFormat(delimiter="tab").delimiter, FileFormat(encoding="Latin1").encoding
    ('\t', 'iso8859-1')
    """

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    sheet: str | None = None
    kind: str | None = None
    decides: bool = True

    def __post_init__(self) -> None:
        if self.delimiter is not None:
            object.__setattr__(self, "delimiter", _check_delimiter(self.delimiter))
        if self.encoding is not None:
            object.__setattr__(self, "encoding", _check_encoding(self.encoding))
        if self.decimal not in (None, ",", "."):
            raise InvalidChoiceError(f"decimal must be ',' or '.'; found {self.decimal!r}.")
        if self.kind is not None and self.kind not in KIND_ENDINGS:
            raise InvalidChoiceError(f"format must be one of {', '.join(KIND_ENDINGS)}; found {self.kind!r}.")

    @property
    def as_hint(self) -> FileFormat:
        """The same for another file, which may be written in another way."""
        return replace(self, kind=None, decides=False)


def _check_delimiter(given: str) -> str:
    delimiter = _SPELLED.get(given.lower(), given)
    if len(delimiter) != 1 or delimiter in "\"'\r\n\0\\" or (not delimiter.isprintable() and delimiter != "\t"):
        raise InvalidChoiceError(
            f"delimiter must be one character that separates fields, such as ';' or tab; found {given[:20]!r}."
        )
    return delimiter


def _check_encoding(given: str) -> str:
    try:
        known = codecs.lookup(given)
    except (LookupError, ValueError):
        known = None
    if known is None or not getattr(known, "_is_text_encoding", True) or known.name in _NO_FILES:
        raise InvalidChoiceError(
            f"encoding must be one that Python knows for text, such as utf-8, utf-16, windows-1252 or shift_jis; found "
            f"{given[:40]!r}.",
        )
    return known.name


def say_delimiter(delimiter: str) -> Argument:
    """The argument that settles on a delimiter."""
    return Argument("delimiter", '"tab"' if delimiter == "\t" else f'"{delimiter}"')


PLAIN = FileFormat()

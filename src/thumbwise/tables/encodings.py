"""Encodings of text: found by marks at its start and by which bytes occur, never chosen in silence.

Text without a mark is UTF-8 if its bytes are, which bytes of another encoding hardly ever are by chance. Otherwise it
is taken for Windows-1252, which European Excel writes and which holds all of Latin-1's letters, and a word of it is
shown. What cannot be Windows-1252, or would be words of nothing but accents, as Cyrillic is, must be said.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from pathlib import Path

from thumbwise.exceptions import Argument, InvalidFileError
from thumbwise.tables.file_formats import FileFormat

UTF_8 = "utf-8"
WESTERN = "windows-1252"
# Marks at the start, the longer first, as that of UTF-32 begins like that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# So many bytes are looked at.
LOOKED_AT = 2**26
_AT_ONCE = 2**20
_NO_WESTERN = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
# Letters, and signs that stand in no word; not quotes, dashes and the like.
_WORD = re.compile(rb"[A-Za-z\x82-\x84\x86-\x90\x98-\x9f\xc0-\xff]{3,}")
ZEROS = "it holds zero bytes, as binary files and UTF-16 without a mark at its start do"
_AROUND = re.compile(rb"[^\x00-\x20,;|\"]*[\x80-\xff][^\x00-\x20,;|\"]*")


def find_encoding(path: Path, shown: Path, form: FileFormat) -> tuple[str, str | None]:
    """The encoding of a text, and a note if it is not UTF-8.

    Parameters
    ----------
    path : Path
        An unpacked file.
    shown : Path
        What it is called in messages.
    form : FileFormat
    """
    if form.encoding is not None and form.decides:
        name = UTF_8 if form.encoding in ("utf-8", "utf-8-sig", "ascii") else form.encoding
        return name, None
    with path.open("rb") as file:
        start = file.read(4)
    marked = next((name for mark, name in _MARKS.items() if start.startswith(mark)), None)
    if marked is not None:
        return marked, f"{shown.name} is {marked.upper()}, as its first bytes say"
    strange = _first_strange(path)
    if strange is None:
        return UTF_8, None
    if form.encoding not in (None, "utf-8", "utf-8-sig", "ascii"):
        return str(form.encoding), f"{shown.name} is not UTF-8; it is read as {form.encoding}"
    return WESTERN, _note_western(shown, strange)


def _first_strange(path: Path) -> bytes | None:
    """A piece of the text around the first bytes that are no UTF-8; None if there are none in what is looked at."""
    decoder = codecs.getincrementaldecoder(UTF_8)()
    before = b""
    for piece in _pieces(path):
        try:
            decoder.decode(piece)
        except UnicodeDecodeError:
            return before[-_AT_ONCE:] + piece
        before = piece
    return None


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        for _ in range(LOOKED_AT // _AT_ONCE):
            piece = file.read(_AT_ONCE)
            if not piece:
                return
            yield piece


def _note_western(shown: Path, text: bytes) -> str:
    if b"\0" in text:
        raise unclear(shown, ZEROS)
    if _NO_WESTERN.search(text):
        raise unclear(shown, "bytes occur that Windows-1252 does not have")
    words = [word for word in _WORD.findall(text) if not word.isascii()]
    n_high = sum(byte >= 0x80 for word in words for byte in word)
    if 2 * n_high > sum(map(len, words)):
        raise unclear(shown, f"as Windows-1252 it would have words such as {words[0][:20].decode('cp1252')!r}")
    found = _AROUND.search(text)
    example = found[0][:40].decode("cp1252") if found else ""
    return f"{shown.name} is not UTF-8; it is read as Windows-1252, as Excel writes it, with texts such as {example!r}"


def unclear(shown: Path, why: str) -> InvalidFileError:
    """The error for text whose encoding must be said."""
    return InvalidFileError(
        f"the encoding of {shown} must be clear; it is not UTF-8, and {why}. Save it as UTF-8, or say which it is: ",
        Argument("encoding", '"windows-1251"'),
        " (Cyrillic), ",
        Argument("encoding", '"shift_jis"'),
        " (Japanese), ",
        Argument("encoding", '"gb18030"'),
        " (Chinese), ",
        Argument("encoding", '"utf-16-le"'),
        ", ...",
    )

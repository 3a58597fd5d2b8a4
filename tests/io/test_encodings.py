"""Encodings: found and said, or refused; never letters that nobody wrote without a word."""

from __future__ import annotations

from pathlib import Path

import pytest

import thumbwise as tw
from thumbwise.tables import encodings
from thumbwise.tables.file_formats import FileFormat
from thumbwise.tables.table_files import as_text, read_table

WORDS = ["Müller", "naïve", "señor", "plain", "garçon"]


def content(words: list[str]) -> str:
    return "id,word\n" + "".join(f"{j},{word}\n" for j, word in enumerate(words))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252", "latin-1"])
@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
def test_what_shows_itself(tmp_path: Path, encoding: str, ending: str) -> None:
    path = tmp_path / f"t{ending}"
    lines = "".join(f'{{"id": {j}, "word": "{word}"}}\n' for j, word in enumerate(WORDS))
    path.write_bytes((content(WORDS) if ending == ".csv" else lines).encode(encoding))
    table = read_table(path)
    assert as_text(table.columns["word"]) == WORDS
    assert bool(table.notes) == (not encoding.startswith("utf-8"))
    if encoding in ("cp1252", "latin-1"):
        assert "not UTF-8; it is read as Windows-1252, as Excel writes it, with texts such as" in table.notes[0]
        assert "Müller" in table.notes[0]


def test_signs_that_only_windows_has(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content(["5 €", "“so”"]).encode("cp1252"))
    assert as_text(read_table(path).columns["word"]) == ["5 €", "“so”"]


@pytest.mark.parametrize(
    ("words", "encoding"),
    [
        (["привет", "мир"], "windows-1251"),
        (["日本語のテキスト"], "shift_jis"),
        (["中文文本内容"], "gb18030"),
        (["\u03b3\u03b5\u03b9\u03ac"], "iso8859-7"),
        (["a\x81b"], "latin-1"),
    ],
)
def test_what_must_be_said(tmp_path: Path, words: list[str], encoding: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content(words).encode(encoding))
    with pytest.raises(tw.InvalidFileError, match=r"the encoding of .*t\.csv must be clear; it is not UTF-8"):
        read_table(path)
    table = read_table(path, form=FileFormat(encoding=encoding))
    assert (as_text(table.columns["word"]), table.notes) == (words, ())
    assert as_text(read_table(path, form=FileFormat(encoding=encoding).as_hint).columns["word"]) == words


def test_utf_16_without_a_mark(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content(WORDS).encode("utf-16-le"))
    with pytest.raises(tw.InvalidFileError, match=r'zero bytes.*encoding="utf-16-le"'):
        read_table(path)
    assert as_text(read_table(path, form=FileFormat(encoding="utf-16-le")).columns["word"]) == WORDS


def test_the_wrong_encoding_is_said_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"id,a\n" + b"x,1\n" * 3 + b"x,\xe9\n")
    with pytest.raises(tw.InvalidFileError, match="must be text in shift_jis; what stands near byte 19 is not"):
        read_table(path, form=FileFormat(encoding="shift_jis"))
    with pytest.raises(tw.InvalidFileError, match=r"cannot be read as such: .*utf-8"):
        read_table(path, form=FileFormat(encoding="utf-8"))


def test_bytes_far_behind_are_seen(tmp_path: Path) -> None:
    """Also where a letter of several bytes lies on the border of two pieces that are looked at."""
    path = tmp_path / "t.csv"
    start = b"id,word\n"
    filling = b"1,x\n" * ((encodings._AT_ONCE - len(start)) // 4 + 1)
    before = (start + filling)[: encodings._AT_ONCE - 1]
    path.write_bytes(before[: before.rindex(b"\n") + 1] + b"12,aaaaaa\n" + "2,ü\n".encode() * 3 + b"3,x\n")
    assert not read_table(path).notes
    path.write_bytes(start + filling * 2 + "2,Köln\n".encode("cp1252"))
    table = read_table(path)
    assert table.columns["word"][-1] == "Köln"
    assert "'Köln'" in table.notes[0]


@pytest.mark.parametrize("name", ["no such", "zip", "idna", "unicode_escape", "base64", "hex\0"])
def test_names_of_no_encoding(name: str) -> None:
    with pytest.raises(tw.InvalidChoiceError, match="encoding must be one that Python knows for text"):
        FileFormat(encoding=name)

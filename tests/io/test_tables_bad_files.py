"""A file that is not what it says is refused with a message that says what is wrong and where."""

from pathlib import Path

import numpy as np
import pytest

import thumbwise as tw
from thumbwise.tables.table_files import Table, check_table_file, read_table, write_table

PARQUET = b"PAR1\x15\x04\x15\x10\x00\x00\xff\xfe"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"", r"it is empty \(0 bytes\)"),
        ("t.csv", PARQUET, "its first bytes are those of a .parquet file"),
        ("t.csv", b"\x00\x01id,a\n", "it holds zero bytes, as binary files and UTF-16 without a mark"),
        ("t.csv", "id,a\nx,1\n".encode("utf-16-le"), "it holds zero bytes, as binary files and UTF-16 without a mark"),
        ("t.csv", b"id,a\nx,\x81\n", "not UTF-8, and bytes occur that Windows-1252 does not have"),
        ("t.csv", b"id,a\n" + b"x,1\n" * 50_000 + b"x,\x81\n", "not UTF-8, and bytes occur"),
        ("t.csv", b"id,a\nx,1,2\n", "Line: 2 .*Expected Number of Columns: 2 Found: 3"),
        ("t.csv", b'id,a\nx,"1\n', "Line: 2 .*unterminated quote"),
        ("t.csv", b"id,a,a,b,a\n1,2,3,4,5\n", r"found 'a' at columns \[1, 2, 4\] \(2 columns too many in all\)"),
        ("t.csv", b"\nid,a\n", "in the first line; that line is empty"),
        ("t.csv", b'"id,a\n', "in the first line; that line is no CSV"),
        ("t.parquet", b"", r"it is empty \(0 bytes\)"),
        ("t.parquet", b"id,a\nx,1\ny,0\nz,1\n", "must be a Parquet file, as its ending says; .*No magic bytes"),
        ("t.parquet", PARQUET, "must be a Parquet file, as its ending says"),
        ("t.jsonl", b"id,a\nx,1\n", "line 1 is no JSON .*: 'id,a'. Rename"),
        ("t.jsonl", b'{"a":1}\n{"a":\n{"a":2}\n', "line 2 is no JSON"),
        ("t.jsonl", b'{"a":1}\n[1]\n', "object 1 is"),
        ("t.jsonl", b'{"a":1,"a":2}\n', "found 'a' at columns"),
        ("t.jsonl", PARQUET, "its first bytes are those of a .parquet file"),
        (
            "t.xls",
            b"x",
            "must end in one of .csv, .tsv, .txt, .parquet, .jsonl, .ndjson, .xlsx, .*its ending is '.xls'",
        ),
        ("t.xlsx", b"x", "must be an Excel workbook; it cannot be read as such: File is not a zip file"),
        ("t", b"x", "its ending is none"),
        (
            "t.csv.gz",
            b"x",
            "must be packed by gzip, as its ending says; it is damaged, cut off or something else: Not",
        ),
        ("t.csv.zst", b"x", "must be packed by zstd, as its ending says"),
        ("t.gz", b"x", "its ending is '.gz'"),
        ("t.parquet.gz", b"x", "its ending is '.parquet.gz'"),
    ],
)
def test_message(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(tw.InvalidFileError, match=message) as caught:
        read_table(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(tw.InvalidFileError, match=r"there is no file .*votes.csv. Check its name"):
        read_table(tmp_path / "votes.csv")


def test_folder(tmp_path: Path) -> None:
    (tmp_path / "t.csv").mkdir()
    with pytest.raises(tw.InvalidFileError, match="it is a folder"):
        read_table(tmp_path / "t.csv")
    with pytest.raises(tw.InvalidFileError, match="it is a folder"):
        check_table_file(tmp_path / "t.csv")


def test_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(tw.InvalidFileError, match=r"the folder .*nowhere does not exist"):
        write_table(Table({"a": np.ma.array([1])}), tmp_path / "nowhere" / "t.csv")


def test_folder_that_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(tw.InvalidFileError, match="cannot be written: Permission denied"):
        check_table_file(tmp_path / "t.csv")


def test_checking_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_text("old")
    check_table_file(tmp_path / "new.csv")
    check_table_file(tmp_path / "old.csv", overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["old.csv"]
    assert (tmp_path / "old.csv").read_text() == "old"


def test_columns_without_names_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(tw.InvalidFileError, match="column 1 of 2 has none"):
        write_table(Table({"a": np.ma.array([1]), "": np.ma.array([1])}), tmp_path / "t.csv")
    assert list(tmp_path.iterdir()) == []

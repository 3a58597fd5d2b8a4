"""A file that is replaced or written to while it is read is refused, and what is read is one file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import thumbwise as tw
from thumbwise.tables import delimited
from thumbwise.tables import table_files as tables
from thumbwise.tables.dialects import Dialect
from thumbwise.tables.stamps import check_unchanged, stamp_all, unchanged


def replace(path: Path, text: str) -> None:
    new = path.with_name("new")
    new.write_text(text)
    new.replace(path)


@pytest.mark.parametrize("is_replaced", [True, False])
def test_columns_are_not_exchanged_between_header_and_body(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_replaced: bool
) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("id,a,b\n1,0,1\n")
    read_header = delimited.read_header

    def change_after(place: Path, dialect: Dialect) -> Any:
        header = read_header(place, dialect)
        if is_replaced:
            replace(path, "id,b,a\n1,1,0\n")
        else:
            path.write_text("id,b,a\n1,1,0\n2,1,0\n")
        return header

    monkeypatch.setattr(delimited, "read_header", change_after)
    with pytest.raises(tw.InvalidFileError, match=r"votes\.csv was replaced or written to meanwhile"):
        tables.read_table(path)


@pytest.mark.parametrize("what", ["another file", "more bytes", "another time"])
def test_each_part_of_the_stamp_counts(tmp_path: Path, what: str) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("id,a\n1,0\n")
    seen = path.stat()

    def change() -> None:
        if what == "another file":
            replace(path, "id,a\n1,1\n")
        elif what == "more bytes":
            path.write_text("id,a\n1,10\n")
        later = 10**9 if what == "another time" else 0
        os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns + later))

    with pytest.raises(tw.InvalidFileError, match="meanwhile"), unchanged(path):
        change()


def test_a_file_that_goes_away_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("id,a\n1,0\n")
    with pytest.raises(tw.InvalidFileError, match="meanwhile"), unchanged(path):
        path.unlink()
        raise tw.InvalidFileError("there is no file")
    with pytest.raises(tw.InvalidFileError, match="meanwhile"), unchanged(path):
        pass


def test_other_errors_stay_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("id,a\n1,0\n")
    with pytest.raises(tw.InvalidFileError, match="of its own"), unchanged(path):
        raise tw.InvalidFileError("an error of its own")


def test_files_that_stay_in_their_place_are_compared_too(tmp_path: Path) -> None:
    paths = [tmp_path / f"{i}.parquet" for i in range(3)]
    for path in paths:
        path.write_text("votes")
    stamps = stamp_all([str(path) for path in paths])
    check_unchanged(stamps)
    replace(paths[1], "votes")
    with pytest.raises(tw.InvalidFileError, match=r"1\.parquet was replaced or written to meanwhile\. Run"):
        check_unchanged(stamps)
    paths[2].unlink()
    with pytest.raises(tw.InvalidFileError, match=r"\(2 such files\)"):
        check_unchanged(stamps)

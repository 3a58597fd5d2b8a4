"""A path names one file, whatever characters it is made of."""

from pathlib import Path

import numpy as np
import pytest

from thumbwise.tables.table_files import Table, read_table, write_table

NAMES = [
    "it's",
    "star*",
    "quest?",
    "[ab]",
    "{a,b}",
    "x'); DROP TABLE texts; --",
    "$1 ? %s",
    "s3:",
    "sp ace",
    "😀",
    "back\\slash",
    "new\nline",
    "~",
]


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl"])
@pytest.mark.parametrize("name", NAMES)
def test_literal(tmp_path: Path, name: str, ending: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    decoys = [folder / f"{decoy}{ending}" for decoy in ("its", "starry", "quests", "a", "b")]
    for decoy in decoys:
        decoy.write_text("decoy")
    path = folder / f"{name}{ending}"
    write_table(Table({"a": np.ma.array([1, 2])}), path)
    assert read_table(path).columns["a"].tolist() == [1, 2]
    assert sorted(folder.iterdir()) == sorted([path, *decoys])
    assert {decoy.read_text() for decoy in decoys} == {"decoy"}


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl"])
def test_a_wildcard_that_fits_other_files_is_no_file(tmp_path: Path, ending: str) -> None:
    write_table(Table({"a": np.ma.array([1])}), tmp_path / f"votes1{ending}")
    with pytest.raises(ValueError, match="there is no file"):
        read_table(tmp_path / f"votes*{ending}")


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl"])
def test_a_folder_that_looks_like_a_partition_adds_no_column(tmp_path: Path, ending: str) -> None:
    (tmp_path / "split=train").mkdir()
    write_table(Table({"a": np.ma.array([1])}), tmp_path / "split=train" / f"t{ending}")
    assert read_table(tmp_path / "split=train" / f"t{ending}").names == ("a",)


def test_relative_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_table(Table({"a": np.ma.array([1])}), "t.csv")
    assert read_table("t.csv").columns["a"].tolist() == [1]


def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    write_table(Table({"a": np.ma.array([1])}), tmp_path / "link.csv", overwrite=True)
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == "a\n1\n"


def test_upper_case_endings(tmp_path: Path) -> None:
    write_table(Table({"a": np.ma.array([1])}), tmp_path / "T.CSV")
    assert read_table(tmp_path / "T.CSV").columns["a"].tolist() == [1]

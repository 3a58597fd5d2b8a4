"""An output is no input, lies in none, holds none and is found by none of their wildcards; anything else is allowed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import thumbwise as tw
from thumbwise.tables.collisions import check_apart


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("flat/p0.parquet", "flat/p1.parquet", "data/2023/a.parquet", "data/2024/b.parquet", "gold.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    os.link(tmp_path / "flat/p0.parquet", tmp_path / "hard.parquet")
    (tmp_path / "soft.parquet").symlink_to(tmp_path / "flat/p0.parquet")
    (tmp_path / "elsewhere").symlink_to(tmp_path / "flat")
    (tmp_path / "flat/far.parquet").symlink_to(tmp_path / "far.parquet")
    (tmp_path / "far.parquet").write_text("far")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("flat/*.parquet", "flat/p0.parquet"),
        ("flat/*.parquet", "hard.parquet"),
        ("flat/*.parquet", "soft.parquet"),
        ("flat/*.parquet", "far.parquet"),
        ("flat/*.parquet", "elsewhere/p1.parquet"),
        ("elsewhere/*.parquet", "flat/new.parquet"),
        ("flat/*.parquet", "flat/new.parquet"),
        ("flat/p[0-9].parquet", "flat/p7.parquet"),
        ("**/*.parquet", "new.parquet"),
        ("flat", "flat/p0.parquet"),
        ("flat", "flat/new.csv"),
        ("flat", "flat/deep/new.csv"),
        ("flat", "hard.parquet"),
        ("gold.csv", "gold.csv"),
        ("gold.csv", "./data/../gold.csv"),
    ],
)
def test_files_that_touch_an_input(home: Path, source: str, output: str) -> None:
    with pytest.raises(tw.InvalidFileError, match="the output must not be one of the inputs"):
        check_apart(Path(output).resolve(), [None, source], shown=output)


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("data/*/*.parquet", "data/2024"),
        ("data/*/*.parquet", "data/new"),
        ("data/*/*.parquet", "data"),
        ("data/**/*.parquet", "data/new/deeper"),
        ("flat/*.parquet", "flat"),
        ("flat/*.parquet", "."),
        ("flat", "flat"),
        ("flat", "flat/labels"),
        ("gold.csv", "."),
        ("elsewhere/p0.parquet", "flat"),
    ],
)
def test_folders_that_touch_an_input(home: Path, source: str, output: str) -> None:
    with pytest.raises(tw.InvalidFileError, match="the output must not be one of the inputs"):
        check_apart(Path(output).resolve(), [source], shown=output, is_folder=True)


@pytest.mark.parametrize(
    ("source", "output", "is_folder"),
    [
        ("flat/*.parquet", "labels.parquet", False),
        ("flat/*.parquet", "flat/labels.csv", False),
        ("flat/p?.parquet", "flat/labels.parquet", False),
        ("flat/*.parquet", "flat/labels", True),
        ("flat/*.parquet", "labels", True),
        ("data/*/*.parquet", "data/labels.parquet", False),
        ("flat", "labels", True),
        ("gold.csv", "labels.csv", False),
    ],
)
def test_what_lies_apart_is_allowed(home: Path, source: str, output: str, is_folder: bool) -> None:
    check_apart(Path(output).resolve(), [source, None], shown=output, is_folder=is_folder)

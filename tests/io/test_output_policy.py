"""One policy for every writer: what was written before is replaced, anything else only if that is asked for."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import duckdb
import numpy as np
import pytest

import thumbwise as tw
from thumbwise.datasets.demo import load_demo
from thumbwise.datasets.examples import write_demo
from thumbwise.tables.label_tables import is_label_table
from thumbwise.tables.marks import find_foreign, new_mark
from thumbwise.tables.outputs import MODEL, REPORT, TABLE, check_file, check_folder

Write: TypeAlias = Callable[..., object]

VOTES = tw.Votes([[0, 0], [1, 1], [1, 0]], rule_names=["a", "b"], class_names=["ham", "spam"])


def reading() -> tw.Reading:
    import pandas as pd

    return tw.read_votes(pd.DataFrame({"id": [1, 2, 3], "a": [0, 1, 1], "b": [0, 1, 0]}))


def write_labels(path: Path, shape: str, **options: bool) -> object:
    read = reading()
    return tw.write_labels(read, tw.MajorityVote().fit(read.votes), path, shape=shape, **options)  # type: ignore[arg-type]


def write_report(path: Path, overwrite: bool = False) -> object:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=200)
    votes = tw.Votes(np.where(rng.random((200, 3)) < 0.8, truth[:, None], 1 - truth[:, None]))
    return tw.write_report(votes, path, y=np.where(np.arange(200) < 80, truth, -1), overwrite=overwrite)


# Outputs that nobody makes by hand.
RECOGNISED: dict[str, Write] = {
    **{
        f"{shape}{ending}": lambda path, shape=shape, **options: write_labels(path, shape, **options)
        for shape, ending in [("table", ".csv"), ("crowd-kit", ".csv"), ("snorkel", ".tsv"), ("table", ".parquet"),
                              ("table", ".jsonl"), ("snorkel", ".parquet")]
    },
    "model.json": lambda path, **options: tw.DawidSkene().fit(VOTES).save(path, **options),
    "report.html": write_report,
}  # fmt: skip
# What people make by hand too.
BY_HAND: dict[str, Write] = {
    "votes.csv": lambda path, **options: tw.write_votes(VOTES, path, **options),
    "long.parquet": lambda path, **options: tw.write_votes(VOTES, path, layout="long", **options),
    "jury.jsonl": lambda path, **options: tw.write_jury(
        tw.read_jury({"item": [1, 1], "judge": ["m", "n"], "verdict": ["yes", "no"]}), path, **options
    ),
    "gold.csv": lambda path, **options: write_demo(load_demo(), path.parent, **options),
}
EVERY = {**RECOGNISED, **BY_HAND}
HAND_MADE = "id,label\n7,spam\n"


@pytest.mark.parametrize("name", EVERY)
def test_a_file_that_is_something_else_is_not_replaced(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(HAND_MADE)
    with pytest.raises(tw.InvalidFileError, match=r"another file of that name.*pass overwrite=True"):
        EVERY[name](path)
    assert path.read_text() == HAND_MADE
    assert list(tmp_path.iterdir()) == [path]
    EVERY[name](path, overwrite=True)
    assert HAND_MADE not in path.read_bytes().decode(errors="replace")


@pytest.mark.parametrize("name", RECOGNISED)
def test_an_earlier_output_is_replaced(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    RECOGNISED[name](path)
    number = path.stat().st_ino
    RECOGNISED[name](path)
    assert path.stat().st_ino != number
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", BY_HAND)
def test_what_people_make_by_hand_is_never_replaced_unasked(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    BY_HAND[name](path)
    before = path.read_bytes()
    with pytest.raises(tw.InvalidFileError, match="must not exist yet"):
        BY_HAND[name](path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", EVERY)
def test_an_empty_file_holds_nothing_to_lose(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.touch()
    EVERY[name](path)
    assert path.stat().st_size > 0


@pytest.mark.parametrize("name", EVERY)
def test_what_is_no_plain_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A socket stands for devices too, which a test must not risk."""
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as place:
        place.bind(name)
        with pytest.raises(tw.InvalidFileError, match="a device or a pipe"):
            EVERY[name](tmp_path / name, overwrite=True)
        assert (tmp_path / name).is_socket()


@pytest.mark.parametrize("name", EVERY)
def test_a_file_that_is_write_protected_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A rename would replace it all the same."""
    path = tmp_path / name
    path.touch(mode=0o444)
    if os.geteuid() == 0:  # whom nothing is denied
        open_file = Path.open

        def deny(self: Path, mode: str = "r", *given: Any, **options: Any) -> Any:
            if self == path and mode == "ab":
                raise PermissionError(13, "Permission denied")
            return open_file(self, mode, *given, **options)

        monkeypatch.setattr(Path, "open", deny)
    with pytest.raises(tw.InvalidFileError, match="cannot be written: Permission denied"):
        EVERY[name](path, overwrite=True)
    assert path.stat().st_size == 0


def test_a_folder_and_an_input_are_said_to_be_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "votes.csv").touch()
    with pytest.raises(tw.InvalidFileError, match="must be a file to write to; it is a folder"):
        check_file(tmp_path, TABLE, overwrite=True)
    with pytest.raises(tw.InvalidFileError, match="must not be one of the inputs"):
        check_file(tmp_path / "votes.csv", TABLE, inputs=[tmp_path / "votes.csv"], overwrite=True)


def test_what_only_looks_like_an_output_is_not_replaced(tmp_path: Path) -> None:
    """Any page, and a file that tells of a model further down."""
    (tmp_path / "page.html").write_text("<html><title>mine</title></html>")
    (tmp_path / "notes.json").write_text('{"mine": {"format": "thumbwise model"}}')
    for name, kind in (("page.html", REPORT), ("notes.json", MODEL)):
        with pytest.raises(tw.InvalidFileError, match="another file of that name"):
            check_file(tmp_path / name, kind)


def test_the_kinds_do_not_replace_each_other(tmp_path: Path) -> None:
    RECOGNISED["report.html"](tmp_path / "a.html")
    with pytest.raises(tw.InvalidFileError, match="a model that was written before"):
        RECOGNISED["model.json"](tmp_path / "a.html")


def test_the_demo_is_written_as_a_pair_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text(HAND_MADE)
    with pytest.raises(tw.InvalidFileError, match=r"gold\.csv must not exist yet"):
        write_demo(load_demo(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["gold.csv"]


def test_folders_that_were_made_for_nothing_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("thumbwise.datasets.examples.write_table", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_demo(load_demo(), tmp_path / "new" / "er")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("names", "is_ours"),
    [
        ("id label p_a p_b margin entropy n_votes", True),
        ("mail label p_a p_b p_c margin entropy n_votes text margin", True),
        ("task agg_label ham spam", True),
        ("id pred prob_0 prob_1", True),
        ("id label p_a margin entropy n_votes", False),
        ("id label p_a p_b margin entropy", False),
        ("id label p_a p_b entropy margin n_votes", False),
        ("id gold p_a p_b margin entropy n_votes", False),
        ("task agg_label ham", False),
        ("id agg_label ham spam", False),
        ("id pred prob_1 prob_0", False),
        ("id pred", False),
        ("id label", False),
        ("label", False),
        ("", False),
    ],
)
def test_labels_are_known_by_their_columns(names: str, is_ours: bool) -> None:
    assert is_label_table(names.split()) == is_ours


def test_the_columns_that_are_written_are_those_that_are_recognised() -> None:
    read = reading()
    for shape in ("table", "crowd-kit", "snorkel"):
        frame = tw.labels_frame(read, tw.MajorityVote().fit(read.votes), shape=shape)
        assert is_label_table(list(frame.columns))


def copy(query: str, place: Path, options: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{place}' (FORMAT parquet, {options})")


def test_a_folder_is_replaced_only_if_marks_prove_all_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "labels"
    folder.mkdir()
    assert check_folder(folder) == folder
    mark = new_mark()
    for name in ("data_0.parquet", "data_1.parquet"):
        copy("SELECT 1 AS a", folder / name, mark)
    assert find_foreign(folder) == []
    assert check_folder(folder) == folder
    copy("SELECT 2 AS a", folder / "data_1.parquet", new_mark())
    assert find_foreign(folder) == ["data_1.parquet"]
    with pytest.raises(tw.InvalidFileError, match=r"'data_1.parquet', which is something else \(1 such files\)"):
        check_folder(folder)


@pytest.mark.parametrize("kind", ["a link", "a folder", "damaged", "no table", "without a mark", "edited with pyarrow"])
def test_what_was_not_written_here_is_foreign(tmp_path: Path, kind: str) -> None:
    copy("SELECT 1 AS a", tmp_path / "data_0.parquet", new_mark())
    other = tmp_path / "other.parquet"
    if kind == "a link":
        other.symlink_to(tmp_path / "data_0.parquet")
    elif kind == "a folder":
        other.mkdir()
    elif kind == "damaged":
        other.write_bytes((tmp_path / "data_0.parquet").read_bytes()[:-20])
    elif kind == "no table":
        other = tmp_path / "other.txt"
        other.write_bytes((tmp_path / "data_0.parquet").read_bytes())
    elif kind == "without a mark":
        copy("SELECT 1 AS a", other, "COMPRESSION zstd")
    else:  # which copies the marks of what it read
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(parquet.read_table(tmp_path / "data_0.parquet"), other)
        assert b"thumbwise_folder" in parquet.read_schema(other).metadata
    assert find_foreign(tmp_path) == [other.name]

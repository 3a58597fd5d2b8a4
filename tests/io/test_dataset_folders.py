"""Folders of Hugging Face datasets, written as the library writes them: rows, names of classes, splits, and damage.

Kills, tried once: numbers in place of names; a negative number as the last name; rows of the second file left out;
a file name that leaves the folder; bytes read as text.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import thumbwise as tw
from errors.messages import assert_says, message_of
from thumbwise.tables import arrow_rows
from thumbwise.tables.arrow_rows import _by_database, as_columns
from thumbwise.tables.coded import Coded
from thumbwise.tables.dataset_folders import is_dataset, read_dataset

CLASSES = {"names": ["neg", "pos"], "_type": "ClassLabel"}
FEATURES: dict[str, Any] = {
    "id": {"dtype": "string", "_type": "Value"},
    "text": {"dtype": "string", "_type": "Value"},
    "m1": CLASSES,
    "m2": CLASSES,
    "label": CLASSES,
}
ROWS: dict[str, list[Any]] = {
    "id": ["a", "b", "c", "d"],
    "text": ["one", "two", None, "four"],
    "m1": [0, 1, 1, 0],
    "m2": [1, None, 0, -1],
    "label": [0, -1, 1, None],
}


def table(rows: dict[str, list[Any]] = ROWS, features: Any = FEATURES) -> pa.Table:
    """Rows with the metadata that the library puts into its files."""
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    return pa.table(rows).replace_schema_metadata(metadata)


def saved(folder: Path, *parts: pa.Table, features: Any = FEATURES, is_file: bool = False, **state: Any) -> Path:
    """A folder as ``save_to_disk`` writes it."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = parts or (table(),)
    names = [f"data-{i:05}-of-{len(parts):05}.arrow" for i in range(len(parts))]
    for name, part in zip(names, parts, strict=True):
        make = pa.ipc.new_file if is_file else pa.ipc.new_stream
        with pa.OSFile(str(folder / name), "wb") as sink, make(sink, part.schema) as writer:
            writer.write_table(part, max_chunksize=3)
    about = {"_data_files": [{"filename": name} for name in names], "_fingerprint": "19190bf8dba5d054", "_split": None}
    (folder / "state.json").write_text(json.dumps({**about, **state}))
    info = {"citation": "", "description": "", "features": features, "homepage": "", "license": ""}
    (folder / "dataset_info.json").write_text(json.dumps(info))
    return folder


def hub(folder: Path, *names: str) -> Path:
    (folder / "data").mkdir(parents=True)
    for name in names:
        pq.write_table(table(), folder / "data" / name)
    return folder


@pytest.mark.parametrize("is_file", [False, True])
def test_rows_come_with_the_names_of_their_classes(tmp_path: Path, is_file: bool) -> None:
    folder = saved(tmp_path / "d", is_file=is_file)
    assert is_dataset(folder)
    columns = read_dataset(folder)[0].columns
    assert {name: column.tolist() for name, column in columns.items()} == {
        "id": ["a", "b", "c", "d"],
        "text": ["one", "two", None, "four"],
        "m1": ["neg", "pos", "pos", "neg"],
        "m2": ["pos", None, "neg", None],
        "label": ["neg", None, "pos", None],
    }


def test_a_dataset_is_votes_and_a_split_beside_it_gold(tmp_path: Path) -> None:
    reading = tw.read_votes(saved(tmp_path / "d"), gold_column="label", ignore=["text"])
    assert reading.votes.class_names == ("neg", "pos")
    assert reading.votes.array.tolist() == [[0, 1], [1, -1], [1, 0], [0, -1]]
    assert reading.gold.tolist() == [0, -1, 1, -1]
    assert reading.notes[0] == "taken for a dataset of Hugging Face"
    gold = saved(tmp_path / "gold", table({"id": ["b"], "label": [1]}))
    other = tw.read_votes(saved(tmp_path / "d"), gold=gold, ignore=["text", "label"])
    assert other.gold.tolist() == [-1, 1, -1, -1]
    named = tw.read_votes(saved(tmp_path / "d"), layout="datasets", gold_column="label", ignore=["text"])
    assert (named.votes.array == reading.votes.array).all()


def test_a_row_per_vote_is_a_row_per_vote_here_too(tmp_path: Path) -> None:
    long: dict[str, list[Any]] = {"item": ["a", "a", "b", "b"], "worker": ["x", "y", "x", "y"], "label": [0, 1, 1, 1]}
    reading = tw.read_votes(saved(tmp_path / "d", table(long)), layout="long")
    assert reading.votes.array.tolist() == [[0, 1], [1, 1]]


def test_all_files_are_read_in_their_order(tmp_path: Path) -> None:
    parts = [table({name: column[i : i + 1] for name, column in ROWS.items() if name != "text"}) for i in (2, 0, 1)]
    schema = table({name: column for name, column in ROWS.items() if name != "text"}).schema
    folder = saved(tmp_path / "d", *(part.cast(schema) for part in parts))
    assert read_dataset(folder)[0].columns["id"].tolist() == ["c", "a", "b"]


def test_one_split_of_several_is_named_by_its_path(tmp_path: Path) -> None:
    for split in ("train", "test"):
        saved(tmp_path / "dd" / split)
    (tmp_path / "dd" / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    said = message_of(tw.InvalidFileError, lambda: tw.read_votes(tmp_path / "dd"))
    assert_says(said, "holds 'train', 'test'", str(tmp_path / "dd" / "train"))
    assert read_dataset(tmp_path / "dd" / "test")[0].n_rows == 4
    (tmp_path / "dd" / "dataset_dict.json").write_text('{"splits": ["train"]}')
    assert read_dataset(tmp_path / "dd")[0].n_rows == 4


def test_parquet_files_as_on_the_hub(tmp_path: Path) -> None:
    folder = hub(tmp_path / "one", "train-00000-of-00002.parquet", "train-00001-of-00002.parquet")
    assert is_dataset(folder)
    columns = read_dataset(folder)[0].columns
    assert columns["m1"].tolist() == ["neg", "pos", "pos", "neg"] * 2
    two = hub(tmp_path / "two", "train-00000-of-00001.parquet", "test-00000-of-00001-0a1b.parquet")
    assert_says(message_of(tw.InvalidFileError, lambda: read_dataset(two)), "'test', 'train'", "test-*.parquet'")


def test_a_plain_folder_of_parquet_files_still_stays_where_it_is(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": ["a", "b"], "x": [0, 1], "y": [1, 1]}), tmp_path / "part.parquet")
    assert not is_dataset(tmp_path)
    assert isinstance(tw.read_votes(tmp_path).votes, tw.LazyVotes)


def test_bytes_are_left_out_and_lists_are_json(tmp_path: Path) -> None:
    rows = {**ROWS, "image": [{"bytes": b"x", "path": "p"}] * 4, "raw": [b"y"] * 4, "tags": [["a"], [], None, ["b"]]}
    read, notes = read_dataset(saved(tmp_path / "d", table(rows)))
    assert "image" not in read.names
    assert "raw" not in read.names
    assert read.columns["tags"].tolist() == ['["a"]', "[]", None, '["b"]']
    assert any("'image', 'raw'" in note for note in notes)


def test_without_pyarrow_the_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = saved(tmp_path / "d")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    said = message_of(tw.MissingPackageError, lambda: tw.read_votes(folder))
    assert_says(said, "pyarrow, which is not installed", "pip install 'thumbwise[arrow]'")


def test_rows_beyond_the_limit_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = saved(tmp_path / "d"), hub(tmp_path / "h", "train-00000-of-00001.parquet")
    monkeypatch.setattr(arrow_rows, "LARGEST", 40)
    for folder in folders:
        assert_says(message_of(tw.InvalidFileError, partial(read_dataset, folder)), "at most 40 bytes")


def rewrite(folder: Path, name: str, content: Any) -> Path:
    (folder / name).write_text(content if isinstance(content, str) else json.dumps(content))
    return folder


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("state.json", "{", "must be JSON"),
        ("state.json", [], "a JSON object; found list"),
        ("state.json", {}, "must list '_data_files'"),
        ("state.json", {"_data_files": []}, "found []"),
        ("state.json", {"_data_files": [{"filename": "../secret.arrow"}]}, "found ['../secret.arrow']"),
        ("state.json", {"_data_files": [{"filename": "/etc/passwd"}]}, "files beside it"),
        ("state.json", {"_data_files": [{"filename": "none.arrow"}]}, "none.arrow cannot be opened"),
        ("state.json", {"_data_files": [7]}, "found [7]"),
        ("state.json", {"_data_files": 7}, "found 7"),
        ("state.json", {"_data_files": [{"filename": "\ud800"}]}, "cannot be opened"),
        ("state.json", {"_data_files": [1], "_indices_data_files": [{"filename": "i.arrow"}]}, "flatten_indices()"),
        ("dataset_info.json", {"features": {"m1": {"_type": "ClassLabel"}}}, "'m1'"),
        (
            "dataset_info.json",
            {"features": {"m1": {"_type": "ClassLabel", "names": ["neg"]}}},
            "found 1 at row 1 (2 such",
        ),
        ("dataset_dict.json", {"splits": ["../d"]}, "names of folders beside it"),
        ("dataset_dict.json", {"splits": []}, "names of folders beside it"),
        ("data-00000-of-00001.arrow", "version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "git lfs pull"),
        ("data-00000-of-00001.arrow", "", "cannot be read as Arrow"),
        ("data-00000-of-00001.arrow", "some text", "cannot be read as Arrow"),
    ],
)
def test_damage_is_named(tmp_path: Path, name: str, content: Any, words: str) -> None:
    folder = rewrite(saved(tmp_path / "d"), name, content)
    assert_says(message_of(tw.InvalidFileError, lambda: read_dataset(folder)), words)


def test_files_that_were_cut_or_left_behind_are_refused(tmp_path: Path) -> None:
    folder = saved(tmp_path / "d")
    arrow = folder / "data-00000-of-00001.arrow"
    arrow.write_bytes(arrow.read_bytes()[:-200])
    assert_says(message_of(tw.InvalidFileError, lambda: read_dataset(folder)), "cannot be read as Arrow")
    (folder / "state.json").unlink()
    assert_says(message_of(tw.InvalidFileError, lambda: read_dataset(folder)), "must hold state.json", "cache")
    assert_says(message_of(tw.InvalidFileError, lambda: read_dataset(tmp_path)), "it holds none of them")


def test_offsets_that_point_elsewhere_are_not_followed(tmp_path: Path) -> None:
    folder = saved(tmp_path / "d", table({"id": ["aaaa", "bbbb", "cccc"]}))
    arrow = folder / "data-00000-of-00001.arrow"
    content = bytearray(arrow.read_bytes())
    at = content.index(np.array([0, 4, 8, 12], dtype="<i4").tobytes())
    content[at + 4 : at + 8] = np.array([2**30], dtype="<i4").tobytes()  # within, so that only a full look finds it
    arrow.write_bytes(bytes(content))
    assert_says(message_of(tw.InvalidFileError, lambda: read_dataset(folder)), "cannot be read as Arrow")


def test_names_of_columns_that_are_no_text_are_refused(tmp_path: Path) -> None:
    folder = saved(tmp_path / "d", table({"abcde": ["x", "y"]}))
    arrow = folder / "data-00000-of-00001.arrow"
    arrow.write_bytes(arrow.read_bytes().replace(b"abcde", b"ab\xa4de"))
    assert_says(message_of(tw.InvalidFileError, lambda: read_dataset(folder)), "cannot be read as Arrow")


def test_columns_are_those_that_the_database_makes_of_the_same_rows(tmp_path: Path) -> None:
    """Plain types are taken as PyArrow has them; with and without missing values, in several pieces."""
    rng = np.random.default_rng(0)
    n = 50
    whole = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
    made: dict[str, Any] = {name: pa.array(rng.integers(0, 99, n), name) for name in whole}
    made |= {name: pa.array(rng.normal(size=n), name) for name in ("float32", "float64")}
    made |= {"bool": pa.array(rng.random(n) < 0.5), "string": pa.array([f"t{i} \u00fc" for i in range(n)])}
    made |= {"large_string": pa.array([f"\U0001f600{i}" for i in range(n)], "large_string")}
    gaps = pa.array(rng.random(n) < 0.3)
    made |= {f"{name}_gaps": pc.if_else(gaps, None, column) for name, column in made.items()}
    rows = pa.concat_tables([pa.table(made).slice(0, 20), pa.table(made).slice(20)])
    columns, _ = as_columns(tmp_path, rows)
    expected = _by_database(tmp_path, rows)
    assert list(columns) == list(expected) == list(made)
    for name, column in columns.items():
        assert column.dtype == expected[name].dtype, name
        assert column.tolist() == expected[name].tolist() == made[name].to_pylist()


def test_classes_of_one_name_are_one_class(tmp_path: Path) -> None:
    features = {"m1": {"names": ["neg", "pos", "neg"], "_type": "ClassLabel"}}
    folder = saved(tmp_path / "d", table({"id": ["a", "b", "c", "d"], "m1": [2, 1, -2, 0]}), features=features)
    column = read_dataset(folder)[0].coded("m1")
    assert isinstance(column, Coded)
    assert (column.values.tolist(), column.index.tolist()) == (["neg", "pos"], [0, 1, -1, 0])

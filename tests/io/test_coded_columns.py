"""Texts that repeat are coded by the database; what is read is the same as row by row."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest

import thumbwise as tw
from thumbwise.tables import coded
from thumbwise.tables.coded import Coded, _telling_bits, code_texts, find_places, in_order_of_appearance
from thumbwise.tables.table_files import Table, read_table, write_table

N_ROWS = 400
# Short and long, with zeros inside, alike but for case or a space, and not ASCII.
TEXTS = ["a", "A", "a ", "", "a\0b", "ü" * 20, "a" * 300, "naïve", "\N{SLIGHTLY SMILING FACE}"]


@pytest.fixture
def codes_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coded, "FEWEST_ROWS", 1)


def make_texts(seed: int) -> np.ma.MaskedArray:
    rng = np.random.default_rng(seed)
    texts = np.array(TEXTS, dtype=object)[rng.integers(len(TEXTS), size=N_ROWS)]
    return np.ma.array(texts, mask=rng.random(N_ROWS) < 0.1)


@pytest.mark.usefixtures("codes_all")
@pytest.mark.parametrize("seed", range(5))
def test_coded_texts_are_those_of_a_dictionary(seed: int) -> None:
    column = make_texts(seed)
    with duckdb.connect() as connection:
        listed = [(i, text) for i, text in enumerate(column.tolist())]
        connection.execute("CREATE TABLE t (i INTEGER, c VARCHAR)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", listed)
        found = code_texts(connection, {"x": "c"}, "t", N_ROWS)["x"]
    first: dict[str, int] = {}
    expected = [-1 if text is None else first.setdefault(text, len(first)) for text in column.tolist()]
    assert found.values.tolist() == list(first)
    assert found.index.tolist() == expected
    assert found.decode().tolist() == column.tolist()


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_votes_do_not_depend_on_coding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    rng = np.random.default_rng(0)
    items, workers = np.divmod(rng.permutation(N_ROWS), 8)
    labels = np.array(["spam", "ham", None], dtype=object)[rng.integers(3, size=N_ROWS)]
    columns = {
        "task": np.ma.asarray(np.array([f"item {i}" for i in items], dtype=object)),
        "worker": np.ma.asarray(np.array([f"w{j}" for j in workers], dtype=object)),
        "label": np.ma.array(labels, mask=labels == None),  # noqa: E711  # by element
        "note": np.ma.asarray(np.array([f"of {i}" for i in items], dtype=object)),
    }
    path = tmp_path / f"votes{ending}"
    write_table(Table(columns), path)
    plain = tw.read_votes(path, ignore=["note"], gold={"item 3": "spam"})
    assert not isinstance(read_table(path).coded("task"), Coded)
    monkeypatch.setattr(coded, "FEWEST_ROWS", 1)
    assert isinstance(read_table(path).coded("task"), Coded)
    reading = tw.read_votes(path, ignore=["note"], gold={"item 3": "spam"})
    assert reading.votes.item_ids.tolist() == plain.votes.item_ids.tolist()
    assert reading.votes.rule_names == plain.votes.rule_names
    assert reading.votes.class_names == plain.votes.class_names == ("ham", "spam")
    np.testing.assert_array_equal(reading.votes.array, plain.votes.array)
    np.testing.assert_array_equal(reading.gold_labels, plain.gold_labels)
    assert reading.passed_on["note"].tolist() == plain.passed_on["note"].tolist()
    assert reading.notes == plain.notes


@pytest.mark.usefixtures("codes_all")
def test_a_row_without_an_item_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("task,worker,label\na,w,x\nb,w,y\n,v,x\na,v,y\nb,v,x\nb,u,x\n")
    with pytest.raises(tw.InvalidVotesError, match=r"column 'task' is empty in row 2, counting from 0 \(1 such rows\)"):
        tw.read_votes(path, layout="long")


def test_texts_that_hardly_repeat_are_fetched_as_they_are() -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT 'item ' || i AS c, 'w' || i % 7 AS d FROM range(20000) AS r(i)")
        assert list(code_texts(connection, {"c": "c", "d": "d"}, "t", 20_000)) == ["d"]


def test_a_hash_that_two_texts_have_or_none_is_no_answer() -> None:
    hashes = np.array([5, 9, 5], dtype=np.uint64)
    places = find_places(hashes, np.array([9, 5], dtype=np.uint64))
    assert places is not None
    assert places.tolist() == [1, 0, 1]
    assert find_places(hashes, np.array([9, 5, 5], dtype=np.uint64)) is None
    assert find_places(hashes, np.array([9, 6], dtype=np.uint64)) is None


def test_hashes_that_share_their_last_bits_are_told_apart() -> None:
    rng = np.random.default_rng(1)
    listed = np.arange(50, dtype=np.uint64) << np.uint64(40)  # the last 40 bits of all are 0
    rows = rng.integers(50, size=1000)
    places = find_places(listed[rows], listed)
    assert places is not None
    assert places.tolist() == rows.tolist()


def test_codes_in_order_of_appearance() -> None:
    rows, used, index = in_order_of_appearance(np.array([4, 1, 4, 0, 1]))
    assert (rows.tolist(), used.tolist(), index.tolist()) == ([0, 1, 3], [4, 1, 0], [0, 1, 0, 2, 1])


@pytest.mark.parametrize(
    ("hashes", "n_bits"),
    [
        ([1, 2, 3], 8),
        ([7 + 2**9, 7 + 2**10, 7], 8),  # not by their last bits
        ([sum(2**p for p in range(0, 64, 4)), 0, 2**63], 64),  # the last bit of all is in no window
        (list(range(2**20, 2**20 + 300)), 16),
        (list(range(600)), 64),
    ],
)
def test_few_bits_tell_few_hashes_apart(hashes: list[int], n_bits: int) -> None:
    start, found = _telling_bits(np.array(hashes, dtype=np.uint64))
    assert found == n_bits
    assert len({(value >> start) % 2**found for value in hashes}) == len(hashes)

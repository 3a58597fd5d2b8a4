"""JSON lines are the table that a reader in Python makes of them, in a work that grows with the values alone."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thumbwise import InvalidFileError
from thumbwise.tables import formats, json_lines
from thumbwise.tables import table_files as tables
from thumbwise.tables.table_files import read_table

NAMES = ["a", "A", "", "a/b~", "$.*", "*", "é", "a\0", "rule", "row", "i", "value"]
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "whole": st.integers(-(2**63), 2**63 - 1),
    "number": st.floats(-1e6, 1e6).map(lambda value: round(value, 3) + 0.25),
    "truth": st.booleans(),
    "text": st.text(st.characters(codec="utf-8"), max_size=5),
}


@st.composite
def objects(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Lines in which each name has values of one kind, is null, or absent."""
    kinds = {
        name: draw(st.sampled_from(sorted(VALUES))) for name in draw(st.lists(st.sampled_from(NAMES), unique=True))
    }
    keys = st.lists(st.sampled_from(sorted(kinds)), unique=True) if kinds else st.just([])
    return [
        {name: draw(st.one_of(st.none(), VALUES[kinds[name]])) for name in draw(keys)}
        for _ in range(draw(st.integers(1, 8)))
    ]


@settings(deadline=None, derandomize=True, max_examples=25)
@given(lines=objects(), at_once=st.sampled_from([1, 5, 2**22]))
def test_a_dictionary_says_the_same(tmp_path_factory: pytest.TempPathFactory, lines: Any, at_once: int) -> None:
    path = tmp_path_factory.mktemp("t") / "t.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_lines, "_CELLS_AT_ONCE", at_once)
        table = read_table(path)
    names = list(dict.fromkeys(name for line in lines for name in line))
    assert list(table.names) == names
    for name in names:
        found, expected = table.columns[name].tolist(), [line.get(name) for line in lines]
        assert found == expected
        assert [type(value) for value in found] == [type(value) for value in expected]


@pytest.mark.parametrize(
    ("values", "expected", "dtype"),
    [
        (["1", "null"], [1, None], np.int64),
        (["null", "null"], [None, None], np.int64),
        (["1", "2.0"], [1.0, 2.0], np.float64),
        (["-9007199254740991", "0.5"], [-9007199254740991.0, 0.5], np.float64),
        (["9007199254740992", "0.5"], ["9007199254740992", "0.5"], object),
        (["9223372036854775807"], [2**63 - 1], np.int64),
        (["9223372036854775808", "1"], ["9223372036854775808", "1"], object),
        (["1e400"], ["1e400"], object),
        (["true", "null", "false"], [True, None, False], np.bool_),
        (["true", "1"], ["true", "1"], object),
        (["true", '"true"'], ["true", "true"], object),
        (['"1"', '"2"'], ["1", "2"], object),
        (['"1"', "2"], ["1", "2"], object),
        (['{"x": [1, 2]}', "[ ]"], ['{"x":[1,2]}', "[]"], object),
        (['"\\u0000"', '""'], ["\0", ""], object),
    ],
)
def test_type_of_a_column(tmp_path: Path, values: list[str], expected: list[Any], dtype: Any) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f'{{"other": 1, "v": {value}}}\n' for value in values))
    column = read_table(path).columns["v"]
    assert column.tolist() == expected
    assert [type(value) for value in column.tolist()] == [type(value) for value in expected]
    assert column.dtype == dtype


def statements_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    said: list[str] = []

    class Spy:
        def __init__(self, connection: Any) -> None:
            self.connection = connection

        def execute(self, statement: str, *values: Any) -> Any:
            said.append(statement)
            return self.connection.execute(statement, *values)

    @contextmanager
    def connect(path: Path) -> Iterator[Any]:
        with formats.connect(path) as connection:
            yield Spy(connection)

    with monkeypatch.context() as patch:
        patch.setattr(tables, "connect", connect)
        read_table(path)
    return said


def test_what_the_database_is_asked_does_not_grow_with_the_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = []
    for n_names in (3, 700):
        path = tmp_path / f"{n_names}.jsonl"
        row = {f"k{j}": j for j in range(n_names)}
        path.write_text(json.dumps(row) + "\n" + json.dumps(dict(reversed(row.items()))))
        said.append(statements_for(path, monkeypatch))
    assert said[0] == said[1]


def test_a_wide_table_in_which_every_line_has_another_order(tmp_path: Path) -> None:
    n = 300
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps({f"k{(7 * i + j) % n}": i * j for j in range(n)}) + "\n" for i in range(n)))
    table = read_table(path)
    assert list(table.names) == [f"k{j}" for j in range(n)]
    found = np.array([table.columns[f"k{j}"].tolist() for j in range(n)])
    i, k = np.meshgrid(np.arange(n), np.arange(n))
    np.testing.assert_array_equal(found, i * ((k - 7 * i) % n))


def test_names_of_their_own_in_every_line(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f'{{"k{i}": 1}}\n' for i in range(1000)))
    table = read_table(path)
    assert all(column.count() == 1 and column[i] == 1 for i, column in enumerate(table.columns.values()))
    path.write_text("".join(f'{{"k{i}": 1}}\n' for i in range(1001)))
    with pytest.raises(InvalidFileError, match=r"1,001 different names, and only 1,001 of the 1,002,001 cells"):
        read_table(path)
    assert read_table(path, ["k7"]).columns["k7"].count() == 1


def test_the_first_name_given_twice(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    twice = "".join(f'"k{i}": 1, ' for i in range(20_000)) + '"k19999": null'
    path.write_text('{"x": 1}\n{' + twice + "}\n")
    with pytest.raises(InvalidFileError, match=r"found 'k19999' at columns \[19999, 20000\] \(1 columns too many"):
        read_table(path)


@pytest.mark.parametrize("n_keys", [256, 257])
def test_many_keys_are_read_as_few(tmp_path: Path, n_keys: int) -> None:
    """Objects that are all alike are read by place or by cell, as their keys are few or many."""
    rows = [
        {f"k{j}": None if (i + j) % 7 == 0 else [i, f"t{j}", i % 2 == 0, i / 2][j % 4] for j in range(n_keys)}
        for i in range(9)
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    table = read_table(path)
    assert table.names == tuple(rows[0])
    for j, (name, column) in enumerate(table.columns.items()):
        assert column.tolist() == [row[name] for row in rows]
        assert column.dtype.kind == "iObf"[j % 4]

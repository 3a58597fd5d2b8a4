"""What fuzzing found, once each: inputs that crashed, or took a time or memory out of proportion."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz.model_checks import check_model
from fuzz.model_seeds import model_seeds

from thumbwise import DawidSkene, InvalidFileError, MajorityVote, Votes
from thumbwise.io import wrench_format
from thumbwise.tables import formats
from thumbwise.tables import table_files as tables
from thumbwise.votes.labels import KnownLabels


def test_known_items_asked_for_by_the_text_of_their_ids() -> None:
    """With this many ids NumPy finds 7 among texts, as "7", and the lookup that followed did not."""
    rows = np.random.default_rng(0).integers(-1, 2, (80, 3))
    model = DawidSkene(prior_right=1, prior_wrong=1).fit(Votes(rows, item_ids=np.arange(80)), rows[:, 0] % 2)
    texts = Votes(rows, item_ids=[str(i) for i in range(80)])
    assert np.array_equal(model.predict_proba(texts), model.predict_proba(Votes(rows)))


def test_known_items_take_memory_by_items_not_by_pairs_of_classes() -> None:
    k = 3000
    model = MajorityVote().fit(Votes([[0, 1]], n_classes=k))
    model.known_ = KnownLabels(np.array(["a"]), np.array([7]))
    votes = Votes([[0, 1]], n_classes=k, item_ids=["a"])
    tracemalloc.start()
    proba = model.predict_proba(votes)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert proba[0].tolist() == [float(c == 7) for c in range(k)]
    assert peak < 8 * k**2 / 10


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1])
def test_names_of_more_than_64_bits_are_refused_when_they_are_read(number: int) -> None:
    """They could be read, and then the model could not be saved."""
    named = json.loads(model_seeds()["MajorityVote"])
    named["classes"][0] = number
    with pytest.raises(InvalidFileError, match=r"classes\[0\] must be"):
        check_model(json.dumps(named).encode())


def test_parameters_of_more_than_64_bits_are_kept_as_floats() -> None:
    model = json.loads(model_seeds()["DawidSkene"])
    model["parameters"]["tol"] = 2**64
    assert check_model(json.dumps(model).encode())


@pytest.mark.parametrize("line", ["[" * 100_000, '{"a":' * 100_000])
def test_json_lines_nested_deeper_than_python_reads(tmp_path: Path, line: str) -> None:
    path = tmp_path / "votes.jsonl"
    path.write_text(line)
    with pytest.raises(InvalidFileError, match="line 1 is no JSON"):
        tables.read_table(path)


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
def test_wide_tables_are_asked_about_a_few_columns_at_a_time(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planning a SELECT takes DuckDB a time that grows with the cube of its aggregates: minutes for 4,000 columns."""
    statements: list[str] = []

    class Spy:
        def __init__(self, connection: Any) -> None:
            self.connection = connection

        def execute(self, statement: str, *values: Any) -> Any:
            statements.append(statement)
            return self.connection.execute(statement, *values)

    @contextmanager
    def connect(path: Path) -> Iterator[Any]:
        with formats.connect(path) as connection:
            yield Spy(connection)

    names = [f"c{j}" for j in range(150)]
    path = tmp_path / f"votes{ending}"
    row = {name: j % 3 for j, name in enumerate(names)}
    path.write_text(",".join(names) + "\n" + ",".join(map(str, row.values())) if ending == ".csv" else json.dumps(row))
    monkeypatch.setattr(tables, "connect", connect)
    table = tables.read_table(path)
    assert {name: int(column[0]) for name, column in table.columns.items()} == row
    assert statements
    assert max(text.count("bool_and(") + text.count("json_type(") for text in statements) <= 64


class Counted(str):
    """A text that counts how often it is looked at."""

    n_looks = 0
    __slots__ = ()

    def __hash__(self) -> int:
        Counted.n_looks += 1
        return super().__hash__()

    def __eq__(self, other: object) -> bool:
        Counted.n_looks += 1
        return super().__eq__(other)


def test_a_key_given_twice_is_found_in_one_pass() -> None:
    keys = [Counted(f"k{i}") for i in range(500)]
    Counted.n_looks = 0
    with pytest.raises(ValueError, match="'k499' occurs twice"):
        wrench_format._unique([(key, 0) for key in [*keys, keys[-1]]])
    assert Counted.n_looks < 20 * 500


def test_names_of_classes_are_compared_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {str(c): Counted(f"class {c}") for c in range(500)}
    monkeypatch.setattr(wrench_format, "read_json", lambda path, max_bytes: names)
    Counted.n_looks = 0
    assert len(wrench_format.read_class_names(Path("label.json"))) == 500
    assert Counted.n_looks < 20 * 500

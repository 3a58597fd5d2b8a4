"""Whatever is wrong with files that stay in their place is a message, and never a traceback."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from cli.processes import MAIN, make_home
from cli.rows import Run

GIGABYTE = 2**30


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = make_home(tmp_path / "home", 2000)
    monkeypatch.chdir(home)
    return home


def add_file(columns: str) -> Callable[[Path], None]:
    def write(home: Path) -> None:
        with duckdb.connect() as connection:
            connection.execute(f"COPY (SELECT 9000 AS id, {columns}) TO '{home}/votes/9.parquet' (FORMAT parquet)")

    return write


def add_gold(line: str) -> Callable[[Path], None]:
    def write(home: Path) -> None:
        with (home / "gold.csv").open("a") as gold:
            gold.write(line + "\n")

    return write


def spoil_a_page(home: Path) -> None:
    path = home / "votes" / "1.parquet"
    content = path.read_bytes()
    path.write_bytes(content[:60] + b"\xff" * 300 + content[360:])


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (add_file("0 AS a, 1 AS b"), "only one of them has a column 'c'"),
        (add_file("'ham' AS a, 1 AS b, 0 AS c"), "column 'a' holds numbers in one and texts in the other"),
        (add_file("true AS a, 1 AS b, 0 AS c"), "column 'a' holds numbers in one and BOOLEAN in the other"),
        (add_file("0.6::DOUBLE AS a, 1 AS b, 0 AS c"), "column 'a' holds 0.6"),
        (add_file('0 AS a, 1 AS b, 0 AS c, 1 AS "\x1b[31mred"'), "has a column '\\x1b[31mred'"),
        (spoil_a_page, "1.parquet"),
        (add_gold("3," + "9" * 5000), "labels must be classes of the votes"),
        (add_gold("3,\u00b2"), "labels must be classes of the votes"),
        (add_gold("12345678901234567890,1"), "1 of 151 are not, such as '12345678901234567890'"),
        (add_gold("9223372036854775808,1"), "1 of 151 are not, such as '9223372036854775808'"),
        (add_gold("+3,1"), "1 of 151 are not, such as '+3'"),
    ],
)
def test_one_message(home: Path, run: Run, spoil: Callable[[Path], None], message: str) -> None:
    spoil(home)
    answer = run("label", "votes/*.parquet", "--gold", "gold.csv", "-o", "labels")
    assert answer.exit_code == 2
    assert answer.stderr.startswith("error: ")
    assert message in answer.stderr
    assert "\x1b" not in answer.stderr
    assert not (home / "labels").exists()


@pytest.mark.parametrize(
    "columns", ["'nan'::DOUBLE AS a, 1 AS b, 0 AS c", "0::TINYINT AS a, 1::BIGINT AS b, NULL::UTINYINT AS c"]
)
def test_numbers_of_several_types_are_one_kind(home: Path, run: Run, columns: str) -> None:
    """pandas writes whole numbers, some of which are missing, as floats."""
    add_file(columns)(home)
    answer = run("label", "votes/*.parquet", "--gold", "gold.csv", "-o", "labels.csv")
    assert answer.exit_code == 0, answer.stderr
    assert "2,001 items" in answer.stdout


@pytest.mark.parametrize("first", [True, False])
def test_a_column_that_holds_nothing_fits_every_kind(tmp_path: Path, first: bool) -> None:
    import pandas as pd

    import thumbwise as tw

    names, nothing = pd.DataFrame({"a": ["ham", "spam"]}), pd.DataFrame({"a": pd.Series([None], dtype=object)})
    names.to_parquet(tmp_path / ("2.parquet" if first else "0.parquet"))
    nothing.to_parquet(tmp_path / "1.parquet")
    votes = tw.LazyVotes.from_files(tmp_path / "*.parquet")
    assert (votes.n_items, votes.class_names) == (3, ("ham", "spam"))


def test_python_says_the_same(home: Path) -> None:
    import thumbwise as tw

    spoil_a_page(home)
    votes = tw.LazyVotes.from_files(home / "votes/*.parquet", item_id="id", n_classes=2)
    with pytest.raises(tw.InvalidFileError, match=r"the items cannot be read: .*1\.parquet"):
        votes.take_ids([1, 2])


def test_parts_of_nested_columns_are_no_columns() -> None:
    """Writers call them by different names."""
    from thumbwise.tables.many_files import _kinds

    names = ["tags", "list", "element", "a", "place", "x", "y", "b"]
    kinds = ["TEXT[]", "TEXT[]", "texts", "numbers", "STRUCT", "numbers", "numbers", "texts"]
    top = {"tags": "TEXT[]", "a": "numbers", "place": "STRUCT", "b": "texts"}
    assert _kinds(names, kinds, [1, 1, 0, 0, 2, 0, 0, 0]) == top


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_one_large_gold_label_takes_no_memory(home: Path) -> None:
    add_gold("3,1000000000")(home)
    command = [sys.executable, "-c", MAIN, "label", "votes", "--gold", "gold.csv", "-o", "labels", "--memory", "1GB"]
    answer = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (4 * GIGABYTE, 4 * GIGABYTE)),
    )
    assert answer.returncode == 2, answer.stderr
    assert "the largest vote is 1000000000" in answer.stderr

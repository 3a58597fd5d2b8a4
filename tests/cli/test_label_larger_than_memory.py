"""Votes that stay in files get the same labels, and an output that is whole or absent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import numpy as np
import pytest

from cli.rows import Run
from thumbwise.tables.table_files import read_table

N_ITEMS = 3000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Votes of three rules in four Parquet files and in one, as names, with a text; and gold."""
    home = tmp_path_factory.mktemp("large")
    (home / "votes").mkdir()
    rng = np.random.default_rng(5)
    y = rng.integers(2, size=N_ITEMS)
    wrong = rng.random((N_ITEMS, 3)) > [0.9, 0.8, 0.7]
    array = np.where(rng.random((N_ITEMS, 3)) < 0.2, 2, y[:, None] ^ wrong)
    names = np.array(["ham", "spam", None], dtype=object)
    rows = {"id": np.arange(N_ITEMS), 'it\'s "a"': names[array[:, 0]], "b": names[array[:, 1]], "c": names[array[:, 2]]}
    with duckdb.connect() as connection:
        connection.register("rows", {**rows, "text": np.array([f"<b>{i}" for i in range(N_ITEMS)], dtype=object)})
        for part in range(4):
            place = home / "votes" / f"{part}.parquet"
            connection.execute(f"COPY (FROM rows WHERE id % 4 = {part}) TO '{place}' (FORMAT parquet)")
        connection.execute(f"COPY rows TO '{home / 'all.parquet'}' (FORMAT parquet)")
    gold = rng.choice(N_ITEMS, size=150, replace=False)
    (home / "gold.csv").write_text("id,label\n" + "".join(f"{i},{names[y[i]]}\n" for i in gold))
    return home


def by_id(paths: list[Path]) -> dict[int, tuple[object, ...]]:
    found: dict[int, tuple[object, ...]] = {}
    for path in paths:
        table = read_table(path)
        assert table.names == ("id", "label", "p_ham", "p_spam", "margin", "entropy", "n_votes", "text")
        rows = zip(*(column.tolist() for column in table.columns.values()), strict=True)
        found |= {row[0]: row[1:] for row in rows}
    return found


@pytest.mark.parametrize("source", ["votes/*.parquet", "votes"])
def test_a_folder_of_labels_says_what_one_file_says(folder: Path, tmp_path: Path, run: Run, source: str) -> None:
    gold = ("--gold", folder / "gold.csv", "--ignore", "text")
    answer = run("label", folder / "all.parquet", *gold, "-o", tmp_path / "one.parquet")
    assert answer.exit_code == 0, answer.stderr
    lazily = run("label", folder / source, *gold, "-o", tmp_path / "labels", "--memory", "500MB", "--spill", tmp_path)
    assert lazily.exit_code == 0, lazily.stderr
    assert "only patterns were read" in lazily.stdout
    expected, found = by_id([tmp_path / "one.parquet"]), by_id(sorted((tmp_path / "labels").iterdir()))
    assert found.keys() == expected.keys()
    assert len(found) == N_ITEMS
    for item, row in expected.items():
        assert found[item][0] == row[0]
        assert found[item][1:6] == pytest.approx(row[1:6], abs=1e-12)
        assert found[item][6] == row[6]
    certificate = next(line for line in answer.stdout.splitlines() if line.startswith("With 95 %"))
    assert certificate in lazily.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["labels", "one.parquet"]


def test_one_csv_from_many_files(folder: Path, tmp_path: Path, run: Run) -> None:
    answer = run("label", folder / "votes/*.parquet", "--gold", folder / "gold.csv", "--ignore", "text",
                 "-o", tmp_path / "labels.csv")  # fmt: skip
    assert answer.exit_code == 0, answer.stderr
    assert read_table(tmp_path / "labels.csv").n_rows == N_ITEMS


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "labels.xlsx"], "must end in .parquet, .csv, .tsv, or be a folder"),
        (["-o", "nowhere/labels"], "the folder .*nowhere does not exist"),
        (["-o", "votes"], "must not be one of the inputs"),
        (["-o", "taken"], "holds 'notes.txt', which is something else"),
        (["-o", "labels", "--memory", "much"], "memory must be a size such as 4GB; found 'much'"),
        (["-o", "labels", "--spill", "nowhere"], "there is no folder nowhere"),
        (["-o", "labels", "--codes", "1=a,2=b"], "every value must be one of the codes"),
        (["-o", "labels", "--id", "key"], "must have a column 'key'"),
        (["-o", "labels", "--ignore", "Label"], "must have a column 'Label'"),
    ],
)
def test_bad_input(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch, options: list[str], message: str) -> None:
    import re

    monkeypatch.chdir(folder)
    (folder / "taken").mkdir(exist_ok=True)
    (folder / "taken" / "notes.txt").write_text("mine")
    before = sorted(folder.iterdir())
    answer = run("label", "votes/*.parquet", "--gold", "gold.csv", "--ignore", "text", *options)
    assert answer.exit_code == 2
    assert re.search(message, answer.stderr), answer.stderr
    assert sorted(folder.iterdir()) == before


def test_gold_ids_that_are_no_items(folder: Path, tmp_path: Path, run: Run) -> None:
    for text in ("999999999", "x7"):
        (tmp_path / "gold.csv").write_text(f"id,label\n1,ham\n{text},spam\n")
        answer = run(
            "label", folder / "votes", "--gold", tmp_path / "gold.csv", "--ignore", "text", "-o", tmp_path / "l"
        )
        assert answer.exit_code == 2
        assert "1 of 2 are not" in answer.stderr, answer.stderr


COMMAND = "from thumbwise.cli.main import main; main()"


QUICK = (2, 5, 8)


@pytest.mark.parametrize(
    "moment", [pytest.param(moment, marks=() if moment in QUICK else pytest.mark.slow) for moment in range(10)]
)
def test_killed_at_a_random_moment(folder: Path, tmp_path: Path, moment: int) -> None:
    """Killed while it runs, it leaves labels that are whole or none; a rerun succeeds."""
    arguments = ["label", str(folder / "votes"), "--gold", str(folder / "gold.csv"), "--ignore", "text"]
    command = [sys.executable, "-c", COMMAND, *arguments, "-o", str(tmp_path / "labels")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    if moment < 5:
        time.sleep(np.random.default_rng(moment).uniform(0.2, 3.0))
    else:  # as soon as something is there
        while process.poll() is None and not list(tmp_path.iterdir()):
            time.sleep(0.001)
        time.sleep(0.004 * (moment - 5))
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    labels = tmp_path / "labels"
    assert not labels.exists() or sum(read_table(path).n_rows for path in labels.iterdir()) == N_ITEMS
    if moment in (0, 5):
        assert subprocess.run(command, check=False, capture_output=True).returncode == 0
        assert sum(read_table(path).n_rows for path in labels.iterdir()) == N_ITEMS

"""A review of many judges: one column that tells their votes in words, never cut without saying so; and the way back.

Kills, tried once: words of another pattern beside an item; "and 3 more" left out, or off by one; 50 judges told in
words; an empty text, rather than nothing, where nobody votes.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cli.rows import Run
from thumbwise.tables.table_files import Table, as_text, read_table, write_table

NAMES = ("ham", "spam")
N, N_GOLD, BUDGET = 160, 60, 70
N_FILLED = 60


def write(path: Path, rows: Sequence[Sequence[Any]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)


def rows_of(path: Path) -> list[dict[str, Any]]:
    table = read_table(path)
    return [dict(zip(table.names, row, strict=True)) for row in zip(*map(as_text, table.columns.values()), strict=True)]


def make_votes(n_judges: int, n_voting: int) -> tuple[Any, Any]:
    """Truth, and votes of some of many judges on each item, -1 elsewhere; nobody votes on the last item."""
    rng = np.random.default_rng(3)
    truth = rng.integers(2, size=N)
    votes = np.full((N, n_judges), -1)
    for i in range(N - 1):
        who = rng.choice(n_judges, size=n_voting, replace=False)
        votes[i, who] = np.where(rng.random(n_voting) < 0.7, truth[i], 1 - truth[i])
    return truth, votes


def make_files(place: Path, truth: Any, votes: Any) -> list[str]:
    judges = ["worker 17", "w;20", *(f"worker_{j}" for j in range(2, votes.shape[1]))]
    rows = [[f"q{i:03d}", *("" if v < 0 else NAMES[v] for v in vote)] for i, vote in enumerate(votes.tolist())]
    for name, some in (("votes.csv", rows), ("part_1.csv", rows[:90]), ("part_2.csv", rows[90:])):
        write(place / name, [["id", *judges], *some])
    long = [[row[0], judge, v] for row in rows for judge, v in zip(judges, row[1:], strict=True) if v]
    write(place / "long.csv", [["id", "worker", "label"], *long])
    write(place / "gold.csv", [["id", "label"], *([rows[i][0], NAMES[truth[i]]] for i in range(N_GOLD))])
    return judges


def in_words(judges: Sequence[str], vote: Sequence[int]) -> str | None:
    """By hand: names that could be taken for the text around them are quoted."""
    told = [
        f"{repr(judge) if ';' in judge else judge}: {NAMES[v]}" for judge, v in zip(judges, vote, strict=True) if v >= 0
    ]
    more = [f"and {len(told) - 50} more"] if len(told) > 50 else []
    return "; ".join([*told[:50], *more]) or None


def asked(place: Path, votes: str, review: str) -> list[object]:
    return ["triage", place / votes, "--gold", place / "gold.csv", "--budget", BUDGET, "--review", place / review]


@pytest.mark.parametrize(("n_judges", "n_voting"), [(54, 53), (51, 50)])
def test_votes_are_told_in_words_in_memory_and_in_files(tmp_path: Path, run: Run, n_judges: int, n_voting: int) -> None:
    truth, votes = make_votes(n_judges, n_voting)
    judges = make_files(tmp_path, truth, votes)
    for source, written in (("votes.csv", "here.parquet"), ("part_*.csv", "there.parquet")):
        ended = run(*asked(tmp_path, source, written))
        assert ended.exit_code == 0, ended.output
    review = rows_of(tmp_path / "here.parquet")
    assert list(review[0]) == ["rank", "id", "votes", "proposed", "probability", "why", "label"]
    assert len(review) == BUDGET
    for row in review:
        assert row["votes"] == in_words(judges, votes[int(row["id"][1:])])
    assert any(row["votes"] is None for row in review)
    assert any("and 3 more" in str(row["votes"]) for row in review) == (n_voting == 53)
    assert rows_of(tmp_path / "there.parquet") == review


def test_fifty_judges_have_a_column_each(tmp_path: Path, run: Run) -> None:
    judges = make_files(tmp_path, *make_votes(50, 4))
    assert run(*asked(tmp_path, "votes.csv", "review.csv")).exit_code == 0
    assert list(rows_of(tmp_path / "review.csv")[0])[2:-4] == judges


@pytest.mark.parametrize(("source", "options"), [("long.csv", ["--layout", "long"]), ("part_*.csv", [])])
def test_the_way_back(tmp_path: Path, run: Run, source: str, options: list[str]) -> None:
    truth, votes = make_votes(51, 4)
    make_files(tmp_path, truth, votes)
    assert run(*asked(tmp_path, source, "review.csv"), *options).exit_code == 0
    table = read_table(tmp_path / "review.csv")
    ids = [str(text) for text in as_text(table.columns["id"])]
    filled = [NAMES[truth[int(text[1:])]] for text in ids]
    given = np.ma.MaskedArray(np.array(filled, dtype=object), mask=np.arange(len(ids)) >= N_FILLED)
    write_table(Table({**table.columns, "label": given}), tmp_path / "filled.csv")
    known = ["--gold", tmp_path / "gold.csv", "--reviewed", tmp_path / "filled.csv", "--on-infeasible", "widen"]
    ended = run(
        "label", tmp_path / source, *options, *known, "-o", tmp_path / "labels.csv", "--json", tmp_path / "said.json"
    )
    assert ended.exit_code == 0, ended.output
    assert json.loads((tmp_path / "said.json").read_text())["n_reviewed"] == N_FILLED
    labels = {row["id"]: row["label"] for row in rows_of(tmp_path / "labels.csv")}
    assert [labels[text] for text in ids[:N_FILLED]] == filled[:N_FILLED]


def test_a_text_that_is_called_votes_would_clash(tmp_path: Path, run: Run) -> None:
    make_files(tmp_path, *make_votes(51, 4))
    first, *rows = (tmp_path / "votes.csv").read_text().splitlines()
    (tmp_path / "votes.csv").write_text("\n".join([first + ",votes", *(row + ",so" for row in rows)]) + "\n")
    ended = run(*asked(tmp_path, "votes.csv", "review.csv"), "--text", "votes")
    assert ended.exit_code == 2
    assert "found 'votes' and 'votes'" in ended.output

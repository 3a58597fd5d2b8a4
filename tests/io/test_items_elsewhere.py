"""Items that stay in files are read, labeled and written as those in memory are.

Kills, tried once: ids and columns that are passed on left as texts; repeated ids that nobody looks for; gold that is
fetched anew for each question.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import thumbwise as tw
from thumbwise.cli.main import app
from thumbwise.io import elsewhere, labels_elsewhere
from thumbwise.numerics import maxent
from thumbwise.tables.table_files import read_table

N_ITEMS, N_GOLD = 500, 120
STAYS = "; only patterns were read"


def write_votes(folder: Path, ending: str, spell: Any = str) -> list[Any]:
    """Votes of four rules with a text and a number that are passed on, and gold."""
    rng = np.random.default_rng(11)
    truth = rng.integers(2, size=N_ITEMS)
    votes = np.where(rng.random((N_ITEMS, 4)) < [0.9, 0.8, 0.7, 0.6], truth[:, None], 1 - truth[:, None])
    silent = rng.random((N_ITEMS, 4)) < 0.2
    rows = [
        ",".join(
            [str(7 * i), *("" if s else spell(int(v)) for v, s in zip(*row, strict=True)), f"text {i}", str(i % 9)]
        )
        for i, row in enumerate(zip(votes, silent, strict=True))
    ]
    (folder / "votes.csv").write_text("\n".join(["id,a,b,c,d,text,length", *rows]) + "\n")
    gold = rng.choice(N_ITEMS, N_GOLD, replace=False)
    (folder / "gold.csv").write_text("\n".join(["id,label", *(f"{7 * i},{spell(int(truth[i]))}" for i in gold)]) + "\n")
    if ending == ".parquet":
        with duckdb.connect() as connection:
            source = f"read_csv('{folder / 'votes.csv'}', nullstr = '')"
            connection.execute(f"COPY (FROM {source}) TO '{folder / 'votes.parquet'}'")
    return [folder / f"votes{ending}", "--gold", folder / "gold.csv", "--ignore", "text", "--ignore", "length"]


def run(*arguments: Any) -> str:
    answer = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert answer.exit_code == 0, answer.stderr
    return answer.stdout


def rows_of(path: Path) -> tuple[tuple[str, ...], list[str], list[tuple[Any, ...]]]:
    table = read_table(path)
    kinds = [column.dtype.kind for column in table.columns.values()]
    return table.names, kinds, sorted(zip(*(column.tolist() for column in table.columns.values()), strict=True))


def say_name(c: int) -> str:
    return ("ham", "spam")[c]


def say_from_one(c: int) -> str:
    return str(c + 1)


CODES = (say_from_one, ["--codes", "1=no,2=yes"])
SPELLED: list[tuple[Any, list[str]]] = [(str, []), (say_name, []), (say_from_one, ["--classes", "1,2"]), CODES]
ASKED = [(*spelled, ending, "table") for spelled in SPELLED for ending in (".csv", ".parquet")]
ASKED += [(say_name, [], ".csv", "crowd-kit"), (say_name, [], ".parquet", "snorkel")]
ASKED += [(*CODES, ".parquet", "crowd-kit"), (*CODES, ".csv", "snorkel")]


@pytest.mark.parametrize(("spell", "options", "ending", "shape"), ASKED)
def test_a_large_file_gives_what_a_small_one_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, spell: Any, options: list[str], shape: str
) -> None:
    arguments = [*write_votes(tmp_path, ending, spell), *options, "--shape", shape]
    here = run("label", *arguments, "-o", tmp_path / "here.parquet")
    monkeypatch.setattr(elsewhere, "LARGE", 1)
    there = run("label", *arguments, "-o", tmp_path / "there.parquet")
    assert [line for line in there.splitlines() if STAYS in line] == [f"items stay in {arguments[0]}{STAYS}"]
    same = [[line for line in text.splitlines() if STAYS not in line][:-1] for text in (here, there)]
    assert same[0] == same[1]  # classes, notes, tables, certificate; the last line names the output
    names, kinds, rows = rows_of(tmp_path / "here.parquet")
    assert (names, kinds) == rows_of(tmp_path / "there.parquet")[:2]
    for ours, theirs in zip(rows, rows_of(tmp_path / "there.parquet")[2], strict=True):
        assert theirs == pytest.approx(ours, abs=1e-12)
    assert len(rows) == N_ITEMS


def test_in_python(tmp_path: Path) -> None:
    write_votes(tmp_path, ".parquet", say_name)
    options: dict[str, Any] = {"gold": tmp_path / "gold.csv", "ignore": ["text", "length"]}
    there, here = (tw.read_votes(tmp_path / name, **options) for name in ("v*.parquet", "votes.parquet"))
    assert isinstance(there.votes, tw.LazyVotes)
    assert there.votes.fingerprint == here.votes.fingerprint
    assert there.notes[:-1] == here.notes
    models = [tw.BalsubramaniFreund().fit(reading.votes, box=reading.box()) for reading in (there, here)]
    assert str(models[0].certificate_) == str(models[1].certificate_)
    for name in ("labels.csv", "labels.tsv", "labels.parquet"):
        tw.write_labels(there, models[0], tmp_path / name)
        tw.write_labels(here, models[1], tmp_path / f"here-{name}")
        assert rows_of(tmp_path / name)[:2] == rows_of(tmp_path / f"here-{name}")[:2]
    tw.write_labels(there, models[0], tmp_path / "labels")
    assert sum(read_table(path).n_rows for path in (tmp_path / "labels").iterdir()) == N_ITEMS


def test_one_policy_for_outputs(tmp_path: Path) -> None:
    write_votes(tmp_path, ".csv")
    reading = tw.read_votes(tmp_path / "v*.csv", gold=tmp_path / "gold.csv", ignore=["text", "length"])
    model = tw.MajorityVote().fit(reading.votes)
    (tmp_path / "mine.csv").write_text("id,label\n7,1\n")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for name, message in (
        ("votes.csv", "must not be one of the inputs"),
        ("gold.csv", "must not be one of the inputs"),
        ("v2.csv", "would be found by"),
        ("mine.csv", "another file of that name, which would be lost"),
        ("labels.jsonl", "must end in .parquet, .csv, .tsv, or be a folder"),
    ):
        with pytest.raises(tw.InvalidFileError, match=message):
            tw.write_labels(reading, model, tmp_path / name)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    tw.write_labels(reading, model, tmp_path / "mine.csv", overwrite=True)


def test_a_frame_of_labels_is_lazy_and_holds_what_is_written(tmp_path: Path) -> None:
    write_votes(tmp_path, ".csv")
    reading = tw.read_votes(tmp_path / "v*.csv", gold=tmp_path / "gold.csv", ignore=["text", "length"])
    model = tw.MajorityVote().fit(reading.votes)
    for shape in ("table", "snorkel"):
        place = tmp_path / f"labels-{shape}.csv"
        tw.write_labels(reading, model, place, shape=shape)
        frame = tw.labels_frame(reading, model, shape=shape)
        header, *lines = place.read_text().splitlines()
        assert frame.columns == header.split(",")
        assert sorted(str(row[0]) for row in frame.fetchall()) == sorted(line.split(",")[0] for line in lines)
        ours = sorted(map(str, frame.project("*").df().iloc[:, 2].round(9)))
        theirs = sorted(map(str, pd.read_csv(place).iloc[:, 2].round(9)))
        assert ours == theirs
    assert len(tw.labels_frame(reading, model).limit(3).fetchall()) == 3


def test_names_that_clash_are_said_before_anything_is_fitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_votes(tmp_path, ".csv")
    path = tmp_path / "votes.csv"
    path.write_text(path.read_text().replace("length", "Margin", 1))
    monkeypatch.setattr("thumbwise.cli.label.fit", None)
    arguments = [
        "label",
        tmp_path / "v*.csv",
        "--gold",
        tmp_path / "gold.csv",
        "--ignore",
        "text",
        "--ignore",
        "Margin",
    ]
    answer = CliRunner().invoke(app, [str(part) for part in [*arguments, "-o", tmp_path / "labels.csv"]])
    assert answer.exit_code == 2
    assert "found 'margin' and 'Margin'" in answer.stderr


@pytest.mark.parametrize("line", [N_ITEMS - 1, 5])
def test_an_id_that_occurs_twice_anywhere(tmp_path: Path, line: int) -> None:
    write_votes(tmp_path, ".csv")
    lines = (tmp_path / "votes.csv").read_text().splitlines()
    lines[line] = lines[40].partition(",")[0] + lines[line][lines[line].index(",") :]
    (tmp_path / "votes.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(tw.InvalidVotesError, match=r"column 'id' of the votes holds '273' in 2 rows \(1 rows too many"):
        tw.read_votes(tmp_path / "v*.csv", gold=tmp_path / "gold.csv", ignore=["text", "length"])
    (tmp_path / "votes.csv").write_text("\n".join([*lines[:3], lines[3][lines[3].index(",") :], *lines[4:]]) + "\n")
    with pytest.raises(tw.InvalidVotesError, match="'id' is empty in 1 of 500 rows"):
        tw.read_votes(tmp_path / "v*.csv", gold=tmp_path / "gold.csv", ignore=["text", "length"])


def test_more_rules_than_one_grouping_takes(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    votes = rng.integers(-1, 3, size=(40, 130))
    names = [f"r{j}" for j in range(130)]
    lines = [",".join(map(str, [i, *row])) for i, row in enumerate(votes.tolist())]
    (tmp_path / "votes.csv").write_text("\n".join([",".join(["id", *names]), *lines]) + "\n")
    there, here = (tw.read_votes(tmp_path / name) for name in ("v*.csv", "votes.csv"))
    assert there.votes.fingerprint == here.votes.fingerprint


def test_gold_must_be_told_by_ids(tmp_path: Path) -> None:
    write_votes(tmp_path, ".csv")
    options: dict[str, Any] = {"ignore": ["text", "length"]}
    with pytest.raises(tw.InvalidLabelsError, match="must come with ids"):
        tw.read_votes(tmp_path / "v*.csv", gold=[0] * N_ITEMS, **options)
    with pytest.raises(tw.InvalidChoiceError, match="read without a column of gold labels"):
        tw.read_votes(tmp_path / "v*.csv", gold_column="a", **options)
    with pytest.raises(tw.InvalidLabelsError, match="gold labels are needed"):
        tw.read_votes(tmp_path / "v*.csv", **options).box()


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("spell", [str, say_name])
def test_items_are_asked_four_things(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, spell: Any) -> None:
    """Which values there are, patterns, votes on gold, and to be written with their labels."""
    arguments = write_votes(tmp_path, ending, spell)
    arguments[0] = tmp_path / f"v*{ending}"
    asked: list[str] = []
    relation = duckdb.DuckDBPyRelation
    fetching = [name for name in dir(relation) if name.startswith(("fetch", "to_", "write_", "execute"))]
    for name in fetching:
        ask = getattr(relation, name)

        def watched(self: Any, *given: Any, ask: Any = ask, name: str = name, **more: Any) -> Any:
            asked.append(name)
            return ask(self, *given, **more)

        monkeypatch.setattr(relation, name, watched)
    copy = labels_elsewhere._copy

    def watched_copy(*given: Any) -> None:
        asked.append("COPY")
        copy(*given)

    monkeypatch.setattr(labels_elsewhere, "_copy", watched_copy)
    run("label", *arguments, "-o", tmp_path / "labels.csv")
    assert asked == ["fetchall", "fetchnumpy", "fetchnumpy", "COPY"]


@pytest.mark.parametrize("source", ["v*.csv", "votes.csv"])
def test_probabilities_are_computed_once_for_labels_and_once_for_the_proof(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    arguments = write_votes(tmp_path, ".csv")
    arguments[0] = tmp_path / source
    times: list[int] = []
    compute = maxent.probabilities

    def watched(*given: Any) -> Any:
        times.append(1)
        return compute(*given)

    monkeypatch.setattr("thumbwise.models.balsubramani_freund.probabilities", watched)
    run("label", *arguments, "-o", tmp_path / "labels.csv")
    assert len(times) == 2


@pytest.mark.parametrize(
    ("ask", "what"),
    [(tw.plan, "a plan"), (tw.compare, "a comparison"), (tw.check, "a check")],
    ids=lambda value: str(value)[:9],
)
def test_what_needs_items_in_memory_says_so(tmp_path: Path, ask: Any, what: str) -> None:
    write_votes(tmp_path, ".csv")
    reading = tw.read_votes(tmp_path / "v*.csv", gold=tmp_path / "gold.csv", ignore=["text", "length"])
    with pytest.raises(tw.InvalidVotesError, match=f"{what} needs the items in memory; these 500 are held elsewhere"):
        ask(reading)

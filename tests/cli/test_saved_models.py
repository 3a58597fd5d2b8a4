"""label --save, predict, explain and sql: what Python says, in files and on the screen, and no more than is proved."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import thumbwise as tw
from cli.rows import Run, make_rows
from thumbwise.cli.explain import find_id
from thumbwise.exceptions import InvalidChoiceError


@pytest.fixture
def saved(folder: Path, run: Run) -> Path:
    answer = run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "--save", folder / "model.json")
    assert answer.exit_code == 0, answer.stderr
    assert "model.json (model, for thumbwise predict, explain and sql)" in answer.stdout
    return folder


def write_new(folder: Path, *, shuffled: bool = False, name: str = "new.csv") -> Path:
    """Votes of the three rules on 400 other items; shuffled, everybody says spam."""
    _, _, votes = make_rows(400)
    texts = ("spam", "spam", "spam") if shuffled else ("ham", "spam", "")
    rows = [",".join([f"n{i}", *(texts[v] for v in row)]) for i, row in enumerate(votes)]
    (folder / name).write_text("\n".join(["id,caps,links,length", *rows]) + "\n")
    return folder / name


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def test_what_is_saved_is_what_python_loads_and_labels_alike(saved: Path, run: Run) -> None:
    model = tw.load(saved / "model.json")
    reading = tw.read_votes(saved / "votes.csv", gold=saved / "gold.csv")
    again = tw.BalsubramaniFreund().fit(reading.votes, box=reading.box())
    assert (model.predict_proba(reading.votes) == again.predict_proba(reading.votes)).all()
    assert model.certificate_.log_loss_bound == again.certificate_.log_loss_bound


def test_predictions_are_those_of_python(saved: Path, run: Run) -> None:
    new, out = write_new(saved), saved / "labels.csv"
    answer = run("predict", saved / "model.json", new, "-o", out, "--json", saved / "p.json")
    assert answer.exit_code == 0, answer.stderr
    model, reading = tw.load(saved / "model.json"), tw.read_votes(new, class_names=["ham", "spam"])
    rows = rows_of(out)
    assert [row["label"] for row in rows] == model.predict(reading.votes).tolist()
    assert np.allclose([float(row["p_spam"]) for row in rows], model.predict_proba(reading.votes)[:, 1], atol=1e-12)
    content = json.loads((saved / "p.json").read_text())
    assert content["counts"] == {name: sum(row["label"] == name for row in rows) for name in ("ham", "spam")}
    assert (content["n_items"], content["n_fitted"], content["is_guarantee"]) == (400, 60, False)
    drift = model.check_drift(reading.votes)
    assert content["drift"]["p_value"] == drift.p_value
    assert str(drift) in answer.stdout


def test_items_in_many_files_get_the_same_labels(saved: Path, run: Run) -> None:
    new = write_new(saved)
    lines = new.read_text().splitlines()
    (saved / "part-1.csv").write_text("\n".join(lines[:150]) + "\n")
    (saved / "part-2.csv").write_text("\n".join([lines[0], *lines[150:]]) + "\n")
    assert run("predict", saved / "model.json", new, "-o", saved / "a.csv").exit_code == 0
    many = run("predict", saved / "model.json", saved / "part-*.csv", "-o", saved / "b.csv", "--json", "-")
    assert many.exit_code == 0, many.stderr
    here, elsewhere = ({row["id"]: row["label"] for row in rows_of(saved / name)} for name in ("a.csv", "b.csv"))
    assert here == elsewhere
    counts = json.loads(many.stdout)["counts"]
    assert counts == {name: list(here.values()).count(name) for name in ("ham", "spam")}


def test_the_guarantee_is_said_to_be_of_the_fitted_items_only(saved: Path, run: Run) -> None:
    answer = run("predict", saved / "model.json", write_new(saved))
    assert (
        "No guarantee for these 400 items: that of the model is for the 60 items that it was fitted to" in answer.stdout
    )
    pool = run("predict", saved / "model.json", saved / "votes.csv")
    assert "These are the votes that the model was fitted to." in pool.stdout
    assert str(tw.load(saved / "model.json").certificate_) in pool.stdout


def test_drift_is_an_exit_code_if_asked(saved: Path, run: Run) -> None:
    shifted = write_new(saved, shuffled=True)
    answer = run("predict", saved / "model.json", shifted, "--strict")
    assert answer.exit_code == 1
    assert "Votes differ from the fitted pool" in answer.stdout
    assert run("predict", saved / "model.json", shifted).exit_code == 0
    assert run("predict", saved / "model.json", saved / "votes.csv", "--strict").exit_code == 0


def test_explanations_are_those_of_python(saved: Path, run: Run) -> None:
    files = (saved / "model.json", saved / "votes.csv")
    answer = run("explain", *files, "--item", "0041", "--item", "0050", "--json", saved / "e.json")
    assert answer.exit_code == 0, answer.stderr
    model, reading = tw.load(saved / "model.json"), tw.read_votes(saved / "votes.csv", class_names=["ham", "spam"])
    content = json.loads((saved / "e.json").read_text())
    for item, found in zip(("0041", "0050"), content["items"], strict=True):
        explanation = model.explain(reading.votes, item)
        assert str(explanation) in answer.stdout
        assert found["item_id"] == item
        assert list(found["proba"].values()) == explanation.proba.tolist()
        added = [sum(part[name] for part in _parts(found)) for name in found["scores"]]
        assert np.allclose(added, list(found["scores"].values()), atol=1e-9)  # all parts together are the score


def _parts(found: dict[str, Any]) -> list[dict[str, float]]:
    votes = [vote["contribution"] for vote in found["votes"]]
    return [*votes, *found["background"].values(), *found["opinions"].values()]


def test_the_select_gives_the_labels_of_predict(saved: Path, run: Run) -> None:
    new, out = write_new(saved), saved / "labels.csv"
    run("predict", saved / "model.json", new, "-o", out)
    answer = run("sql", saved / "model.json", "--table", "mails", "--id", "id", "-o", saved / "query.sql")
    assert answer.exit_code == 0, answer.stderr
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE mails AS SELECT * FROM read_csv('{new}', all_varchar = true)")  # noqa: S608
        found = connection.sql((saved / "query.sql").read_text()).fetchall()
        names = connection.sql((saved / "query.sql").read_text()).columns
    labels = {row[names.index("id")]: row[names.index("label")] for row in found}
    assert labels == {row["id"]: row["label"] for row in rows_of(out)}


def test_a_select_that_was_asked_for_is_printed_even_if_quiet(saved: Path, run: Run) -> None:
    loud = run("sql", saved / "model.json", "--dialect", "postgresql")
    assert loud.stdout.startswith("SELECT")
    assert run("sql", saved / "model.json", "--dialect", "postgresql", "-q").stdout == loud.stdout
    content = json.loads(run("sql", saved / "model.json", "--dialect", "postgresql", "--json", "-").stdout)
    assert (content["dialect"], content["table"]) == ("postgresql", "votes")
    assert content["sql"].strip() == loud.stdout.strip()


MISTAKES = {
    "a table for a model": (["predict", "gold.csv", "votes.csv"], "is not a model that can be loaded"),
    "exchanged": (["predict", "votes.csv", "model.json"], "the model comes first and the votes after it"),
    "two models": (["explain", "model.json", "model.json", "--item", "1"], "both are models"),
    "no such model": (["sql", "nothing.json"], "there is none"),
    "no such votes": (["predict", "model.json", "nothing.csv"], "there is no file"),
    "other judges": (["predict", "model.json", "other.csv"], "there is no 'caps', and it does not know 'shouting'"),
    "fewer judges": (["explain", "model.json", "fewer.csv", "--item", "0001"], "there is no 'links', 'length'"),
    "another class": (["predict", "model.json", "strange.csv"], "those of the model, which takes a new fit"),
    "no item": (["explain", "model.json", "votes.csv"], "Name its id with --item ID"),
    "no such item": (["explain", "model.json", "votes.csv", "--item", "041"], "The nearest are '0041'"),
    "no such dialect": (["sql", "model.json", "--dialect", "mysql"], "is not one of 'duckdb', 'postgresql', 'spark'"),
    "json is an input": (
        ["predict", "model.json", "votes.csv", "--json", "votes.csv"],
        "must not be one of the inputs",
    ),
    "json is the model": (
        ["sql", "model.json", "--json", "model.json", "--overwrite"],
        "must not be one of the inputs",
    ),
    "json is the output": (["predict", "model.json", "votes.csv", "-o", "x.csv", "--json", "x.csv"], "must not be one"),
    "output is an input": (["predict", "model.json", "votes.csv", "-o", "votes.csv"], "must not be one of the inputs"),
    "two on stdout": (["predict", "model.json", "votes.csv", "-o", "-", "--json", "-"], "one output can go to stdout"),
    "save an input": (["label", "votes.csv", "--gold", "gold.csv", "--save", "gold.csv"], "must not be one of the inp"),
    "save another method": (
        ["label", "votes.csv", "--gold", "gold.csv", "--save", "m.json", "--method", "auto"],
        "found --save and --method auto",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_messages(saved: Path, run: Run, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(saved)
    text = (saved / "votes.csv").read_text()
    (saved / "other.csv").write_text(text.replace("caps", "shouting", 1))
    (saved / "fewer.csv").write_text("\n".join(",".join(line.split(",")[:2]) for line in text.splitlines()) + "\n")
    (saved / "strange.csv").write_text(text.replace("spam", "eggs"))
    before = {path.name: path.read_bytes() for path in saved.iterdir()}
    arguments, words = MISTAKES[name]
    answer = run(*arguments)
    assert answer.exit_code == 2
    assert words in " ".join(answer.stderr.split())
    assert answer.stdout == ""
    assert {path.name: path.read_bytes() for path in saved.iterdir()} == before


def test_items_without_ids_are_named_by_position() -> None:
    votes = tw.Votes([[0, 1], [1, 1]])
    assert find_id(votes, "1") == 1
    with pytest.raises(InvalidChoiceError, match="a position from 0 to 1"):
        find_id(votes, "2")

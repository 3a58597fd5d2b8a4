"""The first line says how many labels are right; JSON says it to other programs, under keys that are settled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thumbwise as tw
from cli.rows import Run
from thumbwise.outward import percent_at_least

SETTLED = {"accuracy_at_least", "log_loss_bound", "is_guarantee", "counts"}
MORE = {"confidence_level", "assumption", "n_items", "n_gold", "method"}


def files(folder: Path) -> list[object]:
    return [folder / "votes.csv", "--gold", folder / "gold.csv"]


def certificate_of(folder: Path) -> Any:
    reading = tw.read_votes(folder / "votes.csv", gold=folder / "gold.csv")
    return tw.BalsubramaniFreund().fit(reading.votes, box=reading.box()).certificate_


def test_the_first_line_is_about_right_labels_and_the_second_about_the_loss(folder: Path, run: Run) -> None:
    certificate = certificate_of(folder)
    lines = run("label", *files(folder)).stdout.splitlines()
    assert lines[:2] == [str(certificate.accuracy), str(certificate)]
    assert lines[2] == "each of these two statements holds with 95 % confidence on its own"
    rows = {line.split()[0]: line.split()[1:] for line in lines[3:14] if line.strip()}
    for row in certificate.accuracy.classes:
        shares = [percent_at_least(row.precision_at_least), percent_at_least(row.recall_at_least)]
        assert rows[str(row.class_name)] == [str(row.n_labeled), *" ".join(shares).split()]


def test_the_labels_that_are_counted_are_those_that_are_written(folder: Path, run: Run) -> None:
    run("label", *files(folder), "-o", folder / "labels.csv", "--json", folder / "proved.json")
    told = json.loads((folder / "proved.json").read_text())
    rows = (folder / "labels.csv").read_text().splitlines()
    place = rows[0].split(",").index("label")
    labels = [row.split(",")[place] for row in rows[1:]]
    assert told["counts"] == {name: labels.count(name) for name in ("ham", "spam")}
    assert told.keys() >= SETTLED | MORE
    certificate = certificate_of(folder)
    assert told["accuracy_at_least"] == certificate.accuracy_at_least
    assert told["accuracy_at_least_all"] == certificate.accuracy.accuracy_at_least_all
    assert told["log_loss_bound"] == certificate.log_loss_bound
    assert told["is_guarantee"] is True
    assert (told["confidence_level"], told["n_items"], told["n_gold"]) == (0.95, 60, 30)
    assert told["assumption"] == "the 30 gold items are a random sample of all 60 items"
    assert told["method"] == "Balsubramani-Freund"
    assert [row["class"] for row in told["classes"]] == ["ham", "spam"]
    assert told["classes"][0]["recall_at_least"] == certificate.accuracy.classes[0].recall_at_least


def test_on_stdout_there_is_nothing_else(folder: Path, run: Run) -> None:
    answer = run("label", *files(folder), "--json", "-", "-o", folder / "labels.csv")
    assert json.loads(answer.stdout)["n_items"] == 60
    assert (folder / "labels.csv").exists()


def test_any_method_has_its_numbers(folder: Path, run: Run) -> None:
    told = json.loads(run("label", *files(folder), "--method", "majority vote", "--json", "-").stdout)
    assert told["method"] == "majority vote"
    assert 0 <= told["accuracy_at_least"] <= 1
    printed = run("label", *files(folder), "--method", "majority vote").stdout.splitlines()
    assert f"at least {percent_at_least(told['accuracy_at_least'])} of the 30 labels that are not gold" in printed[0]


def test_items_that_stay_in_files_have_the_same_numbers(folder: Path, run: Run) -> None:
    told = json.loads(run("label", *files(folder), "--json", "-").stdout)
    lazily = json.loads(run("label", folder / "votes*.csv", *files(folder)[1:], "--json", "-").stdout)
    assert {name: told[name] for name in SETTLED | MORE} == {name: lazily[name] for name in SETTLED | MORE}


def test_a_file_that_is_there_is_not_replaced_unasked(folder: Path, run: Run) -> None:
    (folder / "proved.json").write_text("mine")
    refused = run("label", *files(folder), "-o", folder / "labels.csv", "--json", folder / "proved.json")
    assert refused.exit_code == 2
    assert (folder / "proved.json").read_text() == "mine"
    assert not (folder / "labels.csv").exists()
    run("label", *files(folder), "--json", folder / "proved.json", "--overwrite")
    assert json.loads((folder / "proved.json").read_text())["n_items"] == 60


def test_where_a_guarantee_is_required_and_missing_no_file_is_written(folder: Path, run: Run) -> None:
    wanted = ["--require-guarantee", "--confidence", "0.9999999", "--json", folder / "proved.json"]
    answer = run("label", *files(folder), *wanted)
    assert answer.exit_code == 3
    assert not (folder / "proved.json").exists()


@pytest.mark.parametrize("n_classes", [20, 21])
def test_many_classes_have_no_table(tmp_path: Path, run: Run, n_classes: int) -> None:
    rng = np.random.default_rng(0)
    truth = np.arange(300) % n_classes
    votes = np.where(rng.random((300, 3)) < 0.8, truth[:, None], rng.integers(n_classes, size=(300, 3)))
    rows = [f"{i},{','.join(f'c{v}' for v in row)}" for i, row in enumerate(votes.tolist())]
    (tmp_path / "votes.csv").write_text("\n".join(["id,a,b,c", *rows]))
    (tmp_path / "gold.csv").write_text("\n".join(["id,label", *(f"{i},c{truth[i]}" for i in range(0, 300, 4))]))
    printed = run("label", *files(tmp_path)).stdout
    assert ("precision and recall are found for up to 20 classes; there are 21" in printed) == (n_classes == 21)
    assert ("Right labels by class" in printed) == (n_classes == 20)

"""thumbwise certify: files in, a sentence that can be quoted out; bad input is one message and exit code 2."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import thumbwise as tw
from cli.rows import Run, make_rows
from thumbwise.game.ranges import add_rule, certify
from thumbwise.numerics.intervals import hypergeometric_bounds

CLASSES = ("ham", "spam")


def pool() -> tuple[tw.Votes, tw.Box]:
    ids, truth, array = make_rows()
    votes = tw.Votes(array, class_names=CLASSES, rule_names=["caps", "links", "length"], item_ids=ids)
    return votes, tw.Box.from_gold(votes.take(range(30)), truth[:30], pool=votes, gold_is="subset")


def predicted(seed: int = 1, accuracy: float = 0.9) -> np.ndarray:
    _, truth, _ = make_rows()
    return np.where(np.random.default_rng(seed).random(60) < accuracy, truth, 1 - truth)


def write(folder: Path, name: str, labels: np.ndarray, column: str = "prediction") -> Path:
    ids = make_rows()[0]
    rows = [f"{i},{CLASSES[c]}" for i, c in reversed(list(zip(ids, labels, strict=True)))]
    (folder / name).write_text("\n".join([f"id,{column}", *rows]) + "\n")
    return folder / name


@pytest.fixture
def arguments(folder: Path) -> list[object]:
    model = write(folder, "model.csv", predicted())
    return ["certify", model, "--votes", folder / "votes.csv", "--gold", folder / "gold.csv"]


def test_the_sentence_is_that_of_the_library(arguments: list[object], run: Run) -> None:
    votes, box = pool()
    answer = run(*arguments)
    assert answer.exit_code == 0
    assert str(certify(predicted(), votes, box)) in answer.stdout
    assert "on these 60 items lies between" in answer.stdout
    assert "--gold-unseen" in answer.stdout


def test_a_model_that_has_not_seen_gold_gets_an_interval(arguments: list[object], run: Run) -> None:
    votes, _ = pool()
    more, truth = add_rule(votes, predicted()), make_rows()[1]
    box = tw.Box.from_gold(more.take(range(30)), truth[:30], pool=more, gold_is="subset", confidence_level=0.995)
    lower, upper = box.lower.copy(), box.upper.copy()
    # Nine tenths of the error are for what is asked: the model is a rule, behind the three of the votes.
    n_right = int((predicted() == truth)[:30].sum())
    lower[3], upper[3] = (bound / 60 for bound in hypergeometric_bounds(n_right, 30, 60, 0.045))
    asked = replace(box, lower=lower, upper=upper, evidence=replace(box.evidence, confidence_level=0.95))
    assert str(certify(predicted(), more, asked)) in run(*arguments, "--gold-unseen").stdout


@pytest.mark.parametrize("options", [[], ["--gold-unseen"], ["--gold-unseen", "--confidence", "0.8"]])
def test_python_gives_the_same_range(arguments: list[object], folder: Path, run: Run, options: list[str]) -> None:
    reading = tw.read_votes(folder / "votes.csv", gold=folder / "gold.csv")
    predictions = tw.read_predictions(folder / "model.csv", reading)
    level = float(options[-1]) if "--confidence" in options else 0.95
    certified = tw.certify(predictions, reading, gold_unseen="--gold-unseen" in options, confidence_level=level)
    assert str(certified) in run(*arguments, *options).stdout.splitlines()


def test_differences(arguments: list[object], folder: Path, run: Run) -> None:
    votes, box = pool()
    other = write(folder, "other.csv", predicted(2, 0.3), "label")
    answer = run(*arguments, "--versus", other)
    assert str(certify(predicted(), votes, box, versus=predicted(2, 0.3))) in answer.stdout


def test_the_output_of_label_can_be_certified(folder: Path, run: Run) -> None:
    files = [folder / "votes.csv", "--gold", folder / "gold.csv"]
    said = run("label", *files, "-o", folder / "labels.csv").stdout
    answer = run("certify", folder / "labels.csv", "--votes", *files, "--metric", "all")
    assert answer.exit_code == 0
    for name in ("accuracy", "mean log loss", "mean Brier score"):
        assert f"the {name} of these predictions on these 60 items lies between" in answer.stdout
    bound = re.search(r"\((\d\.\d+) over all 60;", said)
    worst = re.search(r"log loss of .* between \S+ and (\d\.\d+)", answer.stdout)
    assert bound is not None
    assert worst is not None
    assert bound[1] == worst[1]


SHAPES: dict[str, Callable[[list[str]], list[str]]] = {
    "label's own file": lambda rows: rows,
    "the same without what shows it": lambda rows: [",".join(row.split(",")[:2]) for row in rows],
}


@pytest.mark.parametrize("kind", SHAPES)
def test_labels_that_know_gold_are_not_unseen_and_the_flag_is_not_suggested(folder: Path, run: Run, kind: str) -> None:
    files = [folder / "votes.csv", "--gold", folder / "gold.csv"]
    run("label", *files, "-o", folder / "labels.csv")
    rows = SHAPES[kind]((folder / "labels.csv").read_text().splitlines())
    (folder / "labels.csv").write_text("\n".join(rows) + "\n")
    plain = run("certify", folder / "labels.csv", "--votes", *files)
    assert plain.exit_code == 0
    assert "--gold-unseen" not in plain.stdout
    assert "the range holds all the same" in plain.stdout
    answer = run("certify", folder / "labels.csv", "--votes", *files, "--gold-unseen")
    assert answer.exit_code == 2
    assert answer.stdout == ""
    assert answer.stderr.startswith("error: --gold-unseen must be true: ")
    wanted = "agree with all 30 gold labels" if "without" in kind else "labels that thumbwise made with gold labels"
    assert wanted in answer.stderr
    assert "Drop --gold-unseen" in answer.stderr


def test_the_other_model_must_not_know_gold_either(arguments: list[object], folder: Path, run: Run) -> None:
    knows = write(folder, "knows.csv", make_rows()[1])
    answer = run(*arguments, "--versus", knows, "--gold-unseen")
    assert answer.exit_code == 2
    assert f"the predictions of {knows} agree with all 30 gold labels" in answer.stderr
    reading = tw.read_votes(folder / "votes.csv", gold=folder / "gold.csv")
    ours, theirs = (tw.read_predictions(path, reading) for path in (folder / "model.csv", knows))
    with pytest.raises(tw.InvalidLabelsError) as caught:
        tw.certify(ours, reading, versus=theirs, gold_unseen=True)
    assert f"error: {str(caught.value).replace('gold_unseen', '--gold-unseen')}\n" == answer.stderr


def contradicting(folder: Path) -> list[object]:
    """Two rules that always disagree, and gold on which each is right: no labeling does that."""
    first = np.random.default_rng(0).integers(2, size=400)
    votes = np.column_stack([first, 1 - first])
    votes[:50, 1], votes[50:100, 0] = -1, -1
    labels = np.where(np.arange(100) < 50, first[:100], 1 - first[:100])
    rows = [",".join([f"i{i}", *("" if v < 0 else CLASSES[v] for v in row)]) for i, row in enumerate(votes)]
    (folder / "votes.csv").write_text("\n".join(["id,a,b", *rows]) + "\n")
    gold = [f"i{i},{CLASSES[y]}" for i, y in enumerate(labels)]
    (folder / "gold.csv").write_text("\n".join(["id,label", *gold]) + "\n")
    model = [f"i{i},{CLASSES[y]}" for i, y in enumerate(first)]
    (folder / "model.csv").write_text("\n".join(["id,label", *model]) + "\n")
    return [folder / "votes.csv", "--gold", folder / "gold.csv"]


@pytest.mark.parametrize("command", ["certify", "plan", "compare", "check", "label"])
def test_no_command_names_an_option_that_it_does_not_have(tmp_path: Path, run: Run, command: str) -> None:
    files = contradicting(tmp_path)
    given = [tmp_path / "model.csv", "--votes"] if command == "certify" else []
    answer = run(command, *given, *files)
    said = answer.stdout + answer.stderr
    assert "contradict" in said or "TW303" in said or command == "compare"
    named = set(re.findall(r"(thumbwise \w+ )?(--[a-z-]+)", said))
    for other, option in named:
        asked = other.split()[1] if other else command
        assert option in run(asked, "--help").stdout, (asked, option)
    assert ("", "--on-infeasible") not in named or command == "label"
    assert "on_infeasible" not in said


def edit(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new)


BAD: dict[str, tuple[Callable[[str], str], list[str], str]] = {
    "unknown class": (edit(",spam", ",eggs"), [], r"\('ham', 'spam'\).*'eggs' in row \d+.*such rows"),
    "missing label": (lambda text: re.sub("0003,.*", "0003,", text), [], r"holds 'nothing' in row 56"),
    "missing item": (lambda text: text[: text.rindex("0000")], [], r"1 are without one, such as '0000'"),
    "strange item": (lambda text: text + "x9,ham\n", [], r"1 are not among the items, such as 'x9'"),
    "repeated item": (lambda text: text + "0000,ham\n", [], r"unique; '0000'.*1 rows too many"),
    "no id": (edit("id,", "number,"), [], r"a column of ids called 'id'"),
    "no prediction": (edit("prediction", "guess"), [], r"'label' or 'prediction'.*'p_ham'"),
    "log loss of labels": (str, ["--metric", "log_loss"], r"log_loss needs a column of probabilities"),
    "a level of 95": (str, ["--confidence", "95"], r"--confidence must lie between 0 and 1"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(arguments: list[object], folder: Path, run: Run, case: str) -> None:
    change, options, pattern = BAD[case]
    (folder / "model.csv").write_text(change((folder / "model.csv").read_text()))
    answer = run(*arguments, *options)
    assert answer.exit_code == 2
    assert answer.stdout == ""
    assert answer.stderr.startswith("error: ")
    assert answer.stderr.count("\n") == 1
    assert re.search(pattern, answer.stderr), answer.stderr


@pytest.mark.parametrize(
    ("rows", "pattern"),
    [
        ("0.5,0.6", r"sum to 1 in each row; row 0 is \[0.5, 0.6\].*60 such rows"),
        ("0.5,x", r"column 'p_spam' of .* must hold numbers; found 'x' in row 0"),
        ("0.5,", r"column 'p_spam' of .* must hold numbers; found 'nothing' in row 0"),
    ],
)
def test_bad_probabilities(arguments: list[object], folder: Path, run: Run, rows: str, pattern: str) -> None:
    lines = [f"{i},{rows}" for i in make_rows()[0]]
    (folder / "model.csv").write_text("\n".join(["id,p_ham,p_spam", *lines]) + "\n")
    answer = run(*arguments, "--metric", "log_loss")
    assert answer.exit_code == 2
    assert re.search(pattern, answer.stderr), answer.stderr


def test_a_class_without_probabilities(arguments: list[object], folder: Path, run: Run) -> None:
    (folder / "model.csv").write_text("\n".join(["id,p_ham", *(f"{i},1" for i in make_rows()[0])]))
    answer = run(*arguments)
    assert answer.exit_code == 2
    assert "'p_spam' missing" in answer.stderr

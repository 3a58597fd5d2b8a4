"""The first command that anybody runs."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import thumbwise as tw
from cli.rows import Run
from thumbwise.datasets.demo import load_demo, misled, score_methods
from thumbwise.datasets.tumours import THRESHOLDS
from thumbwise.tables.table_files import read_table

DEMO = [sys.executable, "-c", "from thumbwise.cli.main import main; main()", "demo"]


def fitted() -> tw.BalsubramaniFreund:
    demo = load_demo()
    box = tw.Box.from_gold(
        demo.votes.take(demo.gold), demo.labels[demo.gold], pool=demo.votes, confidence_level=0.95, gold_is="subset"
    )
    return tw.BalsubramaniFreund().fit(demo.votes, box=box)


def test_the_real_command_prints_the_certificate_and_the_truth() -> None:
    answer = subprocess.run(DEMO, capture_output=True, text=True, check=True)
    model, demo = fitted(), load_demo()
    assert answer.stderr == ""
    assert str(model.certificate_) in answer.stdout
    assert all(name in answer.stdout for name in demo.votes.rule_names)
    others = np.setdiff1d(np.arange(2000), demo.gold)
    votes, labels = demo.votes.take(others), demo.labels[others]
    loss, accuracy = tw.metrics.log_loss(labels, model.predict_proba(votes)), model.score(votes, labels)
    assert re.search(rf"thumbwise +{loss:.3f} +{accuracy:.3f}", answer.stdout)
    majority = tw.MajorityVote().fit(demo.votes).predict_proba(votes).argmax(axis=1)
    assert re.search(rf"majority vote .* {(majority == labels).mean():.3f}", answer.stdout)
    assert f"The bound held: the mean log loss on these items is {loss:.3f}" in answer.stdout
    assert "thumbwise label votes.csv --gold gold.csv -o labels.csv" in answer.stdout.splitlines()[-2]
    certificate = model.certificate_
    proved = [str(certificate.accuracy), str(certificate)]
    assert [line for line in answer.stdout.splitlines() if len(line) > 80] == proved


def test_it_wins_its_own_table() -> None:
    demo = load_demo()
    ours, *others = score_methods(demo, fitted())
    assert len(others) == 4
    assert ours.log_loss < min(row.log_loss for row in others)
    assert ours.accuracy >= max(row.accuracy for row in others)


def test_the_table_is_made_by_the_methods_themselves() -> None:
    demo = load_demo()
    rest = np.setdiff1d(np.arange(2000), demo.gold)
    by_name = {row.method: row for row in score_methods(demo, fitted())}
    codes = np.concatenate([demo.votes.array == c for c in (-1, 0, 1, 2)], axis=1).astype(float)
    regression = LogisticRegression(max_iter=1000).fit(codes[demo.gold], demo.labels[demo.gold])
    given = regression.predict_proba(codes[rest])[np.arange(len(rest)), demo.labels[rest]]
    row = by_name["logistic regression on gold's votes"]
    assert abs(row.log_loss + np.log(np.maximum(given, 1e-3)).mean()) < 1e-3
    assert abs(row.accuracy - regression.score(codes[rest], demo.labels[rest])) < 1e-3


def test_misled_items_are_those_on_which_a_majority_errs() -> None:
    demo = load_demo()
    counts = np.stack([(demo.votes.array == c).sum(axis=1) for c in range(3)], axis=1)
    alone = (counts == counts.max(axis=1, keepdims=True)).sum(axis=1) == 1
    errs = alone & (counts.argmax(axis=1) != demo.labels)
    np.testing.assert_array_equal(misled(demo), np.setdiff1d(np.flatnonzero(errs), demo.gold))


def test_the_bound_is_informative_and_holds() -> None:
    model, demo = fitted(), load_demo()
    loss = tw.metrics.log_loss(demo.labels, model.predict_proba(demo.votes), clip=0)
    assert loss <= model.certificate_.log_loss_bound < 0.5 * np.log(3)
    assert model.certificate_.is_guarantee


def test_the_tumours_rules_are_imperfect_abstain_and_overlap() -> None:
    tumours = tw.datasets.load_tumours()
    array = tumours.votes.array
    assert tumours.votes.class_names == ("malignant", "benign")
    assert tumours.votes.rule_names == tuple(rule.name for rule in THRESHOLDS)
    for votes in array.T:
        voted = votes >= 0
        assert 0.3 < voted.mean() < 0.9
        assert 0.7 < (votes[voted] == tumours.labels[voted]).mean() < 1
        assert {0, 1} <= set(votes.tolist())
    assert ((array >= 0).sum(axis=1) >= 2).mean() > 0.8


def test_the_demo_is_the_same_at_every_call() -> None:
    first, second = load_demo(), load_demo()
    assert first.votes.fingerprint == second.votes.fingerprint
    np.testing.assert_array_equal(first.gold, second.gold)
    assert len(np.unique(first.gold)) == 120


def test_written_files_reproduce_it(tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "new" / "folder"
    shown = run("demo", "--write", folder)
    assert shown.exit_code == 0
    assert f"thumbwise label {folder}/votes.csv --gold {folder}/gold.csv -o labels.csv" in shown.stdout
    assert sorted(path.name for path in folder.iterdir()) == ["gold.csv", "items.csv", "votes.csv"]
    answer = run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "-o", tmp_path / "labels.csv")
    assert answer.exit_code == 0
    model, demo = fitted(), load_demo()
    assert str(model.certificate_) in answer.stdout
    table = read_table(tmp_path / "labels.csv")
    assert table.columns["id"].tolist() == demo.item_ids.tolist()
    written = table.columns["p_right"].data.astype(float)
    # Files have classes in the order of the alphabet, and the learned opinion is fitted to some digits only.
    np.testing.assert_allclose(written, model.predict_proba(demo.votes)[:, 0], rtol=0, atol=1e-3)


def test_a_folder_that_cannot_be_made(tmp_path: Path, run: Run) -> None:
    (tmp_path / "file").write_text("x")
    answer = run("demo", "--write", tmp_path / "file")
    assert answer.exit_code == 2
    assert answer.stderr.startswith("error: the folder")
    assert answer.stdout == ""


def page(name: str) -> str:
    """Words of a page, each line by itself no longer."""
    text = (Path(__file__).parents[2] / name).read_text()
    return " ".join(text.replace("\n> ", " ").split())


@pytest.mark.parametrize("name", ["README.md", "docs/start.md"])
def test_the_sentence_that_is_quoted_is_what_it_prints(name: str) -> None:
    assert str(fitted().certificate_.accuracy) in page(name)


def test_the_table_that_is_quoted_is_what_it_prints() -> None:
    text = (Path(__file__).parents[2] / "docs/start.md").read_text()
    for row in score_methods(load_demo(), fitted()):
        assert re.search(rf"{row.method} +{row.log_loss:.3f} +{row.accuracy:.3f}\n", text), row
    assert f"is at most {fitted().certificate_.log_loss_bound:.3f}" in page("docs/start.md")


def test_the_shares_that_the_readme_quotes_are_those_of_the_table() -> None:
    right = {row.method: f"{100 * row.accuracy:.1f} %" for row in score_methods(load_demo(), fitted())}
    told = (
        "a majority vote has {majority vote} of the answers right, Dawid-Skene {Dawid-Skene}, and thumbwise {thumbwise}"
    )
    assert told.format(**right) in page("README.md")

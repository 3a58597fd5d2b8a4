"""The first command that anybody runs."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np

import thumbwise as tw
from cli.rows import Run
from thumbwise.datasets.demo import THRESHOLDS, load_demo
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
    assert all(rule.name in answer.stdout for rule in THRESHOLDS)
    others = np.setdiff1d(np.arange(569), demo.gold)
    votes, labels = demo.votes.take(others), demo.labels[others]
    loss, accuracy = tw.metrics.log_loss(labels, model.predict_proba(votes)), model.score(votes, labels)
    assert re.search(rf"Balsubramani-Freund +{loss:.3f} +{accuracy:.3f}", answer.stdout)
    majority = tw.MajorityVote().fit(demo.votes)
    assert re.search(rf"majority vote .* {majority.score(votes, labels):.3f}", answer.stdout)
    assert "best rule on gold: worst radius" in answer.stdout
    assert f"The bound held: the mean log loss on these items is {loss:.3f}" in answer.stdout
    assert "thumbwise label votes.csv --gold gold.csv -o labels.csv" in answer.stdout.splitlines()[-2]


def test_the_bound_is_informative_and_holds() -> None:
    model, demo = fitted(), load_demo()
    loss = tw.metrics.log_loss(demo.labels, model.predict_proba(demo.votes), clip=0)
    assert loss <= model.certificate_.log_loss_bound < 0.6 * np.log(2)
    assert model.certificate_.is_guarantee


def test_the_rules_are_imperfect_abstain_and_overlap() -> None:
    demo = load_demo()
    array = demo.votes.array
    assert demo.votes.class_names == ("malignant", "benign")
    assert 6 <= demo.votes.n_rules <= 8
    for votes in array.T:
        voted = votes >= 0
        assert 0.3 < voted.mean() < 0.9
        assert 0.7 < (votes[voted] == demo.labels[voted]).mean() < 1
        assert {0, 1} <= set(votes.tolist())
    assert ((array >= 0).sum(axis=1) >= 2).mean() > 0.8


def test_the_demo_is_the_same_at_every_call() -> None:
    first, second = load_demo(), load_demo()
    assert first.votes.fingerprint == second.votes.fingerprint
    np.testing.assert_array_equal(first.gold, second.gold)
    assert len(np.unique(first.gold)) == 100


def test_written_files_reproduce_it(tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "new" / "folder"
    shown = run("demo", "--write", folder)
    assert shown.exit_code == 0
    assert f"thumbwise label {folder}/votes.csv --gold {folder}/gold.csv -o labels.csv" in shown.stdout
    assert sorted(path.name for path in folder.iterdir()) == ["gold.csv", "votes.csv"]
    answer = run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "-o", tmp_path / "labels.csv")
    assert answer.exit_code == 0
    model, demo = fitted(), load_demo()
    assert str(model.certificate_) in answer.stdout
    table = read_table(tmp_path / "labels.csv")
    assert table.columns["id"].tolist() == demo.item_ids.tolist()
    written = table.columns["p_malignant"].data.astype(float)
    np.testing.assert_allclose(written, model.predict_proba(demo.votes)[:, 0], atol=1e-9)


def test_a_folder_that_cannot_be_made(tmp_path: Path, run: Run) -> None:
    (tmp_path / "file").write_text("x")
    answer = run("demo", "--write", tmp_path / "file")
    assert answer.exit_code == 2
    assert answer.stderr.startswith("error: the folder")
    assert answer.stdout == ""

"""thumbwise label --drop: a rule left out, with its part of the error budget spent."""

from pathlib import Path

import pytest

import thumbwise as tw
from cli.rows import Run, make_rows


def test_the_certificate_is_that_of_the_box_without_the_rules(folder: Path, run: Run) -> None:
    ids, truth, array = make_rows()
    votes = tw.Votes(array, class_names=["ham", "spam"], rule_names=["caps", "links", "length"], item_ids=ids)
    box = tw.Box.from_gold(votes.take(range(30)), truth[:30], pool=votes, gold_is="subset")
    arguments = ["label", folder / "votes.csv", "--gold", folder / "gold.csv"]
    for dropped in (["caps"], ["caps", "length"]):
        model = tw.BalsubramaniFreund().fit(votes, box=box.without_rules(dropped))
        answer = run(*arguments, *(word for name in dropped for word in ("--drop", name)))
        assert answer.exit_code == 0
        assert str(model.certificate_) in answer.stdout
        assert f"left out: {', '.join(map(repr, dropped))}; their parts of the error budget stay spent" in answer.stdout
    assert "left out" not in run(*arguments).stdout


def test_files_that_stay_files_do_the_same(folder: Path, run: Run) -> None:
    pytest.importorskip("duckdb")
    here = run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "--drop", "caps").stdout
    there = run("label", folder / "vote*.csv", "--gold", folder / "gold.csv", "--drop", "caps").stdout
    sentence = next(line for line in here.splitlines() if "With 95 % confidence" in line)
    assert sentence in there


def test_a_rule_that_is_not_there(folder: Path, run: Run) -> None:
    answer = run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "--drop", "cap")
    assert answer.exit_code == 2
    assert "Did you mean 'caps'?" in answer.stderr
    assert answer.stdout == ""

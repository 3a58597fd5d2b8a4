"""thumbwise plan --rate and --accuracy: the numbers of the library in a table, a sentence, JSON, and refusals."""

import json
from pathlib import Path

import pytest

import thumbwise as tw
from cli.rows import Run
from thumbwise.assess.planned_rates import points
from thumbwise.outward import percent, percent_at_least


def test_both_are_printed_and_the_loss_is_not(folder: Path, run: Run) -> None:
    votes, gold = folder / "votes.csv", folder / "gold.csv"
    answer = run("plan", votes, "--gold", gold, "--rate", "spam", "--within", "0.05", "--accuracy", "0.7")
    assert answer.exit_code == 0, answer.stderr
    reading = tw.read_votes(votes, gold=gold)
    share, right = tw.plan_rate(reading, of="spam", within=0.05), tw.plan_accuracy(reading, at_least=0.7)
    rows = [line.split() for line in answer.stdout.splitlines()]
    for n_gold, within in share.rows:
        assert [f"{n_gold}", points(within)] in rows
    for n_gold, at_least in right.rows:
        assert [f"{n_gold}", *percent_at_least(at_least).split()] in rows
    assert str(share) in answer.stdout
    assert str(right) in answer.stdout
    assert "log loss" not in answer.stdout


def test_accepted_labels_are_planned(folder: Path, run: Run) -> None:
    votes, gold = folder / "votes.csv", folder / "gold.csv"
    answer = run("plan", votes, "--gold", gold, "--precision", "0.7")
    assert answer.exit_code == 0, answer.stderr
    planned = tw.plan_triage(tw.read_votes(votes, gold=gold), precision=0.7)
    rows = [line.split() for line in answer.stdout.splitlines()]
    for n_gold, accepted in planned.rows:
        assert [f"{n_gold}", *percent(accepted).split()] in rows
    assert " ".join(str(planned).split()) in " ".join(answer.stdout.split())
    assert "log loss" not in answer.stdout


def test_json_has_every_plan_and_is_alone_on_stdout(folder: Path, run: Run) -> None:
    votes, gold = folder / "votes.csv", folder / "gold.csv"
    aims = ["--rate", "spam", "--within", "0.05", "--accuracy", "0.7", "--precision", "0.7", "--target", "0.3"]
    answer = run("plan", votes, "--gold", gold, *aims, "--json", "-")
    assert answer.exit_code == 0, answer.stderr
    loss, share, right, accepted = json.loads(answer.stdout)["plans"]
    reading = tw.read_votes(votes, gold=gold)
    planned = tw.plan_rate(reading, of="spam", within=0.05)
    assert (share["plan"], share["of"], share["needed"], share["n_gold"]) == ("rate", "spam", planned.needed, 30)
    assert [(row["n_gold"], row["planned_within"]) for row in share["rows"]] == [*planned.rows]
    assert share["sentence"] == str(planned)
    proved = tw.plan_accuracy(reading, at_least=0.7)
    assert (right["needed"], right["at_least"]) == (proved.needed, 0.7)
    assert right["expected"] == pytest.approx(proved.expected)
    assert accepted["most"] == pytest.approx(tw.plan_triage(reading, precision=0.7).most)
    bounds = tw.plan(reading, target=0.3)
    assert (loss["target"], loss["needed"]) == (0.3, bounds.needed(0.3))
    assert loss["bound"] == pytest.approx(bounds.bound)
    assert {row["rule"] for row in loss["worth"]} == {"caps", "links", "length"}


def test_json_is_written_to_a_new_file(folder: Path, run: Run) -> None:
    asked = ["plan", folder / "votes.csv", "--rate", "spam", "--within", "0.1", "--json", folder / "plan.json"]
    answer = run(*asked)
    assert f"written: {folder / 'plan.json'}" in answer.stdout.replace("\n", "")
    assert [one["plan"] for one in json.loads((folder / "plan.json").read_text())["plans"]] == ["rate"]
    assert run(*asked).exit_code == 2
    assert run(*asked, "--overwrite").exit_code == 0


def test_a_target_is_planned_besides(folder: Path, run: Run) -> None:
    aims = ["--rate", "spam", "--within", "0.05", "--target", "0.3"]
    answer = run("plan", folder / "votes.csv", "--gold", folder / "gold.csv", *aims)
    assert "The target of 0.3" in answer.stdout
    assert "the share of spam within 5 points" in answer.stdout


def test_without_gold_a_share_is_planned_and_items_are_drawn(folder: Path, run: Run) -> None:
    aims = ["--rate", "spam", "--within", "0.1"]
    answer = run("plan", folder / "votes.csv", *aims, "--draw", "20", "-o", folder / "first.csv")
    assert answer.exit_code == 0
    assert "there is none yet, so this is for a share of one half" in answer.stdout
    assert (folder / "first.csv").exists()
    assert run("plan", folder / "votes.csv", *aims).exit_code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rate", "spam"], "found one without the other"),
        (["--within", "0.03"], "found one without the other"),
        (["--rate", "spam", "--within", "0.5"], "--within must be half of the width"),
        (["--rate", "spam", "--within", "0"], "--within must be half of the width"),
        (["--rate", "spm", "--within", "0.03"], "--rate must name a class ('ham', 'spam'); found 'spm'. Is 'spam'"),
        (["--accuracy", "0.5"], "--accuracy must be a share of right labels above 1/2"),
        (["--accuracy", "1"], "--accuracy must be a share of right labels above 1/2"),
        (["--precision", "1"], "--precision must lie between 0 and 1, such as 0.95 for 95 %; found 1.0."),
    ],
)
def test_bad_aims_are_one_message(folder: Path, run: Run, options: list[str], message: str) -> None:
    answer = run("plan", folder / "votes.csv", "--gold", folder / "gold.csv", *options)
    assert answer.exit_code == 2
    assert message in " ".join(answer.stderr.split())
    assert answer.stdout == ""


def test_right_labels_need_gold(folder: Path, run: Run) -> None:
    answer = run("plan", folder / "votes.csv", "--accuracy", "0.8")
    assert answer.exit_code == 2
    assert "gold labels are needed" in answer.stderr

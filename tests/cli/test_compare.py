"""thumbwise compare: the numbers of the library in tables, a verdict, and one message for bad input."""

from dataclasses import replace
from pathlib import Path

import pytest

import thumbwise as tw
from cli.rows import Run, make_rows
from cli.test_command_words import assert_no_python
from thumbwise.assess.comparison import compare
from thumbwise.models.dawid_skene import DawidSkene
from thumbwise.numerics.expectation_maximisation import ascend


def test_everything_is_printed(folder: Path, run: Run) -> None:
    answer = run("compare", folder / "votes.csv", "--gold", folder / "gold.csv", "--confidence", "0.8")
    ids, truth, array = make_rows()
    votes = tw.Votes(array, class_names=["ham", "spam"], rule_names=["caps", "links", "length"], item_ids=ids)
    found = compare(votes.take(range(30)), truth[:30], pool=votes, gold_is="subset", confidence_level=0.8)
    assert answer.exit_code == 0
    assert answer.stderr == ""
    lines = [" ".join(line.split()) for line in answer.stdout.splitlines()]
    for row in found.scores:
        assert any(line.startswith(f"{row.method} {row.log_loss:.3f} ") for line in lines)
    for difference in found.differences:
        real = "yes" if difference.is_real else "no"
        assert any(
            line.startswith(f"{difference.method} {difference.mean:+.3f} ") and line.endswith(f" {real}")
            for line in lines
        )
    for pair in found.error_pairs:
        assert f"{pair.first} {pair.second} {pair.correlation:+.2f} {pair.n_shared}" in lines
    assert str(found) in answer.stdout
    assert "The 3 rules amount to" in answer.stdout


def test_names_are_plain_text_with_control_characters_visible(folder: Path, run: Run) -> None:
    text = (folder / "votes.csv").read_text().replace("links", "[b]\x1bx", 1)
    (folder / "votes.csv").write_text(text)
    answer = run("compare", folder / "votes.csv", "--gold", folder / "gold.csv")
    assert answer.exit_code == 0
    assert "[b]\\x1bx" in answer.stdout
    assert "\x1b" not in answer.stdout


def test_what_is_left_out_and_what_did_not_converge_is_said_without_python(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("thumbwise.numerics.hyper_weights.find_spec", lambda _: None)
    monkeypatch.setitem(DawidSkene.fit.__globals__, "ascend", lambda *a, **k: replace(ascend(*a, **k), change=1.0))
    files = (folder / "votes.csv", "--gold", folder / "gold.csv")
    answer = run("compare", *files, "--methods", "hyper label model, Dawid-Skene, majority vote")
    assert answer.exit_code == 0
    assert "hyper label model is left out: HyperLabelModel needs the weights" in answer.stdout
    assert "since only the weights are read. " in answer.stdout
    assert "Dawid-Skene: Dawid-Skene still changes by 1.0e+00 after" in answer.stdout
    assert_no_python(answer.stdout)
    assert "weights=" not in answer.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--confidence", "95"], "--confidence must lie between 0 and 1"),
        (["--id", "nothing"], "must have a column 'nothing'"),
        (["--gold-label", "y"], "gold file must have a column 'y'"),
        (["--methods", "majority vote, GLAD"], "--methods must be some of 'Balsubramani-Freund', "),
    ],
)
def test_bad_input_is_one_message(folder: Path, run: Run, options: list[str], message: str) -> None:
    answer = run("compare", folder / "votes.csv", "--gold", folder / "gold.csv", *options)
    assert answer.exit_code == 2
    assert answer.stderr.startswith("error: ")
    assert answer.stderr.count("\n") == 1
    assert message in answer.stderr
    assert answer.stdout == ""


def test_one_gold_label_is_too_few(folder: Path, run: Run) -> None:
    (folder / "gold.csv").write_text("id,label\n0001,ham\n")
    answer = run("compare", folder / "votes.csv", "--gold", folder / "gold.csv")
    assert answer.exit_code == 2
    assert "at least two gold items" in answer.stderr


def test_methods_are_chosen_by_name(folder: Path, run: Run) -> None:
    answer = run(
        "compare", folder / "votes.csv", "--gold", folder / "gold.csv", "--methods", "Dawid-Skene (full), AMCL"
    )
    assert answer.exit_code == 0
    table = answer.stdout.split("Against Balsubramani-Freund")[0]
    assert all(name in table for name in ("Dawid-Skene (full)", "AMCL", "Balsubramani-Freund", "seconds"))
    assert "majority vote" not in table

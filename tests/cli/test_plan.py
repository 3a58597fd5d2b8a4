"""thumbwise plan: the numbers of the library in a table, a sentence, and one message for bad input."""

from pathlib import Path

import numpy as np
import pytest

import thumbwise as tw
from cli.rows import Run, make_rows
from thumbwise.assess.planning import Plan, plan
from thumbwise.outward import at_most


def planned(target: float | None = None) -> Plan:
    ids, truth, array = make_rows()
    votes = tw.Votes(array, class_names=["ham", "spam"], rule_names=["caps", "links", "length"], item_ids=ids)
    return plan(votes.take(range(30)), truth[:30], pool=votes, gold_is="subset", confidence_level=0.8, target=target)


def test_everything_is_printed(folder: Path, run: Run) -> None:
    answer = run("plan", folder / "votes.csv", "--gold", folder / "gold.csv", "--confidence", "0.8", "--target", "0.2")
    assert answer.exit_code == 0
    assert answer.stderr == ""
    expected = planned(0.2)
    rows = [line.split() for line in answer.stdout.splitlines()]
    for row in expected.rows:
        assert [f"{row.n_gold}", at_most(row.bound), at_most(row.bound_all)] in rows
    worth = {row.rule: row for row in expected.worth}
    for gain in expected.rule_gains:
        without = worth[gain.rule]
        cells = [
            f"{gain.n_unlabeled}",
            f"{100 * gain.gain:.4f}",
            at_most(without.bound_without),
            f"{without.worth:+.3f}",
        ]
        assert [gain.rule, *cells] in rows
    assert str(expected) in answer.stdout
    assert "The target of 0.2" in answer.stdout


def test_today_has_its_level_and_its_if_and_no_rule_is_to_be_labeled_first(folder: Path, run: Run) -> None:
    answer = run("plan", folder / "votes.csv", "--gold", folder / "gold.csv", "--confidence", "0.8")
    last = answer.stdout.splitlines()[-1]
    assert last.startswith("With 80 % confidence the mean log loss on the items without a gold label is at most ")
    assert "if the 30 gold items are a random sample of all 60 items." in last
    assert "votes on first" not in answer.stdout
    assert not any(rule in last for rule in ("caps", "links", "length"))


def test_the_worth_of_a_rule_comes_with_its_warning(folder: Path, run: Run) -> None:
    lines = run("plan", folder / "votes.csv", "--gold", folder / "gold.csv").stdout.splitlines()
    worth = next(i for i, line in enumerate(lines) if line.startswith("worth:"))
    assert "voids the guarantee" in lines[worth + 1]
    assert "--drop RULE" in lines[worth + 1]
    assert "never lowers the bound" in lines[worth + 1]


def test_today_is_the_best_that_label_could_certify_and_the_words_say_so(folder: Path, run: Run) -> None:
    arguments = [folder / "votes.csv", "--gold", folder / "gold.csv"]
    later = run("plan", *arguments).stdout
    today = float(later.split("the mean log loss on the items without a gold label is at most ")[1].split()[0])
    chosen, full = (
        float(run("label", *arguments, *options).stdout.split("is at most ")[1].split()[0])
        for options in ([], ["--caution", "1"])
    )
    assert today == full
    assert today <= chosen <= 1.05 * today + 0.001
    assert "gold labels of today and caution 1, if" in later
    assert "bounds are the best that gold proves, those of thumbwise label --caution 1" in later


def test_what_opinions_gain_is_printed(tmp_path: Path, run: Run) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=300)
    array = np.where(rng.random((300, 6)) < 0.75, truth[:, None], 1 - truth[:, None])
    rows = [f"{i},{','.join(map(str, row))}" for i, row in enumerate(array)]
    (tmp_path / "votes.csv").write_text("\n".join(["id,a,b,c,d,e,f", *rows]) + "\n")
    (tmp_path / "gold.csv").write_text("id,label\n" + "".join(f"{i},{truth[i]}\n" for i in range(60)))
    answer = run("plan", tmp_path / "votes.csv", "--gold", tmp_path / "gold.csv").stdout
    votes = tw.Votes(array, class_names=["0", "1"], rule_names=list("abcdef"), item_ids=[str(i) for i in range(300)])
    expected = plan(votes.take(range(60)), truth[:60], pool=votes, gold_is="subset").opinion_gain
    assert f"gain through what the rules say together: {100 * expected:.4f} per 100 labels" in answer
    assert expected > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "-1"], "target must be a mean log loss above 0; found -1"),
        (["--confidence", "95"], "--confidence must lie between 0 and 1"),
        (["--id", "nothing"], "must have a column 'nothing'"),
        (["--classes", "ham"], "must be one of the class names"),
    ],
)
def test_bad_input_is_one_message(folder: Path, run: Run, options: list[str], message: str) -> None:
    answer = run("plan", folder / "votes.csv", "--gold", folder / "gold.csv", *options)
    assert answer.exit_code == 2
    assert answer.stderr.startswith("error: ")
    assert answer.stderr.count("\n") == 1
    assert message in answer.stderr
    assert answer.stdout == ""


def test_gold_column_abstain_and_ignored_columns_are_read_as_by_label(folder: Path, run: Run) -> None:
    lines = (folder / "votes.csv").read_text().splitlines()
    gold = dict(line.split(",") for line in (folder / "gold.csv").read_text().splitlines())
    rows = [f"{line.replace(',,', ',?,')},{gold.get(line.split(',')[0], '')},x" for line in lines[1:]]
    (folder / "both.csv").write_text("\n".join([f"{lines[0]},truth,note", *rows]) + "\n")
    answer = run("plan", folder / "both.csv", "--gold-column", "truth", "--ignore", "note", "--abstain", "?")
    plain = run("plan", folder / "votes.csv", "--gold", folder / "gold.csv")
    assert answer.exit_code == 0
    assert answer.stdout.splitlines()[-1] == plain.stdout.splitlines()[-1]

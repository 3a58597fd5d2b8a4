"""thumbwise plan --draw: random items to label next, in a file that label takes as gold once it is filled in."""

from pathlib import Path

import pytest

from cli.rows import Run, make_rows


def fill_in(path: Path, skip: int | None = None) -> None:
    ids, truth, _ = make_rows()
    names = dict(zip(ids, (("ham", "spam")[y] for y in truth), strict=True))
    header, *rows = (line.split(",") for line in path.read_text().splitlines())
    for row in rows:
        row[1] = "" if skip is not None and row[2] == str(skip) else names[row[0]]
    path.write_text("\n".join(",".join(row) for row in [header, *rows]) + "\n")


def test_from_no_gold_to_a_certificate_in_two_rounds(folder: Path, run: Run) -> None:
    votes, first, second = folder / "votes.csv", folder / "first.csv", folder / "second.csv"
    answer = run("plan", votes, "--draw", "20", "-o", first, "--seed", "3")
    assert answer.exit_code == 0
    assert f"written: {first} (20 items drawn at random with seed 3, to be labeled)" in answer.stdout
    assert f"thumbwise label {votes} --gold {first}" in answer.stdout
    assert "looks" not in answer.stdout
    fill_in(first)
    answer = run("plan", votes, "--gold", first, "--draw", "10", "-o", second)
    assert answer.exit_code == 0
    assert "gold was drawn at random by thumbwise (seed 3): 20 of 60 items, and all of them" in answer.stdout
    assert f"written: {second} (20 gold labels as before, and 10 items drawn at random with seed 0" in answer.stdout
    assert "two looks with --confidence 0.975 hold at 95 %" in answer.stdout
    assert "Planned" in answer.stdout
    fill_in(second)
    labeled = run("label", votes, "--gold", second)
    assert labeled.exit_code == 0
    assert "gold: 30 items with a known class" in labeled.stdout
    assert "if the 30 gold items are a random sample of all 60 items" in labeled.stdout


@pytest.mark.parametrize("command", ["label", "plan"])
def test_a_gap_in_the_draw_takes_the_guarantee_away(folder: Path, run: Run, command: str) -> None:
    votes, to_label = folder / "votes.csv", folder / "to_label.csv"
    run("plan", votes, "--draw", "20", "-o", to_label)
    fill_in(to_label, skip=4)
    said = run(command, votes, "--gold", to_label).stdout
    assert "1 of the 20 items that were drawn have no label while later ones have" in said
    assert "No guarantee" in said
    assert "With 95 % confidence" not in said


def test_files_that_stay_files_do_the_same(folder: Path, run: Run) -> None:
    pytest.importorskip("duckdb")
    votes, to_label = folder / "votes.csv", folder / "to_label.csv"
    run("plan", votes, "--draw", "20", "-o", to_label)
    fill_in(to_label, skip=4)
    assert "No guarantee" in run("label", folder / "vote*.csv", "--gold", to_label).stdout


def test_a_file_that_is_there_is_never_written_over(folder: Path, run: Run) -> None:
    to_label = folder / "to_label.csv"
    arguments = ["plan", folder / "votes.csv", "--draw", "5", "-o", to_label]
    run(*arguments)
    fill_in(to_label)
    before = to_label.read_bytes()
    answer = run(*arguments)
    assert answer.exit_code == 2
    assert "it is there already" in answer.stderr
    assert to_label.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--draw", "5"], "found one without the other"),
        (["-o", "new.csv"], "found one without the other"),
        (["--draw", "31", "-o", "new.csv"], "31 for 30 such items"),
        (["--draw", "0", "-o", "new.csv"], "1 or more"),
        (["--draw", "5", "-o", "new.csv", "--seed", "-1"], "seed must be 0 or more"),
        (["--draw", "5", "-o", "new.txt"], "must end in one of"),
    ],
)
def test_bad_draws_are_one_message(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch, options: list[str], message: str
) -> None:
    monkeypatch.chdir(folder)
    before = sorted(folder.iterdir())
    answer = run("plan", "votes.csv", "--gold", "gold.csv", *options)
    assert answer.exit_code == 2
    assert message in answer.stderr
    assert answer.stderr.count("\n") == 1
    assert answer.stdout == ""
    assert sorted(folder.iterdir()) == before


def test_check_calls_a_gap_in_the_draw_an_error(folder: Path, run: Run) -> None:
    votes, to_label = folder / "votes.csv", folder / "to_label.csv"
    run("plan", votes, "--draw", "20", "-o", to_label)
    fill_in(to_label, skip=4)
    answer = run("check", votes, "--gold", to_label)
    assert answer.exit_code == 1
    assert "TW201 1 of the 20 items that were drawn have no label" in answer.stdout

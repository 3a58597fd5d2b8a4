"""thumbwise check: what is wrong, by code, and an exit code for CI."""

from pathlib import Path

from cli.rows import Run, make_rows


def test_a_swapped_rule_is_found_and_strict_exits_with_1(folder: Path, run: Run) -> None:
    ids, truth, votes = make_rows(400)
    names = ("ham", "spam")
    votes[:, 1] = [1 - y if v >= 0 else -1 for y, v in zip(truth, votes[:, 1], strict=True)]
    rows = [f"{i}," + ",".join("" if v < 0 else names[v] for v in row) for i, row in zip(ids, votes, strict=True)]
    (folder / "votes.csv").write_text("\n".join(["id,caps,links,length", *rows]))
    (folder / "gold.csv").write_text("id,label\n" + "".join(f"{ids[i]},{names[truth[i]]}\n" for i in range(0, 400, 3)))
    arguments = ("check", folder / "votes.csv", "--gold", folder / "gold.csv")
    answer = run(*arguments)
    assert answer.exit_code == 0, answer.stderr
    assert "TW101" in answer.stdout
    assert "links" in answer.stdout
    assert run(*arguments, "--strict").exit_code == 1
    assert answer.stdout.count("TW101") > run(*arguments, "--skip", "TW101").stdout.count("TW101")


def test_gold_that_is_no_random_sample_is_an_error(folder: Path, run: Run) -> None:
    ids, truth, votes = make_rows(400)
    names = ("ham", "spam")
    rows = [f"{i}," + ",".join("" if v < 0 else names[v] for v in row) for i, row in zip(ids, votes, strict=True)]
    (folder / "votes.csv").write_text("\n".join(["id,caps,links,length", *rows]))
    chosen = [i for i in range(400) if votes[i, 0] == 1]
    (folder / "gold.csv").write_text("id,label\n" + "".join(f"{ids[i]},{names[truth[i]]}\n" for i in chosen))
    answer = run("check", folder / "votes.csv", "--gold", folder / "gold.csv")
    assert answer.exit_code == 1
    assert "TW201" in answer.stdout


def test_bad_input_is_2(folder: Path, run: Run) -> None:
    answer = run("check", folder / "nothing.csv")
    assert answer.exit_code == 2
    assert "there is no file" in answer.stderr

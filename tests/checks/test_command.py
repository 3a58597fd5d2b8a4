"""thumbwise check: what is wrong in words, and an exit code for scripts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from checks.problems import Problem, make_problem
from thumbwise.cli.check import check_files
from thumbwise.exceptions import InvalidFileError
from thumbwise.io.roles import Roles


def write(folder: Path, problem: Problem) -> tuple[Path, Path]:
    names = ",".join(f"r{j}" for j in range(problem.table.shape[1]))
    rows = [f"i{i}," + ",".join("" if v < 0 else f"c{v}" for v in row) for i, row in enumerate(problem.table)]
    (folder / "votes.csv").write_text("\n".join([f"id,{names}", *rows]) + "\n")
    labels = [f"i{i},c{problem.truth[i]}" for i in np.flatnonzero(problem.is_gold)]
    (folder / "gold.csv").write_text("\n".join(["id,label", *labels]) + "\n")
    return folder / "votes.csv", folder / "gold.csv"


def test_nothing_wrong_is_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_files(*write(tmp_path, make_problem()), Roles(), strict=True) == 0
    *_, errs, last = capsys.readouterr().out.splitlines()
    assert errs == "(if nothing is wrong, TW101 or TW201 speaks with a probability of 6.0 % at most)"
    assert last == "19 of 19 checks made: nothing found."


def test_warnings_are_1_only_if_strict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    problem = make_problem()
    files = write(tmp_path, problem.with_rule(np.full(len(problem.truth), 1)))
    assert check_files(*files, Roles(), skip=["TW302"]) == 0
    out = capsys.readouterr().out
    assert ["TW104", "warning", "rule", "never", "votes", "or", "is", "constant"] in [
        x.split() for x in out.splitlines()
    ]
    assert "(checks.md#tw104)" in out
    assert check_files(*files, Roles(), strict=True, skip=["TW302"]) == 1


def test_notes_are_0_also_if_strict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = write(tmp_path, make_problem(n_gold=120, accuracies=(0.97, 0.97, 0.97, 0.97)))
    assert check_files(*files, Roles(), strict=True) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "19 of 19 checks made: 1 note."


def test_errors_are_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    problem = make_problem()
    is_gold = (problem.table[:, 0] == 1) & (np.arange(len(problem.truth)) < 900)
    files = write(tmp_path, Problem(problem.table, problem.truth, is_gold))
    assert check_files(*files, Roles(), skip=["TW302"]) == 1
    assert "TW201 The votes show that gold is not a random sample" in capsys.readouterr().out


def test_votes_alone_are_checked_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    votes, _ = write(tmp_path, make_problem())
    assert check_files(votes, None, Roles(), strict=True) == 0
    assert "not checked (needs gold labels): TW102, TW201, TW202, TW203, TW204, TW302" in capsys.readouterr().out


def test_a_file_that_is_not_there_is_an_error_of_the_family(tmp_path: Path) -> None:
    with pytest.raises(InvalidFileError):
        check_files(tmp_path / "no.csv", None, Roles())

"""The journal: what a torn, foreign or damaged file leads to, and who may write to a folder."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from experiments.small_experiment import measure_unless_marked, small_experiment
from thumbwise.exceptions import FailedFitError, InvalidFileError
from thumbwise.paper.experiments import journal as journals
from thumbwise.paper.experiments.journal import LOCK_NAME, Journal, locked, make_row
from thumbwise.paper.experiments.runner import run
from thumbwise.paper.experiments.specs import Experiment, Fit, Settings

SMALL = small_experiment(2)


def begin(path: Path) -> None:
    with Journal(path, SMALL) as journal:
        for fit in SMALL.fits[:3]:
            journal.append(fit, make_row(fit, {"log_loss": 0.1 + fit.run}))


def fits_in(path: Path, experiment: Experiment = SMALL) -> list[Fit]:
    with Journal(path, experiment) as journal:
        return list(journal.rows)


def test_a_line_torn_at_any_byte_costs_that_row_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # a thousand times would take seconds
    path = tmp_path / "small.jsonl"
    begin(path)
    whole = path.read_bytes()
    for n_bytes in range(len(whole)):
        path.write_bytes(whole[:n_bytes])
        n_rows = max(0, whole[:n_bytes].count(b"\n") - 1)
        with Journal(path, SMALL) as journal:
            assert list(journal.rows) == list(SMALL.fits[:n_rows])
            for fit in SMALL.fits[n_rows:3]:
                journal.append(fit, make_row(fit, {"log_loss": 0.1 + fit.run}))
        assert path.read_bytes() == whole


def test_floats_survive_to_the_last_bit(tmp_path: Path) -> None:
    fit, value = SMALL.fits[0], 0.1 + 0.2
    with Journal(tmp_path / "small.jsonl", SMALL) as journal:
        journal.append(fit, make_row(fit, {"log_loss": value}))
    with Journal(tmp_path / "small.jsonl", SMALL) as journal:
        assert journal.rows[fit]["log_loss"] == value


@pytest.mark.parametrize(
    "other",
    [
        small_experiment(3),
        replace(SMALL, settings=Settings(n_starts=7)),
        replace(SMALL, measure=measure_unless_marked),
    ],
    ids=["fits", "settings", "measure"],
)
def test_another_experiment_is_refused(other: Experiment, tmp_path: Path) -> None:
    path = tmp_path / "small.jsonl"
    begin(path)
    before = path.read_bytes()
    with pytest.raises(InvalidFileError, match="must belong to the experiment that is run"):
        Journal(path, other)
    assert path.read_bytes() == before


def test_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(tmp_path / "small.jsonl")
    monkeypatch.setattr(journals, "__version__", "99.0")
    with pytest.raises(InvalidFileError, match=r"thumbwise 99\.0"):
        Journal(tmp_path / "small.jsonl", SMALL)


def test_the_order_of_fits_and_the_place_of_data_do_not_matter(tmp_path: Path) -> None:
    begin(tmp_path / "small.jsonl")
    moved = replace(SMALL, fits=SMALL.fits[::-1], settings=Settings(tmp_path))
    assert fits_in(tmp_path / "small.jsonl", moved) == list(SMALL.fits[:3])


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"\x00\x00\x00", "line 3 is not"),
        (b"[1]", "line 3 is not"),
        (json.dumps(make_row(SMALL.fits[0], {})).encode(), "line 3 repeats a row"),
        (json.dumps(make_row(Fit("z", "A"), {})).encode(), "line 3 is no row of this experiment"),
    ],
)
def test_damage_inside_is_said(line: bytes, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "small.jsonl"
    begin(path)
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([*lines[:2], line, *lines[2:]]))
    with pytest.raises(InvalidFileError, match=problem):
        Journal(path, SMALL)


def test_zeros_after_a_crash_are_a_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "small.jsonl"
    begin(path)
    path.write_bytes(path.read_bytes() + b"\x00" * 40 + b"\n")
    assert fits_in(path) == list(SMALL.fits[:3])


def test_only_one_runner_per_folder(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(InvalidFileError, match="only one process may run experiments"):
        run(SMALL, tmp_path, processes=1)
    assert not (tmp_path / "small.jsonl").exists()
    with locked(tmp_path):
        pass


def test_a_lock_left_behind_is_taken_over(tmp_path: Path) -> None:
    (tmp_path / LOCK_NAME).write_text("1\n")
    with locked(tmp_path):
        assert (tmp_path / LOCK_NAME).read_text().strip().isdigit()


@pytest.mark.parametrize(("how", "said"), [("fail", "the numbers ran away"), ("die", "its process died")])
def test_a_fit_that_fails_is_named_and_the_rest_kept(how: str, said: str, tmp_path: Path) -> None:
    (tmp_path / how).touch()
    experiment = replace(small_experiment(4, data=tmp_path), measure=measure_unless_marked)
    with pytest.raises(FailedFitError, match=r"x/A/2/10/0") as caught:
        run(experiment, tmp_path, processes=1)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert how == "die" or "measure_unless_marked" in caught.value.__notes__[0]
    assert not (tmp_path / "small.parquet").exists()
    kept = (tmp_path / "small.jsonl").read_bytes()
    assert kept.count(b"\n") == 1 + 8
    (tmp_path / how).unlink()
    assert len(run(experiment, tmp_path, processes=1)) == 16
    assert (tmp_path / "small.jsonl").read_bytes().startswith(kept)


def test_fits_must_differ() -> None:
    with pytest.raises(ValueError, match="some occur twice"):
        replace(SMALL, fits=(Fit("x", "A"), Fit("x", "A")))

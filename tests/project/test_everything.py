"""One command runs every study that the documentation shows, leaves out what is done, and says what failed."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import pytest
from studies import everything
from studies.everything import RUNS, Run, is_done, run_one, seconds_of, to_do
from studies.pages import MARK, SPOKEN_BY, pages
from studies.results import write_results


def shown() -> dict[str, set[str]]:
    """Names of the figures on pages, by study."""
    found: dict[str, set[str]] = {}
    for page in pages():
        for mark in MARK.finditer(page.read_text(encoding="utf-8")):
            study, name = mark["name"].split("/", 1)
            found.setdefault(study, set()).add(name)
    return found


def test_every_study_on_a_page_is_run_and_no_other() -> None:
    assert {run.study for run in RUNS} == set(shown()) - set(SPOKEN_BY)


class _StopError(Exception):
    """With what was not understood."""


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_each_command_is_understood(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a whole: an option that a study does not know would stop it at once."""

    def stop(parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        given, rest = parser.parse_known_args(sys.argv[1:])
        assert given.keep and given.processes == 1
        assert run.draws is None or given.draws == max(2, run.draws // 10)
        raise _StopError(rest)

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", stop)
    monkeypatch.setattr(sys, "argv", ["study", *run.arguments(0.1), "--keep", "--processes", "1"])
    with pytest.raises(_StopError) as stopped:
        import_module(f"studies.{run.study}").main()
    assert stopped.value.args == ([],)


def keep(folder: Path, made: datetime, command: str, seconds: int = 12) -> None:
    table = {"lines": [], "command": command, "made": made.isoformat(), "processor_seconds": seconds}
    write_results("rates", {"tables": {"100 labels": table}}, folder)


def test_what_was_kept_since_the_code_changed_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(everything, "FOLDER", tmp_path)
    monkeypatch.setattr(everything, "read_results", lambda study: _read(tmp_path, study))
    run, now = Run("rates", 200, "--gold 50"), datetime.now(UTC)
    assert not is_done(run, 1.0, now), "nothing was kept"
    keep(tmp_path, now, "python -m studies.rates --gold 50 --draws 200")
    assert is_done(run, 1.0, now - timedelta(minutes=1))
    assert not is_done(run, 1.0, now + timedelta(minutes=1)), "the code is newer"
    assert not is_done(run, 0.5, now - timedelta(minutes=1)), "with fewer draws it is another command"
    assert not is_done(run, 1.0, None), "without a history nothing is known to be done"
    assert seconds_of(run) == 12


def _read(folder: Path, study: str) -> Any:
    from studies.results import read_results

    return read_results(study, folder)


def test_the_longest_is_begun_first_and_only_what_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(everything, "seconds_of", lambda run: len(run.study))
    assert [len(run.study) for run in to_do([], 1.0, False)] == sorted((len(r.study) for r in RUNS), reverse=True)
    assert {run.study for run in to_do(["checking"], 1.0, False)} == {"checking"}


def test_a_study_that_fails_is_named_with_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(everything, "LOGS", tmp_path / "logs")
    said = run_one(Run("no_such_study", 20), 0.5)
    assert said.startswith("FAILED, see ") and "python -m studies.no_such_study --draws 10" in said
    assert "No module named studies.no_such_study" in (tmp_path / "logs" / "no_such_study.log").read_text()

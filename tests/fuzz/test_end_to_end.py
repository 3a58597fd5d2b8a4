"""Whole runs of the command line on random files say what Python says; a run that does not is found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fuzz.end_to_end import Mismatch, kept_seeds, try_seed
from fuzz.end_to_end_cases import (
    COMMANDS,
    ENDINGS,
    LAZY,
    draw_case,
    read_back,
    readable_formats,
    write_case,
    write_columns,
)

import thumbwise as tw
from fuzz import end_to_end

PLAIN = {"ham", "spam", "eggs", "bacon"}
DRAWN = range(10_000_000, 10_002_000)


def seed_of(command: str, *, is_lazy: bool = False) -> int:
    """The first seed with a run of this kind, whose names are plain."""
    for seed in DRAWN:
        case = draw_case(seed)
        if (case.command, case.is_lazy) == (command, is_lazy) and len(case.gold) >= 30 and set(case.classes) <= PLAIN:
            return seed
    raise AssertionError(command)


def test_every_kind_of_run_is_drawn() -> None:
    cases = [draw_case(seed) for seed in DRAWN[:600]]
    assert {case.command for case in cases} == set(COMMANDS)
    assert {case.format for case in cases} == set(readable_formats())
    assert {(case.command, case.is_lazy) for case in cases} == {(name, lazy) for name in COMMANDS for lazy in (0, 1)}
    assert {case.format for case in cases if case.is_lazy} == LAZY
    assert {"csv", "tsv", "parquet", "jsonl"} <= set(readable_formats()) <= set(ENDINGS)


def test_a_seed_is_a_case() -> None:
    assert draw_case(5) == draw_case(5) != draw_case(6)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_line_says_what_python_says(command: str) -> None:
    assert try_seed(seed_of(command)) == "same"


@pytest.mark.parametrize("command", ["label", "triage", "predict", "rate"])
def test_so_it_does_with_items_in_files(command: str) -> None:
    assert try_seed(seed_of(command, is_lazy=True)) == "same"


@pytest.mark.parametrize("seed", kept_seeds())
def test_what_was_found_once_ends_well(seed: int) -> None:
    assert try_seed(seed) in ("same", "refused")


@pytest.mark.parametrize("is_lazy", [False, True])
def test_a_wrong_probability_is_found(is_lazy: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The two sides are fitted at other levels, as if the command line had dropped an option."""
    box = tw.Reading.box
    monkeypatch.setattr(end_to_end, "_fitted", lambda reading: _fit(box(reading, confidence_level=0.5), reading))
    with pytest.raises(Mismatch):
        try_seed(seed_of("label", is_lazy=is_lazy))


def _fit(box: Any, reading: Any) -> Any:
    return tw.BalsubramaniFreund().fit(reading.votes, box=box)


@pytest.mark.parametrize("command", ["rate", "read", "judges"])
def test_other_numbers_are_found(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files that the command reads lack votes and gold labels that Python sees."""
    write = write_case

    def write_less(case: Any, folder: Path) -> Any:
        changed = [[None, *row[1:]] if i < 20 else row for i, row in enumerate(case.votes)]
        return write(replace(case, votes=changed, gold=dict(list(case.gold.items())[5:])), folder)

    monkeypatch.setattr(end_to_end, "write_case", write_less)
    with pytest.raises(Mismatch):
        try_seed(seed_of(command))


def test_a_traceback_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thumbwise.cli.read.as_content", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        try_seed(seed_of("read"))


def test_a_refusal_of_one_side_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise tw.InvalidFileError("no.")

    monkeypatch.setattr("thumbwise.cli.read.read_sampled", refuse)
    with pytest.raises(Mismatch, match="the command line refuses, Python does not: error: no"):
        try_seed(seed_of("read"))


@pytest.mark.parametrize("kind", sorted(ENDINGS.keys() - {"semicolon", "gz"}))
def test_what_is_written_is_read_back(kind: str, tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {"id": ["=1", 'a"b', "é\u202e"], "x,y": ["1", None, "z"]}
    path = tmp_path / f"table{ENDINGS[kind]}"
    write_columns(columns, path, kind)
    assert read_back(path) == [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

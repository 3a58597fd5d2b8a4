"""What every study understands, and where its tables go."""

from __future__ import annotations

from pathlib import Path

import pytest
from studies import reporting
from studies.reporting import make_parser, publish


def test_quick_is_so_few_draws_unless_more_are_asked_for() -> None:
    parser = make_parser("It counts.", draws=9, quick=3)
    for words, draws, is_quick in (
        ([], 9, False),
        (["--quick"], 3, True),
        (["--quick", "--draws", "5"], 5, True),
        (["--draws", "5"], 5, False),
    ):
        given = parser.parse_args(words)
        assert (given.draws, given.quick) == (draws, is_quick)


def test_tables_are_printed_written_and_kept_with_their_own_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = []
    monkeypatch.setattr(reporting, "keep_tables", lambda *told: kept.append(told))
    parser, tables = make_parser(None, draws=9), {"one": "| a |", "two": "| b |"}
    publish("widths", parser.parse_args(["--output", str(tmp_path / "out.md")]), ["About.", "| a |"], tables)
    assert capsys.readouterr().out.strip() == (tmp_path / "out.md").read_text().strip() == "About.\n\n| a |"
    assert kept == []
    publish("widths", parser.parse_args(["--keep", "--seed", "7"]), ["About."], tables, draws={"two": 0})
    assert kept == [("widths", tables, {"one": 9, "two": 0}, 7)]

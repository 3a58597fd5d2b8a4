"""Figures of the documentation are those of the results that are kept; who edits one by hand is told."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from benchmarks.tables import Row, Table
from studies import pages
from studies.claims.page import figures as figures_of_claims
from studies.pages import MARK, ROOT, figures, fill, fill_pages, in_tables, stale
from studies.results import FOLDER, keep_tables, plain, read_results, write_results

import thumbwise as tw
from benchmarks import tables as benchmark_tables

ORIGIN = {"command": "python -m studies.widths", "draws": 1200, "seed": 7, "version": "1.0", "made": "2026-11-19T10:00"}
SHOWN = "*1,200 draws, seed 7, thumbwise 1.0, 2026-11-19:* `python -m studies.widths`"


def shown_on(text: str) -> list[str]:
    return [mark["name"] for mark in MARK.finditer(text)]


def test_pages_show_what_the_results_say() -> None:
    found = [f"{page.name}: {name}" for page, name in stale()]
    assert not found, "edit no figure by hand: run python -m studies.pages, which writes them from studies/results"


def test_every_file_of_results_is_shown_somewhere() -> None:
    shown = {name.split("/")[0] for page in pages.pages() for name in shown_on(page.read_text(encoding="utf-8"))}
    assert shown == {path.stem for path in FOLDER.glob("*.json")}


def test_marks_are_whole() -> None:
    for page in pages.pages():
        text = page.read_text(encoding="utf-8")
        assert text.count("<!-- figures: ") == text.count("<!-- end -->") == len(shown_on(text)), page


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A page of one table and a sentence, as they were filled from results."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("Nothing.\n")
    page = "Before 1.\n<!-- figures: widths/all -->\n<!-- end -->\non <!-- figures: widths/n --><!-- end --> sets, 1.\n"
    (tmp_path / "docs" / "page.md").write_text(page)
    lines = {"all": {"lines": ["| a |", "| --- |", "| 0.5 |"], **ORIGIN}, "n": {"lines": ["12"], **ORIGIN}}
    write_results("widths", {"tables": lines}, tmp_path / "results")
    figures.cache_clear()
    assert fill_pages(tmp_path, tmp_path / "results") == [tmp_path / "docs" / "page.md"]
    return tmp_path


def test_blocks_and_sentences_are_filled_and_the_rest_is_left(tree: Path) -> None:
    assert (tree / "docs" / "page.md").read_text() == (
        f"Before 1.\n<!-- figures: widths/all -->\n\n| a |\n| --- |\n| 0.5 |\n\n{SHOWN}\n\n<!-- end -->\n"
        "on <!-- figures: widths/n -->12<!-- end --> sets, 1.\n"
    )
    assert not list(stale(tree, tree / "results"))
    assert fill_pages(tree, tree / "results") == []


@pytest.mark.parametrize(("digit", "name"), [("| 0.5 |", "widths/all"), (">12<", "widths/n")])
def test_a_figure_that_was_edited_is_found_and_put_right(tree: Path, digit: str, name: str) -> None:
    page = tree / "docs" / "page.md"
    right = page.read_text()
    page.write_text(right.replace(digit, digit.replace("5", "6").replace("12", "13")))
    assert list(stale(tree, tree / "results")) == [(page, name)]
    fill_pages(tree, tree / "results")
    assert page.read_text() == right


def test_results_that_change_make_pages_stale(tree: Path) -> None:
    tables = {"all": {"lines": ["| b |"], **ORIGIN}, "n": {"lines": ["12"], **ORIGIN}}
    write_results("widths", {"tables": tables}, tree / "results")
    figures.cache_clear()
    assert [name for _, name in stale(tree, tree / "results")] == ["widths/all"]


def test_a_figure_that_no_results_hold_is_named() -> None:
    with pytest.raises(SystemExit, match="widths/none"):
        fill("<!-- figures: widths/none -->0.5<!-- end -->", {})


def test_results_of_the_page_of_claims_hold_what_it_shows() -> None:
    """One digit of one result changes the page."""
    content = read_results("claims")
    before = figures_of_claims(content)["page"]
    told = content["rates"]["found"]["100"][0]["told"]["assisted"]
    told["width"] += 0.01
    after = figures_of_claims(content)["page"]
    assert before != after and f"{told['width']:.3f}, " in after


def test_tables_are_kept_by_name_with_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["rates.py", "--gold", "100", "--keep"])
    keep_tables("rates", {"100 labels": "| a |\n| 1 |"}, {"100 labels": 30}, 7, tmp_path)
    monkeypatch.setattr(sys, "argv", ["rates.py", "--gold", "50", "--keep", "--processes", "1", "--output=/a/b.md"])
    keep_tables("rates", {"50 labels": "| a |\n| 2 |"}, {"50 labels": 0}, 7, tmp_path)
    content = read_results("rates", tmp_path)
    assert content["tables"]["100 labels"]["command"] == "python -m studies.rates --gold 100"
    assert content["tables"]["50 labels"]["command"] == "python -m studies.rates --gold 50"
    shown = in_tables(content)
    today = content["tables"]["50 labels"]["made"][:10]
    about = f"thumbwise {tw.__version__}, {today}:* `python -m studies.rates --gold"
    assert shown["100 labels"] == f"| a |\n| 1 |\n\n*30 draws, seed 7, {about} 100`"
    assert shown["50 labels"] == f"| a |\n| 2 |\n\n*{about} 50`", "where nothing is drawn, no number of draws is said"


def test_tables_of_benchmarks_are_kept_and_read_as_they_were_printed(tmp_path: Path) -> None:
    first = Table("One", [Row("a", 0.1234, ratio=2.0, asked="<= 3", reached=True), Row("b", 1234.5)], ["Note."])
    about = {"machine": "2 cores", "started": "2026-11-19T10:00"}
    benchmark_tables.keep_tables(tmp_path / "kept.json", about, {"one": first, "two": Table("Two", [], [])})
    second = Table("One", [Row("a", 9.0)], [], {"polars": "2", "duckdb": "1"})
    failed = Table("Two", [], [], failed="no memory")
    benchmark_tables.keep_tables(tmp_path / "kept.json", about, {"one": second, "two": failed})
    content = json.loads((tmp_path / "kept.json").read_text())
    assert benchmark_tables.figures(content)["one"] == f"{second.grid}\n\n*2026-11-19; 2 cores; duckdb 1, polars 2*"
    assert Table.read(content["tables"]["two"]) == Table("Two", [], []), "what failed replaces nothing"
    assert first.grid in str(first) and "0.123" in first.grid and "1,234" in first.grid


def test_what_is_not_finite_is_null() -> None:
    assert plain({"a": (float("nan"), 1), 2: float("inf")}) == {"a": [None, 1], "2": None}


def test_results_that_are_not_there_name_the_command(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"python -m studies\.rates"):
        read_results("rates", tmp_path)


def test_the_command_checks_and_fills(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pages, "ROOT", tree)
    monkeypatch.setattr(pages, "stale", lambda: stale(tree, tree / "results"))
    monkeypatch.setattr(pages, "fill_pages", lambda: fill_pages(tree, tree / "results"))
    page = tree / "docs" / "page.md"
    page.write_text(page.read_text().replace("0.5", "0.6"))
    monkeypatch.setattr(sys, "argv", ["pages", "--check"])
    assert pages.main() == 1
    assert "docs/page.md: widths/all" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["pages"])
    assert pages.main() == 0
    monkeypatch.setattr(sys, "argv", ["pages", "--check"])
    assert pages.main() == 0


@pytest.mark.parametrize("name", ["claims.md", "benchmarks.md", "coverage.md", "rates.md", "triage.md"])
def test_a_digit_in_a_table_of_the_real_documentation(tmp_path: Path, name: str) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").touch()
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    (first, *_), figure = shown_on(text), re.search(r"\d\.\d+", next(MARK.finditer(text))["shown"])
    assert figure is not None
    place = next(MARK.finditer(text)).start("shown") + figure.end() - 1
    changed = text[:place] + str((int(text[place]) + 1) % 10) + text[place + 1 :]
    (tmp_path / "docs" / name).write_text(changed, encoding="utf-8")
    figures.cache_clear()
    assert [of for _, of in stale(tmp_path)] == [first]

"""What a notebook shows: small tables of readings, labels and fits, and the report in a frame; names as text."""

from __future__ import annotations

import pickle
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import thumbwise as tw
from thumbwise.display.report import notebook
from thumbwise.display.report.notebook import WrittenReport
from thumbwise.models.notebook import fit_as_html
from thumbwise.tables.table_files import Table

HOSTILE = ["<script>alert(1)</script>", "\u202egnp.exe", "bell\x07", "</td><img src=x onerror=y>"]


class Page(HTMLParser):
    """Tags with their attributes, and texts of cells."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.cells: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] in ("td", "th"):
            self.cells[-1] += data


def make_reading(rules: list[str] = HOSTILE, classes: tuple[str, str] = ("ham", "spam")) -> tw.Reading:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=80)
    votes = np.where(rng.random((80, len(rules))) < 0.8, truth[:, None], 1 - truth[:, None])
    names = np.array(classes, dtype=object)
    frame = pd.DataFrame({"id": [f"i{i}" for i in range(80)], **{r: names[votes[:, j]] for j, r in enumerate(rules)}})
    return tw.read_votes(frame, gold={f"i{i}": names[truth[i]] for i in range(40)})


def assert_inert(page: str) -> None:
    allowed = {"div", "p", "table", "thead", "tbody", "tr", "th", "td"}
    assert {tag for tag, _ in Page(page).tags} <= allowed
    assert all(set(attributes) <= {"scope"} for _, attributes in Page(page).tags)
    assert not any(c in page for c in "\u202e\x07\x1b")


def test_a_reading_is_a_table_of_rules_with_what_was_understood() -> None:
    reading = make_reading()
    page = reading._repr_html_()
    assert_inert(page)
    assert Page(page).cells[:8] == ["rule", "coverage", "ham", "spam", HOSTILE[0], "100.0 %", *by_class(reading, 0)]
    assert r"\u202egnp.exe" in page
    assert "40 gold labels, of these items" in page
    assert "ids are taken from column" in unescape(page)


def by_class(reading: tw.Reading, rule: int) -> list[str]:
    return [str(int((reading.votes.array[:, rule] == c).sum())) for c in range(2)]


def test_labels_that_were_written_are_their_first_and_last_rows(tmp_path: Path) -> None:
    reading = make_reading(["a", "b"], ("<b>ham</b>", "spam"))
    table = tw.write_labels(reading, tw.MajorityVote().fit(reading.votes), tmp_path / "labels.csv")
    assert table is not None
    page = table._repr_html_()
    assert_inert(page)
    cells = Page(page).cells
    assert "80 rows, 7 columns" in page
    assert cells[:3] == ["id", "label", "p_<b>ham</b>"]
    lines = (tmp_path / "labels.csv").read_text().splitlines()[1:]
    assert [cells[7 * row + 7] for row in range(12)] == [line.split(",")[0] for line in lines[:12]]
    assert "... 62 more" in cells
    assert cells[-7] == lines[-1].split(",")[0]


def test_missing_cells_are_empty_and_many_columns_are_counted() -> None:
    columns = {f"c{j}": np.ma.MaskedArray([j, 0.5], mask=[False, j == 1]) for j in range(20)}
    page = Table(columns)._repr_html_()
    assert "8 columns more" in page
    assert Page(page).cells[12 + 12 + 1] == ""


def test_a_fit_shows_its_weights_and_certificate() -> None:
    reading = make_reading()
    model = tw.BalsubramaniFreund().fit(reading.votes, box=reading.box())
    page = fit_as_html(model)
    assert_inert(page)
    shown = Page(page).cells
    assert shown[:2] == ["rule", "weight"]
    weights = dict(zip(shown[2::2], shown[3::2], strict=True))
    assert [*weights] == [HOSTILE[0], r"\u202egnp.exe", r"bell\x07", HOSTILE[3]]
    assert str(model.certificate_) in unescape(page)
    assert_inert(model.certificate_._repr_html_())
    assert "guessing" in Page(model.certificate_._repr_html_()).cells


def test_characters_that_do_not_show_are_escaped_in_the_diagram_too() -> None:
    class Odd:
        def __repr__(self) -> str:
            return "odd \u202e value"

    model = tw.BalsubramaniFreund(tol=Odd())  # type: ignore[arg-type]
    for page in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert "\u202e" not in page
        assert "BalsubramaniFreund" in page


def test_a_report_is_a_path_that_shows_its_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / 'a "quoted" <name>.html'
    page = '<!DOCTYPE html><p title="x">"report" & more</p><script>1</script>'
    place.write_text(page, encoding="utf-8")
    report = WrittenReport(place)
    assert report == place
    assert pickle.loads(pickle.dumps(report)) == place
    (outer, link), (_, href), (frame, attributes) = [*Page(report._repr_html_()).tags]
    assert (outer, frame) == ("p", "iframe")
    assert link == {}
    assert href["href"] == place.as_uri()
    assert attributes["sandbox"] == "allow-scripts"
    assert attributes["srcdoc"] == page
    monkeypatch.setattr(notebook, "_MOST_BYTES", 10)
    assert [tag for tag, _ in Page(report._repr_html_()).tags] == ["p", "a"]
    place.unlink()
    assert "is not there any more" in report._repr_html_()


def test_what_is_written_is_such_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thumbwise.display.report.writing.render", lambda _: "<p>page</p>")
    monkeypatch.setattr("thumbwise.display.report.writing.gather", lambda *_, **__: None)
    written = tw.write_report(make_reading(["a", "b"]), tmp_path / "report.html")
    assert isinstance(written, WrittenReport)
    assert written == tmp_path / "report.html"


def test_ipython_takes_the_html() -> None:
    formatters = pytest.importorskip("IPython.core.formatters")
    shown, _ = formatters.DisplayFormatter().format(make_reading(["a", "b"]))
    assert shown["text/html"].startswith("<div><p>Votes: 80 items")
    assert shown["text/plain"].startswith("Votes: 80 items")

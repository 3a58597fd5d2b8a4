"""What a notebook and a terminal show of votes, boxes, certificates and models: their numbers, and names as text."""

from __future__ import annotations

import io
from html.parser import HTMLParser
from typing import Any

import pytest
from rich.console import Console

import thumbwise as tw
from thumbwise.summaries import Shown, ShowsItself, show_box, show_certificate, show_model, show_votes

HOSTILE = ["<script>x</script>", "[bold red]b[/]", "two\nlines\x1b[31m", "\u202ex", "y" * 10_000]


class Cells(HTMLParser):
    """Texts of the cells of a table, and the names of all elements."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        if tag == "td":
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.tags[-1] == "td":
            self.cells[-1] += data


def in_terminal(shown: Shown) -> str:
    stream = io.StringIO()
    Console(file=stream, width=200, color_system=None).print(shown.rich())
    return stream.getvalue()


def hostile_votes() -> tw.Votes:
    return tw.Votes([[0, 1, 0, 1, -1], [1, 1, 1, 1, 1]], rule_names=HOSTILE, class_names=["<i>", "b"])


@pytest.mark.parametrize("show", [show_votes, lambda votes: show_box(tw.Box.from_bounds(votes, {}))])
def test_hostile_names_are_text_in_both(show: Any) -> None:
    shown = show(hostile_votes())
    page = shown.html()
    assert set(Cells(page).tags) <= {"div", "p", "table", "thead", "tbody", "tr", "th", "td"}
    assert "&lt;script&gt;" in page
    assert "\u202e" not in page
    terminal = in_terminal(shown)
    assert "[bold red]b[/]" in terminal
    assert "\x1b" not in terminal
    assert len(page) < 5_000


def test_votes_count_by_class() -> None:
    votes = tw.Votes([[0, 1], [-1, 1], [0, 0]], rule_names=["a", "b"], class_names=["ham", "spam"])
    assert Cells(show_votes(votes).html()).cells == ["a", "66.7 %", "2", "0", "b", "100.0 %", "1", "2"]
    many = tw.Votes([[0], [6]], rule_names=["a"])
    assert Cells(show_votes(many).html()).cells == ["a", "100.0 %", "2"]


def test_box_has_its_intervals_counts_and_grounds() -> None:
    votes = tw.Votes([[0], [1], [1], [0]] * 10, rule_names=["a"])
    box = tw.Box.from_gold(votes.take(range(20)), [0, 1, 1, 1] * 5, pool=votes, gold_is="subset")
    shown = show_box(box)
    assert Cells(shown.html()).cells[:4] == ["accuracy(a)", f"{box.lower[0]:.3f}", f"{box.upper[0]:.3f}", "15 of 20"]
    assert shown.remarks[1:] == (
        "With 95 % confidence all intervals hold, if the 20 gold items are a random sample of all 40 items.",
    )
    assert shown.rows[0][0] in in_terminal(shown)


def test_a_box_that_is_no_guarantee_says_so() -> None:
    votes = tw.Votes([[0], [1]] * 20, rule_names=["a"])
    box = tw.Box.from_gold(votes.take(range(20)), [0, 1] * 10, pool=votes, gold_is="subset", interval="wilson")
    assert "No guarantee: " in show_box(box).html()


def test_many_rows_are_cut_in_the_middle() -> None:
    votes = tw.Votes([[0] * 100, [1] * 100])
    shown = show_votes(votes)
    assert len(shown.rows) == 18
    cells = [cell for cell in Cells(shown.html()).cells if cell.startswith(("rule_", "..."))]
    assert cells == [*(f"rule_{j}" for j in range(12)), "... 82 more", *(f"rule_{j}" for j in range(94, 100))]


def test_certificates_and_models() -> None:
    votes = tw.Votes([[0, 0], [1, 1], [1, 0], [1, -1]], rule_names=["a", "b"])
    model = tw.BalsubramaniFreund()
    assert show_model(model) == Shown(repr(model))
    model.fit(votes, box=tw.Box.from_bounds(votes, {"a": (0.8, 1)}))
    certificate = model.certificate_
    shown = show_certificate(certificate)
    assert str(certificate) in in_terminal(shown).replace("\n", " ")
    cells = Cells(shown.html()).cells
    assert 0 <= float(cells[3]) - certificate.log_loss_bound <= 1e-4
    assert cells == [
        *("guessing", "0.6931"),
        *("bound", cells[3]),
        *("entropy", f"{certificate.entropy:.4f}"),
    ]
    assert show_model(model).rows == (("a", f"{model.weights_[0]:+.2f}"), ("b", "0"))
    assert "2 rules, 2 classes" in in_terminal(show_model(tw.MajorityVote().fit(votes)))


def test_a_class_that_shows_itself() -> None:
    class Small(ShowsItself):
        def _shown(self) -> Shown:
            return Shown("a < b")

    assert Small()._repr_html_() == "<div><p>a &lt; b</p></div>"
    stream = io.StringIO()
    Console(file=stream).print(Small())
    assert stream.getvalue() == "a < b\n"

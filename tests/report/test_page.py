"""The page holds everything, refers to nothing, escapes all, and can be read without seeing it."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from functools import cache
from hashlib import sha256
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from matplotlib.image import imread

import thumbwise as tw
from report.problems import (
    HOSTILE,
    Found,
    hostile_reading,
    make_reading,
    small_model,
    small_reading,
    tiny_model,
    tiny_reading,
)
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.display.report.axes import Scale
from thumbwise.display.report.heat import colour, heat_map
from thumbwise.display.report.markup import png, tag
from thumbwise.display.report.page import _pairs, _well_known
from thumbwise.display.report.writing import write_report
from thumbwise.outward import percent_at_least
from thumbwise.summaries import one_line

VOID = {"meta", "link", "img", "input", "br"}


class Tree(HTMLParser):
    """Elements with their attributes, texts by element, and whether every element is closed in its order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, name: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((name, {key: value or "" for key, value in attrs}))
        if name not in VOID:
            self.open.append(name)

    def handle_endtag(self, name: str) -> None:
        assert self.open.pop() == name

    def handle_data(self, text: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", text))

    def named(self, name: str) -> list[dict[str, str]]:
        return [attributes for found, attributes in self.elements if found == name]

    def text(self) -> str:
        return " ".join(" ".join(said for where, said in self.texts if where not in ("script", "style")).split())


def page_of(reading: tw.Reading, **options: object) -> str:
    with TemporaryDirectory() as folder:
        return write_report(reading, Path(folder) / "r.html", **options).read_text("utf-8")  # type: ignore[arg-type]


@cache
def small_page() -> str:
    return page_of(small_reading(), model=small_model(), findings=(Found(),))


@cache
def hostile_page() -> str:
    return page_of(hostile_reading(), title=HOSTILE[0])


def test_it_says_the_certificate_and_every_section() -> None:
    text = Tree(small_page()).text()
    assert str(small_model().certificate_) in text
    proved = "Nothing is proved" if small_model().certificate_.proves_nothing else "What is proved"
    titles = [proved, "Findings", "Rules", "Rules together", "Predictions", "More labels", "Other methods"]
    for title in [*titles, "Items to look at", "What was assumed", "Versions and fingerprints"]:
        assert title in text
    assert "Nothing in the votes speaks against gold" in text
    assert small_reading().votes.fingerprint in text


def test_right_labels_are_the_first_number_and_the_first_picture() -> None:
    page, proof = small_page(), small_model().certificate_.accuracy
    assert proof is not None
    first = Tree(page[page.index('<p class="sentence') : page.index("<svg")]).text()
    assert " ".join(first.split()) == str(proof)
    picture = page[page.index("<svg") : page.index("</svg>")]
    shown = re.search(r"at least (\d+\.\d) %</text>", picture)
    assert shown
    assert proof.accuracy_at_least - 0.001 < float(shown[1]) / 100 <= proof.accuracy_at_least
    assert [name in picture for name in ("guaranteed", "expected", "guessing")] == [True] * 3
    for row in proof.classes or ():
        assert row.precision_at_least is not None
        cells = f"{percent_at_least(row.precision_at_least)} {percent_at_least(row.recall_at_least)}"
        assert cells in " ".join(Tree(page).text().split())


def test_a_bound_is_shown_rounded_upward() -> None:
    bound = small_model().certificate_.log_loss_bound
    shown = re.search(r"bound (\d\.\d{3})</text>", small_page())
    assert shown
    assert bound <= float(shown[1]) < bound + 0.001


def test_findings_are_listed_as_text() -> None:
    text = Tree(small_page()).text()
    assert "TW101 a rule is worse than guessing" in text
    assert "Its whole interval <b>lies</b> below 1/2." in text
    assert "checks.md#tw101" in text
    assert "The checks found nothing." in Tree(page_of(tiny_reading(), model=tiny_model(), findings=())).text()


def test_nothing_is_loaded_from_elsewhere() -> None:
    tree = Tree(small_page())
    for _, attributes in tree.elements:
        for key in ("src", "href", "action", "data", "srcset", "poster"):
            assert attributes.get(key, "#").startswith(("#", "data:"))
    assert not re.search(r"url\(|@import|https?:|fetch\(|XMLHttp", small_page().replace("http-equiv", ""))


def test_the_policy_allows_what_stands_there_and_nothing_else() -> None:
    page = small_page()
    policy = next(a["content"] for a in Tree(page).named("meta") if a.get("http-equiv") == "Content-Security-Policy")
    for name, rule in (("style", "style-src"), ("script", "script-src")):
        inside = re.search(rf"<{name}>(.*?)</{name}>", page, re.DOTALL)
        assert inside
        assert f"{rule} 'sha256-{b64encode(sha256(inside[1].encode()).digest()).decode()}'" in policy
    assert policy.startswith("default-src 'none'")
    assert not any("style" in attributes for _, attributes in Tree(page).elements)


@pytest.mark.parametrize("page", [small_page, hostile_page])
def test_it_can_be_read_without_seeing_it(page: object) -> None:
    tree = Tree(page())  # type: ignore[operator]
    names = [name for name, _ in tree.elements]
    assert names.count("table") == names.count("caption") >= 4
    assert all(attributes.get("scope") in ("col", "row") for attributes in tree.named("th"))
    for chart in tree.named("svg"):
        assert chart["role"] == "img"
        assert chart["aria-labelledby"].endswith("-desc")
    assert names.count("svg") <= min(names.count("desc"), names.count("title"))
    ids = [attributes["id"] for _, attributes in tree.elements if "id" in attributes]
    assert len(set(ids)) == len(ids)
    targets = [a[key] for _, a in tree.elements for key in ("aria-labelledby", "for") if key in a]
    assert {part for target in targets for part in target.split()} <= set(ids)
    assert {a["href"][1:] for a in tree.named("a")} <= set(ids)
    assert tree.named("html") == [{"lang": "en"}]
    assert tree.named("a")[0] == {"class": "skip", "href": "#main"}
    assert names.count("main") == names.count("h1") == 1


def test_hostile_names_and_texts_stay_text() -> None:
    page = hostile_page()
    tree = Tree(page)  # every element closes in order, whatever the names hold
    assert [a for name, a in tree.elements if name == "script"] == [{}]
    assert not any(key.startswith("on") for _, attributes in tree.elements for key in attributes)
    assert all(a["src"].startswith("data:") for a in tree.named("img"))
    assert "<script>document.title='owned'</script>" in tree.text()
    assert "{{ 7 * 7 }}" in tree.text()
    assert "49 &" not in tree.text()
    assert "\u202e" not in page
    assert "\x07" not in page


def test_a_long_name_is_shown_in_part_and_kept_in_its_title() -> None:
    titles = [a["title"] for a in Tree(hostile_page()).named("span") if a.get("title", "").startswith("xxx")]
    assert max(map(len, titles)) == 10_000
    longest = max(len(said) for where, said in Tree(hostile_page()).texts if where == "span")
    assert longest <= 1_000


def test_a_page_stays_small_with_many_rules_and_long_names() -> None:
    reading = make_reading(60, 120, n_gold=30, rule_names=[f"{j}{'<' * 10_000}" for j in range(120)])
    assert len(page_of(reading, model=model_without_plan(reading))) < 2_000_000


def model_without_plan(reading: tw.Reading) -> tw.BalsubramaniFreund:
    return tw.BalsubramaniFreund(on_infeasible="widen").fit(reading.votes, box=reading.box(n_permutations=0))


def test_bounds_that_were_written_need_no_gold() -> None:
    votes = tw.Votes([[0, 1], [1, 1], [0, 0], [0, -1]] * 5, rule_names=["a", "b"])
    model = tw.BalsubramaniFreund().fit(votes, box=tw.Box.from_bounds(votes, {"a": (0.8, 1)}))
    reading = tw.Reading(votes, np.full(20, -1))
    text = Tree(page_of(reading, model=model)).text()
    assert "if the true labeling satisfies the bounds that were written" in text
    assert text.count("there are no gold labels") >= 2
    assert "was not tested" in text


def test_errors_on_a_handful_of_shared_items_are_not_shown_as_known() -> None:
    errors = Tidy.of({"first": [0, 0], "second": [1, 2], "correlation": [1.0, 0.5], "n_shared": [9, 10]})
    assert _well_known(errors)["correlation"] == (None, 0.5)
    assert [row["value"] for row in _pairs(_well_known(errors), "correlation", ("a", "b", "c"))] == [0.5]


@pytest.mark.parametrize(("n_items", "n_rules", "n_gold"), [(30, 1, 10), (30, 2, 30), (40, 3, 2)])
def test_small_problems_have_reports_too(n_items: int, n_rules: int, n_gold: int) -> None:
    text = Tree(page_of(make_reading(n_items, n_rules, n_gold=n_gold))).text()
    assert ("There is one rule only" in text) == (n_rules == 1)
    assert "nan" not in text.lower().split()


def test_a_png_holds_its_pixels() -> None:
    pixels = np.random.default_rng(0).integers(256, size=(3, 5, 3)).astype(np.uint8)
    kept = imread(BytesIO(b64decode(png(pixels).partition(",")[2])))
    np.testing.assert_array_equal(np.rint(255 * kept[:, :, :3]), pixels)


def test_colours_grow_from_low_to_high_and_are_grey_where_unknown() -> None:
    shades = colour("agreement", np.array([[0.0, 0.25, 0.5, 0.75, 1.0, np.nan]]))[0].astype(int)
    luminance = shades @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(luminance[:5]) < 0).all()
    assert len(set(shades[5].tolist())) == 1
    blue, white, orange = colour("correlation", np.array([[-1.0, 0.0, 1.0]]))[0].astype(int)
    assert blue[2] > blue[0]
    assert orange[0] > orange[2]
    assert white.min() > 200


def test_a_heat_map_carries_its_values_in_the_order_it_is_drawn() -> None:
    matrix = np.array([[1, 0.1, 0.9], [0.1, 1, np.nan], [0.9, np.nan, 1]])
    drawn = Tree(heat_map("agreement", matrix, ["a", "b", "c"], "t", "d")).named("div")[0]
    order = [int(j) for j in drawn["data-order"].split()]
    values = np.frombuffer(b64decode(drawn["data-values"]), dtype=np.int8).reshape(3, 3)
    expected = np.where(np.isnan(matrix), -128, np.rint(100 * np.nan_to_num(matrix)))[np.ix_(order, order)]
    np.testing.assert_array_equal(values, expected)
    assert abs(order.index(0) - order.index(2)) == 1


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 0.0037), (0.333, 1), (0, 123_456), (5, 5)])
def test_ticks_are_a_few_round_numbers_within_the_scale(low: float, high: float) -> None:
    scale = Scale(low, high, 0, 100)
    ticks = scale.ticks()
    assert 1 <= len(ticks) <= 9
    assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in ticks)
    assert all(len(f"{tick:.3g}") <= 8 for tick in ticks)
    assert scale(low) == 0
    assert scale(high) == pytest.approx(100 if high > low else 0)


def test_attributes_and_texts_of_elements_are_escaped() -> None:
    assert tag("text", "<a>", title='"&') == '<text title="&quot;&amp;">&lt;a&gt;</text>'
    assert one_line("a" * 50, 10) == "a" * 7 + "..."
    assert one_line(" \n ", 10) == ""

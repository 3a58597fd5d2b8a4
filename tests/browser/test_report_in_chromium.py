"""Reports in a real browser: no complaint, nothing cut off, legible, sortable, printable; hostile names do nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from browser.conftest import Opened
from report.problems import HOSTILE
from thumbwise.display.report.notebook import WrittenReport

SIZES = ("small", "middle", "large", "hostile")
CONTRAST = (Path(__file__).parent / "contrast.js").read_text()
ROWS = "#rule-table tbody tr"
# Whatever was set off before has run when the frame after the next one is drawn.
ALL_IS_DONE = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"

# What reaches beyond the right edge of the window, other than inside a box that scrolls.
BEYOND = """() => [...document.body.querySelectorAll("*")]
  .filter((e) => !e.closest(".scroll") && !e.closest("svg") && !e.matches(".skip"))
  .filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
  .map((e) => e.outerHTML.slice(0, 80))"""
# Cells whose text is cut at the side instead of wrapped, or that stick out of their column.
SPILLED = """() => [...document.querySelectorAll(".cell")]
  .filter((e) => e.scrollWidth > e.clientWidth + 1
    || e.getBoundingClientRect().right > e.parentElement.getBoundingClientRect().right + 1)
  .map((e) => e.textContent.slice(0, 40))"""


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("name", SIZES)
def test_nothing_overflows(opened: Opened, name: str, width: int) -> None:
    page = opened(name, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(BEYOND) == []
    assert page.evaluate(SPILLED) == []
    assert page.locator("svg.chart").count() >= 7


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["small", "large"])
def test_contrast_is_that_of_wcag_aa(opened: Opened, name: str, scheme: str) -> None:
    page = opened(name, scheme=scheme)
    found = page.evaluate(CONTRAST)
    assert sum(row["kind"] == "text" for row in found) > 200
    assert sum(row["kind"] == "mark" for row in found) > 20
    poor = [row for row in found if row["ratio"] < (4.5 if row["kind"] == "text" else 3.0)]
    assert poor == []
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (dark == "rgb(255, 255, 255)") == (scheme == "light")


def column(page: Any, number: int) -> list[str]:
    return [str(text) for text in page.locator(f"{ROWS} > :nth-child({number})").all_inner_texts()]


def test_the_table_sorts_by_mouse_and_keyboard_and_says_so(opened: Opened) -> None:
    page = opened("large")
    heading = page.locator("#rule-table th", has_text="gold accuracy")
    before = [float(text) for text in column(page, 6)]
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert [float(text) for text in column(page, 6)] == sorted(before) != before
    page.keyboard.press("Enter")  # the button keeps the focus
    assert heading.get_attribute("aria-sort") == "descending"
    assert [float(text) for text in column(page, 6)] == sorted(before, reverse=True)
    assert page.locator("#rule-table th[aria-sort]").count() == 1
    page.locator("#rule-table th", has_text="rule").first.locator("button").click()
    assert column(page, 1) == [f"rule_{j}" for j in range(100)]  # rule_2 before rule_10


def test_what_is_not_known_comes_last_in_both_directions(opened: Opened) -> None:
    page = opened("small")
    page.evaluate("""() => { const cell = document.querySelector("#rule-table tbody tr").cells[5];
        cell.dataset.value = ""; cell.textContent = "-"; }""")
    button = page.locator("#rule-table th", has_text="gold accuracy").locator("button")
    for _ in range(2):
        button.click()
        assert column(page, 6)[-1] == "-"


def test_searching_hides_the_others_and_counts(opened: Opened) -> None:
    page = opened("large")
    page.get_by_label("Search rules").fill("RULE_7")
    shown = page.locator(f"{ROWS}:visible").all_inner_texts()
    assert len(shown) == 11  # rule_7 and rule_70 to rule_79
    assert page.get_by_text("11 of 100 rules shown").is_visible()
    page.get_by_label("Search rules").fill("")
    assert page.locator(f"{ROWS}:visible").count() == 100


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_what_may_be_accepted_is_reached_by_its_link_and_told_to_those_who_cannot_see(
    opened: Opened, width: int, scheme: str
) -> None:
    page = opened("small", width=width, scheme=scheme)
    page.get_by_role("link", name="Accept, or look", exact=True).click()
    heading = page.get_by_role("heading", name="Accept, or let a person look")
    assert heading.evaluate("(e) => Math.abs(e.getBoundingClientRect().top)") < 100
    assert page.locator("#accepted-table tbody tr").count() == 7
    told = page.locator("svg[aria-labelledby^='accepted-title'] desc").text_content()
    assert told.count("accepted") == 7
    sides = "(e) => [e.getBoundingClientRect().left, e.getBoundingClientRect().right]"
    for circle in page.locator("svg[aria-labelledby^='accepted-title'] circle").all():
        left, right = circle.evaluate(sides)
        assert 0 <= left < right <= width


def test_a_heat_map_reads_out_pairs_by_arrow_keys_and_pointer(opened: Opened) -> None:
    page = opened("large")
    heat = page.locator(".heatmap").first
    heat.focus()
    page.keyboard.press("ArrowRight")
    first = heat.locator(".readout").inner_text()
    assert re.fullmatch(r"rule_\d+ and rule_\d+: (\d\.\d\d|not known)", first)
    page.keyboard.press("ArrowLeft")
    same = re.fullmatch(r"(rule_\d+) and (rule_\d+): 1\.00", heat.locator(".readout").inner_text())
    assert same  # the diagonal
    assert same[1] == same[2]
    box = heat.locator(".heat").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.999, box["y"] + box["height"] * 0.001)
    last = page.locator(".heatmap").first.get_attribute("data-order").split()[-1]
    assert f"and rule_{last}: " in heat.locator(".readout").inner_text()


def test_every_part_can_be_reached_by_keyboard_and_shows_its_focus(opened: Opened) -> None:
    page = opened("small", width=390)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the report"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    reached = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        where = page.evaluate("document.activeElement.tagName + '.' + document.activeElement.className")
        if where == "BODY.":  # after the last part
            break
        reached.add(where)
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none", where
    assert {"A.", "INPUT.", "BUTTON.", "DIV.scroll", "DIV.heatmap"} <= reached


def test_printing_shows_everything(opened: Opened) -> None:
    page = opened("large", width=720, scheme="dark")
    page.get_by_label("Search rules").fill("rule_7")
    page.emulate_media(media="print")
    assert page.locator(f"{ROWS}:visible").count() == 100
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    hidden = """() => [...document.querySelectorAll(".scroll, .cell")]
        .filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== "visible").length"""
    assert page.evaluate(hidden) == 0
    edges = """() => [...document.querySelectorAll("table, svg")].map((e) => e.getBoundingClientRect().right)"""
    assert max(page.evaluate(edges)) <= 720
    for title in ("What is proved", "Rules together", "Versions and fingerprints"):
        assert page.get_by_role("heading", name=title, exact=True).is_visible()
    printed = page.pdf(format="A4")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) >= 4


def test_hostile_names_and_texts_do_nothing_and_are_shown(opened: Opened) -> None:
    page = opened("hostile")
    assert page.title() == "Report on labels from rules"
    assert page.evaluate("document.scripts.length") == 1
    assert page.evaluate("document.images.length") == 2  # the legends
    shown = column(page, 1)
    assert shown[0] == HOSTILE[0]
    assert shown[2] == HOSTILE[2]
    assert len(shown[5]) <= 120
    assert page.locator("#rule-table span[title]").last.get_attribute("title") is not None
    page.locator("#rule-table th", has_text="weight").locator("button").click()
    page.get_by_label("Search rules").fill("<script>")
    assert page.locator(f"{ROWS}:visible").count() == 1
    page.locator(".heatmap").first.focus()
    page.evaluate(ALL_IS_DONE)
    assert page.title() == "Report on labels from rules"
    assert page.evaluate("document.scripts.length") == 1


def test_a_script_that_got_in_would_not_run(opened: Opened, reports: dict[str, Path], chromium: Any) -> None:
    """The policy is a second wall: markup that is not ours does not execute even if escaping failed."""
    broken = reports["small"].with_name("broken.html")
    attack = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    broken.write_text(reports["small"].read_text().replace("<main", f"{attack}<main", 1))
    page = chromium.new_page()
    page.goto(broken.as_uri())
    page.evaluate(ALL_IS_DONE)
    assert page.title() == "Report on labels from rules"
    page.close()


def test_a_notebook_shows_the_page_in_a_frame_without_an_origin(
    chromium: Any, reports: dict[str, Path], tmp_path: Path
) -> None:
    cell = tmp_path / "cell.html"
    cell.write_text(f"<!DOCTYPE html><meta charset=utf-8>{WrittenReport(reports['hostile'])._repr_html_()}", "utf-8")
    context = chromium.new_context()
    page, asked = context.new_page(), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: asked.append(dialog.message))
    page.goto(cell.as_uri())
    frame = page.frames[1]
    assert frame.locator("#certificate").inner_text() != ""
    assert frame.evaluate("window.origin") == "null"
    assert [url for url in asked if not url.startswith(("file:", "data:", "about:"))] == []
    context.close()

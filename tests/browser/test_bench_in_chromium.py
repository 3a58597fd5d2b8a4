"""The bench in a real browser: by keyboard alone, at 390 px, in the dark, read aloud; hostile texts do nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

from bench.desks import open_desk, write_items
from bench.nursery import Nursery
from thumbwise.bench.running import serving
from thumbwise.bench.turns import draw_order
from thumbwise.io.gold_lines import read_gold_lines, settle

CONTRAST = (Path(__file__).parent / "contrast.js").read_text()
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63386160000002"
    "ec0129d2610b8d0000000049454e44ae426082"
)
READY = "main[aria-busy=false]"
# Attributes that would do something.
ATTRIBUTES = """() => [...document.querySelectorAll("#fields *")].flatMap((e) => [...e.attributes])
    .filter((a) => a.name.startsWith("on") || ["style", "srcdoc", "formaction"].includes(a.name)).map((a) => a.name)"""
# Images that are really shown, once all that there are have come.
IMAGES = """() => Promise.all([...document.images].map((i) => i.decode().then(() => 1, () => 0)))
    .then((shown) => shown.reduce((a, b) => a + b, 0))"""
INTRUDERS = """() => new Promise((done) => {
    const made = document.createElement("script");
    made.textContent = "document.title = 'owned'";
    const image = document.createElement("img");
    image.setAttribute("onerror", "document.title = 'owned'");
    image.addEventListener("error", done);
    image.src = "nothing";
    document.body.append(made, image);
})"""
Opened: TypeAlias = Callable[..., Any]

HOSTILE = (
    "<script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "<svg onload=\"document.title='owned'\"><script>document.title='owned'</script></svg>",
    "# [click](javascript:document.title='owned') and [data](data:text/html,<script>1</script>) and [ok](https://example.org/a)",
    "**bold** ![picture](https://example.org/x.png) <iframe src=https://example.org></iframe> [x](vbscript:a) [f](file:///etc)",
    '[{"role": "<script>document.title=\'owned\'</script>", "content": "<b onmouseover=alert(1)>x</b> [y](JaVaScRiPt:1)"},'  # noqa: E501
    '{"role": "system", "content": "</p><style>*{display:none}</style>"}]',
    '{"__proto__": {"polluted": 1}, "constructor": "<script>1</script>"}',
    "\u202eevil\u202c text with \u0000zero and \ud83d\ude00 " + "a" * 3000,
    "| a | b |\n|---|---|\n| <script>document.title='owned'</script> | [z](javascript:1) |",
    "`" * 5000 + "*" * 5000 + "[" * 5000 + "(" * 4000,
    "> " * 3000 + "deep",
    'https://example.org/" onclick="alert(1)',
)


@pytest.fixture
def bench(chromium: Any, tmp_path: Path) -> Iterator[Opened]:
    """Serve items and open the page; whatever it says on the console, asks of others or of the user is an error."""
    complaints: list[str] = []
    with ExitStack() as stack:

        def refuse(dialog: Any) -> None:
            complaints.append(dialog.message)
            dialog.dismiss()

        def watch(page: Any, origin: str) -> None:
            page.on("console", lambda message: complaints.append(f"console {message.type}: {message.text}"))
            page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
            page.on("dialog", refuse)
            page.on("request", lambda r: complaints.extend([] if r.url.startswith(origin) else [f"request: {r.url}"]))

        def begin(
            path: Path, *, width: int = 1280, scheme: str = "light", votes: Path | None = None, **asked: Any
        ) -> Any:
            desk = open_desk(path, tmp_path / "gold.jsonl", votes=votes, **asked)
            address = stack.enter_context(serving(desk))
            context = chromium.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
            stack.callback(context.close)
            page = context.new_page()
            watch(page, address.url)
            page.goto(address.url)
            page.wait_for_selector(READY)
            return page

        begin.complaints = complaints  # type: ignore[attr-defined]
        yield begin
    assert complaints == []


def press(page: Any, key: str) -> None:
    """Press a key that moves the page on, and wait until it has."""
    page.evaluate("document.getElementById('said').textContent = ''")
    page.keyboard.press(key)
    page.wait_for_function("() => document.getElementById('said').textContent !== ''")
    page.wait_for_selector(READY)


def answers(tmp_path: Path) -> Any:
    return read_gold_lines(tmp_path / "gold.jsonl").answers


def test_labeling_by_keyboard_alone(bench: Opened, tmp_path: Path) -> None:
    page = bench(write_items(tmp_path), n=12)
    for key in ("1", "f", "2", "p", "x", "s", "0", "1"):
        press(page, key)
    said = [(a.place, a.kind, a.answer) for a in answers(tmp_path)]
    assert said == [
        (1, "label", "pass"), (2, "label", "fail"), (3, "label", "fail"), (4, "label", "pass"), (5, "unclear", None),
        (6, "skip", None), (7, "unclear", None), (8, "label", "pass"),
    ]  # fmt: skip
    press(page, "u")
    press(page, "u")
    assert page.locator("#title").inner_text().startswith("Item 7 ")
    for key in ("1", "1", "1", "1", "1", "1"):
        press(page, key)
    assert page.locator("#title").inner_text().startswith("Item 6 ")  # the skipped one comes back
    press(page, "2")
    assert page.locator("#title").inner_text() == "Everything is labeled"
    assert page.locator("#count").inner_text() == "12 of 12 labeled"
    page.get_by_text("With 95 % confidence the share of pass").wait_for()
    settled = settle(answers(tmp_path))
    assert settled.labels == ("pass", "fail", "fail", "pass", "unclear", "fail", *["pass"] * 6)
    assert all(a.seconds is not None and a.seconds >= 0 for a in settled.gold)


def test_a_key_that_is_held_down_answers_once(bench: Opened, tmp_path: Path) -> None:
    page = bench(write_items(tmp_path), n=12)
    page.evaluate(
        """() => {
          const press = (key, repeat) => document.dispatchEvent(new KeyboardEvent("keydown", { key, repeat }));
          for (let i = 0; i < 30; i += 1) press("1", i > 0);
          press("2", false);
        }"""
    )
    page.wait_for_function("() => document.getElementById('said').textContent !== ''")
    page.wait_for_selector(READY)
    assert [(a.place, a.answer) for a in answers(tmp_path)] == [(1, "pass")]
    page.evaluate("""() => document.dispatchEvent(new KeyboardEvent("keydown", { key: "1", repeat: true }))""")
    for key in ("Control+1", "Alt+p", "Meta+f"):
        page.keyboard.press(key)
    press(page, "2")
    assert [(a.place, a.answer) for a in answers(tmp_path)] == [(1, "pass"), (2, "fail")]


def test_notes_going_back_and_lists(bench: Opened, tmp_path: Path) -> None:
    page = bench(write_items(tmp_path), n=12)
    page.keyboard.press("n")
    page.keyboard.type("1 is what I type, u too")
    page.keyboard.press("Escape")
    press(page, "1")
    assert not page.locator("#note-box").is_visible()
    press(page, "2")
    assert [(a.answer, a.note) for a in answers(tmp_path)] == [("pass", "1 is what I type, u too"), ("fail", None)]
    page.keyboard.press("l")
    page.get_by_label("Only").select_option("note")
    page.wait_for_function("() => document.querySelectorAll('#list-answers li').length === 1")
    page.locator("#list-answers button").click()
    page.get_by_text("You said: pass. Another answer replaces it.").wait_for()
    assert page.locator("#classes button[aria-pressed=true]").inner_text().startswith("pass")
    assert page.locator("#note").input_value() == "1 is what I type, u too"
    press(page, "f")
    assert page.locator("#title").inner_text().startswith("Item 3 ")
    page.keyboard.press("g")
    page.keyboard.type("99")
    page.keyboard.press("Enter")
    page.get_by_role("alert").filter(has_text="no item '99' has come up yet").wait_for()
    page.locator("#go-to").fill(answers(tmp_path)[1].id)
    page.keyboard.press("Enter")
    page.get_by_text("You said: fail.").wait_for()
    press(page, "Escape")
    assert page.locator("#title").inner_text().startswith("Item 3 ")
    assert settle(answers(tmp_path)).labels == ("fail", "fail")
    assert all("400 (Bad Request)" in complaint for complaint in bench.complaints)  # type: ignore[attr-defined]
    bench.complaints.clear()  # type: ignore[attr-defined]  # the browser's own words for an item that is not there


def test_a_second_look(bench: Opened, tmp_path: Path) -> None:
    page = bench(write_items(tmp_path), n=20)
    for _ in range(20):
        press(page, "1")
    assert page.get_by_text("Would you label a random tenth of them again (2 items)?").is_visible()
    press(page, "t")
    assert page.get_by_text("Second look: what do you say now?").is_visible()
    press(page, "2")
    press(page, "1")
    page.get_by_text("1 of 2 second labels by the same person are the same").wait_for()
    assert page.locator("#title").inner_text() == "Nothing is left for a second look"
    assert [a.again for a in answers(tmp_path)].count(True) == 2
    assert settle(answers(tmp_path)).labels == ("pass",) * 20


def test_votes_are_shown_after_the_answer_if_wanted(bench: Opened, tmp_path: Path) -> None:
    path, votes = write_items(tmp_path), tmp_path / "votes.csv"
    votes.write_text("id,judge\n" + "".join(f"q{i},fail\n" for i in range(60)))
    page = bench(path, n=12, votes=votes)
    press(page, "1")
    assert "judge" not in page.locator("body").inner_text()
    page.keyboard.press("v")
    press(page, "1")
    assert page.locator("#last .vote.differs").inner_text() == "judge: fail"


def test_two_tabs_and_two_people(bench: Opened, tmp_path: Path) -> None:
    page = bench(write_items(tmp_path), n=12)
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector(READY)
    press(page, "1")
    press(page, "1")
    other.keyboard.press("2")  # it shows item 1 still, and does not know that it is answered
    other.get_by_role("alert").filter(has_text="answered meanwhile").wait_for()
    other.wait_for_selector(READY)
    assert other.locator("#title").inner_text().startswith("Item 3 ")
    assert settle(answers(tmp_path)).labels == ("pass", "pass")
    other.get_by_label("Name").fill("bob")
    other.keyboard.press("Enter")
    other.wait_for_function("() => document.getElementById('title').textContent.startsWith('Item 4 ')")
    other.wait_for_selector(READY)
    press(other, "2")
    press(page, "1")
    assert [(a.place, a.by) for a in answers(tmp_path)] == [(1, ""), (2, ""), (4, "bob"), (3, "")]


@pytest.fixture
def everything(tmp_path: Path) -> Path:
    """A text of each kind, an image, long words and hostile texts."""
    (tmp_path / "dot.png").write_bytes(PNG)
    talk = [{"role": "user", "content": "How?"}, {"role": "assistant", "content": "1. So\n2. and `so`"}]
    rows: list[dict[str, Any]] = [
        {"text": "Short."},
        {"text": "Words of a text. " * 200},
        {
            "text": "# Title\n\nSome *words*, **more**, `code`\n\n- one\n  - two\n\n> quoted\n\n"
            "| a | b |\n|---|---|\n| 1 | 2 |"
        },
        {"text": talk},
        {"text": {"a": [1, 2, {"b": "c" * 300}]}},
        {"text": "dot.png"},
        {"text": "https://example.org/" + "long" * 100},
        {"text": "W" * 4000},
        *({"text": text} for text in HOSTILE),
    ]
    path = tmp_path / "items.jsonl"
    path.write_text("".join(json.dumps({"id": f"i{k}", **row}) + "\n" for k, row in enumerate(rows)))
    return path


def n_rows(path: Path) -> int:
    return len(path.read_text().splitlines())


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark"), (390, "dark")])
def test_nothing_overflows_and_all_is_legible(bench: Opened, everything: Path, width: int, scheme: str) -> None:
    page = bench(
        everything, width=width, scheme=scheme, n=n_rows(everything), classes=("pass", "fail", "a" * 60, "neither")
    )
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(20, 23, 26)") == (scheme == "dark")
    for _ in range(n_rows(everything)):
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        poor = [row for row in page.evaluate(CONTRAST) if row["kind"] == "text" and row["ratio"] < 4.5]
        assert poor == []
        beyond = """() => [...document.querySelectorAll("main *")].filter((e) => !e.closest("pre, .wide")
            && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 80))"""
        assert page.evaluate(beyond) == []
        press(page, "1")
    assert page.locator("#title").inner_text() == "Everything is labeled"


def test_hostile_texts_do_nothing_and_are_shown(bench: Opened, everything: Path, tmp_path: Path) -> None:
    page = bench(everything, n=n_rows(everything))
    title, n_images, shown = page.title(), 0, ""
    for _ in range(n_rows(everything)):
        shown += page.locator("#fields").inner_text() + "\n"
        n_images += page.evaluate(IMAGES)
        made = page.evaluate("[...document.querySelectorAll('#fields *')].map((e) => e.tagName)")
        assert not {"SCRIPT", "IFRAME", "SVG", "STYLE", "OBJECT", "EMBED", "FORM", "LINK", "META"} & set(made)
        assert page.evaluate(ATTRIBUTES) == []
        for link in page.locator("#fields a").all():
            assert link.get_attribute("href").startswith(("https://example.org", "http://", "mailto:"))
            assert link.get_attribute("rel") == "noopener noreferrer nofollow"
            assert link.get_attribute("target") == "_blank"
        assert page.title() == title
        press(page, "1")
    assert n_images == 1
    for text in (
        "<script>document.title='owned'</script>",
        "<img src=x onerror=",
        "javascript:document.title='owned'",
        "<iframe",
    ):
        assert text in shown
    assert page.evaluate("({}).polluted") is None
    assert len(answers(tmp_path)) == n_rows(everything)


def test_a_script_that_got_in_would_not_run(bench: Opened, tmp_path: Path) -> None:
    """The policy is a second wall, behind text nodes."""
    page = bench(write_items(tmp_path), n=12)
    page.evaluate(INTRUDERS)
    refused = page.evaluate("fetch('https://example.org/').then(() => 'sent', () => 'refused')")
    assert refused == "refused"
    assert "owned" not in page.title()
    assert len(bench.complaints) >= 3  # type: ignore[attr-defined]
    assert all("Content Security Policy" in c or "404" in c for c in bench.complaints)  # type: ignore[attr-defined]
    bench.complaints.clear()  # type: ignore[attr-defined]


def test_ten_megabytes_are_shown_in_pieces(bench: Opened, tmp_path: Path) -> None:
    """Plain, as Markdown full of marks, and as one line of JSON."""
    texts = ["x" * 10_000_000, "**a** `b` [c](d) _e_ " * 500_000, "[" + "1," * 5_000_000 + "1]"]
    path = tmp_path / "items.jsonl"
    path.write_text("".join(json.dumps({"id": k, "text": text}) + "\n" for k, text in enumerate(texts)))
    page = bench(path, n=3)
    for _ in texts:
        assert page.evaluate("document.getElementById('fields').textContent.length") < 30_000
        assert page.get_by_text("20,000 of 10,").is_visible()
        page.get_by_role("button", name="Show more").click()
        page.get_by_text("220,000 of 10,").wait_for()
        press(page, "1")
    assert len(answers(tmp_path)) == 3


def test_it_can_be_read_aloud(bench: Opened, tmp_path: Path) -> None:
    """Roles and names, headings in order, and a word for what has happened."""
    page = bench(write_items(tmp_path), n=12)
    assert page.get_by_role("main", name="Item 1 in the order drawn").is_visible()
    for name in ("pass", "fail", "Unclear", "Skip", "Undo", "Note", "Go to", "Answers", "Help"):
        assert page.get_by_role("button", name=name, exact=True).is_visible(), name
    assert page.get_by_role("textbox", name="Name").is_visible()
    assert page.get_by_role("progressbar", name="Items labeled").is_visible()
    assert page.get_by_role("complementary", name="What the labels say so far").is_visible()
    levels = page.evaluate("[...document.querySelectorAll('main h1, main h2')].map((h) => h.tagName)")
    assert levels == ["H1", "H2"]
    unnamed = """() => [...document.querySelectorAll("button, input, select, textarea, a, img, dialog, [role]")]
        .filter((e) => !(e.textContent.trim() || e.getAttribute("aria-label") || e.getAttribute("aria-labelledby")
          || e.labels?.length || e.alt) && !e.matches("[role=status], [role=alert]")).map((e) => e.outerHTML)"""
    assert page.evaluate(unnamed) == []
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))
    press(page, "1")
    assert page.get_by_role("status").filter(has_text="Kept: pass. Item 2.").count() == 1
    assert page.evaluate("document.activeElement.id") == "item"
    assert page.evaluate("document.documentElement.lang") == "en"


def test_every_control_is_reached_by_tab_and_shows_it(bench: Opened, tmp_path: Path) -> None:
    page = bench(write_items(tmp_path), n=12, width=390)
    page.evaluate("document.activeElement.blur(); window.getSelection().removeAllRanges()")
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        where = page.evaluate(
            "document.activeElement.id || document.activeElement.dataset.name || document.activeElement.tagName"
        )
        if where in reached:
            break
        if where == "BODY":  # after the last one comes the first
            continue
        reached.append(where)
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none", where
        box = page.evaluate(
            "(({ top, bottom, left }) => [top, bottom, left])(document.activeElement.getBoundingClientRect())"
        )
        assert box[2] >= 0
        assert 0 <= box[0] < box[1] <= 844
    assert {"by", "go", "list", "help", "pass", "fail", "unclear", "skip", "undo", "note-button"} <= set(reached)
    page.keyboard.press("?")
    assert page.get_by_role("dialog", name="Keys").is_visible()
    page.keyboard.press("1")  # keys do not answer behind a dialog
    page.keyboard.press("Escape")
    assert answers(tmp_path) == ()


def test_single_keys_can_be_turned_off(bench: Opened, tmp_path: Path) -> None:
    page = bench(write_items(tmp_path), n=12)
    page.keyboard.press("?")
    page.get_by_label("Single keys answer").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    page.get_by_role("button", name="fail").focus()
    press(page, "Enter")
    assert [a.answer for a in answers(tmp_path)] == ["fail"]


@pytest.mark.slow
def test_twenty_kills_while_somebody_labels(chromium: Any, tmp_path: Path) -> None:
    """A hundred items by keyboard, the server killed at moments that chance decides, and started again."""
    path, gold, rng = write_items(tmp_path, 400), tmp_path / "gold.jsonl", np.random.default_rng(3)
    arguments = [path, "--classes", "pass,fail", "-n", 100, "--seed", 2, "-o", gold]
    nursery, n_kills = Nursery(), 0
    kept: list[str] = []
    try:
        while len(kept) < 100:
            with nursery.bench(arguments) as running:
                page = chromium.new_page()
                page.goto(running.url)
                page.wait_for_selector(READY)
                for _ in range(int(rng.integers(1, 9)) if n_kills < 20 else 100):
                    if not page.locator("#classes button:enabled").count():
                        break
                    shown = page.locator("#title").inner_text()
                    press(page, str(rng.integers(1, 3)))
                    kept.append(shown.split()[1])  # acknowledged: the page says so
                if n_kills < 20:
                    page.keyboard.press("1")
                    for _ in range(int(rng.integers(0, 200_000))):
                        pass
                    running.kill()
                    n_kills += 1
                page.close()
            places = [str(answer.place) for answer in read_gold_lines(gold).answers]
            assert len(places) == len(set(places))
            assert set(kept) <= set(places)
            kept = places
    finally:
        nursery.close()
    assert n_kills == 20
    order = draw_order(400, 2)[:100].tolist()
    assert [answer.id for answer in read_gold_lines(gold).answers] == [f"q{row}" for row in order]


def test_a_server_that_is_gone_is_said(bench: Opened, tmp_path: Path, chromium: Any) -> None:
    nursery = Nursery()
    try:
        with nursery.bench([write_items(tmp_path), "--classes", "pass,fail", "-o", tmp_path / "gold.jsonl"]) as running:
            page = chromium.new_page()
            page.goto(running.url)
            page.wait_for_selector(READY)
            running.kill()
        page.keyboard.press("1")
        page.get_by_role("alert").filter(has_text="Start it again with the same command").wait_for()
        assert page.locator("#title").inner_text().startswith("Item 1 ")
        page.close()
    finally:
        nursery.close()

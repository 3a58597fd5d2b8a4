"""A browser, reports of three sizes and a hostile one; skipped where there is no Chromium, unless one is required."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import pytest

import thumbwise as tw
from report.problems import Found, hostile_reading, make_reading
from thumbwise.display.report import samples
from thumbwise.display.report.writing import write_report

NAMES = ("chromium", "chromium-browser", "google-chrome")
Opened = Callable[..., Any]


def absent(reason: str) -> NoReturn:
    if os.environ.get("THUMBWISE_REQUIRE_BROWSER"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        absent("no Chromium: apt-get install chromium")
    try:
        api: Any = import_module("playwright.sync_api")
    except ImportError:
        absent("no playwright: pip install playwright (its own browsers are not needed)")
    with api.sync_playwright() as playwright:
        # Containers forbid Chromium's sandbox; the pages are our own files, and nothing else is opened.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Three, thirty and a hundred rules; and names that try to break out."""
    folder = tmp_path_factory.mktemp("reports")
    texts = [f"text of item {i} " * (1 + i % 20) for i in range(300)]
    readings = {
        "small": make_reading(300, 3, texts=texts),
        "middle": make_reading(200, 30, n_gold=60, coverage=0.3),
        "large": make_reading(400, 100, coverage=0.1),
        "hostile": hostile_reading(),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(samples, "_PLANNED_WORK", 10_000)  # what is planned is not what is looked at here
        patch.setattr(samples, "_PLANNED_VOTES", 5_000)
        patch.setattr(samples, "_COMPARED_VOTES", 5_000)
        return {name: write(reading, folder / f"{name}.html") for name, reading in readings.items()}


def write(reading: tw.Reading, path: Path) -> Path:
    box = reading.box(n_permutations=0)
    model = tw.BalsubramaniFreund(on_infeasible="widen", tol=1e-4).fit(reading.votes, box=box)
    return write_report(reading, path, model=model, findings=(Found(), Found(severity="error")))


@pytest.fixture
def opened(chromium: Any, reports: dict[str, Path]) -> Iterator[Opened]:
    """Open a report; whatever it says on the console, asks of the network or asks of the user is an error."""
    contexts, complaints = [], []

    def refuse(dialog: Any) -> None:
        complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def watch(request: Any) -> None:
        if not request.url.startswith(("file:", "data:")):
            complaints.append(f"request: {request.url}")

    def open_page(name: str, *, width: int = 1280, scheme: str = "light") -> Any:
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"console {message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("dialog", refuse)
        page.on("request", watch)
        page.goto(reports[name].as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []

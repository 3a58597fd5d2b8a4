"""The picture of a report, made from the report itself: python docs/report_picture.py [REPORT].

It writes the files of ``thumbwise demo``, lets ``thumbwise report`` make the page, and photographs
its first section in Chromium; or that of a REPORT made by the same command. Needs pip install playwright jinja2, and a
Chromium on the path, which opens that one file and fetches nothing.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from typer.testing import CliRunner

from thumbwise.cli.main import app
from thumbwise.datasets import load_demo
from thumbwise.datasets.examples import write_demo
from thumbwise.display.report import samples

PICTURE = Path(__file__).parent / "pictures" / "report-first.png"
WIDTH, HEIGHT, MARGIN = 780, 416, 4
TITLE = "2,000 answers, twelve judges, 120 human labels"
# Containers forbid Chromium's sandbox; the page is our own file, and nothing else is opened.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]


def main(made: Path | None) -> None:
    """Make the report if it is not there, open it, keep what it says first."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("there is no Chromium: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        report = made or write_report(Path(folder))
        page = playwright.chromium.launch(executable_path=browser, args=FLAGS).new_page(
            viewport={"width": WIDTH, "height": 2 * HEIGHT}, color_scheme="light"
        )
        photograph(page, report)


def write_report(folder: Path) -> Path:
    """The report of the demo, by the commands that the README has."""
    samples._PLANNED_WORK, samples._PLANNED_VOTES, samples._COMPARED_VOTES = 10_000, 5_000, 5_000  # not in the picture
    write_demo(load_demo(), folder / "example")
    os.chdir(folder / "example")
    command = ["report", "votes.csv", "--gold", "gold.csv", "-o", "report.html", "--title", TITLE]
    answer = CliRunner().invoke(app, command, catch_exceptions=False)
    if answer.exit_code != 0:
        raise SystemExit(answer.output)
    return folder / "example" / "report.html"


def photograph(page: Page, report: Path) -> None:
    """The first section from its heading on, as a file that is there whole or not at all."""
    page.goto(report.as_uri())
    heading = page.locator("h2").first.bounding_box()
    if heading is None:
        raise SystemExit(f"{report} is no report: it has no section")
    unfinished = PICTURE.with_name(f"{PICTURE.stem}.part.png")
    page.screenshot(path=unfinished, clip={"x": 0, "y": heading["y"] - MARGIN, "width": WIDTH, "height": HEIGHT})
    unfinished.replace(PICTURE)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None)

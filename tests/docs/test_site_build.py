"""The site builds without a warning, shows every public name, and fetches nothing when it is read."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.pages import ROOT
from docs.test_api_pages import DOCUMENTED

pytest.importorskip("sphinx", reason="needs pip install -e '.[docs]'")
pytest.importorskip("furo", reason="needs pip install -e '.[docs]'")

# What a browser fetches by itself, in contrast to what a reader may click on.
FETCHED = re.compile(r"<(?:script|img|iframe|link|source)\b[^>]*?\b(?:src|href)=[\"']?((?:https?:)?//[^\"'\s>]+)")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    options = ["--quiet", "--fail-on-warning", "--keep-going", "--fresh-env"]
    command = [sys.executable, "-m", "sphinx", *options, "docs", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr + built.stdout
    return folder


def test_every_public_name_has_its_place(site: Path) -> None:
    html = "".join(page.read_text(encoding="utf-8") for page in sorted((site / "api").glob("*.html")))
    ids = set(re.findall(r'\bid="([\w.]+)"', html))
    assert set(DOCUMENTED) - ids == set()


def test_pages_fetch_nothing(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    assert [(page.name, url) for page in pages for url in FETCHED.findall(page.read_text(encoding="utf-8"))] == []
    styles = "".join(style.read_text(encoding="utf-8") for style in site.rglob("*.css"))
    assert re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", styles) == []


def test_what_is_fetched_is_recognised() -> None:
    assert FETCHED.findall('<script defer src="https://cdn.org/a.js"></script><link href=//fonts.org/b rel=x>') == [
        "https://cdn.org/a.js",
        "//fonts.org/b",
    ]
    assert FETCHED.findall('<a href="https://example.org">x</a><img src="pictures/a.svg">') == []

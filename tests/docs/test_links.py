"""Every link within the tree leads somewhere: files and headings, from the documentation and the README."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.pages import DOCS, ROOT, all_pages, find_anchors, find_links, name_page, read_text

PAGES = [*sorted(ROOT.glob("*.md")), *all_pages()]


def find_broken(page: Path, text: str) -> list[str]:
    broken = []
    for file, anchor in find_links(text):
        target = (page.parent / file).resolve() if file else page
        if not target.exists() or not target.is_relative_to(ROOT):
            broken.append(file)
        elif anchor and anchor not in find_anchors(read_text(target)):
            broken.append(f"{file}#{anchor}")
    return broken


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_links_lead_somewhere(page: Path) -> None:
    assert find_broken(page, read_text(page)) == []


@pytest.mark.parametrize(
    "link", ["absent.md", "theory.md#no-such-heading", "../../outside.md", "#nowhere", "pictures/no.png"]
)
def test_broken_link_is_found(link: str) -> None:
    page = DOCS / "index.md"
    assert find_broken(page, f"See [this]({link}), [that](theory.md#bounds) and `[code](absent.md)`.") == [link]


def test_there_are_links_to_check() -> None:
    found = [link for page in PAGES for link in find_links(read_text(page))]
    assert len(found) > 80
    assert sum(bool(anchor) for _, anchor in found) >= 4

"""Every page can be reached: the menu of the site lists each page once."""

from __future__ import annotations

import tomllib

from docs.pages import DOCS, all_pages

CONTENTS: dict[str, list[str]] = tomllib.loads((DOCS / "contents.toml").read_text(encoding="utf-8"))


def test_the_menu_lists_each_page_once() -> None:
    listed = [f"{page}.md" for pages in CONTENTS.values() for page in pages]
    assert sorted(listed) == sorted(
        page.relative_to(DOCS).as_posix() for page in all_pages() if page.stem != "index" or page.parent != DOCS
    )


def test_what_most_people_need_comes_first_and_research_late() -> None:
    headings = [*CONTENTS]
    assert headings[:2] == ["Start here", "Tutorials"]
    assert headings[-2:] == ["Research", "Project"]

"""Every page can be reached: the navigation of the site lists each page once."""

from __future__ import annotations

import re

from docs.pages import DOCS, ROOT, all_pages

LISTED = re.findall(r"^ +- ([\w/.-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)


def test_navigation_lists_each_page_once() -> None:
    assert sorted(LISTED) == sorted(page.relative_to(DOCS).as_posix() for page in all_pages())

"""What the site needs beyond MkDocs: links that leave it become names, and examples can be copied without prompts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s#:]+)\)")
DOCTEST = re.compile(r"^```python\n(?=(?:(?!```).*\n)*?>>> )", re.MULTILINE)
TABLE = re.compile(r"^```\n(?=(?:(?!```).*\n)*?.*───)", re.MULTILINE)
DIRECTIVE = re.compile(r"  # doctest: \+.*$", re.MULTILINE)
ROLE = re.compile(r":(?:class|func|meth|mod|attr|data):(?=<code>)")


def on_page_markdown(markdown: str, /, *, page: Any, **_: Any) -> str:
    """Name files of the source tree instead of linking to them; a reader of the site has no such file to open.

    Examples with prompts become console sessions, whose prompts and output the style leaves out of what is copied.
    Tables of a terminal keep their lines.
    """
    folder = (DOCS / page.file.src_path).parent

    def name_file(link: re.Match[str]) -> str:
        target = (folder / link[1]).resolve()
        if target.is_relative_to(DOCS) or not target.is_relative_to(DOCS.parent) or not target.exists():
            return link[0]
        return f"`{target.relative_to(DOCS.parent).as_posix()}`"

    named = TABLE.sub("``` { .text .terminal }\n", LINK.sub(name_file, markdown))
    return DIRECTIVE.sub("", DOCTEST.sub("```pycon\n", named))


def on_page_content(html: str, /, **_: Any) -> str:
    """Drop the roles that docstrings put before names, such as that of a class; the page is no Sphinx page."""
    return ROLE.sub("", html)

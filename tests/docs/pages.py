"""The pages of the documentation as text: fenced blocks, links, headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
_IDENTIFIER = re.compile(r"^::: ([\w.]+)$", re.MULTILINE)


def all_pages() -> list[Path]:
    return sorted(DOCS.rglob("*.md"))


def read_text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def name_page(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def find_blocks(text: str) -> list[tuple[str, str]]:
    """Language and content of each fenced block."""
    return _FENCE.findall(text)


def find_prose(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", _FENCE.sub("", text))


def find_links(text: str) -> Iterator[tuple[str, str]]:
    """File and anchor of each link that does not leave the tree; the file of a link within a page is empty."""
    for target in _LINK.findall(find_prose(text)):
        if not re.match(r"[a-z]+:", target):
            file, _, anchor = target.partition("#")
            yield file, anchor


def find_anchors(text: str) -> set[str]:
    """Anchors of headings as Python-Markdown and GitHub both write them."""
    return {slug(heading) for heading in _HEADING.findall(_FENCE.sub("", text))}


def slug(heading: str) -> str:
    plain = re.sub(r"[^\w\s-]", "", re.sub(r"\]\([^)]*\)", "]", heading)).strip().lower()
    return re.sub(r"\s+", "-", plain)


def find_identifiers(text: str) -> list[str]:
    """What a page of the API reference documents."""
    return _IDENTIFIER.findall(text)

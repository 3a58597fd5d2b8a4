"""Figures of the documentation, written from the results of studies: ``python -m studies.pages``.

A page marks where figures stand, in a block or within a sentence,

    <!-- figures: claims/page -->

    ...

    <!-- end -->

    on <!-- figures: claims/best in accuracy -->...<!-- end --> sets

and what lies between is replaced by what the results of that study (``studies/results/claims.json``) say under that
name. Nothing else of the page is touched. ``--check`` writes nothing; it names the marks whose figures are not those of
the results, with status 1. ``--list`` prints every name.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.tables import write_whole

from studies.results import FOLDER, origin_of, read_results

ROOT = Path(__file__).resolve().parents[1]
MARK = re.compile(r"(<!-- figures: (?P<name>[^>]*?) -->)(?P<shown>.*?)(<!-- end -->)", re.DOTALL)
# Who puts results into words that are not tables as a study prints them.
SPOKEN_BY = {"claims": "studies.claims.page", "benchmarks": "benchmarks.tables"}


def pages(root: Path = ROOT) -> list[Path]:
    """Everything that may show figures."""
    return [root / "README.md", *sorted((root / "docs").rglob("*.md"))]


@cache
def figures(folder: Path = FOLDER) -> dict[str, str]:
    """What may stand between marks, by the name of the study and that of the figure."""
    return {
        f"{path.stem}/{name}": text for path in sorted(folder.glob("*.json")) for name, text in _said_by(path).items()
    }


def _said_by(path: Path) -> dict[str, str]:
    content = read_results(path.stem, path.parent)
    speak = import_module(SPOKEN_BY[path.stem]).figures if path.stem in SPOKEN_BY else in_tables
    said: dict[str, str] = speak(content)
    return said


def in_tables(content: Mapping[str, Any]) -> dict[str, str]:
    """Of a study that keeps tables as it prints them: each by its name, with where it comes from."""
    return {name: "\n".join([*table["lines"], "", origin_of(table)]) for name, table in content["tables"].items()}


def fill(text: str, said: Mapping[str, str]) -> str:
    """The page with these figures: blocks on lines of their own; in a sentence their first paragraph, in its line."""

    def show(mark: re.Match[str]) -> str:
        name = mark["name"]
        if name not in said:
            raise SystemExit(f"No results hold the figure {name!r}; python -m studies.pages --list prints their names.")
        is_block = mark["shown"].startswith("\n")
        text = said[name].strip()
        shown = f"\n\n{text}\n\n" if is_block else " ".join(text.split("\n\n")[0].split())
        return f"{mark[1]}{shown}{mark[4]}"

    return MARK.sub(show, text)


def stale(root: Path = ROOT, folder: Path = FOLDER) -> Iterator[tuple[Path, str]]:
    """Pages, each with the name of a figure that is not that of the results."""
    for page in pages(root):
        text = page.read_text(encoding="utf-8")
        for before, after in zip(MARK.finditer(text), MARK.finditer(fill(text, figures(folder))), strict=True):
            if before["shown"] != after["shown"]:
                yield page, before["name"]


def fill_pages(root: Path = ROOT, folder: Path = FOLDER) -> list[Path]:
    """Write the pages whose figures have changed; these are returned."""
    figures.cache_clear()
    changed = []
    for page in pages(root):
        text = page.read_text(encoding="utf-8")
        filled = fill(text, figures(folder))
        if filled != text:
            write_whole(page, filled)
            changed.append(page)
    return changed


def main() -> int:
    """Fill, check or list."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if a page shows other figures")
    parser.add_argument("--list", action="store_true", help="print the names of all figures")
    given = parser.parse_args()
    if given.list:
        print("\n".join(figures()))
    elif given.check:
        found = [f"{page.relative_to(ROOT)}: {name}" for page, name in stale()]
        print("\n".join(found) or "Every figure is that of the results.")
        return int(bool(found))
    else:
        print("\n".join(str(page.relative_to(ROOT)) for page in fill_pages()) or "Nothing to change.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

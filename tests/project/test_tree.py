"""What no file of the project may hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("src", "tests", "docs", "studies", "benchmarks", "fuzz", "examples", ".github", ".ci")
FILES = [
    path
    for folder in (*FOLDERS, ".")
    for path in ((ROOT / folder).rglob("*") if folder != "." else ROOT.glob("*"))
    if path.suffix in {".py", ".md", ".toml", ".yml", ".txt", ".jinja", ".cff"}
    # Environments of peers, which git ignores, are not ours.
    and not any(part.endswith("peers") and part.startswith(".") for part in path.relative_to(ROOT).parts)
]
MARKS = re.compile(r"^(<{7}|>{7}) ", re.MULTILINE)


def test_there_are_files() -> None:
    assert {"CHANGELOG.md", "pyproject.toml", "box.py", "test_tree.py"} <= {path.name for path in FILES}
    assert MARKS.search("a\n" + "<" * 7 + " HEAD\n")


@pytest.mark.parametrize("folder", [*FOLDERS, "."])
def test_no_merge_is_left_half_done(folder: str) -> None:
    inside = [
        path for path in FILES if path.relative_to(ROOT).parts[0] == folder or path.parent == ROOT == ROOT / folder
    ]
    marked = [str(path.relative_to(ROOT)) for path in inside if MARKS.search(path.read_text(encoding="utf-8"))]
    assert not marked

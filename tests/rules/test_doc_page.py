"""The page about rules says what happens."""

from __future__ import annotations

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "labeling-functions.md"


def test_the_page_runs() -> None:
    tried = doctest.testfile(str(PAGE), module_relative=False)
    assert tried.attempted > 10
    assert tried.failed == 0

"""The migration pages: what they say that other tools print, they print, and both sides had the same votes.

The "after" blocks are doctests and run with the other pages. The "before" blocks run in the interpreter that
THUMBWISE_PEERS names, which needs snorkel and crowd-kit; those of the page on judges are plain Python and run here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thumbwise as tw
from peers.migration_pages import FOLDER, Page, first_difference, labelled_lines
from support.hyper import skip_or_fail

WORKER = Path(__file__).with_name("migration_worker.py")
JUDGES = "from-majority-of-llm-judges.md"
# What both sides of a page print under the same name, so that it can be compared.
SHARED = {
    "from-snorkel.md": ("rule votes", "votes", "majority vote", "label model", "log loss"),
    "from-crowd-kit.md": ("votes", "majority vote", "one coin", "full", "log loss"),
    JUDGES: ("votes", "majority vote"),
}


def interpreter_for(name: str) -> str:
    if name == JUDGES:
        return sys.executable
    found = os.environ.get("THUMBWISE_PEERS")
    if not found:
        skip_or_fail("no interpreter with snorkel and crowd-kit; name one in THUMBWISE_PEERS")
    return str(found)


@pytest.mark.parametrize("name", SHARED)
def test_before_prints_what_the_page_says(name: str, tmp_path: Path) -> None:
    page = Page.read(name)
    source, target = tmp_path / "blocks.json", tmp_path / "printed.json"
    source.write_text(json.dumps([code for code, _ in page.before]))
    command = [interpreter_for(name), "-W", "ignore", str(WORKER), str(source), str(target)]
    subprocess.run(command, check=True, timeout=3600, env={**os.environ, "OMP_NUM_THREADS": "1"})
    printed = json.loads(target.read_text())
    assert [first_difference(p, shown) for p, (_, shown) in zip(printed, page.before, strict=True)] == [None] * len(
        printed
    )


@pytest.mark.parametrize(("name", "label"), [(name, label) for name, labels in SHARED.items() for label in labels])
def test_both_sides_print_the_same(name: str, label: str) -> None:
    """What each side prints is true: the one by the test above, the other as a doctest."""
    page = Page.read(name)
    before = labelled_lines("".join(shown for _, shown in page.before), label)
    after = labelled_lines(page.after, label)
    assert before
    assert len(before) == len(after)
    assert [first_difference(*pair) for pair in zip(before, after, strict=True)] == [None] * len(before)


@pytest.fixture(scope="module")
def judged() -> dict[str, Any]:
    """The names that the "before" block of the page on judges leaves behind."""
    namespace: dict[str, Any] = {}
    exec(Page.read(JUDGES).before[0][0], namespace)  # noqa: S102  # code of a page of this project
    return namespace


@pytest.mark.parametrize("first", [("large", "medium"), ("small", "small-v2")])
def test_ties_go_to_the_judge_that_comes_first(first: tuple[str, str], judged: dict[str, Any]) -> None:
    """By arithmetic, without Counter: two against two is decided by the judge whose record is first."""
    said, column = judged["said"], judged["judges"].index(first[0])
    balance = (said == 1).sum(axis=1) - (said == 0).sum(axis=1)
    label = np.where(balance == 0, said[:, column], balance > 0)
    assert f"{(label == judged['truth']).mean():.3f}" in Page.read(JUDGES).text.split("**Ties.**")[1]


@pytest.mark.parametrize("model", [tw.DawidSkene(), tw.DataProgramming(), tw.DataProgramming(solver="epochs")])
def test_models_that_assume_independence_follow_the_pair(model: Any, judged: dict[str, Any]) -> None:
    proba = model.fit(judged["said"]).predict_proba(judged["said"])
    pair = judged["said"][:, 2]
    assert (proba.argmax(axis=1) == pair).mean() > 0.95
    assert f"{proba.max(axis=1).mean():.2f}" in ("0.99", "1.00")
    assert (proba.argmax(axis=1) == judged["truth"]).mean() <= 0.64


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.md")), ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    links = Page.read(path.name).links
    assert links
    assert [link for link in links if not (FOLDER / link).exists()] == []


def test_numbers_are_compared_and_whole_ones_exactly() -> None:
    assert first_difference("votes: 17\n0.123 [a]", "votes: 17  0.124 [a]") is None
    assert first_difference("0.123", "0.125") == "'0.123' is not '0.125'"
    assert first_difference("votes: 17", "votes: 18") == "'17' is not '18'"
    assert first_difference("1.0 2.0", "1.0") == "2 numbers are not 1"
    assert first_difference("ham 1", "spam 1") == "'ham ' is not 'spam '"

"""Every Python block in the documentation runs: by its prompts, here, or where it is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import thumbwise as tw
from docs.pages import ROOT, all_pages, find_blocks, name_page, read_text
from docs.test_printed_blocks import PLAIN

PAGES = [ROOT / "README.md", *all_pages()]

# First line of a block without prompts that does not run here, and why.
EXCUSED = {
    "from thumbwise.datasets import fetch_paper, load_paper": "downloads files",
    "from thumbwise import HyperLabelModel": "needs the weights of hyperlm",
}
# Their blocks without prompts are programs of other tools, which tests/peers runs where these are installed.
OF_PEERS = "docs/migrating/"


def unprompted() -> list[tuple[str, str]]:
    blocks = [
        (name_page(page), code) for page in PAGES for kind, code in find_blocks(read_text(page)) if kind == "python"
    ]
    elsewhere = (OF_PEERS, *PLAIN)
    return [(page, code) for page, code in blocks if ">>>" not in code and not page.startswith(elsewhere)]


def first_line(code: str) -> str:
    return code.split("\n", 1)[0]


RUN_HERE = [block for block in unprompted() if first_line(block[1]) not in EXCUSED]


def names_in_use() -> dict[str, Any]:
    """What the fragments on the pages take for granted: votes on 400 items, gold, predictions."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    right = rng.random((400, 3)) < [0.9, 0.8, 0.7]
    ids = [f"mail {i}" for i in range(400)]
    array = np.where(right, truth[:, None], 1 - truth[:, None])
    votes = tw.Votes(array, class_names=["ham", "spam"], item_ids=ids)
    further = tw.Votes(array[:100], class_names=["ham", "spam"], item_ids=[f"other {i}" for i in range(100)])
    gold, model = rng.choice(400, 100, replace=False), tw.MajorityVote().fit(votes)
    proba = model.predict_proba(votes)
    return {
        "tw": tw, "votes": votes, "pool_votes": votes, "gold": gold, "labels": truth[gold], "model": model, "X": array,
        "gold_votes": further, "gold_labels": truth[:100], "gold_predictions": proba[:100].argmax(axis=1),
        "ids": ids[:50], "predictions": proba.argmax(axis=1), "proba": proba, "other_proba": 1 - proba,
        "soft_labels": tw.soft_labels, "add_rule": tw.add_rule, "certify": tw.certify,
        "LogisticRegression": LogisticRegression,
    }  # fmt: skip


@pytest.mark.parametrize(("page", "code"), RUN_HERE, ids=[f"{page}-{first_line(code)}" for page, code in RUN_HERE])
def test_block_without_prompts_runs(page: str, code: str) -> None:
    exec(compile(code, page, "exec"), names_in_use())  # noqa: S102  # the page is ours


def test_no_excuse_is_left_over() -> None:
    assert set(EXCUSED) - {first_line(code) for _, code in unprompted()} == set()


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_prompts_stand_in_python_blocks(page: Path) -> None:
    text = read_text(page)
    fences = find_blocks(text)
    assert text.count("\n```") % 2 == text.startswith("```"), "a fence is not closed"
    assert ">>>" in "".join(code for kind, code in fences if kind == "python") or ">>>" not in text
    assert [code for kind, code in fences if kind != "python" and ">>>" in code] == []


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_output_ends_before_the_fence(page: Path) -> None:
    """A doctest would take the fence for output; without output it would swallow nothing, but all are written alike."""
    blocks = [code for kind, code in find_blocks(read_text(page)) if kind == "python" and ">>>" in code]
    assert [first_line(code) for code in blocks if not code.endswith("\n\n")] == []

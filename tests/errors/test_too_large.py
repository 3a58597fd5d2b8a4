"""What would not end in minutes is refused before it begins, in words; comparisons go on without it."""

from __future__ import annotations

import numpy as np
import pytest

import thumbwise as tw
from thumbwise.models import amcl, ebcc


@pytest.fixture
def made() -> tuple[tw.Votes, np.ndarray]:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=200)
    array = np.where(rng.random((200, 5)) < 0.8, truth[:, None], 1 - truth[:, None])
    array = np.insert(array, 2, -1, axis=1)
    return tw.Votes(array, n_classes=2), truth


def test_amcl_counts_rules_that_vote(made: tuple[tw.Votes, np.ndarray], monkeypatch: pytest.MonkeyPatch) -> None:
    votes, truth = made
    monkeypatch.setattr(amcl, "_MOST_RULES", 5)
    tw.AMCL(on_infeasible="widen").fit(votes, truth)
    monkeypatch.setattr(amcl, "_MOST_RULES", 4)
    monkeypatch.setattr(amcl, "BrierGame", None)  # nothing is posed
    with pytest.raises(tw.TooLargeError, match=r"at most 4 that vote on the pool; found 5\. Keep the rules"):
        tw.AMCL().fit(votes, truth)


def test_amcl_takes_no_crowd() -> None:
    """A table of the agreements of so many would be 80 GB."""
    workers = np.arange(100_000)
    votes = tw.Votes.from_long(
        (workers // 10, workers, workers % 2), rule_names=[str(j) for j in workers.tolist()], n_classes=2
    )
    with pytest.raises(tw.TooLargeError, match=r"at most 2,000 .* found 100,000"):
        tw.AMCL().fit(votes, np.arange(10_000) % 2)


def test_a_comparison_leaves_out_what_is_too_large(
    made: tuple[tw.Votes, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    votes, truth = made
    monkeypatch.setattr(amcl, "_MOST_RULES", 4)
    monkeypatch.setattr(ebcc, "_MOST_WORK", 10)
    compared = tw.compare(
        votes.take(range(60)), truth[:60], pool=votes, gold_is="subset", methods=["majority vote", "AMCL", "EBCC"]
    )
    assert {"AMCL", "EBCC"}.isdisjoint(score.method for score in compared.scores)
    said = " ".join(map(str, compared.remarks))
    assert "AMCL is left out: AMCL compares each rule" in said
    assert "EBCC is left out: EBCC goes many times over" in said

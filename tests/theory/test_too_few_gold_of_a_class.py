"""The error for gold that is too small for a target of a class counts the labels that fall to that class.

Kills, tried once: all certifying labels counted; the class with the lowest target named, rather than the one that needs
fewest labels; the share of the class left out of what it takes.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import thumbwise as tw

N, N_GOLD, NAMES = 20_000, 40, ["fail", "pass"]


def make_pool() -> tuple[tw.Votes, Any]:
    """One item in five passes."""
    rng = np.random.default_rng(0)
    truth = (rng.random(N) < 0.2).astype(int)
    votes = np.where(rng.random((N, 4)) < 0.9, truth[:, None], 1 - truth[:, None])
    return tw.Votes(votes, class_names=NAMES), truth


def ask(n_gold: int = N_GOLD, **targets: Any) -> tw.Triage:
    votes, truth = make_pool()
    return tw.triage(votes, np.where(np.arange(N) < n_gold, truth, -1), **targets)


@pytest.mark.parametrize(
    ("targets", "name", "needed"),
    [
        # 0.95 ** 72 <= 0.025 < 0.95 ** 71, and so on: the two classes share the error.
        ({"precision": 0.95, "per_class": True}, "fail", 72),
        ({"precision": {"pass": 0.95}}, "pass", 59),
        ({"precision": {"fail": 0.99, "pass": 0.9}}, "pass", 36),
        ({"precision": {"fail": 0.92, "pass": 0.9}}, "fail", 45),
    ],
)
def test_the_labels_of_the_class_are_counted(targets: dict[str, Any], name: str, needed: int) -> None:
    votes, _ = make_pool()
    with pytest.raises(tw.InvalidLabelsError) as caught:
        ask(**targets)
    proposed = ask(budget=0).ranked.proposed[votes.inverse]  # the same part of gold teaches
    share = np.mean(proposed == NAMES.index(name))
    said = re.match(
        r"32 certifying gold labels, about (\d+) of them on items labeled '(\w+)', are too few .* it takes (\d+) right "
        r"of \3\. Label about (\d+) items or more",
        str(caught.value),
    )
    assert said is not None, caught.value
    assert (said[2], int(said[3])) == (name, needed)
    assert int(said[1]) == pytest.approx(32 * share, abs=1)
    assert int(said[4]) * 0.8 * share == pytest.approx(needed, abs=1)


def test_targets_for_all_labels_count_all_of_gold() -> None:
    with pytest.raises(
        tw.InvalidLabelsError, match=r"^32 certifying gold labels are too few .* Label 74 items or more"
    ):
        ask(precision=0.95)
    assert ask(74, precision=0.95).n_accepted > 0

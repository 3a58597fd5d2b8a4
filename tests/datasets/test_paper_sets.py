"""The ten published datasets: their sizes are the paper's, and the filled-in votes repeat the others."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import pytest

from support.paper import paper_folder, reference
from thumbwise.datasets import PAPER_NAMES, PAPER_TITLES, PaperData, load_paper
from thumbwise.datasets.fetching import PAPER_SUMS
from thumbwise.numerics.patterns import ABSTAIN

# The paper's table of dataset statistics: classes, rules, training items, validation items, whether rules abstain.
# It gives IMDB 8 rules; the published file has 5.
SIZES = {
    "AwA": (2, 36, 1372, 172, False),
    "Basketball": (2, 4, 17970, 1064, True),
    "Cancer": (2, 3, 171, 227, False),
    "Cardio": (2, 3, 289, 385, False),
    "Domain": (5, 5, 2587, 323, False),
    "IMDB": (2, 5, 20000, 2500, True),
    "OBS": (2, 3, 239, 317, False),
    "SMS": (2, 73, 4571, 500, True),
    "Yelp": (2, 8, 30400, 3800, True),
    "Youtube": (2, 10, 1586, 120, True),
}


def load(name: str) -> PaperData:
    return load_paper(name, paper_folder())


@pytest.mark.parametrize("name", PAPER_NAMES)
def test_sizes_are_those_of_the_paper(name: str) -> None:
    dataset = load(name)
    n_classes, n_rules, n_items, n_gold, abstains = SIZES[PAPER_TITLES[name]]
    for votes, labels in (
        (dataset.votes, dataset.labels),
        (dataset.gold_votes, dataset.gold_labels),
        (dataset.test_votes, dataset.test_labels),
    ):
        assert (votes.n_classes, votes.n_rules) == (n_classes, n_rules)
        assert len(votes) == len(labels)
        assert set(np.unique(labels)) == set(range(n_classes))
    assert (len(dataset.votes), len(dataset.gold_votes)) == (n_items, n_gold)
    assert bool((dataset.votes.array == ABSTAIN).any()) == abstains


@pytest.mark.parametrize("name", PAPER_NAMES)
def test_filled_votes_repeat_what_was_said(name: str) -> None:
    dataset = load(name)
    for votes, filled in (
        (dataset.votes, dataset.filled_votes),
        (dataset.gold_votes, dataset.filled_gold_votes),
    ):
        assert (filled.array >= 0).all()
        np.testing.assert_array_equal(np.where(votes.array == ABSTAIN, ABSTAIN, filled.array), votes.array)
        assert (filled is votes) == (not (votes.array == ABSTAIN).any())


@pytest.mark.parametrize("name", PAPER_NAMES)
def test_counting_votes_gives_the_score_that_the_authors_report(name: str) -> None:
    """Rows of votes and labels belong together: vote shares, counted here, have the authors' Brier score."""
    dataset, n_classes = load(name), SIZES[PAPER_TITLES[name]][0]
    counts = np.stack([(dataset.votes.array == c).sum(axis=1) for c in range(n_classes)], axis=1)
    shares = np.where(counts.sum(axis=1, keepdims=True) > 0, counts, 1.0)
    shares /= shares.sum(axis=1, keepdims=True)
    brier = np.mean(np.sum((shares - np.eye(n_classes)[dataset.labels]) ** 2, axis=1))
    assert brier == pytest.approx(reference(name, "MV")["brier_score"]["mean"], abs=1e-9)


def test_the_sums_are_those_of_the_files() -> None:
    found = {path.name: sha256(path.read_bytes()).hexdigest() for path in paper_folder().glob("*.mat")}
    assert found == dict(PAPER_SUMS)

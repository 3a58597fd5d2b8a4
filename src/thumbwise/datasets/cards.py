"""Cards that say what is in a dataset: sizes, coverage, abstentions, patterns, classes, source and licence."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from thumbwise.datasets.crowd import CROWD_NAMES, CROWD_TITLES, CROWD_URL, CrowdData, load_crowd
from thumbwise.datasets.paper import PAPER_NAMES, PAPER_TITLES, PaperData, load_paper
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.votes.labels import UNKNOWN

NOT_PUBLISHED = "not published"
PAPER_REPOSITORY = "https://github.com/stevenan5/balsubramani-freund-uai-2024"
# What the items are and how the rules came about, after the paper's appendix; UCI numbers are those of its references.
_ABOUT = {
    "aa2": "images of chimpanzees or seals (Animals with Attributes); networks trained on other animals",
    "basketball": "video frames, basketball or not; heuristics on objects, their sizes and distances",
    "breast_cancer": "tumours, malignant or benign (UCI 17); logistic regressions on one measurement each",
    "cardio": "cardiotocograms of two classes (UCI 193); logistic regressions on one measurement each",
    "domain": "images of five classes (DomainNet); networks trained on one style of image each",
    "imdb": "film reviews, positive or negative; keywords and patterns",
    "obs": "nodes of a network, to be blocked or not (UCI 404); logistic regressions on one measurement each",
    "sms": "text messages, spam or not (UCI 228); keywords and phrases",
    "yelp": "reviews of businesses, positive or not; keywords and patterns",
    "youtube": "comments on five videos, spam or not (UCI 380); keywords and patterns",
    "bluebird": "photographs, which of two birds; 39 workers who saw all of them",
    "dog": "photographs, which of four dogs; workers who saw some of them",
    "rte": "pairs of sentences, whether one follows from the other; workers who saw some of them",
    "web": "pairs of a query and a web page, relevance on five levels; workers who saw some of them",
}


@dataclass(frozen=True)
class Card:
    """What is in a dataset. Made by :func:`card` and :func:`describe`.

    Attributes
    ----------
    name, title : str
        What it is called in thumbwise, and by others.
    n_items, n_gold, n_test : int
        Items of the pool, items to draw gold from, further items.
    n_rules, n_classes, n_patterns : int
        Of the pool's votes.
    coverage : float
        Share of the pool's items with at least one vote.
    abstention : float
        Share of the pool's items times rules without a vote.
    n_labels : int
        Items of the pool whose class is known.
    class_shares : tuple of float, (n_classes,)
        Among those.
    about, source, licence : str
        What items and rules are, where the files were published, and on which terms.
    """

    name: str
    title: str
    n_items: int
    n_gold: int
    n_test: int
    n_rules: int
    n_classes: int
    n_patterns: int
    coverage: float
    abstention: float
    n_labels: int
    class_shares: tuple[float, ...]
    about: str
    source: str
    licence: str


def card(name: str, folder: str | Path | None = None) -> Card:
    """The card of one of the paper's datasets or of a crowd, computed from its files.

    Parameters
    ----------
    name : str
        One of ``PAPER_NAMES`` or ``CROWD_NAMES``.
    folder : str or Path, optional
        As in :func:`~thumbwise.datasets.load_paper` and :func:`~thumbwise.datasets.load_crowd`.

    Returns
    -------
    Card

    Examples
    --------
    >>> from thumbwise.datasets import card
    >>> card("imdb").n_patterns  # doctest: +SKIP
    43
    """
    if name in PAPER_TITLES:
        return describe(load_paper(name, folder))
    if name in CROWD_TITLES:
        return describe(load_crowd(name, folder))
    raise InvalidChoiceError(
        f"name must be one of {', '.join(map(repr, (*PAPER_NAMES, *CROWD_NAMES)))}; found {name!r}."
    )


def describe(dataset: PaperData | CrowdData) -> Card:
    """The card of a dataset that was loaded.

    Parameters
    ----------
    dataset : PaperData or CrowdData

    Returns
    -------
    Card

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0, -1], [1, 1], [-1, -1]])
    >>> few = tw.datasets.describe(tw.datasets.CrowdData("rte", votes, np.array([0, 1, -1])))
    >>> few.title, round(few.coverage, 3), few.abstention, few.n_labels, few.class_shares
    ('RTE', 0.667, 0.5, 2, (0.5, 0.5))
    """
    of_paper = isinstance(dataset, PaperData)
    votes, labels = dataset.votes, dataset.labels[dataset.labels != UNKNOWN]
    counts = np.bincount(labels, minlength=votes.n_classes)
    n_votes = int(votes.patterns.votes_per_rule.sum())
    return Card(
        name=dataset.name,
        title=(PAPER_TITLES if of_paper else CROWD_TITLES)[dataset.name],
        n_items=votes.n_items,
        n_gold=dataset.gold_votes.n_items if isinstance(dataset, PaperData) else 0,
        n_test=dataset.test_votes.n_items if isinstance(dataset, PaperData) else 0,
        n_rules=votes.n_rules,
        n_classes=votes.n_classes,
        n_patterns=votes.patterns.n_patterns,
        coverage=float(np.mean(votes.n_votes_per_item > 0)),
        abstention=1 - n_votes / (votes.n_items * votes.n_rules),
        n_labels=len(labels),
        class_shares=tuple((counts / max(1, len(labels))).tolist()),
        about=_ABOUT[dataset.name],
        source=PAPER_REPOSITORY if of_paper else CROWD_URL,
        licence=NOT_PUBLISHED if of_paper else "MIT",
    )

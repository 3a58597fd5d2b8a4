"""Real data that needs no download: scikit-learn's breast-cancer data, with rules of thumb written for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.metrics import log_loss, zero_one_loss
from thumbwise.models.base import LabelModel
from thumbwise.models.majority_vote import MajorityVote
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.tables.table_files import Table, check_table_file, write_table
from thumbwise.tables.whole_files import making_folder
from thumbwise.votes.labels import UNKNOWN
from thumbwise.votes.votes import Votes

MALIGNANT, BENIGN = 0, 1
N_GOLD = 100


@dataclass(frozen=True)
class Threshold:
    """A rule of thumb on one measurement: small is benign, large is malignant, and in between it abstains."""

    feature: str
    small: float
    large: float

    @property
    def name(self) -> str:
        return f"{self.feature} <{self.small:g} / >{self.large:g}"

    def vote(self, measured: FloatArray) -> IntArray:
        return np.where(measured < self.small, BENIGN, np.where(measured > self.large, MALIGNANT, ABSTAIN))


# Round numbers between what is usual for one class and for the other, chosen once and not adjusted to the result.
THRESHOLDS = (
    Threshold("mean radius", 12, 16),
    Threshold("mean concavity", 0.05, 0.1),
    Threshold("area error", 20, 40),
    Threshold("worst radius", 15, 18),
    Threshold("worst texture", 20, 30),
    Threshold("worst smoothness", 0.11, 0.15),
    Threshold("worst concave points", 0.1, 0.15),
    Threshold("worst symmetry", 0.25, 0.35),
)


@dataclass(frozen=True, eq=False)
class Demo:
    """Votes with the truth.

    Attributes
    ----------
    votes : Votes
    labels : ndarray of shape (n_items,)
        True class of every item.
    gold : ndarray of shape (100,)
        Positions of the items whose label is taken as known, drawn at random, whatever their labels and votes.
    gold_labels : ndarray of shape (n_items,)
        Class number of each gold item, -1 for all others.
    item_ids : ndarray of shape (n_items,)
    description : str

    Examples
    --------
    >>> import thumbwise as tw
    >>> demo = tw.datasets.load_demo()
    >>> box = tw.Box.from_gold(demo.votes.take(demo.gold), demo.labels[demo.gold], pool=demo.votes, gold_is="subset")
    >>> tw.BalsubramaniFreund().fit(demo.votes, box=box).certificate_.proves_something
    True
    """

    votes: Votes
    labels: IntArray
    gold: IntArray
    item_ids: AnyArray
    description: str = (
        "Breast-cancer data that scikit-learn ships: 569 tumours, 30 measurements each, malignant or benign.\n"
        "Eight rules of thumb look at one measurement each: small is benign, large malignant, in between they "
        "abstain.\n"
        "100 tumours, drawn at random, have a known class (gold); the classes of the others are used only at the end."
    )

    @property
    def gold_labels(self) -> IntArray:
        """Class number of each gold item, -1 for all others."""
        labels = np.full(len(self.labels), UNKNOWN)
        labels[self.gold] = self.labels[self.gold]
        return labels


def load_demo() -> Demo:
    """569 tumours, eight rules on single measurements, 100 gold labels; the same at every call.

    Which items are gold is drawn at random by a fixed seed, before any label is looked at.

    Returns
    -------
    Demo

    Examples
    --------
    >>> from thumbwise.datasets import load_demo
    >>> demo = load_demo()
    >>> demo.votes
    Votes: 569 items x 8 rules, 257 patterns; classes 'malignant', 'benign'; -1 = abstain (40.9 % of votes)
    >>> len(demo.gold)
    100
    """
    source = load_breast_cancer()
    column = {str(name): j for j, name in enumerate(source.feature_names)}
    array = np.column_stack([rule.vote(source.data[:, column[rule.feature]]) for rule in THRESHOLDS])
    ids = np.array([f"tumour-{i:03d}" for i in range(len(array))])
    votes = Votes(
        array,
        class_names=tuple(str(name) for name in source.target_names),
        rule_names=[rule.name for rule in THRESHOLDS],
        item_ids=ids,
    )
    gold = np.sort(np.random.default_rng(0).choice(len(array), N_GOLD, replace=False))
    return Demo(votes, source.target.astype(np.int64), gold, ids)


def write_demo(demo: Demo, folder: Path, *, overwrite: bool = False) -> None:
    """Write ``votes.csv`` and ``gold.csv`` as a user would have them: class names, empty where a rule abstains.

    Files of these names that are there already are replaced only with ``overwrite=True``.
    """
    names = np.array([*demo.votes.class_names, None], dtype=object)
    named_votes = names[demo.votes.array]  # ABSTAIN, -1, meets the None at the end
    rules = {
        name: np.ma.array(named_votes[:, j], mask=demo.votes.array[:, j] == ABSTAIN)
        for j, name in enumerate(demo.votes.rule_names)
    }
    gold = {"id": np.ma.asarray(demo.item_ids[demo.gold]), "label": np.ma.asarray(names[demo.labels[demo.gold]])}
    tables = {"votes.csv": Table({"id": np.ma.asarray(demo.item_ids), **rules}), "gold.csv": Table(gold)}
    with making_folder(folder):
        for name in tables:
            check_table_file(folder / name, overwrite=overwrite)
        for name, table in tables.items():
            write_table(table, folder / name, overwrite=overwrite)


def score_methods(demo: Demo, model: LabelModel) -> list[tuple[str, float, float]]:
    """Mean log loss and accuracy on the items that are not gold: of a fitted model, majority vote and the best rule."""
    others = np.setdiff1d(np.arange(len(demo.labels)), demo.gold)
    votes, labels = demo.votes.take(others), demo.labels[others]
    majority = MajorityVote().fit(demo.votes)
    rule, alone = _best_rule(demo)
    models = {"Balsubramani-Freund": model, "majority vote (shares of the votes)": majority}
    return [
        *((name, log_loss(labels, m.predict_proba(votes)), m.score(votes, labels)) for name, m in models.items()),
        (f"best rule on gold: {rule}", log_loss(labels, alone[others]), 1 - zero_one_loss(labels, alone[others])),
    ]


def _best_rule(demo: Demo) -> tuple[str, FloatArray]:
    """The rule that alone, with its accuracy on gold, loses least there; where it abstains, gold's class frequencies.

    Shares are counted as if each outcome had been seen once more, so that none is 0.
    """
    candidates = [_alone(demo, j) for j in range(demo.votes.n_rules)]
    losses = [log_loss(demo.labels[demo.gold], proba[demo.gold]) for proba in candidates]
    best = int(np.argmin(losses))
    return demo.votes.rule_names[best], candidates[best]


def _alone(demo: Demo, rule: int) -> FloatArray:
    votes_of_rule, truth = demo.votes.array[:, rule], demo.labels[demo.gold]
    gold_votes = votes_of_rule[demo.gold]
    right = (np.sum(gold_votes == truth) + 1) / (np.sum(gold_votes != ABSTAIN) + 2)
    proba = np.tile((np.bincount(truth, minlength=2) + 1) / (len(truth) + 2), (len(votes_of_rule), 1))
    for c in (MALIGNANT, BENIGN):
        proba[votes_of_rule == c] = 1 - right
        proba[votes_of_rule == c, c] = right
    return proba

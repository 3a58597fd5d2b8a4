"""The paper's datasets, crowds and judges as populations, and seeded draws of gold from them."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.io import loadmat

import thumbwise as tw
from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.budget import even_errors, split_error
from thumbwise.box.designs.plain import exact_intervals, wilson_intervals
from thumbwise.box.gold import GoldCounts, GoldIs, count_gold
from thumbwise.box.moments.linear import FREQUENCY
from thumbwise.box.opinions.choosing import Opinions
from thumbwise.datasets import PAPER_TITLES, load_crowd

BoolArray: TypeAlias = npt.NDArray[np.bool_]

TITLES = PAPER_TITLES
CROWDS = ("bluebird", "rte", "dog", "web")
JUDGES = "judges"
# A judge who rates a comment so high or higher calls it toxic.
_TOXIC = 5


@dataclass(frozen=True, eq=False)
class Population:
    """Items from which gold is drawn, all with their true class.

    Attributes
    ----------
    right, counted : ndarray of bool, (n_items, n_moments)
        Whether an item counts for a moment, and whether the moment averages over it at all; rules first, then classes.
    """

    name: str
    votes: tw.Votes
    labels: IntArray

    @cached_property
    def right(self) -> BoolArray:
        is_class = self.labels[:, None] == np.arange(self.votes.n_classes)
        return np.hstack([self.votes.array == self.labels[:, None], is_class])

    @cached_property
    def counted(self) -> BoolArray:
        always = np.ones((self.votes.n_items, self.votes.n_classes), dtype=bool)
        return np.hstack([self.votes.array >= 0, always])


@dataclass(frozen=True, eq=False)
class Draw:
    """Gold and pool of one draw, with the true classes of both."""

    gold: tw.Votes
    gold_labels: IntArray
    pool: tw.Votes
    pool_labels: IntArray


def data_folder() -> Path:
    """Where the paper's datasets are."""
    folder = Path(os.environ.get("THUMBWISE_DATA", Path(__file__).parents[2] / "shared" / "data")) / "paper"
    if not folder.is_dir():
        raise SystemExit("The paper's data is not here; set THUMBWISE_DATA to the folder that holds paper/.")
    return folder


@cache
def load_population(name: str) -> Population:
    """Training and validation items of one of the paper's datasets, put together; or a crowd, or the judges."""
    if name == JUDGES:
        return _load_judges(data_folder().parent / "judges")
    if name in CROWDS:
        crowd = load_crowd(name, data_folder().parent)
        known = np.flatnonzero(crowd.labels >= 0)
        return Population(
            name, tw.Votes(crowd.votes.array[known], n_classes=crowd.votes.n_classes), crowd.labels[known]
        )
    content = loadmat(data_folder() / f"{name}.mat")
    labels = np.concatenate([content["train_labels"].ravel(), content["validation_labels"].ravel()]).astype(np.int64)
    array = np.concatenate([content["train_pred"], content["val_pred"]])
    n_classes = int(content["train_labels"].max()) + 1
    return Population(name, tw.Votes(array, n_classes=n_classes), labels)


def _load_judges(folder: Path) -> Population:
    """Verdicts of language models: whether they rate a comment 5 or more of 9; abstaining where there is no rating."""
    ratings, truth = (pd.read_csv(folder / f"{table}.csv", index_col="item") for table in ("ratings", "truth"))
    values = ratings.to_numpy(dtype=float)
    verdicts = np.where(np.isnan(values), -1, values >= _TOXIC).astype(np.int64)
    return Population(
        JUDGES, tw.Votes(verdicts, n_classes=2), truth.loc[ratings.index, "toxic"].to_numpy(dtype=np.int64)
    )


def draw_gold(population: Population, n_gold: int, gold_is: GoldIs, n_draws: int, seed: int) -> IntArray:
    """Positions of the gold items of each draw in random order, shape (n_draws, n_gold); own draws for each setting."""
    rng = np.random.default_rng([seed, *population.name.encode(), n_gold, gold_is == "subset"])
    size = population.votes.n_items
    return np.array([rng.choice(size, n_gold, replace=False) for _ in range(n_draws)])


def split_population(population: Population, gold: IntArray, gold_is: GoldIs) -> Draw:
    """Gold is part of the pool (the pool is everything), or separate (the pool is the rest)."""
    votes, labels = population.votes, population.labels
    rest = np.ones(votes.n_items, dtype=bool)
    rest[gold] = gold_is == "subset"
    pool = votes if rest.all() else votes.take(rest)
    return Draw(votes.take(gold), labels[gold], pool, labels[rest])


def box_of_draw(draw: Draw, gold_is: GoldIs, level: float, recipe: bool = False, opinions: Opinions = "auto") -> tw.Box:
    """The default box, perhaps with other opinions, or the one of the paper's recipe."""
    if recipe:
        return tw.Box.from_gold(
            draw.gold,
            draw.gold_labels,
            pool=draw.pool,
            confidence_level=level,
            gold_is=gold_is,
            interval="wilson",
            joint=False,
            symmetric=True,
            n_permutations=0,
        )
    return tw.Box.from_gold(
        draw.gold,
        draw.gold_labels,
        pool=draw.pool,
        confidence_level=level,
        gold_is=gold_is,
        opinions=opinions,
        n_permutations=0,
    )


@dataclass(frozen=True, eq=False)
class DrawnCounts:
    """What gold says about each moment in each draw; arrays of shape (n_draws, n_moments).

    ``template`` holds what is the same in every draw: the population, the gold votes a moment expects, its key.
    """

    right: IntArray
    drawn: IntArray
    template: GoldCounts
    gold_is: GoldIs

    @property
    def pool(self) -> IntArray:
        """Items of the pool that a moment averages over."""
        return self.template.population - (0 if self.gold_is == "subset" else self.drawn)

    def truth(self, population: Population) -> FloatArray:
        """Moments realised on the pool."""
        gone = 0 if self.gold_is == "subset" else self.right
        return np.asarray((population.right.sum(axis=0) - gone) / np.maximum(self.pool, 1))


def count_draws(population: Population, items: IntArray, gold_is: GoldIs) -> DrawnCounts:
    """Gold counts of all draws at once."""
    right = np.array([population.right[gold].sum(axis=0) for gold in items])
    drawn = np.array([population.counted[gold].sum(axis=0) for gold in items])
    first = split_population(population, items[0], gold_is)
    return DrawnCounts(right, drawn, count_gold(first.gold, first.gold_labels, first.pool, gold_is), gold_is)


def bounds_of_draws(counts: DrawnCounts, level: float, recipe: bool) -> tuple[FloatArray, FloatArray]:
    """Bounds of every moment in every draw, with the library's own split of the budget and its own intervals.

    Moments are those of rules and classes; there are no opinions.

    An interval depends on few integers, so each distinct combination of them is inverted once.
    """
    template, error = counts.template, 1 - level
    errors = even_errors(error, len(template.about)) if recipe else split_error(error, template)
    is_class = np.array([moment.kind == FREQUENCY for moment in template.about])
    kinds = np.unique(np.array([template.population, *errors, is_class]), axis=1, return_inverse=True)[1].ravel()
    cells = np.stack([np.broadcast_to(kinds, counts.right.shape), counts.right, counts.drawn]).reshape(3, -1)
    _, first, inverse = np.unique(cells, axis=1, return_index=True, return_inverse=True)
    moments = first % len(template.about)
    distinct = replace(
        template,
        about=tuple(template.about[m] for m in moments),
        right=counts.right.ravel()[first],
        drawn=counts.drawn.ravel()[first],
        population=template.population[moments],
        pool=counts.pool.ravel()[first] if counts.gold_is == "separate" else counts.pool[moments],
        outside=counts.right.ravel()[first] * (counts.gold_is == "separate"),
    )
    if recipe:
        bounds = wilson_intervals(distinct, errors[:, moments], symmetric=True)
    else:
        bounds = exact_intervals(distinct, errors[:, moments])
    lower, upper = (bound[inverse.ravel()].reshape(counts.right.shape) for bound in bounds)
    return np.where(counts.pool == 0, 0.0, lower), np.where(counts.pool == 0, 1.0, upper)


@dataclass(frozen=True, eq=False)
class DrawnBoxes:
    """Bounds of every moment in every draw, and whether all moments realised on the pool lie in them."""

    lower: FloatArray
    upper: FloatArray
    held: BoolArray


def boxes_of_draws(population: Population, counts: DrawnCounts, level: float, recipe: bool) -> DrawnBoxes:
    """All boxes at once, judged by the truth."""
    lower, upper = bounds_of_draws(counts, level, recipe)
    truth = counts.truth(population)
    inside = (truth >= lower - 1e-12) & (truth <= upper + 1e-12)
    return DrawnBoxes(lower, upper, np.asarray(inside.all(axis=1)))

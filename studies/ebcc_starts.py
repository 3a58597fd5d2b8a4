"""Whether EBCC needs its hundred starts: the same fits with fewer, on sets whose truth is known.

Run as ``python -m studies.ebcc_starts``. Many distinct votes and classes leave time for fewer starts than 100, down to
one. The start that is kept is the one with the largest evidence bound, which is not the one whose labels are best.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import thumbwise as tw
from studies.drawing import CROWDS, TITLES, load_population
from studies.reporting import markdown_table, publish, read_arguments, run_tasks
from thumbwise._typing import FloatArray, IntArray
from thumbwise.metrics import log_loss

N_STARTS = (1, 4, 16, 100)
N_RUNS = 5


@dataclass(frozen=True)
class Made:
    """Made-up votes: classes of three subtypes; on each, a rule is right or says one other class, by its own chance."""

    n_items: int
    n_rules: int
    n_classes: int
    n_subtypes: int = 3

    @property
    def title(self) -> str:
        return f"made up, {self.n_items:,} x {self.n_rules}, {self.n_classes} classes"

    def votes(self, seed: int) -> tuple[tw.Votes, IntArray]:
        """Rules are right on 10 to 60 % of the items of a subtype, and half of the votes are not cast."""
        rng = np.random.default_rng([seed, self.n_items, self.n_classes])
        truth, subtype = (
            rng.integers(self.n_classes, size=self.n_items),
            rng.integers(self.n_subtypes, size=self.n_items),
        )
        shape = (self.n_rules, self.n_classes, self.n_subtypes)
        right, other = rng.uniform(0.1, 0.6, shape), rng.integers(1, self.n_classes, size=shape)
        is_right = rng.random((self.n_items, self.n_rules)) < right[:, truth, subtype].T
        said = np.where(is_right, truth[:, None], (truth[:, None] + other[:, truth, subtype].T) % self.n_classes)
        said[rng.random(said.shape) < 0.5] = -1
        return tw.Votes(said, n_classes=self.n_classes), truth


MADE = (Made(1_000, 10, 4), Made(1_000, 10, 20))


@dataclass(frozen=True)
class Score:
    """Of one number of starts, by run."""

    right: FloatArray
    loss: FloatArray
    bound: FloatArray


def study(task: tuple[str | Made, int], n_runs: int) -> Score:
    """Fits with the seeds 0, 1, ..; that some are cut off is the paper's setting."""
    where, n_starts = task
    scores = []
    for seed in range(n_runs):
        votes, labels = _read(where, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = tw.EBCC(n_starts=n_starts, random_state=seed).fit(votes)
        known = labels >= 0
        proba = model.predict_proba(votes)[known]
        scores.append((model.score(votes, labels), log_loss(labels[known], proba), model.elbo_))
    return Score(*np.array(scores, dtype=float).T)


def _read(where: str | Made, seed: int) -> tuple[tw.Votes, IntArray]:
    if isinstance(where, Made):
        return where.votes(seed)
    population = load_population(where)
    return population.votes, population.labels


def tabulate(titles: Sequence[str], scores: Sequence[Sequence[Score]], show: Callable[[Score, Score], str]) -> str:
    """Sets down, numbers of starts across; each beside the most starts."""
    rows = [[title, *(show(score, row[-1]) for score in row)] for title, row in zip(titles, scores, strict=True)]
    return markdown_table(["set", *(f"{n} starts" if n > 1 else "1 start" for n in N_STARTS)], rows)


def _right(score: Score, _: Score) -> str:
    return f"{score.right.mean():.3f} ± {score.right.std(ddof=1):.3f}"


def _loss(score: Score, _: Score) -> str:
    return f"{score.loss.mean():.3f} ± {score.loss.std(ddof=1):.3f}"


def _bound(score: Score, most: Score) -> str:
    return f"{(score.bound - most.bound).mean():+.1f}"


def summarise(scores: Sequence[Sequence[Score]]) -> str:
    """Means over all sets of what fewer starts lose against the most."""
    lines = []
    for place, n in enumerate(N_STARTS[:-1]):
        fewer = [row[-1].right.mean() - row[place].right.mean() for row in scores]
        worse = [row[place].loss.mean() - row[-1].loss.mean() for row in scores]
        lines.append(
            f"{n} in place of {N_STARTS[-1]}: share right lower by {np.mean(fewer):+.4f} (at worst {max(fewer):+.4f}), "
            f"log loss higher by {np.mean(worse):+.4f} (at worst {max(worse):+.4f}); lower and higher on "
            f"{sum(x > 0 for x in fewer)} and {sum(x > 0 for x in worse)} of {len(scores)} sets."
        )
    return "\n".join(f"- {line}" for line in lines)


def main() -> None:
    """All sets."""
    given = read_arguments("EBCC with fewer starts, on sets whose truth is known.", draws=N_RUNS)
    places: list[str | Made] = [*TITLES, *CROWDS, *MADE]
    titles = [TITLES.get(place, place) if isinstance(place, str) else place.title for place in places]
    tasks = list(product(places, N_STARTS))
    answers = run_tasks(partial(study, n_runs=given.draws), tasks, given.processes)
    scores = [answers[first : first + len(N_STARTS)] for first in range(0, len(answers), len(N_STARTS))]
    tables = {
        "in words": summarise(scores),
        "share right": tabulate(titles, scores, _right),
        "log loss": tabulate(titles, scores, _loss),
        f"evidence bound, less that of {N_STARTS[-1]} starts": tabulate(titles, scores, _bound),
    }
    parts = [f"{name[0].upper()}{name[1:]}:\n\n{table}" for name, table in tables.items()]
    said = f"Means and standard deviations over {given.draws} seeds, all items with a known truth."
    publish("ebcc_starts", given, [said, *parts], tables)


if __name__ == "__main__":
    main()

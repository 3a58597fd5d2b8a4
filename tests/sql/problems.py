"""Random problems, models fitted to them, and names that try to be something else."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

import thumbwise as tw
from thumbwise.box.moments.linear import build_moments
from thumbwise.box.moments.of_classes import class_frequencies
from thumbwise.box.moments.of_rules import class_accuracies, confusion_cells
from thumbwise.box.moments.standard import STANDARD
from thumbwise.models.base import LabelModel
from thumbwise.votes.labels import label_counts

Fit = Callable[[tw.Votes], LabelModel]

HOSTILE = [
    'a"; DROP TABLE treasure; --',
    "a'; DROP TABLE treasure; --",
    "a`; DROP TABLE treasure; --",
    "\\'; DROP TABLE treasure; --",
    "/* never closed",
    "select",
    " leading space",
    "two\nlines\r\n\tand a tab",
    "emoji 🦆 and é",
    "back\\slash\\",
    "''",
    '""',
    "%s ? $1 :name {x} ${env:HOME} {{ y }}",
    "source",
    "vote_0",
    "p_0",
    "score_1.2",
]


def make_votes(
    n_classes: int,
    n_rules: int,
    seed: int,
    *,
    class_names: Sequence[Any] | None = None,
    rules: Any = None,
    n: int = 120,
) -> tw.Votes:
    random = np.random.default_rng(seed)
    truth = random.integers(n_classes, size=n)
    right = random.random((n, n_rules)) < np.linspace(0.5, 0.9, n_rules)
    votes = np.where(right, truth[:, None], random.integers(n_classes, size=(n, n_rules)))
    votes[random.random(votes.shape) < 0.3] = -1
    votes[0] = -1
    return tw.Votes(votes, n_classes=n_classes, class_names=class_names, rule_names=rules)


def all_votes(n_classes: int, n_rules: int, like: tw.Votes) -> tw.Votes:
    """Every possible row of votes."""
    grid = np.meshgrid(*[np.arange(-1, n_classes)] * n_rules, indexing="ij")
    rows = np.stack([part.ravel() for part in grid], axis=1)
    return tw.Votes(rows, class_names=like.class_names, rule_names=like.rule_names)


def box_around(votes: tw.Votes, builders: Any, slack: float = 0.03) -> tw.Box:
    """Narrow intervals around the moments of a labeling that follows the last rule, with errors."""
    y = np.random.default_rng(5).integers(votes.n_classes, size=votes.n_items)
    follows = (votes.array[:, -1] >= 0) & (np.arange(votes.n_items) % 5 > 0)
    masses = label_counts(votes, np.where(follows, votes.array[:, -1], y))
    moments = build_moments(tuple(builders), votes)
    low, high = (moments.averages(masses) + shift for shift in (-slack, slack))
    low, high = np.maximum(low, moments.least), np.minimum(high, moments.most)
    evidence = tw.Box.from_bounds(votes).evidence
    return tw.Box(moments.about, low, high, evidence, tuple(builders), least=moments.least, most=moments.most)


def _bounded(*builders: Any) -> Fit:
    def fit(votes: tw.Votes) -> LabelModel:
        model = tw.BalsubramaniFreund().fit(votes, box=box_around(votes, builders))
        assert np.abs(model.weights_).max() > 0.1
        return model

    return fit


def _with_opinions(*opinions: Any) -> Fit:
    """From gold, with weight on all that votes and opinions say."""

    def fit(votes: tw.Votes) -> LabelModel:
        labels = np.random.default_rng(6).integers(votes.n_classes, size=votes.n_items)
        gold = np.where(votes.array[:, -1] >= 0, votes.array[:, -1], labels)
        names = [votes.class_names[c] for c in gold]
        box = tw.Box.from_gold(votes, names, pool=votes, gold_is="subset", opinions=opinions)
        model = tw.BalsubramaniFreund(on_infeasible="widen").fit(votes, box=box)
        model.weights_ = model.weights_ + np.linspace(-0.4, 1.3, len(box))
        return model

    return fit


def _quietly(model: LabelModel) -> Fit:
    def fit(votes: tw.Votes) -> LabelModel:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return model.fit(votes)  # type: ignore[no-any-return]

    return fit


FITS: dict[str, Fit] = {
    "majority": _quietly(tw.MajorityVote()),
    "one_coin": _quietly(tw.DawidSkene()),
    "class_conditional": _quietly(tw.DawidSkene(kind="class_conditional")),
    "full": _quietly(tw.DawidSkene(kind="full")),
    "data_programming": _quietly(tw.DataProgramming()),
    "standard_moments": _bounded(*STANDARD),
    "class_moments": _bounded(class_accuracies, class_frequencies),
    "confusion_moments": _bounded(confusion_cells, class_frequencies),
    "opinions": _with_opinions("majority", "panel", "learned"),
    "tiers": _with_opinions(tw.opinions.InTiers("majority", 2), tw.opinions.InTiers("panel", 3)),
}


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def fill(
    connection: duckdb.DuckDBPyConnection, table: str, columns: Sequence[str], kind: str, rows: Sequence[Sequence[Any]]
) -> None:
    """A table with the number of each row, then columns of one kind."""
    written = ", ".join(f"{quote(name)} {kind}" for name in columns)
    connection.execute(f"CREATE TABLE {quote(table)} (nr INTEGER, {written})")
    marks = ", ".join("?" * (len(columns) + 1))
    numbered = [[i, *row] for i, row in enumerate(rows)]
    connection.executemany(f"INSERT INTO {quote(table)} VALUES ({marks})", numbered)  # noqa: S608


def answers(rows: Sequence[Sequence[Any]]) -> tuple[npt.NDArray[np.float64], list[Any]]:
    """Probabilities and labels of rows (number, probabilities, label), by number."""
    ordered = sorted(rows, key=lambda row: int(row[0]))
    return np.array([row[1:-1] for row in ordered], dtype=float), [row[-1] for row in ordered]

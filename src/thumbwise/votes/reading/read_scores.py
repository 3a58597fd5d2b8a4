"""Scores as every way of reading hands them over: verdicts, numbers, and the scale that they are on."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.exceptions import Argument, InvalidVotesError
from thumbwise.numerics.ranks import Ranks
from thumbwise.tables.formats import Column
from thumbwise.votes.reading.score_cells import (
    ScoresAre,
    check_probabilities,
    check_scores_are,
    check_sums,
    read_numbers,
    split_by_class,
)
from thumbwise.votes.score_scales import ScoreScale

# Groups of items through which scores enter a fit, at most.
N_LEVELS = 128
_HALF = 0.5


@dataclass(frozen=True, eq=False)
class ReadScores:
    """What was read.

    Attributes
    ----------
    verdicts : ndarray of shape (n_items, n_rules)
        Class numbers, -1 for none.
    numbers : ndarray of shape (n_items, n_rules, n_scored)
    scale : ScoreScale
    rule_names, class_names : tuple
    """

    verdicts: IntArray
    numbers: FloatArray
    scale: ScoreScale
    rule_names: tuple[str, ...]
    class_names: tuple[Hashable, ...]


def read_scores(
    columns: Mapping[str, Column],
    high: Hashable,
    scores_are: ScoresAre,
    class_names: tuple[Hashable, ...],
    threshold: float | None,
    n_levels: int = N_LEVELS,
) -> ReadScores:
    """Verdicts, scores, their scale, judges and classes, from columns of numbers."""
    check_scores_are(scores_are)
    numbers = {name: read_numbers(name, column) for name, column in columns.items()}
    if scores_are != "ratings":
        for name, column in numbers.items():
            check_probabilities(name, column, scores_are)
    place, cut = _check_declared(high, scores_are, class_names, threshold), threshold
    is_by_class = place is None
    if place is None:
        names, scores = _by_class(numbers, class_names, scores_are)
        place = 1
        cut = None if len(class_names) > 2 else 0.0 if scores_are == "log-probabilities" else _HALF
    else:
        names, scores = tuple(numbers), np.stack(list(numbers.values()), axis=1)[:, :, None]
        if scores_are != "ratings":
            cut = float(np.log(_HALF)) if scores_are == "log-probabilities" else _HALF
    scale = _scale_of(scores, scores_are, len(class_names), n_levels)
    scale = replace(scale, high=place, cut=cut, takes_cut=threshold is not None, is_by_class=is_by_class)
    _refuse_silence(scale)
    return ReadScores(scale.verdicts(scores), scores, scale, names, class_names)


def score_verdicts(
    verdicts: AnyArray,
    confidences: Mapping[str, FloatArray],
    class_names: tuple[Hashable, ...],
    n_levels: int = N_LEVELS,
) -> ReadScores:
    """The same from verdicts with confidences: of two classes, a sure verdict for the first has the lowest score."""
    sure, array = np.stack(list(confidences.values()), axis=1), np.asarray(verdicts, dtype=np.int64)
    sure = np.where(array >= 0, sure, np.nan)
    if len(class_names) == 2:
        scores = np.where(array == 1, sure, -sure)[:, :, None]
    else:
        scores = np.where(array[:, :, None] == np.arange(len(class_names)), sure[:, :, None], 0 * sure[:, :, None])
    scale = _scale_of(scores, "confidences", len(class_names), n_levels)
    return ReadScores(array, scores, scale, tuple(confidences), class_names)


def _scale_of(scores: FloatArray, scores_are: ScoresAre, n_classes: int, n_levels: int) -> ScoreScale:
    ranks = tuple(tuple(Ranks.of(column) for column in own.T) for own in scores.transpose(1, 0, 2))
    return ScoreScale(scores_are, 1, n_classes, ranks, None, False, len(scores), n_levels)


def _by_class(
    numbers: Mapping[str, FloatArray], class_names: tuple[Hashable, ...], scores_are: ScoresAre
) -> tuple[tuple[str, ...], FloatArray]:
    """Scores of each judge: for two classes one of the second, for more one of each."""
    judges = split_by_class(list(numbers), class_names)
    table = np.stack([np.stack([numbers[own[c]] for c in class_names], axis=1) for own in judges.values()], axis=1)
    table = np.where(np.isnan(table).any(axis=2, keepdims=True), np.nan, table)
    if scores_are == "probabilities":
        for j, judge in enumerate(judges):
            check_sums(judge, table[:, j])
    if len(class_names) > 2:
        return tuple(judges), table
    two = table[:, :, 1:]
    return tuple(judges), two - table[:, :, :1] if scores_are == "log-probabilities" else two


def _check_declared(
    high: Hashable, scores_are: ScoresAre, class_names: tuple[Hashable, ...], threshold: float | None
) -> int | None:
    """Number of the class that high scores speak for; None if there is a score for each class."""
    listed = ", ".join(map(repr, class_names[:10]))
    if threshold is not None and scores_are != "ratings":
        raise InvalidVotesError(
            Argument("threshold"), f" is for ratings; {scores_are} say themselves where a verdict changes. Drop it."
        )
    if high is None and scores_are == "ratings":
        raise InvalidVotesError(
            "ratings need to be told which class high ones speak for: ",
            Argument("scores", "CLASS"),
            f", one of {listed}.",
        )
    if high is None:
        return None
    if len(class_names) != 2:
        raise InvalidVotesError(
            f"one score per judge speaks for one of two classes; found {len(class_names)}: {listed}. Numbers that are "
            "the classes themselves are votes: drop ",
            Argument("scores"),
            ". For more than two classes, give probabilities with a column for each judge and class; or make a file "
            "for each class, whose gold labels say whether it is that class.",
        )
    spelled = [str(name) for name in class_names]
    if str(high) not in spelled:
        raise InvalidVotesError(
            "high scores must speak for one of the classes, ", listed, "; found ", Argument("scores", repr(high)), "."
        )
    return spelled.index(str(high))


def _refuse_silence(scale: ScoreScale) -> None:
    if all(len(rank.values) < 2 for own in scale.ranks for rank in own):
        raise InvalidVotesError(
            "scores must tell items apart; each judge gives all items the same one, or none. Look whether the columns "
            "are the right ones."
        )

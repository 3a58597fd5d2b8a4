"""Votes with scores: what judges say as numbers, one column per judge, and the verdicts that follow without a label."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thumbwise._typing import AnyArray, FloatArray
from thumbwise.exceptions import Argument, InvalidVotesError
from thumbwise.numerics.patterns import Patterns
from thumbwise.tables.formats import Column
from thumbwise.tables.frames import as_column, as_table
from thumbwise.tables.opened_frames import open_frame, own_index
from thumbwise.votes.reading.read_scores import N_LEVELS, ReadScores, read_scores, score_verdicts
from thumbwise.votes.reading.read_votes import check_class_names
from thumbwise.votes.reading.score_cells import ScoresAre, split_confidences
from thumbwise.votes.score_scales import ScoreScale
from thumbwise.votes.votes import Votes


class ScoredVotes(Votes):
    """Ratings, probabilities or confidences as votes: a verdict per judge, and the scores beside it.

    Everything that takes votes takes these, and uses the verdicts; :class:`BalsubramaniFreund` learns from the scores
    too, by their ranks among the judge's own. So no scale needs to be explained, and no threshold to be chosen.

    Parameters
    ----------
    data : array-like or frame, (n_items, n_judges)
        Numbers, with None or NaN where a judge says nothing. Probabilities may have a column for each judge and class,
        called by both (``gpt:toxic``). Confidences stand beside verdicts: columns in pairs, ``gpt`` and
        ``gpt_confidence``, or cells such as "pass, 0.8".
    scores : class, optional
        Which of two classes high scores speak for. It is never guessed; probabilities by class and confidences need
        none.
    scores_are : {"ratings", "probabilities", "log-probabilities", "confidences"}
    class_names : sequence, optional
        Classes in order, two unless there is a column for each. Absent: 0 and 1, or the verdicts beside confidences.
    threshold : float, optional
        From which rating on a verdict is for that class, the same for all judges. Absent: each judge has its own
        middle, which is where it gives as many lower as higher ratings. Of probabilities it is one half.
    rule_names : sequence of str, optional
        Names of the judges, for arrays.
    item_ids : array-like or str, optional
        As in :class:`Votes`.
    like : ScoredVotes, optional
        Votes whose scale is meant, for further items: what is a high rating, and where verdicts change, is as there.
    n_levels : int
        Through how many groups of items, at most, scores enter the labels; fewer are quicker and coarser.

    Attributes
    ----------
    numbers : ndarray of shape (n_items, n_judges, n_scored)
        The scores as read; one for two classes, otherwise one for each class.
    scale : ScoreScale
        Ranks, and where verdicts change.

    Notes
    -----
    *Before gold labels are seen*: all of it. Ranks and verdicts are functions of the scores of all items, and
    direction, kind and threshold are declared. *Guarantee*: none by itself; that of a box from gold holds as for votes.

    Examples
    --------
    >>> import thumbwise as tw
    >>> ratings = [[1, 30], [2, 80], [9, 90], [4, None]]
    >>> votes = tw.ScoredVotes(ratings, scores="toxic", class_names=["fine", "toxic"], rule_names=["ann", "bob"])
    >>> votes.array.tolist()  # bob's 80 lies in the middle of what he says
    [[0, 0], [0, -1], [1, 1], [1, -1]]
    >>> votes.ranked.round(3).tolist()
    [[-0.375, -0.333], [-0.125, 0.0], [0.375, 0.333], [0.125, 0.0]]
    """

    numbers: FloatArray
    scale: ScoreScale

    def __init__(
        self,
        data: Any,
        *,
        scores: Hashable = None,
        scores_are: ScoresAre = "ratings",
        class_names: Sequence[Hashable] | None = None,
        threshold: float | None = None,
        rule_names: Sequence[str] | None = None,
        item_ids: npt.ArrayLike | str | None = None,
        like: ScoredVotes | None = None,
        n_levels: int = N_LEVELS,
    ) -> None:
        columns, ids = _open(data, rule_names, item_ids)
        if like is not None:
            scores, scores_are, class_names, threshold, n_levels = like.scale.declared(like.class_names)
            if set(columns) == set(like.rule_names):
                columns = {name: columns[name] for name in like.rule_names}
        names = check_class_names(class_names)
        if scores_are == "confidences":
            verdicts, confidences = split_confidences(columns)
            read = Votes(_as_frame(verdicts), class_names=names)
            self._keep(score_verdicts(read.array, confidences, read.class_names, n_levels), ids)
        else:
            self._keep(read_scores(columns, scores, scores_are, names or (0, 1), threshold, n_levels), ids)
        if like is not None:
            _check_judges(self.rule_names, like.rule_names)
            self._settle_on(like.scale)

    @classmethod
    def of(cls, read: ReadScores, ids: Any) -> Self:
        """From scores that were read, and ids."""
        votes = object.__new__(cls)
        votes._keep(read, ids)
        return votes

    def _keep(self, read: ReadScores, ids: Any) -> None:
        rules, classes = read.rule_names, read.class_names
        Votes.__init__(self, read.verdicts, class_names=classes, rule_names=rules, item_ids=ids, copy=False)
        self.numbers, self.scale = read.numbers, read.scale

    @property
    def ranked(self) -> FloatArray:
        """Ranks of the scores on the scale, shape (n_items, n_rules * n_scored)."""
        return self.scale.ranked(self.numbers)

    def on(self, scale: ScoreScale) -> ScoredVotes:
        """The same scores on the scale of other items, where verdicts may differ."""
        if scale is self.scale:
            return self
        other = self._like(self.rule_names)
        other._settle_on(scale)
        return other

    def _settle_on(self, scale: ScoreScale) -> None:
        self.scale = scale
        if scale.has_own_middles:
            self._array = scale.verdicts(self.numbers)

    def verdicts(self) -> Votes:
        """The verdicts alone."""
        plain = object.__new__(Votes)
        plain.__dict__.update(self._like(self.rule_names).__dict__)
        for name in ("numbers", "scale"):
            del plain.__dict__[name]
        return plain

    def take(self, items: npt.ArrayLike) -> Self:
        """As for all votes; the scale stays that of all items."""
        part = super().take(items)
        part.numbers = self.numbers[np.asarray(items)]
        return part

    def with_rules(self, rules: Sequence[int]) -> Self:
        """As for all votes."""
        other = super().with_rules(rules)
        other.numbers, other.scale = self.numbers[:, list(rules)], self.scale.with_rules(rules)
        return other

    def with_classes(self, class_names: Sequence[Hashable]) -> Self:
        """As for all votes, but only into another order: scores say nothing of further classes."""
        if tuple(class_names) == self.class_names:
            return self
        if set(class_names) != set(self.class_names):
            raise InvalidVotesError(
                f"scores speak of the classes {', '.join(map(repr, self.class_names[:8]))}; found "
                f"{', '.join(map(repr, list(class_names)[:8]))}. Declare the same classes on both sides with ",
                Argument("class_names", [...]),
                ".",
            )
        other, order = super().with_classes(class_names), [self.class_names.index(name) for name in class_names]
        other.scale = self.scale.with_classes(order)
        other.numbers = self.numbers if self.n_classes == 2 else self.numbers[:, :, order]
        return other

    def with_patterns(self, patterns: Patterns) -> Any:
        """Items that nobody knows have verdicts and no scores."""
        return self.verdicts().with_patterns(patterns)

    def _like(self, rule_names: tuple[str, ...]) -> Self:
        other = super()._like(rule_names)
        other.numbers, other.scale = self.numbers, self.scale
        return other

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done to the scores, in words."""
        return self.scale.describe(self.rule_names, self.class_names)

    def __repr__(self) -> str:
        return f"Scored{super().__repr__()}; {self.scale.scores_are} beside them"


def _check_judges(found: tuple[str, ...], wanted: tuple[str, ...]) -> None:
    if found != wanted:
        raise InvalidVotesError(
            f"scores on the scale of others must be of the same judges, {', '.join(map(repr, wanted[:8]))}; found "
            f"{', '.join(map(repr, found[:8]))}."
        )


def _open(
    data: Any, rule_names: Sequence[str] | None, item_ids: npt.ArrayLike | str | None
) -> tuple[dict[str, Column], Any]:
    """Columns by name, and ids."""
    frame, table = open_frame(data, "scores"), as_table(data)
    if frame is None or table is None:
        return _open_array(np.asarray(data, dtype=object), rule_names), item_ids
    columns, index = dict(table.columns), own_index(frame)
    if index is not None:
        columns.pop(next(iter(columns)))
    if not isinstance(item_ids, str):
        return columns, index if item_ids is None else item_ids
    if item_ids not in columns:
        raise InvalidVotesError(f"there must be a column {item_ids!r} of ids; found {', '.join(map(repr, columns))}.")
    return columns, np.asarray(columns.pop(item_ids).tolist())


def _open_array(array: AnyArray, rule_names: Sequence[str] | None) -> dict[str, Column]:
    if array.ndim != 2 or not array.size:
        raise InvalidVotesError(f"scores must be a table (items, judges); found shape {array.shape}.")
    names = [f"rule_{j}" for j in range(array.shape[1])] if rule_names is None else [str(name) for name in rule_names]
    if len(set(names)) != array.shape[1]:
        raise InvalidVotesError(
            Argument("rule_names"), f" must be one for each of the {array.shape[1]} columns; found {len(set(names))}."
        )
    return {name: as_column(column.tolist()) for name, column in zip(names, array.T, strict=True)}


def _as_frame(columns: Mapping[str, Column]) -> Any:
    return np.array([column.tolist() for column in columns.values()], dtype=object).T

"""Two columns of predictions: how often each is right, and which more often."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.exceptions import Argument, InvalidLabelsError
from thumbwise.rates.asked import Asked, check_not_anytime, unknown_name
from thumbwise.rates.counts import Rows, Said
from thumbwise.rates.intervals import Interval, Method, asymptotic
from thumbwise.rates.means import Drawn, Numbers
from thumbwise.rates.questions import Line
from thumbwise.rates.results import Rate
from thumbwise.votes.labels import UNKNOWN, code_labels


@dataclass(frozen=True, eq=False)
class Columns:
    """Two columns of predictions that have not seen the gold labels. Where one is missing, it is not right.

    Attributes
    ----------
    asked : Asked
    names : pair of str
        Rules, or columns of the reading.
    method : {"assisted", "exact", "asymptotic"}
    """

    asked: Asked
    names: tuple[str, str]
    method: Method

    @cached_property
    def rows(self) -> Rows:
        return self.asked.rows()

    @cached_property
    def predicted(self) -> tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]:
        """Of each column the class on each row and on each gold item."""
        ours, theirs = (self._read(name) for name in self.names)
        return ours, theirs

    def _read(self, name: str) -> tuple[IntArray, IntArray]:
        sample, rows = self.asked.sample, self.rows
        pool = sample.pool
        if name in pool.rule_names:
            j = pool.rule_names.index(name)
            votes = (part.patterns.to_rows()[:, j] for part in (pool, sample.votes))
            return next(votes)[rows.pattern], next(votes)[rows.gold_pattern]
        if name not in self.asked.columns:
            raise unknown_name(name, [*pool.rule_names, *self.asked.columns], "versus", "a rule or a column")
        coded = self._coded(name)
        return coded, coded[self.asked.placed("versus")]

    def _coded(self, name: str) -> IntArray:
        pool = self.asked.sample.pool
        try:
            return code_labels(self.asked.columns[name].tolist(), pool.class_names, pool.n_items)
        except InvalidLabelsError as error:
            classes = ", ".join(repr(str(one)) for one in pool.class_names[:10])
            problem = f" must name columns of predictions; {name!r} holds other values than the classes ({classes})."
            raise InvalidLabelsError(Argument("versus"), problem) from error

    def verdicts(self) -> tuple[IntArray, IntArray]:
        """The panel's, on each row and on each gold item."""
        panel, sample = self.asked.panel, self.asked.sample
        on_rows, on_gold = (panel.verdicts(part.patterns) for part in (sample.pool, sample.votes))
        return on_rows[self.rows.pattern], on_gold[self.rows.gold_pattern]

    def right(self, which: int, error: float) -> Rate:
        """How often one of them is right."""
        (on_rows, on_gold), (said, gold_said) = self.predicted[which], self.verdicts()
        agrees, is_right = gold_said == on_gold, self.rows.labels == on_gold
        counts = self.rows.ask(said == on_rows, agrees, is_right)
        beside = None if self.method == "asymptotic" else asymptotic(counts, error)
        what = f"the share of the {counts.n_items:,} items on which {self.names[which]} is right"
        interval = self.asked.interval(counts, error, self.method, self.rows.said(agrees, is_right))
        return Rate(interval, self.names[which], "rate", what, self.method, counts.n_gold, counts.n_items, beside)

    def difference(self, error: float) -> Rate:
        """How much more often the first is right."""
        what = f"how often {self.names[0]} is right less how often {self.names[1]} is"
        sample = self.asked.sample
        is_placed = self.method != "asymptotic" and self.asked.positions is not None
        beside = self._units().interval(error, "asymptotic") if is_placed else None
        name = f"{self.names[0]} - {self.names[1]}"
        numbers = len(sample), sample.pool.n_items
        return Rate(self._interval(error), name, "difference", what, self.method, *numbers, beside, pair=self.names)

    def _interval(self, error: float) -> Interval:
        """Where both predict and there are two classes, exactly one is right where they differ, and that is counted."""
        ours, theirs = self.predicted
        is_plain = all((part != UNKNOWN).all() for part in (*ours, *theirs))
        if not (is_plain and self.asked.sample.pool.n_classes == 2) or self.method == "asymptotic":
            check_not_anytime(self.asked, "versus", "two classes and columns that predict every item, or ")
            return self._units().interval(error, self.method)
        said, gold_said = self.verdicts()
        differ, gold_differ = ours[0] != theirs[0], ours[1] != theirs[1]
        agrees, is_right = gold_said == ours[1], self.rows.labels == ours[1]
        counts = self.rows.where(differ, gold_differ).ask(
            (said == ours[0])[differ], agrees[gold_differ], is_right[gold_differ]
        )
        share = self.asked.interval(counts, error, self.method, Said(agrees, is_right, gold_differ))
        part = counts.n_items / self.asked.sample.pool.n_items
        return Interval(*(part * (2 * end - 1) for end in (share.estimate, share.lower, share.upper)))

    def _units(self) -> Drawn:
        """Items worth 1, 0 or -1."""
        (ours, gold_ours), (theirs, gold_theirs) = self.predicted
        said, _ = self.verdicts()
        places = self.asked.placed("versus")
        labels = self.rows.labels
        known, is_gold = np.zeros(len(ours)), np.zeros(len(ours), dtype=bool)
        known[places] = _score(gold_ours, gold_theirs, labels)
        is_gold[places] = True
        numbers = Numbers(-1.0, 1.0, _score(ours, theirs, said), known, is_gold, places[self.asked.sample.in_order])
        return numbers.mean(np.full(len(ours), 1 / len(ours)))

    def lines(self) -> list[Line]:
        """Both, and the difference."""
        return [lambda error: self.right(0, error), lambda error: self.right(1, error), self.difference]


def _score(ours: IntArray, theirs: IntArray, truth: IntArray) -> FloatArray:
    return np.asarray((ours == truth).astype(float) - (theirs == truth))

"""Terms that are no sums over votes, as further steps: columns that they need, and what they add to each class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thumbwise.models.additive_terms import AdditiveTerms
from thumbwise.models.formula import Formula, LogCount, LogMixture, Term, Winner
from thumbwise.models.sql_text.expressions import add, case_when, exp, greatest, term_of_vote
from thumbwise.numerics.even_panel import TIE
from thumbwise.tables.sql_dialects import Dialect

# Margins count to nine digits.
_HALF_A_DIGIT = 5e-10


class FurtherSteps:
    """Collects columns while terms are written.

    Attributes
    ----------
    sums : dict of str to AdditiveTerms
        Sums over votes, by the name that their columns begin with, which the first step makes.
    steps : list of list of str
        Columns that each step adds to those of the step before.
    """

    def __init__(self, dialect: Dialect, n_classes: int) -> None:
        self.dialect, self.n_classes = dialect, n_classes
        self.sums: dict[str, AdditiveTerms] = {}
        self.steps: list[list[str]] = []

    def write(self, terms: Sequence[Term]) -> list[str]:
        """What all of the terms add to each class."""
        by_term = [self._write(term) for term in terms]
        return [" + ".join(parts) for parts in zip(*by_term, strict=True)]

    def first_columns(self) -> list[str]:
        """The sums over votes."""
        written = []
        for name, sums in self.sums.items():
            voting = np.flatnonzero(sums.by_vote.any(axis=(1, 2)))
            for c, column in enumerate(self._each(name)):
                parts = [term_of_vote(j, sums.by_vote[j, :, c], self.dialect) for j in voting.tolist()]
                written.append(f"{add([*parts, self._number(sums.by_class[c])])} AS {column}")
        return written

    def _write(self, term: Term) -> list[str]:
        if isinstance(term, Winner):
            return self._winner(term)
        return self._log_count(term) if isinstance(term, LogCount) else self._log_mixture(term)

    def _winner(self, term: Winner) -> list[str]:
        name = self._sum(term.sums)
        top, lead = self._top(name), self._lead(name)
        tests = [f"{lead} > {self._number(TIE)}"]
        tests += [f"{lead} >= {self._number(term.least - _HALF_A_DIGIT)}"] * bool(np.isfinite(term.least))
        tests += [f"{lead} < {self._number(term.most - _HALF_A_DIGIT)}"] * bool(np.isfinite(term.most))
        weight, nothing = self._number(term.weight), self._number(0.0)
        wins = (" AND ".join([*tests, f"{column} = {top}"]) for column in self._each(name))
        return [f"CASE WHEN {test} THEN {weight} ELSE {nothing} END" for test in wins]

    def _log_count(self, term: LogCount) -> list[str]:
        columns = self._each(self._sum(term.sums))
        return [f"{self._number(term.weight)} * LN({column} + {self._number(term.start)})" for column in columns]

    def _log_mixture(self, term: LogMixture) -> list[str]:
        name = self._scores(term.scores)
        top, total = self._top(name), f"total_{name}"
        powers = [exp(f"{column} - {top}", self.dialect) for column in self._each(name)]
        self._step(total, add(powers))
        weight, model, even = map(self._number, (term.weight, 1 - term.even_part, term.even_part / self.n_classes))
        return [f"{weight} * LN({model} * ({power}) / {total} + {even})" for power in powers]

    def _scores(self, formula: Formula) -> str:
        """Name of the columns that hold the scores of a formula."""
        sums = self._sum(formula.sums)
        if not formula.terms:
            return sums
        name, added = f"all_{sums}", self.write(formula.terms)
        pairs = zip(self._each(sums), added, self._each(name), strict=True)
        self.steps.append([f"{column} + {more} AS {own}" for column, more, own in pairs])
        return name

    def _sum(self, sums: AdditiveTerms) -> str:
        """Name of the columns that hold a sum over votes; the same for equal sums."""
        for name, known in self.sums.items():
            if np.array_equal(known.by_vote, sums.by_vote) and np.array_equal(known.by_class, sums.by_class):
                return name
        name = f"sum_{len(self.sums)}"
        self.sums[name] = sums
        return name

    def _top(self, name: str) -> str:
        return self._step(f"top_{name}", greatest(self._each(name)))

    def _lead(self, name: str) -> str:
        """By how much the largest is ahead of the second; 0 if two are the largest."""
        top, columns = f"top_{name}", self._each(name)
        n_best = add([f"CASE WHEN {column} = {top} THEN 1 ELSE 0 END" for column in columns])
        second = greatest([f"CASE WHEN {column} < {top} THEN {column} END" for column in columns])
        cases = [(f"{n_best} > 1", self._number(0.0)), (f"{top} IS NOT NULL", f"{top} - {second}")]
        return self._step(f"lead_{name}", case_when(cases))

    def _step(self, name: str, written: str) -> str:
        """A step of one column, unless it is there already."""
        column = [f"{written} AS {name}"]
        if column not in self.steps:
            self.steps.append(column)
        return name

    def _each(self, name: str) -> list[str]:
        return [f"{name}_{c}" for c in range(self.n_classes)]

    def _number(self, value: float) -> str:
        return self.dialect.write_float(value)

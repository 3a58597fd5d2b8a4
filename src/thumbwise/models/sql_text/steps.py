"""The steps of a prediction as SELECTs within each other: votes, scores, probabilities, label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from thumbwise.exceptions import InvalidChoiceError
from thumbwise.metrics import TIE
from thumbwise.models.additive_terms import AdditiveTerms
from thumbwise.models.formula import Formula
from thumbwise.models.sql_text.expressions import add, case_when, exp, greatest, select, term_of_vote
from thumbwise.models.sql_text.further import FurtherSteps
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.tables.sql_dialects import Dialect, name_outputs
from thumbwise.votes.labels import KnownLabels


@dataclass(frozen=True, eq=False)
class Steps:
    """Writes one step after the other, each around the one before.

    Names of columns and subqueries in between are its own. Those of the user occur in the innermost SELECT, behind the
    name of the table, and as names of the outermost one.

    Steps: votes as class numbers, ABSTAIN or NULL (``vote_j``); scores and numbers of votes (``score_c``, ``votes_c``),
    with steps between for terms that are no sums over votes; the normaliser; probabilities (``p_c``); the label. A vote
    that is NULL makes all that follows NULL.
    """

    dialect: Dialect
    formula: Formula
    classes: Sequence[Any]

    @property
    def terms(self) -> AdditiveTerms:
        return self.formula.sums

    def decode(self, columns: Sequence[str], value_of: Sequence[Any], abstain: Any) -> list[str]:
        """Each vote as a class number, ABSTAIN, or NULL if it is neither."""
        write = self.dialect.write_value
        votes = []
        for j, column in enumerate(map(self._column, columns)):
            silent = f"{column} IS NULL" + ("" if abstain is None else f" OR {column} = {write(abstain)}")
            cases = "".join(f" WHEN {column} = {write(value)} THEN {c}" for c, value in enumerate(value_of))
            votes.append(f"CASE WHEN {silent} THEN {ABSTAIN}{cases} END AS vote_{j}")
        return votes

    def add_ids(self, id_column: str, known: KnownLabels | None) -> list[str]:
        """The id of each item, and the class that is known of it, ABSTAIN if none is."""
        column = self._column(id_column)
        if known is None:
            return [f"{column} AS item"]
        cases = ""
        for c in sorted(set(known.labels.tolist())):
            ids = ", ".join(map(self.dialect.write_value, known.item_ids[known.labels == c].tolist()))
            cases += f" WHEN {column} IN ({ids}) THEN {c}"
        return [f"{column} AS item", f"CASE{cases} ELSE {ABSTAIN} END AS known"]

    def _column(self, name: str) -> str:
        return f"source.{self.dialect.write_name(name)}"

    def write(self, decoded: list[str], table: Sequence[str], id_column: str | None, *, has_known: bool) -> str:
        """All steps, from the decoded votes to the answer."""
        item, known = ["item"] * (id_column is not None), ["known"] * has_known
        scores, votes, proba = (self._each(name) for name in ("score", "votes", "p"))
        text = select(decoded, ".".join(map(self.dialect.write_name, table)), "source") + self.dialect.fence
        text = self._score(text, [*item, *known])
        if self.terms.are_shares:
            text = self._around(text, "scored", [*item, *known, *scores, *votes, f"{' + '.join(scores)} AS total"])
        else:
            text = self._around(text, "scored", [*item, *known, *scores, *votes, f"{greatest(scores)} AS top"])
            text = self._around(text, "topped", [*item, *known, *scores, *votes, f"{self._log_sum()} AS log_sum"])
        text = self._around(text, "normalised", [*item, *self._proba(has_known), *votes])
        text = self._around(text, "predicted", [*item, *proba, *votes, f"{greatest(proba)} AS best"])
        text = self._around(text, "compared", [*item, *proba, *self._support()])
        return select(self._answer(id_column), f"({text})", "supported")

    def _score(self, text: str, kept: Sequence[str]) -> str:
        """From decoded votes to scores and numbers of votes."""
        if not self.formula.terms:
            return self._around(text, "decoded", [*kept, *self._scores("score"), *self._counts()])
        further = FurtherSteps(self.dialect, len(self.classes))
        added = further.write(self.formula.terms)
        columns = [*kept, *self._scores("base"), *self._counts(), *further.first_columns()]
        text = self._around(text, "decoded", columns)
        for i, step in enumerate(further.steps):
            text = self._around(text, f"step_{i}", ["*", *step])
        scores = [f"base_{c} + {more} AS score_{c}" for c, more in enumerate(added)]
        return self._around(text, "added", [*kept, *scores, *self._each("votes")])

    def _around(self, inner: str, name: str, parts: Sequence[str]) -> str:
        return select(parts, f"({inner})", name) + self.dialect.fence

    def _each(self, name: str) -> list[str]:
        return [f"{name}_{c}" for c in self._numbers]

    def _scores(self, name: str) -> list[str]:
        scores = []
        for c, column in enumerate(self._each(name)):
            parts = [term_of_vote(j, terms[:, c], self.dialect) for j, terms in enumerate(self.terms.by_vote)]
            scores.append(f"{add(parts)} + {self.dialect.write_float(self.terms.by_class[c])} AS {column}")
        return scores

    def _counts(self) -> list[str]:
        rules = range(len(self.terms.by_vote))
        counts = (add([f"CASE WHEN vote_{j} = {c} THEN 1 ELSE 0 END" for j in rules]) for c in self._numbers)
        return [f"{count} AS {name}" for count, name in zip(counts, self._each("votes"), strict=True)]

    def _log_sum(self) -> str:
        return f"top + LN({' + '.join(exp(f'{score} - top', self.dialect) for score in self._each('score'))})"

    def _proba(self, has_known: bool) -> list[str]:
        one, zero = map(self.dialect.write_float, (1.0, 0.0))
        proba = []
        for c, score in enumerate(self._each("score")):
            modelled = self._share(score) if self.terms.are_shares else exp(f"{score} - log_sum", self.dialect)
            if has_known:
                modelled = f"CASE WHEN known = {c} THEN {one} WHEN known >= 0 THEN {zero} ELSE {modelled} END"
            proba.append(f"{modelled} AS p_{c}")
        return proba

    def _share(self, score: str) -> str:
        even = self.dialect.write_float(1 / len(self.classes))
        return case_when([("total > 0", f"{score} / total"), ("total = 0", even)])

    def _support(self) -> list[str]:
        """Number of votes for each class that is as probable as any, -1 for the others."""
        least = f"best - {self.dialect.write_float(TIE)}"
        chosen = (case_when([(f"p_{c} >= {least}", f"votes_{c}"), (f"p_{c} < {least}", "-1")]) for c in self._numbers)
        return [f"{votes} AS {name}" for votes, name in zip(chosen, self._each("support"), strict=True)]

    @property
    def _numbers(self) -> range:
        return range(len(self.classes))

    def _answer(self, id_column: str | None) -> list[str]:
        ids = [] if id_column is None else [id_column]
        if any(self.dialect.fold(name) == "label" for name in ids):
            raise InvalidChoiceError(
                "id_column must not be called label, as the predicted class is. Read from a view with another name."
            )
        names = name_outputs([f"p_{name}" for name in self.classes], ["label", *ids], self.dialect)
        written = zip([*(["item"] * len(ids)), *self._each("p"), self._label()], [*ids, *names, "label"], strict=True)
        return [f"{part} AS {self.dialect.write_name(name)}" for part, name in written]

    def _label(self) -> str:
        """Class names as texts, or as whole numbers if all of them are."""
        are_whole = all(type(name) is int for name in self.classes)
        labels = [self.dialect.write_value(name if are_whole else str(name)) for name in self.classes]
        support = self._each("support")
        cases = " ".join(f"WHEN {votes} THEN {label}" for votes, label in zip(support, labels, strict=True))
        return f"CASE {greatest(support)} {cases} END"

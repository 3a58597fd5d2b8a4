"""Reasons for what a model says: the part of each vote in a prediction that is a softmax of sums.

The score of class c is a term of the class plus one term for each vote, and one for each opinion as a whole. This holds
for the game of :class:`BalsubramaniFreund` with any box, and for every model whose ``additive_terms`` are those of a
softmax, such as :class:`DawidSkene` of every kind and :class:`DataProgramming`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.box.box import Box
from thumbwise.box.moments.linear import LEARNED, OPINION, About, speaks_of_all
from thumbwise.box.opinions.choosing import MAJORITY, PANEL
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.game.certificate import Certificate
from thumbwise.models.additive_terms import AdditiveTerms
from thumbwise.models.base import LabelModel
from thumbwise.models.explained.explanation import CLASS_FREQUENCY, Explanation, Term, show
from thumbwise.numerics.maxent import log_softmax, scores
from thumbwise.numerics.patterns import Patterns
from thumbwise.numerics.shared_features import as_rows
from thumbwise.votes.votes import Votes

# Patterns are explained in blocks of about this many numbers.
_BLOCK = 2**20


class Summands(Protocol):
    """The scores of a fitted model, and the terms that they are sums of."""

    def scores(self, votes: Votes) -> FloatArray:
        """Of patterns, up to a constant for each, shape (n_patterns, n_classes)."""

    def vote_scores(self, votes: Votes) -> FloatArray:
        """The same without what is not taken apart by vote."""

    def terms(self, part: Votes, without: Votes) -> Iterator[Term]:
        """Of the one item in ``part``, votes first; ``without`` holds it with each of its votes left out in turn."""

    @property
    def widening(self) -> str:
        """How the bounds of the terms had to be widened; empty if they had not."""

    @property
    def caution(self) -> float:
        """Below 1 if the weights follow gold and bounds together."""


@dataclass(frozen=True, eq=False)
class SumsOverVotes:
    """A term for each vote, and one for the class."""

    added: AdditiveTerms
    widening: str = ""
    caution: float = 1.0

    @classmethod
    def of(cls, model: LabelModel) -> SumsOverVotes:
        """Those of a model whose probabilities are a softmax."""
        terms = model.additive_terms()
        if terms.are_shares:
            raise InvalidChoiceError(
                "only a model whose prediction is a softmax of sums over votes can be explained, such as "
                "BalsubramaniFreund, DawidSkene and DataProgramming; "
                f"found {type(model).__name__}, whose probabilities are shares. Fit one of these to the same votes."
            )
        return cls(terms.centred())

    def scores(self, votes: Votes) -> FloatArray:
        return self.added.scores(votes.patterns)

    vote_scores = scores

    def terms(self, part: Votes, without: Votes) -> Iterator[Term]:
        for j, c in zip(part.patterns.rules.tolist(), part.patterns.classes.tolist(), strict=True):
            yield Term(part.rule_names[j], part.rule_names[j], self.added.by_vote[j, c])
        yield Term(CLASS_FREQUENCY, None, self.added.by_class)


@dataclass(frozen=True, eq=False)
class SumsOverMoments:
    """Feature times weight of each moment: for each vote what changes without it, then what no vote changes.

    Opinions count all votes together, so they are not taken apart.
    """

    box: Box
    weights: FloatArray
    active: IntArray
    certificate: Certificate

    @property
    def widening(self) -> str:
        return "" if self.certificate.widening is None else str(self.certificate.widening)

    @property
    def caution(self) -> float:
        return self.certificate.caution

    def scores(self, votes: Votes) -> FloatArray:
        return scores(self.weights, self.box.moments(votes).features, votes.n_classes)

    def vote_scores(self, votes: Votes) -> FloatArray:
        weights = np.where(speaks_of_all(self.box.about), 0.0, self.weights)
        return scores(weights, self.box.moments(votes).features, votes.n_classes)

    def terms(self, part: Votes, without: Votes) -> Iterator[Term]:
        k = part.n_classes
        by_vote = sp.diags_array(1.0 - speaks_of_all(self.box.about))
        full = as_rows(self.box.moments(part).features)
        left_out = self.box.moments(without).features if part.patterns.rules.size else full
        rest = full
        for e, j in enumerate(part.patterns.rules.tolist()):
            changed = sp.csr_array((full - left_out[e * k : (e + 1) * k]) @ by_vote)
            rest = rest - changed
            yield from self._weigh(changed, part.rule_names[j])
        yield from self._weigh(sp.csr_array(rest, copy=True), None)

    def _weigh(self, features: sp.csr_array, rule: str | None) -> Iterator[Term]:
        features.eliminate_zeros()
        for m in np.unique(features.indices).tolist():
            by_class = features[:, [m]].toarray().ravel() * self.weights[m] + 0.0  # no -0.0
            active, lower, upper = int(self.active[m]), float(self.box.lower[m]), float(self.box.upper[m])
            opinion = _opinion_in_words(self.box.about[m])
            yield Term(self.box.names[m], rule, by_class, active, lower, upper, opinion, self.caution < 1)


def _opinion_in_words(about: About) -> str | None:
    """What an opinion is, for someone who reads a single explanation."""
    if about.kind == LEARNED:
        return "learned from gold"
    in_words = {MAJORITY: "majority vote", PANEL: "panel as a whole"}
    return in_words.get(about.subject, about.name) if about.kind == OPINION else None


def explain(model: Any, votes: Any, item: Hashable) -> Explanation:
    """Take the prediction for one item apart.

    For :class:`BalsubramaniFreund` the terms are feature times weight of each moment, so any box will do. A term
    belongs to a vote by as much as it changes when the vote becomes an abstention; what then remains belongs to none.
    Opinions count all votes together: their terms are shown whole.
    For the others a vote v of rule j adds ``by_vote[j, v, c]`` of ``additive_terms`` to class c, such as a log rate,
    less the mean of that over the classes other than v, which changes no probability; for one coin this is the rule's
    weight, on the class it votes for.

    Terms are those of the fitted model. They say what it does, not whether it is right. *Guarantee*: none.

    Parameters
    ----------
    model : LabelModel
        Fitted; BalsubramaniFreund, DawidSkene, DataProgramming, or another one that is a softmax of sums.
    votes : Votes, array-like or frame
        Votes of the rules that the model was fitted with.
    item : hashable
        Id of an item. If no id is a number, and if there are none, also its position.

    Examples
    --------
    >>> import thumbwise as tw
    >>> from thumbwise.models.explained.explaining import explain
    >>> names = {"rule_names": ["links", "caps"], "class_names": ["ham", "spam"]}
    >>> votes = tw.Votes([[1, 1], [0, 0], [1, 0], [0, -1]], **names)
    >>> box = tw.Box.from_bounds(votes, {"links": (0.75, 1), "caps": (0.5, 1), "spam": (0, 0.4)})
    >>> print(explain(tw.BalsubramaniFreund().fit(votes, box=box), votes, 2))  # doctest: +ELLIPSIS
    item 2: spam 0.65, ham 0.35
      log-odds of spam against ham +0.62: +1.18 links (spam), +0.00 caps (ham), -0.56 class frequency
      bounds: the lower bound 0.750 of accuracy(links) decides; the upper bound 0.400 of frequency(spam) decides; ...
      spam would be 0.36 without links, 0.65 without caps (same weights, not refitted)
    """
    votes = model._read(votes)
    part = votes.take(_find_items(votes, [item]))
    summands = model._summands()
    patterns = part.patterns
    without = _abstain_once(part)
    is_known = len(model._known_items(part)[0]) > 0
    proba = model.predict_proba(part)
    return Explanation(
        item_id=part.item_ids.tolist()[0] if votes.has_ids else _plain(item),
        label=model.predict(part).tolist()[0],
        is_known=is_known,
        class_names=votes.class_names,
        proba=proba[0],
        rules=tuple(votes.rule_names[j] for j in patterns.rules),
        votes=tuple(votes.class_names[c] for c in patterns.classes),
        terms=tuple(summands.terms(part, without)),
        without=np.repeat(proba, len(patterns.rules), axis=0) if is_known else _softmax(_score(summands, without)),
        widening=summands.widening,
        caution=summands.caution,
    )


def explain_many(model: Any, votes: Any, items: Any = None) -> dict[str, AnyArray]:
    """One row for each vote on some items, as columns that any frame library takes.

    Works on patterns, a block at a time: memory follows the number of rows and time the sum of squared numbers of votes
    of the patterns. Items that no rule votes on have no row. *Guarantee*: none, as for :func:`explain`.

    Parameters
    ----------
    model, votes
        As in :func:`explain`.
    items : array-like, optional
        Ids or positions as in :func:`explain`, or a truth value for each item; all items if absent.

    Returns
    -------
    columns : dict of ndarray of shape (n_rows,)
        ``item_id``; ``rule``; ``vote``, the class it votes for; ``contribution``, what the vote adds to the score of
        that class by itself, opinions aside; ``proba`` of that class; ``proba_without`` the vote (same weights, not
        refitted); ``is_known``, where the label is gold and votes change nothing.

    Examples
    --------
    >>> import thumbwise as tw
    >>> from thumbwise.models.explained.explaining import explain_many
    >>> votes = [[0, 0, 1], [0, 0, 0], [1, 1, 0], [1, 1, 1], [-1, 0, 0]]
    >>> columns = explain_many(tw.DawidSkene(prior_right=3, prior_wrong=1).fit(votes), votes, items=[4])
    >>> columns["rule"].tolist(), columns["proba"].round(2), columns["proba_without"].round(2)
    (['rule_1', 'rule_2'], array([0.94, 0.94]), array([0.79, 0.88]))
    """
    votes = model._read(votes)
    positions = np.arange(votes.n_items) if items is None else _find_many(votes, items)
    used, inverse = np.unique(votes.inverse[positions], return_inverse=True)
    patterns = votes.patterns.take(used, np.ones(len(used), dtype=np.int64))
    by_vote = _explain_patterns(model._summands(), votes, patterns)
    lengths = patterns.votes_per_pattern[inverse]
    owners = np.repeat(np.arange(len(positions)), lengths)
    rows = np.repeat(patterns.starts[inverse] - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
    contribution, proba, proba_without = (column[rows] for column in by_vote)
    known = np.full(votes.n_items, -1)
    np.put(known, *model._known_items(votes))
    label, voted = known[positions[owners]], patterns.classes[rows]
    is_known = label >= 0
    return {
        "item_id": votes.item_ids[positions[owners]],
        "rule": _as_objects(votes.rule_names)[patterns.rules[rows]],
        "vote": _as_objects(votes.class_names)[voted],
        "contribution": contribution,
        "proba": np.where(is_known, label == voted, proba),
        "proba_without": np.where(is_known, label == voted, proba_without),
        "is_known": is_known,
    }


def _explain_patterns(
    summands: Summands, votes: Votes, patterns: Patterns
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """For the class that each vote is for: what the vote adds, the probability, the probability without the vote."""
    columns = np.zeros((3, len(patterns.rules)))
    for chosen in _blocks(patterns):
        part = votes.with_patterns(patterns.take(chosen, np.ones(len(chosen), dtype=np.int64)))
        left, owners = _abstain_once(part), part.patterns.owners
        before, after = _score(summands, part)[owners], _score(summands, left)
        added = summands.vote_scores(part)[owners] - summands.vote_scores(left)
        there = np.arange(len(added)), part.patterns.classes
        first = patterns.starts[chosen[0]]
        columns[:, first : first + len(added)] = added[there], _softmax(before)[there], _softmax(after)[there]
    return columns[0], columns[1], columns[2]


def _blocks(patterns: Patterns) -> Iterator[IntArray]:
    """Neighbouring patterns with votes, as many as fit a block once each of their votes is left out in turn."""
    lengths = patterns.votes_per_pattern
    filled = np.flatnonzero(lengths)
    block = np.cumsum(lengths[filled] * (lengths[filled] + 1) * patterns.n_classes) // _BLOCK
    for part in np.split(filled, np.flatnonzero(np.diff(block)) + 1):
        if len(part):
            yield part


def _abstain_once(votes: Votes) -> Votes:
    """For every vote of every pattern, in order, the pattern without it."""
    patterns = votes.patterns
    owners, lengths = patterns.owners, patterns.votes_per_pattern
    per_vote = lengths[owners]
    ends = np.cumsum(per_vote)
    copied = np.repeat(patterns.starts[owners] - ends + per_vote, per_vote) + np.arange(per_vote.sum())
    kept = copied[copied != np.repeat(np.arange(len(owners)), per_vote)]
    starts = np.concatenate([[0], np.cumsum(per_vote - 1)])
    counts, groups = np.ones(len(owners), dtype=np.int64), patterns.groups[owners]
    rules, classes = patterns.rules[kept], patterns.classes[kept]
    left = Patterns(starts, rules, classes, counts, groups, patterns.n_rules, patterns.n_classes)
    return votes.with_patterns(left)


def _score(summands: Summands, votes: Votes) -> FloatArray:
    """Scores of patterns, of which there may be none."""
    return summands.scores(votes) if votes.patterns.n_patterns else np.zeros((0, votes.n_classes))


def _softmax(by_class: FloatArray) -> FloatArray:
    return np.exp(log_softmax(by_class)[0])


def _find_many(votes: Votes, items: Any) -> IntArray:
    if isinstance(items, (str, bytes)):
        raise InvalidChoiceError(f"items must be a list of ids or positions; found {items!r}. Write [{items!r}].")
    wanted = list(items)
    if wanted and all(isinstance(value, (bool, np.bool_)) for value in wanted):
        if len(wanted) != votes.n_items:
            raise InvalidChoiceError(
                f"truth values must be one per item, {votes.n_items}; found {len(wanted)}. Or list ids or positions."
            )
        return np.flatnonzero(wanted)
    return _find_items(votes, wanted)


def _find_items(votes: Votes, items: list[Hashable]) -> IntArray:
    """Positions of items by id; by position if there are no ids, or if no id is a number."""
    wanted = [_plain(item) for item in items]
    chosen = set(wanted)
    ids = votes.item_ids.tolist() if votes.has_ids else []
    place: dict[Hashable, int] = {value: i for i, value in enumerate(ids) if value in chosen}
    if any(isinstance(item, int) for item in chosen) and not any(isinstance(value, (int, float)) for value in ids):
        place |= {item: item for item in chosen if isinstance(item, int) and 0 <= item < votes.n_items}
    strange = [item for item in wanted if item not in place]
    if strange:
        known = f"ids such as {ids[0]!r}" if ids else "no ids, only positions"
        raise InvalidChoiceError(
            f"an item must be one of the {votes.n_items:,} items of the votes, which have {known}; found "
            f"{show(strange[0])}, {type(strange[0]).__name__} ({len(strange)} such items)."
        )
    return np.array([place[item] for item in wanted], dtype=np.int64)


def _plain(item: Any) -> Hashable:
    value = item.item() if isinstance(item, np.generic) else item
    if isinstance(value, bool) or not isinstance(value, Hashable):
        raise InvalidChoiceError(
            f"an item must be an id or a position; found {show(value)}, {type(value).__name__}. Pass one item, or a "
            "list of them to explain_many."
        )
    return value


def _as_objects(names: tuple[Hashable, ...]) -> AnyArray:
    """Pointers to names: a column of them costs the same however long the names are."""
    column = np.empty(len(names), dtype=object)
    column[:] = names
    return column

"""Mean-field variational Bayes for classes with subtypes, many starts at once. Arrays in, arrays out.

An item has a true class c with probability tau_c and, given it, a subtype (group) m with probability pi_cm. Rule j then
says class l with probability v_jlcm; an abstention says nothing. tau, each pi_c and each v_j.cm are Dirichlet a priori.
The posterior is approximated by a product q(tau) q(pi) q(v) prod_i q_i(c, m). Its best factors, given the others, are

    q(tau), q(pi), q(v)   Dirichlet with the prior's concentrations plus the expected counts under q_i
    q_i(c, m)             proportional to exp(E log tau_c + E log pi_cm + sum of E log v_jlcm over the votes of item i)

and after the second update, with s_i the log of the normaliser of q_i, the evidence lower bound is

    ELBO = sum_i s_i - KL(q(tau), prior) - KL(q(pi), prior) - KL(q(v), prior),

which no update decreases. Items with the same votes (and the same known class) have the same q_i: a row, with a count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add

import numpy as np
import scipy.sparse as sp
from scipy.special import digamma, gammaln

from thumbwise._typing import AnyArray, FloatArray, IntArray

# Numbers of a piece of the rows, which stay in cache from the scores to the sums.
_PIECE = 2**19
# What has exp(-_NOTHING) of something beside it is lost in the rounding of their sum, thousands of times over.
_NOTHING = 45.0


@dataclass(frozen=True, eq=False)
class Tables:
    """Numbers for classes, subtypes and votes: prior or posterior concentrations, expected counts, expected logs.

    Attributes
    ----------
    classes : ndarray of shape (n_starts, n_classes)
    groups : ndarray of shape (n_starts, n_classes, n_groups)
    votes : ndarray of shape (n_rules, n_classes, n_starts, n_classes, n_groups)
        By rule, what it says, start, true class, subtype.
    """

    classes: FloatArray
    groups: FloatArray
    votes: FloatArray

    def __add__(self, other: Tables) -> Tables:
        return Tables(self.classes + other.classes, self.groups + other.groups, self.votes + other.votes)

    @classmethod
    def side_by_side(cls, tables: Sequence[Tables]) -> Tables:
        """Tables of some starts each, in one."""
        parts = zip(*((one.classes, one.groups, one.votes) for one in tables), strict=True)
        return cls(*(np.concatenate(part, axis=axis) for part, axis in zip(parts, (0, 0, 2), strict=True)))

    def take(self, starts: Sequence[int] | IntArray) -> Tables:
        """The tables of some starts."""
        return Tables(self.classes[starts], self.groups[starts], self.votes[:, :, starts])

    def means(self) -> Tables:
        """Expected probabilities, if these are concentrations."""
        return Tables(*(table / table.sum(axis=axis, keepdims=True) for table, axis in self._sides()))

    def expected_logs(self) -> Tables:
        """Expected logs of the probabilities, if these are concentrations."""
        return Tables(*(digamma(table) - digamma(table.sum(axis=axis, keepdims=True)) for table, axis in self._sides()))

    def inner(self, other: Tables) -> FloatArray:
        """Sum of the products of all entries, shape (n_starts,)."""
        by_class, by_group = (self.classes * other.classes).sum(axis=1), (self.groups * other.groups).sum(axis=(1, 2))
        return np.asarray(by_class + by_group + (self.votes * other.votes).sum(axis=(0, 1, 3, 4)))

    @cached_property
    def log_normalisers(self) -> FloatArray:
        """Sum of the logs of the Dirichlet densities' normalisers, shape (n_starts,)."""
        by_class, by_group, by_vote = (
            gammaln(table).sum(axis=axis) - gammaln(table.sum(axis=axis)) for table, axis in self._sides()
        )
        return np.asarray(by_class + by_group.sum(axis=1) + by_vote.sum(axis=(0, 2, 3)))

    def _sides(self) -> list[tuple[FloatArray, int]]:
        """Each table with the axis along which its probabilities sum to 1."""
        return [(self.classes, 1), (self.groups, 2), (self.votes, 1)]


@dataclass(frozen=True, eq=False)
class Rows:
    """Distinct rows of votes, those of items with a known class apart.

    Attributes
    ----------
    votes : sparse array of shape (n_rows, n_rules * n_classes)
        1 in column ``rule * n_classes + class`` of each vote.
    counts : ndarray of shape (n_rows,)
        Number of items.
    shares : ndarray of shape (n_rows, n_classes)
        Class probabilities to start from; 0 or 1 where the class is known.
    known : ndarray of bool, (n_rows,)
    """

    # Sparse even where half of the cells are filled: products of this shape are too small for the threads of dense
    # linear algebra, which wait for each other longer than they work.
    votes: sp.csr_array
    counts: FloatArray
    shares: FloatArray
    known: AnyArray

    @cached_property
    def tally(self) -> sp.csr_array:
        """Sums over items: over those with each vote, and in the last row over all of them.

        Has the shape (n_rules * n_classes + 1, n_rows).
        """
        everyone = sp.csr_array(np.ones((1, len(self.counts))))
        members = sp.vstack([sp.csr_array(self.votes.T), everyone], format="csr")
        return sp.csr_array(members.multiply(self.counts))

    @cached_property
    def barred(self) -> FloatArray:
        """Minus infinity for classes that known labels rule out, else 0, shape (n_rows, n_classes); empty if none."""
        if not self.known.any():
            return np.empty((0, 0))
        return np.where(self.known[:, None] & (self.shares == 0), -np.inf, 0.0)

    def take(self, chosen: slice | IntArray) -> Rows:
        """Some of the rows, or all in another order."""
        return Rows(sp.csr_array(self.votes[chosen]), self.counts[chosen], self.shares[chosen], self.known[chosen])

    def split(self, n_columns: int) -> list[tuple[slice, Rows]]:
        """Pieces that tables of so many numbers a row fit in cache for, but longer than the tables that they add to."""
        n_rows, (_, n_votes) = len(self.counts), self.votes.shape
        length = max(_PIECE // n_columns, 2 * n_votes)
        if length >= n_rows:
            return [(slice(n_rows), self)]
        if length not in self._pieces:
            places = [slice(first, min(first + length, n_rows)) for first in range(0, n_rows, length)]
            self._pieces[length] = [(place, self.take(place)) for place in places]
        return self._pieces[length]

    @cached_property
    def _pieces(self) -> dict[int, list[tuple[slice, Rows]]]:
        """By their length, made once for all iterations."""
        return {}


@dataclass(frozen=True, eq=False)
class Run:
    """Where one start led.

    Attributes
    ----------
    posterior : Tables
    elbo_path : ndarray of shape (n_iter,)
        Evidence lower bound after each iteration.
    published_score : float
        What the original implementation takes for the bound: its expected counts are of the iteration before.
    change : float
        Largest change of a class probability in the last iteration.
    """

    posterior: Tables
    elbo_path: FloatArray
    published_score: float
    change: float

    @property
    def elbo(self) -> float:
        return float(self.elbo_path[-1])


def make_prior(
    class_counts: FloatArray, *, group_prior: float, right: float, wrong: float, n_rules: int, n_groups: int
) -> Tables:
    """Prior concentrations; ``group_prior`` is shared out among the subtypes of a class."""
    k = len(class_counts)
    by_vote = np.where(np.eye(k, dtype=bool), right, wrong)[None, :, None, :, None]
    return Tables(
        class_counts[None],
        np.full((1, k, n_groups), group_prior / n_groups),
        np.broadcast_to(by_vote, (n_rules, k, 1, k, n_groups)),
    )


def draw_starts(rows: Rows, n_groups: int, n_starts: int, rng: np.random.Generator) -> Tables:
    """Expected counts if every item splits each of its class probabilities over the subtypes at random.

    The split of an item is uniform on the simplex, Dirichlet(1, .., 1). Of the N items of a row only the mean split is
    needed. It is drawn at once, from the Dirichlet with N (n_groups + 1) - 1 as the sum of its concentrations: the same
    mean, the same covariance, and the same distribution for N = 1.
    """
    row_places, class_places = find_places(rows)
    pieces = rows.take(np.argsort(row_places)).split(rows.shares.shape[1] * n_groups)
    at_once = n_starts if len(pieces) == 1 else 1  # in pieces, numbers are drawn in the order in which wholes are
    drawn = [
        reduce(add, (_draw(piece, class_places, n_groups, at_once, rng) for _, piece in pieces))
        for _ in range(0, n_starts, at_once)
    ]
    return drawn[0] if len(drawn) == 1 else Tables.side_by_side(drawn)


def _draw(rows: Rows, class_places: IntArray, n_groups: int, n_starts: int, rng: np.random.Generator) -> Tables:
    """The same for rows in the order of the draws."""
    sizes = (rows.counts * (n_groups + 1) - 1) / n_groups
    splits = rng.standard_gamma(np.broadcast_to(sizes[:, None, None], (n_starts, *rows.shares.shape, n_groups)))
    splits /= splits.sum(axis=3, keepdims=True)
    splits = splits.swapaxes(0, 1)[:, :, class_places]
    splits *= rows.shares[:, None, :, None]
    return count(splits, rows)


def find_places(rows: Rows) -> tuple[IntArray, IntArray]:
    """Where each row and each class stands in the order of the draws, however rules and classes are numbered.

    Classes are ranked by how much of the votes they get, rules by how much the votes agree with them; each rank has a
    random number for every class, and rows are ranked by the sum for their votes. So the order of the rules, and rules
    that never vote, change no start, unless two classes or two rules that differ tie. Votes decide, and where there are
    known labels these too, through ``shares``.
    """
    k = rows.shares.shape[1]
    spread = rows.counts[:, None] * np.sqrt(rows.shares)
    agreement = np.trace((rows.votes.T @ spread).reshape(-1, k, k), axis1=1, axis2=2)
    class_places, rule_places = _rank(-spread.sum(axis=0)), _rank(-agreement)
    numbers = np.random.default_rng(0).random((len(agreement) + 1, k))[:, class_places]
    return _rank(rows.shares @ numbers[0] + rows.votes @ numbers[rule_places + 1].ravel()), class_places


def _rank(keys: FloatArray) -> IntArray:
    return np.argsort(np.argsort(keys, kind="stable"))


def count(joint: FloatArray, rows: Rows) -> Tables:
    """Expected counts under responsibilities of shape (n_rows, n_starts, n_classes, n_groups)."""
    return _as_tables(np.asarray(rows.tally @ joint.reshape(len(joint), -1)).reshape(-1, *joint.shape[1:]))


def _as_tables(sums: FloatArray) -> Tables:
    """Sums over the items with each vote and, in the last row, over all of them."""
    votes, groups = sums[:-1], sums[-1]
    return Tables(groups.sum(axis=2), groups, votes.reshape(-1, groups.shape[1], *groups.shape))


def normalise(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Responsibilities from scores of shape (n_rows, n_starts, n_columns), which are overwritten.

    And the logs of their normalisers, shape (n_rows, n_starts).
    """
    top = scores.max(axis=2, keepdims=True)
    scores -= top
    np.exp(scores, out=scores)
    sums = scores.sum(axis=2, keepdims=True)
    scores /= sums
    return scores, (np.log(sums) + top)[..., 0]


@dataclass(frozen=True, eq=False)
class Columns:
    """Subtypes that some item may belong to, in tables whose columns are starts, classes and subtypes.

    Attributes
    ----------
    kept : ndarray of shape (n_kept,)
        Class times the number of subtypes, plus subtype: ascending, at least one of each class.
    shape : tuple of int
        Numbers of starts, classes and subtypes.
    """

    kept: IntArray
    shape: tuple[int, int, int]

    @classmethod
    def all(cls, logs: Tables) -> Columns:
        """Every subtype."""
        n_starts, k, n_groups = logs.groups.shape
        return cls(np.arange(k * n_groups), (n_starts, k, n_groups))

    @classmethod
    def with_items(cls, logs: Tables) -> Columns:
        """Without subtypes to which no row of votes gives a share of its class above exp(-_NOTHING), in any start.

        Against the most frequent subtype of the class, a subtype is at most as probable as its frequency makes it,
        times what each rule's vote may say for it at most. Most subtypes soon lose all their items.
        """
        first = np.expand_dims(logs.groups.argmax(axis=2), 2)
        ahead = np.zeros(logs.groups.shape)
        for votes in logs.votes:  # a rule at a time
            says = votes - np.take_along_axis(votes, first[None], axis=3)
            ahead += np.maximum(says.max(axis=0), 0)
        ahead += logs.groups - np.take_along_axis(logs.groups, first, axis=2)
        return cls(np.flatnonzero((ahead >= -_NOTHING).any(axis=0)), logs.groups.shape)

    @property
    def is_all(self) -> bool:
        return len(self.kept) == self.shape[1] * self.shape[2]

    @property
    def classes(self) -> IntArray:
        return self.kept // self.shape[2]

    def take(self, table: FloatArray) -> FloatArray:
        """The columns of a table of shape (..., n_starts, n_classes, n_groups)."""
        flat = table.reshape(*table.shape[:-2], -1)
        return flat if self.is_all else np.ascontiguousarray(flat[..., self.kept])

    def spread(self, table: FloatArray) -> FloatArray:
        """Back again, with 0 for what was left out."""
        whole = np.zeros((*table.shape[:-1], self.shape[1] * self.shape[2]))
        whole[..., self.kept] = table
        return whole.reshape(*table.shape[:-1], *self.shape[1:])

    def by_class(self, joint: FloatArray) -> FloatArray:
        """Sums over subtypes."""
        if self.is_all:
            return np.asarray(joint.reshape(*joint.shape[:-1], *self.shape[1:]).sum(axis=-1))
        return np.asarray(np.add.reduceat(joint, np.searchsorted(self.classes, np.arange(self.shape[1])), axis=-1))


@dataclass(frozen=True, eq=False)
class Expectation:
    """What the best responsibilities q_i given expected logs come to.

    Attributes
    ----------
    counts : Tables
        Expected counts.
    proba : ndarray of shape (n_rows, n_starts, n_classes)
    evidence : ndarray of shape (n_starts,)
        Sum over items of the logs of the normalisers.
    """

    counts: Tables
    proba: FloatArray
    evidence: FloatArray


def expect(logs: Tables, rows: Rows) -> Expectation:
    """The responsibilities of all rows, of which only a piece is there at any time, and their sums."""
    n_starts, k, _ = logs.groups.shape
    pieces = rows.split(logs.groups.size)
    columns = Columns.all(logs) if len(pieces) == 1 else Columns.with_items(logs)
    by_vote = columns.take(logs.votes).reshape(rows.votes.shape[1], -1)
    by_item = columns.take(logs.classes[:, :, None] + logs.groups)
    sums = np.zeros((len(by_vote) + 1, by_vote.shape[1]))
    proba, evidence = np.empty((len(rows.counts), n_starts, k)), np.zeros(n_starts)
    for place, piece in pieces:
        scores = np.asarray(piece.votes @ by_vote).reshape(-1, *by_item.shape)
        scores += by_item
        if len(piece.barred):
            scores += piece.barred[:, None, columns.classes]
        joint, log_sums = normalise(scores)
        proba[place] = columns.by_class(joint)
        evidence += piece.counts @ log_sums
        sums += piece.tally @ joint.reshape(len(joint), -1)
    return Expectation(_as_tables(columns.spread(sums.reshape(-1, *by_item.shape))), proba, evidence)


def predict(logs: Tables, votes: sp.csr_array) -> FloatArray:
    """Class probabilities of some rows of votes, for one start, shape (n_rows, n_classes)."""
    n_rows, (_, k, _) = votes.shape[0], logs.groups.shape
    rows = Rows(votes, np.ones(n_rows), np.ones((n_rows, k)), np.zeros(n_rows, dtype=bool))
    return expect(logs, rows).proba[:, 0]


def improve(counts: Tables, rows: Rows, prior: Tables) -> tuple[Tables, Tables, Expectation, FloatArray]:
    """Both updates: posterior, its expected logs, what follows, and the evidence lower bound of all together."""
    posterior = prior + counts
    logs = posterior.expected_logs()
    expected = expect(logs, rows)
    divergences = counts.inner(logs) + prior.log_normalisers - posterior.log_normalisers
    return posterior, logs, expected, expected.evidence - divergences


def climb(counts: Tables, rows: Rows, prior: Tables, *, tol: float, max_iter: int) -> list[Run]:
    """Update from some starts, each until no class probability changes by more than ``tol``."""
    proba = rows.shares[:, None]
    paths = np.empty((0, len(counts.classes)))
    runs: list[Run] = []
    while True:
        posterior, logs, expected, elbos = improve(counts, rows, prior)
        paths = np.vstack([paths, elbos])
        changes = np.abs(expected.proba - proba).max(axis=(0, 2))
        before, counts, proba = counts, expected.counts, expected.proba
        stops = (changes <= tol) | (len(paths) >= max_iter)
        if stops.any():
            published = elbos + before.inner(logs) - counts.inner(logs)
            runs += [
                Run(posterior.take([s]), paths[:, s], float(published[s]), float(changes[s]))
                for s in np.flatnonzero(stops).tolist()
            ]
            if stops.all():
                return runs
            going = np.flatnonzero(~stops)
            counts, proba, paths = counts.take(going), proba[:, going], paths[:, going]

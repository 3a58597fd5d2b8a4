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
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from scipy.special import digamma, gammaln

from thumbwise._typing import AnyArray, FloatArray, IntArray


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
    def barred(self) -> tuple[IntArray, IntArray]:
        """Rows and classes that known labels rule out."""
        rows, classes = np.nonzero(self.known[:, None] & (self.shares == 0))
        return rows, classes


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
    sizes = (rows.counts * (n_groups + 1) - 1) / n_groups
    in_place = np.argsort(row_places)
    shape = (n_starts, *rows.shares.shape, n_groups)
    splits = rng.standard_gamma(np.broadcast_to(sizes[in_place, None, None], shape))
    splits /= splits.sum(axis=3, keepdims=True)
    splits = splits[:, row_places][:, :, class_places].swapaxes(0, 1)
    return count(splits * rows.shares[:, None, :, None], rows)


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
    sums = np.asarray(rows.tally @ joint.reshape(len(joint), -1)).reshape(-1, *joint.shape[1:])
    votes, groups = sums[:-1], sums[-1]
    return Tables(groups.sum(axis=2), groups, votes.reshape(-1, groups.shape[1], *groups.shape))


def score(logs: Tables, votes: sp.csr_array) -> FloatArray:
    """Log of each q_i(c, m) up to its normaliser, shape (n_rows, n_starts, n_classes, n_groups)."""
    scores: FloatArray = np.asarray(votes @ logs.votes.reshape(votes.shape[1], -1)).reshape(-1, *logs.groups.shape)
    scores += logs.classes[:, :, None] + logs.groups
    return scores


def normalise(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Responsibilities, and the logs of their normalisers, shape (n_rows, n_starts); overwrites the scores."""
    flat = scores.reshape(*scores.shape[:2], -1)
    top = flat.max(axis=2, keepdims=True)
    flat -= top
    np.exp(flat, out=flat)
    sums = flat.sum(axis=2, keepdims=True)
    flat /= sums
    return scores, (np.log(sums) + top)[..., 0]


def improve(counts: Tables, rows: Rows, prior: Tables) -> tuple[Tables, Tables, FloatArray, FloatArray]:
    """Both updates: posterior, its expected logs, responsibilities, and the evidence lower bound of all together."""
    posterior = prior + counts
    logs = posterior.expected_logs()
    scores = score(logs, rows.votes)
    scores[rows.barred[0], :, rows.barred[1]] = -np.inf
    joint, log_sums = normalise(scores)
    divergences = counts.inner(logs) + prior.log_normalisers - posterior.log_normalisers
    return posterior, logs, joint, rows.counts @ log_sums - divergences


def climb(counts: Tables, rows: Rows, prior: Tables, *, tol: float, max_iter: int) -> list[Run]:
    """Update from some starts, each until no class probability changes by more than ``tol``."""
    proba = rows.shares[:, None]
    paths = np.empty((0, len(counts.classes)))
    runs: list[Run] = []
    while True:
        posterior, logs, joint, elbos = improve(counts, rows, prior)
        paths = np.vstack([paths, elbos])
        previous, proba = proba, joint.sum(axis=3)
        changes = np.abs(proba - previous).max(axis=(0, 2))
        before, counts = counts, count(joint, rows)
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

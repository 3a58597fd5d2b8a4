"""Enhanced Bayesian classifier combination: classes with subtypes, by mean-field variational Bayes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from thumbwise._typing import FloatArray, IntArray
from thumbwise.exceptions import InPython, Message, TooLargeError
from thumbwise.models.base import LabelModel, find_known
from thumbwise.models.inputs import read_for_fit
from thumbwise.models.majority_vote import vote_shares
from thumbwise.models.saved.fields import (
    BY_CLASS,
    ONE,
    RATES,
    Array,
    Number,
    Setting,
    Truth,
    Whole,
    WholeOrNone,
    fields,
)
from thumbwise.numerics.ebcc import Rows, Run, Tables, climb, draw_starts, make_prior, predict
from thumbwise.tables.json_values import Node
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.labels import UNKNOWN, code_labels

# Starts are run side by side as long as the numbers of all of them stay in cache.
_CELLS = 2**17
# Starts unless something else is asked for; the steps that one iteration of all of them may take; and the most that one
# iteration of a single start may, unless it is asked for. A step is a vote, class and subtype; a rate takes as long as
# so many of them.
_MOST_STARTS, _WORK, _MOST_WORK = 100, 2e9, 1e10
_A_RATE = 100
_RANKS = {"elbo": attrgetter("elbo"), "published": attrgetter("published_score")}


# Concentrations whose digamma, and sums of it, are finite.
_CONCENTRATIONS = {
    "classes": Array(("classes",), 1e-100),
    "groups": Array(("classes", "n_groups"), 1e-100),
    "votes": Array(("rules", "classes", "classes", "n_groups"), 1e-100),
}


@dataclass(frozen=True)
class _Posterior:
    """Concentrations of the one start that was kept, as a file has them; the axis of starts is left out."""

    def write(self, value: Tables, model: EBCC) -> Any:
        parts = {"classes": value.classes[0], "groups": value.groups[0], "votes": value.votes[:, :, 0]}
        return {name: array.write(parts[name], model) for name, array in _CONCENTRATIONS.items()}

    def read(self, node: Node, model: EBCC, setting: Setting) -> Tables:
        nodes = zip(node.fields(*_CONCENTRATIONS), _CONCENTRATIONS.values(), strict=True)
        classes, groups, votes = (array.read(part, model, setting) for part, array in nodes)
        return Tables(classes[None], groups[None], votes[:, :, None])


class EBCC(LabelModel):
    """Rules that may err together: the items of a class fall into subtypes, and rules err independently within each.

    An item of class c belongs to subtype m with probability pi_cm; rule j then votes l with probability v_jlcm, and an
    abstention says nothing (Li, Rubinstein and Cohn, ICML 2019). Priors: Dirichlet for the class frequencies, with the
    vote shares of each class, summed over the items, as concentrations (at least 1); for the subtypes of a class,
    ``group_prior / n_groups`` each; for what a rule says, ``prior_right`` for the true class and ``prior_wrong`` for
    every other. The posterior is approximated by independent factors that maximise a lower bound (ELBO) of the log
    evidence of the votes, by alternating updates from several random starts; the start with the largest ELBO is kept.

    The defaults are the settings of An and Dasgupta (UAI 2024). Rows without votes, which make the original
    implementation return NaN, start as in theirs with the same probability for all classes, and count for the
    frequencies of classes and subtypes.

    Assumes independence given class and subtype, and that rules are rather right than wrong. Copies of a rule break the
    first: all starts begin at the majority vote, which is theirs already, and follow it. A slow climb is cut off at
    ``max_iter``, and what then comes out depends on the start. *Guarantee*: none. Starts, and which of them is
    kept, are decided by votes alone if ``fit`` gets no labels, and after the labels are seen if it does.

    Parameters
    ----------
    n_groups : int
        Number of subtypes of each class; 1 makes rules independent given the class.
    group_prior : float
        Concentration shared by the subtypes of a class; small: few of them are used.
    prior_right, prior_wrong : float
        Votes that each rule seems to have cast already, given each class and subtype, for that class and for each
        other one.
    n_starts : int, optional
        By default 100, or fewer, but at least one, where an iteration of all of them would take more than 2 x 10^9
        steps. With V distinct votes and items with distinct votes, an iteration of one start takes
        (V + 100 n_rules n_classes) n_classes n_groups of them. If those alone are more than 10^10, which takes minutes
        and gigabytes, ``fit`` raises :class:`TooLargeError` before it begins; a number given here is made all the same.
        What fewer starts cost is measured by ``python -m studies.ebcc_starts``: next to nothing on the paper's sets and
        crowds; where classes do have subtypes, more starts may find more.
    rank_by : {"elbo", "published"}
        Which start to keep. The score of the original implementation, with which the paper's figures come out, takes
        expected counts from before the last update and entropies from after it, and is not a bound.
    tol : float
        A start is done when no item's class probability changes by more than this. If the best one is not done after
        ``max_iter`` iterations, ``fit`` warns.
    max_iter : int
    random_state : int
        Seed of the starts. Unless rules or classes tie, these do not depend on the order of items and rules or on the
        numbers of the classes.

    Attributes
    ----------
    class_frequencies_ : ndarray of shape (n_classes,)
        Posterior mean.
    group_shares_ : ndarray of shape (n_classes, n_groups)
        Posterior mean of the frequency of each subtype among the items of a class.
    confusion_ : ndarray of shape (n_rules, n_classes, n_classes)
        How often each rule, if it votes, says each class (second axis) on items of each class (third axis): posterior
        mean, averaged over subtypes.
    elbo_ : float
        Evidence lower bound of the start that was kept: at most the log probability of the votes and known labels.
    elbo_path_ : ndarray of shape (n_iter_,)
        The bound after each iteration; never decreases.
    converged_ : bool
    n_iter_ : int
    posterior_ : Tables
        Dirichlet concentrations of the start that was kept.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = [[0, 0, 1], [0, 0, 0], [1, 1, 0], [1, 1, 1], [-1, 0, 0]]
    >>> tw.EBCC(n_starts=10).fit(votes).predict(votes)
    array([0, 0, 1, 1, 0])
    """

    _learned = fields(
        n_iter_=Whole(),
        converged_=Truth(),
        elbo_=Number(special=True),
        class_frequencies_=BY_CLASS,
        group_shares_=Array(("classes", "n_groups"), 0, ONE),
        confusion_=RATES,
        posterior_=_Posterior(),
        elbo_path_=Array(("n_iter_",), special=True),
    )
    _parameter_fields = fields(n_starts=WholeOrNone())

    def __init__(
        self,
        *,
        n_groups: int = 10,
        group_prior: float = 0.1,
        prior_right: float = 4.0,
        prior_wrong: float = 1.0,
        n_starts: int | None = None,
        rank_by: Literal["elbo", "published"] = "elbo",
        tol: float = 1e-3,
        max_iter: int = 100,
        random_state: int = 0,
    ) -> None:
        self.n_groups = n_groups
        self.group_prior = group_prior
        self.prior_right = prior_right
        self.prior_wrong = prior_wrong
        self.n_starts = n_starts
        self.rank_by = rank_by
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, votes: Any, y: Any = None) -> EBCC:
        """Approximate the posterior.

        Parameters
        ----------
        votes : Votes, array-like or frame
        y : array-like of shape (n_items,), optional
            Classes of the items, -1 or missing where unknown. An item with a label keeps it throughout.
        """
        self._check_parameters()
        votes, y = read_for_fit(votes, y)
        n_starts = self._count_starts(votes)
        labels = None if y is None else code_labels(y, votes.class_names, votes.n_items)
        rows = find_rows(votes, labels)
        prior = make_prior(
            np.maximum(rows.counts @ rows.shares, 1),
            group_prior=self.group_prior,
            right=self.prior_right,
            wrong=self.prior_wrong,
            n_rules=votes.n_rules,
            n_groups=self.n_groups,
        )
        self._keep(max(self._runs(rows, prior, n_starts), key=_RANKS[self.rank_by]))
        if not self.converged_:
            warnings.warn(
                Message(
                    "EBCC's best start still changes probabilities by more than ",
                    InPython("tol="),
                    f"{self.tol:.1e} after {self.n_iter_} iterations.",
                    InPython(" A larger max_iter lets it climb on."),
                ),
                ConvergenceWarning,
                stacklevel=2,
            )
        self._remember(votes, None if labels is None else find_known(votes, labels))
        return self

    def _count_starts(self, votes: CountedVotes) -> int:
        """As many as are asked for, or as there is time for, from sizes alone."""
        if self.n_starts is not None:
            return self.n_starts
        patterns = votes.patterns
        n_votes = len(patterns.rules) + patterns.n_patterns
        work = (n_votes + _A_RATE * patterns.n_rules * patterns.n_classes) * patterns.n_classes * self.n_groups
        if work > _MOST_WORK:
            raise TooLargeError(
                f"EBCC goes many times over each vote, and {_A_RATE} times as long over each rule and class, for every "
                f"class and subtype: at most {_MOST_WORK:.0e} such steps; found {work:.1e}, from {n_votes:,} distinct "
                f"votes and items, {patterns.n_rules:,} rules, {patterns.n_classes:,} classes and {self.n_groups} "
                "subtypes. Leave out or merge classes, fit part of the items and predict the others, or use "
                "Dawid-Skene, which has no subtypes.",
                InPython(" Fewer n_groups take less; with n_starts=1 one start is made all the same."),
            )
        return int(np.clip(_WORK // max(1, work), 1, _MOST_STARTS))

    def _runs(self, rows: Rows, prior: Tables, n_starts: int) -> Iterator[Run]:
        """Starts in batches, which do not change what is drawn for a start."""
        rng = np.random.default_rng(self.random_state)
        per_start = max(rows.shares.size * self.n_groups, prior.votes.size)
        size = max(1, _CELLS // per_start)
        for first in range(0, n_starts, size):
            starts = draw_starts(rows, self.n_groups, min(size, n_starts - first), rng)
            yield from climb(starts, rows, prior, tol=self.tol, max_iter=self.max_iter)

    def _keep(self, run: Run) -> None:
        means = run.posterior.means()
        self.posterior_ = run.posterior
        self.class_frequencies_, self.group_shares_ = means.classes[0], means.groups[0]
        self.confusion_ = np.einsum("jlcm,cm->jlc", means.votes[:, :, 0], means.groups[0])
        self.elbo_path_ = run.elbo_path
        self.elbo_ = run.elbo
        self.n_iter_ = len(run.elbo_path)
        self.converged_ = run.change <= self.tol

    def _check_parameters(self) -> None:
        if self.rank_by not in _RANKS:
            raise ValueError(f'rank_by must be "elbo" or "published"; found {self.rank_by!r}.')
        for name in ("n_groups", "n_starts", "max_iter"):
            value = getattr(self, name)
            if name == "n_starts" and value is None:
                continue
            if value < 1 or value != int(value):
                raise ValueError(f"{name} must be a whole number of at least 1; found {value!r}.")
        for name in ("group_prior", "prior_right", "prior_wrong"):
            value = getattr(self, name)
            if not 0 < value < np.inf:
                raise ValueError(
                    f"{name} must be positive, a concentration of a Dirichlet prior; found {value!r}. "
                    "A small number such as 0.01 says little."
                )

    def _predict_patterns(self, votes: CountedVotes) -> FloatArray:
        return predict(self.posterior_.expected_logs(), votes.patterns.indicators)


def find_rows(votes: Any, labels: IntArray | None) -> Rows:
    """One row per pattern, and one more per pattern and class of items whose label is known."""
    k = votes.n_classes
    if labels is None:
        cells = np.kron(votes.patterns.counts, np.eye(1, k + 1, dtype=np.int64)[0])
    else:
        inverse, size = votes.inverse.astype(np.int64), votes.patterns.n_patterns * (k + 1)
        cells = np.bincount(inverse * (k + 1) + labels + 1, minlength=size)
    used = np.flatnonzero(cells)
    patterns, classes = used // (k + 1), used % (k + 1) - 1
    known = classes != UNKNOWN
    shares = vote_shares(votes.patterns)[patterns]
    shares[known] = np.eye(k)[classes[known]]
    return Rows(votes.patterns.indicators[patterns], cells[used].astype(float), shares, known)

"""Dawid-Skene by expectation maximisation, in the log domain, on patterns."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.moments.linear import build_moments
from thumbwise.box.moments.standard import STANDARD
from thumbwise.exceptions import DegenerateFitWarning, InPython, Message
from thumbwise.models.additive_terms import AdditiveTerms
from thumbwise.models.base import LabelModel, find_known
from thumbwise.models.compared import Compared
from thumbwise.models.inputs import read_for_fit
from thumbwise.models.majority_vote import share_totals, vote_shares
from thumbwise.models.saved.fields import BY_CLASS, BY_RULE, RATES, Array, Field, Whole, WholeOrNone, fields
from thumbwise.numerics.conditional_coins import ConditionalVotes, VotedCells
from thumbwise.numerics.confusion_tables import ConfusionVotes
from thumbwise.numerics.expectation_maximisation import ascend
from thumbwise.numerics.one_coin import OneCoinVotes
from thumbwise.numerics.patterns import Patterns
from thumbwise.numerics.vote_rates import KINDS, Kind, one_coin_weights, pseudo_counts
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.labels import code_labels, label_counts
from thumbwise.votes.votes import Votes

# A class with this share of the votes, on at least that many items, that is left with a hundredth of it has been lost.
_LOST_SHARE, _LOST_ITEMS = 0.05, 10
# Iterations unless something else is asked for, and what all of them may go over, which takes some seconds.
_MOST_ITER, _FEWEST_ITER, _MOST_WORK = 10_000, 500, 2e9

Evidence: TypeAlias = OneCoinVotes | ConditionalVotes | ConfusionVotes


class DawidSkene(LabelModel):
    """Rules that err independently of each other given the class (Dawid and Skene 1979).

    On an item of class c rule j votes v with probability ``rates[j, v, c]``; an abstention says nothing. The kinds:

    - ``"one_coin"``: right with one probability b_j, otherwise any other class alike;
    - ``"class_conditional"``: right with probability b_j,c, which depends on the class;
    - ``"full"``: a whole confusion matrix. With two classes this is the kind above.

    Rates and class frequencies w maximise the likelihood of the votes, or with prior counts the posterior, found by
    expectation maximisation from the majority vote. The prediction is the softmax over c of log w_c plus the sum over
    votes of log rates[j, v, c]. For one coin this is the family of :class:`BalsubramaniFreund`, with the weights
    log(b_j (k - 1) / (1 - b_j)) and log w_c.

    Assumes conditional independence, which copies of a rule break. The likelihood has several maxima, and one-sided
    rules can lead to one where a class is lost; a :class:`DegenerateFitWarning` says so. *Guarantee*: none.

    Parameters
    ----------
    kind : {"one_coin", "class_conditional", "full"}
    prior_right, prior_wrong : float
        Dirichlet prior: as if each rule had already been right and wrong so often on items of each class.
    prior_class : float
        As if each class had already been seen on so many items.
    accelerate : bool
        Whether to extrapolate (SQUAREM): fewer iterations to a fixed point of the same algorithm, with the objective
        never decreasing, but where there are several, perhaps to another one.
    tol : float
        Stop when one iteration changes the class frequencies, and the rates, by less than this in sum.
    max_iter : int, optional
        By default 10,000, or fewer where these would go over more than 2 x 10^9 votes and classes of patterns, but no
        fewer than 500. Votes that say nothing of the classes let the likelihood rise for ever more slowly; a
        :class:`ConvergenceWarning` says how far it got.

    Attributes
    ----------
    rates_ : ndarray of shape (n_rules, n_classes, n_classes)
        By rule, class voted for, true class. 1 / n_classes where there is nothing to learn from.
    class_frequencies_ : ndarray of shape (n_classes,)
    accuracies_ : ndarray of shape (n_rules,)
        Expected share of right votes, given the class frequencies: the parameters themselves for one coin.
    weights_ : ndarray of shape (n_rules + n_classes,)
        Log-odds per vote, rules first, then classes; one coin only.
    objective_path_ : ndarray of shape (n_iter_,)
        Log likelihood of the votes, plus the log of the prior, at each iteration; never decreases.
    n_iter_ : int

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = [[0, 0, 1], [0, 0, 0], [1, 1, 0], [1, 1, 1], [0, 0, 0]]
    >>> tw.DawidSkene().fit(votes).predict(votes)
    array([0, 0, 1, 1, 0])

    Labels that are known stay what they are:

    >>> tw.DawidSkene(kind="full", prior_right=2, prior_wrong=1).fit(votes, [0, 0, 1, -1, -1]).accuracies_.round(2)
    array([0.81, 0.81, 0.63])
    """

    weights_: FloatArray
    _learned = fields(
        n_iter_=Whole(),
        class_frequencies_=BY_CLASS,
        accuracies_=BY_RULE,
        weights_=Array(("rules and classes",)),
        rates_=RATES,
        objective_path_=Array(("n_iter_",), special=True),
    )
    _parameter_fields = fields(max_iter=WholeOrNone())
    _compared = (
        Compared("Dawid-Skene", by_default=True),
        Compared("Dawid-Skene (class-conditional)", {"kind": "class_conditional"}),
        Compared("Dawid-Skene (full)", {"kind": "full"}),
    )

    def __init__(
        self,
        *,
        kind: Kind = "one_coin",
        prior_right: float = 0.0,
        prior_wrong: float = 0.0,
        prior_class: float = 0.0,
        accelerate: bool = False,
        tol: float = 1e-5,
        max_iter: int | None = None,
    ) -> None:
        self.kind = kind
        self.prior_right = prior_right
        self.prior_wrong = prior_wrong
        self.prior_class = prior_class
        self.accelerate = accelerate
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, votes: Any, y: Any = None) -> DawidSkene:
        """Estimate rates and class frequencies.

        Parameters
        ----------
        votes : Votes, array-like or frame
        y : array-like of shape (n_items,), optional
            Classes of items where known, -1 or missing elsewhere. Known ones are not estimated, and where votes have
            ids those items keep them in every prediction.
        """
        self._check()
        votes, y = read_for_fit(votes, y)
        labels = None if y is None else code_labels(y, votes.class_names, votes.n_items)
        evidence, start = _evidence(votes, labels, self)
        vectors = evidence.vectors
        ascent = ascend(
            start,
            evidence.step,
            distance=vectors.distance,
            normalise=vectors.normalise,
            size=vectors.size,
            tol=self.tol,
            max_iter=_most_iterations(votes.patterns, self.kind) if self.max_iter is None else self.max_iter,
            accelerate=self.accelerate,
        )
        if ascent.change >= self.tol:
            warnings.warn(
                Message(
                    f"Dawid-Skene still changes by {ascent.change:.1e}",
                    InPython(f" (tol={self.tol:.1e})"),
                    f" after {len(ascent.path)} iterations.",
                ),
                ConvergenceWarning,
                stacklevel=2,
            )
        self.rates_, self.class_frequencies_ = vectors.split(ascent.parameters)
        self.accuracies_ = np.einsum("jcc,c->j", self.rates_, self.class_frequencies_)
        if self.kind == "one_coin":
            self.accuracies_ = self.rates_[:, 0, 0].copy()
            self.weights_ = one_coin_weights(self.accuracies_, self.class_frequencies_)
        self.objective_path_ = ascent.path
        self.n_iter_ = len(ascent.path)
        self._remember(votes, None if labels is None else find_known(votes, labels))
        self._warn_of_lost_classes(votes)
        return self

    def _check(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(map(repr, KINDS))}; found {self.kind!r}.")
        for name in ("prior_right", "prior_wrong", "prior_class"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} must be a count of at least 0; found {getattr(self, name)!r}.")

    def _warn_of_lost_classes(self, votes: CountedVotes) -> None:
        votes_for = (votes.patterns.indicators.T @ votes.patterns.counts).reshape(-1, votes.n_classes).sum(axis=0)
        shares = votes_for / max(1, votes_for.sum())
        mattered = (shares >= _LOST_SHARE) & (shares * votes.n_items >= _LOST_ITEMS)
        lost = np.flatnonzero(mattered & (self.class_frequencies_ < shares / 100))
        if len(lost):
            c = lost[0]
            warnings.warn(
                Message(
                    f"class {votes.class_names[c]!r} gets {shares[c]:.0%} of the votes and is left with a frequency of "
                    f"{self.class_frequencies_[c]:.1e} ({len(lost)} such classes): the likelihood has a maximum at "
                    "which rules that vote for it err always.",
                    InPython(" Give known labels (y), or prior_right and prior_wrong."),
                ),
                DegenerateFitWarning,
                stacklevel=3,
            )

    def additive_terms(self) -> AdditiveTerms:
        """Logarithms of the rates and of the class frequencies."""
        return AdditiveTerms.of_rates(self.rates_, self.class_frequencies_)

    def _fields(self) -> Mapping[str, Field]:
        """One coin has weights, the other kinds have none."""
        return {name: field for name, field in self._learned.items() if name != "weights_" or self.kind == "one_coin"}


def _most_iterations(patterns: Patterns, kind: Kind) -> int:
    """From sizes alone: an iteration goes over the votes, for one coin once and else for each class, and over cells."""
    n_votes, n_cells = len(patterns.rules), patterns.n_patterns * patterns.n_classes
    work = 2 * n_votes + min(n_cells, n_votes) if kind == "one_coin" else n_votes * patterns.n_classes + n_cells
    return int(np.clip(_MOST_WORK / max(1, work), _FEWEST_ITER, _MOST_ITER))


def _evidence(votes: Votes, labels: IntArray | None, model: DawidSkene) -> tuple[Evidence, FloatArray]:
    """What the parameters are estimated from, and where the estimates begin: at the shares of votes."""
    if model.kind == "one_coin":
        return _one_coin(votes, labels, model)
    if model.kind == "class_conditional":
        voted = VotedCells.of(votes.patterns)
        if voted.are_few:
            return _coins_by_class(voted, votes, labels, model)
    return _any_kind(votes, labels, model)


def _one_coin(votes: Votes, labels: IntArray | None, model: DawidSkene) -> tuple[OneCoinVotes, FloatArray]:
    """One coin a rule."""
    patterns, standard = votes.patterns, build_moments(STANDARD, votes)
    unlabeled, labeled = patterns.counts.astype(float), np.zeros(len(standard))
    if labels is not None:
        counts = label_counts(votes, labels)
        unlabeled, labeled = unlabeled - counts.sum(axis=1), standard.totals(counts)
    priors = float(model.prior_right), float(model.prior_wrong), float(model.prior_class)
    n_votes = patterns.votes_per_rule.astype(float)
    coins = OneCoinVotes(standard.features, unlabeled, labeled, n_votes, patterns.n_classes, *priors)
    return coins, coins.maximise(share_totals(patterns, unlabeled))


def _coins_by_class(
    voted: VotedCells, votes: Votes, labels: IntArray | None, model: DawidSkene
) -> tuple[ConditionalVotes, FloatArray]:
    """A coin for each rule and class."""
    patterns = votes.patterns
    unlabeled, said, by_class = _known(votes, labels, model)
    coins = ConditionalVotes(voted, unlabeled, np.einsum("jcc->jc", said), said.sum(axis=1), by_class)
    n_alike = np.bincount(voted.place, minlength=len(voted.cells))
    return coins, coins.start(n_alike / patterns.votes_per_pattern[voted.cells // patterns.n_classes])


def _any_kind(votes: Votes, labels: IntArray | None, model: DawidSkene) -> tuple[ConfusionVotes, FloatArray]:
    """Whole tables of rates, of any kind."""
    confusions = ConfusionVotes(votes.patterns, *_known(votes, labels, model), model.kind)
    return confusions, confusions.start(vote_shares(votes.patterns))


def _known(votes: Votes, labels: IntArray | None, model: DawidSkene) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Unlabeled items of each pattern; votes by rule, vote and class, and items by class, as labeled and a priori."""
    patterns, unlabeled = votes.patterns, votes.patterns.counts.astype(float)
    said = pseudo_counts(patterns.n_rules, patterns.n_classes, model.prior_right, model.prior_wrong)
    by_class = np.full(patterns.n_classes, float(model.prior_class))
    if labels is not None:
        labeled = label_counts(votes, labels).astype(float)
        unlabeled -= labeled.sum(axis=1)
        said += (patterns.indicators.T @ labeled).reshape(said.shape)
        by_class += labeled.sum(axis=0)
    return unlabeled, said, by_class

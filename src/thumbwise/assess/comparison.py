"""Methods side by side on gold, each judged on labels that it has not seen, and which differences are real."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.stats import binomtest

from thumbwise._typing import FloatArray, IntArray
from thumbwise.assess.baselines import REFERENCE, MethodChoice, choose_methods, log_losses
from thumbwise.assess.cross_fitting import N_FOLDS, Run, cross_fit
from thumbwise.assess.redundancy import Duplicate, ErrorPair, correlate_errors, effective_number, find_duplicates
from thumbwise.assess.scale_scores import ScaleScore, score_on_scale
from thumbwise.box.box import Box
from thumbwise.box.gold import Design, GoldIs
from thumbwise.box.moments.linear import find_accuracies
from thumbwise.box.opened_gold import open_plain_gold
from thumbwise.exceptions import Message
from thumbwise.metrics import first_best
from thumbwise.models.compared import name_labels
from thumbwise.numerics.resampling import bootstrap_means, holm, sign_flip_test
from thumbwise.outward import level
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.inputs import in_memory

_SHOWN_PAIRS = 5


@dataclass(frozen=True)
class Score:
    """How one method does on gold.

    Attributes
    ----------
    method : str
    log_loss, brier, accuracy : float
    log_loss_interval : tuple of float
        Percentile bootstrap over gold items: approximate.
    accuracy_interval : tuple of float
        Clopper-Pearson: exact for a method that does not use gold, approximate for one that is fitted anew per fold.
    uses_gold : bool
    seconds : float
        Of one fit to the pool and its predictions, the mean over folds; counting patterns is not in it. A search begins
        where that of the fold before ended, and what votes alone say is found once: a fit by itself takes longer.
    scale : ScaleScore or None
        How far its labels are from gold, if classes are ordered.
    """

    method: str
    log_loss: float
    log_loss_interval: tuple[float, float]
    accuracy: float
    accuracy_interval: tuple[float, float]
    brier: float
    uses_gold: bool
    seconds: float = field(compare=False)
    scale: ScaleScore | None = None


@dataclass(frozen=True)
class Difference:
    """Log loss of a method minus that of Balsubramani-Freund, on the same gold items.

    Attributes
    ----------
    method : str
    mean : float
        Above 0: Balsubramani-Freund is better.
    interval : tuple of float
        Percentile bootstrap of the paired differences, at the confidence level, for this difference alone.
    p_value : float
        Two-sided paired sign-flip test with random flips, after Holm's correction for the number of methods.
    is_real : bool
        Whether ``p_value`` is at most one minus the confidence level.
    """

    method: str
    mean: float
    interval: tuple[float, float]
    p_value: float
    is_real: bool


@dataclass(frozen=True)
class Comparison:
    """Methods side by side.

    Attributes
    ----------
    scores : tuple of Score
        Lowest log loss first.
    differences : tuple of Difference
        Against Balsubramani-Freund, in the order of ``scores``.
    below_chance : tuple of str
        Rules whose whole interval lies below 1 / n_classes.
    error_pairs : tuple of ErrorPair
        Pairs of rules with the phi coefficient of their errors on gold, largest first.
    effective_rules : float
        How many rules with uncorrelated errors they amount to; see :mod:`thumbwise.assess.redundancy`.
    duplicates : tuple of Duplicate
        Rules that say nearly the same on the pool.
    remarks : tuple of str
        What methods said while they were fitted, and which could not be.
    n_gold, n_rules, n_folds : int
    confidence_level : float
    held_out : ndarray of shape (n_gold, n_classes)
        Probabilities of Balsubramani-Freund for the gold items, each from a fit that has not seen its label.
    """

    scores: tuple[Score, ...]
    differences: tuple[Difference, ...]
    below_chance: tuple[str, ...]
    error_pairs: tuple[ErrorPair, ...]
    effective_rules: float
    duplicates: tuple[Duplicate, ...]
    remarks: tuple[str, ...]
    n_gold: int
    n_rules: int
    n_folds: int
    confidence_level: float
    held_out: FloatArray = field(repr=False, compare=False)

    @property
    def verdict(self) -> str:
        """Which differences are real, in plain sentences."""
        best = self.scores[0]
        real = [d for d in self.differences if d.is_real]
        groups = [
            ("is better than", [d.method for d in real if d.mean > 0]),
            ("is worse than", [d.method for d in real if d.mean < 0]),
            ("cannot be told apart from", [d.method for d in self.differences if not d.is_real]),
        ]
        standing = "; it ".join(f"{verb} {_listed(names)}" for verb, names in groups if names)
        test = f"paired sign-flip test, Holm-corrected, {level(self.confidence_level)} confidence"
        return (
            f"Lowest log loss on {self.n_gold:,} gold items: {best.method} ({best.log_loss:.3f}). "
            f"{REFERENCE.name} {standing} ({test})."
        )

    @property
    def warnings(self) -> list[str]:
        """What is odd about the rules and the fits, one sentence each."""
        sentences = [f"{name!r} is worse than chance: its whole interval lies below it." for name in self.below_chance]
        for pair in self.duplicates[:_SHOWN_PAIRS]:
            what = "are identical" if pair.is_identical else f"give the same vote on {100 * pair.same:.1f} % of items"
            sentences.append(f"{pair.first!r} and {pair.second!r} {what}.")
        if len(self.duplicates) > _SHOWN_PAIRS:
            sentences.append(f"{len(self.duplicates) - _SHOWN_PAIRS} more pairs of near-duplicates.")
        return [*sentences, *self.remarks]

    def frame(self) -> dict[str, list[Any]]:
        """Scores, one entry per method in each column, and the difference of each with its p-value."""
        difference = {d.method: d for d in self.differences}
        return {
            "method": [s.method for s in self.scores],
            "log_loss": [s.log_loss for s in self.scores],
            "log_loss_lower": [s.log_loss_interval[0] for s in self.scores],
            "log_loss_upper": [s.log_loss_interval[1] for s in self.scores],
            "accuracy": [s.accuracy for s in self.scores],
            "accuracy_lower": [s.accuracy_interval[0] for s in self.scores],
            "accuracy_upper": [s.accuracy_interval[1] for s in self.scores],
            "brier": [s.brier for s in self.scores],
            "seconds": [s.seconds for s in self.scores],
            "difference": [difference[s.method].mean if s.method in difference else 0.0 for s in self.scores],
            "p_value": [difference[s.method].p_value if s.method in difference else 1.0 for s in self.scores],
            **self._on_scale(),
        }

    def _on_scale(self) -> dict[str, list[Any]]:
        """How far labels are off, if classes are ordered."""
        found = [s.scale for s in self.scores if s.scale is not None]
        if not found:
            return {}
        return {
            "mean_absolute_error": [one.mean_absolute_error for one in found],
            "mean_absolute_error_lower": [one.mean_absolute_error_interval[0] for one in found],
            "mean_absolute_error_upper": [one.mean_absolute_error_interval[1] for one in found],
            "quadratic_kappa": [one.quadratic_kappa for one in found],
            "quadratic_kappa_lower": [one.quadratic_kappa_interval[0] for one in found],
            "quadratic_kappa_upper": [one.quadratic_kappa_interval[1] for one in found],
            "absolute_error_difference": [one.difference for one in found],
        }

    def __str__(self) -> str:
        amount = f"The {self.n_rules} rules amount to {self.effective_rules:.1f} rules with uncorrelated errors."
        after = (part for sentence in (amount, *self.warnings) for part in (" ", sentence))
        return Message(self.verdict, *after)


def compare(
    gold_votes: Any,
    gold_labels: Any = None,
    *,
    pool: Any = None,
    confidence_level: float = 0.95,
    gold_is: GoldIs | Design | None = None,
    methods: MethodChoice = "default",
    n_folds: int = N_FOLDS,
    random_state: int = 0,
) -> Comparison:
    """Judge methods on gold items, each on labels that it has not seen, and say which differences are real.

    Gold is cut into folds; a method that uses gold is fitted on the others, so its score is that of a fit with a
    fraction ``1 - 1 / n_folds`` of the labels. Probabilities are clipped to 0.001 .. 0.999 and rescaled before the log
    loss. Equally probable classes count as the first of them. Of ordered classes it is also said how far the most
    probable ones are off.

    Methods, folds and tests are settled before gold labels are seen, but for the share of each class in a fold, which
    is made as equal as can be. The order of ``scores``, and so which method is called best, comes after: on average
    the lowest loss of several is lower than the loss of the same method on new gold.

    *Guarantee*: none, these are estimates from gold. Tests are approximate: sign flips are drawn at random, fits of
    different folds share items, and exchangeable signs are assumed where two methods are equally good.

    Parameters
    ----------
    gold_votes, gold_labels, pool, confidence_level, gold_is
        As for :meth:`Box.from_gold`: also a :class:`Gold` or a :class:`Reading` in place of votes and labels.
    methods : "default", "all" or sequence of names or Methods
        Balsubramani-Freund, against which differences are taken, is always among them. A method whose package is not
        installed, or that takes too long for votes of this size, is left out, and ``remarks`` says so.
    n_folds : int
        At most one for each gold item.
    random_state : int
        For folds, bootstrap and sign flips.

    Returns
    -------
    Comparison
        Scores with their intervals, differences with their tests, and what is odd about the rules.

    Examples
    --------
    >>> import thumbwise as tw
    >>> demo = tw.datasets.load_tumours()
    >>> gold = demo.votes.take(demo.gold)
    >>> comparison = tw.compare(gold, demo.labels[demo.gold], pool=demo.votes, gold_is="subset")
    >>> [difference.method for difference in comparison.differences if difference.is_real]
    ['Stack', 'class frequencies']
    >>> comparison.below_chance, comparison.n_gold, comparison.held_out.shape
    ((), 100, (100, 2))
    """
    sample = open_plain_gold(gold_votes, gold_labels, pool, gold_is)
    pool, labels = in_memory(sample.pool, "a comparison"), sample.labels
    rng = np.random.default_rng(random_state)
    runs, remarks, n_folds = cross_fit(sample, choose_methods(methods), n_folds, rng, confidence_level)
    losses = {run.method.name: log_losses(labels, run.proba) for run in runs}
    intervals = bootstrap_means(np.column_stack([*losses.values()]), rng, confidence_level)
    scores = [_score(run, labels, interval, confidence_level) for run, interval in zip(runs, intervals, strict=True)]
    if pool.is_ordered:
        proba = {run.method.name: run.proba for run in runs}
        scale = score_on_scale(proba, REFERENCE.name, labels, pool.class_names, confidence_level, random_state)
        scores = [replace(score, scale=scale[score.method]) for score in scores]
    scores.sort(key=lambda score: score.log_loss)
    others = {s.method: losses[s.method] - losses[REFERENCE.name] for s in scores if s.method != REFERENCE.name}
    errors = correlate_errors(sample.votes, name_labels(labels, pool))
    box = Box.from_sample(sample, confidence_level=confidence_level, n_permutations=0)
    return Comparison(
        scores=tuple(scores),
        differences=_differences(others, rng, confidence_level),
        below_chance=tuple(_below_chance(box, pool)),
        error_pairs=tuple(errors.pairs()),
        effective_rules=effective_number(errors),
        duplicates=tuple(find_duplicates(pool)),
        remarks=tuple(remarks),
        n_gold=len(labels),
        n_rules=pool.n_rules,
        n_folds=n_folds,
        confidence_level=confidence_level,
        held_out=next(run.proba for run in runs if run.method.name == REFERENCE.name),
    )


def _below_chance(box: Box, pool: CountedVotes) -> list[str]:
    """Rules whose whole interval lies below the accuracy of guessing."""
    highest = box.upper[find_accuracies(box.about, pool.rule_names)]
    return [rule for rule, upper in zip(pool.rule_names, highest, strict=True) if upper < 1 / pool.n_classes]


def _score(run: Run, labels: IntArray, interval: tuple[float, float], level: float) -> Score:
    n_right = int(np.sum(first_best(run.proba) == labels))
    exact = binomtest(n_right, len(labels)).proportion_ci(level, method="exact")
    truth = np.eye(run.proba.shape[1])[labels]
    return Score(
        method=run.method.name,
        log_loss=float(log_losses(labels, run.proba).mean()),
        log_loss_interval=interval,
        accuracy=n_right / len(labels),
        accuracy_interval=(float(exact.low), float(exact.high)),
        brier=float(((run.proba - truth) ** 2).sum(axis=1).mean()),
        uses_gold=run.method.uses_gold,
        seconds=run.seconds,
    )


def _differences(paired: dict[str, FloatArray], rng: np.random.Generator, level: float) -> tuple[Difference, ...]:
    if not paired:
        return ()
    columns = np.column_stack([*paired.values()])
    intervals = bootstrap_means(columns, rng, level)
    p_values = holm(sign_flip_test(columns, rng)).tolist()
    return tuple(
        Difference(name, float(differences.mean()), interval, p, p <= 1 - level)
        for (name, differences), interval, p in zip(paired.items(), intervals, p_values, strict=True)
    )


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

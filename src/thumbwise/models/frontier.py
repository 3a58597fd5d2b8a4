"""The frontier of caution: what each caution proves, and what it is expected to lose, down to a regression on gold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.box.box import Box
from thumbwise.box.evidence import Evidence
from thumbwise.box.gold import GoldSample
from thumbwise.box.moments.linear import FREQUENCY, LEARNED
from thumbwise.box.opinions.choosing import LEAST_GOLD
from thumbwise.box.opinions.learned import LearnedOpinion
from thumbwise.exceptions import Argument, InvalidBoxError, InvalidChoiceError, InvalidVotesError
from thumbwise.game.caution import CAUTIONS, Aim, CautiousFit, Search, fit_cautiously, highest_bound
from thumbwise.game.pinning import pose_known_problem, pose_problem
from thumbwise.models.base import best_classes
from thumbwise.models.compared import name_labels
from thumbwise.models.fitted_game import Fitted, bound_mean, pose_fitted
from thumbwise.models.stack import Stack
from thumbwise.numerics.feasibility import find_widening, widen
from thumbwise.numerics.maxent import Problem, probabilities
from thumbwise.numerics.one_thread import one_thread
from thumbwise.outward import at_most
from thumbwise.summaries import Shown, ShowsItself
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.votes import Votes

# Where the frontier is looked at: twenty points, those of "auto" among them.
GRID = tuple(round(1 - i / 20, 2) for i in range(20))
# Fits to part of gold are for estimates only.
_OF_FOLDS = Search(1e-6, 200)
_LEAST_PROBABILITY = 1e-15
_FEWEST_PER_FOLD = 2


@dataclass(frozen=True, eq=False)
class Frontier(ShowsItself):
    """What each caution proves, and what it is expected to lose; last, the regression :class:`Stack`, which is boldest.

    *Guarantee*: if the box holds the true moments, every row's bound holds for its own predictions, all at once; a row
    may be chosen after looking. Log losses and accuracies are estimates: means over gold items, each predicted by fits
    to the gold of the other folds. Folds are drawn by a seed that knows numbers of items only.

    Attributes
    ----------
    cautions : tuple of float or None
        From 1 downward; None for the regression.
    bounds : tuple of float
        On the mean log loss over the items whose label is not known.
    log_losses, accuracies : tuple of float
        Estimated on gold.
    caution : float
        That of the model.
    auto : float
        That which "auto" takes.
    n_gold, n_folds : int
    evidence : Evidence
        Where the intervals come from.
    """

    cautions: tuple[float | None, ...]
    bounds: tuple[float, ...]
    log_losses: tuple[float, ...]
    accuracies: tuple[float, ...]
    caution: float
    auto: float
    n_gold: int
    n_folds: int
    evidence: Evidence

    def frame(self) -> dict[str, list[object]]:
        """Columns by name, as pandas and polars take them: ``is_chosen`` marks the model's caution."""
        return {
            "caution": list(self.cautions),
            "bound": list(self.bounds),
            "log_loss": list(self.log_losses),
            "accuracy": list(self.accuracies),
            "is_chosen": [caution == self.caution for caution in self.cautions],
        }

    def _shown(self) -> Shown:
        rows = [
            (name, at_most(bound), f"{loss:.3f}", f"{accuracy:.3f}")
            for name, bound, loss, accuracy in zip(
                map(self._name, self.cautions), self.bounds, self.log_losses, self.accuracies, strict=True
            )
        ]
        return Shown(
            f"Log loss that is proved, and that is expected, by caution ({self.n_gold:,} gold labels, "
            f"{self.n_folds} folds)",
            ("caution", "bound", "log loss", "accuracy"),
            tuple(rows),
            (self.evidence.state("every bound holds for its own row"),),
        )

    def _name(self, caution: float | None) -> str:
        return "regression" if caution is None else f"{caution:.2f}{' *' if caution == self.caution else ''}"

    def __str__(self) -> str:
        shown = self._shown()
        lines = [shown.headers, *shown.rows]
        body = [f"{row[0]:<10}" + "".join(f"{cell:>10}" for cell in row[1:]) for row in lines]
        mark = f'* the model\'s; "auto" takes {self.auto:.2f}'
        return "\n".join([shown.title, *body, mark, *shown.remarks])


def why_no_frontier(model: Fitted, n_folds: int = 5) -> str | None:
    """What is missing for a frontier, as the end of "a frontier needs ...", if something is."""
    box = model.box_
    if box.gold is None:
        return "the gold labels that the box was made of; this box has none at hand, as one that was read or written"
    if not box.gold.design.is_plain or not box.evidence.is_implied:
        return "exact joint intervals from gold that is a plain random sample"
    if any(moment.kind == LEARNED for moment in box.about) and not _learned(box):
        return "a learned opinion on votes alone; this one uses features or scores of the items"
    if len(box.gold) < _FEWEST_PER_FOLD * n_folds:
        return f"at least {_FEWEST_PER_FOLD * n_folds} gold labels for {n_folds} folds; there are {len(box.gold)}"
    if model.certificate_.n_open == 0:
        return "items without a gold label"
    return None


@one_thread()
def draw_frontier(model: Fitted, votes: CountedVotes, n_folds: int = 5) -> Frontier:
    """Fits at every caution, each from the weights of the one before, to all gold and to that of all folds but one."""
    sample = _check(model, votes, n_folds)
    own = model.certificate_.caution
    cautions = sorted({*GRID, own}, reverse=True)
    problem = pose_fitted(model, votes)
    aim = Aim.of(model.box_, votes, problem)
    fits = _walk(problem, aim, cautions, Search(model.tol, model.max_iter))
    losses, is_right = _cross_fit(model, votes, sample, cautions, n_folds)
    regression = -np.log(np.maximum(_fit_regression(sample)._predict_patterns(votes), _LEAST_PROBABILITY))
    return Frontier(
        cautions=(*cautions, None),
        bounds=(*(max(0.0, fit.bound) for fit in fits), bound_mean(regression, problem, model.certificate_.n_open)),
        log_losses=tuple(losses.mean(axis=1).tolist()),
        accuracies=tuple(is_right.mean(axis=1).tolist()),
        caution=own,
        auto=_auto(aim, cautions, fits, model.certificate_.baseline),
        n_gold=len(sample),
        n_folds=n_folds,
        evidence=model.certificate_.evidence,
    )


def _check(model: Fitted, votes: CountedVotes, n_folds: int) -> GoldSample:
    """Gold, if there is all that a frontier needs."""
    if model.box_.evidence.pool not in (None, votes.fingerprint):
        raise InvalidVotesError(
            "a frontier is of the votes that the model was fitted to; these are others. Pass the votes of the fit."
        )
    if n_folds < 2:
        raise InvalidChoiceError(Argument("n_folds"), f" must be at least 2; found {n_folds}.")
    missing = why_no_frontier(model, n_folds)
    if missing is not None or model.box_.gold is None:
        raise InvalidBoxError(f"a frontier needs {missing}. Fit with y, or with a box that Box.from_gold makes.")
    return model.box_.gold


def _walk(problem: Problem, aim: Aim | None, cautions: Sequence[float], search: Search) -> list[CautiousFit]:
    """A fit for each caution; the first is the game itself."""
    fits: list[CautiousFit] = []
    weights = None
    for caution in cautions:
        fits.append(fit_cautiously(problem, aim, caution, weights, search))
        weights = fits[-1].weights
    return fits


def _auto(aim: Aim | None, cautions: Sequence[float], fits: Sequence[CautiousFit], baseline: float) -> float:
    """The smallest caution of those that "auto" looks at whose bound is close to the best."""
    limit = highest_bound(aim, fits[0].bound, baseline)
    bounds = dict(zip(cautions, (fit.bound for fit in fits), strict=True))
    return min(caution for caution in CAUTIONS if caution == 1 or bounds[caution] <= limit)


def _cross_fit(
    model: Fitted, votes: CountedVotes, sample: GoldSample, cautions: Sequence[float], n_folds: int
) -> tuple[FloatArray, AnyArray]:
    """Log loss, and whether the label is right, of each row of the frontier on each gold item."""
    folds = _draw_folds(sample, n_folds)
    losses = np.empty((len(cautions) + 1, len(sample)))
    is_right = np.empty(losses.shape, dtype=bool)
    for fold in range(n_folds):
        held = folds == fold
        part = _part(sample, ~held)
        box = _box_of_part(model.box_, part)
        there = sample.votes.take(held)
        regression = _fit_regression(part)._predict_patterns(there)
        proba = [*_predict_held(model, votes, box, cautions, there), regression]
        losses[:, held], is_right[:, held] = _judge(proba, there, sample.labels[held])
    return losses, is_right


def _draw_folds(sample: GoldSample, n_folds: int) -> IntArray:
    """A fold for each gold item, of equal sizes, by ids or rows and a seed that knows sizes only."""
    rng = np.random.default_rng([len(sample), sample.pool.n_items, n_folds])
    folds = np.empty(len(sample), dtype=np.int64)
    folds[sample.in_order] = rng.permutation(np.arange(len(sample)) % n_folds)
    return folds


def _part(sample: GoldSample, chosen: AnyArray) -> GoldSample:
    return replace(
        sample, votes=sample.votes.take(chosen), labels=sample.labels[chosen], design=sample.design.take(chosen)
    )


def _box_of_part(box: Box, part: GoldSample) -> Box:
    """The same moments from part of gold; what the box leaves open stays open."""
    learns = _learned(box) and len(part) >= LEAST_GOLD
    frequencies = None
    if part.skips_classes:
        places = [m for m, moment in enumerate(box.about) if moment.kind == FREQUENCY]
        frequencies = {box.about[m].class_name: (float(box.lower[m]), float(box.upper[m])) for m in places}
    less = Box.from_sample(
        part,
        confidence_level=box.evidence.confidence_level or 0.95,
        moments=part.builders,  # the opinions among them, which no label had a part in
        opinions=("learned",) if learns else (),
        class_frequencies=frequencies,
        n_permutations=0,
    )
    is_open = dict(zip(box.names, (box.lower <= box.least) & (box.upper >= box.most), strict=True))
    opened = np.array([is_open[name] for name in less.names])
    return replace(less, lower=np.where(opened, less.least, less.lower), upper=np.where(opened, less.most, less.upper))


def _learned(box: Box) -> bool:
    return any(isinstance(builder, LearnedOpinion) for builder in box.builders)


def _predict_held(
    model: Fitted, votes: CountedVotes, box: Box, cautions: Sequence[float], there: Votes
) -> list[FloatArray]:
    """Probabilities of the patterns of some gold items at each caution, by fits that have not seen their labels."""
    known = box.certain(with_gold=model.pin_gold)
    problem = pose_problem(votes, box) if known is None else pose_known_problem(votes, box, known)
    fits = _walk(problem, None, cautions[:1], _OF_FOLDS)
    if fits[0].solution.is_infeasible:
        problem = widen(problem, find_widening(problem))
    fits = _walk(problem, Aim.of(box, votes, problem), cautions, _OF_FOLDS)
    features = box.moments(there).features
    return [probabilities(fit.weights, features, there.n_classes) for fit in fits]


def _judge(proba: Sequence[FloatArray], there: Votes, labels: IntArray) -> tuple[FloatArray, AnyArray]:
    """Log losses, and which labels are right, shape (n_rows, n_items) each."""
    place, items = there.inverse, np.arange(there.n_items)
    given = np.array([table[place][items, labels] for table in proba])
    best = np.array([best_classes(table, there.patterns)[place] for table in proba])
    return -np.log(np.maximum(given, _LEAST_PROBABILITY)), best == labels


def _fit_regression(sample: GoldSample) -> Stack:
    names = name_labels(sample.labels, sample.votes)
    return Stack().fit(sample.pool, gold_votes=sample.votes, gold_labels=names)

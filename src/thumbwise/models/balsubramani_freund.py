"""The Balsubramani-Freund game under log loss: the prediction that is best against the worst plausible labeling."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from thumbwise._typing import AnyArray, FloatArray
from thumbwise.box.box import Box
from thumbwise.box.designs.plain import Subset
from thumbwise.box.gold import GoldSample
from thumbwise.box.opinions.features import read_features
from thumbwise.box.opinions.score_levels import ScoreLevels
from thumbwise.exceptions import Argument, InPython, InvalidBoxError, InvalidChoiceError, InvalidLabelsError, Message
from thumbwise.game.caution import Aim, CautiousFit, Search, check_caution, choose_caution, fit_cautiously
from thumbwise.game.certificate import Certificate
from thumbwise.game.pinning import pose_known_problem, pose_problem, prove_without_votes
from thumbwise.game.warm_starts import match_weights
from thumbwise.models.additive_terms import AdditiveTerms
from thumbwise.models.base import LabelModel
from thumbwise.models.compared import Compared, Split
from thumbwise.models.inputs import read_for_fit
from thumbwise.models.right_labels import RightLabelsOf
from thumbwise.models.saved.fields import AutoOrShare, Setting, Whole, fields
from thumbwise.numerics.feasibility import Widening, find_widening, infeasible_error, widen
from thumbwise.numerics.maxent import Problem, probabilities
from thumbwise.outward import at_most
from thumbwise.tables.json_values import Node
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.inputs import held_votes, in_memory
from thumbwise.votes.labels import UNKNOWN, KnownLabels, code_labels
from thumbwise.votes.votes import Votes

if TYPE_CHECKING:
    from thumbwise.models.explained.explaining import Summands
    from thumbwise.models.formula import Formula
    from thumbwise.models.frontier import Frontier
    from thumbwise.models.item_intervals import ItemIntervals

# Names of the moments of an earlier fit, and their weights.
Earlier: TypeAlias = tuple[tuple[str, ...], FloatArray]


class BalsubramaniFreund(LabelModel):
    """Minimises the worst-case mean log loss over all labelings whose moments lie in a box.

    The answer is the labeling of largest entropy in the box: a softmax over the classes of the weights of the rules
    that vote for each, plus the weight of the class (An and Dasgupta, UAI 2024). Rules may err together in any way.
    With features f_m(i, c) of the moments, bounds l_m and u_m, and the share s_m of the items that moment m averages
    over, the prediction and the bound that its weights w minimise are

        g_i[c] = softmax over c of sum_m w_m f_m(i, c)
        D(w) = mean over i of log sum_c exp(sum_m w_m f_m(i, c)) - sum_m s_m min(w_m l_m, w_m u_m).

    *Guarantee*: if the box holds the true moments, the mean log loss on the fitted items whose label is not known is
    at most ``certificate_.log_loss_bound``. ``Box.from_gold`` gives such a box with a stated probability, provided that
    rules, moments and ``confidence_level`` are decided before gold labels are seen. Intervals, weights and whether the
    box is widened come after.

    Parameters
    ----------
    confidence_level : float
        For the box that ``fit`` makes from labels, if none is given.
    caution : "auto" or float in (0, 1]
        1 plays the worst case, as in the paper. Less than 1 minimises ``caution * D(w) + (1 - caution)`` times the
        mean log loss that is likely, by a regression that gold taught; the bound stays D(w), and valid. "auto" is the
        smallest caution whose bound is at most 10 % above the best (5 % with features or scores) and, if the votes
        prove more than a little, gives away at most half of that. Without gold at hand, as in a box of written
        bounds, it is 1.
    pin_gold : bool
        Whether gold items that ids show to be items of the pool keep their label: probability 1, loss 0. The others
        then are what the game is about, which tightens the bound.
    on_infeasible : {"raise", "widen"}
        What to do if no labeling satisfies the box: raise :class:`InfeasibleBoxError`, or widen all intervals by the
        smallest common factor that admits one, which forfeits the guarantee.
    tol : float
        Largest distance of a moment from its bound at which the fit counts as converged; 0.01 is one accuracy point.
    max_iter : int

    Attributes
    ----------
    weights_ : ndarray of shape (n_moments,)
        Log-odds per vote, rules first, then classes. 0 where a bound does not matter.
    certificate_ : Certificate
    box_ : Box
        As given or made; ``box_.evidence.widening`` says if it had to be widened, and then it is no guarantee.
    active_ : ndarray of shape (n_moments,)
        1 where the lower bound is active, -1 where the upper one is, 0 where neither.
    n_iter_ : int

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0, 0], [1, 1], [1, 0], [0, -1]], rule_names=["a", "b"])
    >>> box = tw.Box.from_bounds(votes, {"a": (0.75, 1), "b": (0.5, 1)})
    >>> model = tw.BalsubramaniFreund().fit(votes, box=box)
    >>> model.predict_proba(votes).round(3)
    array([[0.75, 0.25],
           [0.25, 0.75],
           [0.25, 0.75],
           [0.75, 0.25]])
    """

    _learned = fields(n_iter_=Whole())  # and the box with its weights, and the certificate
    _parameter_fields = fields(caution=AutoOrShare())
    _absent_parameters: ClassVar = {"caution": 1.0}
    _compared = (Compared("Balsubramani-Freund", {"on_infeasible": "widen", "tol": 1e-6}, by_default=True),)
    _needs_labels = True

    def __init__(
        self,
        *,
        confidence_level: float = 0.95,
        caution: float | Literal["auto"] = "auto",
        pin_gold: bool = True,
        on_infeasible: Literal["raise", "widen"] = "raise",
        tol: float = 1e-9,
        max_iter: int = 200,
    ) -> None:
        self.confidence_level = confidence_level
        self.caution = caution
        self.pin_gold = pin_gold
        self.on_infeasible = on_infeasible
        self.tol = tol
        self.max_iter = max_iter

    def fit(
        self,
        votes: Any,
        y: Any = None,
        *,
        X: Any = None,  # noqa: N803 - as scikit-learn calls it
        box: Box | None = None,
        start: BalsubramaniFreund | None = None,
        reviewed: Any = None,
    ) -> BalsubramaniFreund:
        """Find the weights for a box, or for the box that the known labels in ``y`` give.

        Parameters
        ----------
        votes : Votes, array-like or frame
            The pool: the items to be labeled.
        y : array-like of shape (n_items,), optional
            Classes of the pool's items, -1 or missing where unknown. The items with a label are taken as a random
            part of the pool: ``Box.from_gold(..., gold_is="subset")``.
        X : matrix of shape (n_items, n_features), optional
            Numbers beside the votes, such as embeddings, dense or sparse, that the learned opinion may use too;
            predictions then need them too. With a box that was made with features, those of the pool.
        box : Box, optional
            Instead of ``y``.
        start : BalsubramaniFreund, optional
            A fitted model to begin the search at, perhaps loaded from a file, perhaps this one, with fewer items, rules
            or gold labels. Weights are matched by the names of the moments. The answer is the same within ``tol``.
        reviewed : mapping of ids to classes, Series, or array-like of shape (n_items,), optional
            Classes of items that somebody looked at on purpose, -1 or missing where nobody did. They are certain and
            no random sample: these items keep their label, and no interval learns from them. The guarantee stays,
            whatever made somebody look (:meth:`Box.with_reviewed`).
        """
        if self.on_infeasible not in ("raise", "widen"):
            raise ValueError(f'on_infeasible must be "raise" or "widen"; found {self.on_infeasible!r}.')
        check_caution(self.caution)
        earlier = _read_start(start)
        votes, y = read_for_fit(votes, y, None if box is None else box.class_names)
        box = self._settle_box(votes, y, box, X)
        box = box if reviewed is None else box.with_reviewed(votes, reviewed)
        votes = votes if box.levels is None else box.levels.group(in_memory(votes), X)
        _check_pool(votes, box)
        known = box.certain(with_gold=self.pin_gold)
        problem = pose_problem(votes, box) if known is None else pose_known_problem(votes, box, known)
        baseline = prove_without_votes(votes, box, known)
        problem, fitted, widening = self._solve(problem, box, votes, earlier, baseline)
        if widening is not None:
            box = replace(box, evidence=replace(box.evidence, widening=widening))
        _warn_if_far(fitted, self.tol)
        self.box_ = box
        self.weights_ = fitted.weights
        self.active_ = np.sign(self.weights_).astype(np.int64)
        self.n_iter_ = fitted.solution.n_iter
        self._remember(votes, known)
        certificate = Certificate.from_fit(
            fitted,
            problem,
            n_items=votes.n_items,
            known=known,
            baseline=baseline,
            evidence=box.evidence,
        )
        self.certificate_ = replace(certificate, right_labels=RightLabelsOf.of(self, votes, box, widening))
        return self

    def _settle_box(self, votes: Votes, y: Any, box: Box | None, features: Any) -> Box:
        if (box is None) == (y is None):
            raise InvalidLabelsError(
                "fit needs either labels (y, with -1 where unknown) or a box, and not both; found "
                + ("neither." if box is None else "both. Drop y: the box already holds what gold says.")
            )
        if box is None:
            labels = code_labels(y, votes.class_names, votes.n_items)
            known = labels != UNKNOWN
            if not known.any():
                raise InvalidLabelsError("there must be at least one gold label; all of them are -1 or missing.")
            gold = GoldSample(votes.take(known), labels[known], votes, Subset())
            pair = None if features is None else _features_of(features, known)
            return Box.from_sample(gold, confidence_level=self.confidence_level, features=pair)
        if (features is None) != (box.levels is None or isinstance(box.levels, ScoreLevels)):
            raise InvalidBoxError(
                "a box and a fit must both have features of the items, or neither; "
                + ("X is missing." if features is None else "the box was made without them: drop X.")
            )
        return box

    def _solve(
        self, problem: Problem, box: Box, votes: CountedVotes, earlier: Earlier | None, baseline: float
    ) -> tuple[Problem, CautiousFit, Widening | None]:
        """The game that was played, in the end, the fit to it, and by how much the box was widened for it."""
        weights = None if earlier is None else match_weights(box.names, *earlier)
        search = Search(self.tol, self.max_iter)
        game, widening = fit_cautiously(problem, None, 1.0, weights, search), None
        if game.solution.is_infeasible:
            widening = find_widening(problem)
            if self.on_infeasible == "raise":
                raise infeasible_error(game.solution, box.names, widening)
            problem = widen(problem, widening)
            game = fit_cautiously(problem, None, 1.0, weights, search)
        aim = None if self.caution == 1 else Aim.of(box, votes, problem)
        if aim is None:
            return problem, game, widening
        if self.caution == "auto":
            fitted = choose_caution(problem, aim, game, baseline, search)
        else:
            fitted = fit_cautiously(problem, aim, float(self.caution), game.weights, search)
        return problem, fitted.after(game), widening

    def with_features(self, votes: Any, X: Any) -> Votes:  # noqa: N803 - as scikit-learn calls it
        """Votes that carry what features say of their items, for everything that takes votes beside this model."""
        check_is_fitted(self)
        if self.box_.levels is None:
            raise InvalidChoiceError("the model was fitted without features of the items; pass votes alone.")
        if isinstance(self.box_.levels, ScoreLevels):
            raise InvalidChoiceError("the model was fitted to scores, which the votes bring along; pass votes alone.")
        return self.box_.levels.group(in_memory(super()._read(votes)), X)

    def predict_proba(self, votes: Any, *, X: Any = None) -> FloatArray:  # noqa: N803
        """As for all models; a model that was fitted with features needs those of the items."""
        return super().predict_proba(votes if X is None else self.with_features(votes, X))

    def predict(self, votes: Any, *, X: Any = None) -> AnyArray:  # noqa: N803
        """As for all models; a model that was fitted with features needs those of the items."""
        return super().predict(votes if X is None else self.with_features(votes, X))

    def _read(self, votes: Any) -> Any:
        check_is_fitted(self)
        levels = self.box_.levels
        if isinstance(levels, ScoreLevels):
            return levels.group(super()._read(levels.read(held_votes(votes))))
        read = super()._read(votes)
        if levels is not None and read.group_names != levels.names:
            raise InvalidChoiceError(
                "the model was fitted with features of the items, and needs them here: pass X, or ",
                "model.with_features(votes, X) in place of votes.",
            )
        return read

    def frontier(self, votes: Any, *, n_folds: int = 5) -> Frontier:
        """What each caution proves on these items, and what it is expected to lose: twenty of them, and a regression.

        Parameters
        ----------
        votes : Votes, LazyVotes, array-like or frame
            Those that the model was fitted to.
        n_folds : int
            Parts of gold, each predicted by fits to the others.

        Examples
        --------
        >>> import thumbwise as tw
        >>> made = tw.datasets.make_one_coin(400, [0.9, 0.8, 0.7, 0.7, 0.6], random_state=0)
        >>> model = tw.BalsubramaniFreund().fit(made.votes, [c if i < 100 else -1 for i, c in enumerate(made.labels)])
        >>> table = model.frontier(made.votes).frame()
        >>> table["caution"][0], table["caution"][-2:]
        (1.0, [0.05, None])
        >>> table["bound"][:-1] == sorted(table["bound"][:-1])
        True
        """
        from thumbwise.models.frontier import draw_frontier  # noqa: PLC0415  # a fit does without

        return draw_frontier(self, self._read(votes), n_folds)

    def predict_interval(
        self,
        votes: Any,
        *,
        by: Literal["tier", "pattern"] = "tier",
        edges: Sequence[float] = (0.7, 0.8, 0.9, 0.95),
    ) -> ItemIntervals:
        """Between which shares items of a kind are of each class, whatever the truth is: two linear programs each.

        Parameters
        ----------
        votes : Votes, array-like or frame
            Those that the model was fitted to, in memory.
        by : {"tier", "pattern"}
            Items of one kind have the same label and a probability between two edges; or the same votes. At most 200
            kinds are looked at, the largest first, until nothing is proved of ten in a row; others have 0 and 1.
        edges : sequence of float
            Where tiers of probability begin, but for the lowest.

        Examples
        --------
        >>> import thumbwise as tw
        >>> made = tw.datasets.make_one_coin(2000, [0.95, 0.9, 0.8], random_state=1)
        >>> known = [c if i < 200 else -1 for i, c in enumerate(made.labels)]
        >>> model = tw.BalsubramaniFreund().fit(made.votes, known)
        >>> intervals = model.predict_interval(made.votes)
        >>> kind = intervals.frame()
        >>> kind["items"][0], round(kind["probability"][0], 2), round(kind["lower"][0], 2), kind["upper"][0]
        (704, 0.98, 0.83, 1.0)
        >>> alike = model.predict_interval(made.votes, by="pattern")  # fewer items of a kind: less is proved
        >>> len(alike.says_something), alike.n_kinds
        (4, 8)
        """
        from thumbwise.models.item_intervals import predict_interval  # noqa: PLC0415  # a fit does without

        return predict_interval(self, in_memory(self._read(votes)), by, edges)

    def additive_terms(self) -> AdditiveTerms:
        """Weights times features, read off an item without votes and off items with one vote each.

        The moments of the box must be sums over votes, as :func:`thumbwise.box.moments.moment_kind` marks them, and no
        opinion may have weight.
        """
        formula = self._formula()
        if formula.terms:
            raise InvalidChoiceError(
                "a sum over votes needs a box without opinions, which weigh all votes of an item together; found "
                f"{type(self).__name__} with {len(formula.terms)} of them. Explanations and SQL do without such a sum; "
                "for the sum itself, make the box with ",
                Argument("opinions", "()"),
                ".",
            )
        return formula.sums

    def _formula(self) -> Formula:
        from thumbwise.models.game_formula import formula_of  # noqa: PLC0415  # a fit does without

        return formula_of(self.box_, self.weights_, self.rule_names_, self.classes_.tolist())

    def _summands(self) -> Summands:
        """Feature times weight of each moment, whether or not these are sums over votes."""
        from thumbwise.models.explained.explaining import SumsOverMoments  # noqa: PLC0415  # a fit does without

        return SumsOverMoments(self.box_, self.weights_, self.active_, self.certificate_)

    def _gold_of_fit(self) -> KnownLabels | None:
        return self.box_.known

    def _write_learned(self) -> dict[str, Any]:
        from thumbwise.models.saved.boxes import write_box, write_certificate  # noqa: PLC0415  # a fit does without

        box = write_box(self.box_, self.weights_, self.rule_names_)
        return {**super()._write_learned(), "certificate": write_certificate(self.certificate_), "box": box}

    def _read_learned(self, node: Node, setting: Setting) -> None:
        from thumbwise.models.saved.boxes import read_box, read_certificate  # noqa: PLC0415

        n_iter, certificate, box = node.fields("n_iter_", "certificate", "box")
        self.n_iter_ = n_iter.whole()
        self.box_, self.weights_ = read_box(box, setting.votes, setting.pool.fingerprint, setting.known)
        self.active_ = np.sign(self.weights_).astype(np.int64)
        self.certificate_ = read_certificate(certificate, self.box_.evidence, setting.votes.n_classes)
        if self.certificate_.n_items != setting.pool.n_items:
            certificate.child("n_items").refuse(f"{setting.pool.n_items}, the number of items of the pool")

    def _fit_split(self, split: Split) -> BalsubramaniFreund:
        """With the box that the gold of the other folds gives."""
        box = Box.from_gold(
            split.fit_votes,
            split.fit_names,
            pool=split.pool,
            gold_is=split.gold_is,
            confidence_level=split.confidence_level,
            n_permutations=0,  # nothing is stated about this box
        )
        return self.fit(split.pool, box=box, start=split.start if isinstance(split.start, BalsubramaniFreund) else None)

    def _predict_patterns(self, votes: CountedVotes) -> FloatArray:
        features = self.box_.moments(votes).features
        return probabilities(self.weights_, features, votes.n_classes)


def _features_of(features: Any, known: AnyArray) -> tuple[Any, Any]:
    """Those of the pool, and those of the gold items in it."""
    matrix = read_features(features, len(known), "X")
    return matrix, matrix[np.flatnonzero(known)]


def _check_pool(votes: CountedVotes, box: Box) -> None:
    """Refuse a box that was made for other items."""
    if box.evidence.pool not in (None, votes.fingerprint):
        raise InvalidBoxError(
            f"the box must have been made for these items; it was made for other votes ({box.evidence.method}). "
            "Make it anew from these votes",
            InPython(
                "; to use its numbers all the same, without its guarantee, pass "
                "Box.from_bounds(votes, lower=box.lower, upper=box.upper)"
            ),
            ".",
        )


def _warn_if_far(fitted: CautiousFit, tol: float) -> None:
    """Say it where the search ended before the optimum."""
    residual = fitted.solution.kkt_residual
    if residual > tol:
        warnings.warn(
            Message(
                f"KKT residual {residual:.1e} exceeds ",
                InPython("tol="),
                f"{tol:.1e} after {fitted.solution.n_iter} iterations; the bound {at_most(fitted.bound, 4)} is still "
                "valid but may not be tight.",
            ),
            ConvergenceWarning,
            stacklevel=3,
        )


def _read_start(start: object) -> Earlier | None:
    if start is None:
        return None
    if not isinstance(start, BalsubramaniFreund):
        raise InvalidChoiceError(
            f"start must be a fitted BalsubramaniFreund; found {type(start).__name__}. Other models have no weights to "
            "begin at; fit without start."
        )
    check_is_fitted(start)
    return start.box_.names, start.weights_

"""Judges against gold: how far to trust each of them, and what they are worth together."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from thumbwise.assess.costs import check_costs, nearest
from thumbwise.assess.judging.best import find_best
from thumbwise.assess.judging.disagreements import list_disagreements
from thumbwise.assess.judging.heard import hear
from thumbwise.assess.judging.result import Judges
from thumbwise.assess.judging.scores import JudgeScore, score_judges, share_error
from thumbwise.assess.redundancy import ErrorCorrelation, correlate_errors
from thumbwise.box.designs.clusters import clusters_of
from thumbwise.box.estimates import EXACT, check_level, gold_evidence
from thumbwise.box.gold import Design, Gold, GoldIs, GoldSample
from thumbwise.box.opened_gold import check_plain, open_gold
from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidLabelsError
from thumbwise.io.readings import Reading, no_gold
from thumbwise.models.compared import name_labels
from thumbwise.numerics.agreement import nominal_alpha
from thumbwise.votes.inputs import read_items
from thumbwise.votes.labels import code_labels

# Of so many random orders is the test whether gold could be a random sample made.
_N_PERMUTATIONS = 999
_IN_CLUSTERS = (
    "True and false positive rates have no intervals here: gold was drawn in whole clusters, and a rate among the "
    "items of a class is a ratio of two sums over them."
)


def judges(
    votes: Any,
    y: Any = None,
    *,
    of: Hashable | None = None,
    gold_is: GoldIs | Design | None = None,
    confidence_level: float = 0.95,
    costs: Mapping[str, float] | None = None,
    n_shown: int = 20,
) -> Judges:
    """How far to trust each judge (a rule, a worker, an LLM), measured on gold, and what they are worth together.

    - *Agreement*: the share of a judge's votes that are right. The interval speaks of all items of the pool that it
      votes on, and is exact (hypergeometric).
    - *True and false positive rate* of a class: how often the judge says it where it is so, and where it is not, on
      items that it votes on. The interval speaks of all such items, gold included, whose number nobody knows; it is
      that of Clopper and Pearson, made to hold without replacement
      (:func:`thumbwise.numerics.intervals.rate_bounds`). What votes alone tell, such as the rate 0 of a class that the
      judge never says, is certain.
    - Of three ordered classes or more (``Votes(..., ordered=True)``): the share of a judge's votes that are *within one
      step* of the truth, with an interval as for the agreement, mean absolute error, bias and quadratic kappa.
    - The *panel* is what they say together: one-coin Dawid-Skene with even class frequencies, from votes alone.

    The allowed error is split evenly over all these intervals, by votes and numbers of items, before gold labels are
    seen: judges that expect fewer than three gold votes get no interval, and copies of a judge share one. The order of
    the judges, the best one and the list of disagreements come after.

    *Guarantee*: all intervals hold together at the confidence level, if gold is a plain random sample, of items or, if
    so declared, of whole clusters; the rates then have none. Everything else is an estimate.

    Parameters
    ----------
    votes : Reading, Votes, array-like or frame
        The pool. A :class:`Reading` brings its gold, and columns such as texts or links for the disagreements. Items
        may stay in files: only patterns and votes on gold are needed.
    y : array-like of shape (n_items,) or Gold, optional
        Without a Reading: classes of the items, -1 or missing where unknown; or votes and labels of gold items.
    of : class, optional
        The class whose rates are wanted; absent: of two classes the second, of more all.
    gold_is : {"separate", "subset"}, optional
        As for :meth:`Box.from_gold`; absent: as gold itself says.
    confidence_level : float
    costs : mapping of judge to float, optional
        What one vote costs.
    n_shown : int
        Rows that are printed at most; all are in :meth:`Judges.frame`.

    Returns
    -------
    Judges

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> made = tw.datasets.make_one_coin(1000, [0.9, 0.8, 0.7], random_state=0)
    >>> y = np.where(np.arange(1000) < 120, made.labels, -1)
    >>> judged = tw.judges(made.votes, y, costs={"rule_0": 0.02, "rule_1": 0.001})
    >>> judged
    Judges: 3 judges, 1,000 items, 120 gold labels, 68 items in dispute
    >>> best = judged.scores[0]
    >>> best.judge, best.n_right, best.interval, round(best.rates[0].false_positive.estimate, 2)
    ('rule_0', 101, (0.734, 0.918), 0.16)
    >>> judged.best_judge.judge, judged.best_judge.is_as_good, round(judged.effective_judges, 1)
    ('rule_0', True, 2.9)
    """
    check_level(confidence_level)
    if n_shown < 1:
        raise InvalidChoiceError(Argument("n_shown"), f" must be at least 1; found {n_shown}.")
    reading, sample = _open(votes, y, gold_is)
    asked = _asked_classes(of, sample.pool.class_names)
    prices = check_costs(costs or {}, sample.pool.rule_names)
    heard = hear(sample)
    share = share_error(heard, asked, sample.stopping.each(1 - confidence_level))
    scores = score_judges(heard, asked, share, prices)
    errors = correlate_errors(sample.votes, name_labels(sample.labels, sample.pool))
    alpha, n_paired = nominal_alpha(sample.pool.patterns)
    mean, effective = effective_judges(errors)
    return Judges(
        scores=_in_order(scores[: heard.n_judges]),
        panel=scores[-1] if heard.has_panel else None,
        best_judge=find_best(heard, 1 - sample.stopping.each(1 - confidence_level)),
        krippendorff_alpha=alpha,
        n_paired=n_paired,
        errors=errors,
        mean_error_correlation=mean,
        effective_judges=effective,
        disagreements=list_disagreements(heard, reading),
        class_names=tuple(sample.pool.class_names[c] for c in asked),
        evidence=gold_evidence(sample, confidence_level, EXACT, _N_PERMUTATIONS),
        n_intervals=share.n_intervals,
        n_items=sample.pool.n_items,
        n_gold=len(sample),
        n_shown=n_shown,
        remarks=() if clusters_of(sample) is None else (_IN_CLUSTERS,),
    )


def effective_judges(errors: ErrorCorrelation) -> tuple[float, float]:
    """Mean correlation of errors, and J / (1 + (J - 1) * mean), over the judges that vote on gold.

    Pairs weigh as many gold items as they share. A mean below 0 counts as 0: on few items it is chance.

    Examples
    --------
    >>> import thumbwise as tw
    >>> gold = tw.Votes([[0, 0], [1, 1], [0, 0], [1, 1]])
    >>> effective_judges(correlate_errors(gold, [0, 1, 1, 0]))
    (1.0, 1.0)
    """
    n_judges = int((errors.n_shared.diagonal() > 0).sum())
    upper = np.triu(~np.isnan(errors.values), k=1)
    if not upper.any():
        return math.nan, 1.0 if n_judges == 1 else math.nan
    mean = float(np.average(errors.values[upper], weights=errors.n_shared[upper]))
    return mean, n_judges / (1 + (n_judges - 1) * max(0.0, mean))


def _open(votes: Any, y: Any, gold_is: GoldIs | Design | None) -> tuple[Reading | None, GoldSample]:
    """Votes and gold, and the reading that tells more about gold items, if there is one."""
    if isinstance(y, Gold):
        return None, _open_gold(y, votes, gold_is)
    if isinstance(votes, Reading):
        if y is not None:
            raise InvalidLabelsError(
                "gold must come from one place; a Reading holds its own, and ",
                Argument("y"),
                " was given too. Drop one of them.",
            )
        reading = votes
    elif y is None:
        raise InvalidLabelsError(
            "judges are measured on gold: about a hundred items, drawn at random, whose class somebody checked. Pass "
            "their classes as ",
            Argument("y"),
            ", -1 where unknown, or a Reading that has gold.",
        )
    else:
        pool, labels = read_items(votes, y)
        reading = Reading(pool, code_labels(labels, pool.class_names, pool.n_items))
    if not len(reading.gold_labels):
        raise no_gold()
    return reading, _open_gold(reading, None, gold_is)


def _open_gold(gold: Any, pool: Any, gold_is: GoldIs | Design | None) -> GoldSample:
    """Gold that is a plain random sample, of items or of whole clusters."""
    sample = open_gold(gold, None, pool, gold_is)
    if clusters_of(sample) is None:
        check_plain(sample.design)
    return sample


def _in_order(scores: Sequence[JudgeScore]) -> tuple[JudgeScore, ...]:
    """Most often right first, then those with more votes on gold; those without any last."""
    return tuple(
        sorted(scores, key=lambda score: (score.n_gold == 0, -score.agreement if score.n_gold else 0, -score.n_gold))
    )


def _asked_classes(of: Hashable | None, class_names: Sequence[Hashable]) -> list[int]:
    """Numbers of the classes whose rates are wanted."""
    if of is None:
        return [1] if len(class_names) == 2 else [*range(len(class_names))]
    if of in class_names:
        return [class_names.index(of)]
    texts = [str(name) for name in class_names]
    if of in texts:  # as a command line writes it
        return [texts.index(str(of))]
    shown = ", ".join(map(repr, class_names[:10])) + (", ..." if len(class_names) > 10 else "")
    raise InvalidChoiceError(Argument("of"), f" must be one of the classes {shown}; found {of!r}.", *nearest(of, texts))

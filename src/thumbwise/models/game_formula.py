"""What the game's prediction is made of: weights times features of moments, as a formula over the votes of an item."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.box.box import Box
from thumbwise.box.moments.kinds import is_over_votes
from thumbwise.box.moments.linear import MomentBuilder, build_moments
from thumbwise.box.opinions.learned import LearnedOpinion
from thumbwise.box.opinions.opinion import WeightedVote
from thumbwise.box.opinions.tiers import Tier
from thumbwise.box.opinions.written import WrittenOpinion
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.models.additive_terms import AdditiveTerms
from thumbwise.models.formula import Formula, LogCount, LogMixture, Term, Winner, own_class
from thumbwise.numerics.panel import EVEN_PART, HALF_A_VOTE
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.votes.votes import Votes


def formula_of(box: Box, weights: FloatArray, rule_names: Sequence[str], class_names: Sequence[Hashable]) -> Formula:
    """A sum over votes from the moments that are such sums, and a term for each opinion that has weight.

    Other moments, such as those of groups, are refused.
    """
    for builder in box.builders:
        _check_written(builder)
    votes = _one_vote_each(rule_names, class_names)
    sizes = [len(build_moments((builder,), votes)) for builder in box.builders]
    by_builder = list(zip(box.builders, np.split(weights, np.cumsum(sizes)[:-1]), strict=True))
    terms = [
        _term(builder, float(own[0]), votes.n_classes)
        for builder, own in by_builder
        if isinstance(builder, (WeightedVote, Tier, LearnedOpinion))
    ]
    sums = _add_up([pair for pair in by_builder if is_over_votes(pair[0])], votes)
    return Formula(sums, tuple(term for term in terms if term.weight != 0))


def _one_vote_each(rule_names: Sequence[str], class_names: Sequence[Hashable]) -> Votes:
    """An item without votes, and items with one vote each."""
    n_rules, k = len(rule_names), len(class_names)
    rows = np.full((1 + n_rules * k, n_rules), ABSTAIN)
    rows[1 + np.arange(n_rules * k), np.repeat(np.arange(n_rules), k)] = np.tile(np.arange(k), n_rules)
    return Votes(rows, class_names=class_names, rule_names=rule_names)


def _add_up(by_builder: Sequence[tuple[MomentBuilder, FloatArray]], votes: Votes) -> AdditiveTerms:
    """Weights times features, read off an item without votes and off items with one vote each."""
    n_rules, k = votes.n_rules, votes.n_classes
    if not by_builder:
        return AdditiveTerms(np.zeros((n_rules, k, k)), np.zeros(k))
    builders, weights = zip(*by_builder, strict=True)
    # Rows of features are (pattern, class). Differences are taken before weights come in, so nothing is rounded.
    features, together = build_moments(builders, votes).features, np.concatenate(weights)
    cells = votes.inverse.astype(np.int64)[:, None] * k + np.arange(k)
    silent = features[cells[0]]
    by_vote = [(features[row] - silent) @ together for row in cells[1:]]
    return AdditiveTerms(np.array(by_vote).reshape(n_rules, k, k), np.asarray(silent @ together))


def _check_written(builder: MomentBuilder) -> None:
    """Refuse moments that no formula over votes can say."""
    if is_over_votes(builder) or isinstance(builder, (WeightedVote, Tier, LearnedOpinion)):
        return
    name = getattr(builder, "name", getattr(builder, "__name__", type(builder).__name__))
    if isinstance(builder, WrittenOpinion):
        raise InvalidChoiceError(
            f"SQL needs opinions that are formulas; the box has {name!r}, a function of your own, which is code. Fit "
            "without it, or predict in Python."
        )
    raise InvalidChoiceError(
        "SQL needs moments that are sums over the votes of an item: accuracies, class frequencies, class accuracies, "
        "confusion cells, conditional rates, linear moments without groups, and the opinions of thumbwise; the box "
        f"also has {name!r}. Fit without it, or predict in Python."
    )


def _term(opinion: WeightedVote | Tier | LearnedOpinion, weight: float, n_classes: int) -> Term:
    if isinstance(opinion, LearnedOpinion):
        return LogMixture(_stack(opinion), -weight, opinion.floor)
    if isinstance(opinion, Tier):
        return Winner(own_class(opinion.of.weights, n_classes), weight, opinion.least, opinion.most)
    return Winner(own_class(opinion.weights, n_classes), weight)


def _stack(opinion: LearnedOpinion) -> Formula:
    """Its scores, up to a number for each item that all classes share: logs need not be centred, nor be of shares."""
    columns = opinion.columns
    of_panel, by_vote, by_class = columns.split(opinion.weights)
    k, together = columns.n_classes, columns.together
    panels = [own_class(together.log_odds, k)]
    if together.has_confusions:
        panels.append(AdditiveTerms(together.confusions, np.zeros(k)))
    mixed = [LogMixture(Formula(sums), float(w), EVEN_PART) for sums, w in zip(panels, of_panel[1:], strict=True)]
    spoken = [_where_somebody_votes(together.counted, k, c, -float(by_class[1, c])) for c in by_class[1].nonzero()[0]]
    return Formula(
        AdditiveTerms(by_vote, by_class.sum(axis=0)),
        (LogCount(own_class(together.counted, k), float(of_panel[0]), HALF_A_VOTE), *mixed, *spoken),
    )


def _where_somebody_votes(counted: FloatArray, n_classes: int, of_class: int, weight: float) -> Winner:
    """A weight for one class: every vote is counted for it, so it wins where there is one."""
    all_for_it = np.zeros((len(counted), n_classes, n_classes))
    all_for_it[:, :, of_class] = counted[:, None]
    return Winner(AdditiveTerms(all_for_it, np.zeros(n_classes)), weight)

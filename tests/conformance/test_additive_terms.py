"""Terms of a model against its predictions, added up vote by vote; explanations and SQL rest on the same terms.

Kills, tried once: terms of two votes swapped; the class terms left out; shares taken for a softmax; a learned opinion's
panel mixed with too little of an even guess; the sign of its weight; a tier whose upper margin counts as inside.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import thumbwise as tw
from thumbwise.box.moments.kinds import is_over_votes, moment_kind
from thumbwise.box.moments.linear import Moments
from thumbwise.box.moments.of_classes import group_frequencies
from thumbwise.box.moments.of_rules import accuracies, class_accuracies, confusion_cells
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.models.additive_terms import AdditiveTerms
from thumbwise.models.base import LabelModel
from thumbwise.models.formula import Formula, LogCount, LogMixture

from .cases import MODELS, NAMES, Case, Floats, Ints, Task, make_task

every_model = pytest.mark.parametrize("case", MODELS, ids=NAMES)


def summed(sums: AdditiveTerms, row: Ints) -> list[float]:
    """Scores of one item's classes, with nothing but sums."""
    scores = [float(one) for one in sums.by_class]
    for rule, vote in enumerate(row.tolist()):
        if vote >= 0:
            scores = [score + float(sums.by_vote[rule, vote, c]) for c, score in enumerate(scores)]
    return scores


def softmax(scores: list[float]) -> list[float]:
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def scores_of(formula: Formula, row: Ints) -> list[float]:
    """Sums, and what each further term says in words, class by class."""
    scores = summed(formula.sums, row)
    for term in formula.terms:
        if isinstance(term, LogMixture):
            mixed = softmax(scores_of(term.scores, row))
            added = [math.log((1 - term.even_part) * p + term.even_part / len(mixed)) for p in mixed]
        elif isinstance(term, LogCount):
            added = [math.log(count + term.start) for count in summed(term.sums, row)]
        else:
            first, second = sorted(summed(term.sums, row), reverse=True)[:2]
            wins = first - second > 1e-9 and term.least <= round(first - second, 9) < term.most
            added = [float(wins and one == first) for one in summed(term.sums, row)]
        scores = [score + term.weight * more for score, more in zip(scores, added, strict=True)]
    return scores


def added_up(formula: Formula, row: Ints) -> Floats:
    """Probabilities of one item."""
    scores = scores_of(formula, row)
    if formula.sums.are_shares:
        return np.array([score / sum(scores) if sum(scores) else 1 / len(scores) for score in scores])
    return np.array(softmax(scores))


def formula_of(model: LabelModel) -> Formula | None:
    try:
        return model._formula()
    except InvalidChoiceError as error:
        assert f"found {type(model).__name__}" in str(error)
        return None


@every_model
def test_a_model_predicts_what_its_terms_add_up_to_or_says_that_it_has_none(case: Case) -> None:
    task = make_task(seed=2)
    model = case.fit(task)
    formula = formula_of(model)
    if formula is None:
        with pytest.raises(InvalidChoiceError):
            model.to_sql(table="votes")
        with pytest.raises(InvalidChoiceError):
            model.explain(task.votes, 0)
        return
    proba = model.predict_proba(task.votes)
    for row, own in zip(task.votes.array, proba, strict=True):
        np.testing.assert_allclose(own, added_up(formula, row), atol=1e-12, rtol=0)
    assert "SELECT" in model.to_sql(table="votes")
    if not formula.sums.are_shares:
        explained = model.explain(task.votes, 3).scores
        np.testing.assert_allclose(np.exp(explained) / np.exp(explained).sum(), proba[3], atol=1e-12, rtol=0)


def test_the_models_that_add_up() -> None:
    task = make_task()
    names = {type(case.make()).__name__ for case in MODELS if formula_of(case.fit(task)) is not None}
    assert names >= {"MajorityVote", "DawidSkene", "DataProgramming", "BalsubramaniFreund"}
    assert not names & {"EBCC", "AMCL", "HyperLabelModel"}


def fit_with(opinions: Any, n_classes: int = 3) -> tuple[Any, Task]:
    """With some opinions, and a weight on all of them."""
    task = make_task(200, 6, n_classes, n_gold=100, seed=4)
    gold = task.votes.take(np.flatnonzero(task.is_gold)), task.truth[task.is_gold]
    box = tw.Box.from_gold(*gold, pool=task.votes, gold_is="subset", opinions=opinions)
    model = tw.BalsubramaniFreund(caution=0.5).fit(task.votes, box=box)
    model.weights_ = model.weights_ + np.linspace(0.3, 1.1, len(box)) * np.where(np.arange(len(box)) % 2, 1, -1)
    return model, task


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("opinions", ["auto", [tw.opinions.InTiers("majority", 3), tw.opinions.InTiers("panel", 2)]])
def test_opinions_are_further_terms(opinions: Any, n_classes: int) -> None:
    """Also of votes that the fit never saw, and of none."""
    model, _ = fit_with(opinions, n_classes)
    formula = model._formula()
    kinds = [type(term).__name__ for term in formula.terms]
    assert kinds == (["Winner", "Winner", "LogMixture"] if opinions == "auto" else ["Winner"] * len(kinds))
    new = make_task(300, 6, n_classes, abstain=0.5, seed=9).votes
    new = tw.Votes(np.vstack([new.array, np.full(6, -1)]), n_classes=n_classes)
    for row, own in zip(new.array, model.predict_proba(new), strict=True):
        np.testing.assert_allclose(own, added_up(formula, row), atol=1e-12, rtol=0)
    with pytest.raises(InvalidChoiceError, match=r"found BalsubramaniFreund with \d of them"):
        model.additive_terms()


def test_an_opinion_without_weight_is_no_term() -> None:
    model, task = fit_with(["majority"])
    model.weights_[-1] = 0
    assert model._formula().terms == ()
    np.testing.assert_allclose(model.additive_terms().proba(task.votes.patterns), model._predict_patterns(task.votes))


def test_a_rate_of_zero_is_the_same_to_predictions_explanations_and_sql() -> None:
    """Two rules that are each certain of another class: predictions had no answer where explanations had one."""
    votes = tw.Votes([[0, 1], [0, 0], [1, 1], [-1, 1]] * 5)
    model = tw.DataProgramming().fit(votes)
    model.vote_rates_ = np.array([[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]])
    with np.errstate(divide="raise", invalid="raise"):
        proba = model.predict_proba(votes)
    np.testing.assert_allclose(proba[0], model.class_balance_, atol=1e-12)
    for i in range(4):
        scores = model.explain(votes, i).scores
        powers = np.exp(scores - scores.max())
        np.testing.assert_allclose(powers / powers.sum(), proba[i], atol=1e-12)
    assert "inf" not in model.to_sql(table="votes").lower()


def test_a_box_of_groups_is_explained_and_has_no_terms() -> None:
    task = make_task()
    votes = tw.Votes(task.votes.array, n_classes=3, item_groups=["n", "s"] * 60)
    box = tw.Box.from_bounds(votes, {"rule_0": (0.7, 1), "0": (0.1, 0.4)})
    model = tw.BalsubramaniFreund().fit(votes, box=box.with_bounds(votes, {}, moments=[group_frequencies]))
    with pytest.raises(InvalidChoiceError, match="the box also has 'group_frequencies'"):
        model.additive_terms()
    explained = model.explain(votes, 5)
    np.testing.assert_allclose(
        np.exp(explained.scores) / np.exp(explained.scores).sum(), model.predict_proba(votes)[5], atol=1e-12
    )


def own_accuracies(votes: tw.Votes) -> Moments:
    return accuracies(votes)


def test_a_builder_says_itself_that_it_is_a_sum_over_votes() -> None:
    votes = make_task().votes
    moments = (own_accuracies,)
    box = tw.Box.from_bounds(votes, {"rule_0": (0.7, 1)})
    model = tw.BalsubramaniFreund().fit(votes, box=box)
    own = tw.BalsubramaniFreund().fit(votes, box=tw.Box(box.about[:5], box.lower[:5], box.upper[:5],
        box.evidence, moments))  # fmt: skip
    with pytest.raises(InvalidChoiceError, match="own_accuracies"):
        own.additive_terms()
    marked = moment_kind(lambda n_rules, n_classes, n_groups: n_rules, over_votes=True)(own_accuracies)
    assert marked is own_accuracies
    np.testing.assert_allclose(own.additive_terms().by_vote, model.additive_terms().by_vote, atol=1e-6)
    assert all(is_over_votes(builder) for builder in (accuracies, class_accuracies, confusion_cells))

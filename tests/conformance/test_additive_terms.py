"""Terms of a model against its predictions, added up vote by vote; explanations and SQL rest on the same terms.

Kills, tried once: terms of two votes swapped; the class terms left out; shares taken for a softmax.
"""

from __future__ import annotations

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

from .cases import MODELS, NAMES, Case, Floats, Ints, make_task

every_model = pytest.mark.parametrize("case", MODELS, ids=NAMES)


def added_up(terms: AdditiveTerms, row: Ints) -> Floats:
    """Probabilities of one item, with nothing but sums."""
    scores = [float(one) for one in terms.by_class]
    for rule, vote in enumerate(row.tolist()):
        if vote >= 0:
            scores = [score + float(terms.by_vote[rule, vote, c]) for c, score in enumerate(scores)]
    if terms.are_shares:
        return np.array([score / sum(scores) if sum(scores) else 1 / len(scores) for score in scores])
    powers = [np.exp(score - max(scores)) for score in scores]
    return np.asarray(np.array(powers) / sum(powers))


def terms_of(model: LabelModel) -> AdditiveTerms | None:
    try:
        return model.additive_terms()
    except InvalidChoiceError as error:
        assert f"found {type(model).__name__}" in str(error)
        return None


@every_model
def test_a_model_predicts_what_its_terms_add_up_to_or_says_that_it_has_none(case: Case) -> None:
    task = make_task(seed=2)
    model = case.fit(task)
    terms = terms_of(model)
    if terms is None:
        with pytest.raises(InvalidChoiceError):
            model.to_sql(table="votes")
        with pytest.raises(InvalidChoiceError):
            model.explain(task.votes, 0)
        return
    proba = model.predict_proba(task.votes)
    for row, own in zip(task.votes.array, proba, strict=True):
        np.testing.assert_allclose(own, added_up(terms, row), atol=1e-12, rtol=0)
    assert "SELECT" in model.to_sql(table="votes")
    if not terms.are_shares:
        explained = model.explain(task.votes, 3).scores
        np.testing.assert_allclose(np.exp(explained) / np.exp(explained).sum(), proba[3], atol=1e-12, rtol=0)


def test_the_models_that_add_up() -> None:
    task = make_task()
    names = {type(case.make()).__name__ for case in MODELS if terms_of(case.fit(task)) is not None}
    assert names >= {"MajorityVote", "DawidSkene", "DataProgramming", "BalsubramaniFreund"}
    assert not names & {"EBCC", "AMCL", "HyperLabelModel"}


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

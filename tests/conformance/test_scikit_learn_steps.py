"""Rules before a model, and a model before a classifier: pipelines, names of columns, frames."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from thumbwise import BalsubramaniFreund, DawidSkene, FailedRuleWarning, MajorityVote, Votes
from thumbwise.exceptions import FailedRuleError, InvalidChoiceError, InvalidVotesError
from thumbwise.rules.pipeline_step import RuleVotes

from .cases import MODELS, NAMES, Case, make_task


def has_digit(text: str) -> str | None:
    return "spam" if any(c.isdigit() for c in text) else None


def is_polite(text: str) -> str | None:
    return "ham" if "please" in text else None


def is_short(text: str) -> str:
    return "ham" if len(text) < 12 else "spam"


RULES = [has_digit, is_polite, is_short]
TEXTS = ["win 100 dollars now", "please call me", "see you", "5 left!", "this is a long message", "please wait"] * 10
TRUTH = np.array(["spam", "ham", "ham", "spam", "spam", "ham"] * 10)


def votes_by_hand(texts: list[str]) -> np.ndarray:
    number = {"ham": 0, "spam": 1, None: -1}
    return np.array([[number[one(text)] for one in RULES] for text in texts])


@pytest.mark.parametrize("class_names", [None, ["ham", "spam"]])
def test_rules_become_votes(class_names: list[str] | None) -> None:
    step = RuleVotes(RULES, class_names=class_names)
    np.testing.assert_array_equal(step.fit_transform(TEXTS), votes_by_hand(TEXTS))
    np.testing.assert_array_equal(step.transform(TEXTS[:3]), votes_by_hand(TEXTS[:3]))
    assert step.class_names_ == ("ham", "spam")
    assert step.get_feature_names_out().tolist() == ["has_digit", "is_polite", "is_short"]


def test_a_pipeline_is_its_steps_by_hand() -> None:
    y = np.where(np.arange(60) < 40, (TRUTH == "spam").astype(int), -1)
    pipeline = make_pipeline(RuleVotes(RULES), BalsubramaniFreund()).fit(TEXTS, y)
    by_hand = BalsubramaniFreund().fit(votes_by_hand(TEXTS), y)
    new = ["please", "pay 3 euros to this account"]
    np.testing.assert_array_equal(pipeline.predict_proba(new), by_hand.predict_proba(votes_by_hand(new)))
    assert is_classifier(pipeline)


def test_votes_carry_the_names_of_classes_through_a_pipeline() -> None:
    pipeline = make_pipeline(RuleVotes(RULES, output="votes"), BalsubramaniFreund()).fit(TEXTS, TRUTH)
    assert pipeline.predict(["please", "pay 3 euros to this account"]).tolist() == ["ham", "spam"]
    assert pipeline[-1].rule_names_ == ("has_digit", "is_polite", "is_short")
    assert pipeline.score(TEXTS, TRUTH) == np.mean(pipeline.predict(TEXTS) == TRUTH)


def test_ids_come_along_with_votes() -> None:
    column = pd.Series(TEXTS, index=[f"t{i}" for i in range(60)])
    votes = RuleVotes(RULES, output="votes").fit_transform(column)
    assert isinstance(votes, Votes)
    assert votes.item_ids[:2].tolist() == ["t0", "t1"]


def test_a_class_unknown_at_the_fit_is_a_failure_later() -> None:
    step = RuleVotes([is_short, finds_eggs]).fit(["short", "longer than twelve"])
    with pytest.warns(FailedRuleWarning, match="finds_eggs"):
        np.testing.assert_array_equal(step.transform(["odd one out here"]), [[1, -1]])
    with pytest.raises(FailedRuleError):
        RuleVotes([finds_eggs], class_names=["ham", "spam"], on_error="raise").fit(["odd"])


def finds_eggs(text: str) -> str | None:
    return "eggs" if "odd" in text else None


def test_rules_see_each_item_once_in_fit_transform() -> None:
    seen: list[str] = []

    def watching(text: str) -> str:
        seen.append(text)
        return "ham"

    RuleVotes([watching], class_names=["ham", "spam"]).fit_transform(TEXTS)
    assert seen == TEXTS


def test_steps_can_be_cloned_and_pickled() -> None:
    pipeline = make_pipeline(RuleVotes(RULES), MajorityVote())
    for copy in (clone(pipeline), pickle.loads(pickle.dumps(pipeline.fit(TEXTS)))):
        np.testing.assert_array_equal(copy.fit(TEXTS).predict_proba(TEXTS), pipeline.predict_proba(TEXTS))
    with pytest.raises(NotFittedError):
        RuleVotes(RULES).transform(TEXTS)


def test_wrong_uses_of_the_step_are_refused() -> None:
    import scipy.sparse as sp

    with pytest.raises(InvalidChoiceError, match="output must be"):
        RuleVotes(RULES, output="strings").fit(TEXTS)  # type: ignore[arg-type]
    with pytest.raises(InvalidVotesError, match="sparse"):
        RuleVotes(RULES).fit(sp.csr_array(np.eye(3)))
    assert not hasattr(RuleVotes(RULES, output="votes"), "set_output"), "Votes are no frame"


def over_zero(features: Any) -> Any:
    return (np.asarray(features) > 0).astype(int)


def test_a_function_may_make_the_votes() -> None:
    features = np.random.default_rng(0).normal(size=(50, 4))
    pipeline = make_pipeline(FunctionTransformer(over_zero), DawidSkene()).fit(features)
    by_hand = DawidSkene().fit(over_zero(features))
    np.testing.assert_array_equal(pipeline.predict(features[:5]), by_hand.predict(over_zero(features[:5])))


@pytest.mark.parametrize("case", MODELS, ids=NAMES)
def test_every_model_is_a_step(case: Case) -> None:
    task = make_task()
    model = case.fit(task)
    np.testing.assert_array_equal(model.transform(task.votes), model.predict_proba(task.votes))
    assert model.get_feature_names_out().tolist() == ["p_0", "p_1", "p_2"]
    with pytest.raises(InvalidVotesError, match="length equal"):
        model.get_feature_names_out(["a", "b"])


@pytest.mark.parametrize(("kind", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_probabilities_as_frames(kind: str, frame: Any) -> None:
    steps = make_pipeline(RuleVotes(RULES), MajorityVote()).set_output(transform=kind)
    found: Any = steps.fit_transform(TEXTS)
    assert type(found) is frame
    assert list(found.columns) == ["p_0", "p_1"]
    np.testing.assert_array_equal(
        found.to_numpy(), MajorityVote().fit(steps[0].fit(TEXTS).transform(TEXTS)).predict_proba(votes_by_hand(TEXTS))
    )
    assert steps[-1].feature_names_in_.tolist() == ["has_digit", "is_polite", "is_short"]


def test_frames_keep_the_index_and_class_names_that_look_alike_stay_apart() -> None:
    votes = pd.DataFrame({"a": [0, 1], "b": [1, 1]}, index=["x", "y"])
    assert MajorityVote().set_output(transform="pandas").fit_transform(votes).index.tolist() == ["x", "y"]
    alike = MajorityVote().fit(Votes([[0, 1], [1, 1]], class_names=[1, "1"]))
    assert alike.get_feature_names_out().tolist() == ["p_1", "p_'1'"]


def test_a_classifier_can_stand_on_a_label_model() -> None:
    task = make_task(200, 5, 2)
    stacked = make_pipeline(DawidSkene(), GaussianNB()).fit(task.votes.array, task.truth)
    proba = DawidSkene().fit(task.votes.array, task.truth).predict_proba(task.votes.array)
    expected = GaussianNB().fit(proba, task.truth).predict(proba)
    np.testing.assert_array_equal(stacked.predict(task.votes.array), expected)


def test_names_of_rules_are_remembered_only_if_there_are_any() -> None:
    frame = pd.DataFrame({"a": [0, 1], "b": [1, 1]})
    model = MajorityVote().fit(frame)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(model.predict_proba(frame[["b", "a"]]), model.predict_proba(frame))
    assert not hasattr(MajorityVote().fit(frame.to_numpy()), "feature_names_in_")
    assert not hasattr(MajorityVote(), "feature_names_in_")


def test_a_column_of_labels_is_read_with_a_warning() -> None:
    task = make_task()
    with pytest.warns(DataConversionWarning, match="column-vector"):
        model = DawidSkene().fit(task.votes, task.y.reshape(-1, 1))
    np.testing.assert_array_equal(model.rates_, DawidSkene().fit(task.votes, task.y).rates_)

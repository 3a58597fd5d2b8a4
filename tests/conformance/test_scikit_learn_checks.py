"""scikit-learn's own checks of estimators, with an exact list of those that must fail."""

from __future__ import annotations

import inspect
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from thumbwise.models.base import LabelModel
from thumbwise.rules.pipeline_step import RuleVotes

from .cases import LISTED, MODELS
from .expected_failures import EXPECTED, expected_of

PAGE = Path(__file__).parents[2] / "docs" / "scikit-learn.md"
EVERY = {repr(case.make()): case.make() for case in MODELS}

reports_all = pytest.mark.skipif(
    "on_fail" not in inspect.signature(check_estimator).parameters,
    reason="check_estimator takes expected failures from scikit-learn 1.6 on",
)


def failed_checks(estimator: object, expected: dict[str, str]) -> tuple[set[str], set[str], int]:
    """Checks that failed without being expected to, checks that were and passed, and how many passed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # measurements rounded into votes make odd fits
        outcomes = check_estimator(estimator, expected_failed_checks=expected, on_fail=None, on_skip=None)
    status = [(one["check_name"], one["status"]) for one in outcomes]
    failed = {name for name, what in status if what == "failed"}
    passed = [name for name, what in status if what == "passed"]
    unfailing = {name for name in expected if (name, "xfail") not in status and name in {n for n, _ in status}}
    return failed, unfailing, len(passed)


@reports_all
@pytest.mark.parametrize("model", EVERY.values(), ids=EVERY)
def test_every_model_passes_all_checks_but_those_listed(model: LabelModel) -> None:
    failed, unfailing, n_passed = failed_checks(model, expected_of(model))
    of_some_models = {name for name, one in EXPECTED.items() if one.models}
    assert not failed - (set() if type(model).__name__ in LISTED else of_some_models)
    assert not unfailing, "these are expected to fail, and do not"
    assert n_passed > 40


def listed_for(step: RuleVotes) -> list[str]:
    return [name for name, one in EXPECTED.items() if type(step).__name__ in one.models]


def first_is_large(row: np.ndarray) -> int:
    return int(np.ravel(row)[0] > 1)


def last_is_positive(row: np.ndarray) -> int | None:
    return None if np.ravel(row)[-1] > 0 else 0


@reports_all
def test_rules_as_a_step_pass_all_checks_but_those_listed() -> None:
    step = RuleVotes([first_is_large, last_is_positive], class_names=[0, 1])
    failed, unfailing, n_passed = failed_checks(step, {name: EXPECTED[name].reason for name in listed_for(step)})
    assert not failed
    assert not unfailing
    assert n_passed > 25


def test_the_page_lists_the_same_failures_and_reasons() -> None:
    rows = re.findall(r"^\| `(check_\w+)` \| (.*?) \| (.*?) \|$", PAGE.read_text(), flags=re.MULTILINE)
    listed = {check: (", ".join(one.models) or "all", one.reason) for check, one in EXPECTED.items()}
    assert {check: (models, reason) for check, models, reason in rows} == listed

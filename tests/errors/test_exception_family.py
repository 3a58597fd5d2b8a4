"""One family of errors; each is also the built-in error that people catch."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest

import thumbwise as tw
from thumbwise import exceptions

FAMILY = [kind for _, kind in inspect.getmembers(exceptions, inspect.isclass) if issubclass(kind, Exception)]


def test_the_family_is_complete() -> None:
    names = {kind.__name__ for kind in FAMILY}
    assert {
        "ThumbwiseError",
        "InvalidVotesError",
        "InvalidLabelsError",
        "InvalidBoxError",
        "InfeasibleBoxError",
    } <= names


@pytest.mark.parametrize("kind", FAMILY)
def test_everything_descends_from_one_base_and_is_public(kind: type[Exception]) -> None:
    assert issubclass(kind, (tw.ThumbwiseError, Warning))
    assert getattr(tw, kind.__name__) is kind


@pytest.mark.parametrize(
    "kind",
    [tw.InvalidVotesError, tw.InvalidLabelsError, tw.InvalidBoxError, tw.InvalidFileError, tw.InvalidChoiceError],
)
def test_wrong_values_are_value_errors(kind: type[Exception]) -> None:
    assert issubclass(kind, ValueError)


def infeasible() -> tw.InfeasibleBoxError:
    return tw.InfeasibleBoxError(
        conflicting=["accuracy(a)", "accuracy(b)"],
        weights=np.array([1.0, -2.0]),
        dual_value=-0.5,
        widening_factor=2.0,
        widening_amount=0.1,
    )


def check_same(copy: tw.InfeasibleBoxError, error: tw.InfeasibleBoxError) -> None:
    assert str(copy) == str(error)
    assert copy.conflicting == error.conflicting
    np.testing.assert_array_equal(copy.weights, error.weights)
    assert (copy.dual_value, copy.widening_factor, copy.widening_amount) == (-0.5, 2.0, 0.1)


def test_infeasible_box_survives_pickling() -> None:
    check_same(pickle.loads(pickle.dumps(infeasible())), infeasible())


def test_infeasible_box_survives_pickling_with_a_note() -> None:
    """Test runners and process pools add notes to errors before they send them."""
    error = infeasible()
    error.add_note("in worker 3")
    check_same(pickle.loads(pickle.dumps(error)), infeasible())


@pytest.mark.parametrize("kind", [tw.InvalidVotesError, tw.InvalidLabelsError, tw.InvalidBoxError])
def test_plain_errors_survive_pickling(kind: type[Exception]) -> None:
    copy = pickle.loads(pickle.dumps(kind("what must hold")))
    assert type(copy) is kind
    assert str(copy) == "what must hold"

"""Inputs on which other libraries lose rows, invent classes or return NaN: here the right answer or a clear error.

n = 300 items, p = 5 rules, k = 2 classes unless said. One test per kind of input, each over every model.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from thumbwise import InvalidVotesError, Votes

from .cases import MODELS, NAMES, Case, Floats, Ints, Task, make_task

VOTES_ALONE = ["MajorityVote", "DawidSkene", "DawidSkene-class_conditional"]
every_model = pytest.mark.parametrize("case", MODELS, ids=NAMES)
N, P = 300, 5


@pytest.fixture
def task() -> Task:
    return make_task(N, P, 2, n_gold=100)


def check(proba: Floats, n_items: int = N, n_classes: int = 2) -> Floats:
    assert proba.shape == (n_items, n_classes)
    assert np.isfinite(proba).all()
    assert (proba >= 0).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=0, atol=1e-12)
    return proba


def altered(task: Task, item: int, rule: int, value: float) -> npt.NDArray[np.float64]:
    array = task.votes.array.astype(float)
    array[item, rule] = value
    return array


def silent_rows(task: Task, items: list[int]) -> Task:
    array = np.array(task.votes.array)
    array[items] = -1
    return task.with_array(array)


@every_model
@pytest.mark.parametrize("items", [[0], [150], [299], [297, 298, 299]], ids=["first", "middle", "last", "last three"])
def test_01_rows_without_votes_stay_in_their_place(case: Case, task: Task, items: list[int]) -> None:
    quiet = silent_rows(task, items)
    model = case.fit(quiet)
    proba = check(model.predict_proba(quiet.votes))
    others = np.setdiff1d(np.arange(N), items)
    np.testing.assert_array_equal(proba[others], check(model.predict_proba(quiet.votes.take(others)), len(others)))
    alone = check(model.predict_proba(np.full((1, P), -1)), 1)
    np.testing.assert_array_equal(proba[items], np.repeat(alone, len(items), axis=0))


@every_model
@pytest.mark.parametrize("position", [0, 2, 5])
def test_02_a_rule_that_never_votes_changes_nothing(case: Case, task: Task, position: int) -> None:
    wider = task.with_array(np.insert(task.votes.array, position, -1, axis=1))
    np.testing.assert_allclose(check(case.fit_proba(wider)), case.fit_proba(task), rtol=0, atol=1e-8)


@every_model
def test_03_every_vote_is_class_0(case: Case) -> None:
    rng = np.random.default_rng(3)
    truth = (rng.random(N) < 0.2).astype(np.int64)
    array = np.where(rng.random((N, P)) < 0.2, -1, 0)
    zeros = Task(Votes(array, n_classes=2), truth, np.arange(N) % 3 == 0)
    proba = check(case.fit_proba(zeros))
    assert (proba[(array == 0).any(axis=1), 0] > 0.6).all()


def test_03_one_class_is_not_guessed_to_be_all() -> None:
    with pytest.raises(InvalidVotesError, match=r"class 0 only.*n_classes"):
        Votes(np.zeros((N, P), dtype=int))


@every_model
def test_04_all_votes_abstain(case: Case, task: Task) -> None:
    mute = task.with_array(np.full((N, P), -1))
    proba = check(case.fit_proba(mute))
    np.testing.assert_array_equal(proba, np.tile(proba[0], (N, 1)))
    shares = np.bincount(task.truth, minlength=2) / N
    if case.name == "BalsubramaniFreund-exact":
        np.testing.assert_allclose(proba[0], shares, rtol=0, atol=1e-9)
    elif case.name == "DawidSkene-full-gold":
        np.testing.assert_allclose(proba[0], np.bincount(task.truth[task.is_gold]) / task.is_gold.sum(), atol=1e-3)
    elif case.name == "Stack":  # the same, drawn to 1/2 a little
        np.testing.assert_allclose(proba[0], np.bincount(task.truth[task.is_gold]) / task.is_gold.sum(), atol=0.06)
    elif case.name == "BalsubramaniFreund-gold":  # between 1/2, which the worst case wants, and what gold shows
        shown = np.bincount(task.truth[task.is_gold]) / task.is_gold.sum()
        assert (proba[0] >= np.minimum(0.5, shown) - 1e-9).all()
        assert (proba[0] <= np.maximum(0.5, shown) + 1e-9).all()
    else:
        # Nothing is known, or a range of class frequencies that holds 1/2: the answer of largest entropy.
        np.testing.assert_allclose(proba[0], 0.5, rtol=0, atol=0.05)


def test_04_no_vote_at_all_needs_declared_classes() -> None:
    with pytest.raises(InvalidVotesError, match=r"no vote at all.*n_classes"):
        Votes(np.full((N, P), -1))


@every_model
def test_05_one_nan_is_an_abstention(case: Case, task: Task) -> None:
    with_nan, without = altered(task, 17, 2, np.nan), altered(task, 17, 2, -1)
    np.testing.assert_array_equal(
        check(case.fit_proba(task.with_array(with_nan))), case.fit_proba(task.with_array(without))
    )


@every_model
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_06_whole_floats_are_class_numbers(case: Case, task: Task, dtype: type) -> None:
    floats = task.with_array(task.votes.array.astype(dtype))
    np.testing.assert_array_equal(check(case.fit_proba(floats)), case.fit_proba(task))


@every_model
@pytest.mark.parametrize(
    ("number", "value", "said"),
    [(7, 0.5, "0.5"), (8, 7, "7"), (9, -5, "-5")],
    ids=["07 a vote of 0.5", "08 vote 7 with k=2", "09 vote -5"],
)
def test_strange_votes_are_named_with_their_place(case: Case, task: Task, number: int, value: float, said: str) -> None:
    array = altered(task, 17, 2, value)
    place = rf"found {said} at item 17, rule 'rule_2' \(1 such votes\)\. \w+"
    with pytest.raises(InvalidVotesError, match=place):
        Votes(array, n_classes=2)
    with pytest.raises(InvalidVotesError, match=place):
        case.fit(task).predict_proba(array)


@pytest.mark.parametrize(("value", "said"), [(0.5, "0.5"), (-5, "-5")])
@every_model
def test_strange_votes_are_refused_by_fit_too(case: Case, task: Task, value: float, said: str) -> None:
    model = case.make()
    with pytest.raises(InvalidVotesError, match=rf"found {said} at item 17, rule 'rule_2'"):
        model.fit(altered(task, 17, 2, value), task.y)


@every_model
@pytest.mark.parametrize(
    ("shape", "missing"), [((0, P), "no items"), ((N, 0), "no rules")], ids=["10 0 x 5", "11 300 x 0"]
)
def test_empty_tables_are_a_clear_error(case: Case, task: Task, shape: tuple[int, int], missing: str) -> None:
    empty = np.empty(shape, dtype=np.int64)
    y = task.y[: shape[0]]
    with pytest.raises(InvalidVotesError, match=missing):
        case.make().fit(empty, y)
    with pytest.raises(InvalidVotesError, match=missing):
        case.fit(task).predict_proba(empty)


@every_model
@pytest.mark.parametrize("row", [[0, 1, 1, -1, 1], [1, 1, 1, 1, 1], [-1, -1, 0, -1, -1]])
def test_12_one_row(case: Case, row: list[int]) -> None:
    label = np.bincount([vote for vote in row if vote >= 0]).argmax()
    single = Task(Votes([row], n_classes=2), np.array([label]), np.array([True]))
    assert case.fit(single).predict(single.votes).tolist() == [label]
    check(case.fit_proba(single), 1)


# Two rules do not determine a Dawid-Skene model, so expectation maximisation crawls, and says so.
@pytest.mark.filterwarnings("ignore:Dawid-Skene still changes:sklearn.exceptions.ConvergenceWarning")
@every_model
@pytest.mark.parametrize("n_rules", [1, 2], ids=["13 one rule", "14 two rules"])
def test_one_rule_or_two_are_enough(case: Case, task: Task, n_rules: int) -> None:
    few = task.with_rules(list(range(n_rules)))
    model = case.fit(few)
    proba = check(model.predict_proba(few.votes))
    unanimous = (few.votes.array == few.votes.array[:, :1]).all(axis=1) & (few.votes.array[:, 0] >= 0)
    assert (proba[unanimous, few.votes.array[unanimous, 0]] > 0.5).all()


@every_model
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint64, np.bool_])
def test_15_unsigned_without_abstentions(case: Case, dtype: type) -> None:
    full = make_task(N, P, 2, abstain=0, n_gold=100)
    unsigned = full.with_array(full.votes.array.astype(dtype))
    np.testing.assert_array_equal(check(case.fit_proba(unsigned)), case.fit_proba(full))


@every_model
def test_16_list_of_lists(case: Case, task: Task) -> None:
    lists: list[list[int]] = task.votes.array.tolist()
    listed = Task(Votes(lists), task.truth, task.is_gold)
    np.testing.assert_array_equal(check(case.fit_proba(listed)), case.fit_proba(task))
    np.testing.assert_array_equal(case.fit(task).predict_proba(lists), case.fit_proba(task))


@every_model
def test_17_a_declared_class_that_nobody_votes_for_keeps_its_column(case: Case, task: Task) -> None:
    three = Task(Votes(task.votes.array, n_classes=3), task.truth, task.is_gold)
    model = case.fit(three)
    proba = check(model.predict_proba(three.votes), N, 3)
    assert model.classes_.tolist() == [0, 1, 2]
    assert (proba[(task.votes.array >= 0).any(axis=1)].argmax(axis=1) < 2).all()


@every_model
@pytest.mark.parametrize("n_rules", [4, 6])
def test_18_another_number_of_rules_at_prediction(case: Case, task: Task, n_rules: int) -> None:
    with pytest.raises(InvalidVotesError, match=rf"5 rules.*found {n_rules} rules.*-1"):
        case.fit(task).predict_proba(np.zeros((N, n_rules), dtype=np.int64))


@pytest.mark.parametrize("case", [MODELS[NAMES.index(name)] for name in VOTES_ALONE], ids=VOTES_ALONE)
def test_labels_of_raw_arrays_show_classes_that_no_vote_does(case: Case, task: Task) -> None:
    """An array of votes for class 0 and 1, labels that show class 2: three columns, not a crash."""
    y: Ints = task.y.copy()
    y[np.flatnonzero(task.is_gold)[0]] = 2
    model = case.make().fit(task.votes.array, y)
    check(model.predict_proba(task.votes.array), N, 3)

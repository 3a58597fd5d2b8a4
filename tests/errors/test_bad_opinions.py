"""What may stand in ``opinions`` and ``caution``, and what is said where something else does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thumbwise as tw
from thumbwise.datasets import make_keywords

from .messages import assert_says, message_of

MADE = make_keywords(400, n_gold=60, random_state=3)
Answer = Callable[[tw.Votes], Any]


def box_with(opinions: Any, n_gold: int = 60, **choices: Any) -> tw.Box:
    gold = MADE.gold[:n_gold]
    names = np.array(MADE.votes.class_names)[MADE.labels[gold]]
    votes, pool = MADE.votes.take(gold), MADE.votes
    return tw.Box.from_gold(votes, names, pool=pool, gold_is="subset", opinions=opinions, n_permutations=0, **choices)


def names_of(box: tw.Box) -> list[str]:
    return [name for name in box.names if "opinion" in name]


def first_rule(votes: tw.Votes) -> Any:
    return votes.array[:, 0].astype(float)


def spam_if_free(votes: tw.Votes) -> list[str | None]:
    return ["spam" if vote == 1 else None for vote in votes.array[:, 0]]


ANSWERS: dict[str, tuple[Answer, tuple[str, ...]]] = {
    "a number that is no class": (lambda votes: np.full(votes.n_items, 7), ("class of the votes", "7", "400")),
    "a name that is no class": (lambda votes: ["eggs"] * votes.n_items, ("class of the votes", "'eggs'", "400")),
    "a fraction": (lambda votes: np.full(votes.n_items, 0.5), ("class of the votes", "0.5")),
    "probabilities": (lambda votes: np.full((votes.n_items, 2), 0.5), ("one label per item", "(400, 2)")),
    "too few": (lambda votes: np.zeros(3, dtype=int), ("one label per item", "(3,)", "400 items")),
    "nothing": (lambda votes: None, ("one label per item", "400 items")),
    "silence": (lambda votes: np.full(votes.n_items, -1), ("must say something", "everywhere", "Leave it out")),
    "only NaN": (lambda votes: np.full(votes.n_items, np.nan), ("must say something", "everywhere")),
    "places, not votes": (lambda votes: np.arange(votes.n_items) % 2, ("depend on the votes alone", "same votes")),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_answers_that_are_no_opinion(case: str) -> None:
    function, parts = ANSWERS[case]
    assert_says(message_of(tw.InvalidBoxError, lambda: box_with([function])), "opinions", "'<lambda>'", *parts)


def test_answers_that_change_from_call_to_call() -> None:
    rng = np.random.default_rng(0)

    def moody(votes: tw.Votes) -> Any:
        return rng.integers(2, size=votes.n_items)

    message = message_of(tw.InvalidBoxError, lambda: box_with(moody))
    assert_says(message, "'moody'", "the same each time", "of 400 answers changed", "seed")


def test_an_error_of_the_function_itself_comes_through() -> None:
    def broken(votes: tw.Votes) -> Any:
        raise KeyError(votes.n_items)

    with pytest.raises(KeyError):
        box_with(broken)


@pytest.mark.parametrize("opinions", [None, 5, True, 0.5])
def test_what_is_no_list_of_opinions(opinions: object) -> None:
    message = message_of(tw.InvalidBoxError, lambda: box_with(opinions))
    assert_says(message, "opinions must be 'auto'", "() for none", f"found {opinions!r}")
    assert_says(message_of(tw.InvalidBoxError, lambda: box_with(opinions, interval="wilson")), "opinions must be")


@pytest.mark.parametrize("like", ["nonsense", "auto", "Majority", 5, None, tw.MajorityVote(), np.array(["panel"] * 2)])
def test_what_is_no_opinion(like: object) -> None:
    message = message_of(tw.InvalidBoxError, lambda: box_with([like]))
    assert_says(message, "each of opinions", "'majority', 'panel', 'learned'", f"found {like!r}")


def test_a_single_word_that_is_none() -> None:
    assert_says(message_of(tw.InvalidBoxError, lambda: box_with("nonsense")), "'majority'", "found 'nonsense'")


@pytest.mark.parametrize("opinions", [["majority", "majority"], [first_rule, first_rule]])
def test_two_of_one_name(opinions: list[Any]) -> None:
    assert_says(message_of(tw.InvalidBoxError, lambda: box_with(opinions)), "its own name", "twice")


@pytest.mark.parametrize("n_tiers", [0, 21, 2.5, "two", True, None])
def test_tiers_that_cannot_be(n_tiers: Any) -> None:
    message = message_of(tw.InvalidBoxError, lambda: tw.opinions.InTiers("majority", n_tiers))
    assert_says(message, "1 to 20 tiers", f"found {n_tiers!r}")


@pytest.mark.parametrize("opinion", ["learned", "nonsense", None])
def test_tiers_of_what_has_no_margin(opinion: Any) -> None:
    message = message_of(tw.InvalidBoxError, lambda: box_with([tw.opinions.InTiers(opinion)]))
    assert_says(message, "tiers are of 'majority' or 'panel'", f"found {opinion!r}")


@pytest.mark.parametrize(
    ("opinions", "names"),
    [
        ("majority", ["opinion(majority)"]),
        (["majority", "panel"], ["opinion(majority)", "opinion(panel)"]),
        (np.array(["panel"]), ["opinion(panel)"]),
        (iter(["majority"]), ["opinion(majority)"]),
        (first_rule, ["opinion(first_rule)"]),
        ([spam_if_free, "majority"], ["opinion(spam_if_free)", "opinion(majority)"]),
        (tw.opinions.InTiers("panel"), ["opinion(panel 1)", "opinion(panel 2)"]),
        ("learned", ["log loss(learned opinion)"]),
        ((), []),
        ([], []),
        (np.array([]), []),
    ],
)
def test_what_may_be_asked_for(opinions: Any, names: list[str]) -> None:
    assert names_of(box_with(opinions)) == names


def test_an_opinion_may_be_given_by_name_or_by_number() -> None:
    numbers, names = (box_with(like) for like in (first_rule, spam_if_free))
    np.testing.assert_array_equal(numbers.lower, names.lower)


@pytest.mark.parametrize("opinions", ["majority", ["panel"], first_rule, [first_rule], tw.opinions.InTiers("majority")])
def test_opinions_need_exact_joint_intervals(opinions: Any) -> None:
    message = message_of(tw.InvalidBoxError, lambda: box_with(opinions, interval="wilson"))
    assert_says(message, "opinions are for exact joint intervals")
    assert_says(message_of(tw.InvalidBoxError, lambda: box_with(opinions, joint=False)), "exact joint intervals")


@pytest.mark.parametrize("opinions", ["auto", (), []])
def test_the_recipe_of_the_paper_has_none(opinions: Any) -> None:
    assert names_of(box_with(opinions, interval="wilson", joint=False)) == []


@pytest.mark.parametrize("n_gold", [1, 2, 5, 29])
def test_too_little_gold_to_learn_from(n_gold: int) -> None:
    assert_says(message_of(tw.InvalidBoxError, lambda: box_with("learned", n_gold)), "at least 30", f"found {n_gold}")
    assert names_of(box_with("auto", n_gold)) == ["opinion(majority)", "opinion(panel)"]


@pytest.mark.parametrize("caution", [0, 1.5, -0.1, "high", "0.5", float("nan"), float("inf"), True, None, [0.5]])
def test_what_is_no_caution(caution: Any) -> None:
    model = tw.BalsubramaniFreund(caution=caution)
    message = message_of(tw.InvalidChoiceError, lambda: model.fit(MADE.votes, MADE.gold_labels))
    assert_says(message, "caution must be 'auto' or a number above 0 and at most 1", f"found {caution!r}")


def test_an_array_is_no_caution() -> None:
    model = tw.BalsubramaniFreund(caution=np.array([0.5, 0.6]))  # type: ignore[arg-type]
    assert_says(message_of(ValueError, lambda: model.fit(MADE.votes, MADE.gold_labels)), "caution must be")


@pytest.mark.parametrize("caution", [1, 0.5, np.float64(0.5), np.float32(0.5), 0.01])
def test_what_is_a_caution(caution: Any) -> None:
    certificate = tw.BalsubramaniFreund(caution=caution).fit(MADE.votes, MADE.gold_labels).certificate_
    assert certificate.caution == float(caution)
    assert np.isfinite(certificate.log_loss_bound)

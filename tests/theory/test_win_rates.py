"""Win rates are means of a table that can be made by hand, hold as often as they say, and know no sides or names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import thumbwise as tw
from thumbwise.assess.win_rates import seen_by
from thumbwise.datasets.several_answers import PAIR_JUDGES

POINTS = {"model_a": 1.0, "tie": 0.5, "model_b": 0.0}


def sizes(seed: int, n_questions: int = 60, n_gold: int = 60) -> Any:
    return tw.datasets.make_pairs(n_questions, n_gold=n_gold, random_state=seed)


def renamed(columns: dict[str, list[Any]], names: dict[str, str]) -> dict[str, list[Any]]:
    return {key: [names.get(value, value) for value in column] for key, column in columns.items()}


def test_it_is_the_mean_of_a_table_made_by_hand() -> None:
    """One row per comparison of the system, 1, 1/2 and 0 for it, with the answers by the place where it was shown."""
    made = sizes(1)
    found = tw.win_rate(tw.read_votes(made.votes, gold=made.gold), system="birch", by="opponent", confidence_level=0.9)
    rows = list(
        zip(*(made.votes[name] for name in ("question_id", "model_a", "model_b", "judge", "winner")), strict=True)
    )
    items = list(dict.fromkeys((q, *sorted((a, b))) for q, a, b, _, _ in rows if "birch" in (a, b)))
    place = {item: i for i, item in enumerate(items)}
    rules = [(judge, shown_first) for judge in PAIR_JUDGES for shown_first in (True, False)]
    outcome = {("model_a", True): "win", ("model_b", False): "win", ("tie", True): "tie", ("tie", False): "tie"}
    votes = np.full((len(items), len(rules)), "", dtype=object)
    for q, a, b, judge, winner in rows:
        if "birch" in (a, b):
            column = rules.index((judge, a == "birch"))
            votes[place[q, *sorted((a, b))], column] = outcome.get((winner, a == "birch"), "loss")
    y = np.full(len(items), None, dtype=object)
    for q, a, b, winner in zip(
        *(made.gold[name] for name in ("question_id", "model_a", "model_b", "winner")), strict=True
    ):
        if "birch" in (a, b):
            y[place[q, *sorted((a, b))]] = outcome.get((winner, a == "birch"), "loss")
    opponents = [next(name for name in item[1:] if name != "birch") for item in items]
    values = {"loss": 0.0, "tie": 0.5, "win": 1.0}
    ids = [f"{q}: {a} vs {b}" for q, a, b in items]  # by which labels are taken in an order that looks at none
    by_hand = tw.rate(tw.Votes(votes, item_ids=ids), y, values=values, by=opponents, confidence_level=0.9)
    assert [row.group for row in found] == [None, "aster", "cedar"]
    for ours, theirs in zip(found, by_hand, strict=True):
        assert (ours.lower, ours.upper, ours.estimate) == pytest.approx(
            (theirs.lower, theirs.upper, theirs.estimate), abs=1e-12
        )
        assert (ours.n_gold, ours.n_items) == (theirs.n_gold, theirs.n_items)


def test_it_holds_as_often_as_it_says() -> None:
    """All rows at once at a level of 0.8; a false alarm once in a million."""
    n_trials, n_misses = 40, 0
    for seed in range(n_trials):
        made = sizes(seed, 40, 40)
        found = tw.win_rate(
            tw.read_votes(made.votes, gold=made.gold), system="aster", by="opponent", confidence_level=0.8
        )
        items = [(a, b) for _ in range(40) for a, b in (("aster", "birch"), ("aster", "cedar"), ("birch", "cedar"))]
        points = np.array([POINTS[winner] for winner in made.truth])
        against = {name: points[[pair == ("aster", name) for pair in items]].mean() for name in ("birch", "cedar")}
        truth: dict[Any, float] = {None: float(np.mean(list(against.values()))), **against}
        n_misses += not all(row.lower <= truth[row.group] <= row.upper for row in found)
    assert n_misses <= binom.ppf(1 - 1e-6, n_trials, 0.2)


def test_sides_and_names_change_nothing() -> None:
    made = sizes(3)
    plain = tw.win_rate(tw.read_votes(made.votes, gold=made.gold), system="birch", by="opponent")
    flip = {"model_a": "model_b", "model_b": "model_a"}
    turned = {**made.gold, "model_a": made.gold["model_b"], "model_b": made.gold["model_a"]}
    turned["winner"] = [flip.get(winner, winner) for winner in made.gold["winner"]]
    other = tw.win_rate(tw.read_votes(made.votes, gold=turned), system="birch", by="opponent")
    assert [(r.lower, r.upper) for r in other] == [(r.lower, r.upper) for r in plain]
    names = {"birch": "zz", "aster": "yy", "cedar": "aa"}  # the order of the names is turned round
    new = tw.read_votes(renamed(made.votes, names), gold=renamed(made.gold, names))
    # Intervals of means take labels in an order by ids, which hold the names: votes and gold are compared instead.
    old, now = seen_by(tw.read_votes(made.votes, gold=made.gold), "birch"), seen_by(new, "zz")
    assert now.votes.array.tolist() == old.votes.array.tolist()
    assert now.gold.tolist() == old.gold.tolist()
    again = tw.win_rate(new, system="zz", by="opponent")
    for was, group in ((None, None), ("aster", "yy"), ("cedar", "aa")):
        assert again[group].estimate == pytest.approx(plain[was].estimate, abs=1e-12)
        assert again[group].upper - again[group].lower == pytest.approx(plain[was].upper - plain[was].lower, rel=0.2)


def test_two_systems_share_the_points() -> None:
    made = sizes(4)
    reading = tw.read_votes(made.votes, gold=made.gold)
    ours = tw.win_rate(reading, system="aster", by="opponent")["cedar"]
    theirs = tw.win_rate(reading, system="cedar", by="opponent")["aster"]
    assert ours.estimate + theirs.estimate == pytest.approx(1)
    assert ours.lower + theirs.upper == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(("seed", "system", "word"), [(0, "aster", "beats"), (0, "cedar", "loses to")])
def test_whether_it_beats_the_others(seed: int, system: str, word: str) -> None:
    made = sizes(seed, 200, 150)
    found = tw.win_rate(tw.read_votes(made.votes, gold=made.gold), system=system)
    assert found.remarks == (
        f"{system} {word} its opponents: its win rate is {'above' if word == 'beats' else 'below'} 50 %.",
    )
    assert (found.lower > 0.5) == (word == "beats")


def test_little_gold_settles_nothing() -> None:
    made = sizes(0, 60, 12)
    found = tw.win_rate(tw.read_votes(made.votes, gold=made.gold), system="birch")
    assert found.lower < 0.5 < found.upper
    assert found.remarks == (
        "Whether birch beats its opponents is not settled by these labels: 50 % is within the interval.",
    )


def test_what_cannot_be_asked() -> None:
    made = sizes(0, 5, 5)
    reading = tw.read_votes(made.votes, gold=made.gold)
    with pytest.raises(
        tw.InvalidChoiceError, match=r"system must be one of 'aster', 'birch', 'cedar'; found 'ceder'\. Is"
    ):
        tw.win_rate(reading, system="ceder")
    with pytest.raises(tw.InvalidChoiceError, match="by=\"opponent\"; found 'judge'"):
        tw.win_rate(reading, system="cedar", by="judge")  # type: ignore[arg-type]
    with pytest.raises(tw.InvalidVotesError, match="needs comparisons of two systems"):
        tw.win_rate(tw.read_votes({"id": [1, 2], "a": [0, 1]}), system="cedar")
    with pytest.raises(tw.InvalidLabelsError, match="gold labels are needed"):
        tw.win_rate(tw.read_votes(made.votes), system="cedar")
    one = {name: column[:1] for name, column in made.gold.items()}
    absent = ({"aster", "birch", "cedar"} - {one["model_a"][0], one["model_b"][0]}).pop()
    with pytest.raises(tw.InvalidChoiceError, match="gold must hold comparisons of"):
        tw.win_rate(tw.read_votes(made.votes, gold=one), system=absent)

"""Comparisons of two systems: every shape means the same, and which side a system stands on means nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thumbwise as tw

SYSTEMS = ("zeta", "alpha", "mu")
WORDS = {"a": "model_a", "b": "model_b", "t": "tie", None: None}
Row = tuple[int, int, str, str, str, Any]


def rows(seed: int = 0, n_questions: int = 8) -> list[Row]:
    """Question, turn, both systems, judge, winner as a letter: in one order or in both, some without an answer."""
    rng = np.random.default_rng(seed)
    made: list[Row] = []
    for question in range(n_questions):
        for turn in (1, 2):
            for a, b in (("zeta", "alpha"), ("alpha", "mu"), ("mu", "zeta")):
                for judge, n_orders in (("gpt", 2), ("ann", 1)):
                    for one, two in ((a, b), (b, a))[:n_orders]:
                        winner = rng.choice(["a", "b", "t", "n"], p=[0.4, 0.3, 0.2, 0.1])
                        made.append((question, turn, one, two, judge, None if winner == "n" else winner))
    return made


def table(given: list[Row], *, by_name: bool = False) -> dict[str, list[Any]]:
    def written(row: Row) -> Any:
        return {"a": row[2], "b": row[3]}.get(row[5], WORDS[row[5]]) if by_name else WORDS[row[5]]

    return {
        "question_id": [r[0] for r in given],
        "turn": [r[1] for r in given],
        "model_a": [r[2] for r in given],
        "model_b": [r[3] for r in given],
        "judge": [r[4] for r in given],
        "winner": [written(r) for r in given],
    }


def swapped(given: list[Row], which: Any) -> list[Row]:
    """The same comparisons written the other way round."""
    flip = {"a": "b", "b": "a"}
    return [
        (q, t, b, a, j, flip.get(w, w)) if which(i) else (q, t, a, b, j, w)
        for i, (q, t, a, b, j, w) in enumerate(given)
    ]


def by_hand(given: list[Row]) -> dict[tuple[str, str], int]:
    """The vote of each column on each item, in words of the specification."""
    found = {}
    for question, turn, a, b, judge, winner in given:
        first, second = sorted((a, b))
        system = {"a": a, "b": b}.get(winner)
        vote = -1 if winner is None else 2 if winner == "t" else int(system == second)
        column = judge if judge == "ann" or a == first else f"{judge} (swapped)"
        found[f"{question} / turn {turn}: {first} vs {second}", column] = vote
    return found


def as_dict(reading: tw.Reading) -> dict[tuple[str, str], int]:
    return {
        (item, rule): int(vote)
        for item, row in zip(reading.votes.item_ids.tolist(), reading.votes.array, strict=True)
        for rule, vote in zip(reading.votes.rule_names, row, strict=True)
    }


@pytest.mark.parametrize("by_name", [False, True])
def test_rows_as_in_mt_bench(by_name: bool) -> None:
    reading = tw.read_votes(table(rows(), by_name=by_name))
    assert reading.layout == "pairs"
    assert reading.votes.class_names == ("first", "second", "tie")
    assert as_dict(reading) == by_hand(rows())
    assert reading.passed_on["first"].tolist()[0] == "alpha"
    assert reading.pairs is not None
    assert reading.pairs.systems == ("alpha", "mu", "zeta")


def test_fastchat_pair_judgments(tmp_path: Path) -> None:
    """Both games in a row; the winner of the second is named by the columns too, and a judge is a list."""
    words = {"a": "model_1", "b": "model_2", "t": "tie", None: "error"}
    given = [row for row in rows(1) if row[4] == "gpt"]
    lines = []
    for straight, other in zip(given[::2], given[1::2], strict=True):
        second = {"a": "model_2", "b": "model_1"}.get(other[5], words[other[5]])
        lines.append(
            {
                "question_id": straight[0],
                "model_1": straight[2],
                "model_2": straight[3],
                "g1_winner": words[straight[5]],
                "g2_winner": second,
                "judge": ["gpt", "pair-v2"],
                "g1_judgment": "...",
                "turn": straight[1],
                "tstamp": 1.5,
            }
        )
    path = tmp_path / "gpt-4_pair.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    reading = tw.read_votes(path)
    assert as_dict(reading) == {(i, j.replace("gpt", "gpt, pair-v2")): v for (i, j), v in by_hand(given).items()}
    assert any("cells are 'error', taken as no vote" in note for note in reading.notes)


def test_a_column_for_each_judge() -> None:
    given = [row for row in rows(2) if row[4] == "ann"]
    columns = table(given)
    columns["eve"] = columns["winner"][::-1]
    columns["ann"] = columns.pop("winner")
    del columns["judge"]
    reading = tw.read_votes(columns, layout="pairs")
    assert reading.votes.rule_names == ("ann", "eve")
    assert {k: v for k, v in as_dict(reading).items() if k[1] == "ann"} == by_hand(given)


def test_which_side_a_system_stands_on_changes_nothing() -> None:
    given = rows(3)
    once = [row for row in given if row[4] == "ann"]
    own = tw.read_votes(table(once), gold=table(once[::4]))
    assert (own.gold >= 0).sum() > 5
    for which in (lambda i: True, lambda i: i % 3 == 0):
        other = tw.read_votes(table(swapped(once, which)), gold=table(swapped(once[::4], which)))
        assert as_dict(other) == as_dict(own)
        assert other.gold.tolist() == own.gold.tolist()


def test_the_columns_of_both_orders_change_places_with_the_sides() -> None:
    given = rows(3)
    turned = as_dict(tw.read_votes(table(swapped(given, lambda i: True))))
    places = {"gpt": "gpt (swapped)", "gpt (swapped)": "gpt", "ann": "ann"}
    assert {(item, places[rule]): vote for (item, rule), vote in turned.items()} == as_dict(tw.read_votes(table(given)))


def test_contradictions_are_counted_by_place() -> None:
    both = [
        ("x", "y", "a", "a"),  # the first that is shown, both times
        ("x", "y", "a", "a"),
        ("x", "y", "b", "b"),  # the second
        ("x", "y", "a", "b"),  # x, both times
        ("x", "y", "t", "a"),  # a tie, and then y
        ("x", "y", "a", None),  # one answer only
    ]
    given = [
        row for q, (a, b, one, two) in enumerate(both) for row in ((q, 1, a, b, "gpt", one), (q, 1, b, a, "gpt", two))
    ]
    reading = tw.read_votes(table(given))
    assert reading.pairs is not None
    (judge,) = reading.pairs.judges
    assert (judge.n_votes, judge.n_both, judge.n_contradictions) == (6, 5, 4)
    assert (judge.n_first_shown, judge.n_second_shown) == (2, 1)
    assert judge.columns == ("gpt", "gpt (swapped)")


def test_a_judge_that_seldom_answers_twice_has_one_vote() -> None:
    given = [(q, 1, "x", "y", "gpt", "a") for q in range(5)]
    reading = tw.read_votes(table([*given, (0, 1, "y", "x", "gpt", "a"), (1, 1, "y", "x", "gpt", "b")]))
    assert reading.votes.rule_names == ("gpt",)
    assert reading.votes.array.ravel().tolist() == [2, 0, 0, 0, 0]


def test_gold_of_several_people() -> None:
    votes = table([(q, 1, "x", "y", "gpt", "a") for q in range(4)])
    people = {0: "ab", 1: "aab", 2: "bbb", 3: "t"}
    gold = table([(q, 1, "x", "y", f"p{j}", w) for q, said in people.items() for j, w in enumerate(said)])
    with pytest.raises(tw.InvalidLabelsError, match=r"people disagree on 2 of 4 items, .*gold_majority=True"):
        tw.read_votes(votes, gold=gold)
    reading = tw.read_votes(votes, gold=gold, gold_majority=True)
    assert reading.gold.tolist() == [2, 0, 1, 2]  # no item is left out: what has no majority is a tie
    assert "people disagree on 2 of these: the majority counts, a tie where there is none (1)" in reading.notes


def test_gold_in_a_column_and_by_id() -> None:
    columns = table([(q, 1, "y", "x", "gpt", "a") for q in range(3)])
    columns["human"] = ["model_b", None, "tie"]
    assert tw.read_votes(columns, gold_column="human").gold.tolist() == [0, -1, 2]
    del columns["human"]
    assert tw.read_votes(columns, gold={"1 / turn 1: x vs y": "second"}).gold.tolist() == [-1, 1, -1]


def test_labels_name_the_preferred_system() -> None:
    reading = tw.read_votes(table(rows(4)))
    frame = tw.labels_frame(reading, tw.MajorityVote().fit(reading.votes))
    proba = np.column_stack([frame[f"p_{name}"] for name in ("first", "second", "tie")])
    for label, p, first, second in zip(frame["label"], proba, frame["first"], frame["second"], strict=True):
        assert label == (first, second, "tie")[int(p.argmax())]


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"winner": ["model_a", "model_c"]}, {}, "column 'winner' holds 'model_c' in row 1, counting from 0 .*codes="),
        ({"model_b": ["x", "x"]}, {}, "must be of two systems; row 0, counting from 0, has 'x' on both sides"),
        ({"model_a": ["x", None]}, {}, "column 'model_a' is empty in row 1"),
        ({"question_id": [1, 1]}, {}, "asked about '1 / turn 1: x vs y' a second time in row 1.*duplicates=\"first\""),
        (
            {"model_a": ["b", "b"], "model_b": ["a", "a"], "winner": ["a", "b"]},
            {},
            "'a' in column 'winner', row 0, .* is both",
        ),
        ({}, {"systems": ["model_a", "modell"]}, "there must be a column 'modell' of systems"),
        ({}, {"systems": ["model_a"]}, "systems must name two columns; found 'model_a'"),
        ({}, {"class_names": ["first", "second"]}, "have the classes 'first', 'second' and 'tie'; found class_names"),
        ({}, {"gold": {"1 / turn 1: x vs z": "first"}}, "gold ids must be among the items"),
        ({}, {"label": "who"}, "must have a column 'who'"),
    ],
)
def test_refused(change: dict[str, Any], options: dict[str, Any], message: str) -> None:
    columns = {**table([(1, 1, "x", "y", "gpt", "a"), (2, 1, "x", "y", "gpt", "t")]), **change}
    with pytest.raises(tw.ThumbwiseError, match=message):
        tw.read_votes(columns, **{"layout": "pairs", **options})


def test_gold_without_turns_is_refused() -> None:
    columns = table([(1, 1, "x", "y", "gpt", "a")])
    gold = {name: column for name, column in columns.items() if name != "turn"}
    with pytest.raises(tw.InvalidLabelsError, match="the votes have a column of turns and the other does not"):
        tw.read_votes(columns, gold=gold)


def test_other_words_are_said_with_codes() -> None:
    columns = table([(1, 1, "x", "y", "gpt", "a"), (2, 1, "x", "y", "gpt", "t"), (3, 1, "x", "y", "gpt", "t")])
    columns["winner"] = ["1", "0.5", "?"]
    reading = tw.read_votes(columns, codes={"1": "model_a", "0.5": "tie", "?": None})
    assert reading.votes.array.ravel().tolist() == [0, 2, -1]

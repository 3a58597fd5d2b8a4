"""What tw.rate refuses, with words that say how to mend it; what it gives, and that items elsewhere give the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import thumbwise as tw
from thumbwise.box.designs import ByClass, Stratified

N = 60
RNG = np.random.default_rng(0)
TRUTH = np.where(RNG.random(N) < 0.6, "pass", "fail")
OTHER = np.where(TRUTH == "pass", "fail", "pass")
ARRAY = np.where(RNG.random((N, 3)) < 0.85, TRUTH[:, None], OTHER[:, None])


def known(chosen: np.ndarray) -> np.ndarray:
    """Labels of some items."""
    labels = TRUTH.astype(object)
    labels[~chosen] = None
    return labels


Y = known(np.arange(N) < 20)
BY = np.array(["A", "B"])[np.arange(N) % 2]
FRAME = pd.DataFrame({"id": [f"i{i:02}" for i in range(N)], **dict(zip("abc", ARRAY.T, strict=True)), "system": BY})
RULES = ["a", "b", "c"]


def votes(**also: Any) -> tw.Votes:
    return tw.Votes(ARRAY, rule_names=RULES, **also)


def reading(**also: Any) -> Any:
    gold = {f"i{i:02}": TRUTH[i] for i in range(20)}
    return tw.read_votes(FRAME, item_id="id", ignore=["system"], gold=gold, **also)


def missing_at(place: int) -> np.ndarray:
    groups = BY.astype(object)
    groups[place] = None
    return groups


REFUSED: list[tuple[dict[str, Any], str]] = [
    (
        {"of": "pass", "by": np.where(np.arange(N) < 50, "A", "B")},
        "every group needs gold items; 1 of 2 have none.*'B'",
    ),
    ({"of": "pas"}, "of must name a class .'fail', 'pass'.; found 'pas'. Is 'pass' meant"),
    ({"of": ["pass"]}, "of must name a class"),
    ({}, "found neither. The classes are 'fail', 'pass'"),
    ({"of": "pass", "values": [0, 1]}, "found both"),
    ({"of": "pass", "cluster": np.arange(N) // 4, "by": BY}, "within one group; 15 of 15 cross groups, such as '0'"),
    ({"of": "pass", "cluster": np.arange(N) // 3}, "'6' with 2 of 3 items. Label the rest"),
    ({"of": "pass", "by": BY, "versus": ["A", "A"]}, "versus must name two different groups; found 'A', 'A'"),
    ({"of": "pass", "by": BY, "versus": ["A"]}, "two different groups; found 'A'"),
    ({"of": "pass", "by": BY, "versus": "AB"}, "two different groups; found 'AB'"),
    ({"of": "pass", "by": BY, "versus": 3}, "two different groups; found 3"),
    ({"of": "pass", "by": BY, "versus": ["A", "BB"]}, "versus must name a group .'A', 'B'.; found 'BB'. Is 'B' meant"),
    ({"values": {"pass": 1}}, "found {'pass': 1}, and 'fail' lies outside of what was declared"),
    ({"values": {}}, "'fail' lies outside of what was declared"),
    ({"values": [1]}, r"each of the 2 classes .* a finite number; found \[1\]"),
    ({"values": [1, float("nan")]}, "finite number"),
    ({"values": ["x", "y"]}, r"finite number; found \['x', 'y'\]"),
    ({"values": {"pass": "x", "fail": 2}}, "finite number"),
    ({"values": 3}, "finite number; found 3"),
    ({"of": "pass", "by": missing_at(7)}, "by must have a value for every item; 1 have none, the first at row 7"),
    ({"of": "pass", "by": BY[:5]}, "one value for each of 60 items; found shape .5,."),
    ({"of": "pass", "by": "system"}, "found 'system', and there are no such columns"),
    ({"of": "pass", "method": "exat"}, "method must be one of 'assisted', 'exact', 'asymptotic'; found 'exat'"),
    ({"of": "pass", "confidence_level": 95}, "write 0.95"),
    ({"versus": ["a", "d"]}, "versus must name a rule or a column .'a', 'b', 'c'.; found 'd'"),
    ({"versus": ["a", "a"]}, "two different columns"),
    ({"versus": ["a", "b"], "of": "pass"}, "found of besides"),
    ({"versus": ["a", "b"], "gold_is": ByClass({})}, "versus is for gold that is a plain random sample.*ByClass"),
    ({"of": "pass", "by": BY, "gold_is": ByClass({})}, "by is for gold that is a plain random sample"),
    ({"of": "pass", "method": "asymptotic", "gold_is": ByClass({})}, "method=asymptotic is for gold that is a plain"),
    ({"of": "pass", "gold_is": "separate"}, "y holds labels of the items.*gold_is=separate"),
]


@pytest.mark.parametrize(("asked", "message"), REFUSED, ids=[message[:40] for _, message in REFUSED])
def test_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(tw.ThumbwiseError, match=message):
        tw.rate(votes(), Y, **asked)


def test_gold_must_be_there_and_come_from_one_place() -> None:
    with pytest.raises(tw.ThumbwiseError, match="a rate needs gold labels"):
        tw.rate(votes(), of="pass")
    with pytest.raises(tw.ThumbwiseError, match=r"at least one gold label"):
        tw.rate(votes(), np.full(N, None), of="pass")
    with pytest.raises(tw.ThumbwiseError, match=r"a Reading holds its own labels. Drop y"):
        tw.rate(reading(), Y, of="pass")
    with pytest.raises(tw.ThumbwiseError, match=r"at least one gold label"):
        tw.rate(tw.read_votes(FRAME, item_id="id", ignore=["system"]), of="pass")


def test_columns_of_a_reading() -> None:
    with pytest.raises(tw.ThumbwiseError, match=r"found 'sytem', and the columns are 'system'. Is 'system' meant"):
        tw.rate(reading(), of="pass", by="sytem")
    with pytest.raises(tw.ThumbwiseError, match=r"'system' holds other values than the classes .'fail', 'pass'"):
        tw.rate(reading(), versus=["a", "system"])
    assert tw.rate(reading(), of="pass", by="system").frame() == tw.rate(votes(), Y, of="pass", by=BY).frame()


@pytest.mark.parametrize("asked", [{"values": [0, 1]}, {"of": "pass", "by": BY}, {"of": "pass", "cluster": BY}])
def test_what_needs_places_says_so(asked: dict[str, Any]) -> None:
    gold = tw.Gold(tw.Votes(ARRAY[:20], rule_names=RULES), TRUTH[:20], drawn="subset")
    with pytest.raises(tw.ThumbwiseError, match=r"known where they belong.*give the items ids"):
        tw.rate(votes(), gold, **asked)


def test_groups_must_lie_within_those_that_gold_was_drawn_by() -> None:
    drawn = votes(item_groups=BY)
    crossing = np.where(np.arange(N) % 3 > 0, "x", "y")
    with pytest.raises(tw.ThumbwiseError, match=r"within the groups that gold was drawn by.*2 of 2 groups do not"):
        tw.rate(drawn, Y, of="pass", by=crossing, gold_is=Stratified("subset"))
    with pytest.raises(tw.ThumbwiseError, match=r"versus is for gold that is a plain random sample.*Stratified"):
        tw.rate(drawn, Y, versus=["a", "b"], gold_is=Stratified("subset"))
    within = np.char.add(BY, np.where(np.arange(N) % 4 < 2, "1", "2"))
    assert len(tw.rate(drawn, Y, of="pass", by=within, gold_is=Stratified("subset"))) == 4


def test_a_row_that_is_not_there() -> None:
    rates = tw.rate(votes(), Y, of="pass", by=BY)
    assert rates["A"] is rates.rows[1]
    with pytest.raises(tw.ThumbwiseError, match="found 'C', and the rows are None, 'A', 'B'"):
        rates["C"]


KEYS = ["estimate", "lower", "upper", "confidence_level", "method", "assumption", "n_gold", "n_items", "group"]

GIVEN: list[dict[str, Any]] = [
    {"of": "pass"},
    {"of": "pass", "by": BY, "versus": ["A", "B"]},
    {"of": "pass", "method": "asymptotic", "by": BY, "versus": ["A", "B"]},
    {"versus": ["a", "b"]},
    {"values": [1, 5], "by": BY, "versus": ["B", "A"]},
    {"of": "pass", "cluster": np.arange(N) // 4},
    {"of": "pass", "gold_is": ByClass({})},
    {"of": "pass", "gold_is": Stratified("subset")},
]


@pytest.mark.parametrize("asked", GIVEN, ids=[" ".join(asked) for asked in GIVEN])
def test_numbers_as_json_are_plain(asked: dict[str, Any]) -> None:
    rates = tw.rate(votes(item_groups=BY), Y, **asked)
    given = rates.as_dict()
    assert list(given)[: len(KEYS)] == KEYS
    for row in given["rows"]:
        assert list(row)[: len(KEYS)] == KEYS
        assert [type(row[key]) for key in ("estimate", "lower", "upper", "confidence_level")] == [float] * 4
        assert [type(row[key]) for key in ("n_gold", "n_items")] == [int] * 2
        assert {type(row[key]) for key in ("asymptotic_lower", "asymptotic_upper")} <= {float, type(None)}
    assert json.loads(json.dumps(given, allow_nan=False)) == given
    assert given["rows"][0] == {key: given[key] for key in given["rows"][0]}


def test_one_gold_item_in_a_group_gives_finite_numbers() -> None:
    y = known(np.isin(np.arange(N), [0, 2, 4, 5]))
    for asked in ({"of": "pass"}, {"values": [1, 5]}):
        reported = tw.rate(votes(), y, by=BY, **asked)
        assert all(np.isfinite([row.estimate, row.lower, row.upper]).all() for row in reported)
        assert "NaN" not in json.dumps(reported.as_dict(), allow_nan=False)


def test_names_with_dashes_and_copies_in_words() -> None:
    names = np.where(BY == "A", "A - x", "B")
    words = tw.rate(votes(), Y, of="pass", by=names, versus=["A - x", "B"]).rows[-1].verdict
    assert "A - x and B" in words
    twice = tw.Votes(np.c_[ARRAY, ARRAY[:, :1]], rule_names=[*RULES, "d"])
    row = tw.rate(twice, Y, versus=["a", "d"]).rows[-1]
    assert (row.lower, row.upper) == (0, 0)
    assert row.verdict == "a and d are the same"
    assert "(estimate +0.0)" in row.claim


def test_columns_that_differ_on_no_gold_item_may_be_either() -> None:
    second = ARRAY[:, 0].copy()
    second[20:30] = np.where(second[20:30] == "pass", "fail", "pass")
    row = tw.rate(tw.Votes(np.c_[ARRAY, second], rule_names=[*RULES, "d"]), Y, versus=["a", "d"]).rows[-1]
    assert (row.estimate, row.lower, row.upper) == pytest.approx((0, -1 / 6, 1 / 6))


@pytest.mark.parametrize("n_gold", [N, 1])
def test_all_gold_and_next_to_none(n_gold: int) -> None:
    rates = tw.rate(votes(), known(np.arange(N) < n_gold), of="pass")
    share = float(np.mean(TRUTH == "pass"))
    assert rates.lower <= share <= rates.upper
    assert rates.upper - rates.lower == (0 if n_gold == N else pytest.approx(1, abs=0.05))


@pytest.mark.parametrize("asked", [{"of": "pass"}, {"of": "fail", "method": "exact"}, {"versus": ["a", "b"]}])
def test_items_in_files_give_the_same(tmp_path: Path, asked: dict[str, Any]) -> None:
    pytest.importorskip("duckdb")
    frame = FRAME.drop(columns="system")
    for part in range(3):
        frame[part::3].to_parquet(tmp_path / f"{part}.parquet")
    gold = {f"i{i:02}": TRUTH[i] for i in range(20)}
    lazy = tw.read_votes(str(tmp_path / "*.parquet"), item_id="id", gold=gold)
    held = tw.read_votes(frame, item_id="id", gold=gold)
    ours, theirs = tw.rate(lazy, **asked).as_dict()["rows"], tw.rate(held, **asked).as_dict()["rows"]
    for mine, other in zip(ours, theirs, strict=True):
        assert {key: mine[key] for key in KEYS} == {key: other[key] for key in KEYS}
    with pytest.raises(tw.ThumbwiseError, match="by needs the items in memory; these stay in files"):
        tw.rate(lazy, of="pass", by=BY)

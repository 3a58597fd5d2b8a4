"""What is likely no class is refused; what is legitimate, though it looks like it, is read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import thumbwise as tw


def frame_of(n_items: int = 100, n_classes: int = 2, n_rules: int = 3, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    array = rng.integers(-1, n_classes, size=(n_items, n_rules))
    names = np.array([*(f"c{c}" for c in range(n_classes)), None], dtype=object)
    return pd.DataFrame({"id": range(n_items), **{f"r{j}": names[array[:, j]] for j in range(n_rules)}})


@pytest.mark.parametrize("make", [lambda frame: frame, pl.from_pandas])
@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("when", pd.date_range("2024-01-01", periods=100, freq="min")),
        ("text", [f"item {i // 2}" for i in range(100)]),
        ("score", np.random.default_rng(1).random(100)),
        ("row", range(1, 101)),
    ],
)
def test_frames_too(make: Any, column: str, values: Any) -> None:
    frame = frame_of().assign(**{column: values})
    if column == "text":
        frame.loc[:1, column] = ["one", "two"]  # 51 values in 100 rows: more than half differ
    with pytest.raises(tw.InvalidVotesError, match=rf"ignore=\['{column}'\]"):
        tw.read_votes(make(frame))
    assert tw.read_votes(make(frame), ignore=[column]).votes.n_rules == 3


@pytest.mark.parametrize(("n_values", "n_rows", "is_refused"), [(10, 20, False), (11, 20, True), (19, 19, False)])
def test_how_many_values_are_too_many(n_values: int, n_rows: int, is_refused: bool) -> None:
    frame = frame_of().assign(text=[f"x{i % n_values}" if i < n_rows else None for i in range(100)])
    if is_refused:
        with pytest.raises(tw.InvalidVotesError, match="column 'text' holds 11 different values in 20 rows"):
            tw.read_votes(frame)
    else:
        assert tw.read_votes(frame).votes.n_classes == 2 + n_values


def test_a_rule_that_votes_rarely_among_many_classes_is_one() -> None:
    """Its classes are those of other rules, or of gold, or listed."""
    frame = frame_of(2000, n_classes=60)
    frame["rare"] = [f"c{i}" if i < 40 else None for i in range(2000)]
    assert tw.read_votes(frame).votes.n_rules == 4
    alone = pd.DataFrame({"id": range(30), "only": [f"c{i % 20}" for i in range(30)]})
    with pytest.raises(tw.InvalidVotesError, match="column 'only' holds 20 different values in 30 rows"):
        tw.read_votes(alone)
    names = sorted({*alone["only"]})
    assert tw.read_votes(alone, class_names=names).votes.n_classes == 20
    assert tw.read_votes(alone, gold=dict(zip(range(30), alone["only"], strict=True))).votes.n_classes == 20


def test_numbers_that_are_equal_are_one_value() -> None:
    """One rule has gaps and so floats; its classes are those of the other."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"id": range(200), "a": rng.integers(0, 40, 200)})
    frame["c"] = [float(i) if i < 30 else np.nan for i in range(200)]
    assert tw.read_votes(frame).votes.n_rules == 2


@pytest.mark.parametrize("cell", ["c0|c1", "c0 | c1", "c1;c0", "c0, c1", "c0|c1|c0", "c0|c1|"])
def test_tags_joined(cell: str) -> None:
    frame = frame_of()
    frame.loc[3, "r0"] = cell
    with pytest.raises(tw.InvalidVotesError, match=r"looks like 2 tags joined by .*say tags=\"auto\" in read_tags"):
        tw.read_votes(frame)
    assert tw.read_votes(frame, class_names=["c0", "c1", cell]).votes.n_classes == 3
    rows = [(f"q{i}", f"w{j}", frame.loc[i, f"r{j}"]) for i in range(100) for j in range(3)]
    with pytest.raises(tw.InvalidVotesError, match="looks like 2 tags"):
        tw.read_votes(pd.DataFrame(rows, columns=["task", "worker", "label"]))


def test_tags_that_are_never_alone() -> None:
    frame = pd.DataFrame({"id": range(6), "a": ["x|y", "y|z", "x|z"] * 2, "b": ["x|y", "x|z", "y|z"] * 2})
    with pytest.raises(tw.InvalidVotesError, match=r"'x\|y' looks like 2 tags joined by '\|' \(3 such values\)"):
        tw.read_votes(frame)


@pytest.mark.parametrize(
    "names",
    [
        ("Smith, John", "Smith, Ann"),
        ("red, large", "red, small", "blue, large", "blue, small"),
        ("yes", "yes, but"),
        ("a|", "a"),
        ("n/a|b", "c"),
    ],
)
def test_names_with_commas_are_classes(names: tuple[str, ...]) -> None:
    frame = pd.DataFrame({"id": range(20), "a": [names[i % len(names)] for i in range(20)]})
    assert tw.read_votes(frame).votes.class_names == tuple(sorted(names))


@pytest.mark.parametrize("names", [("Yes", "yes"), ("yes", " yes"), ("a  b", "a b"), ("STRASSE", "straße")])
def test_twins(names: tuple[str, str]) -> None:
    frame = pd.DataFrame({"id": range(9), "a": [*names, "no"] * 3})
    with pytest.raises(tw.InvalidVotesError, match=r"classes must differ by more than case and space.*3 votes, 0 gold"):
        tw.read_votes(frame)
    assert tw.read_votes(frame, class_names=[*names, "no"]).votes.n_classes == 3
    assert tw.read_votes(frame, codes={names[0]: "yes", names[1]: "yes", "no": "no"}).votes.n_classes == 2


@pytest.mark.parametrize(
    ("n_gold", "n_rare", "is_refused"),
    # Fewer than two or 2 %, and less than a tenth.
    [(10, 1, False), (11, 1, True), (99, 1, True), (99, 2, False), (101, 2, True), (200, 3, True), (200, 4, False)],
)
def test_how_rare_a_class_without_votes_may_be(n_gold: int, n_rare: int, is_refused: bool) -> None:
    frame = frame_of(300)
    gold = {i: "c2" if i < n_rare else f"c{i % 2}" for i in range(n_gold)}
    if is_refused:
        with pytest.raises(tw.InvalidLabelsError, match=rf"votes for 'c2', which is {n_rare} of {n_gold} gold labels"):
            tw.read_votes(frame, gold=gold)
        assert tw.read_votes(frame, gold=gold, class_names=["c0", "c1", "c2"]).votes.n_classes == 3
    else:
        assert tw.read_votes(frame, gold=gold).votes.n_classes == 3


def test_one_vote_makes_a_rare_class_one() -> None:
    frame = frame_of(300)
    frame.loc[5, "r0"] = "c2"
    assert tw.read_votes(frame, gold={i: "c2" if i < 1 else f"c{i % 2}" for i in range(100)}).votes.n_classes == 3

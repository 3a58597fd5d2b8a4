"""Every function that takes votes takes arrays and frames, and says the same of them as of Votes.

Classes are declared for Votes, and must be found for the others: where gold rows show fewer than the pool, where the
pool shows fewer than gold, and where labels show a class that nobody votes for. Kills, tried once: gold coded by
itself, the largest label overlooked, classes of the box or of the model not handed on, names of the pool alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import thumbwise as tw
from thumbwise.game.prediction_costs import prediction_costs
from thumbwise.models.folds import neg_log_loss

Array = npt.NDArray[Any]
N_GOLD, N_ITEMS, N_RULES = 60, 160, 3
NAMES = ["rule_0", "rule_1", "rule_2"]
BOTH_WAYS: dict[Hashable, tuple[float, float]] = {1: (0.2, 0.6)}


def columns(array: Array) -> dict[str, list[Any]]:
    return dict(zip(NAMES, array.T.tolist(), strict=True))


KINDS: dict[str, Callable[[Array], Any]] = {
    "array": np.array,
    "lists": np.ndarray.tolist,
    "pandas": lambda array: pd.DataFrame(columns(array)),
    "polars": lambda array: pl.DataFrame(columns(array)),
    "pyarrow": lambda array: pa.table(columns(array)),
}


@dataclass(frozen=True)
class Given:
    """A pool, its first items as gold, and all labels; votes of whatever kind."""

    pool: Any
    gold: Any
    truth: Array

    @property
    def gold_labels(self) -> Array:
        return self.truth[:N_GOLD]

    @property
    def y(self) -> list[Any]:
        return [*self.gold_labels.tolist(), *[None] * (N_ITEMS - N_GOLD)]

    @property
    def box(self) -> tw.Box:
        return tw.Box.from_gold(self.gold, self.gold_labels, pool=self.pool, gold_is="subset", confidence_level=0.8)

    @property
    def model(self) -> tw.BalsubramaniFreund:
        return tw.BalsubramaniFreund(on_infeasible="widen").fit(self.pool, box=self.box)


def draw(seed: int, n_classes: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_classes, size=N_ITEMS)
    wrong = rng.integers(n_classes, size=(N_ITEMS, N_RULES))
    votes = np.where(rng.random((N_ITEMS, N_RULES)) < [0.8, 0.7, 0.6], truth[:, None], wrong)
    votes[rng.random(votes.shape) < 0.2] = -1
    return votes, truth


def same_classes() -> tuple[Array, Array, int]:
    return *draw(0, 2), 2


def fewer_in_gold() -> tuple[Array, Array, int]:
    votes, truth = draw(1, 3)
    votes[:N_GOLD][votes[:N_GOLD] == 2] = -1
    return votes, truth, 3


def more_in_labels() -> tuple[Array, Array, int]:
    votes, truth = draw(2, 3)
    truth[[3, 40, 100]] = 3
    return votes, truth, 4


PROBLEMS = {make.__name__: make for make in (same_classes, fewer_in_gold, more_in_labels)}


def box_numbers(box: tw.Box) -> Any:
    return [box.names, box.lower.tolist(), box.upper.tolist(), box.class_names, str(box.evidence)]


def range_numbers(found: Any) -> Any:
    return [found.lower, found.upper, str(found)]


def frame_numbers(frame: Any) -> Any:
    if isinstance(frame, dict):
        return {name: np.ma.asarray(column).tolist() for name, column in frame.items()}
    return nw.from_native(frame).to_dict(as_series=False)


def written(write: Callable[[Path], object], path: Path) -> bytes:
    write(path)
    return path.read_bytes()


def certified(given: Given) -> Any:
    found = tw.certify(given.truth, given.pool, given.box, versus=np.roll(given.truth, 1))
    costs = prediction_costs(given.truth, given.pool, "accuracy")
    costs -= prediction_costs(np.roll(given.truth, 1), given.pool, "accuracy")
    return [range_numbers(found), found.verify(costs, given.pool, given.box)]


def compared(given: Given) -> Any:
    methods = ["majority vote", "class frequencies"]
    found = tw.compare(given.gold, given.gold_labels, pool=given.pool, gold_is="subset", methods=methods, n_folds=3)
    return {name: column for name, column in found.frame().items() if name != "seconds"}


def soft(given: Given) -> Array:
    return np.eye(int(given.truth.max()) + 1)[given.truth] * 0.6 + 0.4 / (int(given.truth.max()) + 1)


def amcl(given: Given) -> Any:
    model = tw.AMCL(on_infeasible="widen").fit(given.pool, gold_votes=given.gold, gold_labels=given.gold_labels)
    return [model.classes_.tolist(), model.weights_.tolist(), model.brier_bound_]


def crowd_kit(given: Given) -> Any:
    labels, probas = tw.as_crowd_kit(given.pool, given.model.predict_proba(given.pool))
    return [labels.to_dict(), probas.to_dict()]


ENTRIES: dict[str, Callable[[Given, Path], Any]] = {
    "fit with labels": lambda given, _: box_numbers(tw.BalsubramaniFreund().fit(given.pool, given.y).box_),
    "fit to a box": lambda given, _: given.model.predict_proba(given.pool).tolist(),
    "fit of AMCL": lambda given, _: amcl(given),
    "score": lambda given, _: given.model.score(given.pool, given.truth),
    "neg_log_loss": lambda given, _: neg_log_loss(given.model, given.pool, given.y),
    "Box.from_gold": lambda given, _: box_numbers(tw.Box.from_gold(given.gold, given.gold_labels, pool=given.pool)),
    "Box.from_gold by class": lambda given, _: box_numbers(
        tw.Box.from_gold(given.gold, given.gold_labels, pool=given.pool, gold_is=tw.designs.ByClass(BOTH_WAYS))
    ),
    "Box.exact": lambda given, _: box_numbers(tw.Box.exact(given.pool, given.truth)),
    "Box.exact of probabilities": lambda given, _: box_numbers(tw.Box.exact(given.pool, soft(given))),
    "Box.with_bounds": lambda given, _: box_numbers(given.box.with_bounds(given.pool, {"rule_0": (0.1, 1)})),
    "plan": lambda given, _: vars(tw.plan(given.gold, given.gold_labels, pool=given.pool, gold_is="subset")),
    "compare": lambda given, _: compared(given),
    "certify": lambda given, _: certified(given),
    "certify one class": lambda given, _: range_numbers(tw.certify(np.zeros(N_ITEMS), given.pool, given.box)),
    "share_range": lambda given, _: range_numbers(
        tw.share_range(given.pool, given.box, group=range(0, N_ITEMS, 3), of=1)
    ),
    "add_rule": lambda given, _: box_numbers(tw.Box.exact(tw.add_rule(given.pool, given.truth), given.truth)),
    "check": lambda given, _: str(
        tw.check(given.pool, given.gold, given.gold_labels, gold_is="subset", skip=["TW302"])
    ),
    "check of a box": lambda given, _: str(tw.check(given.pool, box=given.box)),
    "check of a model": lambda given, _: str(
        tw.check(given.pool, given.gold, given.gold_labels, model=given.model, skip=["TW302"])
    ),
    "check of a model alone": lambda given, _: str(tw.check(given.pool, model=given.model)),
    "labels_frame": lambda given, _: frame_numbers(tw.labels_frame(given.pool, given.model)),
    "write_labels": lambda given, path: written(
        lambda p: tw.write_labels(given.pool, given.model, p), path / "labels.csv"
    ),
    "write_report": lambda given, path: written(
        lambda p: tw.write_report(given.pool, p, y=given.y), path / "report.html"
    ),
    "write_report of a model": lambda given, path: written(
        lambda p: tw.write_report(given.pool, p, model=given.model), path / "report.html"
    ),
    "as_crowd_kit": lambda given, _: crowd_kit(given),
}
# What has no labels to look at finds classes in the votes alone.
WITHOUT_LABELS: dict[str, Callable[[Given, Path], Any]] = {
    "Box.from_bounds": lambda given, _: box_numbers(tw.Box.from_bounds(given.pool, {"rule_0": (0.7, 0.9)})),
    "check": lambda given, _: str(tw.check(given.pool)),
    "write_votes": lambda given, path: written(
        lambda p: tw.write_votes(given.pool, p, overwrite=True), path / "votes.csv"
    ),
}


def says_the_same(entry: Callable[[Given, Path], Any], given: Given, reference: Given, folder: Path) -> None:
    found, expected = entry(given, folder), entry(reference, folder)
    np.testing.assert_equal(found, expected)


@cache
def numbers_of_votes(entry: str, problem: str) -> Any:
    votes, truth, n_classes = PROBLEMS[problem]()
    read = tw.Votes(votes, n_classes=n_classes)
    with TemporaryDirectory() as folder:
        return ENTRIES[entry](Given(read, read.take(range(N_GOLD)), truth), Path(folder))


CASES = [(kind, "more_in_labels") for kind in KINDS]
CASES += [(kind, problem) for kind in ("array", "pandas") for problem in ("same_classes", "fewer_in_gold")]


# A report reads votes as the other entries do, and takes a hundred times as long.
SLOW = ("write_report", "write_report of a model")
OF_ENTRIES = [(entry, *case) for entry in ENTRIES for case in (CASES if entry not in SLOW else CASES[2:4])]


@pytest.mark.parametrize(("entry", "kind", "problem"), OF_ENTRIES)
def test_every_kind_gives_the_numbers_of_votes(entry: str, kind: str, problem: str, tmp_path: Path) -> None:
    votes, truth, _ = PROBLEMS[problem]()
    given = Given(KINDS[kind](votes), KINDS[kind](votes[:N_GOLD]), truth)
    np.testing.assert_equal(ENTRIES[entry](given, tmp_path), numbers_of_votes(entry, problem))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("entry", WITHOUT_LABELS)
def test_votes_alone(entry: str, kind: str, tmp_path: Path) -> None:
    votes, truth, n_classes = fewer_in_gold()
    given, read = Given(KINDS[kind](votes), None, truth), tw.Votes(votes, n_classes=n_classes)
    says_the_same(WITHOUT_LABELS[entry], given, Given(read, None, truth), tmp_path)


@pytest.mark.parametrize("which", ["pool", "gold"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("entry", ["Box.from_gold", "plan", "compare", "check", "fit of AMCL"])
def test_one_side_that_is_read_brings_its_classes(entry: str, kind: str, which: str, tmp_path: Path) -> None:
    """Four classes are declared, of which votes and labels show three."""
    votes, truth, _ = fewer_in_gold()
    read, make = tw.Votes(votes, n_classes=4), KINDS[kind]
    gold = read.take(range(N_GOLD))
    given = Given(read, make(votes[:N_GOLD]), truth) if which == "pool" else Given(make(votes), gold, truth)
    says_the_same(ENTRIES[entry], given, Given(read, gold, truth), tmp_path)


WORDS = np.array(["eggs", "ham", "spam", None], dtype=object)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("swap", [False, True])
def test_names_are_those_of_gold_and_pool_together(kind: str, swap: bool) -> None:
    """Gold has no vote for spam, or the pool has none, and gold_votes and pool are numbered alike all the same."""
    votes, truth, _ = fewer_in_gold()
    gold, pool = (votes[N_GOLD:], votes[:N_GOLD]) if swap else (votes[:N_GOLD], votes[N_GOLD:])
    labels = WORDS[truth[N_GOLD:]] if swap else WORDS[truth[:N_GOLD]]
    box = tw.Box.from_gold(KINDS[kind](WORDS[gold]), labels, pool=KINDS[kind](WORDS[pool]))
    read = [tw.Votes(WORDS[part], class_names=["eggs", "ham", "spam"]) for part in (gold, pool)]
    np.testing.assert_equal(box_numbers(box), box_numbers(tw.Box.from_gold(read[0], labels, pool=read[1])))
    assert box.class_names == ("eggs", "ham", "spam")


def test_gold_rows_of_one_class_are_no_puzzle() -> None:
    """Alone, votes for class 0 only do not tell how many classes there are; beside the pool they do."""
    pool = np.array([[0, 1], [1, 1], [0, 0], [1, 0]])
    box = tw.Box.from_gold([[0, 0], [0, -1]], [0, 0], pool=pool)
    read = tw.Votes(pool)
    gold = tw.Votes([[0, 0], [0, -1]], n_classes=2)
    assert box_numbers(box) == box_numbers(tw.Box.from_gold(gold, [0, 0], pool=read))


def test_named_columns_are_matched_by_name_and_others_by_place() -> None:
    votes, truth, _ = same_classes()
    frame = pd.DataFrame(votes, columns=["a", "b", "c"])
    expected = tw.Box.from_gold(frame[:N_GOLD], truth[:N_GOLD], pool=frame)
    turned = tw.Box.from_gold(frame[:N_GOLD][["c", "a", "b"]], truth[:N_GOLD], pool=frame)
    unnamed = tw.Box.from_gold(votes[:N_GOLD], truth[:N_GOLD], pool=frame)
    assert expected.names[0] == "accuracy(a)"
    assert box_numbers(turned) == box_numbers(unnamed) == box_numbers(expected)
    with pytest.raises(tw.InvalidLabelsError, match="same rules"):
        tw.Box.from_gold(frame[:N_GOLD].rename(columns={"a": "z"}), truth[:N_GOLD], pool=frame)


@pytest.mark.parametrize(
    ("gold", "labels", "pool", "error", "says"),
    [
        ([["ham"], ["spam"]], ["ham", "spam"], [[0], [1]], tw.InvalidVotesError, "numbers and the other strings"),
        ([["ham"], ["spam"]], ["ham", "eggs"], [["ham"], ["spam"]], tw.InvalidLabelsError, "'eggs' at position 1"),
        ([[0], [0]], [0, 0], [[0], [0]], tw.InvalidVotesError, "class 0 only"),
        ([[0], [1]], [0, 1], [[0], [0.5]], tw.InvalidVotesError, "found 0.5"),
        ([[0], [0]], [0, 0], [[0], [0.5]], tw.InvalidVotesError, "found 0.5"),
        ([[0], [1]], [0, 1], [[0], [np.inf]], tw.InvalidVotesError, "found inf"),
        ([[0], [1]], [0, 1], [[0], [10**6]], tw.InvalidVotesError, "would make 1000001 classes"),
        ([[0], [1]], [0, 10**6], [[0], [1]], tw.InvalidLabelsError, "labels must be class numbers; found 1000000"),
        ([[0], [3]], [0, 1], tw.Votes([[0], [1]]), tw.InvalidVotesError, r"0\.\.1 .*found 3 at item 1"),
        (tw.Votes([[0], [1]]), [0, 1], [[0], [3]], tw.InvalidVotesError, r"0\.\.1 .*found 3 at item 1"),
        ([0, 1], [0, 1], [[0], [1]], tw.InvalidVotesError, "two-dimensional"),
    ],
)
def test_what_cannot_be_read_together_is_said(
    gold: Any, labels: Any, pool: Any, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        tw.Box.from_gold(gold, labels, pool=pool)


def test_frames_with_a_name_twice_are_refused_by_name() -> None:
    frame = pd.DataFrame([[0, 1], [1, 1]], columns=["a", "a"])
    with pytest.raises(tw.InvalidVotesError, match="several columns named 'a'"):
        tw.MajorityVote().fit(frame)
    with pytest.raises(tw.InvalidVotesError, match="several columns named 'a'"):
        tw.Box.from_bounds(frame)


def test_labels_of_a_frame_come_back_as_its_kind_with_its_index() -> None:
    votes, truth, _ = same_classes()
    ids = [f"q{i}" for i in range(N_ITEMS)]
    frame = pd.DataFrame(votes, columns=NAMES, index=pd.Index(ids, name="mail"))
    model = tw.MajorityVote().fit(frame)
    found = tw.labels_frame(frame, model)
    assert isinstance(found, pd.DataFrame) and found["mail"].tolist() == ids
    assert tw.labels_frame(frame.rename_axis(None), model).columns[0] == "item_id"
    assert isinstance(tw.labels_frame(pl.DataFrame(columns(votes)), model), pl.DataFrame)
    assert next(iter(tw.labels_frame(votes, model))) == "item"
    assert len(truth) == len(found)


def test_a_saved_model_keeps_the_classes_of_its_box(tmp_path: Path) -> None:
    votes, truth, _ = more_in_labels()
    model = tw.BalsubramaniFreund().fit(votes, np.where(np.arange(N_ITEMS) < N_GOLD, truth, -1))
    model.save(tmp_path / "model.json")
    loaded = tw.load(tmp_path / "model.json")
    assert loaded.box_.class_names == model.box_.class_names == (0, 1, 2, 3)
    assert range_numbers(tw.certify(truth, votes, loaded.box_)) == range_numbers(tw.certify(truth, votes, model.box_))


@pytest.mark.parametrize("kind", KINDS)
def test_a_class_that_only_gold_rows_show_counts(kind: str) -> None:
    gold, pool = np.array([[2, 0, 1], [1, 1, 0]]), np.array([[0, 1, 1], [1, 0, 0], [0, 0, 1]])
    box = tw.Box.from_gold(KINDS[kind](gold), [0, 1], pool=KINDS[kind](pool))
    read = [tw.Votes(array, n_classes=3) for array in (gold, pool)]
    assert box_numbers(box) == box_numbers(tw.Box.from_gold(read[0], [0, 1], pool=read[1]))

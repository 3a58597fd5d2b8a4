"""The four crowds: sizes, votes that are those of the rows, and malformed files."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import thumbwise as tw
from thumbwise.datasets import CROWD_NAMES, load_crowd
from thumbwise.exceptions import InvalidChoiceError

# Items, workers, votes, classes, items whose truth is told; the first three and the last are counted in the files with
# other means (cut, sort, uniq, wc).
SIZES = {
    "bluebird": (108, 39, 4212, 2, 108),
    "dog": (807, 109, 8070, 4, 807),
    "rte": (800, 164, 8000, 2, 800),
    "web": (2665, 177, 15567, 5, 2653),
}


@pytest.mark.parametrize("name", CROWD_NAMES)
def test_sizes(name: str, folder_with_crowds: Path) -> None:
    crowd = load_crowd(name, folder_with_crowds)
    n_items, n_workers, n_votes, n_classes, n_told = SIZES[name]
    assert (crowd.votes.n_items, crowd.votes.n_rules, crowd.votes.n_classes) == (n_items, n_workers, n_classes)
    assert int(crowd.votes.n_votes_per_item.sum()) == n_votes
    assert int((crowd.labels >= 0).sum()) == n_told
    assert set(crowd.labels[crowd.labels >= 0].tolist()) == set(range(n_classes))


@pytest.mark.parametrize("name", CROWD_NAMES)
def test_votes_and_truth_are_those_of_the_rows(name: str, folder_with_crowds: Path) -> None:
    folder = folder_with_crowds / "crowd" / name
    crowd = load_crowd(name, folder.parent)
    place = {value: i for i, value in enumerate(crowd.votes.item_ids.tolist())}
    rule = {value: j for j, value in enumerate(crowd.votes.rule_names)}
    expected = np.full((len(place), len(rule)), -1)
    with (folder / "label.csv").open() as lines:
        for row in csv.DictReader(lines):
            expected[place[int(row["item"])], rule[row["worker"]]] = int(row["label"])
    np.testing.assert_array_equal(crowd.votes.array, expected)
    truth = np.full(len(place), -1)
    with (folder / "truth.csv").open() as lines:
        for row in csv.DictReader(lines):
            truth[place[int(row["item"])]] = int(row["truth"])
    np.testing.assert_array_equal(crowd.labels, truth)


def write(folder: Path, label: str, truth: str) -> Path:
    home = folder / "crowd" / "rte"
    home.mkdir(parents=True)
    (home / "label.csv").write_text(label)
    (home / "truth.csv").write_text(truth)
    return folder


def test_items_without_votes_or_truth_are_kept(tmp_path: Path) -> None:
    folder = write(tmp_path, "item,worker,label\n5,10,1\n5,9,0\n2,9,1\n", "item,truth\n7,2\n5,0\n")
    crowd = load_crowd("rte", folder)
    assert crowd.votes.item_ids.tolist() == [2, 5, 7]
    assert crowd.votes.rule_names == ("9", "10")
    assert crowd.votes.array.tolist() == [[1, -1], [0, 1], [-1, -1]]
    assert crowd.labels.tolist() == [-1, 0, 2]
    assert crowd.votes.n_classes == 3


GOOD_LABEL, GOOD_TRUTH = "item,worker,label\n0,0,1\n1,0,0\n", "item,truth\n0,1\n1,0\n"


@pytest.mark.parametrize(
    ("label", "truth", "parts"),
    [
        ("item,who,label\n0,0,1\n", GOOD_TRUTH, ("label.csv", "'worker'", "'who'")),
        ("item,worker,label\n0,0,yes\n", GOOD_TRUTH, ("'label'", "label.csv", "whole number")),
        ("item,worker,label\n0,0,1\n1,0,\n", GOOD_TRUTH, ("'label'", "row 1", "empty")),
        ("item,worker,label\n0,0,-2\n", GOOD_TRUTH, ("found -2 in row 0", "1 such")),
        ("item,worker,label\n0,0,1000000000\n", GOOD_TRUTH, ("found 1000000000",)),
        (GOOD_LABEL, "item,truth\n0,1\n0,1\n", ("truth.csv", "item 0 has 2 rows")),
        (GOOD_LABEL, "item,truth\n0,5000\n", ("truth.csv", "found 5000")),
        (GOOD_LABEL, "", ("truth.csv", "empty")),
    ],
)
def test_malformed_files_are_refused(label: str, truth: str, parts: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(tw.InvalidFileError) as caught:
        load_crowd("rte", write(tmp_path, label, truth))
    assert not [part for part in parts if part not in str(caught.value)], str(caught.value)


def test_a_worker_who_votes_twice_on_an_item_is_refused(tmp_path: Path) -> None:
    with pytest.raises(tw.InvalidFileError, match=r"label\.csv.*item 0, worker 0 has 2 rows"):
        load_crowd("rte", write(tmp_path, "item,worker,label\n0,0,1\n0,0,0\n", GOOD_TRUTH))


def test_the_error_says_where_it_looked_and_where_the_files_are_published(tmp_path: Path) -> None:
    with pytest.raises(tw.InvalidFileError) as caught:
        load_crowd("dog", tmp_path)
    for part in (str(tmp_path / "crowd" / "dog"), "the folder that was passed", "truth-inference-at-scale"):
        assert part in str(caught.value)


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(InvalidChoiceError, match=r"'bluebird', 'dog', 'rte', 'web'; found 'cat'"):
        load_crowd("cat")

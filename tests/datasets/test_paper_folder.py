"""Where the paper's files are looked for: the argument, then THUMBWISE_DATA, then the user's cache."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import thumbwise as tw
from thumbwise.datasets import find_paper_folder, load_paper
from thumbwise.exceptions import InvalidChoiceError

Writer = Callable[..., Path]
pytestmark = pytest.mark.usefixtures("no_data_from_elsewhere")


def test_a_small_set_is_read_as_written(write_paper: Writer) -> None:
    dataset = load_paper("youtube", write_paper())
    assert dataset.votes.array.tolist() == [[0, -1], [1, 1], [0, 0], [1, -1], [0, 1], [1, 1]]
    assert dataset.labels.tolist() == [0, 1, 0, 1, 1, 1]
    assert dataset.gold_votes.array.tolist() == [[0, -1], [1, 1], [0, 0]]
    assert dataset.gold_labels.tolist() == [0, 1, 0]
    assert dataset.test_votes.array.tolist() == [[0, -1], [1, 1]]
    assert dataset.test_labels.tolist() == [0, 1]
    assert dataset.filled_votes.array.tolist() == [[0, 1], [1, 1], [0, 0], [1, 1], [0, 1], [1, 1]]
    assert dataset.filled_gold_votes.array.tolist() == [[0, 1], [1, 1], [0, 0]]


def test_the_folder_or_the_one_around_it(write_paper: Writer) -> None:
    folder = write_paper()
    assert find_paper_folder(folder) == folder
    assert find_paper_folder(str(folder.parent)) == folder


def test_the_argument_comes_before_the_variable_and_the_variable_before_the_cache(
    write_paper: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_paper()
    cached = Path(shutil.copytree(folder, tmp_path / "cache" / "thumbwise" / "paper"))
    assert find_paper_folder() == cached
    named = Path(shutil.copytree(folder, tmp_path / "named"))
    monkeypatch.setenv("THUMBWISE_DATA", str(named))
    assert find_paper_folder() == named
    assert find_paper_folder(folder) == folder


def test_a_named_folder_without_files_is_not_replaced_by_another(
    write_paper: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THUMBWISE_DATA", str(write_paper()))
    with pytest.raises(tw.InvalidFileError, match="the folder that was passed"):
        find_paper_folder(tmp_path / "empty")


def test_the_error_says_where_it_looked_and_how_to_get_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(tw.InvalidFileError) as caught:
        load_paper("imdb")
    for part in (str(tmp_path / "cache" / "thumbwise" / "paper"), "the user's cache", "thumbwise.datasets.fetch_paper"):
        assert part in str(caught.value)
    monkeypatch.setenv("THUMBWISE_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(tw.InvalidFileError, match="THUMBWISE_DATA") as caught:
        load_paper("imdb")
    assert str(tmp_path / "nowhere") in str(caught.value)


def test_a_relative_cache_folder_is_ignored_as_the_convention_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    with pytest.raises(tw.InvalidFileError, match=str(Path.home() / ".cache" / "thumbwise")):
        find_paper_folder()


def test_classes_are_those_of_labels_and_votes_of_all_parts(write_paper: Writer) -> None:
    """A class that only a test label has, or only a validation vote, is declared for all parts."""
    seen_in_label = load_paper("youtube", write_paper({"test_labels": np.array([[0, 4]])}))
    assert {seen_in_label.votes.n_classes, seen_in_label.gold_votes.n_classes} == {5}
    seen_in_vote = load_paper("youtube", write_paper({"test_pred": np.array([[0, -1], [1, 3]])}))
    assert {seen_in_vote.votes.n_classes, seen_in_vote.filled_votes.n_classes} == {4}


def test_one_class_alone_is_two(write_paper: Writer) -> None:
    zeros = {name: np.zeros((1, n)) for name, n in (("train_labels", 6), ("validation_labels", 3), ("test_labels", 2))}
    votes = {name: np.zeros((n, 2)) for name, n in (("train_pred", 6), ("val_pred", 3), ("test_pred", 2))}
    assert load_paper("youtube", write_paper({**zeros, **votes})).votes.n_classes == 2


def test_without_abstentions_no_filled_file_is_needed(write_paper: Writer) -> None:
    folder = write_paper({"train_pred": np.ones((6, 2)), "val_pred": np.zeros((3, 2))})
    (folder / "youtube_filled.mat").unlink()
    dataset = load_paper("youtube", folder)
    assert dataset.filled_votes is dataset.votes
    assert dataset.filled_gold_votes is dataset.gold_votes


def test_an_unknown_name_lists_the_known_ones(write_paper: Writer) -> None:
    with pytest.raises(InvalidChoiceError, match=r"'aa2', 'basketball'.*found 'AwA'"):
        load_paper("AwA", write_paper())

"""WRENCH folders: read as written, leaked gold kept out of the pool, malformed JSON refused in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import thumbwise as tw
from thumbwise.datasets import load_wrench


def items(*rows: tuple[Any, list[Any], str | None]) -> dict[str, Any]:
    return {
        str(i): {"label": label, "weak_labels": votes, "data": {} if text is None else {"text": text}}
        for i, (label, votes, text) in enumerate(rows)
    }


def usual() -> dict[str, Any]:
    return {
        "label.json": {"1": "spam", "0": "ham", "2": "other"},
        "train.json": items((1, [-1, 1], "win"), (0, [0, 0], "hi"), (2, [-1, -1], "?"), (None, [1, 0], "yo")),
        "valid.json": items((1, [1, 1], None), (0, [0, -1], "hello")),
        "test.json": items((0, [0, 0], "bye")),
    }


Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write the usual folder with some files changed: an object, text as it is, or None for no file."""

    def write_folder(changed: dict[str, Any] | None = None) -> Path:
        for name, content in {**usual(), **(changed or {})}.items():
            if content is not None:
                text = content if isinstance(content, (str, bytes)) else json.dumps(content)
                (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path

    return write_folder


def test_a_folder_is_read_as_written(write: Write) -> None:
    found = load_wrench(write())
    assert found.votes.class_names == ("ham", "spam", "other")
    assert found.votes.array.tolist() == [[-1, 1], [0, 0], [-1, -1], [1, 0]]
    assert found.labels.tolist() == [1, 0, 2, -1]
    assert found.votes.item_ids.tolist() == ["train/0", "train/1", "train/2", "train/3"]
    assert found.gold_votes.array.tolist() == [[1, 1], [0, -1]]
    assert found.gold_labels.tolist() == [1, 0]
    assert found.test_votes.array.tolist() == [[0, 0]]
    assert found.test_labels.tolist() == [0]
    assert found.texts == ("win", "hi", "?", "yo")
    assert found.gold_texts is None
    assert found.test_texts == ("bye",)
    assert found.leaked_ids == ()


def test_ids_of_different_files_never_meet(write: Write) -> None:
    """Every file numbers its items from 0; under equal ids gold would be taken for pool items."""
    found = load_wrench(write())
    parts = (found.votes, found.gold_votes, found.test_votes)
    assert len({value for votes in parts for value in votes.item_ids.tolist()}) == sum(map(len, parts))


@pytest.mark.parametrize(
    "listed", [["1", "2"], [1, 2, 1], {"labeled_ids": ["1"], "lf_exemplar_ids": ["2", "1"]}], ids=repr
)
def test_labeled_items_are_kept_out_of_the_pool(listed: object, write: Write) -> None:
    found = load_wrench(write({"labeled_ids.json": listed}))
    assert found.votes.item_ids.tolist() == ["train/0", "train/3"]
    assert found.votes.array.tolist() == [[-1, 1], [1, 0]]
    assert found.labels.tolist() == [1, -1]
    assert found.texts == ("win", "yo")
    assert set(found.leaked_ids) == {"train/1", "train/2"}


def test_ids_need_not_be_numbers_and_need_no_data(write: Write) -> None:
    found = load_wrench(write({"test.json": {"x-7": {"label": 2, "weak_labels": [2, -1]}}}))
    assert found.test_votes.item_ids.tolist() == ["test/x-7"]
    assert found.test_texts is None


BAD: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "no file": ({"valid.json": None}, ("there is no file", "valid.json")),
    "no classes": ({"label.json": None}, ("there is no file", "label.json")),
    "no JSON": ({"train.json": "{'0': 1}"}, ("train.json", "must be JSON")),
    "cut off": ({"train.json": '{"0": {"label": 1, "weak_la'}, ("train.json", "must be JSON")),
    "not UTF-8": ({"train.json": b'{"0": "\xff\xfe"}'}, ("train.json", "must be JSON")),
    "nothing": ({"train.json": ""}, ("train.json", "must be JSON")),
    "deep": ({"train.json": "[" * 200_000}, ("train.json", "must be JSON")),
    "NaN": ({"test.json": '{"0": {"label": NaN, "weak_labels": [0, 0]}}'}, ("test.json", "NaN")),
    "an id twice": (
        {"test.json": '{"7": {"label": 0, "weak_labels": [0, 0]}, "7": {"label": 1, "weak_labels": [0, 0]}}'},
        ("test.json", "'7' occurs twice"),
    ),
    "a list": ({"train.json": [1, 2]}, ("train.json", "object of ids", "[1, 2]")),
    "no items": ({"train.json": {}}, ("train.json", "found {}")),
    "item no object": ({"train.json": {"a": 3}}, ("item 'a'", "weak_labels", "found 3")),
    "no votes": ({"train.json": {"a": {"label": 0}}}, ("item 'a'", "weak_labels", "found None")),
    "no rule": ({"train.json": {"a": {"label": 0, "weak_labels": []}}}, ("item 'a'", "found []")),
    "half a vote": ({"train.json": items((0, [0, 0.5], None))}, ("item '0'", "whole numbers", "[0, 0.5]")),
    "truth value": ({"train.json": items((0, [0, True], None))}, ("item '0'", "whole numbers")),
    "vote too large": (
        {"train.json": items((0, [0, 1], None), (0, [3, 9], None))},
        ("classes 0 to 2", "found 3 at item '1'", "2 such"),
    ),
    "vote enormous": ({"train.json": items((0, [0, 10**30], None))}, ("classes 0 to 2", "item '0'")),
    "vote below -1": ({"train.json": items((0, [0, -2], None))}, ("found -2", "-1 for abstain")),
    "ragged": ({"train.json": items((0, [0, 1], None), (0, [0], None))}, ("2 entries at item '0'", "1 at item '1'")),
    "other rules": ({"valid.json": items((0, [0], None))}, ("train.json has 2", "valid.json 1")),
    "label too large": ({"valid.json": items((3, [0, 0], None))}, ('"label"', "found 3 at item '0'")),
    "several labels": ({"valid.json": items(([0, 1], [0, 0], None))}, ("found [0, 1]", "several labels")),
    "label in words": ({"valid.json": items(("ham", [0, 0], None))}, ("found 'ham'",)),
    "one class": ({"label.json": {"0": "ham"}}, ("label.json", "two or more")),
    "classes from 1": ({"label.json": {"1": "ham", "2": "spam"}}, ("class 0 is missing", "'1', '2'")),
    "equal classes": ({"label.json": {"0": "ham", "1": "ham"}}, ("name of its own", "class 1", "'ham'")),
    "class no name": ({"label.json": {"0": "ham", "1": None}}, ("class 1", "None")),
    "strange leaked id": ({"labeled_ids.json": ["99"]}, ("labeled_ids.json", "1 of 1", "'99'")),
    "leaked ids no list": ({"labeled_ids.json": "7"}, ("labeled_ids.json", "list of ids")),
    "leaked id no id": ({"labeled_ids.json": [None]}, ("labeled_ids.json", "found None")),
    "all leaked": ({"labeled_ids.json": ["0", "1", "2", "3"]}, ("leave items", "all 4")),
}


@pytest.mark.parametrize("kind", BAD)
def test_malformed_folders_are_refused(kind: str, write: Write) -> None:
    changed, parts = BAD[kind]
    with pytest.raises(tw.InvalidFileError) as caught:
        load_wrench(write(changed))
    text = str(caught.value)
    assert not [part for part in parts if part not in text], text
    assert text.endswith(".")
    assert len(text) < 600


def test_large_files_are_refused_before_they_are_read(write: Write) -> None:
    folder = write()
    size = (folder / "train.json").stat().st_size
    assert len(load_wrench(folder, max_bytes=size).votes) == 4
    with pytest.raises(tw.InvalidFileError, match=rf"train\.json must have at most {size - 1}.*max_bytes"):
        load_wrench(folder, max_bytes=size - 1)

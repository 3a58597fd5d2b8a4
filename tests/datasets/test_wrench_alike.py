"""Items of a WRENCH file that are taken apart together are what each alone is, and so are the errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thumbwise.exceptions import InvalidFileError
from thumbwise.io import wrench_format
from thumbwise.io.wrench_format import WrenchPart, read_part

PLAIN = {
    "a": {"label": 1, "weak_labels": [-1, 2], "data": {"text": "true: {", "n": 1}},
    "b": {"label": 0, "weak_labels": [0, 1], "data": {"text": "ü\n", "n": 2.5}},
}


def with_changes(**changes: Any) -> str:
    """The plain items, with keys of the second one changed."""
    return json.dumps({**PLAIN, "b": {**PLAIN["b"], **changes}})


def with_all(**changes: Any) -> str:
    return json.dumps({name: {**item, **changes} for name, item in PLAIN.items()})


ALIKE = [
    json.dumps(PLAIN),
    with_changes(label=None),
    with_all(data={"text": "t", "spans": [0, 5, None]}),
    with_all(data="only a text"),
    with_all(data={}),
    with_all(more=[1, "b"]),
    '{"a": {"weak_labels": [1]}}',
]
NOT_ALIKE = [
    with_changes(weak_labels=[True, 1]),
    with_changes(weak_labels=[1.0, 1]),
    with_changes(weak_labels=[None, 1]),
    with_changes(weak_labels=[]),
    with_changes(weak_labels="01"),
    with_changes(label="1"),
    with_changes(label=True),
    with_changes(label=[1]),
    with_changes(data={"n": 1}),
    with_changes(data=None),
    with_changes(more=1),
    with_changes(data={"n": 1, "text": "another order"}),
    with_all(data={"text": {"deep": 1}}),
    with_all(more={"deep": [1]}),
    with_all(more=[{"deep": 1}]),
    '{"a": {"weak_labels": [1]}, "a": {"weak_labels": [1]}}',
    '{"a": {"weak_labels": [1], "weak_labels": [0]}}',
    '{"a": {"weak_labels": [1], "data": {"text": "t", "text": "t"}}}',
    '{"a": {"weak_labels": [1], "more": [{"t": 1, "t": 2}]}}',
    '{"a": {"weak_labels": [1], "more": [[{"t": 1, "t": 2}]]}}',
    "{}",
    "[]",
    '{"a": 3}',
    '{"a": {}}',
    '{"a": {"weak_labels": [NaN]}}',
    '{"a": {"weak_labels": [1]}',
]
WRONG = [
    with_changes(weak_labels=[1, 2, 0]),
    with_changes(weak_labels=[1, 3]),
    with_changes(weak_labels=[1, 10**30]),
    with_changes(weak_labels=[1, -(10**30)]),
    with_changes(label=-2),
]


def outcome(path: Path) -> WrenchPart | str:
    try:
        return read_part(path, 3)
    except InvalidFileError as error:
        return str(error)


@pytest.mark.parametrize(("text", "is_alike"), [*((t, True) for t in ALIKE + WRONG), *((t, False) for t in NOT_ALIKE)])
def test_together_is_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, is_alike: bool) -> None:
    path = tmp_path / "train.json"
    path.write_text(text)
    seen: list[bool] = []
    read_alike = wrench_format._read_alike

    def watched(content: Any) -> Any:
        found = read_alike(content)
        seen.append(found is not None)
        return found

    monkeypatch.setattr(wrench_format, "_read_alike", watched)
    together = outcome(path)
    assert any(seen) == is_alike
    monkeypatch.setattr(wrench_format, "_read_alike", lambda _: None)
    alone = outcome(path)
    if isinstance(together, str) or isinstance(alone, str):
        assert together == alone
        return
    assert (together.ids, together.texts) == (alone.ids, alone.texts)
    np.testing.assert_array_equal(together.votes, alone.votes)
    np.testing.assert_array_equal(together.labels, alone.labels)
    held = json.loads(text)
    assert together.votes.tolist() == [item["weak_labels"] for item in held.values()]
    assert together.labels.tolist() == [-1 if item.get("label") is None else item["label"] for item in held.values()]


def test_texts_are_kept(tmp_path: Path) -> None:
    (tmp_path / "train.json").write_text(ALIKE[0])
    assert read_part(tmp_path / "train.json", 3).texts == ("true: {", "ü\n")

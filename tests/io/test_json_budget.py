"""What JSON takes in memory is never more than is said before it is read."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

import thumbwise as tw
from thumbwise.io.wrench_format import read_json
from thumbwise.tables.budgets import memory_of_json

N = 20_000


def many(text: str) -> str:
    return f"[{','.join([text] * N)}]"


CASES = {
    "empty lists": many("[]"),
    "lists of one": many("[1000]"),
    "nested lists": many("[[[[[]]]]]"),
    "empty objects": many("{}"),
    "small objects": many('{"a":1}'),
    "objects of six": many('{"a":1000,"b":2000,"c":3000,"d":4000,"e":5000,"f":6000}'),
    "one object": json.dumps({str(i): {} for i in range(N)}, separators=(",", ":")),
    "numbers": json.dumps([10**6 + i for i in range(N)], separators=(",", ":")),
    "digits": many("1"),
    "floats": json.dumps([i + 0.5 for i in range(N)], separators=(",", ":")),
    "short texts": json.dumps([str(i) for i in range(N)], separators=(",", ":")),
    "empty texts": many('""'),
    "wide texts": many('"\U0001f600aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"'),
    "escaped wide texts": many('"\\ud83d\\ude00a"'),
    "a long text": json.dumps("a" * 10 * N),
    "a long wide text": '"\U0001f600' + "a" * 10 * N + '"',
    "a long text with wide escapes": '"\\ud83d\\ude00' + "a" * 10 * N + '"',
    "a long text with escapes": '"\\u20ac' + "a" * 10 * N + '"',
    "a long Western text": '"\u00fc' + "a" * 10 * N + '"',
    "votes": json.dumps({str(i): {"label": 1, "weak_labels": [0, 1, -1]} for i in range(N)}),
}


@pytest.mark.parametrize("name", CASES)
def test_it_takes_no_more_than_is_said(name: str) -> None:
    content = CASES[name].encode()
    tracemalloc.start()
    value = json.loads(content)
    peak = tracemalloc.get_traced_memory()[1] + len(content)
    tracemalloc.stop()
    assert value
    assert peak - 4096 <= memory_of_json(content) <= 9.1 * peak  # a page for what Python keeps beside


def test_small_files_of_many_objects_are_refused_before_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "train.json").write_text(CASES["empty lists"])
    monkeypatch.setenv("THUMBWISE_MAX_BYTES", "2MB")
    assert (tmp_path / "train.json").stat().st_size < 10**5
    with pytest.raises(tw.InvalidFileError, match=r"may take at most 2\.0 MB; in memory its JSON may take 3\.3 MB"):
        read_json(tmp_path / "train.json")
    monkeypatch.setenv("THUMBWISE_MAX_BYTES", "4MB")
    assert len(read_json(tmp_path / "train.json")) == N

"""Strange tables, folders, MATLAB files and names: read or refused by an error of the family."""

from __future__ import annotations

import json

import pytest
from fuzz.reader_checks import KINDS, check_reader
from fuzz.reader_inputs import INPUTS
from fuzz.readers import draw_inputs

from thumbwise.exceptions import ThumbwiseError


def is_read(content: bytes) -> bool:
    try:
        return check_reader(content)
    except ThumbwiseError:
        return False


def test_every_kind_has_inputs() -> None:
    assert set(INPUTS) == set(KINDS)


def test_a_hostile_name_in_every_role_of_a_select() -> None:
    plain = ["short", "loud", "ham", "spam", "votes", "item"]
    for place in range(len(plain)):
        for name in ('"; DROP TABLE votes; --', "'\\n", "`select", "${x}"):
            names = [*plain[:place], name, *plain[place + 1 :]]
            assert is_read(b"sql\n" + json.dumps(names).encode()) == ("${" not in name or place in (2, 3))


@pytest.mark.parametrize("kind", INPUTS)
def test_inputs_drawn_at_random(kind: str) -> None:
    ends: list[bool] = []
    n_inputs = 6 if kind in ("csv", "tsv", "jsonl", "parquet") else 40  # these read a file several times
    draw_inputs(kind, n_inputs, 7, lambda content: ends.append(is_read(content)))
    assert len(ends) >= 0.8 * n_inputs
    assert any(ends) or kind == "parquet"  # whose format has a mark or a length at almost every byte
    assert not all(ends)

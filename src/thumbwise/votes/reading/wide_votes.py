"""Votes with one column per rule: opened, checked and coded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thumbwise._typing import IntArray
from thumbwise.votes.reading.codes import Codes, code_strings, code_table
from thumbwise.votes.reading.coding import code_names, code_numbers
from thumbwise.votes.reading.raw_votes import RawVotes, check_ids, open_votes
from thumbwise.votes.reading.read_votes import ClassNames, Coding, ReadVotes


def open_wide(
    votes: Any,
    *,
    n_classes: int | None,
    class_names: ClassNames | None,
    rule_names: Sequence[str] | None,
    item_ids: npt.ArrayLike | str | None,
    abstain: str | None,
    codes: Codes | None,
    copy: bool,
) -> ReadVotes:
    """Read an array or a frame; an array that could be used as it is, is copied if asked for."""
    raw = open_votes(votes, item_ids, rule_names)
    array, names, coding = _code(raw, n_classes, class_names, abstain, codes)
    if copy and raw.numbers is not None and np.may_share_memory(array, raw.numbers):
        array = array.copy()
    ids = None if raw.item_ids is None else check_ids(raw.item_ids, len(array))
    return ReadVotes(array, ids, raw.rule_names, names, coding)


def _code(
    raw: RawVotes, n_classes: int | None, class_names: ClassNames | None, abstain: str | None, codes: Codes | None
) -> tuple[IntArray, ClassNames, Coding]:
    if codes is not None:
        return _code_by_codes(raw, codes), codes.class_names, codes.describe()
    if raw.numbers is None:
        return *code_names(raw.strings, raw.rule_names, class_names, n_classes, abstain), Coding("missing")
    array, k = code_numbers(raw.numbers, raw.rule_names, n_classes, class_names)
    return array, tuple(range(k)) if class_names is None else class_names, Coding("-1")


def _code_by_codes(raw: RawVotes, codes: Codes) -> IntArray:
    if raw.numbers is None:
        return code_strings(raw.strings, raw.rule_names, codes)
    return code_table(raw.numbers, raw.gaps, raw.rule_names, codes, boolean=raw.boolean)

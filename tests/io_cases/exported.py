"""Readings of exports as plain dictionaries, to be compared with what was put into the files."""

from __future__ import annotations

import numpy as np

import thumbwise as tw


def cells(reading: tw.Reading) -> dict[tuple[str, str], str]:
    """Votes by item and judge, as names."""
    votes = reading.votes
    found = zip(*np.nonzero(votes.array >= 0), strict=True)
    return {(str(votes.item_ids[i]), votes.rule_names[j]): str(votes.class_names[votes.array[i, j]]) for i, j in found}


def outcomes(reading: tw.Reading) -> dict[str, tuple[int, int, int, int]]:
    """How often each judge voted, abstained, failed and was not asked."""
    assert reading.jury is not None
    return {j.name: (j.n_voted, j.n_abstained, j.n_failed, j.n_not_asked) for j in reading.jury.judges}


def gold_of(reading: tw.Reading) -> dict[str, str]:
    """Gold labels by item, as names."""
    known = np.flatnonzero(reading.gold >= 0)
    return {str(reading.votes.item_ids[i]): str(reading.votes.class_names[reading.gold[i]]) for i in known}

"""Votes of crowds, one row per vote, with the truth of some items, where they are at hand."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import thumbwise as tw

from .paper import data_folder

NAMES = ["bluebird", "dog", "rte", "web"]


@dataclass(frozen=True)
class CrowdData:
    """Votes, and the class of each of their items, -1 where it is not known."""

    votes: tw.Votes
    truth: npt.NDArray[np.int64]


def crowd_folder() -> Path:
    folder = data_folder()
    if folder is None or not (folder / "crowd").is_dir():
        missing = "the votes of crowds are not here; set THUMBWISE_DATA to the folder that holds crowd/"
        if os.environ.get("THUMBWISE_REQUIRE_DATA"):
            pytest.fail(missing)
        pytest.skip(missing)
    return folder / "crowd"


@cache
def load_crowd(name: str) -> CrowdData:
    """Classes are those of the votes and of the truth together."""
    folder = crowd_folder() / name
    rows = np.loadtxt(folder / "label.csv", delimiter=",", skiprows=1, dtype=np.int64)
    known = np.loadtxt(folder / "truth.csv", delimiter=",", skiprows=1, dtype=np.int64)
    votes = tw.Votes.from_long(rows, n_classes=int(max(rows[:, 2].max(), known[:, 1].max())) + 1)
    truth = dict(known.tolist())
    return CrowdData(votes, np.array([truth.get(item, -1) for item in votes.item_ids.tolist()], dtype=np.int64))

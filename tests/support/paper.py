"""The paper's datasets and its authors' results, where they are at hand."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.io import loadmat

import thumbwise as tw

NAMES = ["aa2", "basketball", "breast_cancer", "cardio", "domain", "imdb", "obs", "sms", "yelp", "youtube"]


@dataclass(frozen=True)
class PaperData:
    votes: tw.Votes
    labels: npt.NDArray[np.int64]
    gold_votes: tw.Votes
    gold_labels: npt.NDArray[np.int64]


def data_folder() -> Path | None:
    """THUMBWISE_DATA, or the shared folder beside the checkout."""
    beside = Path(__file__).parents[3] / "shared" / "data"
    folder = Path(os.environ.get("THUMBWISE_DATA", beside))
    return folder if (folder / "paper").is_dir() else None


def paper_folder() -> Path:
    folder = data_folder()
    if folder is None:
        missing = "the paper's data is not here; set THUMBWISE_DATA to the folder that holds paper/"
        if os.environ.get("THUMBWISE_REQUIRE_DATA"):
            pytest.fail(missing)
        pytest.skip(missing)
    return folder / "paper"


@cache
def load_paper(name: str) -> PaperData:
    content = loadmat(paper_folder() / f"{name}.mat")
    labels = content["train_labels"].ravel().astype(np.int64)
    n_classes = int(labels.max()) + 1
    return PaperData(
        tw.Votes(content["train_pred"], n_classes=n_classes),
        labels,
        tw.Votes(content["val_pred"], n_classes=n_classes),
        content["validation_labels"].ravel().astype(np.int64),
    )


@cache
def reference(name: str, method: str) -> Any:
    return json.loads((paper_folder() / "reference.json").read_text())[name][method]

"""Small files like those of the paper, made on the spot."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat

from support.paper import paper_folder
from thumbwise.datasets.folders import VARIABLE


def small_arrays() -> dict[str, Any]:
    """Six training, three validation and two test items; two rules, the second one abstains; stored as the paper's."""
    return {
        "train_pred": np.array([[0, -1], [1, 1], [0, 0], [1, -1], [0, 1], [1, 1]]),
        "train_labels": np.array([[0, 1, 0, 1, 1, 1]]),
        "val_pred": np.array([[0.0, -1.0], [1.0, 1.0], [0.0, 0.0]]),
        "validation_labels": np.array([[0, 1, 0]], dtype=np.uint8),
        "test_pred": np.array([[0, -1], [1, 1]]),
        "test_labels": np.array([[0, 1]]),
    }


def filled_arrays() -> dict[str, Any]:
    arrays = small_arrays()
    for name in ("train_pred", "val_pred"):
        arrays[name] = np.where(arrays[name] == -1, 1, arrays[name])
    return arrays


Writer = Callable[..., Path]


@pytest.fixture
def write_paper(tmp_path: Path) -> Writer:
    """Write youtube.mat and youtube_filled.mat, with some variables changed or, if None, left out."""

    def write(changed: dict[str, Any] | None = None, filled: dict[str, Any] | None = None) -> Path:
        folder = tmp_path / "paper"
        folder.mkdir(exist_ok=True)
        for ending, arrays, changes in (("", small_arrays(), changed), ("_filled", filled_arrays(), filled)):
            content = {name: value for name, value in {**arrays, **(changes or {})}.items() if value is not None}
            savemat(folder / f"youtube{ending}.mat", content)
        return folder

    return write


@pytest.fixture
def no_data_from_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither the user's settings nor the user's cache play a part."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr("thumbwise.datasets.folders.sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def folder_with_crowds() -> Path:
    """The folder that holds paper/ and crowd/, where both are at hand."""
    folder = paper_folder().parent
    if not (folder / "crowd").is_dir():
        missing = f"the crowds are not in {folder}, the folder that holds paper/"
        if os.environ.get("THUMBWISE_REQUIRE_DATA"):
            pytest.fail(missing)
        pytest.skip(missing)
    return folder

"""Files that earlier releases wrote: they load, predict what they predicted, and are written again as they were.

Those in ``written`` are files of ``fuzz/model_seeds.py`` before 1.0. From 1.0 on each release that changes what is
written has a folder of its own, such as ``written_1_0``, made by ``write_files``. None is ever made anew: a release
that cannot load one of them breaks what docs/releasing.md promises.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saving.write_files import told
from thumbwise import Votes, load
from thumbwise.models.saved.saving import describe
from thumbwise.tables.json_values import render

HERE = Path(__file__).parent
FILES = sorted((HERE / "written").glob("*.json"))
RELEASED = sorted(path for path in HERE.glob("written_*/*.json") if path.name != "expected.json")
# Probabilities of the first class on the nine possible rows of votes, rounded, at the time.
FIRST = {
    "AMCL": [0.5, 0.75, 0.25, 0.75, 1.0, 0.5, 0.25, 0.5, 0.0],
    "BalsubramaniFreund-groups": [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
    "BalsubramaniFreund-moments": [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
    "BalsubramaniFreund-numbered": [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
    "BalsubramaniFreund-opinions": [
        0.604776,
        0.912985,
        0.141192,
        0.890149,
        0.939875,
        0.493906,
        0.219274,
        0.73657,
        0.087284,
    ],
    "BalsubramaniFreund-written": [0.333333, 0.333333, 0.333333, 0.4, 0.4, 0.4, 0.3, 0.3, 0.3],
    "BalsubramaniFreund": [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
    "DataProgramming": [0.5, 0.625328, 0.014671, 0.969683, 0.981612, 0.322601, 0.010014, 0.016603, 0.000151],
    "DawidSkene-full": [0.492178, 0.715094, 0.213466, 0.764655, 0.893777, 0.476394, 0.257614, 0.473309, 0.088565],
    "DawidSkene": [0.604568, 0.951721, 0.106005, 0.862232, 0.98776, 0.326777, 0.271924, 0.82805, 0.028151],
    "EBCC": [0.604436, 0.904162, 0.150672, 0.918334, 0.9858, 0.566374, 0.225373, 0.642643, 0.03249],
    "MajorityVote": [0.333333, 1.0, 0.0, 1.0, 1.0, 0.5, 0.0, 0.5, 0.0],
}


def all_rows(path: Path) -> Votes:
    model = load(path)
    rows = [[a, b] for a in (-1, 0, 1) for b in (-1, 0, 1)]
    groups = ["n", "s", "n"] * 3 if "groups" in path.stem else None
    return Votes(rows, class_names=model.classes_.tolist(), rule_names=model.rule_names_, item_groups=groups)


def test_there_are_files() -> None:
    assert {path.stem for path in FILES} == set(FIRST)
    assert HERE / "written_1_0" / "BalsubramaniFreund.json" in RELEASED


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_predicts_what_it_predicted(path: Path) -> None:
    first = load(path).predict_proba(all_rows(path))[:, 0]
    np.testing.assert_allclose(first, FIRST[path.stem], atol=5e-7, rtol=0)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_written_again_as_it_was(path: Path) -> None:
    """But for caution, of which the first files say nothing: all weights were those of the worst case."""
    text = path.read_text(encoding="utf-8")
    model = load(path)
    again = describe(model) | {"thumbwise": json.loads(text)["thumbwise"]}  # the release that wrote it
    if "BalsubramaniFreund" in path.stem and '"caution"' not in text:
        assert model.caution == model.certificate_.caution == 1
        del again["parameters"]["caution"], again["learned"]["certificate"]["caution"]
    assert render(again) + "\n" == text


def expected_of(path: Path) -> dict[str, Any]:
    return dict(json.loads((path.parent / "expected.json").read_text(encoding="utf-8"))[path.stem])


@pytest.mark.parametrize("path", RELEASED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_released_file_says_what_it_said(path: Path) -> None:
    said, expected = told(load(path)), expected_of(path)
    assert said.keys() == expected.keys()
    for key, value in expected.items():
        np.testing.assert_allclose(said[key], value, atol=2e-6, rtol=0, err_msg=key)


@pytest.mark.parametrize("path", RELEASED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_released_file_is_saved_again_as_it_was(path: Path, tmp_path: Path) -> None:
    """But for the release that wrote it, and so the checksum: what a later one adds must be absent where it was."""
    load(path).save(tmp_path / "again.json")
    before, again = (json.loads(each.read_text(encoding="utf-8")) for each in (path, tmp_path / "again.json"))
    assert before.pop("thumbwise").startswith(path.parent.name.removeprefix("written_").replace("_", "."))
    assert again.pop("thumbwise")
    assert (len(before.pop("checksum")), len(again.pop("checksum"))) == (16, 16)
    assert again == before


def test_the_files_prove_something() -> None:
    """Files without a guarantee would not show whether one is kept."""
    proved = [expected_of(path) for path in RELEASED if "BalsubramaniFreund" in path.stem]
    assert len(proved) >= 2
    assert all(each["is_guarantee"] and 0.5 < each["accuracy_at_least"] < 1 for each in proved)

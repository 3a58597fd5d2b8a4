"""Files that earlier releases wrote: they load, predict what they predicted, and are written again as they were.

The files are those of ``fuzz/model_seeds.py`` at the time; they are never made anew.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from thumbwise import Votes, load
from thumbwise.models.saved.saving import describe
from thumbwise.tables.json_values import render

FILES = sorted((Path(__file__).parent / "written").glob("*.json"))
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


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_predicts_what_it_predicted(path: Path) -> None:
    first = load(path).predict_proba(all_rows(path))[:, 0]
    np.testing.assert_allclose(first, FIRST[path.stem], atol=5e-7, rtol=0)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_written_again_as_it_was(path: Path) -> None:
    """But for caution, of which the first files say nothing: all weights were those of the worst case."""
    text = path.read_text(encoding="utf-8")
    model = load(path)
    again = describe(model)
    if "BalsubramaniFreund" in path.stem and '"caution"' not in text:
        assert model.caution == model.certificate_.caution == 1
        del again["parameters"]["caution"], again["learned"]["certificate"]["caution"]
    assert render(again) + "\n" == text

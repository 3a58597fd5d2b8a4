"""Files that earlier releases wrote: they load, predict what they predicted, and are written again as they were.

Those in ``written`` are files of ``fuzz/model_seeds.py`` before 1.0; ``save`` of 1.0 wrote those in ``written_1_0``,
with a checksum and a proof of how many labels are right. They are never made anew: a release that cannot load one of
them breaks what docs/releasing.md promises.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from thumbwise import Votes, load
from thumbwise.models.saved.saving import describe
from thumbwise.tables.json_values import render

HERE = Path(__file__).parent
FILES = sorted((HERE / "written").glob("*.json"))
FILES_OF_1_0 = sorted((HERE / "written_1_0").glob("*.json"))
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
FIRST_OF_1_0 = {
    "BalsubramaniFreund": [0.5, 0.5, 0.5, 0.701299, 0.701299, 0.701299, 0.298701, 0.298701, 0.298701],
    "BalsubramaniFreund-opinions": [
        0.604776,
        0.912985,
        0.141192,
        0.890149,
        0.939875,
        0.493907,
        0.219274,
        0.73657,
        0.087283,
    ],
    "DawidSkene": [0.38037, 0.692954, 0.143082, 0.896732, 0.969627, 0.702552, 0.041591, 0.137592, 0.011666],
    "Stack": [0.482652, 0.810118, 0.140572, 0.89258, 0.943891, 0.592969, 0.105176, 0.349599, 0.044478],
}


def all_rows(path: Path) -> Votes:
    model = load(path)
    rows = [[a, b] for a in (-1, 0, 1) for b in (-1, 0, 1)]
    groups = ["n", "s", "n"] * 3 if "groups" in path.stem else None
    return Votes(rows, class_names=model.classes_.tolist(), rule_names=model.rule_names_, item_groups=groups)


def test_there_are_files() -> None:
    assert {path.stem for path in FILES} == set(FIRST)
    assert {path.stem for path in FILES_OF_1_0} == set(FIRST_OF_1_0)


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


@pytest.mark.parametrize("path", FILES_OF_1_0, ids=lambda path: path.stem)
def test_a_file_of_1_0_predicts_what_it_predicted(path: Path) -> None:
    first = load(path).predict_proba(all_rows(path))[:, 0]
    np.testing.assert_allclose(first, FIRST_OF_1_0[path.stem], atol=5e-7, rtol=0)


@pytest.mark.parametrize("path", FILES_OF_1_0, ids=lambda path: path.stem)
def test_a_file_of_1_0_is_saved_again_as_it_was(path: Path, tmp_path: Path) -> None:
    """But for the release that wrote it, and so the checksum: what a later one adds must be absent where it was."""
    load(path).save(tmp_path / "again.json")
    before, again = (json.loads(each.read_text(encoding="utf-8")) for each in (path, tmp_path / "again.json"))
    assert before.pop("thumbwise") == "1.0.0"
    assert again.pop("thumbwise")
    assert (len(before.pop("checksum")), len(again.pop("checksum"))) == (16, 16)
    assert again == before


def test_what_1_0_proved_is_read_as_it_was_proved() -> None:
    """Numbers of the sentences that were printed then."""
    certificate = load(HERE / "written_1_0" / "BalsubramaniFreund.json").certificate_
    assert certificate.is_guarantee
    assert certificate.log_loss_bound == pytest.approx(0.674113, abs=5e-7)
    assert certificate.accuracy_at_least == pytest.approx(0.675, abs=5e-7)
    assert str(certificate).startswith("With 95 % confidence the mean log loss on the 40 of these 60 items")
    clear = load(HERE / "written_1_0" / "BalsubramaniFreund-opinions.json").certificate_
    assert clear.is_guarantee
    assert (clear.log_loss_bound, clear.accuracy_at_least) == pytest.approx((0.553069, 0.833333), abs=5e-7)

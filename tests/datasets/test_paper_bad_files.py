"""Malformed files: each is refused with what must hold, what was found, and where."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csc_matrix

import thumbwise as tw
from thumbwise.datasets import load_paper

Writer = Callable[..., Path]
TRAINING_VOTES = np.array([[0, -1], [1, 1], [0, 0], [1, -1], [0, 1], [1, 1]])  # as the fixture writes them


def message(folder: Path) -> str:
    with pytest.raises(tw.InvalidFileError) as caught:
        load_paper("youtube", folder)
    text = str(caught.value)
    assert "youtube" in text
    assert str(folder) in text
    assert text.endswith(".")
    return text


def off_by(value: object) -> Any:
    """The training votes with one entry changed, at item 2, rule 1."""
    votes = TRAINING_VOTES.astype(float)
    votes[2, 1] = value
    return votes


CHANGED: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "variable missing": ({"val_pred": None}, ("'val_pred'", "'train_pred'")),
    "half a vote": ({"train_pred": off_by(0.5)}, ("'train_pred'", "0.5", "(2, 1)", "1 such")),
    "NaN": ({"train_pred": off_by(np.nan)}, ("nan", "(2, 1)")),
    "infinite": ({"train_pred": off_by(np.inf)}, ("inf", "(2, 1)")),
    "below -1": ({"train_pred": off_by(-2)}, ("-2", "-1 for abstain")),
    "class number too large": ({"train_pred": off_by(1e9)}, ("1000000000.0", "(2, 1)")),
    "unknown label": ({"train_labels": np.array([[0, 1, 0, -1, 1, 1]])}, ("'train_labels'", "-1", "(0, 3)")),
    "too few labels": ({"test_labels": np.array([[1]])}, ("'test_labels'", "(1, 2)", "(1, 1)")),
    "text": ({"train_pred": "votes"}, ("'train_pred'", "numbers", "'text'")),
    "cell": ({"train_pred": np.array([[1, "a"]], dtype=object)}, ("'train_pred'", "cell")),
    "struct": ({"train_pred": {"inside": 1}}, ("'train_pred'", "struct")),
    "three axes": ({"train_pred": np.zeros((2, 2, 2))}, ("(2, 2, 2)",)),
    "sparse": ({"train_pred": csc_matrix(np.ones((6, 2)))}, ("'train_pred'", "sparse")),
    "complex": ({"train_pred": np.ones((6, 2)) * 1j}, ("'train_pred'", "real numbers", "'complex numbers'")),
    "empty": ({"train_pred": np.zeros((0, 2)), "train_labels": np.zeros((1, 0))}, ("'train_pred'", "empty")),
    "other rules": ({"test_pred": np.zeros((2, 3))}, ("'train_pred' has 2", "'test_pred' 3")),
}


@pytest.mark.parametrize("kind", CHANGED)
def test_wrong_content_is_refused(kind: str, write_paper: Writer) -> None:
    changed, parts = CHANGED[kind]
    text = message(write_paper(changed))
    assert not [part for part in parts if part not in text], text


def test_labels_in_a_column_are_read_too(write_paper: Writer) -> None:
    folder = write_paper({"train_labels": np.array([[0], [1], [0], [1], [1], [1]])})
    assert load_paper("youtube", folder).labels.tolist() == [0, 1, 0, 1, 1, 1]


CONTENT = {
    "nothing": b"",
    "text": b"these are not the votes that you are looking for\n" * 20,
    "an HTML page": b"<!DOCTYPE html><html><body>404: Not Found</body></html>" * 10,
    "version 7.3": b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM" + b"\x89HDF\r\n\x1a\n" * 20,
    "zeros": bytes(4096),
    "noise": np.random.default_rng(0).bytes(4096),
}


@pytest.mark.parametrize("kind", CONTENT)
def test_other_kinds_of_files_are_refused(kind: str, write_paper: Writer) -> None:
    folder = write_paper()
    (folder / "youtube.mat").write_bytes(CONTENT[kind])
    assert "MATLAB file" in message(folder) or "'train_pred'" in message(folder)


def test_a_file_cut_off_anywhere_is_refused(write_paper: Writer) -> None:
    """Whole files differ from every beginning of theirs: none may be read as if it were whole."""
    folder = write_paper()
    whole = (folder / "youtube.mat").read_bytes()
    for size in range(0, len(whole) - 8, 37):
        (folder / "youtube.mat").write_bytes(whole[:size])
        assert "youtube.mat" in message(folder)


def test_any_changed_byte_gives_a_set_or_our_error(write_paper: Writer) -> None:
    """Damage never ends in another error, nor in a crash, which it does with scipy's reader."""
    folder, rng = write_paper(), np.random.default_rng(0)
    whole = (folder / "youtube.mat").read_bytes()
    n_refused = 0
    for position in range(0, len(whole), 2):
        damaged = bytearray(whole)
        damaged[position] ^= int(rng.integers(1, 256))
        (folder / "youtube.mat").write_bytes(damaged)
        try:
            load_paper("youtube", folder)
        except tw.InvalidFileError:
            n_refused += 1
    assert n_refused > 50


def test_a_large_file_is_refused_before_it_is_read(write_paper: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_paper()
    monkeypatch.setattr("thumbwise.io.mat_files.MAX_BYTES", 100)
    assert "at most 100 bytes" in message(folder)


def test_a_small_file_that_expands_to_a_large_one_is_refused(
    write_paper: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_paper()
    savemat(folder / "youtube.mat", {"train_pred": np.zeros((1000, 1000))}, do_compression=True)
    assert (folder / "youtube.mat").stat().st_size < 20_000
    monkeypatch.setenv("THUMBWISE_MAX_BYTES", "400kB")
    said = "may take at most 400.0 kB; reading 'train_pred', of shape (1000, 1000), would take 14.1 MB"
    assert said in message(folder)


def test_variables_that_are_not_read_do_not_count(write_paper: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_paper()
    blocks = {f"part_{j}": np.zeros((1000, 100)) for j in range(10)}  # 800 kB each
    savemat(folder / "youtube.mat", blocks, do_compression=True)
    monkeypatch.setenv("THUMBWISE_MAX_BYTES", "100kB")
    assert "must hold the variable" in message(folder)


def test_a_missing_file_beside_others_is_named(write_paper: Writer) -> None:
    folder = write_paper()
    with pytest.raises(tw.InvalidFileError, match=r"sms\.mat.*fetch_paper"):
        load_paper("sms", folder)


@pytest.mark.parametrize(
    ("filled", "parts"),
    [
        ({"train_pred": np.zeros((6, 2))}, ("'train_pred'", "found 0 for 1 at item 1, rule 0")),
        ({"train_pred": TRAINING_VOTES}, ("found -1 for -1 at item 0, rule 1", "2 such")),
        ({"val_pred": np.array([[0, 7], [1, 1], [0, 0]])}, ("'val_pred'", "found 7 for -1 at item 0, rule 1")),
        ({"val_pred": np.ones((2, 2)), "validation_labels": np.ones((1, 2))}, ("(3, 2)", "(2, 2)")),
    ],
)
def test_filled_votes_must_repeat_the_votes(
    filled: dict[str, Any], parts: tuple[str, ...], write_paper: Writer
) -> None:
    text = message(write_paper(filled=filled))
    assert "youtube_filled.mat" in text
    assert not [part for part in parts if part not in text], text


def test_a_missing_filled_file_is_named(write_paper: Writer) -> None:
    folder = write_paper()
    (folder / "youtube_filled.mat").unlink()
    assert "youtube_filled.mat" in message(folder)

"""Files damaged at random: they load as a model that predicts probabilities, or give InvalidFileError, nothing else."""

from __future__ import annotations

import copy
import json
import time
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saving.fitted import FITS, fit, make_votes
from thumbwise import InvalidBoxError, InvalidFileError, InvalidVotesError, Votes
from thumbwise.models.base import LabelModel
from thumbwise.models.saved.saving import build, describe
from thumbwise.tables.json_values import parse, render

STRANGE: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 3, 0.5, -0.0, 1e-320, 1e308, -1e308, 2**63, -(2**63), 2**64 - 1),
    *(
        "",
        "nan",
        "inf",
        "-inf",
        "a",
        "a\0",
        "\ud800",
        "null",
        "accuracies",
        "group_frequencies",
        "full",
        "BalsubramaniFreund",
    ),
    *([], {}, [[]], [None], [0, 0, 0], {"a": 1}, [[0.1, 0.2, 0.7]], {"kind": "LinearMoment"}),
]


@cache
def text_of(name: str) -> str:
    n_items = 60 if "opinions" in name else 20  # enough gold to learn from
    votes = make_votes(n_items, item_ids=np.arange(n_items))
    short = votes.with_rules([0, 3, 7]).with_rule_names(["a", "b" * 70, "null"])
    model = fit(name, votes) if any(word in name for word in ("more moments", "two", "balanced")) else fit(name, short)
    return render(describe(model))


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, entry in inside for place in places(entry, (*path, key)))]


@cache
def document_of(name: str) -> tuple[Any, list[tuple[Any, ...]]]:
    document = json.loads(text_of(name))
    by_depth = sorted(places(document)[1:], key=len)
    return document, by_depth


def edit_json(name: str, rng: np.random.Generator) -> bytes:
    """One to three edits: replace, remove, double, rename or exchange values; shallow places as often as deep ones."""
    document, by_depth = document_of(name)
    document = copy.deepcopy(document)
    for _ in range(rng.integers(1, 4)):
        where = by_depth[int(len(by_depth) * rng.random() ** 3)]
        other = by_depth[int(len(by_depth) * rng.random() ** 3)]
        try:
            _edit(document, where, other, rng)
        except (KeyError, IndexError, TypeError, AttributeError):
            continue  # an earlier edit took the place away
    return json.dumps(document).encode()


def _at(document: Any, where: tuple[Any, ...]) -> Any:
    for key in where:
        document = document[key]
    return document


def _edit(document: Any, where: tuple[Any, ...], other: tuple[Any, ...], rng: np.random.Generator) -> None:
    parent, key = _at(document, where[:-1]), where[-1]
    match rng.integers(5):
        case 0 | 1:
            parent[key] = copy.deepcopy(STRANGE[rng.integers(len(STRANGE))])
        case 2:
            del parent[key]
        case 3 if isinstance(parent, list):
            parent.insert(key, parent[key])
        case 3:
            parent[str(STRANGE[rng.integers(len(STRANGE))])] = parent.pop(key)
        case _:
            parent[key] = copy.deepcopy(_at(document, other))


def damage_bytes(name: str, rng: np.random.Generator) -> bytes:
    content = bytearray(text_of(name).encode())
    if rng.random() < 0.3:
        return bytes(content[: rng.integers(len(content))])
    for _ in range(rng.integers(1, 4)):
        start = rng.integers(len(content))
        letters = b'0123456789eE+-.,:[]{}"\\ntu\x00\xff\xc3'
        content[start : start + rng.integers(3)] = bytes([letters[rng.integers(len(letters))]])
    return bytes(content)


def try_one(content: bytes) -> bool:
    """Whether the file loads; if it does, the model must predict probabilities, or refuse the votes."""
    try:
        model = build(parse(Path("model.json"), content))
    except InvalidFileError as error:
        assert str(error).endswith("."), "a message is made of whole sentences"
        return False
    _check_predictions(model)
    return True


def _check_predictions(model: LabelModel) -> None:
    rng = np.random.default_rng(0)
    array = rng.integers(-1, len(model.classes_), (12, model.n_features_in_))
    votes = Votes(array, class_names=model.classes_.tolist(), rule_names=model.rule_names_, item_ids=np.arange(12))
    str(getattr(model, "certificate_", None)), repr(getattr(model, "box_", None)), repr(model)
    try:
        assert 0 <= model.check_drift(votes).p_value <= 1 and str(model.check_drift(votes))
        proba = model.predict_proba(votes)
    except (InvalidBoxError, InvalidVotesError):
        return  # such as moments of groups, and votes without groups
    assert np.isfinite(proba).all() and (proba >= 0).all()
    assert np.allclose(proba.sum(axis=1), 1)


def damage(n_each: int, seed: int) -> tuple[int, int]:
    """Numbers of files tried and loaded, so many of each kind of model."""
    rng = np.random.default_rng(seed)
    loaded = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in [*FITS] * n_each:
            content = edit_json(name, rng) if rng.random() < 0.7 else damage_bytes(name, rng)
            loaded += try_one(content)
    return n_each * len(FITS), loaded


def test_some_hundred_damaged_files() -> None:
    tried, loaded = damage(10, seed=1)
    assert 0 < loaded < tried  # some edits leave a model, most do not


@pytest.mark.slow
def test_thousands_of_damaged_files() -> None:
    tried, loaded = damage(200, seed=time.time_ns() % 2**32)
    print(f"{tried:,} files tried, {loaded:,} of them still a model")
    assert 0 < loaded < tried

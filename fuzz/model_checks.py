"""What must hold of any bytes that are read as a saved model."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from thumbwise.exceptions import InvalidFileError, ThumbwiseError
from thumbwise.models.base import LabelModel
from thumbwise.models.saved.saving import build, describe
from thumbwise.tables.json_values import parse, render
from thumbwise.votes.votes import Votes

_N_ITEMS = 12
# NumPy compares few ids one by one and many by sorting; both ways are to be tried.
_N_KNOWN = 24


def check_model(content: bytes) -> bool:
    """Refused with InvalidFileError, or a model that predicts, can be shown, and can be saved again.

    Whether it was read. Raises InvalidFileError if it was not, and any other error if something is wrong.
    """
    model = build(parse(Path("model.json"), content))
    try:
        _check_written_again(model)
        _check_shown(model)
        _check_predictions(model)
    except InvalidFileError as error:
        raise AssertionError("a model that loads must not turn out to be a bad file later") from error
    return True


def _check_predictions(model: LabelModel) -> None:
    for votes in make_votes(model):
        with suppress(ThumbwiseError):  # such as moments of groups, and votes without groups
            proba = model.predict_proba(votes)
            labels = model.predict(votes).tolist()
            if not np.isfinite(proba).all() or (proba < 0).any() or not np.allclose(proba.sum(axis=1), 1):
                raise AssertionError(f"probabilities must be finite and sum to 1; found {proba[:3]}")
            if proba.shape != (votes.n_items, votes.n_classes) or not set(labels) <= set(model.classes_.tolist()):
                raise AssertionError(f"labels must be classes of the model; found {labels[:3]}")


def _check_written_again(model: LabelModel) -> None:
    text = render(describe(model))
    again = render(describe(build(parse(Path("again.json"), text.encode()))))
    if again != text:
        raise AssertionError("a model that was read must be written as it was read")


def _check_shown(model: LabelModel) -> None:
    parts = (model, getattr(model, "certificate_", None), getattr(model, "box_", None))
    if not all(str(part) and repr(part) for part in parts):
        raise AssertionError("a model must have a text")
    with suppress(ThumbwiseError):  # not every model is a SELECT, nor every name a column
        model.to_sql("duckdb", table="votes", id_column="item")
    explain: Any = getattr(model, "explain", None)
    if explain is not None:
        with suppress(ThumbwiseError):
            str(explain(next(make_votes(model)), 3))


def make_votes(model: LabelModel) -> Iterator[Votes]:
    """Votes of the model's own rules: without ids, with other ids, with those of known items, with groups, as texts."""
    rng = np.random.default_rng(0)
    array = rng.integers(-1, len(model.classes_), (_N_ITEMS, model.n_features_in_))
    array[0] = -1
    names: dict[str, Any] = {"class_names": model.classes_.tolist(), "rule_names": model.rule_names_}
    yield Votes(array, **names)
    yield Votes(array, **names, item_ids=np.arange(_N_ITEMS))
    if model.known_ is not None:
        ids = model.known_.item_ids[:_N_KNOWN]
        rows = np.resize(array, (len(ids), model.n_features_in_))
        yield Votes(rows, **names, item_ids=ids)
    groups = _groups_of(model)
    with suppress(ThumbwiseError):  # several groups, or ids, that have the same text
        if groups:
            yield Votes(array, **names, item_groups=np.resize(np.array(groups), _N_ITEMS))
        if model.known_ is not None:
            yield Votes(rows, **names, item_ids=ids.astype(str))


def _groups_of(model: LabelModel) -> list[Hashable]:
    builders = model.box_.builders if hasattr(model, "box_") else ()
    return [group for builder in builders for group in getattr(builder, "coefficients", {}) if group is not None]

"""The shapes of a table of labels: its columns, and what stands in them."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.exceptions import InvalidChoiceError, InvalidFileError
from thumbwise.io.readings import Reading
from thumbwise.metrics import TIE
from thumbwise.tables.label_tables import MORE_NAMES
from thumbwise.tables.table_files import check_names

Shape: TypeAlias = Literal["table", "crowd-kit", "snorkel"]
SHAPES: tuple[Shape, ...] = ("table", "crowd-kit", "snorkel")
UNDECIDED = -1


def output_names(reading: Reading, shape: Shape = "table") -> list[str]:
    """Names of the columns of the output, which must not clash."""
    classes = reading.votes.class_names
    if shape == "crowd-kit":
        names = ["task", "agg_label", *map(str, classes)]
    elif shape == "snorkel":
        names = [reading.id_name or "item", "pred", *(f"prob_{c}" for c in range(len(classes)))]
    elif shape == "table":
        ours = ("label", *(f"p_{name}" for name in classes), *MORE_NAMES)
        names = [reading.id_name or "item", *ours, *reading.passed_on]
    else:
        raise InvalidChoiceError(f"shape must be one of {', '.join(map(repr, SHAPES))}; found {shape!r}.")
    try:
        check_names(names)
    except InvalidFileError as error:
        raise InvalidFileError(
            f"the output would have the columns {', '.join(map(repr, names[:20]))}: ", error
        ) from None
    return names


def margins(proba: FloatArray) -> FloatArray:
    """Probability of the most probable class minus that of the next."""
    top = np.partition(proba, proba.shape[1] - 2, axis=1)
    return np.asarray(top[:, -1] - top[:, -2])


def entropies(proba: FloatArray) -> FloatArray:
    """Of each row, in nats."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(proba > 0, -proba * np.log(proba), 0.0)
    return np.asarray(terms.sum(axis=1))


def snorkel_predictions(proba: FloatArray) -> IntArray:
    """Class numbers, -1 where the most probable classes are equally probable, as Snorkel's label model says it."""
    return np.where(margins(proba) <= TIE, UNDECIDED, proba.argmax(axis=1))

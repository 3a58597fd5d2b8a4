"""The shapes of a table of labels: its columns, and what stands in them."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.exceptions import InvalidChoiceError, InvalidFileError
from thumbwise.io.readings import Reading
from thumbwise.metrics import TIE, median_class
from thumbwise.tables.label_tables import MORE_NAMES
from thumbwise.tables.table_files import check_names
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.engines.predictions import label_names
from thumbwise.votes.ordered_classes import class_numbers

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
        ours = ("label", *(f"p_{name}" for name in classes), *MORE_NAMES, *step_names(reading.votes))
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


def step_names(votes: CountedVotes) -> tuple[str, ...]:
    """Further columns of ordered classes: the class in the middle and, if they are numbers, the expected number."""
    if not votes.is_ordered:
        return ()
    return ("median",) if class_numbers(votes.class_names) is None else ("median", "mean")


def step_columns(proba: FloatArray, votes: CountedVotes) -> list[AnyArray]:
    """What stands in these columns."""
    if not votes.is_ordered:
        return []
    names, numbers = label_names(votes.class_names), class_numbers(votes.class_names)
    middle = names[median_class(proba)]
    return [middle] if numbers is None else [middle, proba @ numbers]


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

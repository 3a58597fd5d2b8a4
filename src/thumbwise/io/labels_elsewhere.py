"""Labels of items that stay in files: joined with them by the database, and written by it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

from thumbwise._typing import AnyArray
from thumbwise.exceptions import Argument, InvalidFileError
from thumbwise.io.label_shapes import (
    UNDECIDED,
    Shape,
    entropies,
    margins,
    output_names,
    snorkel_predictions,
    step_names,
)
from thumbwise.io.readings import Reading
from thumbwise.metrics import TIE
from thumbwise.models.base import best_classes
from thumbwise.tables.formats import gist_of, interruptible, literal
from thumbwise.tables.marks import new_mark
from thumbwise.tables.outputs import LABELS, Kind, check_file, check_folder
from thumbwise.tables.spreadsheets import check_for_spreadsheets, harmless_relation
from thumbwise.tables.stamps import Stamp, check_unchanged
from thumbwise.tables.whole_files import replacing, replacing_folder
from thumbwise.votes.engines.predictions import join_answers, label_names
from thumbwise.votes.ordered_classes import class_numbers

_KINDS = {".parquet": "FORMAT parquet", ".csv": "FORMAT csv, HEADER", ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'"}


def write_elsewhere(
    reading: Reading,
    model: Any,
    path: str | os.PathLike[str],
    *,
    shape: Shape = "table",
    overwrite: bool = False,
    for_spreadsheets: bool = False,
) -> None:
    """Labels as they are written of items in memory, to one file or to a folder of Parquet files; whole or not at all.

    Parameters
    ----------
    reading : Reading
        Whose items stay in files.
    model : LabelModel
        A fitted one.
    path : path
    shape : {"table", "crowd-kit", "snorkel"}
    overwrite : bool
        Replace any file, and not only labels.
    for_spreadsheets : bool
        Put an apostrophe before what a spreadsheet would run.
    """
    if for_spreadsheets:
        check_for_spreadsheets(path)
    inputs, stamps = (reading.files.inputs, reading.files.stamps) if reading.files else ((), {})
    target = check_elsewhere(path, inputs, overwrite)
    relation = labels_relation(reading, model, shape)
    write_relation(harmless_relation(relation) if for_spreadsheets else relation, target, path, stamps)


def write_relation(
    relation: Any, target: Path, path: str | os.PathLike[str], stamps: Mapping[str, Stamp | None]
) -> None:
    """Rows of a database to one file or to a folder of Parquet files, whole or not at all; inputs must be as before.

    Parameters
    ----------
    relation : DuckDB relation
    target : Path
        As :func:`check_elsewhere` gives it.
    path : path
        What the user called it, which says of what kind it is: a link may lead to any name.
    stamps : mapping of str to Stamp
        Those of the files that are read for it.
    """
    ending = Path(path).suffix.lower()
    if ending:
        with replacing(target) as part:
            _copy(relation, part, ending)
            check_unchanged(stamps)
    else:
        with replacing_folder(target) as part:
            _copy(relation, part, ".parquet", f"PER_THREAD_OUTPUT true, {new_mark()}, ")
            check_unchanged(stamps)


def check_elsewhere(
    path: str | os.PathLike[str], inputs: Sequence[str | Path | None], overwrite: bool = False, kind: Kind = LABELS
) -> Path:
    """Whatever is wrong with the output is said before anything is computed; return where it really lies."""
    output = Path(path)
    if output.suffix and output.suffix.lower() not in _KINDS:
        raise InvalidFileError(
            f"{output} must end in {', '.join(_KINDS)}, or be a folder; its ending is {output.suffix!r}."
        )
    if output.suffix:
        target = check_file(output, kind, inputs=inputs, overwrite=overwrite)
    else:
        target = check_folder(output, inputs=inputs)
    if shutil.disk_usage(target.parent).free < 10**6:
        raise InvalidFileError(f"{output} cannot be written: the disk is full.")
    return target


def check_names_elsewhere(reading: Reading, shape: Shape) -> list[str]:
    """Names of the columns of the output; items without ids have nothing that would tell their rows apart."""
    if reading.id_name is None:
        raise InvalidFileError(
            "labels of items that stay in files are told apart by ids; these votes have none. Name the column with ",
            Argument("item_id", "NAME"),
            ".",
        )
    return output_names(reading, shape)


def labels_relation(reading: Reading, model: Any, shape: Shape) -> Any:
    """A relation with the columns of the output, of which nothing is computed before it is asked for rows."""
    names = check_names_elsewhere(reading, shape)
    votes = model._read(reading.votes)
    proba, k = model._predict_patterns(votes), votes.n_classes
    more: dict[str, tuple[AnyArray, float | None]] = {}
    known_as: AnyArray = label_names(votes.class_names)
    if shape == "snorkel":
        known_as = np.arange(k)
        labels = snorkel_predictions(proba)
        texts: AnyArray = np.array([*range(k), UNDECIDED])[labels]
    else:
        texts = known_as[best_classes(proba, votes.patterns)]
    if shape == "table":
        n_votes = votes.patterns.votes_per_pattern.astype(np.int64)
        more = {"margin": (margins(proba), 1.0), "entropy": (entropies(proba), 0.0), "n_votes": (n_votes, None)}
    known = model.known_ if votes.has_ids else None
    frame = join_answers(votes.items, votes.patterns, proba, texts, known, more, known_as=known_as)
    frame, steps = (frame, []) if shape != "table" else _with_steps(frame, votes, known_as)
    passed_on = [f"k{j + 1}" for j in range(len(reading.passed_on))] if shape == "table" else []
    order = ["k0", "said", *(f"p{c}" for c in range(k)), *(f"m{j}" for j in range(len(more))), *steps, *passed_on]
    return votes.items.engine.rename(frame.select(*order), names).to_native()


def _with_steps(frame: Any, votes: Any, known_as: AnyArray) -> tuple[Any, list[str]]:
    """Columns of ordered classes, from the probabilities, which are 0 and 1 where a label is known."""
    names, numbers = step_names(votes), class_numbers(votes.class_names)
    if not names:
        return frame, []
    reached, median = nw.lit(0.0), nw.lit(known_as[-1])
    mean, sums = nw.lit(0.0), []
    for c in range(votes.n_classes):
        reached = reached + nw.col(f"p{c}")
        sums.append(reached)
        mean = mean + nw.col(f"p{c}") * (0.0 if numbers is None else float(numbers[c]))
    for c in reversed(range(votes.n_classes - 1)):
        median = nw.when(sums[c] >= 0.5 - TIE).then(nw.lit(known_as[c])).otherwise(median)
    return frame.with_columns(s0=median, s1=mean), [f"s{j}" for j in range(len(names))]


def _copy(relation: Any, place: Path, ending: str, options: str = "") -> None:
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    view = "thumbwise_labels"
    copy = f"COPY (SELECT * FROM {view}) TO {literal(os.fspath(place))} ({options}{_KINDS[ending]})"  # noqa: S608  # quoted
    try:
        with interruptible():
            relation.query(view, copy)
    except (duckdb.Error, OSError, RuntimeError) as error:
        raise InvalidFileError(f"the labels could not be written: {gist_of(error)}") from error

"""Labels and probabilities in the kind of frame or file that the votes came in, or in the shapes of other tools."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import Any, Protocol

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.exceptions import InvalidLabelsError, MissingPackageError
from thumbwise.io.label_shapes import Shape, entropies, margins, output_names, snorkel_predictions, step_columns
from thumbwise.io.labels_elsewhere import labels_relation, write_elsewhere
from thumbwise.io.readings import Reading
from thumbwise.tables.frames import index_name, like_frame
from thumbwise.tables.opened_frames import open_frame
from thumbwise.tables.outputs import LABELS
from thumbwise.tables.spreadsheets import check_for_spreadsheets, harmless_table
from thumbwise.tables.table_files import Table, write_table
from thumbwise.votes.inputs import classes_of, read_items
from thumbwise.votes.labels import UNKNOWN


class Predictor(Protocol):
    """A fitted model."""

    def predict_proba(self, votes: Any, /) -> Any: ...

    def predict(self, votes: Any, /) -> Any: ...


def labels_frame(reading: Any, model: Predictor, *, shape: Shape = "table") -> Any:
    """Labels as a frame of the library that the votes came in; as a mapping of columns if they came in no frame.

    Items that stay in files give a lazy frame, a DuckDB relation: nothing is computed before it is asked for rows, as
    ``.limit(10)``, ``.df()`` or ``.pl()`` do, and of the items nothing is held in memory before that.

    Parameters
    ----------
    reading : Reading, Votes, array-like or frame
    model : fitted model
    shape : {"table", "crowd-kit", "snorkel"}
        The columns. "table": ids, ``label``, a column ``p_<class>`` for each class, ``margin`` (between the two most
        probable classes), ``entropy`` (in nats), ``n_votes``, and the columns that were passed on; of ordered classes
        also ``median``, the label with the lowest expected absolute error, and ``mean``, the expected number, if
        classes are called by numbers; ``label`` is the most probable class. "crowd-kit":
        ``task``, ``agg_label``, and a column for each class under its own name. "snorkel": ``pred``, the number of the
        class or -1 where classes are equally probable, and ``prob_<class number>``.

    Returns
    -------
    frame, or mapping of str to array
        A row per item, in the order of the items; those of items that stay in files have no order.

    Examples
    --------
    >>> import polars as pl
    >>> import thumbwise as tw
    >>> reading = tw.read_votes(pl.DataFrame({"id": [7, 8], "a": [0, 1], "b": [0, -1]}))
    >>> tw.labels_frame(reading, tw.MajorityVote().fit(reading.votes)).columns
    ['id', 'label', 'p_0', 'p_1', 'margin', 'entropy', 'n_votes']
    """
    reading = _as_reading(reading, model)
    if reading.files is not None:
        return labels_relation(reading, model, shape)
    table = labels_table(reading, model, shape)
    return dict(table.columns) if reading.source is None else like_frame(table, reading.source)


def write_labels(
    reading: Any,
    model: Predictor,
    path: str | PathLike[str],
    *,
    shape: Shape = "table",
    overwrite: bool = False,
    for_spreadsheets: bool = False,
) -> Table | None:
    """Write labels to a file of the kind that its ending says, whole or not at all; see :func:`labels_frame`.

    Parameters
    ----------
    reading : Reading, Votes, array-like or frame
        If its items stay in files, their labels are written by the database and do not come here.
    model : fitted model
    path : path
        Ends in .csv, .tsv, .parquet, .jsonl or .ndjson; a new folder of Parquet files for items that stay in files.
    shape : {"table", "crowd-kit", "snorkel"}
        The columns.
    overwrite : bool
        Replace any file; without it only labels that were written there before are replaced.
    for_spreadsheets : bool
        Put an apostrophe before texts that a spreadsheet would run as formulas, in .csv and .tsv; see
        ``docs/reading.md``. Ids may then differ from those of the votes.

    Returns
    -------
    Table or None
        What was written; None if items stay in files.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0, 0], [1, -1]], item_ids=["q7", "q2"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = tw.write_labels(votes, tw.MajorityVote().fit(votes), Path(folder, "labels.csv"), shape="snorkel")
    ...     print(Path(folder, "labels.csv").read_text())
    item,pred,prob_0,prob_1
    q7,0,1.0,0.0
    q2,1,0.0,1.0
    <BLANKLINE>
    """
    if isinstance(reading, Reading) and reading.files is not None:
        write_elsewhere(reading, model, path, shape=shape, overwrite=overwrite, for_spreadsheets=for_spreadsheets)
        return None
    if for_spreadsheets:
        check_for_spreadsheets(path)
    table = labels_table(_as_reading(reading, model), model, shape)
    table = harmless_table(table) if for_spreadsheets else table
    write_table(table, str(path), kind=LABELS, overwrite=overwrite)
    return table


def _as_reading(votes: Any, model: Predictor) -> Reading:
    """Votes without gold, which remember the frame that they came in."""
    if isinstance(votes, Reading):
        return votes
    read, _ = read_items(votes, None, class_names=classes_of(model))
    frame = open_frame(votes, "votes")
    id_name = None if frame is None or not read.has_ids else index_name(frame)
    return Reading(
        read, np.full(read.n_items, UNKNOWN), id_name=id_name, source=None if frame is None else frame.to_native()
    )


def labels_table(reading: Reading, model: Predictor, shape: Shape = "table") -> Table:
    """The columns that :func:`labels_frame` describes."""
    classes = getattr(model, "classes_", None)
    if classes is not None:  # the votes may lack one that nobody voted for
        reading = replace(reading, votes=reading.votes.with_classes(np.asarray(classes).tolist()))
    names = output_names(reading, shape)
    proba = np.asarray(model.predict_proba(reading.votes))
    ids = reading.votes.item_ids
    labels = model.predict(reading.votes) if shape != "snorkel" else None
    if reading.pairs is not None:  # the label of a comparison is the system that is preferred
        labels = reading.pairs.preferred(np.asarray(labels))
    if shape == "snorkel":
        arrays = [ids, snorkel_predictions(proba), *proba.T]
    elif shape == "crowd-kit":
        arrays = [ids, labels, *proba.T]
    else:
        steps = step_columns(proba, reading.votes)
        more = (margins(proba), entropies(proba), reading.votes.n_votes_per_item, *steps)
        arrays = [ids, labels, *proba.T, *more]
    columns = [*map(np.ma.asarray, arrays), *(reading.passed_on.values() if shape == "table" else ())]
    return Table(dict(zip(names, columns, strict=True)))


def as_snorkel(proba: Any) -> tuple[IntArray, FloatArray]:
    """Probabilities as Snorkel's ``LabelModel.predict(L, return_probs=True)`` gives them: predictions, probabilities.

    Parameters
    ----------
    proba : array-like of shape (n_items, n_classes)

    Returns
    -------
    predictions : ndarray of shape (n_items,)
        Number of the most probable class, -1 where several are.
    proba : ndarray of shape (n_items, n_classes)

    Examples
    --------
    >>> import thumbwise as tw
    >>> tw.as_snorkel([[0.9, 0.1], [0.5, 0.5]])[0].tolist()
    [0, -1]
    """
    checked = np.asarray(proba, dtype=float)
    if checked.ndim != 2 or checked.shape[1] < 2:
        raise InvalidLabelsError(
            f"proba must have a row per item and a column per class; its shape is {checked.shape}."
        )
    return snorkel_predictions(checked), checked


def as_crowd_kit(votes: Any, proba: Any, labels: AnyArray | None = None) -> tuple[Any, Any]:
    """Labels and probabilities as crowd-kit's aggregators give them, in pandas.

    Parameters
    ----------
    votes : Votes, array-like or frame
        The items and the classes.
    proba : array-like of shape (n_items, n_classes)
    labels : array-like of shape (n_items,), optional
        Absent: the most probable class of each item, the first of several.

    Returns
    -------
    labels_ : pandas.Series
        ``agg_label`` by ``task``.
    probas_ : pandas.DataFrame
        A column for each class.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes.from_long([("q7", "ann", "cat"), ("q7", "bob", "cat"), ("q2", "bob", "dog")])
    >>> labels, probas = tw.as_crowd_kit(votes, tw.MajorityVote().fit(votes).predict_proba(votes))
    >>> labels.to_dict(), probas.columns.tolist()
    ({'q7': 'cat', 'q2': 'dog'}, ['cat', 'dog'])
    """
    try:
        import pandas as pd  # noqa: PLC0415  # pandas is not needed for anything else
    except ImportError:
        raise MissingPackageError("crowd-kit's shape is made of pandas objects: pip install pandas") from None
    votes, proba = read_items(votes, proba)
    checked = np.asarray(proba, dtype=float)
    if checked.shape != (votes.n_items, votes.n_classes):
        raise InvalidLabelsError(
            f"proba must have a row per item and a column per class, {(votes.n_items, votes.n_classes)}; its shape is "
            f"{checked.shape}."
        )
    index = pd.Index(votes.item_ids, name="task")
    names = np.array([*votes.class_names, None], dtype=object)[:-1]
    chosen = names[checked.argmax(axis=1)] if labels is None else labels
    columns = pd.Index(list(votes.class_names), name="label")
    return pd.Series(chosen, index=index, name="agg_label"), pd.DataFrame(checked, index=index, columns=columns)

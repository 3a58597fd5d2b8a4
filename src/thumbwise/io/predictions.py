"""A model's predictions from a file or a frame, in the order of the items that were voted on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.exceptions import Argument, InvalidFileError, InvalidLabelsError
from thumbwise.game.prediction_costs import Predictions
from thumbwise.io.readings import Reading
from thumbwise.io.roles import ID_NAMES
from thumbwise.tables.file_formats import PLAIN, FileFormat
from thumbwise.tables.frames import as_table
from thumbwise.tables.label_tables import is_label_table
from thumbwise.tables.table_files import Table, as_text, read_table
from thumbwise.votes.votes import Votes

_LABEL_NAMES = ("label", "prediction")


def read_predictions(source: Any, reading: Reading, *, item_id: str | None = None) -> Predictions:
    """Predictions for every item of the votes, for :func:`thumbwise.certify`.

    Parameters
    ----------
    source : path or frame
        A row per item: ids, and a column ``label`` or ``prediction``, or a column ``p_<class>`` for each class. If
        there are both, labels count for accuracy and probabilities for everything else. What ``thumbwise label`` and
        :func:`write_labels` write will do.
    reading : Reading
        The votes, whose items must all have a prediction. Rows are matched with them by id, or taken in order if the
        votes have no column of ids.
    item_id : str, optional
        Column of ids; otherwise the one that is called as in the votes, or like one.

    Returns
    -------
    Predictions
        Arrays ``labels`` and, if there are probabilities, ``proba``, both of shape (n_items, n_classes).

    Examples
    --------
    >>> import pandas as pd
    >>> import thumbwise as tw
    >>> votes = pd.DataFrame({"id": ["a", "b", "c"], "caps": ["ham", "spam", "ham"], "links": ["ham", "ham", None]})
    >>> reading = tw.read_votes(votes)
    >>> tree = pd.DataFrame({"id": ["c", "a", "b"], "prediction": ["spam", "ham", "ham"]})
    >>> tw.read_predictions(tree, reading).labels.tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    """
    table = source if isinstance(source, Table) else as_table(source)
    if table is None:
        return read_prediction_file(Path(source), reading, item_id=item_id)
    return _of_table(table, reading, "the table", item_id)


def read_prediction_file(
    path: Path, reading: Reading, *, item_id: str | None = None, form: FileFormat = PLAIN
) -> Predictions:
    """The same of a file; what was found out about it stands in the notes."""
    table = read_table(path, form=form)
    return replace(_of_table(table, reading, str(path), item_id), notes=table.notes)


def _of_table(table: Table, reading: Reading, where: str, item_id: str | None) -> Predictions:
    rows = _match_rows(table, reading, where, item_id)
    names = [f"p_{name}" for name in reading.votes.class_names]
    present = [name for name in names if name in table.columns]
    if present and len(present) < len(names):
        missing = [name for name in names if name not in table.columns]
        raise InvalidFileError(
            f"{where} must have a column of probabilities for every class; {', '.join(map(repr, missing[:10]))} "
            "missing."
        )
    label_name = next((name for name in _LABEL_NAMES if name in table.columns), None)
    if label_name is None and not present:
        raise InvalidFileError(
            f"{where} must have a column 'label' or 'prediction', or columns of probabilities such as {names[0]!r}; "
            f"the columns are {', '.join(map(repr, table.names[:20]))}."
        )
    proba = _read_proba(table, names, where)[rows] if present else None
    if label_name is None and proba is not None:
        return Predictions(proba, proba, where)
    labels = _read_labels(table, label_name or "", reading.votes, where)[rows]
    return Predictions(np.eye(reading.votes.n_classes)[labels], proba, where, is_label_table(table.names))


def _match_rows(table: Table, reading: Reading, where: str, id_name: str | None) -> IntArray:
    """Row of the table for each item of the votes, by the text of the ids, or in order if the votes have none."""
    n_items = reading.votes.n_items
    if reading.id_name is None:
        if table.n_rows != n_items:
            raise InvalidLabelsError(f"{where} must have a row for each of {n_items} items; found {table.n_rows} rows.")
        return np.arange(n_items)
    ids = as_text(table.columns[_find_id(table, [id_name, reading.id_name], where)])
    row_of = {text: row for row, text in enumerate(ids)}
    if len(row_of) < len(ids):
        repeated = next(text for row, text in enumerate(ids) if row_of[text] != row)
        raise InvalidLabelsError(
            f"ids of {where} must be unique; {repeated!r} is found more than once "
            f"({len(ids) - len(row_of)} rows too many)."
        )
    wanted = [str(value) for value in reading.votes.item_ids.tolist()]
    missing = [text for text in wanted if text not in row_of]
    if missing or len(row_of) > n_items:
        strange = sorted(str(text) for text in set(row_of) - set(wanted))
        raise InvalidLabelsError(
            f"{where} must hold a prediction for each of {n_items} items and no other; "
            f"{_few(missing, 'without one')} and {_few(strange, 'not among the items')}. "
            "Ids are compared character by character."
        )
    return np.array([row_of[text] for text in wanted])


def _few(ids: Sequence[str], what: str) -> str:
    return f"{len(ids):,} are {what}" + (f", such as {ids[0]!r}" if ids else "")


def _find_id(table: Table, names: Sequence[str | None], where: str) -> str:
    likely = [name for name in table.names if name.strip().lower() in ID_NAMES]
    for name in [*names, *likely]:
        if name is not None and name in table.columns:
            return name
    raise InvalidFileError(
        f"{where} must have a column of ids called {names[-1]!r}, like the votes; the columns are "
        f"{', '.join(map(repr, table.names[:20]))}."
    )


def _read_proba(table: Table, names: Sequence[str], where: str) -> FloatArray:
    columns = []
    for name in names:
        texts = as_text(table.columns[name])
        try:
            columns.append([float(text or "nothing") for text in texts])
        except ValueError:
            row = next(row for row, text in enumerate(texts) if not _is_number(text))
            raise InvalidFileError(
                f"column {name!r} of {where} must hold numbers; found {texts[row] or 'nothing'!r} in row {row}, "
                "counting from 0."
            ) from None
    return np.array(columns).T


def _is_number(text: str | None) -> bool:
    try:
        float(text or "nothing")
    except ValueError:
        return False
    return True


def _read_labels(table: Table, name: str, votes: Votes, where: str) -> IntArray:
    """Class numbers, by the spelling of the classes; ``1.0`` is class ``1``."""
    texts = as_text(table.columns[name])
    number = {str(spelled): c for c, spelled in enumerate(votes.class_names)}
    number |= {f"{spelled}.0": c for c, spelled in enumerate(votes.class_names) if isinstance(spelled, int)}
    strange = [row for row, text in enumerate(texts) if text not in number]
    if strange:
        known = ", ".join(repr(str(spelled)) for spelled in votes.class_names[:10])
        raise InvalidLabelsError(
            f"predictions must be classes of the votes ({known}); column {name!r} of {where} holds "
            f"{texts[strange[0]] or 'nothing'!r} in row {strange[0]}, counting from 0 ({len(strange)} such rows). If "
            "there are more classes, list them with ",
            Argument("class_names"),
            ".",
        )
    return np.array([number[str(text)] for text in texts])

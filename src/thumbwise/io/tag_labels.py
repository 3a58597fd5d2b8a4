"""Labels with several tags, in the shape that the votes came in: joined texts, lists, or a column for each tag."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from thumbwise._typing import AnyArray
from thumbwise.exceptions import InvalidChoiceError, InvalidFileError
from thumbwise.io.labeled import Predictor
from thumbwise.io.tag_cells import YES
from thumbwise.io.tagged import TagReadings
from thumbwise.tables.formats import Column
from thumbwise.tables.frames import like_frame
from thumbwise.tables.outputs import LABELS
from thumbwise.tables.table_files import Table, check_names, write_table

TAGS = "tags"
_JOINED = "|"


def tags_frame(readings: TagReadings, models: Mapping[str, Predictor]) -> Any:
    """Labels of all tags as a frame of the library that the votes came in; a mapping of columns if they came in none.

    Parameters
    ----------
    readings : TagReadings
    models : mapping of str to fitted model
        One for each tag, such as :meth:`TagReadings.fit` gives.

    Returns
    -------
    frame, or mapping of str to array
        A row per item: its id; ``tags``, as joined texts or as lists, or 0 and 1 in a column for each tag, as the votes
        came; the probability of each tag, ``p_<tag>``; and the columns that were passed on.

    Examples
    --------
    >>> import pandas as pd
    >>> import thumbwise as tw
    >>> frame = pd.DataFrame({"id": ["q7", "q2"], "ann": ["joy|fear", "joy"], "bob": ["joy|fear", "fear|joy"]})
    >>> tags = tw.read_tags(frame)
    >>> tw.tags_frame(tags, {tag: tw.MajorityVote().fit(reading.votes) for tag, reading in tags.items()})
       id      tags  p_fear  p_joy
    0  q7  fear|joy     1.0    1.0
    1  q2       joy     0.5    1.0
    """
    table = tags_table(readings, models)
    columns = dict(table.columns)
    if readings.grammar.cells == "lists":
        columns[TAGS] = np.ma.asarray(_objects([json.loads(text) for text in columns[TAGS].tolist()]))
    return columns if readings.source is None else like_frame(Table(columns), readings.source)


def write_tags(
    readings: TagReadings, models: Mapping[str, Predictor], path: str | PathLike[str], *, overwrite: bool = False
) -> Table:
    """Write labels of all tags to a file of the kind that its ending says, whole or not at all; see :func:`tags_frame`.

    Parameters
    ----------
    readings, models
        As for :func:`tags_frame`.
    path : path
        Ends in .csv, .tsv, .parquet, .jsonl or .ndjson. Lists are lists in JSON lines and Parquet, and JSON elsewhere.
    overwrite : bool
        Replace any file; without it only labels that were written there before are replaced.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import thumbwise as tw
    >>> tags = tw.read_tags({"id": [7, 8], "ann:joy": [1, 0], "ann:fear": [0, 0]})
    >>> models = {tag: tw.MajorityVote().fit(reading.votes) for tag, reading in tags.items()}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = tw.write_tags(tags, models, Path(folder, "labels.csv"))
    ...     print(Path(folder, "labels.csv").read_text())
    id,joy,fear,p_joy,p_fear
    7,1,0,1.0,0.0
    8,0,0,0.0,0.0
    <BLANKLINE>
    """
    table = tags_table(readings, models)
    lists = [TAGS] if readings.grammar.cells == "lists" else []
    write_table(table, str(path), kind=LABELS, overwrite=overwrite, lists=lists)
    return table


def tag_output_names(readings: TagReadings) -> list[str]:
    """Names of the columns of the output, which must not clash."""
    own = list(readings.tags) if readings.grammar.cells == "columns" else [TAGS]
    first = readings.first
    names = [first.id_name or "item", *own, *(f"p_{tag}" for tag in readings.tags), *first.passed_on]
    try:
        check_names(names)
    except InvalidFileError as error:
        shown = ", ".join(map(repr, names[:20]))
        raise InvalidFileError(f"the output would have the columns {shown}: ", error) from None
    return names


def tags_table(readings: TagReadings, models: Mapping[str, Predictor]) -> Table:
    """The columns that :func:`tags_frame` describes; lists are JSON."""
    missing = [tag for tag in readings.tags if tag not in models]
    if missing:
        raise InvalidChoiceError(
            f"there must be a fitted model for each tag; there is none for {missing[0]!r} ({len(missing)} such tags)."
        )
    votes = {tag: reading.votes for tag, reading in readings.items()}
    is_there = np.column_stack([np.asarray(models[tag].predict(votes[tag])) == YES for tag in readings.tags])
    proba = [np.asarray(models[tag].predict_proba(votes[tag]))[:, 1] for tag in readings.tags]
    first = readings.first
    columns = [first.votes.item_ids, *_labels(readings, is_there), *proba, *first.passed_on.values()]
    return Table(dict(zip(tag_output_names(readings), map(np.ma.asarray, columns), strict=True)))


def _labels(readings: TagReadings, is_there: AnyArray) -> list[Column]:
    """The tags of each item, of which each column of ``is_there`` tells one, in the shape that they came in."""
    cells = readings.grammar.cells
    if cells == "columns":
        return [np.ma.asarray(column.astype(np.int64)) for column in is_there.T]
    named = [[tag for tag, there in zip(readings.tags, row, strict=True) if there] for row in is_there.tolist()]
    if cells == "lists":
        return [np.ma.asarray(_objects([json.dumps(tags) for tags in named]))]
    sign, nothing = readings.grammar.separator or _JOINED, readings.grammar.roles.no_tags
    texts = _objects([sign.join(tags) for tags in named])
    if nothing is not None:
        texts[~is_there.any(axis=1)] = nothing
    return [np.ma.MaskedArray(texts, mask=np.equal(texts, "").astype(bool))]


def _objects(values: list[Any]) -> AnyArray:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array

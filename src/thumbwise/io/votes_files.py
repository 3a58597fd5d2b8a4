"""Votes written to files, so that they can be read back or handed on."""

from __future__ import annotations

from os import PathLike
from typing import Any, Literal

from thumbwise.exceptions import InvalidChoiceError
from thumbwise.io.long import long_table
from thumbwise.io.wide import wide_table
from thumbwise.tables.table_files import write_table
from thumbwise.votes.inputs import as_votes, in_memory


def write_votes(
    votes: Any, path: str | PathLike[str], *, layout: Literal["wide", "long"] = "wide", overwrite: bool = False
) -> None:
    """Write votes with ids, rule names and class names, whole or not at all; :func:`read_votes` reads them back.

    Parameters
    ----------
    votes : Votes, array-like or frame
    path : path
        Ends in .csv, .tsv, .parquet, .jsonl or .ndjson.
    layout : {"wide", "long"}
        Wide: ``id``, then a column of class names per rule, empty where it abstains. Long: ``item``, ``worker``,
        ``label``, a row per vote; an item or a rule without any vote has a row without a label.
    overwrite : bool
        Replace a file that is there already.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0, 1], [-1, 1]], rule_names=["a", "b"], class_names=["ham", "spam"], item_ids=["q7", "q2"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tw.write_votes(votes, Path(folder, "votes.csv"))
    ...     print(Path(folder, "votes.csv").read_text())
    ...     tw.read_votes(Path(folder, "votes.csv")).votes.fingerprint == votes.fingerprint
    id,a,b
    q7,ham,spam
    q2,,spam
    <BLANKLINE>
    True
    """
    if layout not in ("wide", "long"):
        raise InvalidChoiceError(f'layout must be "wide" or "long"; found {layout!r}.')
    votes = in_memory(as_votes(votes), "a file of votes")
    write_table(wide_table(votes) if layout == "wide" else long_table(votes), str(path), overwrite=overwrite)

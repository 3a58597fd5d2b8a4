"""Four classic crowdsourcing datasets: what workers said, one row per vote, and the truth."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.datasets.folders import data_folder, folder_origin
from thumbwise.exceptions import InvalidChoiceError, InvalidFileError
from thumbwise.tables.table_files import Table, read_table
from thumbwise.votes.labels import UNKNOWN
from thumbwise.votes.votes import Votes

CROWD_TITLES: dict[str, str] = {"bluebird": "Bluebird", "dog": "Dog", "rte": "RTE", "web": "Web"}
CROWD_NAMES: tuple[str, ...] = tuple(CROWD_TITLES)
MAX_CLASSES = 1000
CROWD_URL = "https://github.com/yuan-li/truth-inference-at-scale"


@dataclass(frozen=True, eq=False)
class CrowdData:
    """A crowd's votes and the truth, as :func:`load_crowd` reads them.

    Attributes
    ----------
    name : str
    votes : Votes
        Rules are workers, named by their number; item ids are the numbers of the file.
    labels : ndarray of shape (n_items,)
        True classes, -1 where the truth is not told.
    """

    name: str
    votes: Votes
    labels: IntArray


def load_crowd(name: str, folder: str | Path | None = None) -> CrowdData:
    """Read one of the crowds ``"bluebird"``, ``"dog"``, ``"rte"`` and ``"web"``.

    Items are those that somebody voted on or whose truth is told, in the order of their numbers.

    Parameters
    ----------
    name : str
        One of ``CROWD_NAMES``.
    folder : str or Path, optional
        Folder that holds ``crowd/<name>/`` or ``<name>/`` with ``label.csv`` (item, worker, label) and ``truth.csv``
        (item, truth). Absent: the folder that ``THUMBWISE_DATA`` names, else the user's cache.

    Returns
    -------
    CrowdData

    Raises
    ------
    InvalidFileError
        There is no ``label.csv``, or a column, a row or a class is not as it should be.

    Examples
    --------
    >>> from thumbwise.datasets import load_crowd
    >>> load_crowd("rte", "data").votes  # doctest: +SKIP
    Votes: 800 items x 164 rules, 632 patterns; classes 0, 1; no row = abstain (93.9 % of votes)
    """
    if name not in CROWD_TITLES:
        raise InvalidChoiceError(f"name must be one of {', '.join(map(repr, CROWD_NAMES))}; found {name!r}.")
    home = _find_home(name, folder)
    cast = _read_columns(home / "label.csv", ("item", "worker", "label"))
    told = _read_columns(home / "truth.csv", ("item", "truth"))
    _check_unique(home / "label.csv", item=cast["item"], worker=cast["worker"])
    _check_unique(home / "truth.csv", item=told["item"])
    _check_classes(home / "label.csv", "label", cast["label"], UNKNOWN)
    _check_classes(home / "truth.csv", "truth", told["truth"], UNKNOWN)
    ids = np.union1d(cast["item"], told["item"])
    n_classes = max(2, 1 + int(max(cast["label"].max(initial=0), told["truth"].max(initial=0))))
    labels = np.full(len(ids), UNKNOWN)
    labels[np.searchsorted(ids, told["item"])] = told["truth"]
    return CrowdData(name, Votes.from_long(cast, item_ids=ids, n_classes=n_classes), labels)


def _find_home(name: str, folder: str | Path | None) -> Path:
    top = data_folder(folder)
    places = (top / "crowd" / name, top / name)
    for place in places:
        if (place / "label.csv").is_file():
            return place
    raise InvalidFileError(
        f"the crowd {name!r} must be in a folder with label.csv and truth.csv; there is no label.csv in "
        f"{' nor in '.join(map(str, places))} ({folder_origin(folder)}). The files are published in the folder "
        f"data/SpectralMethodsMeetEM of {CROWD_URL}; put them there, or name the folder that holds crowd/."
    )


def _read_columns(path: Path, names: tuple[str, ...]) -> dict[str, IntArray]:
    table = read_table(path)
    return {name: _read_numbers(path, table, name) for name in names}


def _read_numbers(path: Path, table: Table, name: str) -> IntArray:
    if name not in table.columns:
        listed = ", ".join(map(repr, table.names[:10]))
        raise InvalidFileError(f"{path} must have a column {name!r}; its columns are {listed}.")
    column = table.columns[name]
    empty = np.flatnonzero(np.ma.getmaskarray(column))
    if column.dtype.kind not in "iu" or len(empty):
        where = f"row {empty[0]}, counting from 0, is empty" if len(empty) else f"its type is {column.dtype}"
        raise InvalidFileError(f"column {name!r} of {path} must hold a whole number in every row; {where}.")
    return np.asarray(column.data, dtype=np.int64)


def _check_unique(path: Path, **keys: IntArray) -> None:
    """No two rows with the same values in these columns."""
    rows, counts = np.unique(np.column_stack(list(keys.values())), axis=0, return_counts=True)
    repeated = np.flatnonzero(counts > 1)
    if len(repeated):
        first = ", ".join(f"{name} {value}" for name, value in zip(keys, rows[repeated[0]], strict=True))
        raise InvalidFileError(
            f"{path} must have one row for each {' and '.join(keys)}; {first} has {counts[repeated[0]]} rows "
            f"({len(repeated)} such cases). Drop the rows that are too many."
        )


def _check_classes(path: Path, name: str, classes: IntArray, lowest: int) -> None:
    strange = np.flatnonzero((classes < lowest) | (classes >= MAX_CLASSES))
    if len(strange):
        raise InvalidFileError(
            f"column {name!r} of {path} must hold classes 0 to {MAX_CLASSES - 1}, or -1 where there is none; found "
            f"{classes[strange[0]]} in row {strange[0]}, counting from 0 ({len(strange)} such rows)."
        )

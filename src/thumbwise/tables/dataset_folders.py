"""Folders that the Hugging Face library datasets writes, as tables: names of classes kept, the library not needed.

Specification
-------------
- *One dataset*, by ``save_to_disk``: ``state.json`` lists the Arrow files in ``_data_files[].filename``, in order;
  ``dataset_info.json`` holds ``features``. The files are Arrow streams (or Arrow files) in the same folder.
- *Several splits*: ``dataset_dict.json`` with ``splits``, and a folder of the first kind for each. One split is read;
  of several, one must be named by its path.
- *Parquet*, as on the Hub: ``data/train-00000-of-00001.parquet`` and so on, with the features in the metadata
  ``huggingface`` of each file. The part of the name before the number is the split.
- A feature of type ``ClassLabel`` holds numbers; the column has the ``names`` in their place. A negative number is no
  label, as the library has it: missing. A number without a name is refused.
- Every other column is what a Parquet file's is: truth values, numbers and texts stay, lists and records are JSON. A
  column that holds bytes (images, sound) is left out, and noted.
- A dataset that was saved with a list of indices, as versions before 2.0 did, is refused: its rows are not those of its
  files.

Rows are brought into memory, at most 2 GiB of them. Nothing is unpickled, no script of a dataset is run, and no file
outside of the folder is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from thumbwise.exceptions import InvalidFileError
from thumbwise.tables.arrow_rows import as_columns, read_arrow, read_parquet_files
from thumbwise.tables.budgets import check_json
from thumbwise.tables.coded import Coded, CodedColumns, coded_from
from thumbwise.tables.formats import Column, gist_of
from thumbwise.tables.table_files import Table

_STATE, _INFO, _SPLITS = "state.json", "dataset_info.json", "dataset_dict.json"
_SHARD = re.compile(r"(?P<split>.+?)-\d{5}-of-\d{5}(-[0-9a-f]+)?\.parquet")
_LARGEST_JSON = 2**26


def is_dataset(path: Path) -> bool:
    """Whether a folder says that it is a dataset: by its JSON files, or by Parquet files named as on the Hub."""
    if not path.is_dir():
        return False
    if (path / _SPLITS).is_file() or (path / _INFO).is_file():
        return True
    return any(_SHARD.fullmatch(file.name) for file in _parquet_in(path / "data"))


def read_dataset(path: Path) -> tuple[Table, tuple[str, ...]]:
    """The rows of a dataset, and what to know of them.

    Raises
    ------
    InvalidFileError
        The folder holds none, several of them, or one that is damaged, too large or of another kind.
    MissingPackageError
        PyArrow is not installed.
    """
    path = _one_split(path)
    if (path / _INFO).is_file() or (path / _STATE).is_file():
        rows = read_arrow(path, _data_files(path))
        features = _read_object(path / _INFO).get("features")
    else:
        rows = read_parquet_files(path, _shards(path))
        features = _stored_features(rows.schema.metadata)
    columns, bytes_in = as_columns(path, rows)
    named = {name: names for name, names in _class_names(path, features) if name in columns}
    coded = {
        name: _named(path, name, columns[name], names)
        for name, names in named.items()
        if columns[name].dtype.kind in "iu"
    }
    others = {name: column for name, column in columns.items() if name not in coded}
    return Table(CodedColumns(list(columns), others, coded)), _notes(named, bytes_in)


def _one_split(path: Path) -> Path:
    """The folder of the only split, or the folder itself."""
    if not (path / _SPLITS).is_file():
        return path
    splits = _read_object(path / _SPLITS).get("splits")
    if not isinstance(splits, list) or not splits or not all(map(_is_name, splits)):
        raise InvalidFileError(
            f"{path / _SPLITS} must list 'splits', names of folders beside it; found {splits!r:.60}."
        )
    if len(splits) > 1:
        raise _several(path, splits, f"{path / splits[0]}")
    return path / str(splits[0])


def _is_name(name: object) -> bool:
    """Whether it names something beside, and nothing elsewhere."""
    return isinstance(name, str) and name not in ("", ".", "..") and not {"/", "\\", "\0"} & {*name}


def _several(path: Path, splits: list[str], example: str) -> InvalidFileError:
    shown = ", ".join(map(repr, splits[:10]))
    return InvalidFileError(
        f"one split of a dataset must be read; {path} holds {shown}. Name the one that is meant, such as {example}."
    )


def _read_object(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _LARGEST_JSON:
            raise InvalidFileError(f"{path} must have at most {_LARGEST_JSON:,} bytes; it has more.")
        text = path.read_bytes()
        check_json(path, text)
        content = json.loads(text)
    except FileNotFoundError:
        raise InvalidFileError(
            f"a dataset on disk must hold {path.name}; {path.parent} does not. It may be a folder of the cache, or "
            "copied in part: write it anew with save_to_disk."
        ) from None
    except OSError as error:
        raise InvalidFileError(f"{path} cannot be opened: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise InvalidFileError(
            f"{path} must be JSON; it cannot be read as such: {gist_of(error).rstrip('.')}."
        ) from error
    if not isinstance(content, dict):
        raise InvalidFileError(f"{path} must hold a JSON object; found {type(content).__name__}.")
    return content


def _data_files(path: Path) -> list[Path]:
    """The files of rows that a saved dataset lists."""
    state = _read_object(path / _STATE)
    if state.get("_indices_data_files"):
        raise InvalidFileError(
            f"{path} holds a list of indices, which stands between its rows and its files. Call flatten_indices() and "
            "save the dataset anew."
        )
    listed = state.get("_data_files")
    entries = listed if isinstance(listed, list) else []
    names = [entry.get("filename") if isinstance(entry, dict) else entry for entry in entries]
    if not names or not all(map(_is_name, names)):
        found = names or listed
        raise InvalidFileError(f"{path / _STATE} must list '_data_files', files beside it; found {found!r:.60}.")
    return [path / str(name) for name in names]


def _parquet_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.parquet")) if folder.is_dir() else []


def _shards(path: Path) -> list[Path]:
    """The Parquet files of the only split."""
    files = _parquet_in(path) or _parquet_in(path / "data")
    if not files:
        raise InvalidFileError(
            f"{path} must hold a dataset: {_INFO} and {_STATE}, {_SPLITS}, or Parquet files; it holds none of them."
        )
    matches = [_SHARD.fullmatch(file.name) for file in files]
    splits = list(dict.fromkeys(match["split"] if match else "" for match in matches))
    if len(splits) > 1:
        raise _several(path, splits, f"'{files[0].parent / splits[0]}-*.parquet'")
    return files


def _stored_features(metadata: Mapping[bytes, bytes] | None) -> Any:
    """Features as Parquet files have them."""
    try:
        return json.loads((metadata or {})[b"huggingface"])["info"]["features"]
    except (KeyError, TypeError, ValueError, RecursionError):
        return None


def _class_names(path: Path, features: Any) -> Iterator[tuple[str, list[str]]]:
    """Columns of classes, each with the names of its numbers."""
    for name, feature in features.items() if isinstance(features, dict) else ():
        if not isinstance(feature, dict) or feature.get("_type") != "ClassLabel":
            continue
        names = feature.get("names")
        if not isinstance(names, list) or not all(isinstance(text, str) for text in names):
            raise InvalidFileError(f"the classes of column {name!r} of {path} must have names; found {names!r:.60}.")
        yield name, names


def _named(path: Path, name: str, numbers: Column, names: list[str]) -> Coded:
    """Names in place of the numbers of classes; a negative number is missing."""
    missing = np.ma.getmaskarray(numbers) | (numbers.data < 0)
    nameless = np.flatnonzero(~missing & (numbers.data >= len(names)))
    if len(nameless):
        raise InvalidFileError(
            f"the classes of column {name!r} of {path} must be numbers below {len(names)}, which have names; found "
            f"{numbers.data[nameless[0]]} at row {nameless[0]} ({len(nameless)} such rows)."
        )
    first: dict[str, int] = {}
    place = np.array([*(first.setdefault(text, i) for i, text in enumerate(names)), len(names)])  # a name may be twice
    codes = place[np.where(missing, len(names), numbers.data).astype(np.int64)]
    return coded_from(np.array([*names, None], dtype=object), codes, len(names))


def _notes(named: Mapping[str, list[str]], bytes_in: list[str]) -> tuple[str, ...]:
    notes = ["taken for a dataset of Hugging Face"]
    if named:
        shown = ", ".join(map(repr, list(named)[:10]))
        notes.append(f"numbers of classes are read as their names, and negative ones as missing: {shown}")
    if bytes_in:
        notes.append(f"columns of bytes are left out: {', '.join(map(repr, bytes_in[:10]))}")
    return tuple(notes)

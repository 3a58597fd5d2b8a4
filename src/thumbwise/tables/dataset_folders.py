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
- A dataset that was saved with a list of indices (before version 2.0) is refused: its rows are not those of its files.

Nothing is unpickled, no script of a dataset is run, and no file outside of the folder is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from thumbwise.exceptions import InvalidFileError, MissingPackageError
from thumbwise.tables.formats import Column, check_unique, connect, gist_of, interruptible, kept_value
from thumbwise.tables.table_files import Table

_STATE, _INFO, _SPLITS = "state.json", "dataset_info.json", "dataset_dict.json"
_SHARD = re.compile(r"(?P<split>.+?)-\d{5}-of-\d{5}(-[0-9a-f]+)?\.parquet")
_LARGEST_JSON = 2**26
# Bytes of rows, as they are in memory.
_LARGEST = 2**31
_POINTER = b"version https://git-lfs"


def is_dataset(path: Path) -> bool:
    """Whether a folder says that it is one of datasets: by its JSON files, or by Parquet files named as on the Hub."""
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
    batches, features = _open_parquet(path) if not (path / _INFO).is_file() else _open_saved(path)
    return _as_table(path, batches, features)


def _one_split(path: Path) -> Path:
    """The folder of the only split, or the folder itself."""
    if not (path / _SPLITS).is_file():
        return path
    splits = _field(path / _SPLITS, "splits", list)
    names = [name for name in splits if isinstance(name, str) and Path(name).name == name]
    if len(names) < len(splits) or not names:
        raise InvalidFileError(
            f"'splits' of {path / _SPLITS} must be names of folders beside it; found {splits!r:.60}."
        )
    if len(names) > 1:
        raise _several(path, names, f"{path / names[0]}")
    return path / names[0]


def _several(path: Path, splits: list[str], example: str) -> InvalidFileError:
    shown = ", ".join(map(repr, splits[:10]))
    return InvalidFileError(
        f"one split of a dataset must be read; {path} holds {shown}. Name the one that is meant, such as {example}."
    )


def _read_json(path: Path) -> Any:
    try:
        if path.stat().st_size > _LARGEST_JSON:
            raise InvalidFileError(f"{path} must have at most {_LARGEST_JSON:,} bytes; it has more.")
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        raise InvalidFileError(
            f"a dataset on disk must hold {path.name}; {path.parent} does not. It may be a folder of the cache, or "
            "copied in part: write it anew with save_to_disk."
        ) from None
    except OSError as error:
        raise InvalidFileError(f"{path} cannot be opened: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise InvalidFileError(f"{path} must be JSON; it cannot be read as such: {gist_of(error)}") from error


def _field(path: Path, name: str, kind: type) -> Any:
    content = _read_json(path)
    value = content.get(name) if isinstance(content, dict) else None
    if not isinstance(value, kind):
        what = {list: "a list", dict: "an object"}[kind]
        raise InvalidFileError(
            f"{path} must have {name!r}, {what}; found {type(value).__name__}. Save the dataset anew."
        )
    return value


def _open_saved(path: Path) -> tuple[Iterator[Any], Any]:
    """Batches of rows, and the features of their columns."""
    files = _field(path / _STATE, "_data_files", list)
    if _read_json(path / _STATE).get("_indices_data_files"):
        raise InvalidFileError(
            f"{path} holds a list of indices, which stands between its rows and its files. Call flatten_indices() and "
            "save the dataset anew."
        )
    names = [entry.get("filename") if isinstance(entry, dict) else None for entry in files]
    strange = [name for name in names if not isinstance(name, str) or Path(name).name != name]
    if strange or not names:
        found = repr(strange[0]) if strange else "none"
        raise InvalidFileError(f"'_data_files' of {path / _STATE} must name files beside it; found {found:.60}.")
    content = _read_json(path / _INFO)
    features = content.get("features") if isinstance(content, dict) else None
    return _arrow_batches([_checked(path / str(name)) for name in names]), features


def _checked(path: Path) -> Path:
    """A file of rows that is there and no mere pointer to one."""
    try:
        with path.open("rb") as file:
            start = file.read(len(_POINTER))
    except OSError as error:
        raise InvalidFileError(f"{path} cannot be opened: {error.strerror or error}.") from error
    if start == _POINTER:
        raise InvalidFileError(f"{path} must hold rows; it is a pointer of Git LFS. Fetch it with git lfs pull.")
    return path


def _pyarrow() -> Any:
    try:
        import pyarrow  # noqa: PLC0415  # an extra, and slow to import
    except ImportError:
        raise MissingPackageError(
            "folders of Hugging Face datasets are read through pyarrow, which is not installed. Run "
            "pip install 'thumbwise[arrow]'."
        ) from None
    return pyarrow


def _arrow_batches(files: list[Path]) -> Iterator[Any]:
    pa = _pyarrow()
    for file in files:
        with pa.OSFile(str(file)) as source:
            is_stream = source.read(6) != b"ARROW1"
            source.seek(0)
            if is_stream:
                yield from pa.ipc.open_stream(source)
            else:
                opened = pa.ipc.open_file(source)
                yield from (opened.get_batch(i) for i in range(opened.num_record_batches))


def _parquet_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.parquet")) if folder.is_dir() else []


def _open_parquet(path: Path) -> tuple[Iterator[Any], Any]:
    files = _parquet_in(path) or _parquet_in(path / "data")
    if not files:
        raise InvalidFileError(
            f"{path} must hold a dataset: {_INFO} and {_STATE}, {_SPLITS}, or Parquet files; it holds none of them."
        )
    matches = [_SHARD.fullmatch(file.name) for file in files]
    splits = list(dict.fromkeys(match["split"] if match else "" for match in matches))
    if len(splits) > 1:
        raise _several(path, splits, f"'{files[0].parent / splits[0]}-*.parquet'")
    batches = _parquet_batches([_checked(file) for file in files])
    return batches, None


def _parquet_batches(files: list[Path]) -> Iterator[Any]:
    _pyarrow()
    from pyarrow import parquet  # noqa: PLC0415

    for file in files:
        with parquet.ParquetFile(file) as opened:
            size = sum(opened.metadata.row_group(i).total_byte_size for i in range(opened.metadata.num_row_groups))
            _refuse_large(file, size)
            yield from opened.iter_batches()


def _refuse_large(path: Path, n_bytes: int) -> None:
    if n_bytes > _LARGEST:
        raise InvalidFileError(
            f"a dataset that is read into memory must have at most {_LARGEST:,} bytes; {path} has {n_bytes:,} or more. "
            "Write it as Parquet, and name the files: 'data/*.parquet'."
        )


def _as_table(path: Path, batches: Iterator[Any], features: Any) -> tuple[Table, tuple[str, ...]]:
    pa = _pyarrow()
    held, n_bytes = [], 0
    try:
        for batch in batches:
            batch.validate(full=True)  # offsets that point elsewhere would be followed
            n_bytes += batch.nbytes
            _refuse_large(path, n_bytes)
            held.append(batch)
        if not held:
            raise InvalidFileError(f"a dataset must hold at least one row; {path} holds none.")
        rows = pa.Table.from_batches(held)
    except (pa.ArrowException, OSError, MemoryError) as error:
        raise InvalidFileError(f"the rows of {path} cannot be read as Arrow or Parquet: {gist_of(error)}") from error
    check_unique(path, rows.column_names)
    bytes_in = [name for name, kind in zip(rows.column_names, rows.schema.types, strict=True) if _holds_bytes(pa, kind)]
    rows = rows.drop_columns(bytes_in)
    if features is None:
        features = _stored_features(rows.schema.metadata)
    columns = _fetch(path, rows)
    named = {name: names for name, names in _class_names(path, features) if name in columns}
    for name, names in named.items():
        columns[name] = _named(path, name, columns[name], names)
    return Table(columns), _notes(named, bytes_in)


def _holds_bytes(pa: Any, kind: Any) -> bool:
    """Whether values of a type have bytes in them."""
    types = pa.types
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        return True
    return any(_holds_bytes(pa, kind.field(i).type) for i in range(kind.num_fields))


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


def _fetch(path: Path, rows: Any) -> dict[str, Column]:
    """Columns as those of a Parquet file are read."""
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    names = rows.column_names
    inner = [f"c{j}" for j in range(len(names))]
    with connect(path) as connection:
        try:
            with interruptible():
                connection.register("dataset", rows.rename_columns(inner))
                described = connection.execute("DESCRIBE dataset").fetchall()
                listed = ", ".join(f"{kept_value(str(row[0]), str(row[1]))} AS {row[0]}" for row in described)
                arrays = connection.execute(f"SELECT {listed} FROM dataset").fetchnumpy()  # noqa: S608  # names are c0, c1, ...
        except (duckdb.Error, UnicodeError, RuntimeError) as error:
            raise InvalidFileError(f"the rows of {path} cannot be read: {gist_of(error)}") from error
    return {name: np.ma.asarray(arrays[c]) for name, c in zip(names, inner, strict=True)}


def _named(path: Path, name: str, numbers: Column, names: list[str]) -> Column:
    """Names in place of the numbers of classes; a negative number is missing."""
    if numbers.dtype.kind not in "iu":
        return numbers
    missing = np.ma.getmaskarray(numbers) | (numbers.data < 0)
    codes = np.where(missing, 0, numbers.data)
    nameless = np.flatnonzero(~missing & (codes >= len(names)))
    if len(nameless):
        raise InvalidFileError(
            f"the classes of column {name!r} of {path} must be 0 to {len(names) - 1}, as many as have names; found "
            f"{codes[nameless[0]]} at row {nameless[0]} ({len(nameless)} such rows)."
        )
    texts = np.array([*names, None], dtype=object)[np.where(missing, len(names), codes)]
    return np.ma.array(texts, mask=missing)


def _notes(named: Mapping[str, list[str]], bytes_in: list[str]) -> tuple[str, ...]:
    notes = ["a dataset of Hugging Face"]
    if named:
        shown = ", ".join(map(repr, list(named)[:10]))
        notes.append(f"numbers of classes are read as their names, and negative ones as missing: {shown}")
    if bytes_in:
        notes.append(f"columns of bytes are left out: {', '.join(map(repr, bytes_in[:10]))}")
    return tuple(notes)

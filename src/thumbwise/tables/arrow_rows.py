"""Rows of Arrow and Parquet files as columns, read through PyArrow, and checked: such files come from strangers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from thumbwise.exceptions import InvalidFileError, MissingPackageError
from thumbwise.tables.formats import Column, check_unique, connect, gist_of, interruptible, kept_value

# Bytes of rows, as they are in memory.
LARGEST = 2**31
_POINTER = b"version https://git-lfs"
_ARROW_FILE = b"ARROW1"


def import_pyarrow() -> Any:
    """PyArrow, with what is read here."""
    try:
        import pyarrow  # noqa: PLC0415  # an extra, and slow to import
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError:
        raise MissingPackageError(
            "folders of Hugging Face datasets are read through pyarrow, which is not installed. Run "
            "pip install 'thumbwise[arrow]'."
        ) from None
    return pyarrow


def read_arrow(path: Path, files: Sequence[Path]) -> Any:
    """All rows of Arrow streams or files, as one table of PyArrow; ``path`` names them in messages."""
    return _gathered(path, _arrow_batches([_checked(file) for file in files]))


def read_parquet_files(path: Path, files: Sequence[Path]) -> Any:
    """All rows of Parquet files."""
    return _gathered(path, _parquet_batches([_checked(file) for file in files]))


def _checked(path: Path) -> Path:
    """A file of rows that is there, and no mere pointer to one."""
    try:
        with path.open("rb") as file:
            start = file.read(len(_POINTER))
    except (OSError, ValueError) as error:  # a name may be none that files can have
        raise InvalidFileError(f"{path} cannot be opened: {getattr(error, 'strerror', None) or error}.") from error
    if start == _POINTER:
        raise InvalidFileError(f"{path} must hold rows; it is a pointer of Git LFS. Fetch it with git lfs pull.")
    return path


def _arrow_batches(files: Iterable[Path]) -> Iterator[Any]:
    pa = import_pyarrow()
    for file in files:
        with pa.OSFile(str(file)) as source:
            is_stream = source.read(len(_ARROW_FILE)) != _ARROW_FILE
            source.seek(0)
            if is_stream:
                yield from pa.ipc.open_stream(source)
            else:
                opened = pa.ipc.open_file(source)
                yield from map(opened.get_batch, range(opened.num_record_batches))


def _parquet_batches(files: Iterable[Path]) -> Iterator[Any]:
    pa = import_pyarrow()
    for file in files:
        with pa.parquet.ParquetFile(file) as opened:
            groups = map(opened.metadata.row_group, range(opened.metadata.num_row_groups))
            _refuse_large(file, sum(group.total_byte_size for group in groups))
            yield from opened.iter_batches()


def _refuse_large(path: Path, n_bytes: int) -> None:
    if n_bytes > LARGEST:
        raise InvalidFileError(
            f"rows that are read into memory must have at most {LARGEST:,} bytes; {path} has {n_bytes:,} or more. "
            "Write them as Parquet files, and name these with a wildcard: 'data/*.parquet'."
        )


def _gathered(path: Path, batches: Iterator[Any]) -> Any:
    pa = import_pyarrow()
    held, n_bytes = [], 0
    with _explained(path):
        for batch in batches:
            batch.validate(full=True)  # offsets that point elsewhere would be followed
            n_bytes += batch.nbytes
            _refuse_large(path, n_bytes)
            held.append(batch)
        if not held:
            raise InvalidFileError(f"a table must hold at least one row; {path} holds none.")
        return pa.Table.from_batches(held)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Errors of PyArrow and of the database as one line."""
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    faults = (import_pyarrow().ArrowException, duckdb.Error, OSError, MemoryError, UnicodeError, RuntimeError)
    try:
        with interruptible():
            yield
    except faults as error:
        raise InvalidFileError(
            f"the rows of {path} cannot be read as Arrow or Parquet: {gist_of(error).rstrip('.')}."
        ) from error


def as_columns(path: Path, rows: Any) -> tuple[dict[str, Column], list[str]]:
    """Columns as those of a Parquet file are read; and the names of those that hold bytes, which are left out."""
    pa = import_pyarrow()
    with _explained(path):
        kinds = dict(zip(rows.column_names, rows.schema.types, strict=True))  # names may be no text
    check_unique(path, rows.column_names)
    bytes_in = [name for name, kind in kinds.items() if _holds_bytes(pa, kind)]
    rows = rows.drop_columns(bytes_in) if bytes_in else rows
    names = rows.column_names
    if not names:
        raise InvalidFileError(f"a table must have columns; {path} has none that can be read.")
    plain = [name for name in names if _is_plain(pa, kinds[name])]
    with _explained(path):
        columns = {name: _as_column(rows.column(name)) for name in plain}
        others = rows.drop_columns(plain) if plain else rows
        columns |= _by_database(path, others) if others.num_columns else {}
    return {name: columns[name] for name in names}, bytes_in


def _is_plain(pa: Any, kind: Any) -> bool:
    """Whether values of a type stay what they are: truth values, numbers and texts, of which no database is needed."""
    types = pa.types
    is_number = types.is_integer(kind) or types.is_float32(kind) or types.is_float64(kind)
    return bool(is_number or types.is_boolean(kind) or types.is_string(kind) or types.is_large_string(kind))


def _as_column(values: Any) -> Column:
    if not values.null_count:
        return np.ma.asarray(values.to_numpy())
    missing = values.is_null().to_numpy()
    if values.type in (import_pyarrow().string(), import_pyarrow().large_string()):
        return np.ma.array(values.to_numpy(), mask=missing)
    return np.ma.array(values.fill_null(values.type.to_pandas_dtype()(0)).to_numpy(), mask=missing)


def _by_database(path: Path, rows: Any) -> dict[str, Column]:
    """Columns of other types: lists and records as JSON, everything else as its text."""
    names = rows.column_names
    with connect(path) as connection:
        connection.register("arrow_rows", rows.rename_columns([f"c{j}" for j in range(len(names))]))
        described = connection.execute("DESCRIBE arrow_rows").fetchall()
        listed = ", ".join(f"{kept_value(str(row[0]), str(row[1]))} AS {row[0]}" for row in described)
        arrays = connection.execute(f"SELECT {listed} FROM arrow_rows").fetchnumpy()  # noqa: S608  # c0, c1, ...
    return {name: np.ma.asarray(arrays[f"c{j}"]) for j, name in enumerate(names)}


def _holds_bytes(pa: Any, kind: Any) -> bool:
    """Whether values of a type have bytes in them."""
    types = pa.types
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        return True
    return any(_holds_bytes(pa, kind.field(i).type) for i in range(kind.num_fields))

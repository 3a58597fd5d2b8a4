"""JSON lines in, columns out, in a time that grows with the file and not with its lines x its keys.

If all objects have the same few keys in the same order, DuckDB takes each apart into a list of values, and a column is
a place in these lists. Otherwise it takes them apart into cells (line, name, text, kind), once to find the types and
once to fetch the values, and NumPy puts them in their places. A SELECT that looks each key up in the text would read
every line once per key.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from thumbwise._typing import AnyArray
from thumbwise.exceptions import InvalidFileError
from thumbwise.tables.formats import Column, Columns, check_unique, choose_columns, pattern_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Type of a column in the database, and what NumPy holds it in.
_DTYPES: dict[str, type] = {"BIGINT": np.int64, "DOUBLE": np.float64, "BOOLEAN": np.bool_, "VARCHAR": object}
# Beyond this floats skip integers.
_EXACT = 2**53
# Whether all values are whole numbers of 64 bits, and whether all are numbers that a float holds exactly enough.
_FITS = (
    "bool_and({value} IS NULL OR TRY_CAST({value} AS BIGINT) IS NOT NULL), "
    f"bool_and({{value}} IS NULL OR coalesce(abs(TRY_CAST({{value}} AS DOUBLE)) < {_EXACT}, false))"
)
# Two aggregates a column; planning takes DuckDB a time that grows with the cube of their number.
_COLUMNS_AT_ONCE = 32
# Each such SELECT reads the lists whole; of objects with more keys cells are faster.
_FEW_NAMES = 256
# A table of so many cells is made however few of them are filled; a larger one must be filled to one part in so many.
_SMALL_TABLE = 10**6
_CELLS_PER_VALUE = 100
_CELLS_AT_ONCE = 2**22
# DuckDB reads no longer lines.
_LONGEST_LINE = 2**25 - 16


def read_json_lines(connection: DuckDBPyConnection, path: Path, columns: Sequence[str] | None) -> Columns:
    """A column for each key, or for those that are asked for."""
    n_rows = _load_lines(connection, path)
    names = _find_names(connection, path)
    if _all_alike(connection) and len(names) <= _FEW_NAMES:
        return _read_alike(connection, path, names, columns)
    if columns is not None:
        chosen = choose_columns(path, names, columns)
        connection.execute("DELETE FROM names WHERE NOT list_contains(?, place)", [chosen])
        names = [names[place] for place in sorted(chosen)]
    types, n_values = _find_types(connection)
    _check_filled(path, n_rows, len(names), n_values)
    by_name = dict(zip(names, _fill(connection, types, n_rows, n_values), strict=True))
    return {name: by_name[name] for name in (names if columns is None else columns)}


def _load_lines(connection: DuckDBPyConnection, path: Path) -> int:
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    try:
        connection.execute(
            "CREATE TABLE lines AS SELECT json FROM read_ndjson_objects(?, compression = 'none')", [pattern_of(path)]
        )
    except duckdb.Error:
        fault = _first_bad_line(connection, path)
        if fault is None:
            raise
        raise fault from None
    strange = connection.execute("SELECT rowid, json FROM lines WHERE json_type(json) <> 'OBJECT' LIMIT 1").fetchone()
    if strange:
        raise InvalidFileError(
            f'{path} must hold one JSON object a line, such as {{"id": 1, "rule": 0}}; object {strange[0]} is '
            f"{str(strange[1])[:60]}. Write one row a line, with names."
        )
    counted = connection.execute("SELECT count(*) FROM lines").fetchone()
    return int(counted[0]) if counted else 0


def _find_names(connection: DuckDBPyConnection, path: Path) -> list[str]:
    """All keys, in order of appearance; most lines have the same, so that these are looked at once."""
    connection.execute("CREATE TABLE layouts AS SELECT json_keys(json) AS keys, min(rowid) AS i FROM lines GROUP BY 1")
    repeated = connection.execute(
        "SELECT keys FROM layouts WHERE len(list_distinct(keys)) < len(keys) ORDER BY i LIMIT 1"
    ).fetchone()
    if repeated:
        check_unique(path, repeated[0])
    connection.execute(
        "CREATE TABLE names AS SELECT name, row_number() OVER (ORDER BY min((i, position))) - 1 AS place FROM "
        "(SELECT i, unnest(keys) AS name, unnest(range(len(keys))) AS position FROM layouts) GROUP BY name"
    )
    return [row[0] for row in connection.execute("SELECT name FROM names ORDER BY place").fetchall()]


def _all_alike(connection: DuckDBPyConnection) -> bool:
    counted = connection.execute("SELECT count(*) FROM layouts").fetchone()
    return bool(counted and counted[0] == 1)


def _read_alike(
    connection: DuckDBPyConnection, path: Path, names: Sequence[str], columns: Sequence[str] | None
) -> Columns:
    """Columns of objects that all have these keys in this order."""
    places = list(range(len(names))) if columns is None else choose_columns(path, names, columns)
    connection.execute(
        "CREATE TABLE parts AS SELECT json_extract_string(json, '$.*') AS v, json_type(json, '$.*') AS t FROM lines"
    )
    by_name: Columns = {}
    for start in range(0, len(places), _COLUMNS_AT_ONCE):
        some = places[start : start + _COLUMNS_AT_ONCE]
        types = _types_at(connection, some)
        listed = ", ".join(f"CAST(v[{p + 1}] AS {dtype}) AS c{p}" for p, dtype in zip(some, types, strict=True))
        arrays = connection.execute(f"SELECT {listed} FROM parts").fetchnumpy()  # noqa: S608  # no name from outside
        by_name |= {names[p]: np.ma.asarray(arrays[f"c{p}"]) for p in some}
    return by_name


def _types_at(connection: DuckDBPyConnection, places: Sequence[int]) -> list[str]:
    """Types of the columns at some places of the lists."""
    asked = ", ".join(
        f"list(DISTINCT t[{p + 1}]) FILTER (t[{p + 1}] <> 'NULL'), {_FITS.format(value=f'v[{p + 1}]')}" for p in places
    )
    row = connection.execute(f"SELECT {asked} FROM parts").fetchone() or ()  # noqa: S608
    return [_type_of(set(row[j] or ()), *row[j + 1 : j + 3]) for j in range(0, len(row), 3)]


def _cells(lines: str) -> str:
    """Every value of the lines with its line, the place of its name, its text and its kind."""
    return (
        "(SELECT rowid AS i, unnest(json_keys(json)) AS name, unnest(json_extract_string(json, '$.*')) AS value, "  # noqa: S608  # no name comes from outside
        f"unnest(json_type(json, '$.*')) AS kind FROM {lines}) JOIN names USING (name)"
    )


def _find_types(connection: DuckDBPyConnection) -> tuple[list[str], int]:
    """Type of each column in the order of their places, and how many values there are in all."""
    rows = connection.execute(
        "SELECT list(DISTINCT kind) FILTER (kind <> 'NULL'), count(*), "  # noqa: S608
        f"{_FITS.format(value='value')} "
        f"FROM {_cells('lines')} GROUP BY place ORDER BY place"
    ).fetchall()
    return [_type_of(set(kinds or ()), *fits) for kinds, _, *fits in rows], sum(row[1] for row in rows)


def _type_of(kinds: set[str], fits_integers: bool, fits_floats: bool) -> str:
    if kinds == {"BOOLEAN"}:
        return "BOOLEAN"
    if kinds <= {"UBIGINT", "BIGINT"} and fits_integers:
        return "BIGINT"
    return "DOUBLE" if kinds <= {"UBIGINT", "BIGINT", "DOUBLE"} and fits_floats else "VARCHAR"


def _check_filled(path: Path, n_rows: int, n_names: int, n_values: int) -> None:
    """Each line may bring a name of its own: a file of n values then makes a table of n x n cells."""
    n_cells = n_rows * n_names
    if n_cells > max(_SMALL_TABLE, _CELLS_PER_VALUE * n_values):
        raise InvalidFileError(
            f"{path} must fill at least one cell in {_CELLS_PER_VALUE} of its table; its {n_rows:,} lines have "
            f"{n_names:,} different names, and only {n_values:,} of the {n_cells:,} cells hold a value. Write one line "
            'per value, such as {"item": 1, "worker": "a", "label": 0}.'
        )


def _fill(connection: DuckDBPyConnection, types: Sequence[str], n_rows: int, n_values: int) -> list[Column]:
    """Columns in the order of their places: each is a row of the grid of its type."""
    used = [dtype for dtype in _DTYPES if dtype in types]
    counters = {dtype: count() for dtype in used}
    homes = [(used.index(dtype), next(counters[dtype])) for dtype in types]
    grids = [_Grid(dtype, next(counters[dtype]), n_rows) for dtype in used]
    _assign(connection, homes)
    casts = ", ".join(
        f"CASE WHEN grid = {g} THEN TRY_CAST(value AS {dtype}) END AS g{g}" for g, dtype in enumerate(used)
    )
    step = max(1, _CELLS_AT_ONCE * n_rows // max(n_values, 1))
    for start in range(0, n_rows, step):
        some = f"lines WHERE rowid BETWEEN {start} AND {min(start + step, n_rows) - 1}"
        cells = connection.execute(f"SELECT i, grid_row, {casts} FROM {_cells(some)}").fetchnumpy()  # noqa: S608
        for g, grid in enumerate(grids):
            grid.put(np.asarray(cells["grid_row"]), np.asarray(cells["i"]), np.ma.asarray(cells[f"g{g}"]))
    return [grids[g].column(row) for g, row in homes]


def _assign(connection: DuckDBPyConnection, homes: Sequence[tuple[int, int]]) -> None:
    """Tell the database in which row of which grid the values of each name belong."""
    connection.execute(
        "CREATE OR REPLACE TABLE names AS SELECT name, grid, grid_row FROM "
        "(SELECT name, row_number() OVER (ORDER BY place) AS nth FROM names) JOIN "
        "(SELECT generate_subscripts(?, 1) AS nth, unnest(?) AS grid, unnest(?) AS grid_row) USING (nth)",
        [[grid for grid, _ in homes]] * 2 + [[row for _, row in homes]],
    )


class _Grid:
    """Columns of one type, one a row; what is not put in is missing."""

    def __init__(self, dtype: str, n_columns: int, n_rows: int) -> None:
        self._values: AnyArray = np.zeros((n_columns, n_rows), dtype=_DTYPES[dtype])
        self._missing = np.ones((n_columns, n_rows), dtype=bool)
        if dtype == "VARCHAR":
            self._values.fill(None)

    def put(self, columns: AnyArray, rows: AnyArray, values: Column) -> None:
        known = np.flatnonzero(~np.ma.getmaskarray(values))
        self._values[columns[known], rows[known]] = values.data[known]
        self._missing[columns[known], rows[known]] = False

    def column(self, number: int) -> Column:
        missing = self._missing[number]
        return np.ma.array(self._values[number], mask=missing if missing.any() else np.ma.nomask)


def _first_bad_line(connection: DuckDBPyConnection, path: Path) -> InvalidFileError | None:
    """DuckDB miscounts lines and does not show them."""
    with path.open("rb") as file:
        # Not line by line as Python would: a line may be as long as the file.
        for number, line in enumerate(iter(lambda: file.readline(_LONGEST_LINE + 1), b""), start=1):
            fault = _fault_of(connection, line)
            if fault:
                shown = line[:60].decode("utf-8", "backslashreplace").strip()
                return InvalidFileError(
                    f"{path} must hold one JSON object a line, as its ending says; line {number} {fault}: {shown!r}. "
                    "Rename the file to what it is, or write one object a line."
                )
    return None


def _fault_of(connection: DuckDBPyConnection, line: bytes) -> str:
    """What is wrong with a line, in Python's words; where Python is too narrow or too lenient the database decides."""
    if len(line) > _LONGEST_LINE:
        return f"is longer than {_LONGEST_LINE:,} bytes"
    if not line.strip():
        return ""
    reason = "half of a pair of surrogates"
    try:
        json.loads(line.decode(), parse_int=str, parse_float=str)
        if b"\\ud" not in line.lower():
            return ""
    except ValueError as error:
        return f"is no JSON ({error})"
    except RecursionError:
        reason = "nested too deeply to say where"
    answer = connection.execute("SELECT json_valid(?)", [line.decode()]).fetchone()
    return "" if answer and answer[0] else f"is no JSON ({reason})"

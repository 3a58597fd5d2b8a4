"""DuckDB is loaded when a file is read, not before; and reading needs no frame library."""

import subprocess
import sys


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_importing_does_not_load_duckdb() -> None:
    code = "import sys, thumbwise, thumbwise.tables.table_files, thumbwise.io.wide; print('duckdb' in sys.modules)"
    assert run(code) == "False"


def test_frame_libraries_are_not_needed(tmp_path: object) -> None:
    code = f"""
import sys
for name in ("pandas", "pyarrow", "polars"):
    sys.modules[name] = None
import numpy as np
from thumbwise.tables.table_files import Table, read_table, write_table
texts = np.ma.array(np.array(["007", None, "x"], dtype=object), mask=[False, True, False])
for ending in ("csv", "parquet", "jsonl"):
    path = {str(tmp_path)!r} + "/t." + ending
    write_table(Table({{"a": texts, "b": np.ma.array([1, 2, 3], mask=[False, False, True])}}), path)
    back = read_table(path).columns
    print(ending, back["a"].tolist(), back["b"].tolist())
"""
    assert run(code).splitlines() == [f"{e} ['007', None, 'x'] [1, 2, None]" for e in ("csv", "parquet", "jsonl")]

"""After an error or an interrupt the old file is as it was and no other file is left."""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import thumbwise as tw
from thumbwise.tables import table_files as tables

TABLE = tables.Table({"a": np.ma.array([1, 2])})


def fail_halfway(error: BaseException) -> Any:
    def write(_connection: object, _columns: object, part: Path, *_: object) -> None:
        part.write_text("half of the ro")
        raise error

    return write


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl"])
@pytest.mark.parametrize(
    ("error", "seen"),
    [
        (KeyboardInterrupt(), KeyboardInterrupt),
        (RuntimeError("Query interrupted"), KeyboardInterrupt),
        (duckdb.IOException("IO Error: no space left"), tw.InvalidFileError),
        (OSError(28, "No space left on device"), tw.InvalidFileError),
        (MemoryError(), MemoryError),
    ],
)
def test_old_file_is_untouched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, error: BaseException, seen: type[BaseException]
) -> None:
    path = tmp_path / f"t{ending}"
    path.write_bytes(b"old")
    monkeypatch.setattr(tables, "copy_columns", fail_halfway(error))
    with pytest.raises(seen):
        tables.write_table(TABLE, path, overwrite=True)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_interrupt_before_the_last_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        tables.write_table(TABLE, tmp_path / "t.csv")
    assert list(tmp_path.iterdir()) == []


def test_replacing_keeps_the_permissions(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("old")
    path.chmod(0o640)
    tables.write_table(TABLE, path, overwrite=True)
    assert path.read_text() == "a\n1\n2\n"
    assert path.stat().st_mode & 0o777 == 0o640

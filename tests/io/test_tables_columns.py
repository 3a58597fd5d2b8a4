"""Some of the columns of a file, in the order in which they are asked for."""

from pathlib import Path

import numpy as np
import pytest

from thumbwise import InvalidFileError
from thumbwise.tables.table_files import Table, read_table, write_table

ENDINGS = [".csv", ".tsv", ".parquet", ".jsonl", ".ndjson"]
TEXTS = np.ma.array(np.array(["x", "y", None], dtype=object), mask=[False, False, True])
TABLE = Table({"prompt": TEXTS, "id": np.ma.array([7, 8, 9]), "a": np.ma.array([0, 1, 0], mask=[False, True, False])})


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("columns", [["a"], ["a", "id"], ["id", "prompt", "a"], ("prompt",), ["id", "id"]], ids=str)
def test_only_these(tmp_path: Path, ending: str, columns: list[str]) -> None:
    path = tmp_path / f"t{ending}"
    write_table(TABLE, path)
    whole, part = read_table(path), read_table(path, columns=columns)
    assert list(part.names) == list(dict.fromkeys(columns))
    for name in columns:
        assert part.columns[name].tolist() == whole.columns[name].tolist() == TABLE.columns[name].tolist()
        assert part.columns[name].dtype == whole.columns[name].dtype


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_column_that_is_not_there(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t{ending}"
    write_table(TABLE, path)
    with pytest.raises(InvalidFileError, match=r"found no 'b' \(2 such names\). It has 'prompt', 'id', 'a'"):
        read_table(path, ["id", "b", "ID"])
    with pytest.raises(InvalidFileError, match=r"found none\. It has 'prompt'"):
        read_table(path, [])

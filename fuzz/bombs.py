"""Small files that would take much memory, each read in a process of its own: what it takes at most, and what is said.

Usage: python -m fuzz.bombs [--small] [NAME ...]

At full size a bomb would take more than the budget of 4 GB, or nearly all of it; ``--small`` makes each a thousandth of
it and reads it with a thousandth of the budget.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import zstandard
from openpyxl import Workbook
from scipy.io import savemat

SMALL = 1000
BUDGET = 4 * 10**9
_BLOCK = 2**20


def write_packed(path: Path, start: bytes, piece: bytes, n_bytes: int) -> None:
    """The start, and then the piece again and again, packed as the ending says."""
    block = piece * max(1, _BLOCK // len(piece))
    with gzip.open(path, "wb") if path.suffix == ".gz" else zstandard.open(path, "wb") as file:
        file.write(start)
        for _ in range(max(1, n_bytes // len(block))):
            file.write(block)


def write_plain(path: Path, start: bytes, piece: bytes, n_bytes: int, end: bytes = b"") -> None:
    """The start, then the piece again and again, then the end."""
    block = piece * max(1, min(_BLOCK, n_bytes) // len(piece))
    with path.open("wb") as file:
        file.write(start)
        for _ in range(max(1, n_bytes // len(block))):
            file.write(block)
        file.write(end)


def mat_of_many(home: Path, n: int) -> Path:
    """Variables that nobody asks for, and votes beside them."""
    return _mat(
        home,
        {
            **{f"other_{j}": (n // 40, 10) for j in range(6)},
            "train_pred": (100, 5),
            "val_pred": (50, 5),
            "validation_labels": (1, 50),
        },
    )


def mat_of_votes(home: Path, n: int) -> Path:
    """Votes as large as the budget."""
    return _mat(home, {"train_pred": (n // 10, 10), "val_pred": (50, 10), "validation_labels": (1, 50)})


def mat_within(home: Path, n: int) -> Path:
    """Votes that need most of the budget."""
    return _mat(home, {"train_pred": (n // 200, 10), "val_pred": (50, 10), "validation_labels": (1, 50)})


def _mat(home: Path, shapes: dict[str, tuple[int, int]]) -> Path:
    path = home / "votes.mat"
    rng = np.random.default_rng(0)
    arrays = {
        name: rng.integers(2, size=shape, dtype="u1") if max(shape) <= 100 else np.zeros(shape, dtype="u1")
        for name, shape in shapes.items()
    }
    savemat(path, arrays, do_compression=True)
    return path


def parquet_of_rows(home: Path, n: int) -> Path:
    """One number in all rows, of which there are more than memory holds."""
    return _parquet(home, f"SELECT 1 AS id, 2 AS a FROM range({n // 8})")  # noqa: S608  # numbers


def parquet_of_texts(home: Path, n: int) -> Path:
    """One long text that stands in every row."""
    return _parquet(home, f"SELECT i AS id, repeat('x', 10000) AS a FROM range({max(10, n // 5000)}) AS t(i)")  # noqa: S608  # numbers


def parquet_of_a_long_text(home: Path, n: int) -> Path:
    """Texts that are longer together than a vector of the database takes."""
    return _parquet(home, f"SELECT i AS id, repeat('x', {n // 40}) AS a FROM range(100) AS t(i)")  # noqa: S608  # numbers


def _parquet(home: Path, query: str) -> Path:
    path = home / "votes.parquet"
    duckdb.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet, COMPRESSION zstd)")
    return path


def csv_in_gzip(home: Path, n: int) -> Path:
    """Rows that unpack to more than the budget."""
    write_packed(home / "votes.csv.gz", b"id,a\n", b"1,x\n", n + n // 8)
    return home / "votes.csv.gz"


def csv_in_zstd(home: Path, n: int) -> Path:
    """The same by zstd, which packs them better."""
    write_packed(home / "votes.csv.zst", b"id,a\n", b"1,x\n", n + n // 8)
    return home / "votes.csv.zst"


def csv_of_one_field(home: Path, n: int) -> Path:
    """One field that is nearly the whole file."""
    write_plain(home / "votes.csv", b"id,a\n1,", b"x", n // 4, b"\n2,x\n")
    return home / "votes.csv"


def csv_of_an_open_quote(home: Path, n: int) -> Path:
    """A quote that is never closed, so that the rest of the file is one field."""
    write_plain(home / "votes.csv", b'id,a\n1,"', b"x,y\n", n // 4)
    return home / "votes.csv"


def csv_of_classes(home: Path, n: int) -> Path:
    """A million values, each of which would be a class."""
    rows = "\n".join(f"i{i},c{i},d{i}" for i in range(n // 4000))
    (home / "votes.csv").write_text(f"id,a,b\n{rows}\n")
    return home / "votes.csv"


def workbook_of_blanks(home: Path, n: int) -> Path:
    """A part that unpacks to more than the budget."""
    book = Workbook()
    book.active.append(["id", "a"])
    book.active.append([1, "x"])
    book.save(home / "plain.xlsx")
    path = home / "votes.xlsx"
    with zipfile.ZipFile(home / "plain.xlsx") as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.infolist():
            content = old.read(part)
            with new.open(part.filename, "w", force_zip64=True) as file:
                file.write(content)
                for _ in range(1 + n // _BLOCK if "styles" in part.filename else 0):
                    file.write(b" " * _BLOCK)
    return path


def workbook_of_cells(home: Path, n: int) -> Path:
    """Few bytes, a cell in the far corner."""
    book = Workbook()
    book.active.append(["id", "a"])
    book.active.cell(row=1_000_000, column=16_000 if n == BUDGET else 10, value="x")
    book.save(home / "votes.xlsx")
    return home / "votes.xlsx"


def json_of_great_depth(home: Path, n: int) -> Path:
    """Millions of lists in each other."""
    write_plain(home / "votes.jsonl", b'{"id":1,"a":', b"[", n // 200, b"\n")
    return home / "votes.jsonl"


def json_of_one_line(home: Path, n: int) -> Path:
    """A line of gigabytes."""
    write_plain(home / "votes.jsonl", b'{"id":1,"a":"', b"x", n // 2, b'"}\n')
    return home / "votes.jsonl"


def wrench(home: Path, content: Callable[[Path], None]) -> Path:
    """A folder whose train.json is a bomb."""
    folder = home / "votes"
    folder.mkdir()
    items = {str(i): {"label": i % 2, "weak_labels": [i % 2, 1]} for i in range(10)}
    for part in ("valid", "test"):
        (folder / f"{part}.json").write_text(json.dumps(items))
    (folder / "label.json").write_text('{"0": "ham", "1": "spam"}')
    content(folder / "train.json")
    return folder


def wrench_of_lists(home: Path, n: int) -> Path:
    """Three bytes for each of millions of objects."""
    return wrench(home, lambda path: write_plain(path, b'{"0":[[]', b",[]", n // 9, b"]}"))


def wrench_of_great_depth(home: Path, n: int) -> Path:
    """Millions of lists in each other."""
    return wrench(home, lambda path: write_plain(path, b"", b"[", n // 200))


def export_of_lists(home: Path, n: int) -> Path:
    """Three bytes for each of millions of objects."""
    write_plain(home / "votes.json", b'{"results":[[]', b",[]", n // 4, b"]}")
    return home / "votes.json"


BOMBS: dict[str, Callable[[Path, int], Path]] = {
    maker.__name__: maker
    for maker in (
        mat_of_many,
        mat_of_votes,
        mat_within,
        parquet_of_rows,
        parquet_of_texts,
        parquet_of_a_long_text,
        csv_in_gzip,
        csv_in_zstd,
        csv_of_one_field,
        csv_of_an_open_quote,
        csv_of_classes,
        workbook_of_blanks,
        workbook_of_cells,
        json_of_great_depth,
        json_of_one_line,
        wrench_of_lists,
        wrench_of_great_depth,
        export_of_lists,
    )
}

_READ = """
import resource, sys
import thumbwise as tw
try:
    said = repr(tw.read_votes(sys.argv[1]))
except tw.ThumbwiseError as error:
    said = f"refused: {error}"
except BaseException as error:
    said = f"TRACEBACK {type(error).__name__}: {error}"
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(peak * 1024, " ".join(said.split())[:400])
"""


def read_alone(path: Path, budget: int) -> tuple[int, str]:
    """Largest memory in bytes, and what was said, of a fresh process that reads a file."""
    environment = {**os.environ, "THUMBWISE_MAX_BYTES": str(budget)}
    command = [sys.executable, "-c", _READ, str(path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603  # our own
    if done.returncode:
        return 0, f"CRASH {done.returncode}: {done.stderr[-300:]}"
    peak, _, said = done.stdout.partition(" ")
    return int(peak), said.strip()


def size_of(path: Path) -> int:
    """Bytes of a file or of all files of a folder."""
    return sum(file.stat().st_size for file in (path.iterdir() if path.is_dir() else [path]))


def main() -> int:
    """Status 1 if one ends in a traceback, or takes more than its budget and what the database takes anyway."""
    arguments = argparse.ArgumentParser("python -m fuzz.bombs")
    arguments.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BOMBS))
    arguments.add_argument("--small", action="store_true")
    given = arguments.parse_args()
    budget = BUDGET // SMALL if given.small else BUDGET
    n_bad = 0
    print("| bomb | bytes | peak MB | what is said |\n|---|---|---|---|", flush=True)
    for name in given.names or BOMBS:
        with tempfile.TemporaryDirectory() as folder:
            path = BOMBS[name](Path(folder), budget)
            peak, said = read_alone(path, budget)
            said = said.replace(str(path), path.name)
            print(f"| {name} | {size_of(path):,} | {peak / 1e6:,.0f} | {said[:170]} |", flush=True)
            n_bad += said.startswith(("TRACEBACK", "CRASH")) or peak > max(1.25 * budget, 5 * 10**8)
    print(f"{n_bad} bad")
    return int(n_bad > 0)


if __name__ == "__main__":
    sys.exit(main())

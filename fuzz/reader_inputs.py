"""Strange tables, folders, MATLAB files and names, as hypothesis draws them."""

from __future__ import annotations

import csv
import io
import json
import struct
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from hypothesis import strategies as st

from fuzz.mutations import NAMES, damage_bytes, dump, edit_json, seeded
from thumbwise.tables.table_files import Table, write_table

_WORDS = st.sampled_from([*"abc", "id", "item", "judge", "worker", "label", "verdict", "task", "gold", "yes", "no"])
_CELLS = st.one_of(
    _WORDS,
    st.sampled_from(["0", "1", "2", "-1", "", "1.0", "007", "1e400", "nan", "NULL", "9" * 20, "TRUE"]),
    st.sampled_from(NAMES),
    st.text(max_size=6),
)
_SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def delimited(draw: st.DrawFn, delimiter: str) -> bytes:
    """Rows of nearly equal length, quoted or not, some of them damaged."""
    n_columns = draw(st.integers(1, 5))
    header = draw(st.lists(_CELLS, min_size=n_columns, max_size=n_columns, unique=draw(st.booleans())))
    rows = draw(st.lists(st.lists(_CELLS, min_size=n_columns, max_size=n_columns), max_size=6))
    style = draw(st.sampled_from(["quoted", "quoted", "plain"]))
    lines = [delimiter.join(_quote(cell) if style == "quoted" else cell for cell in row) for row in [header, *rows]]
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    content = draw(st.sampled_from(["", "\ufeff"])) + end.join(lines) + draw(st.sampled_from(["", end]))
    return _perhaps_damaged(draw, content.encode("utf-8", "surrogatepass"))


@st.composite
def dialects(draw: st.DrawFn) -> bytes:
    """Rows that Python's writer wrote, with any delimiter, quotes and encoding, some of them damaged."""
    n_columns = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(_CELLS, min_size=n_columns, max_size=n_columns), min_size=1, max_size=6))
    text = io.StringIO(newline="")
    writer = csv.writer(
        text,
        delimiter=draw(st.sampled_from(",;\t|:§")),
        quotechar=draw(st.sampled_from("\"'")),
        quoting=draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
        lineterminator=draw(st.sampled_from(["\n", "\r\n", "\r"])),
        doublequote=draw(st.booleans()),
        escapechar="\\",
    )
    writer.writerows(rows)
    first = draw(st.sampled_from(["", "", "sep=;\n", "sep=\t\r\n", "\ufeff"]))
    encoding = draw(st.sampled_from(["utf-8", "cp1252", "utf-16", "utf-16-le", "shift_jis", "cp1251"]))
    return _perhaps_damaged(draw, (first + text.getvalue()).encode(encoding, "replace"))


def _quote(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


def _perhaps_damaged(draw: st.DrawFn, content: bytes) -> bytes:
    return damage_bytes(content, seeded(draw(_SEEDS))) if draw(st.integers(0, 3)) == 0 else content


_VALUES: st.SearchStrategy[Any] = st.one_of(
    _CELLS, st.none(), st.booleans(), st.integers(-1, 3), st.integers(), st.floats(), st.lists(_CELLS, max_size=2)
)


@st.composite
def json_lines(draw: st.DrawFn) -> bytes:
    """Objects with much the same keys, edited as a stranger would."""
    keys = draw(st.lists(_CELLS, min_size=1, max_size=4, unique=True))
    records = draw(st.lists(st.fixed_dictionaries({}, optional=dict.fromkeys(keys, _VALUES)), min_size=1, max_size=5))
    rng = seeded(draw(_SEEDS))
    if draw(st.integers(0, 3)) == 0:
        edited = edit_json(records, rng)
        records = edited if isinstance(edited, list) else [edited]
    return _perhaps_damaged(draw, b"\n".join(dump(record, rng) for record in records))


@st.composite
def parquet(draw: st.DrawFn) -> bytes:
    """What DuckDB writes, with bytes changed."""
    n_rows = draw(st.integers(1, 6))
    texts = draw(st.lists(st.sampled_from("abc"), min_size=n_rows, max_size=n_rows))
    columns: dict[str, Any] = {"id": np.arange(n_rows), "rule": np.array(texts, dtype=object), "x": np.ones(n_rows)}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "votes.parquet"
        write_table(Table({name: np.ma.asarray(column) for name, column in columns.items()}), path, overwrite=True)
        content = path.read_bytes()
    return damage_bytes(content, seeded(draw(_SEEDS)))


@st.composite
def wrench(draw: st.DrawFn) -> bytes:
    """Files of a folder that fit together, and one of them edited."""
    n_rules, n_classes = draw(st.integers(1, 3)), draw(st.integers(2, 3))
    names = draw(st.lists(_CELLS, min_size=n_classes, max_size=n_classes, unique=True))
    vote = st.integers(-1, n_classes - 1)
    most_rules = n_rules + (draw(st.integers(0, 9)) == 0)
    item = st.fixed_dictionaries(
        {"label": vote, "weak_labels": st.lists(vote, min_size=n_rules, max_size=most_rules)},
        optional={"data": st.fixed_dictionaries({"text": _CELLS})},
    )
    parts = [draw(st.dictionaries(_CELLS, item, min_size=1, max_size=4)) for _ in range(3)]
    leaked = draw(st.lists(st.sampled_from(sorted(parts[0])), max_size=2))
    rng = seeded(draw(_SEEDS))
    files: list[Any] = [{str(c): name for c, name in enumerate(names)}, *parts, leaked]
    spoiled = draw(st.integers(0, 9))
    written = [dump(edit_json(file, rng) if i == spoiled else file, rng) for i, file in enumerate(files)]
    return b"\n".join(part.replace(b"\n", b" ") for part in written)


@st.composite
def mat(draw: st.DrawFn) -> bytes:
    """A file of votes and labels as in the paper, with a lie about one array, or bytes changed."""
    order, n_items = draw(st.sampled_from("<>")), draw(st.integers(1, 4))
    arrays = {}
    for votes, labels in (("val_pred", "validation_labels"), ("train_pred", "train_labels")):
        arrays[votes] = np.array([[0, 1, -1]] * n_items, dtype=np.int64)
        arrays[labels] = np.array([[0] * n_items], dtype=np.int64)
    spoiled = draw(st.sampled_from([None, *arrays]))
    content = b"MATLAB 5.0".ljust(124) + struct.pack(order + "H", 0x0100) + (b"IM" if order == "<" else b"MI")
    for name, array in arrays.items():
        body = _mat_array(name, array, order, draw(_LIES) if name == spoiled else {})
        if name == spoiled and draw(st.booleans()):
            body = damage_bytes(body, seeded(draw(_SEEDS)))
        content += _mat_element(order, 15, zlib.compress(body), pad=False) if draw(st.booleans()) else body
    return _perhaps_damaged(draw, content)


_LIES: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries({"shape": st.lists(st.sampled_from([-1, 0, 1, 2, 3, 65536, 2**31 - 1]), max_size=3)}),
    st.fixed_dictionaries({"code": st.integers(0, 20)}),
    st.fixed_dictionaries({"stored": st.integers(0, 20)}),
    st.fixed_dictionaries({"name": st.binary(max_size=8)}),
)


def _mat_element(order: str, kind: int, body: bytes, *, pad: bool = True) -> bytes:
    return struct.pack(order + "II", kind, len(body)) + body + b"\0" * (-len(body) % 8 if pad else 0)


def _mat_array(name: str, array: Any, order: str, lies: dict[str, Any]) -> bytes:
    shape = lies.get("shape", array.shape)
    parts = [
        (6, struct.pack(order + "II", lies.get("code", 14), 0)),
        (5, struct.pack(f"{order}{len(shape)}i", *shape)),
        (1, lies.get("name", name.encode())),
        (lies.get("stored", 12), array.astype(order + "i8").tobytes(order="F")),
    ]
    return _mat_element(order, 14, b"".join(_mat_element(order, kind, body) for kind, body in parts))


_EXPORTS = Path(__file__).parent.parent / "tests" / "io_cases" / "exports"


@st.composite
def export(draw: st.DrawFn, name: str) -> bytes:
    """A small export of an evaluation tool with values or bytes changed; scores of Langfuse in lines too."""
    value = json.loads((_EXPORTS / f"{name}.json").read_bytes())
    rng = seeded(draw(_SEEDS))
    as_lines = name == "langfuse" and draw(st.booleans())
    value = value["data"] if as_lines else value
    for _ in range(draw(st.integers(0, 3))):
        value = edit_json(value, rng)
    rows = value if as_lines and isinstance(value, list) else [value]
    content = b"\n".join(dump(row, rng).replace(b"\n", b" ") for row in rows)
    ending = b".jsonl\n" if as_lines else b".json\n"
    return ending + (damage_bytes(content, rng) if draw(st.integers(0, 7)) == 0 else content)


_NAMES = st.one_of(_CELLS, st.text(max_size=8), st.text(alphabet="\"'`\\;-/*$%{}()\n\0ab", max_size=8))
sql = st.lists(_NAMES, min_size=6, max_size=6).map(lambda names: json.dumps(names).encode())

INPUTS: dict[str, st.SearchStrategy[bytes]] = {
    "csv": delimited(","),
    "tsv": delimited("\t"),
    "txt": dialects(),
    "jsonl": json_lines(),
    "parquet": parquet(),
    "wrench": wrench(),
    "mat": mat(),
    "sql": sql,
    "promptfoo": export("promptfoo"),
    "inspect": export("inspect"),
    "langfuse": export("langfuse"),
}

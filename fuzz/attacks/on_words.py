"""Attacks by words: options, cells and names that are no numbers, too large, or turn the terminal around."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import typer

from fuzz.attacks.attempts import Attempt, attack, calling, calls
from fuzz.attacks.children import GOOD, complaint, run
from fuzz.attacks.victims import INPUTS, SERVES
from thumbwise.cli.main import app

_DIGITS = "9" * 400
_WORDS = (
    "", " ", ",", "=", "a\nb", "0=a\nb,1=c", "ham\nspam,x", "1e999=a,0=b", "-1e999=a", "nan=a,inf=b", "ham=nan",
    "ham=1e999", "ham=a,ham=b", "a=b=c", "ham,ham", "ham,spam,", "1e999", "-1e999", "1e400", "nan", "inf", "-inf", "-0",
    "0", "-1", "1", "1e-999", "0.5", "2", _DIGITS, f"-{_DIGITS}", "9" * 5000, f"{_DIGITS}=a", "9223372036854775808",
    "\u0663", "\u221e", "1_0", "0x10", "1,5", "\u202ea\u2066", "\x1b]0;x\x07", "\x9b2J", os.fsdecode(b"a\xff"),
    "\ud800", "\ufeff", '"', "'", "a';--",
    "../..", "%s%n", "{}", "[", "*", "\\", "\u0130", "null", "true", "ham", "spam", "caps", "id", "label", "length",
    "x" * 100_000, ",".join(map(str, range(3000))), "4GB", "0GB", "1e999GB", "-1GB", "\t", "utf-16", "rot13", "idna",
)  # fmt: skip


def _options(command: str) -> list[str]:
    """Options of a command that take a value, but for those that name a file."""
    group: Any = typer.main.get_command(app)
    return [
        max(option.opts, key=len)
        for option in group.commands[command].params
        if option.param_type_name == "option" and not option.is_flag and option.metavar not in ("FILE", "DIR")
        and option.name not in ("host", "port")
    ]  # fmt: skip


@attack("words of options")
def words_of_options(_rng: Random) -> Iterator[Attempt]:
    """Every option of every command that takes a value, with each of the words."""
    for words, arguments in [*calls(), ("bench", ("bench", *SERVES))]:
        for option in _options(arguments[0]):
            for word in _WORDS:
                yield calling(f"{words}, {option} {word[:30]!r}", (*arguments, f"{option}={word}"))


# Cells: as text, and as JSON says it where that is something else.
_CELLS = (
    "1e400", "-1e400", "1e999", "nan", "NaN", "inf", "-Infinity", _DIGITS, "9" * 5000, "9223372036854775808",
    "-9223372036854775809", "1.5", "-1", "-2", "0", "1", "1e18", "1e-400", "true", "null", "None", "", " ", "ham",
    "HAM", "ham ", "=1+1", "+1", "@x", "\u202eham", "\x1b[2J", "\x00", "\u0663", "\ufffe", "2024-01-01", "[1]",
    '{"a": 1}', "[[[[[[]]]]]]", "a\nb", "x" * 70_000, "-0.0", "0.1", "00", "1e0", "\u00bd", "\U0001f600",
)  # fmt: skip
_ROLES = ("vote", "gold label", "id", "gold id", "name of a rule", "weight")
_KINDS = ("csv", "tsv", "jsonl", "parquet", "xlsx")


@attack("cells of tables")
def cells(rng: Random) -> Iterator[Attempt]:
    """Each cell in each role and each kind of file, once or everywhere, for a command drawn at random."""
    calls = ("label", "read", "rate", "check", "triage", "judges", "label of many files", "read of many files")
    for cell in _CELLS:
        for role in _ROLES:
            for kind in _KINDS:
                for is_everywhere in (False, True):
                    call = rng.choice(calls)
                    how = "everywhere" if is_everywhere else "once"
                    words = f"{call}, {role} {cell[:30]!r} {how} in {kind}"
                    prepare = _cell_writer(cell, role, kind, is_everywhere)
                    yield calling(words, _reading(call, role, kind), prepare)


def _reading(call: str, role: str, kind: str) -> tuple[str, ...]:
    command = call.partition(" ")[0]
    votes = f"cells/*.{kind}" if call.endswith("files") and kind != "xlsx" else f"cells/votes.{kind}"
    more = {"rate": ("--of", "spam"), "triage": ("--precision", "0.8"), "label": ("-o", "out.csv")}.get(command, ())
    weights = ("--weights", "weight", "--max-weight", "4") if role == "weight" else ()
    return (command, votes, "--gold", f"gold-cells.{kind}", *more, *weights)


def _cell_writer(cell: str, role: str, kind: str, is_everywhere: bool) -> Callable[[Path], object]:
    def write(folder: Path) -> None:
        votes = [line.split(",") for line in (folder / "votes.csv").read_text(encoding="utf-8").splitlines()]
        gold = [line.split(",") for line in (folder / "gold.csv").read_text(encoding="utf-8").splitlines()]
        if role == "weight":
            votes = [[*row, "1" if i else "weight"] for i, row in enumerate(votes)]
        if role == "name of a rule":
            votes[0][2] = cell
        else:
            table = gold if role.startswith("gold") else votes
            column = {"vote": 2, "gold label": 1, "weight": 4}.get(role, 0)
            for row in table[1:] if is_everywhere else table[7:8]:
                row[column] = cell
        (folder / "cells").mkdir()
        _write(folder / f"cells/votes.{kind}", votes)
        _write(folder / f"gold-cells.{kind}", gold)

    return write


def _write(path: Path, rows: Sequence[Sequence[str]]) -> None:
    """As files of the kind have it: JSON and Parquet with numbers where a cell is one."""
    kind = path.suffix
    if kind in (".csv", ".tsv"):
        quoted = [['"' + cell.replace('"', '""') + '"' for cell in row] for row in rows]
        path.write_text("\n".join((",\t"[kind == ".tsv"]).join(row) for row in quoted) + "\n", encoding="utf-8")
    elif kind == ".jsonl":
        lines = ["{" + ", ".join(f"{json.dumps(k)}: {_token(v)}" for k, v in zip(rows[0], row, strict=True)) + "}"
                 for row in rows[1:]]  # fmt: skip
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    elif kind == ".parquet":
        _write_parquet(path, rows)
    else:
        _write_workbook(path, rows)


def _token(cell: str) -> str:
    try:
        json.loads(cell)
    except ValueError:
        return json.dumps(cell)
    return cell


def _write_parquet(path: Path, rows: Sequence[Sequence[str]]) -> None:
    import pyarrow as pa  # noqa: PLC0415  # of the extra test
    import pyarrow.parquet as pq  # noqa: PLC0415

    columns = [pa.array([row[j] for row in rows[1:]]) for j in range(len(rows[0]))]
    columns = [_as_numbers(column) for column in columns]
    pq.write_table(pa.Table.from_arrays(columns, names=list(rows[0])), path)


def _as_numbers(column: Any) -> Any:
    """Numbers where all cells are, or are empty."""
    import pyarrow as pa  # noqa: PLC0415

    try:
        return pa.array([None if not cell else float(cell) for cell in column.to_pylist()])
    except ValueError:
        return column


def _write_workbook(path: Path, rows: Sequence[Sequence[str]]) -> None:
    import openpyxl  # noqa: PLC0415  # of the extra test
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE  # noqa: PLC0415

    book = openpyxl.Workbook()
    for row in rows:
        book.active.append([_number_or_text(ILLEGAL_CHARACTERS_RE.sub("", cell)[:32_000]) for cell in row])
    book.save(path)


def _number_or_text(cell: str) -> float | str:
    return (
        float(cell)
        if cell.replace(".", "", 1).isascii() and cell.replace(".", "", 1).isdigit() and len(cell) < 15
        else cell
    )


# What a name may hold: it moves the cursor, sets a title, turns the text, hides, or looks like markup.
_NAMES = (
    "\x1b]0;owned\x07", "\x1b[2J\x1b[1;31m", "a\rb", "a\x08\x08b", "\u202eevil\u202c", "\u2066x\u2069",
    "\u200f\u061c", "\x9b31m", "[bold red]x[/]", "[link=x]y[/link]", "a\u2028b\u2029c", "\x7f\x85",
    "\u200bzero\ufeff", "{0}%s", "\U000e0041tag", "a\tb",
)  # fmt: skip


@attack("names that are printed")
def names(_rng: Random) -> Iterator[Attempt]:
    """Each as a class, a rule, an id and a file, for every command, as tables, as JSON, and on a terminal."""
    for words, arguments in calls():
        for name in _NAMES:
            call = tuple(name if argument in ("spam", "0003") else argument for argument in arguments)
            printed = tuple(a for a in call if a not in ("--json", "said.json"))
            yield _named(f"{words}, {name!r}", printed, name, _plainly)
            yield _named(f"{words}, {name!r}, as JSON", (*printed, "--json", "-"), name, _as_json)
            yield _named(f"{words}, {name!r}, a mistake", (*printed, "--gold-label", name), name, _plainly)
            yield _named(f"{words}, {name!r}, on a terminal", printed, name, _on_terminal)
            if "--id" in _options(call[0]):
                yield _named(f"{words}, {name!r}, as a name of a column", printed, name, _as_column)


def _named(
    words: str, call: tuple[str, ...], name: str, look: Callable[[tuple[str, ...], Path, str], str | None]
) -> Attempt:
    def try_in(folder: Path) -> str | None:
        _replace_cells(folder, ("spam", "0003", "links"), name)
        made = run(("label", "votes.csv", "--gold", "gold.csv", "--save", "model.json", "--overwrite"), folder)
        return complaint(made, folder, GOOD) or look(call, folder, name)

    return Attempt(words, try_in)


def _replace_cells(folder: Path, cells: Sequence[str], name: str) -> None:
    """In every table of the folder."""
    for path in [*(folder / of for of in INPUTS if of.endswith(".csv")), *(folder / "parts").glob("*.csv")]:
        rows = [line.split(",") for line in path.read_text(encoding="utf-8").split("\n")]
        quoted = '"' + name.replace('"', '""') + '"'
        changed = [[quoted if cell in cells else cell for cell in row] for row in rows]
        with path.open("w", encoding="utf-8", newline="") as file:
            file.write("\n".join(map(",".join, changed)))


def _as_column(call: tuple[str, ...], folder: Path, name: str) -> str | None:
    """The column of ids in every table, which options then name."""
    _replace_cells(folder, ["id"], f"{name}#")
    return complaint(run((*call, "--id", f"{name}#"), folder), folder)


def _plainly(call: tuple[str, ...], folder: Path, _name: str) -> str | None:
    return complaint(run(call, folder), folder)


def _as_json(call: tuple[str, ...], folder: Path, _name: str) -> str | None:
    ended = run(call, folder)
    if ended.code in GOOD:
        json.loads(ended.out)
    return complaint(ended, folder)


def _on_terminal(call: tuple[str, ...], folder: Path, name: str) -> str | None:
    """What a terminal gets holds escapes of our own, for colours and progress; none of the name's."""
    seen = _shown(call, folder)
    if "Traceback (most recent call last)" in seen:
        return seen.strip().splitlines()[-1]
    harmful = [
        part
        for part in ("\x1b]0;", "\x1b[2J\x1b", "\u202e", "\u2066", "\u200f", "\x9b", "\u2028", "\x7f")
        if part in name
    ]
    return next((f"shows {part!r}" for part in harmful if part in seen), None)


def _shown(call: tuple[str, ...], folder: Path) -> str:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "thumbwise", *call], cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color"},
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 2**16)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        seen += part
    process.wait()
    os.close(ours)
    return seen.decode(errors="replace")

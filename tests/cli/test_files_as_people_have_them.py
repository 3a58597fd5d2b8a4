"""The command line on semicolons, other encodings, packed files, workbooks, and pipes."""

from __future__ import annotations

import csv
import gzip
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from cli.processes import MAIN
from cli.rows import Run


def rows_of(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


def pipe(folder: Path, *arguments: str, sent: bytes = b"") -> Any:
    return subprocess.run(
        [sys.executable, "-c", MAIN, *arguments], cwd=folder, input=sent, capture_output=True, timeout=120, check=False
    )


def left_over(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.startswith(".thumbwise-")]  # noqa: PTH208


def test_the_same_labels_from_every_kind_of_file(folder: Path, run: Run) -> None:
    rows = rows_of(folder / "votes.csv")
    with (folder / "semi.csv").open("w", encoding="utf-16", newline="") as file:
        csv.writer(file, delimiter=";").writerows(rows)
    (folder / "votes.csv.gz").write_bytes(gzip.compress((folder / "votes.csv").read_bytes()))
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(folder / "votes.xlsx")
    said = {
        "semi.csv": "in semi.csv fields are separated by semicolons",
        "votes.csv.gz": "",
        "votes.xlsx": "votes.xlsx is a workbook, of which sheet 'Sheet' is read",
    }
    wanted = run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "-o", folder / "labels.csv")
    assert wanted.exit_code == 0
    for name, note in said.items():
        ended = run("label", folder / name, "--gold", folder / "gold.csv", "-o", folder / f"{name}-labels.csv.gz")
        assert ended.exit_code == 0, ended.output
        assert note in ended.output
        assert gzip.decompress((folder / f"{name}-labels.csv.gz").read_bytes()) == (folder / "labels.csv").read_bytes()


def test_options_overrule_what_is_found(folder: Path, run: Run) -> None:
    text = "id,a;b\n1,x;y\n2,x;x\n3,y;y\n"
    (folder / "odd.csv").write_text(text)
    ended = run("check", folder / "odd.csv")
    assert ended.exit_code == 2
    assert "may be separated by commas, with columns 'id', 'a;b', or by semicolons" in ended.output
    assert "Say --delimiter , or --delimiter ';'." in ended.output
    (folder / "cyrillic.csv").write_bytes("id,a\n1,привет\n".encode("cp1251"))
    ended = run("check", folder / "cyrillic.csv")
    assert "say which it is: --encoding windows-1251 (Cyrillic)" in ended.output
    for wrong, message in [
        (("--delimiter", "ab"), "delimiter must be one character"),
        (("--encoding", "klingon"), "encoding must be one that Python knows"),
        (("--decimal", "x"), "decimal must be ',' or '.'"),
    ]:
        ended = run("check", folder / "odd.csv", *wrong)
        assert (ended.exit_code, message in ended.output) == (2, True), ended.output


def test_votes_and_labels_through_pipes(folder: Path, run: Run) -> None:
    assert run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "-o", folder / "l.csv").exit_code == 0
    sent = (folder / "votes.csv").read_bytes()
    ended = pipe(folder, "label", "-", "--gold", "gold.csv", "-o", "-", sent=sent)
    assert (ended.returncode, ended.stdout) == (0, (folder / "l.csv").read_bytes())
    printed = ended.stderr.decode()
    assert "standard input: 60 items" in printed
    assert "standard input is read as CSV, as its first bytes tell" in printed
    assert "written: standard output (60 rows" in printed
    assert left_over(folder) == []


def test_gold_through_a_pipe_and_a_format_that_is_said(folder: Path) -> None:
    sent = (folder / "gold.csv").read_bytes()
    ended = pipe(folder, "label", "votes.csv", "--gold", "-", "-o", "l.csv", sent=sent)
    assert (ended.returncode, b"30 items with a known class" in ended.stdout) == (0, True)
    votes = (folder / "votes.csv").read_bytes().replace(b",", b"\t")
    ended = pipe(folder, "label", "-", "--format", "tsv", "--gold", "gold.csv", sent=votes)
    assert ended.returncode == 0
    assert b"as its first bytes" not in ended.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("label", "-", "--gold", "-"), "only one input can be -"),
        (
            ("label", "votes.csv", "--gold", "gold.csv", "-o", "-", "--json", "-"),
            "one output can go to stdout",
        ),
    ],
)
def test_what_cannot_be(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    ended = pipe(folder, *arguments, sent=(folder / "votes.csv").read_bytes())
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert message in ended.stderr.decode()


def test_nothing_is_sent_where_no_guarantee_is(folder: Path) -> None:
    ended = pipe(folder, "label", "votes.csv", "--gold", "gold.csv", "-o", "-", "--confidence", "2")
    assert (ended.returncode, ended.stdout) == (2, b"")


def test_a_reader_that_leaves_is_no_error(folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, "label", "votes.csv", "--gold", "gold.csv", "-o", "-"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    printed = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=120) in (0, 141)
    assert b"Traceback" not in printed and b"BrokenPipe" not in printed


def test_items_are_drawn_from_any_of_them(folder: Path, run: Run) -> None:
    (folder / "items.csv").write_bytes("id;text\n1;schön\n2;für\n3;x\n".encode("cp1252"))
    ended = run("draw", folder / "items.csv", "-n", 2, "-o", folder / "drawn.csv")
    assert ended.exit_code == 0, ended.output
    assert "in items.csv fields are separated by semicolons" in ended.output
    sent = pipe(folder, "draw", "items.csv", "-n", "2", "-o", "-")
    assert sent.stdout == (folder / "drawn.csv").read_bytes()
    assert next(iter(csv.DictReader(io.StringIO(sent.stdout.decode())))).keys() >= {"id", "text", "label"}


def test_decimal_commas_of_predictions_and_scores(folder: Path, run: Run) -> None:
    ids = [row[0] for row in rows_of(folder / "votes.csv")[1:]]
    lines = [f"{i};0,25;0,75" for i in ids]
    (folder / "model.csv").write_text("\n".join(["id;p_ham;p_spam", *lines]) + "\n")
    ended = run(
        "certify",
        folder / "model.csv",
        "--votes",
        folder / "votes.csv",
        "--gold",
        folder / "gold.csv",
        "--metric",
        "brier",
    )
    assert ended.exit_code == 0, ended.output
    assert "in model.csv numbers have a decimal comma, which is read as a point: 'p_ham', 'p_spam'" in ended.output


def test_reviewed_items_in_semicolons(folder: Path, run: Run) -> None:
    ids = [row[0] for row in rows_of(folder / "votes.csv")[1:]]
    (folder / "seen.csv").write_text(f"id;label\n{ids[40]};ham\n{ids[41]};\n")
    ended = run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "--reviewed", folder / "seen.csv")
    assert ended.exit_code == 0, ended.output
    assert "in seen.csv fields are separated by semicolons" in ended.output
    assert "reviewed: 1 item keeps the label" in ended.output

"""Tables on narrow screens: every line fits, no number is split, nothing is lost, rows keep their names."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

import thumbwise as tw
from cli.rows import Run
from thumbwise.cli import console as printing
from thumbwise.cli.compare import print_comparison
from thumbwise.cli.grids import Screen, folded, print_table, wrapped

NUMBER = re.compile(r"^[+-]?\d[\d.,]*$")
HEADERS = ["judge", "votes", "gold\nvotes", "agree-\nment", "at\nleast", "at\nmost", "95 %"]
ROWS = [
    [f"maker/model-with-a-long-name-{name}-of-the-rubric", "1,234", "97", "0.856", "0.709", "0.946", "0.123 .. 0.456"]
    for name in ("first", "second", "third")
]


def shown(width: int, headers: list[str] = HEADERS, rows: list[list[str]] = ROWS, **options: object) -> str:
    stream = io.StringIO()
    print_table(Console(file=stream, width=width), "Judges", headers, rows, **options)  # type: ignore[arg-type]
    return stream.getvalue()


def numbers(text: str) -> list[str]:
    return [word for word in text.split() if NUMBER.match(word)]


@pytest.mark.parametrize("width", [200, 80, 60, 40, 32])
def test_lines_fit_and_numbers_stay_whole(width: int) -> None:
    text = shown(width)
    assert max(cell_len(line.rstrip()) for line in text.splitlines()) <= width
    assert sorted(numbers(text)) == sorted(numbers(shown(1000)))
    assert text.count("0.123 .. 0.456") == 3


def test_each_part_of_a_table_begins_with_the_names() -> None:
    parts = shown(40).split("Judges")[1:]
    assert len(parts) == 3
    assert all(part.startswith(", continued") for part in parts[1:])
    for part in parts:
        assert [part.count(name) for name in ("first", "second", "third")] == [1, 1, 1]
        names = "".join(re.split(r" {2,}", line.strip())[0] for line in part.split("─")[-1].splitlines())
        assert names == "".join(row[0] for row in ROWS)


def test_a_table_that_fits_is_one_and_folds_nothing() -> None:
    assert shown(120).count("Judges") == 1
    assert all(row[0] in shown(120) for row in ROWS)


def test_columns_of_a_group_stay_together() -> None:
    free, grouped = shown(52), shown(52, groups=[1, 3, 6])
    assert [line for line in free.splitlines() if "0.709" in line and "0.946" not in line]
    for line in grouped.splitlines():
        assert ("0.709" in line) == ("0.946" in line) == ("0.856" in line)


def test_a_group_that_is_too_wide_is_broken_all_the_same() -> None:
    text = shown(36, groups=[1])
    assert max(cell_len(line.rstrip()) for line in text.splitlines()) <= 36
    assert sorted(numbers(text)) == sorted(numbers(shown(1000)))


def test_texts_are_folded_and_never_cut() -> None:
    rows = [["r1", "word " * 30 + "end", "7"], ["r2", "日本語" * 30, "8"]]
    text = shown(40, ["id", "text", "n"], rows, left=(0, 1))
    assert max(map(cell_len, text.splitlines())) <= 40
    assert text.count("word") == 30
    assert "end" in text
    assert text.count("日") == text.count("本") == text.count("語") == 30


def test_no_rows_is_a_header_alone() -> None:
    assert "agree-" in shown(40, rows=[])


def test_markup_and_control_characters_are_text() -> None:
    text = shown(80, ["a", "b"], [["[red]x[/red]\x1b[31m\u202e", "1"]])
    assert r"[red]x[/red]\x1b[31m\u202e" in text


@pytest.mark.parametrize("width", range(1, 30))
def test_folding_keeps_every_letter(width: int) -> None:
    name = "gpt-4o-mini_2026/with a rubric.7"
    lines = folded(name, width).split("\n")
    assert max(map(len, lines)) <= width
    assert "".join(lines).replace(" ", "") == name.replace(" ", "")


@pytest.mark.parametrize("width", range(8, 60))
def test_sentences_keep_a_number_and_its_per_cent_sign_in_a_line(width: int) -> None:
    sentence = "between 17.3 % and 32.7 % of the 1,080 labels, at 95 % confidence, so it is said"
    lines = wrapped(sentence, width).plain.split("\n")
    assert " ".join(lines) == sentence
    assert not any(line.startswith("%") for line in lines)
    longest = max(map(len, ["17.3_%", "95_%", "confidence,"]))
    assert max(map(len, lines)) <= max(width, longest)


def test_what_is_bold_stays_bold() -> None:
    text = Text.assemble("one two ", ("three four", "bold"), " five")
    narrow = wrapped(text, 9)
    assert narrow.plain == "one two\nthree\nfour five"
    assert [narrow.plain[span.start : span.end] for span in narrow.spans] == ["three\nfour"]
    assert text.plain == "one two three four five"


def test_a_screen_wraps_what_it_prints() -> None:
    stream = io.StringIO()
    Screen(file=stream, width=12).print(Text("at least 85.1 % of all"))
    assert stream.getvalue() == "at least\n85.1 % of\nall\n"


CLASSES = {
    2: ["ham", "spam"],
    4: ["asks for a refund", "asks for the status of a shipment", "complains about a bill", "something else"],
    8: [
        f"{word}_answer_of_the_model" for word in ("right", "short", "long", "harmful", "refused", "late", "odd", "bad")
    ],
}


def write_files(folder: Path, n_classes: int) -> list[object]:
    rng = np.random.default_rng(n_classes)
    truth = rng.integers(n_classes, size=160)
    wrong = (truth[:, None] + rng.integers(1, n_classes, (160, 5))) % n_classes
    votes = np.where(rng.random((160, 5)) < 0.8, truth[:, None], wrong)
    names = np.array(CLASSES[n_classes])
    with (folder / "votes.csv").open("w", newline="") as file:
        rules = [f"maker/model {word} with a long name" for word in ("one", "two", "three", "four", "five")]
        csv.writer(file).writerows([["id", *rules], *([f"i{i}", *names[row]] for i, row in enumerate(votes))])
    with (folder / "gold.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["id", "label"], *([f"i{i}", names[truth[i]]] for i in range(60))])
    return [folder / "votes.csv", "--gold", folder / "gold.csv"]


@pytest.mark.parametrize(
    ("command", "n_classes", "options"),
    [
        ("label", 8, []),
        ("judges", 4, []),
        ("rate", 2, ["--of", "ham", "--method", "exact"]),
        ("triage", 2, ["--precision", "0.7", "--per-class"]),
        ("plan", 4, ["--accuracy", "0.9"]),
        ("check", 4, []),
    ],
)
def test_commands_print_the_same_numbers_on_any_screen(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, command: str, n_classes: int, options: list[str]
) -> None:
    monkeypatch.setattr(printing, "_has_room", lambda *_: False)  # else votes by class are for wide screens alone
    arguments = [command, *write_files(tmp_path, n_classes), *options]
    wide = run(*arguments).stdout
    monkeypatch.setattr(printing, "_WIDE", 40)
    assert_same_numbers(wide, run(*arguments).stdout, 40)


@pytest.mark.parametrize("width", [80, 60, 40])
def test_comparisons_print_the_same_numbers_on_any_screen(tmp_path: Path, width: int) -> None:
    votes, _, gold = write_files(tmp_path, 4)
    compared = tw.compare(tw.read_votes(str(votes), gold=str(gold)), methods=["majority vote"])
    pages = []
    for columns in (1000, width):
        stream = io.StringIO()
        print_comparison(Screen(file=stream, width=columns), compared)
        pages.append(stream.getvalue())
    assert_same_numbers(pages[0], pages[1], width)


def assert_same_numbers(wide: str, narrow: str, width: int) -> None:
    lines = [line.rstrip() for line in narrow.splitlines()]
    too_wide = [line for line in lines if cell_len(line) > width and " " in line.strip()]  # a path is one word
    assert too_wide == []
    assert len(set(numbers(wide))) > 5
    assert set(numbers(narrow)) == set(numbers(wide))


def test_names_in_titles_and_headers_do_not_move_the_cursor_or_turn_the_text() -> None:
    """A class stands in a title, the column of ids in a header; line breaks of our own stay."""
    stream = io.StringIO()
    print_table(Console(file=stream, width=80), "Share of \x1b[2Ja\u202e", ["a\u2066\x07", "gold\nvotes"], [["x", "1"]])
    text = stream.getvalue()
    assert r"Share of \x1b[2Ja\u202e" in text
    assert r"a\u2066\x07" in text
    assert "gold \n" in text
    assert all(character.isprintable() for character in text.replace("\n", ""))

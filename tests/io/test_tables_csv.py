"""How CSV is understood: nothing is guessed that could lose a character."""

from pathlib import Path

import numpy as np
import pytest

from thumbwise import InvalidFileError
from thumbwise.tables.table_files import read_table


def read(tmp_path: Path, text: str | bytes) -> dict[str, list[object]]:
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return {name: column.tolist() for name, column in read_table(path).columns.items()}


def test_leading_zeros_stay(tmp_path: Path) -> None:
    assert read(tmp_path, "id,a\n007,1\n7,0\n") == {"id": ["007", "7"], "a": [1, 0]}


@pytest.mark.parametrize("odd", ["+1", "1.0", " 1", "1 ", "-0", "9223372036854775808", "1e3", "0x1", "\u0661"])
def test_a_number_in_another_spelling_makes_the_column_text(tmp_path: Path, odd: str) -> None:
    assert read(tmp_path, f"a,b\n{odd},x\n2,y\n")["a"] == [odd, "2"]


def test_whole_numbers_are_integers_with_missing_values_masked(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('a,b\n-1,x\n,y\n"",z\n12,w\n')
    column = read_table(path).columns["a"]
    assert column.dtype == np.int64
    assert column.tolist() == [-1, None, None, 12]


def test_byte_order_mark_and_crlf(tmp_path: Path) -> None:
    found = read(tmp_path, b'\xef\xbb\xbfid,a\r\nx,"1\r\n2"\r\ny,\r\n')
    assert found == {"id": ["x", "y"], "a": ["1\r\n2", None]}


def test_old_mac_line_ends(tmp_path: Path) -> None:
    assert read(tmp_path, b"id,a\rx,1\ry,2\r") == {"id": ["x", "y"], "a": [1, 2]}


def test_no_line_end_at_the_end(tmp_path: Path) -> None:
    assert read(tmp_path, "id,a\nx,1") == {"id": ["x"], "a": [1]}


def test_names_may_differ_in_case_and_hold_line_ends(tmp_path: Path) -> None:
    assert read(tmp_path, '"a\nb",A,a,\n1,2,3,4\n') == {"a\nb": [1], "A": [2], "a": [3], "": [4]}


def test_a_comment_sign_is_a_character(tmp_path: Path) -> None:
    assert read(tmp_path, "id,a\n#x,1\n") == {"id": ["#x"], "a": [1]}


def test_thousands_of_rows_keep_their_order(tmp_path: Path) -> None:
    n = 300_000
    found = read(tmp_path, "id,a\n" + "".join(f"{i},{i % 7}\n" for i in range(n)))
    assert found["id"] == list(range(n))


def test_only_the_header(tmp_path: Path) -> None:
    assert read(tmp_path, "id,a\n") == {"id": [], "a": []}


BREAKS = ["\r\n", "\n", "\r"]


@pytest.mark.parametrize("inside", BREAKS, ids=repr)
@pytest.mark.parametrize("end", BREAKS, ids=repr)
def test_a_line_break_within_quotes_ends_no_line(tmp_path: Path, end: str, inside: str) -> None:
    """DuckDB takes the first break of a file for the end of its lines, and then finds no rows."""
    lines = [f'id,"a{inside}b"', f'x,"1{inside}2"', f'"{inside}",3', "z,"]
    expected = {"id": ["x", inside, "z"], f"a{inside}b": [f"1{inside}2", "3", None]}
    assert read(tmp_path, (end.join(lines) + end).encode()) == expected
    assert read(tmp_path, end.join(lines).encode()) == expected


@pytest.mark.parametrize(("first", "second"), [(a, b) for a in BREAKS for b in BREAKS if a != b])
def test_lines_that_end_in_different_ways_are_refused(tmp_path: Path, first: str, second: str) -> None:
    """Rather than with rows lost."""
    text = f"id,a{first}x,1{second}y,2{first}z,3{second}".encode()
    with pytest.raises(InvalidFileError, match="its lines end in different ways, or quotes are out of place"):
        read(tmp_path, text)


def test_a_header_alone_without_a_line_end(tmp_path: Path) -> None:
    assert read(tmp_path, "id,a") == {"id": [], "a": []}
    assert read(tmp_path, '"i\r\nd",a') == {"i\r\nd": [], "a": []}


def test_hundreds_of_columns(tmp_path: Path) -> None:
    names = [f"n{j}" for j in range(200)]
    rows = [[str(j) if j % 3 else f"0{j}" for j in range(200)]] * 2
    found = read(tmp_path, "\n".join(",".join(row) for row in [names, *rows]))
    assert found == {name: [j if j % 3 else f"0{j}"] * 2 for j, name in enumerate(names)}

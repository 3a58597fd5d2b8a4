"""The first line that is no JSON is found and shown, however deep or long the lines are."""

from pathlib import Path

import pytest

from thumbwise import InvalidFileError
from thumbwise.tables import json_lines
from thumbwise.tables.table_files import read_table

DEEP = '{"a":' + "[" * 100_000 + "]" * 100_000 + "}"


def fault(tmp_path: Path, text: str) -> str:
    path = tmp_path / "t.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidFileError) as caught:
        read_table(path)
    assert len(str(caught.value)) < 600
    return str(caught.value)


def test_deep_lines_are_read(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(DEEP)
    assert read_table(tmp_path / "t.jsonl").columns["a"].tolist() == [DEEP[5:-1]]


@pytest.mark.parametrize("line", ["[" * 100_000, '{"a":' * 100_000])
def test_deep_lines_without_an_end(tmp_path: Path, line: str) -> None:
    assert "line 2 is no JSON (nested too deeply to say where)" in fault(tmp_path, '{"a":1}\n' + line)


def test_a_deep_line_that_is_right_is_not_blamed(tmp_path: Path) -> None:
    assert "line 3 is no JSON (Expecting" in fault(tmp_path, f'{DEEP}\n\n{{"a":}}\n')


def test_numbers_longer_than_python_reads_are_not_blamed(tmp_path: Path) -> None:
    assert "line 2 is no JSON (Expecting" in fault(tmp_path, f'{{"a":{"7" * 5000}}}\n{{"a":}}\n')


def test_half_of_a_pair_of_surrogates(tmp_path: Path) -> None:
    good = '{"a":"\\ud83d\\ude00"}\n'
    (tmp_path / "t.jsonl").write_text(good)
    assert read_table(tmp_path / "t.jsonl").columns["a"].tolist() == ["😀"]
    assert "line 2 is no JSON (half of a pair" in fault(tmp_path, good + '{"a":"\\uD83D"}\n')


def test_a_line_longer_than_is_read(tmp_path: Path) -> None:
    line = '{"a":"' + "x" * json_lines._LONGEST_LINE + '"}\n'
    assert 'line 2 is longer than 33,554,416 bytes: \'{"a":"xxx' in fault(tmp_path, '{"a":1}\n' + line)

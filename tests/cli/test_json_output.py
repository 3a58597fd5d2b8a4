"""JSON of commands: numbers that JSON has, files whole or not at all, stdout for a dash."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thumbwise.cli.json_output import check_json, write_json
from thumbwise.exceptions import InvalidFileError


def test_what_json_does_not_have_becomes_null_or_text(tmp_path: Path) -> None:
    content: dict[Any, Any] = {
        "nan": math.nan,
        "infinite": [math.inf, np.float64("nan")],
        "numpy": (np.int64(3), np.float32(0.5), np.array([1.0, np.nan]), np.bool_(True)),
        7: {"é\ud800": None},
        "path": Path("a"),
    }
    place = tmp_path / "out.json"
    write_json(content, str(place))
    assert json.loads(place.read_text(encoding="ascii")) == {
        "nan": None,
        "infinite": [None, None],
        "numpy": [3, 0.5, [1.0, None], True],
        "7": {"é\ud800": None},
        "path": "a",
    }


def test_a_dash_is_stdout(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_json({"a": 1}, "-")
    assert json.loads(capsys.readouterr().out) == {"a": 1}
    assert not list(tmp_path.iterdir())


def test_a_file_is_replaced_only_if_asked(tmp_path: Path) -> None:
    place = tmp_path / "out.json"
    place.write_text("mine")
    with pytest.raises(InvalidFileError, match="must not exist yet"):
        write_json({"a": 1}, str(place))
    assert place.read_text() == "mine"
    write_json({"a": 1}, str(place), overwrite=True)
    assert json.loads(place.read_text()) == {"a": 1}


def test_places_are_checked_before_anything_is_computed(tmp_path: Path) -> None:
    check_json(None)
    check_json("-")
    votes = tmp_path / "votes.csv"
    votes.write_text("id,a\n")
    with pytest.raises(InvalidFileError, match="input"):
        check_json(str(votes), inputs=(votes, None), overwrite=True)
    with pytest.raises(InvalidFileError, match="does not exist"):
        check_json(str(tmp_path / "nowhere" / "out.json"))

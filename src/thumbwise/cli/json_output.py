"""What a command found, as JSON for other programs: to a file, whole or not at all, or to stdout."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.text import Text

from thumbwise.cli.console import stdout, visible
from thumbwise.tables.outputs import Kind, check_file
from thumbwise.tables.whole_files import replacing

# Stands for stdout, where nothing else may then be printed.
STDOUT = "-"
# Other programs make such files too, so none is recognised as an earlier one of ours.
_JSON = Kind("JSON")


def is_stdout(place: str | None) -> bool:
    """Whether JSON goes to stdout, so that nothing else may be printed there."""
    return place == STDOUT


def check_json(place: str | None, *, inputs: Sequence[str | Path | None] = (), overwrite: bool = False) -> None:
    """Find out whether JSON may be written to a place before anything is computed for it; None is no place."""
    if place is not None and not is_stdout(place):
        check_file(place, _JSON, inputs=inputs, overwrite=overwrite)


def write_json(content: Mapping[str, Any], place: str, overwrite: bool = False) -> None:
    r"""Write one JSON object to a file, whole or not at all, or to stdout.

    Plain ASCII, so that it is the same in every encoding: other letters are written as ``\u00e9``.

    Parameters
    ----------
    content : mapping
        Numbers, texts, truth values, None, numpy's numbers and arrays; sequences and mappings of them. NaN and
        infinity, which JSON does not have, become null; anything else becomes its text.
    place : str
        A path, or ``-`` for stdout.
    overwrite : bool
        Replace a file that is there already.

    Raises
    ------
    InvalidFileError
        The file cannot be written, or is there already.
    """
    text = json.dumps(_plain(content), indent=2, allow_nan=False) + "\n"
    if is_stdout(place):
        sys.stdout.write(text)
        return
    with replacing(check_file(place, _JSON, overwrite=overwrite)) as part:
        part.write_text(text, encoding="ascii")


def deliver(content: Mapping[str, Any], place: str | None, overwrite: bool = False) -> None:
    """Write JSON if there is a place for it; before anything is printed, as whoever reads that may stop at any line."""
    if place is not None:
        write_json(content, place, overwrite)


def print_delivered(place: str | None) -> None:
    """Say that JSON was written, where it is not all that is printed."""
    if place is not None:
        stdout().print(Text(f"written: {visible(place)} (JSON)"))


def _plain(value: Any) -> Any:
    """The same in Python's own lists, mappings, numbers and texts."""
    tolist = getattr(value, "tolist", None)
    if tolist is not None:
        return _plain(tolist())
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(entry) for entry in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)

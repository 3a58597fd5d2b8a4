"""Tables to standard output: written whole to a temporary file first, and nothing else is printed there."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

from thumbwise.cli.console import visible
from thumbwise.tables.plain_files import STANDARD
from thumbwise.tables.whole_files import workspace

_NAME = "standard-output.csv"


@contextmanager
def table_to(output: Path | None) -> Iterator[Path | None]:
    """Where a command shall write a table; if ``-`` is the output, it is sent on as CSV at the end, if there is one.

    What the command prints meanwhile goes to stderr. That JSON goes to standard output as well is refused before.
    """
    if output != STANDARD:
        yield output
        return
    with workspace(Path(tempfile.gettempdir())) as place:
        table = place / _NAME
        with redirect_stdout(sys.stderr):
            yield table
        if table.exists():
            with table.open("rb") as file:
                sys.stdout.flush()
                shutil.copyfileobj(file, sys.stdout.buffer)


def shown_output(place: object) -> str:
    """What an output is called in what is printed."""
    is_ours = isinstance(place, Path) and place.name == _NAME and place.parent.name.startswith(".thumbwise-")
    return "standard output" if is_ours else visible(place)

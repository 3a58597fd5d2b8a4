"""Outputs of the examples with prompts, written anew from what they print: python docs/example_outputs.py PAGE [...].

Examples that show an error, or say how they are to be compared, stay as they are written.
"""

from __future__ import annotations

import contextlib
import io
import sys
from doctest import DocTestParser, Example
from pathlib import Path
from typing import Any


def written_anew(text: str) -> str:
    """The page with what its examples print today."""
    names: dict[str, Any] = {"__name__": "__main__"}
    parts = DocTestParser().parse(text)
    return "".join(part if isinstance(part, str) else _shown(part, names) for part in parts)


def _shown(example: Example, names: dict[str, Any]) -> str:
    if example.exc_msg is not None:
        return _prompted(example) + example.want
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        exec(compile(example.source, "<page>", "single"), names)  # noqa: S102  # the page is ours
    return _prompted(example) + (example.want if example.options else stream.getvalue())


def _prompted(example: Example) -> str:
    first, *others = example.source.splitlines()
    return "".join([f">>> {first}\n", *(f"... {line}".rstrip() + "\n" for line in others)])


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        path.write_text(written_anew(path.read_text(encoding="utf-8")), encoding="utf-8")

"""Runs "before" blocks of a migration page in one namespace: ``python migration_worker.py blocks.json printed.json``.

Needs an interpreter that has what the blocks import; nothing of thumbwise. ``blocks.json`` is a list of texts,
``printed.json`` gets what each of them printed.
"""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any


def run(blocks: list[str]) -> list[str]:
    namespace: dict[str, Any] = {"__name__": "before"}
    printed = []
    for number, block in enumerate(blocks):
        out = io.StringIO()
        with redirect_stdout(out):
            exec(compile(block, f"<block {number}>", "exec"), namespace)  # noqa: S102  # code of a page of this project
        printed.append(out.getvalue())
    return printed


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    target.write_text(json.dumps(run(json.loads(source.read_text()))))

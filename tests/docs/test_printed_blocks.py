"""Pages whose examples are plain programs: each runs after the others, and prints the block that follows it."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

from docs.pages import ROOT, find_blocks, read_text
from thumbwise.datasets import load_demo
from thumbwise.datasets.examples import write_demo

PLAIN = ("README.md", "docs/index.md", "docs/start.md")
_BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PLAIN)
def test_programs_print_what_is_shown(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if "example/" in read_text(ROOT / page):
        write_demo(load_demo(), tmp_path / "example")
    names: dict[str, Any] = {}
    blocks = _BLOCK.findall(read_text(ROOT / page))
    assert any(shown for _, shown in blocks)
    for code, shown in blocks:
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream):
            exec(compile(code, page, "exec"), names)  # noqa: S102  # the page is ours
        assert stream.getvalue().strip() == shown.strip()


@pytest.mark.parametrize("page", PLAIN)
def test_they_can_be_pasted(page: str) -> None:
    text = read_text(ROOT / page)
    assert ">>>" not in text
    assert sum(kind == "text" for kind, _ in find_blocks(text)) == sum(bool(shown) for _, shown in _BLOCK.findall(text))

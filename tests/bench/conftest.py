"""A bench that is served while a test runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from bench.client import Page
from bench.desks import open_desk, write_items
from thumbwise.bench.desk import Desk
from thumbwise.bench.running import serving

Serve: TypeAlias = Callable[..., Page]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Serve a desk, and give a page of it."""
    with ExitStack() as stack:

        def begin(desk: Desk, by: str = "ann") -> Page:
            return Page(stack.enter_context(serving(desk)).url, by)

        yield begin


@pytest.fixture
def page(tmp_path: Path, serve: Serve) -> Page:
    """A page over sixty texts, of which twenty are to be labeled."""
    return serve(open_desk(write_items(tmp_path), tmp_path / "gold.jsonl", n=20))


@pytest.fixture
def desk(tmp_path: Path) -> Any:
    """The same without a server."""
    return open_desk(write_items(tmp_path), tmp_path / "gold.jsonl", n=20)

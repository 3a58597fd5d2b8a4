"""One thread for linear algebra on small matrices.

Matrices here are small, or taken in blocks that stay in cache. Threads of the linear algebra library that share such a
product wait for each other in a loop, and where other processes run they wait long: with two threads the processor time
of a fit of 50 weights to 100 labels was measured a hundred times as high as with one.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from threadpoolctl import ThreadpoolController


class _Limit(threading.local):
    """The limit of a thread of Python; what was set before the first of them came is what each leaves behind.

    Some versions of the libraries count threads for the whole process, others for each thread of Python.
    """

    depth = 0

    def enter(self) -> None:
        if self.depth == 0:
            _BEFORE.enter()
        self.depth += 1

    def leave(self) -> None:
        self.depth -= 1
        if self.depth == 0:
            _BEFORE.leave()


class _Before:
    """What was set before anybody came."""

    def __init__(self) -> None:
        self._lock, self._n_inside = threading.Lock(), 0
        self._libraries: Any = None
        self._first: Any = None

    def enter(self) -> None:
        with self._lock:
            if self._libraries is None:  # looked for once, which takes longer than a small product
                self._libraries = ThreadpoolController().select(user_api="blas")
            limit = self._libraries.limit(limits=1)
            self._first = limit if self._n_inside == 0 else self._first
            self._n_inside += 1

    def leave(self) -> None:
        with self._lock:
            self._n_inside -= 1
            self._first.restore_original_limits()


_BEFORE = _Before()
_LIMIT = _Limit()


@contextmanager
def one_thread() -> Iterator[None]:
    """Linear algebra runs on the calling thread in this block, or in a function that this decorates.

    Blocks may be nested, and may overlap in several threads of Python; what was set before the first of them is set
    again when the last of them ends.
    """
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()

"""A pause of Python's search for circles among objects, while millions are made that have none."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_LOCK = Lock()
# How many blocks run, in all threads, and whether the search was on before the first of them.
_N_BLOCKS, _WAS_ON = 0, False


@contextmanager
def many_objects() -> Iterator[None]:
    """A block that makes millions of objects and no cycles, in which Python does not look for cycles again and again.

    Of the time that ``json.loads`` takes for a large file, half to two thirds go into that. The search belongs to the
    whole process: it is as it was once the last such block has ended, in whatever thread, however it ends. Until then
    other threads keep the cycles that they make.
    """
    global _N_BLOCKS, _WAS_ON  # noqa: PLW0603  # as the search itself is of the process
    with _LOCK:
        if not _N_BLOCKS:
            _WAS_ON = gc.isenabled()
            gc.disable()
        _N_BLOCKS += 1
    try:
        yield
    finally:
        with _LOCK:
            _N_BLOCKS -= 1
            if not _N_BLOCKS and _WAS_ON:
                gc.enable()

"""Linear algebra runs on one thread in a block, however blocks overlap, and afterwards on as many as before."""

from __future__ import annotations

import threading

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from thumbwise.numerics.one_thread import one_thread


def threads() -> set[int]:
    np.ones((2, 2)) @ np.ones((2, 2))
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_blocks_may_be_nested_and_left_by_an_error() -> None:
    with threadpool_limits(2, user_api="blas"):
        before = threads()
        with one_thread(), one_thread():
            assert threads() == {1}
        try:
            with one_thread():
                raise ValueError("from inside")
        except ValueError:
            pass
        assert threads() == before
        assert 2 in before  # of libraries that can


def test_blocks_of_several_threads_may_overlap() -> None:
    """The first to come is the first to leave: a limit that each saved and restored for itself would stay."""
    first_is_out, second_is_in = threading.Event(), threading.Event()
    seen: list[set[int]] = []

    def second() -> None:
        with one_thread():
            seen.append(threads())
            second_is_in.set()
            first_is_out.wait(10)
        seen.append(threads())

    with threadpool_limits(2, user_api="blas"):
        before = threads()
        other = threading.Thread(target=second)
        with one_thread():
            other.start()
            assert second_is_in.wait(10)
        first_is_out.set()
        other.join()
        assert seen == [{1}, before]
        assert threads() == before
        assert 2 in before

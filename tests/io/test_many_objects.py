"""The search for circles is off while many objects are made, and as before afterwards: errors, threads, nesting."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from threading import Barrier, Thread

import pytest

import thumbwise as tw
from thumbwise.tables.many_objects import many_objects


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    was_on = gc.isenabled()
    yield
    (gc.enable if was_on else gc.disable)()


@pytest.mark.parametrize("was_on", [True, False])
def test_it_is_as_it_was_after_an_error_and_after_nested_blocks(was_on: bool) -> None:
    (gc.enable if was_on else gc.disable)()
    with pytest.raises(KeyError), many_objects():
        with many_objects():
            assert not gc.isenabled()
        assert not gc.isenabled()
        raise KeyError
    assert gc.isenabled() == was_on


def test_the_last_thread_that_ends_turns_it_on_again() -> None:
    """The second begins while the first runs, and goes on after it."""
    gc.enable()
    both, first_ended = Barrier(2), Barrier(2)
    seen = []

    def first() -> None:
        with many_objects():
            both.wait()
        first_ended.wait()

    def second() -> None:
        with many_objects():
            both.wait()
            first_ended.wait()
            seen.append(gc.isenabled())

    threads = [Thread(target=first), Thread(target=second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [False]
    assert gc.isenabled()


@pytest.mark.parametrize("name", ["train.json", "votes.jsonl"])
def test_a_file_that_is_refused_leaves_it_on(name: str, tmp_path: Path) -> None:
    gc.enable()
    (tmp_path / name).write_text('{"0": [')
    with pytest.raises(tw.ThumbwiseError):
        tw.read_votes(tmp_path if name == "train.json" else tmp_path / name)
    assert gc.isenabled()

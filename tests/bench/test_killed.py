"""A server that is killed at any moment: every acknowledged label is in the file, none twice, in the order drawn."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path

import numpy as np
import pytest

from bench.client import Page
from bench.desks import write_items
from bench.nursery import Bench, Nursery
from thumbwise.bench.turns import draw_order
from thumbwise.io.gold_lines import read_gold_lines

N_LABELS, N_KILLS = 100, 20


@pytest.fixture
def nursery() -> Iterator[Nursery]:
    nursery = Nursery()
    yield nursery
    nursery.close()


class Labeler(threading.Thread):
    """Labels as fast as it can, until nothing is left or nobody answers."""

    def __init__(self, bench: Bench, kept: dict[int, tuple[str, str]]) -> None:
        super().__init__()
        self._page, self.kept, self.is_finished = Page(bench.url), kept, False
        self.heard = threading.Semaphore(0)

    def run(self) -> None:
        try:
            self._page.ask("start")
            while self._page.item is not None:
                item, said = self._page.item, ("pass", "fail")[self._page.item["place"] % 3 == 0]
                self._page.answer(answer=said)
                assert item["place"] not in self.kept, "an item that was acknowledged came again"
                self.kept[item["place"]] = (item["id"], said)
                self.heard.release()
            self.is_finished = True
        except (OSError, HTTPException):
            pass
        finally:
            self.heard.release(N_LABELS)


def test_twenty_kills_lose_nothing(nursery: Nursery, tmp_path: Path) -> None:
    """Killed after some answers were heard and while the next is on its way, at a moment that chance decides."""
    path, gold, rng = write_items(tmp_path, 400), tmp_path / "gold.jsonl", np.random.default_rng(5)
    arguments = [path, "--classes", "pass,fail", "-n", N_LABELS, "--seed", 11, "-o", gold]
    kept: dict[int, tuple[str, str]] = {}
    n_kills = n_unheard = 0
    while True:
        with nursery.bench(arguments) as bench:
            labeler = Labeler(bench, kept)
            labeler.start()
            for _ in range(int(rng.integers(0, 6)) if n_kills < N_KILLS else N_LABELS):
                labeler.heard.acquire()
            for _ in range(int(rng.integers(0, 300_000))):
                pass
            if n_kills < N_KILLS:
                bench.kill()
                n_kills += 1
            labeler.join()
        answers = read_gold_lines(gold).answers if gold.exists() and gold.stat().st_size else ()
        there = {answer.place: (answer.id, answer.answer) for answer in answers}
        assert len(there) == len(answers), "an item has two lines"
        assert kept.items() <= there.items()
        assert len(there.keys() - kept.keys()) <= n_kills  # at most the key that was being pressed
        n_unheard = len(there.keys() - kept.keys())
        if labeler.is_finished:
            break
    assert n_kills == N_KILLS
    order = draw_order(400, 11)[:N_LABELS].tolist()
    assert [answer.id for answer in read_gold_lines(gold).answers] == [f"q{row}" for row in order]
    print(f"{n_kills} kills, {n_unheard} answers were on disk and never heard of")

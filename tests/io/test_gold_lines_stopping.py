"""Gold files say how they were drawn and when labeling could stop: rates, boxes and labels follow without a flag."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import thumbwise as tw
from thumbwise.io.gold_lines import Answer, Design, Header, Items, Stopping

N_ITEMS = 3000


def write(folder: Path, stopping: Stopping, n: int) -> tuple[Path, Path, np.ndarray, np.ndarray]:
    """Votes, a gold file, the truth, and the rows in the order of the draw."""
    rng = np.random.default_rng(5)
    truth = np.where(rng.random(N_ITEMS) < 0.7, "pass", "fail")
    other = np.where(truth == "pass", "fail", "pass")
    votes = np.where(rng.random((N_ITEMS, 4)) < 0.9, truth[:, None], other[:, None])
    rows = [",".join([f"q{i}", *votes[i]]) for i in range(N_ITEMS)]
    (folder / "votes.csv").write_text("\n".join(["id,a,b,c,d", *rows]) + "\n")
    order = rng.permutation(N_ITEMS)
    head = Header(
        "2024-05-01T12:00:00Z", ("pass", "fail"), "id", Items("a.csv", N_ITEMS, "0" * 64), Design("random", 1), stopping
    )
    said = [
        Answer(f"q{row}", place, str(truth[row]), "label", "ann", 2.0, "2024-05-01T12:00:09Z").line()
        for place, row in enumerate(order[:n].tolist(), 1)
    ]
    (folder / "gold.jsonl").write_text("\n".join([head.line(), *said]) + "\n")
    return folder / "votes.csv", folder / "gold.jsonl", truth, order


@pytest.mark.parametrize("rule", ["looks", "anytime"])
def test_rates_follow_the_rule_of_the_file(tmp_path: Path, rule: str) -> None:
    """In the order of the draw, which is not that of the items; kills gold that is sorted on the way."""
    stopping = Stopping("looks", None, (40, 80), of="pass") if rule == "looks" else Stopping("anytime", of="pass")
    votes, gold, truth, order = write(tmp_path, stopping, 95)
    reading = tw.read_votes(votes, gold=gold)
    found = tw.rate(reading, of="pass")
    n = 80 if rule == "looks" else 95
    drawn = tw.Gold(reading.votes.take(order[:n]), truth[order[:n]], tw.designs.Subset(in_drawn_order=True))
    expected = tw.rate(reading.votes, drawn, of="pass", looks=(40, 80) if rule == "looks" else "anytime")
    assert (found.lower, found.upper) == (expected.lower, expected.upper)
    assert found.is_guarantee
    assert found.assumption == expected.assumption
    certificate = tw.BalsubramaniFreund(caution=1).fit(reading.votes, box=reading.box()).certificate_
    assert certificate.is_guarantee
    assert certificate.assumption == expected.assumption

"""Records of judges made strange: read or refused, and what is read adds up and comes back."""

from __future__ import annotations

import pytest
from fuzz.jury_checks import check_jury, check_records
from fuzz.jury_reader import jury_seeds, mutate_jury
from fuzz.mutations import RAW, seeded

from thumbwise.exceptions import ThumbwiseError


def is_read(content: bytes) -> bool:
    try:
        return check_jury(content)
    except ThumbwiseError:
        return False


@pytest.mark.parametrize("seed", range(3))
def test_records_edited_at_random(seed: int) -> None:
    rng = seeded(seed)
    pool = jury_seeds()
    ends = []
    for _ in range(70):
        content = mutate_jury(rng.choice(pool), rng)
        ends.append(is_read(content))
        pool += [content] * ends[-1]
    assert 5 < sum(ends) < 60


@pytest.mark.parametrize("mark", RAW)
def test_what_json_cannot_say(mark: str) -> None:
    for field in ("item", "verdict"):
        record = {"item": '"q1"', "judge": '"large"', "verdict": '"yes"', field: RAW[mark]}
        line = "{" + ", ".join(f'"{name}": {value}' for name, value in record.items()) + "}\n"
        is_read(line.encode())


def test_a_jury_that_does_not_add_up_would_be_noticed() -> None:
    records = [{"item": "q1", "judge": "a", "verdict": "yes"}, {"item": "q2", "judge": "a", "verdict": "no"}]
    assert check_records(records, {})

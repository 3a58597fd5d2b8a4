"""Whatever the records hold, they are read or refused by an error of the family."""

import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from thumbwise.exceptions import ThumbwiseError
from thumbwise.io.jury import read_jury

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=4),
    st.sampled_from(
        ["yes", "no", "unsure", "ok", "failed", "not_asked", "abstained", "", " ", "-1", 0, 1, -1, 10**400]
    ),
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner), max_leaves=4
)
FIELDS = st.sampled_from(["item", "judge", "verdict", "status", "error", "model", "label", "other", "", "a/b~"])
# Mostly records of the right form, so that the checks behind the first ones are reached.
PLAUSIBLE = st.fixed_dictionaries(
    {"item": st.sampled_from("ab"), "judge": st.sampled_from("mn"), "verdict": st.just("yes") | SCALARS},
    optional={"status": SCALARS, "error": SCALARS},
)
RECORD = st.one_of(PLAUSIBLE, PLAUSIBLE, st.dictionaries(FIELDS, VALUES, max_size=6))
CHOICES = st.fixed_dictionaries(
    {},
    optional={
        "null_verdict": st.sampled_from(["abstained", "failed"]),
        "abstain": st.sampled_from(["unsure", ""]),
        "class_names": st.just(["no", "yes"]),
        "duplicates": st.sampled_from(["first", "last"]),
    },
)


def read_or_refuse(records: Any, choices: dict[str, Any]) -> bool:
    try:
        jury = read_jury(records, **choices)
    except ThumbwiseError:
        return False
    asked = [j.n_voted + j.n_abstained + j.n_failed + j.n_not_asked == j.n_items for j in jury.judges]
    assert all(asked)
    assert str(jury)
    assert (jury.votes.array >= 0).sum() == sum(judge.n_voted for judge in jury.judges)
    return True


@given(st.lists(RECORD, max_size=5), CHOICES)
@settings(max_examples=200, deadline=None)
def test_lists_of_anything(records: Any, choices: dict[str, Any]) -> None:
    read_or_refuse(records, choices)


@given(records=st.lists(RECORD, max_size=4), choices=CHOICES, tail=st.binary(max_size=8))
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_files_of_anything(tmp_path: Path, records: Any, choices: dict[str, Any], tail: bytes) -> None:
    path = tmp_path / "j.jsonl"
    path.write_bytes("\n".join(json.dumps(record) for record in records).encode() + tail)
    read_or_refuse(path, choices)

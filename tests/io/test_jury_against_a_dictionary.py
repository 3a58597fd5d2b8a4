"""The reader against a loop over records that keeps one dictionary entry for each item and judge."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thumbwise.exceptions import InvalidVotesError
from thumbwise.io.jury import Jury, read_jury
from thumbwise.votes.reading.long_votes import Duplicates

CLASSES = ["no", "yes"]
# Consistent records: verdict, status, error; and what each says by itself, "null" if it does not say.
KINDS: list[tuple[dict[str, Any], str]] = [
    ({"verdict": "no"}, "no"),
    ({"verdict": "yes", "status": "voted"}, "yes"),
    ({"verdict": "yes", "status": "OK", "error": ""}, "yes"),
    ({"verdict": "unsure"}, "abstained"),
    ({"verdict": "unsure", "status": "ok"}, "abstained"),
    ({"verdict": None, "status": "abstained"}, "abstained"),
    ({"verdict": "unsure", "status": "abstained"}, "abstained"),
    ({"status": "failed"}, "failed"),
    ({"error": "timeout"}, "failed"),
    ({"error": "no JSON", "status": "failed", "verdict": float("nan")}, "failed"),
    ({"status": "not_asked"}, "not asked"),
    ({"verdict": None}, "null"),
    ({"verdict": None, "status": "ok"}, "null"),
]
RECORDS = st.lists(
    st.tuples(st.sampled_from(["q1", "q2", "q10"]), st.sampled_from(["m1", "m2", "m10"]), st.sampled_from(KINDS)),
    min_size=1,
    max_size=12,
)


def naive(rows: list[tuple[str, str, str]], duplicates: str) -> tuple[dict[Any, str], dict[str, int]] | None:
    """What counts for each pair, and the retries of each judge; None if a judge answers twice."""
    answers: dict[Any, list[str]] = {}
    for item, judge, said in rows:
        answers.setdefault((item, judge), []).append(said)
    final: dict[Any, str] = {}
    retries: dict[str, int] = {}
    for (item, judge), words in answers.items():
        usable = [word for word in words if word in ("no", "yes", "abstained")]
        n_failed = words.count("failed")
        if len(usable) > 1 and duplicates == "raise":
            return None
        if usable:
            final[item, judge] = usable[0 if duplicates == "first" else -1]
        elif n_failed:
            final[item, judge] = "failed"
            n_failed -= 1
        retries[judge] = retries.get(judge, 0) + n_failed
    return final, retries


def check(jury: Jury, final: dict[Any, str], retries: dict[str, int]) -> None:
    items, judges = jury.votes.item_ids.tolist(), jury.votes.rule_names
    number = {"no": 0, "yes": 1}
    expected = [[number.get(final.get((item, judge), ""), -1) for judge in judges] for item in items]
    assert jury.votes.array.tolist() == expected
    for record in jury.judges:
        said = [final.get((item, record.name), "not asked") for item in items]
        assert record.n_voted == said.count("no") + said.count("yes")
        assert (record.n_abstained, record.n_failed) == (said.count("abstained"), said.count("failed"))
        assert (record.n_not_asked, record.n_items) == (said.count("not asked"), len(items))
        assert record.n_retries == retries[record.name]
    failed = [(item, judge) for item in items for judge in judges if final.get((item, judge)) == "failed"]
    assert [(failure.item_id, failure.judge) for failure in jury.failures] == failed
    assert jury.n_failures == len(failed)


@given(RECORDS, st.sampled_from(["raise", "first", "last"]), st.sampled_from([None, "abstained", "failed"]))
@settings(max_examples=120, deadline=None)
def test_every_pair_ends_as_a_loop_says(rows: Any, duplicates: Duplicates, null_verdict: Any) -> None:
    records = [{"item": item, "judge": judge, **fields} for item, judge, (fields, _) in rows]
    records[0].setdefault("verdict", None)  # the field must occur
    is_open = null_verdict is None and any(said == "null" for *_, (_, said) in rows)
    plain = [(item, judge, null_verdict if said == "null" else said) for item, judge, (_, said) in rows]
    expected = None if is_open else naive(plain, duplicates)

    def read() -> Jury:
        return read_jury(
            records, null_verdict=null_verdict, abstain="unsure", class_names=CLASSES, duplicates=duplicates
        )

    if expected is None:
        with pytest.raises(InvalidVotesError, match=r"null_verdict|at most once"):
            read()
        return
    jury = read()
    assert jury.votes.item_ids.tolist() == list(dict.fromkeys(item for item, *_ in rows))
    assert jury.votes.rule_names == tuple(sorted({judge for _, judge, _ in rows}, key=lambda name: int(name[1:])))
    check(jury, *expected)


@given(RECORDS)
@settings(max_examples=40, deadline=None)
def test_the_order_of_records_does_not_change_the_counts(rows: Any) -> None:
    records = [{"item": item, "judge": judge, "verdict": None, **fields} for item, judge, (fields, _) in rows]

    def count(shown: list[dict[str, Any]]) -> Any:
        try:
            jury = read_jury(shown, null_verdict="failed", abstain="unsure", class_names=CLASSES)
        except InvalidVotesError as error:
            return str(error).split(";")[0]
        return [(j.name, j.n_voted, j.n_abstained, j.n_failed, j.n_not_asked, j.n_retries) for j in jury.judges]

    assert count(records) == count(records[::-1])

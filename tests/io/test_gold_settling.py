"""Which answers count: undo, skips, second answers and several people, against a slow reading of the same rules.

Kills, tried once: an undo that takes back another person's answer, or an answer to another item; a second answer that
counts; the last person in place of the first; a skip that counts as a label; unclear left out.
"""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from io_cases.gold_files import answer
from thumbwise.io.gold_lines import Answer, settle


def slowly(answers: list[Answer]) -> dict[int, str]:
    """Gold by place, each undo resolved by looking back through the file, items and people one at a time."""
    undone: set[int] = set()
    for i, one in enumerate(answers):
        if one.kind == "undo":
            undone.add(i)
            mine = [j for j in range(i) if answers[j].id == one.id and answers[j].by == one.by and j not in undone]
            undone |= set(mine[-1:])
    gold: dict[int, str] = {}
    for place in {one.place for one in answers}:
        here = [(j, one) for j, one in enumerate(answers) if one.place == place]
        for person in dict.fromkeys(one.by for _, one in here):
            standing = [one for j, one in here if one.by == person and j not in undone and not one.again]
            if standing and standing[-1].kind != "skip" and place not in gold:
                gold[place] = standing[-1].answer or "unclear"
    return gold


ANSWERS = st.lists(
    st.builds(
        lambda place, said, kind, by, again: answer(f"q{place}", place, said, kind, by, again=again),
        st.integers(1, 3),
        st.sampled_from(["pass", "fail"]),
        st.sampled_from(["label", "label", "label", "unclear", "skip", "undo", "undo"]),
        st.sampled_from(["ann", "bob", ""]),
        st.sampled_from([False, False, True]),
    ),
    max_size=14,
)


@settings(max_examples=400, deadline=None)
@given(ANSWERS)
def test_gold_is_what_a_slow_reading_says(answers: list[Answer]) -> None:
    settled = settle(answers)
    assert dict(zip([one.place for one in settled.gold], settled.labels, strict=True)) == slowly(answers)
    assert [one.place for one in settled.gold] == sorted(slowly(answers))
    assert not {one.place for one in settled.skipped} & set(slowly(answers))
    gold = {one.place: one for one in settled.gold}
    for pair in settled.pairs:
        assert gold[pair.other.place] == pair.gold
        assert pair.other.kind in ("label", "unclear")
        assert pair.other is not pair.gold


def gold_of(*answers: Answer) -> list[Any]:
    return list(settle(answers).labels)


def test_undo_goes_back_any_number_of_times() -> None:
    first, second, back = answer("a", 1, "pass"), answer("a", 1, "fail"), answer("a", 1, kind="undo")
    assert gold_of(first, second) == ["fail"]
    assert gold_of(first, second, back) == ["pass"]
    assert gold_of(first, second, back, back) == []
    settled = settle([first, back, back, back, second])
    assert (settled.labels, settled.n_idle) == (("fail",), 2)


def test_undo_takes_back_one_persons_answer_to_one_item() -> None:
    mine, other = answer("a", 1, "pass"), answer("b", 2, "fail")
    assert gold_of(mine, other, answer("a", 1, kind="undo", by="bob")) == ["pass", "fail"]
    assert gold_of(mine, other, answer("a", 1, kind="undo")) == ["fail"]


def test_the_first_person_counts_and_others_measure_agreement() -> None:
    settled = settle([answer("a", 1, "pass"), answer("a", 1, "fail", by="bob"), answer("a", 1, "pass", again=True)])
    assert settled.labels == ("pass",)
    assert [(pair.agree, pair.is_same_person) for pair in settled.pairs] == [(False, False), (True, True)]


def test_a_skip_leaves_the_item_to_the_next_person() -> None:
    skip = answer("a", 1, kind="skip")
    assert settle([skip]).skipped == (skip,)
    settled = settle([skip, answer("a", 1, "fail", by="bob")])
    assert (settled.labels, settled.skipped) == (("fail",), ())
    assert gold_of(answer("a", 1), skip) == []  # who skips after all takes the label back


def test_unclear_is_an_answer_and_gaps_are_seen() -> None:
    settled = settle([answer("c", 3, kind="unclear"), answer("a", 1)])
    assert (settled.labels, settled.n_unclear, settled.has_gaps) == (("pass", "unclear"), 1, True)
    assert not settle([answer("b", 2), answer("a", 1)]).has_gaps
    assert not settle([]).has_gaps


def test_ids_that_look_alike_are_one_item() -> None:
    assert gold_of(answer("7", 1, "pass"), answer(7, 1, kind="undo")) == []

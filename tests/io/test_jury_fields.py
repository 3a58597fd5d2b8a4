"""Where the fields are found, in what containers, and what the notes say about it."""

from typing import Any

import numpy as np
import pytest

from thumbwise.exceptions import InvalidVotesError
from thumbwise.io.jury import read_jury

COLUMNS: dict[str, list[Any]] = {
    "item": ["q1", "q1", "q2", "q2"],
    "judge": ["m1", "m2", "m1", "m2"],
    "verdict": ["no", "yes", None, "no"],
    "error": [None, None, "timeout", None],
}
ARRAY = [[0, 1], [-1, 0]]


def containers() -> list[Any]:
    pandas, polars, arrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
    return [
        *(COLUMNS, rows, iter(rows), tuple(rows), [{k: v for k, v in row.items() if v is not None} for row in rows]),
        *(pandas.DataFrame(COLUMNS), polars.DataFrame(COLUMNS), arrow.table(COLUMNS)),
        pandas.DataFrame(COLUMNS).convert_dtypes(),
        pandas.DataFrame(COLUMNS).astype({"judge": "category"}),
    ]


@pytest.mark.parametrize("which", range(10))
def test_every_container_gives_the_same_jury(which: int) -> None:
    jury = read_jury(containers()[which])
    assert jury.votes.array.tolist() == ARRAY
    assert jury.votes.item_ids.tolist() == ["q1", "q2"]
    assert (jury.votes.rule_names, jury.votes.class_names) == (("m1", "m2"), ("no", "yes"))
    assert jury.failures[0].message == "timeout"


def test_a_missing_column_of_a_frame_is_no_number() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"item": [1, 2], "judge": "m", "verdict": [0.0, 1.0], "error": [np.nan, np.nan]})
    assert read_jury(frame).votes.array.tolist() == [[0], [1]]


def test_synonyms_are_taken_and_echoed() -> None:
    renamed = {"task": COLUMNS["item"], "model": COLUMNS["judge"], "label": COLUMNS["verdict"]}
    jury = read_jury({**renamed, "error": COLUMNS["error"], "cost": [1] * 4, "raw": ["x"] * 4})
    assert jury.votes.array.tolist() == ARRAY
    assert jury.notes[:2] == (
        "fields: item in 'task', judge in 'model', verdict in 'label', no status, error in 'error'",
        "2 ignored: 'cost', 'raw'",
    )


def test_the_own_name_goes_before_synonyms_and_a_given_name_before_both() -> None:
    columns = {**COLUMNS, "model": ["x"] * 4, "id": [4, 3, 2, 1]}
    assert read_jury(columns).votes.rule_names == ("m1", "m2")
    assert read_jury(columns, item="id").votes.item_ids.tolist() == [4, 3, 2, 1]


@pytest.mark.parametrize(
    ("columns", "choice", "message"),
    [
        ({"model": ["a"], "rater": ["b"], "item": ["q"], "verdict": ["x"]}, {}, "'model' or 'rater'.*judge="),
        ({"judge": ["a"], "item": ["q"]}, {}, "the field 'verdict'; found 'judge', 'item'.*verdict="),
        (COLUMNS, {"status": "state"}, "the field 'state', as status=... says"),
        (COLUMNS, {"verdict": "item"}, "a name of its own; 'item' was given for 2"),
    ],
)
def test_fields_that_cannot_be_told(columns: Any, choice: Any, message: str) -> None:
    with pytest.raises(InvalidVotesError, match=message):
        read_jury(columns, **choice)


def test_the_notes_tell_what_was_settled() -> None:
    records = [{"item": i, "judge": "m", "verdict": "no" if i < 3 else None, "error": None} for i in range(4)]
    records += [{"item": 3, "judge": "m", "error": "e"}, {"item": 4, "judge": "m", "verdict": "unsure"}]
    records += [{"item": 0, "judge": "m", "error": "e"}, {"item": 1, "judge": "m", "verdict": "yes"}]
    jury = read_jury(records, null_verdict="failed", abstain="unsure", duplicates="first")
    assert jury.notes[1:] == (
        "1 records without verdict, status or error count as failed, as null_verdict says",
        "1 verdicts 'unsure' count as abstained",
        "2 failed records have another record of the same item and judge: retries",
        "1 answers were dropped as duplicates",
        "classes 'no', 'yes'",
    )


@pytest.mark.parametrize(("n_failed", "is_warned"), [(1, False), (2, True)])
def test_a_judge_that_fails_on_more_than_a_fifth_is_named(n_failed: int, is_warned: bool) -> None:
    errors = [{"item": i, "judge": "m", "error": "e"} for i in range(n_failed)]
    answers = [{"item": i, "judge": "m", "verdict": "no"} for i in range(n_failed, 5)]
    jury = read_jury([*answers, *errors], class_names=["no", "yes"], item_ids=range(50))
    warned = [note for note in jury.notes if note.startswith("warning")]
    assert bool(warned) == is_warned
    assert not warned or "judge 'm' failed on 2 of 5 items that it was asked about" in warned[0]


def test_messages_are_short_and_few() -> None:
    errors = [{"item": i, "judge": f"m{i % 2}", "error": f"{i} " + "x" * 10_000} for i in range(3_000)]
    errors += [{"item": 0, "judge": "late", "verdict": None, "error": "own"}]
    errors += [{"item": 2_999, "judge": "later", "error": "own too"}]
    jury = read_jury(errors, class_names=["no", "yes"])
    assert (len(jury.failures), jury.n_failures) == (1_000, 3_002)
    assert max(len(failure.message or "") for failure in jury.failures) == 500
    assert [judge.first_error for judge in jury.judges][:2] == ["own", "own too"]
    assert sum(record["error"] is not None for record in jury.to_records()) == 1_001


def test_the_table_is_aligned_short_and_harmless() -> None:
    judges = ["a\x1b[31m", "b" * 100, *(f"m{j}" for j in range(60))]
    jury = read_jury([{"item": 1, "judge": name, "verdict": "no"} for name in judges], class_names=["no", "yes"])
    lines = str(jury).split("\n")
    assert lines[0].split() == ["judge", "voted", "abstained", "failed", "not", "asked"]
    assert lines[1].startswith("a\\x1b[31m ")
    assert lines[-1] == "... and 22 more judges"
    assert len({len(line) for line in lines[:-1]}) == 1
    assert repr(jury) == str(jury)


def test_columns_make_a_frame() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(read_jury(COLUMNS).to_columns())
    assert frame.row(0, named=True) == {
        **{"judge": "m1", "n_voted": 1, "n_abstained": 0, "n_failed": 1, "n_not_asked": 0, "n_retries": 0},
        **{"n_items": 2, "first_error": "timeout"},
    }

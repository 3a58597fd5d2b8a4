"""What may mean two things where items have several tags is refused, with the argument that settles it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import thumbwise as tw

PLAIN = {"id": [1, 2, 3], "ann": ["joy|fear", "joy", "fear"], "bob": ["fear", "joy", "joy"]}


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (
            {"bob": ["fear", "", "joy"]},
            {},
            'an empty cell means must be clear; 1 are empty, .* Say empty_means="no-tags" or',
        ),
        (
            {"bob": ["fear", "none", "joy"]},
            {},
            "hold 'none', which may be a tag, .* Say no_tags='none' or abstain='none'",
        ),
        ({"bob": ["fear", "Joy", "joy"]}, {}, "differ by more than case and space; found 'Joy' and 'joy'"),
        ({"bob": ["fear;joy", "joy", "joy"]}, {}, r"cells hold '\|' and ';', .* separator='\|'"),
        ({"bob": ["fear", "Joy ", "joy"]}, {"tags": ["joy", "fear"]}, "'bob' holds 'Joy' in row 1, .* Is 'joy' meant"),
        ({}, {"gold": {1: "joy|hate"}}, "gold labels must name tags that the votes name; .*'hate' in row 0"),
        (
            {},
            {"gold": {1: "joy", 2: None}},
            'an empty gold label means must be clear; 1 are empty .*gold_empty_means="unknown"',
        ),
        ({}, {"gold": {9: "joy"}}, "gold ids must be among the items"),
        ({}, {"tags": []}, "tags must list different tags; found none"),
        ({}, {"tags": ["joy", "joy"]}, "found 'joy' twice"),
        ({}, {"separator": " "}, "separator must be a sign"),
        ({}, {"empty_means": "nothing"}, "empty_means must be one of 'no-tags', 'abstained'; found 'nothing'"),
        (
            {"bob": [["fear"], ["joy"], "joy"]},
            {},
            r"a cell must be a list of tags.*column 'ann' holds 'joy\|fear' in row 0",
        ),
        ({}, {"gold": {1: "joy"}, "gold_column": "bob"}, "gold must come from one place"),
        ({}, {"layout": "jury"}, "are read from a table with a row per item or a row per vote; .*layout='jury'"),
        ({"ann": [None] * 3, "bob": [None] * 3}, {"empty_means": "abstained"}, "some judge must name some tag"),
        ({"ann": [], "bob": [], "id": []}, {}, "at least one item"),
        ({"bob": ["fear"]}, {}, "columns of a mapping must be equally long; found 1, 3"),
    ],
)
def test_refused(change: dict[str, Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(tw.ThumbwiseError, match=message):
        tw.read_tags({**PLAIN, **change}, **options)


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (("gpt_self_harm", "gpt_spam", "bob_spam"), {}, "which part of 'gpt_self_harm' is the tag does not show"),
        (("gpt_spam", "gpt_hate"), {"tags": ["spam"]}, "'gpt_hate' ends with none of the tags 'spam'"),
        (("gpt_spam", "gpt:spam"), {"tags": ["spam"]}, "both of judge 'gpt' and tag 'spam'"),
        (("gpt:spam", "gpt:hate"), {"gold_column": "truth"}, "must have a column 'truth'"),
    ],
)
def test_names_of_columns(names: tuple[str, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(tw.ThumbwiseError, match=message):
        tw.read_tags({"id": [1, 2], **{name: [0, 1] for name in names}}, **options)


def test_gold_columns_for_some_tags_only() -> None:
    gold = {"id": [1], "joy": [1]}
    frame = pytest.importorskip("pandas").DataFrame(gold)
    with pytest.raises(tw.InvalidFileError, match="there is one for 'joy' and none for 'fear'"):
        tw.read_tags(PLAIN, gold=frame)


def test_only_ones_and_empty_cells_are_asked_about() -> None:
    table = {"id": [1, 2], "gpt:spam": [1, None], "gpt:hate": [None, 1]}
    with pytest.raises(tw.InvalidVotesError, match="2 are empty"):
        tw.read_tags(table)
    assert tw.read_tags(table, empty_means="no-tags")["spam"].votes.array.tolist() == [[1], [0]]


def test_free_text_is_not_taken_for_tags() -> None:
    texts = [f"a long answer, number {i}" for i in range(200)]
    with pytest.raises(tw.InvalidVotesError, match="name 201 different tags"):
        tw.read_tags({"id": list(range(200)), "ann": texts})


def test_a_model_for_each_tag_is_needed_and_a_tag_is_known() -> None:
    readings = tw.read_tags(PLAIN)
    with pytest.raises(tw.InvalidChoiceError, match="there is none for 'fear'"):
        tw.tags_frame(readings, {})
    with pytest.raises(tw.InvalidChoiceError, match="found 'rage', and the tags are 'fear', 'joy'"):
        readings["rage"]
    with pytest.raises(tw.InvalidLabelsError, match="gold labels are needed"):
        readings.fit()


def test_names_that_clash_in_the_output(tmp_path: Path) -> None:
    readings = tw.read_tags({**PLAIN, "tags": ["x", "y", "z"]}, ignore=["tags"])
    models = {tag: tw.MajorityVote().fit(reading.votes) for tag, reading in readings.items()}
    with pytest.raises(
        tw.InvalidFileError, match=r"the output would have the columns .*: names of columns must be unique"
    ):
        tw.write_tags(readings, models, tmp_path / "out.csv")

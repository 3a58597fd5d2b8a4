"""A file that is not what it should be is refused, with what must hold, what was found, and where."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errors.messages import assert_says, message_of
from saving.fitted import fit, group_model, make_votes
from thumbwise import BalsubramaniFreund, Box, InvalidFileError, MajorityVote, Votes
from thumbwise.box.moments.linear import Moments
from thumbwise.box.moments.of_rules import accuracies
from thumbwise.box.moments.standard import STANDARD
from thumbwise.models.base import LabelModel
from thumbwise.models.saved.saving import build, describe, load_model, save_model
from thumbwise.tables.json_values import parse, render


@cache
def text_of(name: str) -> str:
    n_items = 60 if "opinions" in name else 20  # enough gold to learn from
    return render(describe(fit(name, make_votes(n_items, item_ids=np.arange(n_items)))))


def refusal(content: str | bytes) -> str:
    data = content if isinstance(content, bytes) else content.encode()
    return message_of(InvalidFileError, lambda: build(parse(Path("model.json"), data)))


def edited(name: str, edit: Callable[[Any], object]) -> str:
    document = json.loads(text_of(name))
    edit(document)
    return refusal(json.dumps(document))


def put(*keys: Any) -> Callable[[Any], None]:
    *path, last, value = keys

    def edit(document: Any) -> None:
        for key in path:
            document = document[key]
        document[last] = value

    return edit


opinion = partial(put, "learned", "box", "moments")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "strict JSON"),
        ("[]", '"format" is "thumbwise model"'),
        ("{}", '"format" is "thumbwise model"'),
        ("[" * 100_000, "nested deeper"),
        ('{"a":' * 100_000, "nested deeper"),
        ('{"format": 1, "format": 2}', "'format' is given twice"),
        ("NaN", 'NaN is not JSON. Write "nan"'),
        ("1e999", "'1e999'"),
        ("9" * 5000, "found 5,000"),
        (b"\xff{}", "byte 0 is not UTF-8"),
        ('{"format": "thumbwise model"}', "no field 'version'"),
        ('{"format": "thumbwise model", "version": true}', "version must be a whole number"),
        ('{"format": "thumbwise model", "version": 2, "thumbwise": "9.1"}', "by thumbwise 9.1 in version 2. Update"),
        ('{"format": "thumbwise model", "version": 7, "new": [1]}', "version 1 or older"),
    ],
)
def test_not_a_model(content: str | bytes, says: str) -> None:
    assert_says(refusal(content), "model.json", says)


@pytest.mark.parametrize(
    ("name", "edit", "says"),
    [
        ("MajorityVote", put("extra", 1), "the field 'extra' (1 unknown)"),
        ("MajorityVote", put("model", "os.system"), "model must be one of 'AMCL', "),
        ("MajorityVote", put("model", "LabelModel"), "found 'LabelModel'"),
        ("MajorityVote", put("rules", ["a", "a"]), "'a'"),
        ("MajorityVote", put("rules", []), "neither of them empty"),
        ("MajorityVote", put("classes", [1, True]), "unique"),
        ("MajorityVote", put("classes", ["a", "a\0", "b"]), "null character"),
        ("MajorityVote", put("classes", 0, {}), "classes[0] must be a string, a number"),
        ("MajorityVote", put("parameters", "weights", "/etc/passwd"), "the field 'weights'"),
        ("HyperLabelModel", put("parameters", "weights", "/etc/passwd"), "the field 'weights'"),
        ("MajorityVote", put("fingerprints", "votes", "x"), "fingerprints.votes must be 64 hexadecimal digits"),
        ("MajorityVote", put("fingerprints", "votes", "Z" * 64), "64 hexadecimal digits"),
        ("MajorityVote", put("fingerprints", "votes", None), "fingerprints.votes must be a string"),
        ("MajorityVote", put("pool", "n_items", -1), "pool.n_items must be a whole number from 0"),
        ("MajorityVote", put("pool", "n_items", 2**60), "pool.n_items must be a whole number from 0"),
        ("MajorityVote", put("pool", "votes", "null", [9, 9, 9]), "pool.votes.null must be votes on at most 20 items"),
        ("MajorityVote", put("pool", "votes", "null", [1, 1]), "a list of 3 values; found 2"),
        ("MajorityVote", put("pool", "votes", "null", 0, 1.5), "pool.votes.null[0] must be a whole number"),
        ("MajorityVote", lambda d: d["pool"]["votes"].pop("null"), "no field 'null' (1 missing)"),
        (
            "BalsubramaniFreund-gold",
            put("pool", "n_items", 21),
            "learned.certificate.n_items must be 21, the number of items of the pool",
        ),
        ("BalsubramaniFreund-gold", put("learned", "box", "evidence", "is_for_this_pool", 1), "true or false"),
        ("DawidSkene", put("parameters", "tol", "small"), "parameters.tol must be a number"),
        ("DawidSkene", put("parameters", "max_iter", 1.5), "parameters.max_iter must be a whole number"),
        (
            "DawidSkene",
            put("learned", "rates_", "null", 0, 0, 1.5),
            "learned.rates_.null[0][0] must be a number from 0",
        ),
        ("DawidSkene", put("learned", "rates_", "null", 0, 0, True), "found true"),
        ("DawidSkene", put("learned", "rates_", "null", 0, 0, "nan"), "found 'nan'"),
        ("DawidSkene", put("learned", "rates_", "null", 0, [1]), "a list of 3 values; found 1"),
        ("DawidSkene", put("learned", "rates_", "nul", []), "the field 'nul'"),
        ("DawidSkene", lambda d: d["learned"]["rates_"].pop("null"), "no field 'null' (1 missing)"),
        ("DawidSkene", put("learned", "n_iter_", 10**15), "objective_path_ must be a list of 1000000000000000"),
        ("DawidSkene", put("parameters", "kind", "full"), "the field 'weights_'"),
        ("DataProgramming", put("learned", "class_balance_", 0, 0), "number from 1e-300"),
        ("EBCC", put("parameters", "n_groups", 10**12), "a list of 1000000000000 values"),
        ("EBCC", put("learned", "posterior_", "classes", 0, 0), "learned.posterior_.classes[0] must be a number"),
        ("EBCC", put("known", "labels", 0, 3), "known.labels[0] must be a whole number from 0 to 2; found 3"),
        ("EBCC", put("known", "labels", 0, -1), "known.labels[0] must be a whole number from 0 to 2; found -1"),
        ("EBCC", put("known", "ids", 0, 12), "different ids"),
        ("EBCC", put("known", "ids", 0, 13), "the fingerprint of the known labels"),
        ("EBCC", put("known", "ids", 0, "a"), "several kinds"),
        ("EBCC", put("known", None), "the fingerprint of the known labels"),
        ("EBCC", put("known", "kept", False), "known.kept must be true, since the model is EBCC"),
        ("AMCL", put("learned", "weights_", "null", -0.1), "found -0.1"),
        ("HyperLabelModel", put("learned", "lowest_", 0.9), "lowest_ <= 1/3 <= highest_"),
        ("HyperLabelModel", put("learned", "network_", "head", []), "a list of 3 values"),
        ("BalsubramaniFreund-gold", put("learned", "box", "moments", 0, "open"), "one of 'accuracies'"),
        ("BalsubramaniFreund-gold", put("learned", "box", "moments", ["confusion_cells"]), "a box of 90 intervals"),
        ("BalsubramaniFreund-gold", put("learned", "box", "moments", []), "a box of 0 intervals"),
        ("BalsubramaniFreund-gold", put("learned", "box", "intervals", 0, "moment", "x"), "as moments, rules and"),
        ("BalsubramaniFreund-gold", put("learned", "box", "intervals", 0, "lower", 2), "fit together"),
        ("BalsubramaniFreund-gold", put("learned", "box", "intervals", 0, "weight", "inf"), "weight must be a number"),
        ("BalsubramaniFreund-gold", put("learned", "certificate", "log_loss_bound", -1), "log_loss_bound must be"),
        ("BalsubramaniFreund-gold", put("learned", "certificate", "n_known", 21), "from 0 to 20; found 21"),
        ("BalsubramaniFreund-gold", put("learned", "certificate", "accuracy", "expected", 2), "from 0 to 1; found 2"),
        ("BalsubramaniFreund-gold", put("learned", "certificate", "accuracy", {}), "an object with all of its fields"),
        ("BalsubramaniFreund-more moments", opinion(-2, "rule", "x"), "one of the rules"),
        ("BalsubramaniFreund-more moments", opinion(-2, "said", "x"), "one of the classes"),
        ("BalsubramaniFreund-more moments", opinion(-2, "rate", 2), "number from 0 to 1"),
        ("BalsubramaniFreund-more moments", opinion(-1, "kind", "eval"), "'LinearMoment'"),
        ("BalsubramaniFreund-opinions", put("parameters", "caution", "bold"), "parameters.caution must be a number"),
        ("BalsubramaniFreund-opinions", put("parameters", "caution", 0), "parameters.caution must be above 0; found 0"),
        ("BalsubramaniFreund-opinions", put("parameters", "caution", 1.5), "number from 0 to 1; found 1.5"),
        ("BalsubramaniFreund-opinions", put("learned", "certificate", "caution", 0), "caution must be above 0"),
        ("BalsubramaniFreund-opinions", put("learned", "certificate", "caution", True), "caution must be a number"),
        ("BalsubramaniFreund-opinions", opinion(-1, "floor", 0), "floor must be a number from 1e-300 to 1; found 0"),
        ("BalsubramaniFreund-opinions", opinion(-1, "floor", 1.5), "floor must be a number from 1e-300 to 1"),
        ("BalsubramaniFreund-opinions", opinion(-1, "weights", 0, "inf"), "weights[0] must be a number"),
        ("BalsubramaniFreund-opinions", opinion(-1, "weights", []), "weights must be a list of 106 values; found 0"),
        ("BalsubramaniFreund-opinions", opinion(-1, "has_votes", False), "weights must be a list of 16 values"),
        ("BalsubramaniFreund-opinions", opinion(-1, "has_silent", True), "weights must be a list of 109 values"),
        ("BalsubramaniFreund-opinions", opinion(-1, "has_silent", 1), "has_silent must be true or false"),
        ("BalsubramaniFreund-opinions", opinion(-1, "has_votes", 1), "has_votes must be true or false"),
        ("BalsubramaniFreund-opinions", opinion(-1, "voting", ["nobody"]), "voting must be rules of the model"),
        ("BalsubramaniFreund-opinions", opinion(-1, "voting", ["null", "null"]), "in their order and none twice"),
        ("BalsubramaniFreund-opinions", opinion(-1, "counted", ["null", ""]), "in their order and none twice"),
        ("BalsubramaniFreund-opinions", opinion(-1, "log_odds", "null", "nan"), "log_odds.null must be a number"),
        ("BalsubramaniFreund-opinions", opinion(-1, "log_odds", {}), "no field"),
        ("BalsubramaniFreund-opinions", opinion(-2, "weights", "nul", 1), "the field 'nul'"),
        ("BalsubramaniFreund-opinions", opinion(-2, "weights", "null", None), "weights.null must be a number"),
        ("BalsubramaniFreund-opinions", opinion(-2, "name", "other"), "'opinion(other)', as moments, rules and"),
        ("BalsubramaniFreund-opinions", opinion(-2, "kind", "WrittenOpinion"), "kind must be one of"),
        ("BalsubramaniFreund-opinions", opinion(-4, "least", "inf"), "less than the most"),
        ("BalsubramaniFreund-opinions", opinion(-4, "least", "nan"), "less than the most"),
        ("BalsubramaniFreund-opinions", opinion(-4, "of", "kind", "Tier"), "of.kind must be one of 'WeightedVote'"),
        (
            "BalsubramaniFreund-gold",
            put("learned", "box", "intervals", 0, "subject", "x"),
            "as moments, rules and classes",
        ),
    ],
)
def test_a_wrong_value_is_named_with_its_place(name: str, edit: Callable[[Any], object], says: str) -> None:
    assert_says(edited(name, edit), "model.json", says)


@pytest.mark.parametrize("n_more", [-6, -1, 1, 2])
@pytest.mark.parametrize("has_groups", [False, True])
def test_a_box_with_an_interval_too_many_or_too_few_is_refused(n_more: int, has_groups: bool) -> None:
    """Three classes: with groups there must be three intervals for each, and two of them make six."""
    groups = np.arange(20) % 2
    votes = make_votes(20, item_groups=np.array(["north", "south"])[groups]) if has_groups else make_votes(20)
    document = json.loads(render(describe(group_model(votes) if has_groups else fit("BalsubramaniFreund-gold", votes))))
    assert len(document["classes"]) == 3
    build(parse(Path("model.json"), json.dumps(document).encode()))
    rows = document["learned"]["box"]["intervals"]
    rows[:] = rows[:n_more] if n_more < 0 else rows + [{**rows[-1], "moment": f"extra {i}"} for i in range(n_more)]
    n_intervals = len(document["rules"]) + 3 + (7 if has_groups else 2)  # two opinions: gold is too little to learn
    assert_says(refusal(json.dumps(document)), f"a box of {n_intervals} intervals", f"found {len(rows)}")


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (None, "a box with a list of groups, of which its moments speak; found none"),
        (["north", "north"], "a list of different groups; found a group twice, or none"),
        (["north", "east"], "'frequency(a in east)', as moments, rules and classes say"),
    ],
)
def test_groups_that_a_box_does_not_speak_of_are_refused(groups: list[str] | None, message: str) -> None:
    votes = make_votes(20, item_groups=np.array(["north", "south"])[np.arange(20) % 2])
    document = json.loads(render(describe(group_model(votes))))
    document["learned"]["box"].pop("groups")
    if groups is not None:
        document["learned"]["box"]["groups"] = groups
    assert_says(refusal(json.dumps(document)), message)


def test_every_missing_field_is_named() -> None:
    for key in json.loads(text_of("MajorityVote")):
        document = json.loads(text_of("MajorityVote"))
        del document[key]
        assert_says(refusal(json.dumps(document)), key)


def test_a_box_too_large_to_build_is_refused_before_it_is_built() -> None:
    """10 rules and 20,000 classes would have 4,000,000,000 confusion cells."""
    document = json.loads(text_of("BalsubramaniFreund-exact"))
    document["classes"] = list(range(20_000))
    document["pool"]["votes"] = {rule: [0] * 20_000 for rule in document["rules"]}
    document["learned"]["box"]["moments"] = ["confusion_cells"]
    assert_says(refusal(json.dumps(document)), "4000000000 intervals")


def test_a_learned_opinion_of_many_classes_is_refused_before_its_table_is_made() -> None:
    """10 rules and 20,000 classes would have 4,000,000,000 terms of votes."""
    document = json.loads(text_of("BalsubramaniFreund-opinions"))
    document["classes"] = list(range(20_000))
    document["pool"]["votes"] = {rule: [0] * 20_000 for rule in document["rules"]}
    document["learned"]["box"]["moments"] = [document["learned"]["box"]["moments"][-1]]
    assert_says(refusal(json.dumps(document)), "fewer than 30 classes; found 20,000")


def test_files_that_are_not_there_or_too_large(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    assert_says(message_of(InvalidFileError, lambda: load_model(path)), "there is none")
    assert_says(message_of(InvalidFileError, lambda: load_model(tmp_path)), "a plain file")
    assert_says(message_of(InvalidFileError, lambda: load_model("/dev/zero")), "a plain file")
    assert_says(message_of(InvalidFileError, lambda: load_model("a\0b")), "a plain file")
    save_model(MajorityVote().fit([[0, 1]]), path)
    size = path.stat().st_size
    assert load_model(path, max_bytes=size).rule_names_ == ("rule_0", "rule_1")
    message = message_of(InvalidFileError, lambda: load_model(path, max_bytes=size - 1))
    assert_says(message, f"at most {size - 1:,} bytes", "max_bytes")


def own_moments(votes: Votes) -> Moments:
    return accuracies(votes)


def first_rule(votes: Votes) -> Any:
    return votes.array[:, 0]


class OwnModel(MajorityVote):
    pass


def fit_with_opinion(opinion: Any) -> LabelModel:
    votes = make_votes(20)
    gold = votes.take(np.arange(10)), [votes.class_names[c % 3] for c in range(10)]
    box = Box.from_gold(*gold, pool=votes, gold_is="subset", opinions=[opinion])
    return BalsubramaniFreund(on_infeasible="widen").fit(votes, box=box)


def test_what_a_file_cannot_say_is_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text("older")
    votes = make_votes(20)
    exact = Box.exact(votes, votes.array[:, 0].clip(0))
    box = Box(exact.about[:10], exact.lower[:10], exact.upper[:10], exact.evidence, (own_moments,))
    models: list[tuple[LabelModel, str]] = [
        (BalsubramaniFreund(on_infeasible="widen").fit(votes, box=box), "found own_moments, which is code"),
        (fit_with_opinion(first_rule), "found 'first_rule', a function of your own, which is code"),
        (MajorityVote().fit(Votes([[0, 1]], class_names=[("a", 1), "b"])), "type tuple"),
        (MajorityVote().fit(Votes([[0, 1]], class_names=[float("inf"), "b"])), "type float"),
        (OwnModel().fit([[0, 1]]), "found OwnModel"),
    ]
    for model, says in models:
        assert_says(message_of(InvalidFileError, partial(save_model, model, path)), says)
    assert path.read_text() == "older"
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.json"]


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    model = MajorityVote().fit([[0, 1]])
    assert_says(message_of(InvalidFileError, lambda: save_model(model, tmp_path)), "it is a folder")
    missing = tmp_path / "no" / "model.json"
    assert_says(message_of(InvalidFileError, lambda: save_model(model, missing)), "cannot be written", "does not exist")


def test_an_unfitted_model_is_not_saved(tmp_path: Path) -> None:
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        save_model(MajorityVote(), tmp_path / "model.json")


def test_standard_moments_are_written_by_name() -> None:
    moments = json.loads(text_of("BalsubramaniFreund-gold"))["learned"]["box"]["moments"]
    assert moments[:2] == [builder.__name__ for builder in STANDARD]
    assert [(moment["kind"], moment["name"]) for moment in moments[2:]] == [
        ("WeightedVote", "majority"),
        ("WeightedVote", "panel"),
    ]

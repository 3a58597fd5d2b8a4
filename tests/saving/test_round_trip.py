"""What is saved comes back: the same predictions to the last bit, the same names, the same certificate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saving.fitted import CLASS_NAMES, FITS, ODD_NAMES, fit, fitted, group_model, make_votes, truth_of
from support.registered import package_models
from thumbwise import BalsubramaniFreund, Box, InvalidBoxError, InvalidVotesError, MajorityVote, Votes
from thumbwise.models.base import LabelModel
from thumbwise.models.saved.builders import write_builder
from thumbwise.models.saved.saving import gold_fingerprint, load_model, save_model
from thumbwise.votes.labels import KnownLabels


def again(model: LabelModel, folder: Path) -> Any:
    save_model(model, folder / "model.json")
    return load_model(folder / "model.json")


def bits(values: Any) -> bytes:
    return np.ascontiguousarray(values, dtype=float).tobytes()


def test_every_model_is_tried() -> None:
    assert {name.partition("-")[0] for name in FITS} == set(package_models())


@pytest.mark.parametrize(
    ("name", "classes"),
    [(name, "mixed") for name in FITS]
    + [(name, kind) for name in ("MajorityVote", "EBCC", "BalsubramaniFreund-gold") for kind in CLASS_NAMES],
)
def test_predictions_are_the_same_to_the_last_bit(name: str, classes: str, tmp_path: Path) -> None:
    votes = make_votes(class_names=CLASS_NAMES[classes], item_ids=[f"item {i} \U0001f60a" for i in range(80)])
    model = fit(name, votes)
    loaded = again(model, tmp_path)
    assert loaded.rule_names_ == tuple(ODD_NAMES)
    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert [type(c) for c in loaded.classes_.tolist()] == [type(c) for c in model.classes_.tolist()]
    for seed in (0, 5):
        asked = make_votes(
            300, class_names=CLASS_NAMES[classes], seed=seed, item_ids=[f"item {i} \U0001f60a" for i in range(300)]
        )
        if len(model.classes_) == 2:
            asked = Votes(np.minimum(asked.array, 1), class_names=model.classes_.tolist(), rule_names=ODD_NAMES)
        proba = loaded.predict_proba(asked)
        assert bits(proba) == bits(model.predict_proba(asked))
        assert len(np.unique(proba, axis=0)) > 3 or "balanced" in name  # whose intervals are too wide to matter
        assert loaded.predict(asked).tolist() == model.predict(asked).tolist()


@pytest.mark.parametrize("name", FITS)
def test_everything_learned_comes_back(name: str, tmp_path: Path) -> None:
    model = fitted(name)
    loaded = again(model, tmp_path)
    assert set(vars(loaded)) == set(vars(model))
    for key, value in vars(model).items():
        other = getattr(loaded, key)
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            assert bits(other) == bits(value) and other.shape == value.shape
        elif isinstance(value, np.ndarray):
            assert other.tolist() == value.tolist()
        elif isinstance(value, (int, float, str, tuple)) and key != "pool_means_":
            assert repr(other) == repr(value), key


@pytest.mark.parametrize("name", [name for name in FITS if name.startswith("BalsubramaniFreund")])
def test_the_certificate_and_the_box_come_back(name: str, tmp_path: Path) -> None:
    model = fitted(name)
    loaded = again(model, tmp_path)
    assert loaded.certificate_ == model.certificate_
    assert str(loaded.certificate_) == str(model.certificate_)
    assert json.loads((tmp_path / "model.json").read_text())["learned"]["certificate"]["sentence"] == str(
        model.certificate_
    )
    assert loaded.certificate_.accuracy_at_least == model.certificate_.accuracy_at_least is not None
    assert str(loaded.certificate_.accuracy) == str(model.certificate_.accuracy)
    assert loaded.certificate_.accuracy.classes is None
    assert repr(loaded.box_) == repr(model.box_)
    assert loaded.box_.about == model.box_.about
    for attribute in ("lower", "upper", "least", "most"):
        assert bits(getattr(loaded.box_, attribute)) == bits(getattr(model.box_, attribute))
    for attribute in ("gold_right", "gold_drawn"):
        old = getattr(model.box_, attribute)
        assert old is None or getattr(loaded.box_, attribute).tolist() == old.tolist()
    assert [write_builder(builder, ODD_NAMES) for builder in loaded.box_.builders] == [
        write_builder(builder, ODD_NAMES) for builder in model.box_.builders
    ]
    assert (loaded.known_ is None) == (model.known_ is None)
    assert (loaded.box_.known is None) == (model.box_.known is None)


def test_a_loaded_box_fits_again_to_the_same_votes(tmp_path: Path) -> None:
    """A file has no gold votes, so what is fitted to a loaded box plays the worst case."""
    votes = make_votes(item_ids=np.arange(80))
    model: Any = fit("BalsubramaniFreund-worst case", votes)
    loaded = again(model, tmp_path)
    assert model.box_.gold is not None and loaded.box_.gold is None
    assert bits(again(model, tmp_path).fit(votes, box=loaded.box_).weights_) == bits(model.weights_)
    aiming: Any = fit("BalsubramaniFreund-gold", votes)
    assert aiming.certificate_.caution < 1 and aiming.caution == again(aiming, tmp_path).caution == "auto"
    assert again(aiming, tmp_path).fit(votes, box=again(aiming, tmp_path).box_).certificate_.caution == 1


def test_rules_that_do_not_count_and_rules_too_rare_for_a_column(tmp_path: Path) -> None:
    """A copy does not count in the panel; a rare rule does, but has no column of its own."""
    plain = make_votes(120).array.copy()
    plain[:, 1] = plain[:, 0]
    plain[5:, 2] = -1
    votes = Votes(plain, n_classes=3, rule_names=ODD_NAMES)
    box = Box.from_gold(votes.take(np.arange(60)), truth_of(votes)[:60], pool=votes, gold_is="subset")
    model = BalsubramaniFreund(on_infeasible="widen").fit(votes, box=box)
    columns = model.box_.builders[-1].columns  # type: ignore[attr-defined]
    assert np.flatnonzero(columns.together.counted == 0).tolist() == [1]
    assert columns.voting.tolist() == [0, *range(3, 10)]
    asked = Votes(make_votes(300, seed=5).array, n_classes=3, rule_names=ODD_NAMES)
    assert bits(again(model, tmp_path).predict_proba(asked)) == bits(model.predict_proba(asked))


def test_moments_of_groups(tmp_path: Path) -> None:
    groups = np.array(["north", "south"])[np.arange(80) % 2]
    votes = make_votes(item_groups=groups)
    model = group_model(votes)
    assert bits(again(model, tmp_path).predict_proba(votes)) == bits(model.predict_proba(votes))


@pytest.mark.parametrize(
    "ids",
    [
        np.arange(4),
        np.array([2**63, 2**63 + 1, 5, 2], dtype=np.uint64),
        np.array(["a", "b\n", "\ud800", ""]),
        np.array([0.5, 1.0, -2.0, 1e300]),
        np.array(["x", 3, True, 2.5], dtype=object),
    ],
    ids=["int", "uint", "str", "float", "mixed"],
)
def test_known_items_keep_their_labels(ids: Any, tmp_path: Path) -> None:
    votes = Votes([[0, 0, 1], [1, 1, 1], [1, 0, 1], [0, 0, 0]], item_ids=ids)
    model: Any = BalsubramaniFreund().fit(votes, [1, -1, 0, -1])
    loaded = again(model, tmp_path)
    assert loaded.predict(votes).tolist() == model.predict(votes).tolist()
    assert loaded.predict_proba(votes)[[0, 2]].tolist() == [[0, 1], [1, 0]]
    assert loaded.known_.item_ids.dtype.kind == model.known_.item_ids.dtype.kind


def test_the_fingerprint_of_gold_does_not_depend_on_its_order() -> None:
    ids, labels = np.array([3, 1, 2]), np.array([0, 1, 1])
    one = gold_fingerprint(KnownLabels(ids, labels))
    assert gold_fingerprint(KnownLabels(ids[::-1], labels[::-1])) == one
    assert gold_fingerprint(KnownLabels(ids, labels[::-1])) != one
    assert gold_fingerprint(KnownLabels(ids.astype(str), labels)) != one


@pytest.mark.parametrize("name", [name for name in FITS if "two" not in name])
def test_every_file_has_the_fingerprint_and_the_counts_of_the_votes(name: str, tmp_path: Path) -> None:
    votes = make_votes(item_ids=np.arange(80))
    save_model(fitted(name), tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    assert document["fingerprints"]["votes"] == votes.fingerprint
    assert document["pool"]["n_items"] == 80
    for rule, said in zip(votes.rule_names, votes.array.T, strict=True):
        assert document["pool"]["votes"][rule] == [int((said == c).sum()) for c in range(votes.n_classes)]


@pytest.mark.parametrize("name", [name for name in FITS if "two" not in name])
def test_a_loaded_model_finds_the_drift_that_the_fitted_one_finds(name: str, tmp_path: Path) -> None:
    loaded = again(fitted(name), tmp_path)
    same, other = make_votes(item_ids=np.arange(80)), make_votes(300, seed=3)
    silent = Votes(np.where(np.arange(10) == 7, -1, other.array), class_names=["a", "b", "c"], rule_names=ODD_NAMES)
    assert loaded.check_drift(same).is_the_pool
    for votes in (other, silent):
        assert loaded.check_drift(votes) == fitted(name).check_drift(votes)
    assert {row.rule for row in loaded.check_drift(silent).drifted} == {"null"}


def test_a_box_that_was_made_for_its_pool_still_is(tmp_path: Path) -> None:
    """Bounds that a user wrote fit any votes; those from gold are refused for other votes, loaded or not."""
    votes = make_votes(item_ids=np.arange(80))
    free = BalsubramaniFreund().fit(votes, box=Box.from_bounds(votes, {"null": (0.5, 0.9)}))
    assert again(free, tmp_path).box_.evidence.pool is None
    again(free, tmp_path).fit(make_votes(seed=4), box=again(free, tmp_path).box_)
    with pytest.raises(InvalidBoxError, match="made for other votes"):
        free.fit(make_votes(seed=4), box=again(fitted("BalsubramaniFreund-gold"), tmp_path).box_)


def test_a_loaded_model_refuses_other_rules_and_says_which(tmp_path: Path) -> None:
    loaded = again(MajorityVote().fit(Votes([[0, 1]], rule_names=["short", "loud"])), tmp_path)
    with pytest.raises(InvalidVotesError, match=r"'quiet'.*'short', 'loud'"):
        loaded.predict(Votes([[0, 1]], rule_names=["short", "quiet"]))
    with pytest.raises(InvalidVotesError, match=r"2 rules.*found 3"):
        loaded.predict(Votes([[0, 1, 1]], rule_names=["short", "loud", "quiet"]))


def test_rules_in_another_order_are_put_in_order(tmp_path: Path) -> None:
    votes = make_votes()
    model = fit("DawidSkene", votes)
    turned = votes.with_rules(list(range(votes.n_rules))[::-1])
    assert np.allclose(again(model, tmp_path).predict_proba(turned), model.predict_proba(votes), atol=1e-12)


def test_the_file_is_readable_and_small(tmp_path: Path) -> None:
    votes = Votes([[0, 0], [1, 1], [1, 0], [0, -1]], rule_names=["kurz", "größer"], class_names=["ham", "spam"])
    box = Box.from_bounds(votes, {"kurz": (0.75, 1), "größer": (0.5, 1)})
    save_model(BalsubramaniFreund().fit(votes, box=box), tmp_path / "model.json")
    text = (tmp_path / "model.json").read_text(encoding="utf-8")
    assert '{"moment": "accuracy(größer)", "subject": "größer", "lower": 0.5, "upper": 1.0, "weight": 0.0}' in text
    assert max(map(len, text.splitlines())) < 250
    assert len(text) < 2500


def test_saving_what_was_loaded_writes_the_same_file(tmp_path: Path) -> None:
    for name in FITS:
        save_model(fitted(name), tmp_path / "one.json")
        save_model(load_model(tmp_path / "one.json"), tmp_path / "two.json")
        assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()

"""A saved model that was changed by accident is refused; an older one, or one that is only laid out anew, loads."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

import thumbwise as tw
from saving.fitted import fit, make_votes
from thumbwise.models.saved.saving import describe

NAMES = ("MajorityVote", "BalsubramaniFreund-gold", "DawidSkene")
WRITTEN = sorted((Path(__file__).parent / "written").glob("*.json"))


def saved(name: str, path: Path) -> str:
    votes = make_votes(20, item_ids=np.arange(20)).with_rules([0, 3, 7])
    fit(name, votes).save(path)
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_one_digit_changed_anywhere_is_refused_or_changes_nothing(name: str, tmp_path: Path) -> None:
    """Every digit of the file in turn. What still loads is the same model to the last bit: 0.5 written as 0.50."""
    path = tmp_path / "model.json"
    text = saved(name, path)
    before = describe(tw.load(path))
    places = [found.start() for found in re.finditer(r"\d", text)]
    step = max(1, len(places) // 150)
    n_refused = 0
    for place in places[::step]:
        path.write_text(text[:place] + str((int(text[place]) + 1) % 10) + text[place + 1 :], encoding="utf-8")
        try:
            after = describe(tw.load(path))
        except tw.InvalidFileError:
            n_refused += 1
        else:
            assert after == before, text[place - 20 : place + 20]
    assert n_refused >= 0.95 * len(places[::step])


def test_without_the_checksum_digits_changed_unseen(tmp_path: Path) -> None:
    """What it is for: the same edits load as other models once the field is taken out."""
    path = tmp_path / "model.json"
    document = json.loads(saved("DawidSkene", path))
    before = describe(tw.load(path))
    del document["checksum"]
    text = json.dumps(document)
    n_other = 0
    for found in [*re.finditer(r"\d", text)][::25]:
        place = found.start()
        path.write_text(text[:place] + str((int(text[place]) + 1) % 10) + text[place + 1 :], encoding="utf-8")
        try:
            n_other += describe(tw.load(path)) != before
        except tw.InvalidFileError:
            continue
    assert n_other >= 3


def test_it_is_the_hash_of_the_other_fields(tmp_path: Path) -> None:
    document = json.loads(saved("MajorityVote", tmp_path / "model.json"))
    assert list(document)[-1] == "checksum"
    said = document.pop("checksum")
    ordered = json.dumps(document, sort_keys=True, separators=(", ", ": "))
    assert said == sha256(ordered.encode()).hexdigest()[:16]


def test_another_layout_is_no_change(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    document = json.loads(saved("BalsubramaniFreund-gold", path))
    before = describe(tw.load(path))
    path.write_text(json.dumps(dict(reversed(document.items())), indent=7), encoding="utf-8")
    assert describe(tw.load(path)) == before


def test_what_is_said_of_a_change(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    document = json.loads(saved("MajorityVote", path))
    document["thumbwise"] = "0.9.9"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(tw.InvalidFileError, match=r"checksum must be that of the other fields .*take the field out"):
        tw.load(path)
    del document["checksum"]
    path.write_text(json.dumps(document), encoding="utf-8")
    assert tw.load(path).predict([[0, 0, 0]]).shape == (1,)


@pytest.mark.parametrize("value", [7, None, "", "0" * 16])
def test_a_checksum_that_is_none(value: object, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    document = json.loads(saved("MajorityVote", path))
    path.write_text(json.dumps({**document, "checksum": value}), encoding="utf-8")
    with pytest.raises(tw.InvalidFileError, match="checksum must be"):
        tw.load(path)


def test_files_from_before_have_none() -> None:
    assert len(WRITTEN) >= 10
    assert not any("checksum" in json.loads(path.read_text(encoding="utf-8")) for path in WRITTEN)

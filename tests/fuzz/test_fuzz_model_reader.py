"""Saved models made strange: refused with InvalidFileError, or models that predict and can be saved again."""

from __future__ import annotations

import copy
import json
import warnings
from functools import cache

import pytest
from fuzz.model_checks import check_model
from fuzz.model_reader import mutate_model
from fuzz.model_seeds import model_seeds
from fuzz.mutations import NAMES, RAW, at, damage_bytes, places, seeded

import thumbwise as tw
from support.registered import package_models
from thumbwise.exceptions import InvalidFileError


@cache
def seeds() -> dict[str, bytes]:
    return model_seeds()


def is_read(content: bytes) -> bool:
    try:
        return check_model(content)
    except InvalidFileError as error:
        assert str(error).endswith("."), "a message is made of whole sentences"
        return False


def test_there_is_a_seed_of_every_model() -> None:
    assert {name.partition("-")[0] for name in seeds()} == set(package_models())


@pytest.mark.parametrize("seed", range(4))
def test_documents_edited_at_random(seed: int) -> None:
    rng = seeded(seed)
    small = [content for content in seeds().values() if len(content) < 10_000]
    documents = [json.loads(content) for content in small]
    ends = [is_read(mutate_model(rng.choice(small), rng, rng.choice(documents))) for _ in range(80)]
    assert 5 < sum(ends) < 70  # most are refused, and enough are read for the checks behind the reader to matter


@pytest.mark.parametrize("number", [-1, 1e99])
def test_one_number_of_each_kind_made_extreme(number: float) -> None:
    """The first number under each key, wherever in a list it stands."""
    for name in (
        "DawidSkene-full",
        "DataProgramming",
        "EBCC",
        "AMCL",
        "BalsubramaniFreund",
        "BalsubramaniFreund-groups",
    ):
        document = json.loads(seeds()[name])
        numbers = [place for place in places(document) if type(at(document, place)) in (int, float)]
        first = {tuple(key for key in place if isinstance(key, str)): place for place in reversed(numbers)}
        assert len(first) > 10
        for place in first.values():
            edited = copy.deepcopy(document)
            at(edited, place[:-1])[place[-1]] = number
            is_read(json.dumps(edited).encode())


@pytest.mark.parametrize("old", ["ham", "loud"])
def test_names_changed_alike_in_all_places(old: str) -> None:
    content = seeds()["BalsubramaniFreund-groups"].decode()
    assert content.count(old) > 3
    ends = [is_read(content.replace(old, json.dumps(name)[1:-1]).encode()) for name in NAMES]
    assert sum(ends) >= len(NAMES) - 3  # all but those that end in a null character


def test_bytes_damaged_at_random() -> None:
    rng = seeded(0)
    ends = [is_read(damage_bytes(rng.choice(list(seeds().values())), rng)) for _ in range(100)]
    assert 0 < sum(ends) < 70


@pytest.mark.parametrize("mark", RAW)
def test_what_json_cannot_say_is_refused_at_every_place(mark: str) -> None:
    content = seeds()["DawidSkene"].decode()
    for place in ('"loud"', tw.__version__, '"learned"', '"n_iter_"', "null"):
        assert place in content
        found = content.replace(place, RAW[mark] if place.startswith('"') else f'x", "y": {RAW[mark]}, "z": "', 1)
        assert not is_read(found.encode())


def test_no_model_warns() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert all(is_read(content) for content in seeds().values())

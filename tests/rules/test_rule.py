"""A rule is still its function: it can be called, copied and pickled, and has a name."""

from __future__ import annotations

import copy
import pickle
from functools import partial
from typing import Any

import pytest

from thumbwise.rules.labeling_functions import Rule, rule

from . import texts


def plain(text: str) -> str | None:
    """Say what plain does."""
    return "spam" if text.isupper() else None


made = rule(name="made of plain")(plain)


def test_a_rule_is_called_like_its_function() -> None:
    assert (texts.shouting("HI"), texts.shouting("hi")) == ("spam", None)
    assert (texts.shouting.name, texts.digit.name, made.name) == ("shouting", "has a digit", "made of plain")
    assert rule(plain).__doc__ == "Say what plain does."


@pytest.mark.parametrize(
    "one", [texts.shouting, texts.digit, made, rule(texts.Threshold(2), name="long"), texts.Holder.long]
)
def test_a_rule_survives_pickle_and_copy(one: Rule) -> None:
    for other in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one), copy.copy(one)):
        assert isinstance(other, Rule)
        assert other.name == one.name
        assert other("HI 2") == one("HI 2")


def test_a_decorated_function_comes_back_as_the_same_object() -> None:
    assert pickle.loads(pickle.dumps(texts.digit)) is texts.digit


async def later(text: str) -> str:
    return text


@pytest.mark.parametrize(
    ("function", "name", "said"),
    [
        (lambda text: 1, None, "must have a name"),
        (partial(plain), None, "must have a name"),
        (plain, "", "not empty"),
        (plain, 3, "must be a string"),
        ("plain", None, "function of one item"),
        (later, None, "not async"),
    ],
)
def test_what_is_no_rule(function: Any, name: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Rule(function, name)

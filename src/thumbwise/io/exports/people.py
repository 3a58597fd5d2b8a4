"""Labels by people in an export: those that answer one question are gold."""

from __future__ import annotations

from collections.abc import Mapping

from thumbwise.exceptions import Argument, InvalidLabelsError
from thumbwise.io.exports.exported import GOLD
from thumbwise.io.exports.opened import show
from thumbwise.io.roles import Roles


def one_question(what: str, told: Mapping[str, Mapping[str, str]], roles: Roles) -> tuple[str, Mapping[str, str]]:
    """The question whose labels are gold, and these by item: the one that is named, or the only one.

    Parameters
    ----------
    what : str
        What the labels are in the words of the format, such as "annotations".
    told : mapping of str to mapping
        Labels by item, by the name of the question that they answer.
    roles : Roles
        Of these: ``gold_label``, which names a question, and ``ignore``, by which these labels may be no gold.
    """
    named = roles.gold_label if roles.gold_label in told else None
    if named is None and len(told) > 1 and GOLD in roles.ignore:
        return "", {}
    if named is None and (len(told) > 1 or (told and roles.gold_label is not None)):
        raise InvalidLabelsError(
            f"one question must give the gold labels; {what} answer {len(told)}: {show(list(told))}. Say which with ",
            Argument("gold_label", "NAME"),
            ".",
        )
    name = named or next(iter(told), "")
    return name, told.get(name, {})

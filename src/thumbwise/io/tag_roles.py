"""What the user says about tags, if cells hold several of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from thumbwise.exceptions import Argument, InvalidVotesError

EmptyMeans: TypeAlias = Literal["no-tags", "abstained"]
GoldEmptyMeans: TypeAlias = Literal["no-tags", "unknown"]


@dataclass(frozen=True)
class TagRoles:
    """What the user says about tags.

    Attributes
    ----------
    names : tuple of str or None
        The tags that are asked about. Absent: those that the votes name.
    separator : str or None
        What stands between two tags of a cell. Absent: the one of ``|``, ``;`` and ``,`` that occurs.
    no_tags, abstain : str or None
        Cells that mean "none of the tags", and "no answer".
    empty_means : {"no-tags", "abstained"} or None
        What an empty cell of the votes means.
    gold_empty_means : {"no-tags", "unknown"} or None
        What an empty gold label means.
    """

    names: tuple[str, ...] | None = None
    separator: str | None = None
    no_tags: str | None = None
    abstain: str | None = None
    empty_means: EmptyMeans | None = None
    gold_empty_means: GoldEmptyMeans | None = None


def check_listed(names: Iterable[object]) -> tuple[str, ...]:
    """Tags as they were listed: texts, each once."""
    texts = tuple(str(name).strip() for name in names)
    bad = [text for j, text in enumerate(texts) if not text or text in texts[:j]]
    if not texts or bad:
        what = "none" if not texts else "an empty one" if not bad[0] else f"{bad[0]!r} twice"
        raise InvalidVotesError(Argument("tags"), f" must list different tags; found {what}.")
    return texts

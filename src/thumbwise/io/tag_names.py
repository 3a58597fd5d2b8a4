"""The tags that are asked about, and the columns of each judge if there is one for every tag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from thumbwise.exceptions import Argument, InvalidLabelsError, InvalidVotesError, ThumbwiseError
from thumbwise.io.classes import MAX_INFERRED_NAMES
from thumbwise.io.tag_cells import Said
from thumbwise.votes.reading.coding import LOOKS_LIKE_ABSTAIN

# What stands between judge and tag in the name of a column; the first that fits all of them is taken.
SIGNS = (":", "__", "/", ".", " ", "_", "-")
_LOOKS_LIKE_NONE = {*LOOKS_LIKE_ABSTAIN, "no tags", "no tag", "nothing", "-", "no"}


def settle_tags(said: Mapping[str, Said], listed: tuple[str, ...] | None) -> tuple[str, ...]:
    """The tags: those that are listed, or have columns of their own; else all that the votes name, in sorted order.

    Gold labels have no part in this, so that how many questions share the error is settled before they are looked at.
    """
    if listed is not None:
        _refuse_misspelled(said, listed)
        return listed
    tags = tuple(sorted(set().union(*(column.tags for column in said.values()))))
    if not tags:
        raise InvalidVotesError("some judge must name some tag; every cell is empty or stands for no tags.")
    _refuse_twins(tags)
    doubtful = [tag for tag in tags if tag.lower() in _LOOKS_LIKE_NONE]
    if doubtful:
        raise InvalidVotesError(
            f"cells hold {doubtful[0]!r}, which may be a tag, stand for no tags, or for no answer. Say ",
            Argument("no_tags", repr(doubtful[0])),
            " or ",
            Argument("abstain", repr(doubtful[0])),
            "; if it is a tag, list all tags: ",
            Argument("tags", list(tags) if len(tags) <= 10 else [...]),
            ".",
        )
    if len(tags) > MAX_INFERRED_NAMES:
        raise InvalidVotesError(
            f"the votes name {len(tags):,} different tags, such as {tags[0][:40]!r}: too many to ask about unless they "
            "are listed. If these are texts, or something else separates tags, say ",
            Argument("separator", "SIGN"),
            "; otherwise list the tags with ",
            Argument("tags", [...]),
            ".",
        )
    return tags


def _refuse_twins(tags: Sequence[str]) -> None:
    first: dict[str, str] = {}
    for tag in tags:
        twin = first.setdefault(" ".join(tag.split()).casefold(), tag)
        if twin != tag:
            raise InvalidVotesError(
                f"tags must differ by more than case and space; found {twin!r} and {tag!r}. Write both alike; if they "
                "are two tags, list all of them with ",
                Argument("tags", [...]),
                ".",
            )


def _refuse_misspelled(said: Mapping[str, Said], listed: Sequence[str]) -> None:
    """Refuse cells that name a listed tag in another case; other tags are not asked about."""
    by_case = {" ".join(tag.split()).casefold(): tag for tag in listed}
    for name, column in said.items():
        for strange in sorted(column.tags - set(listed)):
            near = by_case.get(" ".join(strange.split()).casefold())
            if near is not None:
                raise _strange("tags must be written as they are listed", name, column, strange, [near], listed)


def refuse_unknown(said: Mapping[str, Said], tags: Sequence[str]) -> None:
    """Refuse gold labels that name a tag which no judge names, where tags are not listed."""
    for name, column in said.items():
        strange = sorted(column.tags - set(tags))
        if strange:
            near = get_close_matches(strange[0], tags, n=1)
            raise _strange("gold labels must name tags that the votes name", name, column, strange[0], near, tags, True)


def _strange(
    must: str, name: str, column: Said, strange: str, near: Sequence[str], tags: Sequence[str], is_gold: bool = False
) -> ThumbwiseError:
    rows = column.rows_with(strange)
    meant = f" Is {near[0]!r} meant?" if near else ""
    kind = InvalidLabelsError if is_gold else InvalidVotesError
    return kind(
        f"{must}; column {name!r} holds {strange!r} in row {rows[0]}, counting from 0 ({len(rows):,} such rows)."
        f"{meant} Correct it; if it is a tag of its own, list all tags: ",
        Argument("tags", [*tags, strange] if len(tags) < 10 else [...]),
        ".",
    )


def note_left_out(said: Mapping[str, Said], tags: Sequence[str], where: str) -> list[str]:
    """A note on tags that are named and not asked about."""
    others = sorted(set().union(*(column.tags for column in said.values())) - set(tags))
    more = f" and {len(others) - 5:,} more" if len(others) > 5 else ""
    return [f"tags of {where} that are not asked about: {', '.join(map(repr, others[:5]))}{more}"] if others else []


def split_names(names: Sequence[str], listed: tuple[str, ...] | None) -> tuple[dict[str, dict[str, str]], str]:
    """Columns of each judge by tag, where each is called by judge and tag, ``gpt:toxic`` or ``gpt_toxic``; and a note.

    Examples
    --------
    >>> split_names(["gpt_self_harm", "gpt_spam", "bob_self_harm"], ("spam", "self_harm"))[0]
    {'gpt': {'self_harm': 'gpt_self_harm', 'spam': 'gpt_spam'}, 'bob': {'self_harm': 'bob_self_harm'}}
    >>> split_names(["gpt:spam", "gpt:hate"], None)[0]
    {'gpt': {'spam': 'gpt:spam', 'hate': 'gpt:hate'}}
    """
    pairs = [_by_list(name, listed) for name in names] if listed is not None else _by_sign(names)
    judges: dict[str, dict[str, str]] = {}
    for name, (judge, tag) in zip(names, pairs, strict=True):
        other = judges.setdefault(judge, {}).setdefault(tag, name)
        if other != name:
            raise InvalidVotesError(
                f"each judge must have one column for each tag; {other!r} and {name!r} are both of judge {judge!r} and "
                f"tag {tag!r}. Drop one of them, or say ",
                Argument("ignore", [name]),
                ".",
            )
    first = next(iter(judges))
    tag = next(iter(judges[first]))
    return judges, f"a column per judge and tag: {judges[first][tag]!r} is judge {first!r} on tag {tag!r}"


def _by_list(name: str, tags: Sequence[str]) -> tuple[str, str]:
    if name in tags:
        return "judge", name
    found = [
        (name.removesuffix(f"{sign}{tag}"), tag) for tag in tags for sign in SIGNS if name.endswith(f"{sign}{tag}")
    ]
    found = [pair for pair in found if pair[0]]
    if not found:
        raise InvalidVotesError(
            f"columns of truth values must be called by judge and tag, such as {f'gpt:{tags[0]}'!r}; {name!r} ends "
            f"with none of the tags {', '.join(map(repr, tags[:8]))}. If it is no judge, say ",
            Argument("ignore", [name]),
            ".",
        )
    return min(found, key=lambda pair: len(pair[0]))


def _by_sign(names: Sequence[str]) -> list[tuple[str, str]]:
    """Judge and tag of each column, by the first sign under which all judges have the same tags."""
    for sign in SIGNS:
        pairs = [name.rpartition(sign)[::2] for name in names]
        tags: dict[str, set[str]] = {}
        for judge, tag in pairs:
            tags.setdefault(judge, set()).add(tag)
        if all(judge and tag for judge, tag in pairs) and len({frozenset(own) for own in tags.values()}) == 1:
            return [(judge, tag) for judge, tag in pairs]
    raise InvalidVotesError(
        f"columns of truth values must be called by judge and tag, such as 'gpt:spam'; which part of {names[0]!r} is "
        "the tag does not show. List the tags with ",
        Argument("tags", [...]),
        ".",
    )

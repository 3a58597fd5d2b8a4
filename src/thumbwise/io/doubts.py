"""Values that are likely no classes: misspelled ones, several tags in a cell, times, texts and scores. None is guessed.

Classes that are not listed are those that occur, so one wrong cell makes a class of its own. What is refused here can
be said to be meant, by listing the classes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from difflib import get_close_matches

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import Argument, InPython, InvalidLabelsError, InvalidVotesError
from thumbwise.io.classes import no_class_zero
from thumbwise.io.distinct import Distinct, are_numbers, spelling
from thumbwise.io.roles import Roles
from thumbwise.votes.counted_votes import CountedVotes

# A column of fewer votes may hold as many values as it likes.
LEAST_VOTES = 20
# A class that no rule votes for is rare if fewer gold labels than these say it, and less than a tenth of them.
RARE_LABELS = 2
RARE_SHARE = 0.02
_SMALL_SHARE = 0.1
_SEPARATORS = "|;,"
_MOST_LISTED = 10


def refuse_no_rules(columns: Sequence[Distinct], gold: Distinct | None, roles: Roles) -> None:
    """Refuse columns that are no rules: scores; and those whose votes differ, most from all other rules and labels.

    Rules share classes; times, texts and ids do not, so a rule that votes rarely among many classes passes.
    """
    columns = [column.without(roles.abstain) for column in columns]
    known = _known(gold, roles)
    if not _are_listed(roles):
        refuse_joined_tags({value for column in columns for value in column.counts})
    several = [column for column in columns if _differ(column)]
    n_columns = Counter(value for c in columns for value in set(map(spelling, c.counts))) if several else Counter()
    for column in several:
        own = {value for value in map(spelling, column.counts) if n_columns[value] == 1}
        if 2 * len(own - known) > len(column.counts):
            raise _no_rule(column)
    for column in () if roles.ordered else columns:  # half steps may be steps
        _refuse_scores(column, known)


def refuse_no_votes(column: Distinct, gold: Distinct | None, roles: Roles) -> None:
    """The same for the one column that holds the votes of all rules."""
    column = column.without(roles.abstain)
    known = _known(gold, roles)
    if not _are_listed(roles):
        refuse_joined_tags(column.counts)
    if _differ(column) and 2 * len({*map(spelling, column.counts)} - known) > len(column.counts):
        raise InvalidVotesError(
            f"votes must be classes; column {column.name!r} holds {column.n_values:,} different ones in "
            f"{column.n_filled:,} rows, such as {_example(column)}. If the votes are in another column, name it with ",
            Argument("label", "NAME"),
            "; if these are texts, extract the class from each first; if there are that many classes, list them with ",
            Argument("class_names", [...]),
            ".",
        )


def _are_listed(roles: Roles) -> bool:
    return roles.class_names is not None or roles.codes is not None


def _known(gold: Distinct | None, roles: Roles) -> set[str]:
    """Classes that are listed or that gold says, and values that have codes."""
    names = [*(() if roles.class_names is None else roles.class_names), *(roles.codes or ())]
    return {spelling(name) for name in (*names, *(() if gold is None else gold.counts))}


def _differ(column: Distinct) -> bool:
    """Whether most votes of a column are different, and it has enough of them to tell."""
    return column.n_filled >= LEAST_VOTES and 2 * column.n_values > column.n_filled


def _example(column: Distinct) -> str:
    return f"{column.example[:60]!r}"


def _no_rule(column: Distinct) -> InvalidVotesError:
    return InvalidVotesError(
        f"rules must vote for classes; column {column.name!r} holds {column.n_values:,} different values in "
        f"{column.n_filled:,} rows, such as {_example(column)}, most of them in no other column. If it is no rule, "
        "say ",
        Argument("ignore", [column.name]),
        "; if there are that many classes, list them with ",
        Argument("class_names", [...]),
        ".",
    )


def _refuse_scores(column: Distinct, known: set[str]) -> None:
    """Fractions in a column of numbers, unless they are names of classes."""
    if not are_numbers(column.counts):
        return
    scores = {text for text in column.counts if spelling(text) not in known and float(text) != np.floor(float(text))}
    if scores:
        rows = column.rows_of(scores)
        first, row = min(scores, key=float), ""
        if rows is not None and column.index is not None:
            first, row = list(column.counts)[column.index[rows[0]]], f" in row {rows[0]}, counting from 0"
        raise InvalidVotesError(
            f"votes must be whole class numbers, or -1 or empty for abstain; column {column.name!r} holds {first}{row} "
            f"({column.count(scores):,} such rows). If these are scores, say which class high ones speak for: ",
            Argument("scores", "CLASS"),
            "; if it is no rule, say ",
            Argument("ignore", [column.name]),
            ".",
        )


def refuse_joined_tags(entries: Iterable[str]) -> None:
    """Refuse cells with several tags, ``a|b``: all parts are values of other cells, or with ``|`` parts of them."""
    texts = {text.strip() for text in entries}
    for sign in _SEPARATORS:
        cells = {text: _parts(text, sign) for text in texts if sign in text}
        n_cells = Counter(part for parts in cells.values() for part in parts)
        known = texts | {part for part, n in n_cells.items() if n > 1 and sign == "|"}
        joined = sorted(text for text, parts in cells.items() if len(parts) > 1 and parts <= known)
        if joined:
            raise InvalidVotesError(
                f"a cell must hold one class; {joined[0]!r} looks like {len(cells[joined[0]])} tags joined by {sign!r} "
                f"({len(joined)} such values). To ask about each tag, yes or no, say ",
                Argument("tags", '"auto"'),
                InPython(" in read_tags"),
                "; if it is one class, list all classes with ",
                Argument("class_names", [...]),
                ".",
            )


def _parts(text: str, sign: str) -> set[str]:
    return {part.strip() for part in text.split(sign)} - {""}


def refuse_doubtful_classes(
    votes: CountedVotes, gold_ids: AnyArray, gold_labels: IntArray, listed: Sequence[str] = ()
) -> None:
    """Refuse classes that nobody listed and that are likely slips of the pen.

    Parameters
    ----------
    votes : CountedVotes
    gold_ids, gold_labels : ndarray of shape (n_gold,)
        Ids and class numbers of the gold items.
    listed : sequence of str
        Classes that gold lists, which are none.

    Notes
    -----
    This looks at gold labels before a model does, and refuses or passes all: no label is dropped or changed by it.
    """
    n_votes = votes.patterns.vote_table.sum(axis=0)
    n_gold = np.bincount(gold_labels, minlength=votes.n_classes)
    if votes.class_names[0] == 0 and not n_votes[0] + n_gold[0]:
        raise no_class_zero(np.flatnonzero(n_votes + n_gold).tolist())
    names = [name for name in votes.class_names if isinstance(name, str)]
    _refuse_twins(names, n_votes, n_gold)
    refuse_joined_tags(names)
    rare = n_gold < min(max(RARE_LABELS, RARE_SHARE * len(gold_labels)), _SMALL_SHARE * len(gold_labels))
    is_listed = np.array([str(name) in set(listed) for name in votes.class_names])
    doubtful = np.flatnonzero((n_votes == 0) & (n_gold > 0) & rare & ~is_listed)
    if len(doubtful):
        first = int(np.argmax(gold_labels == doubtful[0]))
        raise _no_vote(votes.class_names, int(doubtful[0]), n_votes, n_gold, gold_ids[first])


def _refuse_twins(names: Sequence[str], n_votes: IntArray, n_gold: IntArray) -> None:
    first: dict[str, int] = {}
    for place, name in enumerate(names):
        twin = first.setdefault(" ".join(name.split()).casefold(), place)
        if twin != place:
            counts = [f"{names[c]!r} ({n_votes[c]:,} votes, {n_gold[c]:,} gold labels)" for c in (twin, place)]
            raise InvalidVotesError(
                f"classes must differ by more than case and space; found {counts[0]} and {counts[1]}. Write both "
                "alike; if they are two classes, list all classes: ",
                _listing(names),
                ".",
            )


def _no_vote(
    names: Sequence[Hashable], place: int, n_votes: IntArray, n_gold: IntArray, gold_id: object
) -> InvalidLabelsError:
    name, voted = names[place], [str(other) for other, n in zip(names, n_votes, strict=True) if n]
    near = get_close_matches(str(name), voted, n=1) if isinstance(name, str) else []
    meant = f" Is {near[0]!r} meant?" if near else ""
    plain = gold_id.item() if isinstance(gold_id, np.generic) else gold_id
    return InvalidLabelsError(
        f"a class must be voted for, be common in gold, or be listed; no rule ever votes for {name!r}, which is "
        f"{n_gold[place]:,} of {n_gold.sum():,} gold labels (first of item {plain!r}).{meant} Correct the label; if it "
        "is a class, list all classes: ",
        _listing(names),
        ".",
    )


def _listing(names: Sequence[Hashable]) -> Argument:
    return Argument("class_names", list(names) if len(names) <= _MOST_LISTED else [...])

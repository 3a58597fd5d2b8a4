"""Scores in tables: ratings, probabilities or confidences, a column per judge or a row per score.

Specification
-------------
- That numbers are scores is said: ``scores`` names the class that high ones speak for, ``scores_are`` their kind. A
  table of numbers for which neither is said holds class numbers.
- Ids, gold labels and columns that are passed on are as for votes. Every other column is a judge's, or, for
  probabilities without ``scores``, that of a judge and a class, called by both: ``gpt:toxic``, ``gpt_toxic``.
- Confidences stand in a column beside the verdicts, ``gpt`` and ``gpt_confidence``, or in their cells: ``pass, 0.8``.
- Classes are those that are listed, or those of gold: two, unless each judge has a score for each class.
- Refused: texts, infinities, probabilities outside of 0 and 1 or that do not sum to 1, numbers that are the classes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import Argument, InvalidVotesError, Message
from thumbwise.io.classes import Classes, settle_classes
from thumbwise.io.distinct import Distinct, distinct_of, spelling
from thumbwise.io.doubts import LEAST_VOTES
from thumbwise.io.roles import Roles
from thumbwise.tables.frames import as_column
from thumbwise.tables.table_files import Table
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.reading.read_scores import read_scores, score_verdicts
from thumbwise.votes.reading.score_cells import ScoresAre, check_scores_are, split_confidences
from thumbwise.votes.scored_votes import ScoredVotes

# Votes for so many classes, where gold knows two, are likely ratings.
_MANY = 4


def read_scored(
    table: Table, judges: Sequence[str], ids: AnyArray, gold: Distinct | None, roles: Roles
) -> tuple[ScoredVotes, Classes]:
    """Scores of the judges with their verdicts, and the classes."""
    scores_are: ScoresAre = roles.scores_are or "ratings"
    check_scores_are(scores_are)
    _refuse_codes(roles)
    columns = {name: table.columns[name] for name in judges}
    if scores_are == "confidences":
        verdicts, confidences = split_confidences(columns)
        heard = [distinct_of(name, column) for name, column in verdicts.items()]
        classes = settle_classes(heard, gold, roles)
        array = np.column_stack([classes.code(column) for column in heard])
        return ScoredVotes.of(score_verdicts(array, confidences, classes.names), ids), classes
    classes = _settle_two(gold, roles)
    if scores_are == "ratings":
        _refuse_classes([distinct_of(name, column) for name, column in columns.items()], classes)
    high = None if roles.scores is None else _named(roles.scores, classes)
    return ScoredVotes.of(read_scores(columns, high, scores_are, classes.names, roles.threshold), ids), classes


def _settle_two(gold: Distinct | None, roles: Roles) -> Classes:
    """The classes that are listed, or those of gold, with the one that is named if it shows one: as if voted for."""
    counts = {} if gold is None else dict(gold.counts)
    if len({*map(spelling, counts)}) < 2 and roles.scores is not None:
        counts = {str(roles.scores): 1, **counts}
    if roles.class_names is None and len({*map(spelling, counts)}) < 2:
        raise InvalidVotesError(
            "scores need to know their classes; found ",
            f"{', '.join(map(repr, counts)) or 'none'}. Pass gold labels that show all of them, or list them with ",
            Argument("class_names", [...]),
            ".",
        )
    if roles.class_names is not None:
        counts = {str(name): 1 for name in roles.class_names}
    return settle_classes([Distinct("scores", counts, gold is None or gold.is_text)], gold, roles)


def _named(scores: object, classes: Classes) -> object:
    """The class that is meant: by its name, or by a value of gold that stands for it."""
    number = classes.numbers.get(str(scores))
    return scores if number is None else classes.names[number]


def _refuse_codes(roles: Roles) -> None:
    if roles.codes is not None or roles.abstain is not None:
        raise InvalidVotesError(
            "scores are read without ", Argument("codes"), " and ", Argument("abstain"), "; leave a cell empty instead."
        )


def _refuse_classes(columns: Sequence[Distinct], classes: Classes) -> None:
    """Refuse numbers that are all classes of gold."""
    known = {spelling(name) for name in classes.names}
    seen = {spelling(text) for column in columns for text in column.counts}
    if seen and seen <= known:
        raise InvalidVotesError(
            f"scores must be other numbers than the classes; all {len(columns)} columns hold nothing but "
            f"{', '.join(sorted(seen))}. These are votes: drop ",
            Argument("scores"),
            ".",
        )


def note_on_ratings(votes: CountedVotes, gold_labels: IntArray, roles: Roles) -> tuple[Message, ...]:
    """A note where votes are numbers of more classes than gold knows: they may be ratings."""
    shown = np.unique(gold_labels)
    are_numbers = all(isinstance(name, int) for name in votes.class_names) and roles.class_names is None
    if not are_numbers or roles.codes is not None or len(gold_labels) < LEAST_VOTES or len(shown) > 2:
        return ()
    n_voted = int((votes.patterns.vote_table.sum(axis=0) > 0).sum())
    if n_voted < _MANY:
        return ()
    return (
        Message(
            f"the votes are numbers of {n_voted} classes, and gold knows {len(shown)}: if they are ratings or scores, "
            "say which class high ones speak for: ",
            Argument("scores", "CLASS"),
        ),
    )


def as_wide(table: Table, names: tuple[str, str, str], roles: Roles) -> tuple[Table, list[str]]:
    """A table with a row per score as one with a column per judge, and the names of the judges."""
    item, rule, label = (table.columns[name] for name in names)
    for name, column in zip(names[:2], (item, rule), strict=True):
        if np.ma.getmaskarray(column).any():
            raise InvalidVotesError(f"each score must say whose it is, and of what; column {name!r} has empty cells.")
    items, judges = (list(dict.fromkeys(column.tolist())) for column in (item, rule))
    judges.sort(key=str)
    row_of, column_of = ({value: i for i, value in enumerate(values)} for values in (items, judges))
    cells: list[list[object]] = [[None] * len(items) for _ in judges]
    seen: set[tuple[int, int]] = set()
    for who, what, score in zip(rule.tolist(), item.tolist(), label.tolist(), strict=True):
        place = column_of[who], row_of[what]
        if place in seen and roles.duplicates == "raise":
            raise InvalidVotesError(
                f"a judge must score an item once; {who!r} scores {what!r} more than once. Keep the first or last: ",
                Argument("duplicates", '"first"'),
                ".",
            )
        if place not in seen or roles.duplicates == "last":
            cells[place[0]][place[1]] = score
        seen.add(place)
    columns = {names[0]: as_column(items), **{str(j): as_column(own) for j, own in zip(judges, cells, strict=True)}}
    return Table(columns), [str(judge) for judge in judges]


def refuse_elsewhere(roles: Roles) -> None:
    """Refuse scores of items that stay in files."""
    if roles.are_scores:
        raise InvalidVotesError(
            "scores are read into memory, because a score counts by its rank among all others; found many files. Put "
            "the scores into one file."
        )

"""Votes with several tags per item, from files and frames: the way in, one yes/no reading for each tag.

Specification
-------------
- A table with a row per item and a column per judge, whose cells are joined tags (``a|b``) or lists of them; the same
  with a row per vote; or, with a row per item, a column of truth values for each judge and tag (``gpt:spam``).
- Tags are those that are listed, or all that the votes name; gold that names another one is refused.
- A judge that names some tags says no to every other tag. What an empty cell means is asked for, unless ``[]``, 0 or a
  mark for "no tags" occurs: then it is an abstention.
- Gold comes as joined tags, as lists, or with a column of truth values for each tag.
- Each tag becomes a table of yes and no with the same items, judges, ids and passed-on columns, which is read as any
  other table is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, Literal

from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidFileError, InvalidLabelsError, InvalidVotesError
from thumbwise.io.distinct import distinct_of
from thumbwise.io.layouts import read_as_table
from thumbwise.io.readings import Reading
from thumbwise.io.roles import (
    Duplicates,
    Layout,
    Roles,
    check_roles,
    implied_layout,
    infer_layout,
    listed,
    long_columns,
    settle_id,
)
from thumbwise.io.sources import open_gold, open_source
from thumbwise.io.tag_cells import (
    EMPTY_MEANS,
    GOLD_EMPTY_MEANS,
    NO,
    YES,
    Grammar,
    Said,
    are_truths,
    cells_grammar,
    read_cells,
)
from thumbwise.io.tag_gold import read_tag_gold
from thumbwise.io.tag_names import SIGNS, note_left_out, settle_tags, split_names
from thumbwise.io.tag_roles import EmptyMeans, GoldEmptyMeans, TagRoles, check_listed
from thumbwise.io.tagged import TagReadings
from thumbwise.io.wide import rule_columns
from thumbwise.tables.formats import Columns
from thumbwise.tables.table_files import Table


def read_tags(
    source: Any,
    *,
    gold: Any = None,
    tags: Iterable[str] | Literal["auto"] = "auto",
    separator: str | None = None,
    no_tags: str | None = None,
    empty_means: EmptyMeans | None = None,
    gold_empty_means: GoldEmptyMeans | None = None,
    layout: Layout | None = None,
    item_id: str | None = None,
    rule: str | None = None,
    label: str | None = None,
    gold_column: str | None = None,
    gold_id: str | None = None,
    gold_label: str | None = None,
    ignore: Sequence[str] = (),
    abstain: str | None = None,
    duplicates: Duplicates = "raise",
) -> TagReadings:
    """Read votes that name several tags per item: a yes/no question for each tag, on the same items.

    The tags are settled by the list or by the votes before a gold label is looked at, so that one error can be shared
    among them. ``docs/tags.md`` has examples of every shape.

    Parameters
    ----------
    source : path, frame or mapping of columns
        Cells such as ``a|b``, lists, or a column of 0 and 1 for each judge and tag.
    gold : path, frame, mapping of ids to tags, or tags of each item in order, optional
        In one of the same shapes; a column for each tag is called by the tag.
    tags : iterable of str, or "auto"
        The tags to ask about, in order; "auto" for those that the votes name.
    separator : str, optional
        What stands between two tags. Absent: the one of ``|``, ``;`` and ``,`` that occurs.
    no_tags : str, optional
        A cell that means "none of the tags".
    empty_means : {"no-tags", "abstained"}, optional
        What an empty cell of the votes means; needed if there are some and nothing stands for "no tags".
    gold_empty_means : {"no-tags", "unknown"}, optional
        The same for gold.
    layout, item_id, rule, label, gold_column, gold_id, gold_label, ignore, abstain, duplicates
        As for :func:`read_votes`; ``layout`` is "wide" or "long".

    Returns
    -------
    TagReadings
        A reading for each tag.

    Examples
    --------
    >>> import pandas as pd
    >>> import thumbwise as tw
    >>> frame = pd.DataFrame({"id": ["q7", "q2"], "ann": [["joy", "fear"], []], "bob": [["joy"], None]})
    >>> print(tw.read_tags(frame, gold={"q7": ["joy"]}))
    TagReadings: 2 items, 2 tags: 'fear', 'joy'
    1 gold items
    a row per item, a column per judge
    ids are taken from column 'id'
    cells hold lists of tags
    an empty cell means abstained (1), as [] stands for no tags
    gold ids are taken from column 'id', gold labels from 'label'
    """
    said = TagRoles(
        None if tags in (None, "auto") else check_listed(tags),
        separator,
        no_tags,
        abstain,
        empty_means,
        gold_empty_means,
    )
    roles = Roles(
        layout=layout,
        item_id=item_id,
        rule=rule,
        label=label,
        gold_column=gold_column,
        gold_id=gold_id,
        gold_label=gold_label,
        ignore=tuple(ignore),
        duplicates=duplicates,
        tags=said,
    )
    return read_tagged(source, gold, roles)


def read_tagged(source: Any, gold: Any, roles: Roles) -> TagReadings:
    """:func:`read_tags` with what the user says gathered in one object, whose ``tags`` are there."""
    said = roles.tags or TagRoles()
    said = replace(said, abstain=roles.abstain or said.abstain)
    _check(said, gold, roles)
    table = open_source(source, roles.form)
    gold, roles = open_gold(gold, roles)
    votes = _read_votes(table, roles, said)
    in_names = tuple(dict.fromkeys(tag for own in (votes.judges or {}).values() for tag in own)) or None
    tags = settle_tags(votes.said, said.names or in_names)
    left_out = note_left_out(votes.said, tags, "the votes")
    labels = read_tag_gold(gold, votes.gold, tags, votes.grammar, votes.roles)
    readings: dict[str, Reading] = {}
    plain = replace(votes.roles, tags=None, abstain=None, class_names=(NO, YES), **labels.roles)
    for tag in tags:
        columns = {**votes.about(tag), **labels.columns(tag)}
        readings[tag] = read_as_table(Table(columns), labels.gold(tag), plain)
    common = (note for note in readings[tags[0]].notes if not note.startswith("no rule ever votes"))
    return TagReadings(
        readings, votes.grammar, (*table.notes, *votes.notes, *left_out, *labels.notes, *common), _frame_of(source)
    )


def _frame_of(source: Any) -> Any:
    return None if isinstance(source, (str, PathLike, Table, Mapping)) else source


def _check(said: TagRoles, gold: Any, roles: Roles) -> None:
    for argument, value, known in (
        ("empty_means", said.empty_means, EMPTY_MEANS),
        ("gold_empty_means", said.gold_empty_means, GOLD_EMPTY_MEANS),
    ):
        if value is not None and value not in known:
            raise InvalidChoiceError(
                Argument(argument), f" must be one of {', '.join(map(repr, known))}; found {value!r}."
            )
    if gold is not None and roles.gold_column is not None:
        raise InvalidLabelsError(
            "gold must come from one place; found both ",
            Argument("gold", "FILE"),
            " and ",
            Argument("gold_column", "NAME"),
            ". Drop one.",
        )
    for argument, given in (
        ("class_names", roles.class_names),
        ("codes", roles.codes),
        ("null_verdict", roles.null_verdict),
    ):
        if given is not None:
            raise InvalidChoiceError(
                "several tags per item are yes/no questions; found ",
                Argument(argument, ...),
                " besides. Drop it; tags are listed with ",
                Argument("tags", [...]),
                ".",
            )
    if roles.are_scores:
        raise InvalidChoiceError(
            "several tags per item are named, and not scored; found ",
            Argument("scores"),
            " besides. Drop it, or make a file of scores for each tag.",
        )


@dataclass(frozen=True, eq=False)
class _TagVotes:
    """Votes as cells of tags.

    Attributes
    ----------
    beside : mapping of str to Column
        Columns that every tag has: ids, who voted, what is passed on.
    said : mapping of str to Said
        What each column of the input says.
    judges : mapping of str to mapping of str to str, or None
        Columns of each judge by tag, if there is one for every tag.
    gold : mapping of str to Column
        Columns of the votes that hold gold labels.
    grammar : Grammar
    roles : Roles
        With layout and ids settled.
    notes : tuple of str
    """

    beside: Columns
    said: Mapping[str, Said]
    judges: Mapping[str, Mapping[str, str]] | None
    gold: Columns
    grammar: Grammar
    roles: Roles
    notes: tuple[str, ...]

    def about(self, tag: str) -> Columns:
        """The columns of the table of one tag."""
        if self.judges is None:
            return {**self.beside, **{name: column.about(tag) for name, column in self.said.items()}}
        own = {judge: self.said[names[tag]].about(tag) for judge, names in self.judges.items() if tag in names}
        return {**self.beside, **own}


def _read_votes(table: Table, roles: Roles, said: TagRoles) -> _TagVotes:
    if not table.n_rows:
        raise InvalidVotesError("the votes must hold at least one item; there is no row, or only names of columns.")
    gold = {name: table.columns[name] for name in _gold_names(table, roles)}
    rest = Table({name: column for name, column in table.columns.items() if name not in gold})
    roles = replace(roles, gold_column=None)
    check_roles(rest, roles, roles.item_id, roles.rule, roles.label)
    columns, roles, notes = _settle_columns(rest, roles)
    distinct = [distinct_of(name, rest.columns[name]) for name in columns]
    judges = None
    if roles.layout == "wide" and are_truths(distinct):
        judges, note = split_names(columns, said.names)
        grammar, notes = Grammar("columns", None, said), [note, *notes[1:]]
    else:
        grammar, note = cells_grammar(distinct, said)
        notes = [*notes, note]
    of_tag = {name: tag for own in (judges or {}).values() for tag, name in own.items()}
    found, more = read_cells([(name, rest.columns[name], of_tag.get(name)) for name in columns], grammar)
    beside = {name: column for name, column in rest.columns.items() if name not in columns}
    in_order = dict(zip(columns, found, strict=True))
    return _TagVotes(beside, in_order, judges, gold, grammar, roles, (*notes, *more))


def _settle_columns(table: Table, roles: Roles) -> tuple[list[str], Roles, list[str]]:
    """Columns whose cells hold tags, roles with layout and ids settled, and notes: the layout first."""
    layout = implied_layout(roles) if roles.layout is not None else infer_layout(table, roles)[0]
    if layout == "long":
        item, rule, label = long_columns(table, roles)
        settled = replace(roles, layout="long", item_id=item, rule=rule, label=label)
        return [label], settled, [f"a row per vote, by the columns {item!r}, {rule!r} and {label!r}"]
    if layout == "wide":
        id_name, note = settle_id(table, roles, is_needed=False)
        settled = replace(roles, layout="wide", item_id=id_name)
        notes = ["a row per item, a column per judge", *(() if note is None else (note,))]
        return rule_columns(table, id_name, roles), settled, notes
    raise InvalidChoiceError(
        "several tags per item are read from a table with a row per item or a row per vote; this one is read as ",
        Argument("layout", repr(layout)),
        ". If each row is what one judge says of one item, say ",
        Argument("layout", '"long"'),
        ".",
    )


def _gold_names(table: Table, roles: Roles) -> list[str]:
    """Columns of the votes that hold gold: the one that is named, or those called by that name and a tag."""
    name = roles.gold_column
    if name is None or name in table.columns:
        return [] if name is None else [name]
    own = [other for other in table.names if any(other.startswith(f"{name}{sign}") for sign in SIGNS)]
    if not own:
        raise InvalidFileError(f"the votes must have a column {name!r}; {listed(table)}")
    return own

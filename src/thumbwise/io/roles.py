"""Roles of the columns of a table of votes: what the user says, and what their names tell."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidFileError, Message
from thumbwise.io.tag_roles import TagRoles
from thumbwise.tables.coded import Coded
from thumbwise.tables.file_formats import FileFormat
from thumbwise.tables.table_files import Table
from thumbwise.votes.reading.score_cells import ScoresAre

Layout: TypeAlias = Literal[
    "wide",
    "long",
    "jury",
    "pairs",
    "wrench",
    "mat",
    "datasets",
    "promptfoo",
    "inspect",
    "langfuse",
    "label-studio",
    "mlflow",
    "prodigy",
]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
# Layouts that evaluation tools write; thumbwise.io.exports.formats says how they are read.
EXPORTS: tuple[Layout, ...] = LAYOUTS[7:]
Duplicates: TypeAlias = Literal["raise", "first", "last"]
NullVerdict: TypeAlias = Literal["abstained", "failed"]

ID_NAMES = ("id", "item", "item_id", "item id", "itemid", "uid", "__index_level_0__", "unnamed: 0", "")
ITEM_NAMES = ("item", "task", "item_id", "task_id", "question", "question_id")
RULE_NAMES = ("worker", "performer", "rule", "judge", "annotator", "rater", "worker_id", "annotator_id", "labeler")
JUDGE_NAMES = ("judge", "judge_name", "judge_model", "model")
LABEL_NAMES = ("label", "vote", "answer", "response", "verdict")
# What is noted of a table that is taken for the usual one.
WIDE = "a row per item, a column per rule"
GOLD_LABEL_NAMES = ("label", "gold", "class", "y", "truth")


@dataclass(frozen=True)
class Roles:
    """What the columns are and what the values mean, as far as the user says; the rest is inferred.

    Attributes
    ----------
    layout : str or None
        How votes are laid out, one of ``LAYOUTS``. Absent: as path and names of the columns or fields tell.
    item_id : str or None
        Column of ids. Absent: the one that is called ``id``, ``item``, ``item_id`` or the like.
    rule, label : str or None
        Columns of rules and of their votes, if the table has a row per vote.
    gold_column : str or None
        Column of the votes that holds gold labels.
    gold_id, gold_label : str or None
        Columns of the gold table. Absent: the column called like the ids of the votes, and the only other one.
    ignore : sequence of str
        Columns that are no rules, passed on to the output.
    class_names : sequence or None
        Classes in order.
    codes : mapping or None
        Class of each value, None for a value that means abstain, if votes are not coded as here.
    abstain : str or None
        A value that means abstain, besides an empty field (and -1 among numbers).
    duplicates : {"raise", "first", "last"}
        What to do when a rule votes on an item more than once, if the table has a row per vote.
    null_verdict : {"abstained", "failed"} or None
        What a judge's empty verdict means if the record does not say.
    listed : sequence of str
        Classes that gold lists: no slips of the pen, however rare they are.
    scores : class or None
        The class that high numbers speak for, if judges give scores and not votes.
    scores_are : {"ratings", "probabilities", "log-probabilities", "confidences"} or None
        What kind of scores they are. Absent: ratings if ``scores`` is there, otherwise none.
    threshold : float or None
        From which rating on a verdict is for that class. Absent: from each judge's own middle on.
    delimiter, encoding, decimal, sheet, file_format : str or None
        How the file of votes is written, and gold where its own file does not show it. Absent: as the file shows.
    strata, weights : str or None
        Column of the strata within which gold was drawn at random, or of weights: the inverse chances of being drawn.
    max_weight : float or None
        The largest weight that any item could have had. Absent: the largest in the column.
    ordered : bool
        Whether the classes are steps of a scale. Numbers are in order by themselves; words must be listed.
    cluster : str or None
        Column of clusters: rows of one cluster were drawn, and labeled, together. It is no rule, and passed on.
    tags : TagRoles or None
        What is said about tags, if cells hold several of them.
    systems : sequence of str or None
        The two columns of systems, if rows are comparisons; the first was shown first.
    gold_majority : bool
        Whether a gold item on which people disagree has the label of most of them, and otherwise a tie.
    """

    layout: Layout | None = None
    item_id: str | None = None
    rule: str | None = None
    label: str | None = None
    gold_column: str | None = None
    gold_id: str | None = None
    gold_label: str | None = None
    ignore: Sequence[str] = ()
    class_names: Sequence[Hashable] | None = None
    codes: Mapping[Any, Hashable | None] | None = None
    abstain: str | None = None
    duplicates: Duplicates = "raise"
    null_verdict: NullVerdict | None = None
    listed: Sequence[str] = ()
    scores: Hashable | None = None
    scores_are: ScoresAre | None = None
    threshold: float | None = None
    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    sheet: str | None = None
    file_format: str | None = None

    @property
    def form(self) -> FileFormat:
        """How the file of votes is written, as far as that is said."""
        return FileFormat(self.delimiter, self.encoding, self.decimal, self.sheet, self.file_format)

    strata: str | None = None
    weights: str | None = None
    max_weight: float | None = None
    ordered: bool = False
    cluster: str | None = None
    tags: TagRoles | None = None
    systems: Sequence[str] | None = None
    gold_majority: bool = False

    @property
    def are_scores(self) -> bool:
        """Whether columns hold scores, and not votes."""
        return self.scores is not None or self.scores_are is not None or self.threshold is not None


def implied_layout(roles: Roles) -> Layout | None:
    """The layout that is named, or the one that other arguments exist for; None if nothing tells."""
    names_votes = roles.rule is not None or roles.label is not None
    if roles.layout == "wide" and names_votes:
        raise InvalidChoiceError(
            "columns of rules and of votes are for tables with a row per vote; found ",
            Argument("layout", "'wide'"),
            " besides. Drop ",
            Argument("layout", "'wide'"),
            ", or ",
            Argument("rule", "NAME"),
            " and ",
            Argument("label", "NAME"),
            ".",
        )
    if roles.layout is not None:
        return roles.layout
    if roles.null_verdict is not None:
        return "jury"
    if roles.systems is not None or roles.gold_majority:
        return "pairs"
    return "long" if names_votes else None


def infer_layout(table: Table, roles: Roles) -> tuple[Layout, str]:
    """Wide, unless arguments or names speak of a row per vote; and why, in words."""
    implied = implied_layout(roles)
    if implied == "jury":
        return "jury", "a record per item and judge"
    if implied == "long":
        item, rule, label = long_columns(table, roles)
        return _row_per_vote("jury" if _is_jury(rule, label) else "long", item, rule, label)
    items = named_like(table, ITEM_NAMES)
    judges, verdicts = named_like(table, JUDGE_NAMES), named_like(table, ("verdict",))
    if judges and verdicts:
        items = items or named_like(table, ID_NAMES)
        if items and (judges[0].strip().lower() == "judge" or _repeats(table, items[0])):
            return _row_per_vote("jury", items[0], judges[0], verdicts[0])
    rules, labels = named_like(table, RULE_NAMES), named_like(table, LABEL_NAMES)
    if not (items and rules and labels):
        return "wide", WIDE
    if _repeats(table, items[0]):
        return _row_per_vote("long", items[0], rules[0], labels[0])
    raise unclear_layout(items[0], rules[0], labels[0], "and no id occurs twice")


def refuse_row_per_vote(table: Table, roles: Roles) -> None:
    """Refuse names that may be those of a table with a row per vote, where only a row per item can be read."""
    items, rules, labels = (named_like(table, names) for names in (ITEM_NAMES, RULE_NAMES, LABEL_NAMES))
    if roles.layout is None and items and rules and labels:
        raise unclear_layout(items[0], rules[0], labels[0], "and the items stay in their files")


def mend_repeated(names: Sequence[str], n_different: int, n_rows: int, item_id: str | None = None) -> str | Message:
    """What to do about ids that occur twice; if a quarter of the rows repeat one, each may be a vote, or an epoch."""
    if len(names) < 3 or 4 * n_different > 3 * n_rows:
        return "Drop the repeated rows."
    layout = "jury" if any(name.strip().lower() == "verdict" for name in names) else "long"
    return Message(
        "If each row is one vote, say ",
        Argument("layout", f'"{layout}"'),
        ", and name the column of who voted with ",
        Argument("rule", "NAME"),
        " and that of the votes with ",
        Argument("label", "NAME"),
        *(() if item_id is None else ("; if the rows of one id are items that belong together, such as epochs, say ",)),
        *(() if item_id is None else (Argument("cluster", repr(item_id)),)),
        "; otherwise drop the repeated rows.",
    )


def unclear_layout(item: str, rule: str, label: str, why: str) -> InvalidFileError:
    """The error for names that may be those of either layout."""
    return InvalidFileError(
        f"the layout must be clear; columns {item!r}, {rule!r} and {label!r} may be votes in rows (item, rule, label) "
        f"or ids and two rules, {why}. Say ",
        Argument("layout", '"long"'),
        " or ",
        Argument("layout", '"wide"'),
        ".",
    )


def _row_per_vote(layout: Layout, item: str, rule: str, label: str) -> tuple[Layout, str]:
    what = "a record per item and judge" if layout == "jury" else "a row per vote"
    return layout, f"{what}, by the columns {item!r}, {rule!r} and {label!r}"


def _repeats(table: Table, name: str) -> bool:
    column = table.coded(name)
    if isinstance(column, Coded):
        return len(column.values) + bool(column.missing.any()) < len(column)
    return len(set(column.tolist())) < len(column)


def _is_jury(rule: str, label: str) -> bool:
    """Verdicts are given by judges, unless who voted is called by a word for people."""
    return label.strip().lower() == "verdict" and rule.strip().lower() not in {*RULE_NAMES} - {*JUDGE_NAMES}


def long_columns(table: Table, roles: Roles) -> tuple[str, str, str]:
    """Names of the columns of items, rules and votes, if there is a row per vote."""
    items = ITEM_NAMES if named_like(table, ITEM_NAMES) else (*ITEM_NAMES, *ID_NAMES)
    item = settle_column(table, roles.item_id, items, "the items", "item_id")
    rules = RULE_NAMES if named_like(table, RULE_NAMES) else (*RULE_NAMES, *JUDGE_NAMES)
    rule = settle_column(table, roles.rule, rules, "who voted", "rule")
    return item, rule, settle_column(table, roles.label, LABEL_NAMES, "the votes", "label")


def named_like(table: Table, names: Iterable[str]) -> list[str]:
    """Columns that are called one of these names, whatever the case."""
    wanted = set(names)
    return [name for name in table.names if name.strip().lower() in wanted]


def check_roles(table: Table, roles: Roles, *names: str | None) -> None:
    """Columns that are named must exist, each in one role."""
    named = [name for name in (*names, roles.gold_column, *roles.ignore) if name is not None]
    unknown = [name for name in named if name not in table.columns]
    if unknown:
        raise InvalidFileError(f"the votes must have a column {unknown[0]!r}; {listed(table)}")
    twice = [name for j, name in enumerate(named) if name in named[:j]]
    if twice:
        raise InvalidFileError(f"a column must have one role; {twice[0]!r} is named for two. Name it once.")


def listed(table: Table) -> str:
    """The names of the columns, for a message."""
    more = f" and {len(table.names) - 20} more" if len(table.names) > 20 else ""
    return f"the columns are {', '.join(map(repr, table.names[:20])) or 'none'}{more}."


def settle_id(table: Table, roles: Roles, *, is_needed: bool) -> tuple[str | None, str | None]:
    """The column of ids, as named or as its name tells, and a note on it."""
    if roles.item_id is not None:
        return roles.item_id, None
    named = {roles.gold_column, *roles.ignore}
    likely = [name for name in named_like(table, ID_NAMES) if name not in named]
    if len(likely) > 1:
        raise InvalidFileError(
            f"one column must hold the ids; {len(likely)} may: {', '.join(map(repr, likely))}. Say which with ",
            Argument("item_id", "NAME"),
            ", and ",
            Argument("ignore", "[NAME]"),
            " for the others.",
        )
    if likely:
        return likely[0], f"ids are taken from column {likely[0]!r}"
    if is_needed:
        raise InvalidFileError(
            "the votes must have a column of ids, to be matched with those of the gold file; none is called 'id', "
            f"'item' or 'item_id', and {listed(table)} Say which it is with ",
            Argument("item_id", "NAME"),
            ".",
        )
    return None, "no column of ids: items are numbered from 0"


def settle_column(table: Table, named: str | None, names: Sequence[str], what: str, argument: str) -> str:
    """The one column for a role, as named or as its name tells."""
    if named is not None:
        return named
    likely = named_like(table, names)
    if len(likely) != 1:
        seen = f"{len(likely)} may: {', '.join(map(repr, likely))}" if likely else f"none does, and {listed(table)}"
        raise InvalidFileError(
            f"one column must hold {what}, called {', '.join(map(repr, names[:4]))} or the like; {seen} Say "
            "which with ",
            Argument(argument, "NAME"),
            ".",
        )
    return likely[0]

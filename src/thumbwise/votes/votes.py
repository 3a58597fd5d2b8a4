"""Votes: checked votes with item ids, rule names and class names, and their patterns."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy.typing as npt

from thumbwise.exceptions import Argument, InvalidVotesError
from thumbwise.votes.ordered_classes import check_ordered
from thumbwise.votes.reading.checked_votes import CheckedVotes
from thumbwise.votes.reading.codes import open_codes
from thumbwise.votes.reading.item_order import in_item_order
from thumbwise.votes.reading.long_votes import Duplicates, open_long
from thumbwise.votes.reading.read_votes import check_class_names
from thumbwise.votes.reading.sparse_votes import open_sparse
from thumbwise.votes.reading.wide_votes import open_wide


class Votes(CheckedVotes):
    """What every rule says about every item.

    ``Votes(...)`` takes one column per rule, :meth:`from_long` one row per vote, :meth:`from_sparse` what is stored of
    a table that is mostly empty.

    Parameters
    ----------
    data : array-like, frame or Votes, (n_items, n_rules)
        Numbers are classes ``0..n_classes-1`` with -1, None or NaN for an abstention; strings are class names with
        None or NaN for an abstention. A frame is any that narwhals reads eagerly: pandas, polars, PyArrow, Modin.
    n_classes : int, optional
        Declared number of classes; inferred from the largest vote if absent.
    class_names : sequence, optional
        Names of the classes in order. Given with strings, no other string may occur.
    rule_names : sequence of str, optional
        Column names of a frame, otherwise ``rule_0, rule_1, ...``.
    item_ids : array-like or str, optional
        Unique ids of the items, or the name of the frame's column that holds them. Absent: the frame's index if it has
        one of its own, otherwise positions.
    item_groups : array-like of shape (n_items,), optional
        Group of each item (a region, a source, ...), for moments that speak of groups. Models do not need them.
    abstain : str, optional
        A string that stands for an abstention, for votes that are strings.
    codes : mapping, optional
        For votes coded in another way: what stands in the votes (numbers or strings) to the name of the class, or to
        None for an abstention. Classes are in the order of the mapping; several values may stand for one class. Values
        are equal as in Python (1 is 1.0 and not "1"), but True and False are meant for votes that are booleans. Missing
        votes abstain. Takes the place of ``n_classes``, ``class_names`` and ``abstain``.
    ordered : bool
        Whether the classes are steps of a scale, such as ratings from 1 to 5, in the order of ``class_names``. Numbers
        are in order by themselves; words must be listed. Boxes, rates and tables of judges then use the order.
    copy : bool
        Whether to copy an array that could be used as it is. If not, it must not be changed afterwards.

    Attributes
    ----------
    n_items, n_rules, n_classes : int
    rule_names : tuple of str, of length n_rules
    class_names : tuple, of length n_classes
        The numbers 0, 1, ... if classes have no names.
    is_ordered : bool
    item_ids : ndarray of shape (n_items,)
        Positions if no ids were given.
    array : read-only ndarray of shape (n_items, n_rules)
        Class numbers, -1 where a rule abstains. If the votes are long ones, made when first asked for.
    patterns : Patterns
        Distinct rows and their counts, in an order that does not depend on the order of the items.
    inverse : ndarray of shape (n_items,)
        The pattern of each item: ``array`` is ``patterns.to_rows()[inverse]``.

    Notes
    -----
    *Guarantee*: none. Votes are what rules say, and nothing here asks whether they are right: no gold label is seen.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0, 1], [-1, 1], [0, 1]], rule_names=["short", "shouting"], class_names=["ham", "spam"])
    >>> votes
    Votes: 3 items x 2 rules, 2 patterns; classes 'ham', 'spam'; -1 = abstain (16.7 % of votes)
    >>> votes.patterns.to_rows()
    array([[-1,  1],
           [ 0,  1]], dtype=int32)
    >>> tw.Votes([[0, 1], [-1, 1]], codes={0: None, -1: "no", 1: "yes"})
    Votes: 2 items x 2 rules, 2 patterns; codes -1 = 'no', 1 = 'yes', 0 = abstain (25.0 % of votes)
    """

    def __init__(
        self,
        data: Any,
        *,
        n_classes: int | None = None,
        class_names: Sequence[Hashable] | None = None,
        rule_names: Sequence[str] | None = None,
        item_ids: npt.ArrayLike | str | None = None,
        item_groups: npt.ArrayLike | None = None,
        abstain: str | None = None,
        codes: Mapping[Any, Hashable] | None = None,
        ordered: bool = False,
        copy: bool = True,
    ) -> None:
        if isinstance(data, Votes):
            raise InvalidVotesError("data is already a Votes object; use it as it is, or pass its .array.")
        read = open_wide(
            data,
            **_declared(n_classes, class_names, rule_names, abstain, codes),
            item_ids=item_ids,
            copy=copy,
        )
        self._hold(read, in_item_order(item_groups, data, "groups"))
        self.is_ordered = ordered and check_ordered(
            self.class_names, is_listed=class_names is not None or codes is not None
        )

    @classmethod
    def from_long(
        cls,
        data: Any,
        *,
        item: str = "item",
        rule: str = "worker",
        label: str = "label",
        n_classes: int | None = None,
        class_names: Sequence[Hashable] | None = None,
        rule_names: Sequence[str] | None = None,
        item_ids: npt.ArrayLike | None = None,
        item_groups: npt.ArrayLike | None = None,
        abstain: str | None = None,
        codes: Mapping[Any, Hashable] | None = None,
        ordered: bool = False,
        duplicates: Duplicates = "raise",
    ) -> Votes:
        """Votes from one row per vote, as crowds and panels of judges give them; memory follows the number of votes.

        A pair of item and rule without a row is an abstention. A row with a missing label (-1, None, NaN) is one too,
        and keeps its item and its rule. Patterns, and so the answers of every model, are those of the same votes as a
        table.

        Parameters
        ----------
        data : frame, mapping, tuple of three columns, or rows of three values
            Columns are found by name in a frame or mapping, by position elsewhere: item, rule, label. A list of three
            is three rows, a tuple of three is three columns.
        item, rule, label : str
            Names of the columns. Items and rules are numbers, strings or anything hashable; labels are class numbers
            or class names, as in :class:`Votes`.
        n_classes, class_names, abstain, codes, ordered
            As in :class:`Votes`.
        rule_names : sequence of str, optional
            All rules in order, also those that never vote. Absent: the rules that occur, numbers by size and strings as
            people sort them (w2 before w10), so that the order of the rows plays no part. Names are strings.
        item_ids : array-like, optional
            All items in order, also those that nobody voted on. Absent: the items that occur, in the order of their
            first row. Ids stay what they are, numbers or strings.
        item_groups : array-like of shape (n_items,), optional
            Group of each item, in the order of ``item_ids``, which must then be given.
        duplicates : {"raise", "first", "last"}
            What to do when a rule votes on an item more than once: an error, or the label of the first or last row.

        Examples
        --------
        >>> import thumbwise as tw
        >>> rows = [("q7", "ann", "cat"), ("q7", "bob", "dog"), ("q2", "bob", "dog"), ("q9", "ann", None)]
        >>> votes = tw.Votes.from_long(rows)
        >>> votes
        Votes: 3 items x 2 rules, 3 patterns; classes 'cat', 'dog'; no row = abstain (50.0 % of votes)
        >>> votes.item_ids.tolist(), votes.rule_names, votes.array.tolist()
        (['q7', 'q2', 'q9'], ('ann', 'bob'), [[0, 1], [-1, 1], [-1, -1]])
        """
        if item_groups is not None and item_ids is None:
            raise InvalidVotesError(
                Argument("item_groups"),
                " needs ",
                Argument("item_ids"),
                ", which say in what order the groups are. Pass both.",
            )
        read = open_long(
            data,
            (item, rule, label),
            **_declared(n_classes, class_names, rule_names, abstain, codes),
            item_ids=item_ids,
            duplicates=duplicates,
        )
        votes = object.__new__(cls)._hold(read, item_groups)
        votes.is_ordered = ordered and check_ordered(
            votes.class_names, is_listed=class_names is not None or codes is not None
        )
        return votes

    @classmethod
    def from_sparse(
        cls,
        matrix: Any,
        *,
        first_class: int,
        shape: tuple[int, int] | None = None,
        rule_names: Sequence[str] | None = None,
        item_ids: npt.ArrayLike | None = None,
        class_names: Sequence[Hashable] | None = None,
        n_classes: int | None = None,
        ordered: bool = False,
    ) -> Votes:
        """Votes from the stored entries of a sparse table; what is not stored abstains, and no table is made.

        Parameters
        ----------
        matrix : SciPy sparse matrix or array of any format, or tuple of three arrays
            Items x rules. A tuple holds the positions of the items, those of the rules, and the votes. Several entries
            for one item and rule are an error, though SciPy would add them up.
        first_class : {0, 1}
            What cannot be seen in a sparse matrix, and so has no default. 0: stored numbers are classes 0, 1, ...;
            a stored zero is a vote for class 0, a stored -1 an abstention. 1: stored numbers are classes 1, 2, ...,
            which become the first, the second, ...; a stored zero is an error, since it may also mean that classes
            start at 0. Formats that are filled up with zeros (DIA, BSR) can hold classes from 1 only.
        shape : (n_items, n_rules)
            Needed with three arrays.
        rule_names, item_ids, class_names, n_classes, ordered
            As in :class:`Votes`, in the order of columns, rows and classes.

        Examples
        --------
        >>> import scipy.sparse as sp
        >>> import thumbwise as tw
        >>> stored = sp.csr_array([[2, 0, 0], [0, 1, 2]])  # 1 is ham, 2 is spam, and nothing else is stored
        >>> votes = tw.Votes.from_sparse(stored, first_class=1, class_names=["ham", "spam"])
        >>> votes
        Votes: 2 items x 3 rules, 2 patterns; classes 'ham', 'spam'; not stored = abstain (50.0 % of votes)
        >>> votes.array.tolist()
        [[1, -1, -1], [-1, 0, 1]]
        """
        read = open_sparse(
            matrix,
            first_class=first_class,
            shape=shape,
            rule_names=rule_names,
            item_ids=item_ids,
            class_names=check_class_names(class_names),
            n_classes=n_classes,
        )
        votes = object.__new__(cls)._hold(read)
        votes.is_ordered = ordered and check_ordered(votes.class_names, is_listed=class_names is not None)
        return votes


def _declared(
    n_classes: int | None,
    class_names: Sequence[Hashable] | None,
    rule_names: Sequence[str] | None,
    abstain: str | None,
    codes: Mapping[Any, Hashable] | None,
) -> dict[str, Any]:
    """What the user says of classes and rules, checked, as readers take it."""
    return {
        "n_classes": n_classes,
        "class_names": check_class_names(class_names),
        "rule_names": rule_names,
        "abstain": abstain,
        "codes": open_codes(codes, n_classes=n_classes, class_names=class_names, abstain=abstain),
    }

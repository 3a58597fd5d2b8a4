"""Order of the items for what is said of them: labels, weights, predictions that carry an index of their own.

pandas users expect two things that carry an index to be matched by it, and scikit-learn takes everything by position.
The rule here, wherever something is said of items, is the same and never guesses:

- Only one side has an index (an array, a polars column, Votes without ids): by position.
- Both have the same ids: by id. Votes have the ids that they were given, a frame has its index.
- The ids differ, and one side only counts its rows 0, 1, 2, ...: by position; such an index is no name of anything.
- The ids differ: an error.
"""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np

from thumbwise._typing import AnyArray
from thumbwise.exceptions import InvalidLabelsError
from thumbwise.tables.opened_frames import counts_rows
from thumbwise.votes.counted_votes import CountedVotes


def in_item_order(values: Any, items: Any, what: str = "labels") -> Any:
    """Values in the order of the items, as the rule above says; what has no index comes back as it is.

    Parameters
    ----------
    values : anything
        One value, or a row of them, per item.
    items : Votes, frame or array
        What the values are said of.
    what : str
        What the values are, for errors.
    """
    given, wanted = index_of(values), _ids_of(items)
    if given is None or wanted is None or np.array_equal(given, wanted):
        return values
    place = {value: i for i, value in enumerate(given.tolist())}
    order = [place.get(value, -1) for value in wanted.tolist()]
    if len(given) == len(place) == len(set(order)) == len(wanted) and -1 not in order:
        if isinstance(items, CountedVotes) and not items.has_ids:
            raise _cannot_tell(what)
        return nw.to_native(nw.from_native(values, allow_series=True)[order])
    if counts_rows(given) or counts_rows(wanted):
        return values
    raise _differ(given, wanted, what)


def index_of(values: Any) -> AnyArray | None:
    """The index of a pandas-like frame or column, also one that only counts the rows; None if there is none."""
    if isinstance(values, (np.ndarray, CountedVotes)):
        return None
    try:
        opened = nw.from_native(values, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError:  # whoever reads the columns will say so
        return None
    index = nw.maybe_get_index(opened) if isinstance(opened, (nw.DataFrame, nw.Series)) else None
    return None if index is None else np.asarray(index)


def _ids_of(items: Any) -> AnyArray | None:
    """Ids of votes in memory, positions if they have none; the index of a frame."""
    return getattr(items, "item_ids", None) if isinstance(items, CountedVotes) else index_of(items)


def _cannot_tell(what: str) -> InvalidLabelsError:
    return InvalidLabelsError(
        f"{what} must be in the order of the items, or have their ids; the index of the {what} is that of the rows in "
        f"another order, and the votes have no ids, so that it could mean either. Pass {what}.sort_index() if the "
        f"index counts the items, or {what}.to_numpy() if their order is meant."
    )


def _differ(given: AnyArray, wanted: AnyArray, what: str) -> InvalidLabelsError:
    known, named = set(wanted.tolist()), set(given.tolist())
    strange = [value for value in given.tolist() if value not in known]
    missing = [value for value in wanted.tolist() if value not in named]
    repeated = len(given) - len(named)
    parts = [f"{len(strange)} {what} are of no item, such as {strange[0]!r}"] if strange else []
    parts += [f"{len(missing)} items have none, such as {missing[0]!r}"] if missing else []
    parts += [f"{repeated} repeat an id"] if repeated else []
    return InvalidLabelsError(
        f"{what} with an index must have that of the {len(wanted)} items; of {len(given)} {what}, {', '.join(parts)}. "
        f"Pass {what}.reindex(ids) with the ids of the items, in their order, which leaves {what} of no item out and "
        f"makes the others missing; or {what}.to_numpy() if the order is meant and not the index."
    )

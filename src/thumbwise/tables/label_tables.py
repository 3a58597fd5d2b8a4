"""Tables of labels as this tool writes them, told from other tables by their columns."""

from __future__ import annotations

from collections.abc import Sequence

# Columns after the probabilities, in this order; those that were passed on come after them.
MORE_NAMES = ("margin", "entropy", "n_votes")


def is_label_table(names: Sequence[str]) -> bool:
    """Whether a table with these columns is one of labels that ``thumbwise label`` or ``write_labels`` wrote.

    Such a table has an id, ``label``, a column ``p_<class>`` for each of two or more classes, ``margin``, ``entropy``
    and ``n_votes``, in this order and perhaps followed by others; or it has the columns of one of the other shapes:
    ``task``, ``agg_label`` and two or more classes, or an id, ``pred``, ``prob_0``, ``prob_1``, ... Labels with several
    tags have an id, ``tags`` and ``p_<tag>`` for each tag, or an id, a column for each tag and then ``p_<tag>``.

    Examples
    --------
    >>> is_label_table(["id", "label", "p_ham", "p_spam", "margin", "entropy", "n_votes", "text"])
    True
    >>> is_label_table(["id", "label"])
    False
    >>> is_label_table(["id", "tags", "p_joy", "p_fear", "text"]), is_label_table(["id", "joy", "p_joy"])
    (True, True)
    """
    _, second, *rest = *names, "", ""
    tags = [name.removeprefix("p_") for name in names[2:] if name.startswith("p_")]
    if second == "tags" or second in tags:
        n_before = 2 if second == "tags" else 1 + len(tags)
        own = tuple(names[1:n_before]) in (("tags",), tuple(tags))
        return bool(tags) and own and list(names[n_before : n_before + len(tags)]) == [f"p_{tag}" for tag in tags]
    if second == "label":
        n_classes = next((j for j, name in enumerate(rest) if not name.startswith("p_")), len(rest))
        return n_classes >= 2 and tuple(rest[n_classes : n_classes + len(MORE_NAMES)]) == MORE_NAMES
    classes = list(names[2:])
    if second == "pred":
        return len(classes) >= 2 and classes == [f"prob_{c}" for c in range(len(classes))]
    return tuple(names[:2]) == ("task", "agg_label") and len(classes) >= 2

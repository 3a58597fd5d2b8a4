"""Guaranteed accuracy of labels, in all and by class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thumbwise.assess.tables.tidy import Tidy

if TYPE_CHECKING:
    from thumbwise.game.certificate import Certificate

# With more classes than these, nobody waits for programs for each of them.
MOST_CLASSES = 20


def accuracy_table(certificate: Certificate) -> Tidy:
    """One row per class: the items that get it, and how many of them, and of those that should, are right at least.

    *Guarantee*: all numbers of the table hold at once, at the level of the certificate; not jointly with its bound on
    the log loss. With more than 20 classes there are no rows.

    Parameters
    ----------
    certificate : Certificate

    Returns
    -------
    Tidy
        Columns ``class``, ``n_labeled``, ``precision_at_least`` (None where no item gets the class) and
        ``recall_at_least``, over items without a known label; facts ``accuracy_at_least``, ``accuracy_at_least_all``,
        ``expected``, ``guessing``, ``n_items``, ``n_classes`` and ``is_guarantee``. A model that was read from a file
        has no rows, and if the file is old, only None.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0], [1], [1], [0]], rule_names=["a"], class_names=["ham", "spam"])
    >>> model = tw.BalsubramaniFreund().fit(votes, box=tw.Box.from_bounds(votes, {"a": (0.75, 1)}))
    >>> for row in accuracy_table(model.certificate_).rows():
    ...     print(row["class"], row["n_labeled"], round(row["precision_at_least"], 3), round(row["recall_at_least"], 3))
    ham 2 0.5 0.667
    spam 2 0.5 0.667
    """
    proof = certificate.accuracy
    rows = () if proof is None or certificate.n_classes > MOST_CLASSES else proof.classes or ()
    return Tidy.of(
        {
            "class": [row.class_name for row in rows],
            "n_labeled": [row.n_labeled for row in rows],
            "precision_at_least": [row.precision_at_least for row in rows],
            "recall_at_least": [row.recall_at_least for row in rows],
        },
        accuracy_at_least=None if proof is None else proof.accuracy_at_least,
        accuracy_at_least_all=None if proof is None else proof.accuracy_at_least_all,
        expected=None if proof is None else proof.expected,
        guessing=None if proof is None else proof.baseline,
        n_items=certificate.n_open,
        n_classes=certificate.n_classes,
        is_guarantee=certificate.is_guarantee,
    )

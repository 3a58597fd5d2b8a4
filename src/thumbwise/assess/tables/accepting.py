"""Labels that may be accepted, by how precise they must be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thumbwise.assess.tables.tidy import Tidy

if TYPE_CHECKING:
    from thumbwise.assess.accepting.result import Triage


def accepted_table(triage: Triage) -> Tidy:
    """One row per precision: how many labels can be accepted, all rows at once.

    The precisions are .7, .8, .85, .9, .95, .98 and .99, settled before any gold label is seen;
    :meth:`thumbwise.assess.accepting.result.Triage.curve` takes others. The rows share the error, so that a row may be
    chosen after looking; a precision that was asked of :func:`thumbwise.triage` has the whole error for itself.

    *Guarantee*: with the confidence level, the labels that a row accepts are right at least as often as it says, in all
    rows at once, if gold is a plain random sample. Estimates are none.

    Parameters
    ----------
    triage : Triage
        From :func:`thumbwise.triage`, whatever was asked of it.

    Returns
    -------
    Tidy
        Columns ``precision``, ``accepted`` (share of all labels), ``n_accepted``, ``n_review`` (items that are neither
        accepted nor known to be gold), ``estimate`` (of the precision, on the gold items that certify; None where there
        are none), ``threshold`` (how sure a label must be), ``n_gold`` and ``n_wrong`` (certifying gold items in the
        set, and the wrong ones of them); facts ``confidence_level``, ``is_guarantee``, ``n_items``, ``n_gold`` and
        ``n_certifying``.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> made = tw.datasets.make_one_coin(5000, [0.9, 0.85, 0.8, 0.75, 0.7], random_state=4)
    >>> y = np.where(np.arange(5000) < 300, made.labels, -1)
    >>> for row in accepted_table(tw.triage(made.votes, y, precision=0.95)).rows():
    ...     print(row["precision"], row["n_accepted"], f"{row['n_wrong']} wrong of {row['n_gold']}")
    0.7 5000 18 wrong of 240
    0.8 5000 18 wrong of 240
    0.85 5000 18 wrong of 240
    0.9 4902 12 wrong of 229
    0.95 4008 2 wrong of 186
    0.98 0 0 wrong of 0
    0.99 0 0 wrong of 0
    """
    return triage.curve()

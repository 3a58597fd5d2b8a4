"""Labels that may be accepted: the curve of a report, what may be said of it, and what more gold labels would move."""

from __future__ import annotations

import math
from dataclasses import dataclass

from thumbwise.assess.planned_triage import plan_triage
from thumbwise.assess.tables.accepting import accepted_table
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.assess.triage import triage
from thumbwise.box.opened_gold import open_gold
from thumbwise.io.readings import Reading
from thumbwise.models.balsubramani_freund import BalsubramaniFreund
from thumbwise.outward import percent, round_up

# More gold labels are planned for the first precision from here on at which some labels are not accepted yet.
_PLANNED_FROM = 0.9


@dataclass(frozen=True, eq=False)
class Accepting:
    """What a report says about labels that may be accepted.

    Attributes
    ----------
    table : Tidy
        From :func:`thumbwise.assess.tables.accepted_table`.
    claim : str
        What is guaranteed of all rows together, as a sentence.
    outlook : str
        What more gold labels would move, as a sentence; empty if all can be accepted.
    row_level : float
        Confidence of each row alone, rounded up: who chooses a row after looking asks for it at this level.
    """

    table: Tidy
    claim: str
    outlook: str
    row_level: float


def accepting_for_report(
    reading: Reading, model: BalsubramaniFreund, confidence_level: float
) -> tuple[Accepting | None, str]:
    """How many labels may be accepted at several precisions, all at once; or None, and why it is left out.

    The precisions are settled before gold labels are seen, and so is the part of gold that teaches the ranking.
    """
    missing = _why_missing(reading, model)
    if missing is not None:
        return None, f"Left out: {missing}."
    sorted_out = triage(reading, budget=0, confidence_level=confidence_level)
    table = accepted_table(sorted_out)
    claim = "the labels that a row accepts are right at least as often as it says, in all rows at once"
    row_level = 1 - (1 - confidence_level) / len(table)
    return Accepting(
        table, sorted_out.evidence.state(claim), _outlook(reading, table, row_level), _rounded(row_level)
    ), ""


def _rounded(confidence: float) -> float:
    """A level in few digits, never below what it is, and below 1."""
    return round_up(confidence, 2 - math.floor(math.log10(1 - confidence)))


def _why_missing(reading: Reading, model: BalsubramaniFreund) -> str | None:
    n_gold, n_items = len(reading.gold_labels), reading.votes.n_items
    if not n_gold:
        return "there are no gold labels"
    if reading.gold_is == "subset" and n_gold == n_items:
        return "every item has a gold label"
    design = (model.box_.gold or open_gold(reading, None, None, None)).design
    if design.is_plain:
        return None
    return f"it needs gold that is a plain random sample; {design.assumption(n_gold, n_items)}"


def _outlook(reading: Reading, table: Tidy, row_level: float) -> str:
    """In a sentence, for one row at its own level, so that its share of now is that of the table."""
    rows = (row for row in table.rows() if row["precision"] >= _PLANNED_FROM and row["accepted"] < 1)
    row = next(rows, None)
    if row is None:
        return ""
    planned = plan_triage(reading, precision=row["precision"], confidence_level=row_level)
    now = f"At {percent(row['precision'])} precision {percent(row['accepted'])} of the labels are accepted now"
    if planned.gain is None or planned.gain.accepted <= row["accepted"]:
        last = planned.rows[-1].n_gold
        return f"{now}; up to {last:,} gold labels are not expected to let more be accepted. A plan is no guarantee."
    then, most = planned.gain.accepted, max(planned.most, planned.gain.accepted)
    return (
        f"{now}; about {planned.gain.n_gold:,} gold labels would let about {percent(then)} be accepted, and no number "
        f"more than about {percent(most)}. A plan is no guarantee."
    )

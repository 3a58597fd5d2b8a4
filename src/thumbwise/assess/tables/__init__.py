"""Tidy tables of what a fit says, which the terminal and reports print and plots draw: pure functions, no drawing.

A table has one home here, and every view of it takes its columns: what ``thumbwise label`` prints, the report, the
checks and :mod:`thumbwise.display.plots`. ``table.frame()`` has the numbers, as pandas and polars take them.
"""

from __future__ import annotations

from thumbwise.assess.tables.accepting import accepted_table
from thumbwise.assess.tables.accuracy import accuracy_table
from thumbwise.assess.tables.bounds import certificate_table, frontier_table, parts_table, plan_table
from thumbwise.assess.tables.classes import classes_table, overruled_table
from thumbwise.assess.tables.items import least_certain, most_contested
from thumbwise.assess.tables.opinions import opinions_table
from thumbwise.assess.tables.pairs import agreement_table, errors_table
from thumbwise.assess.tables.probabilities import confidence_table, reliability_table
from thumbwise.assess.tables.rules import rules_table, worse_than_chance
from thumbwise.assess.tables.steps import steps_table
from thumbwise.assess.tables.tidy import Tidy

__all__ = [
    "Tidy",
    "accepted_table",
    "accuracy_table",
    "agreement_table",
    "certificate_table",
    "classes_table",
    "confidence_table",
    "errors_table",
    "frontier_table",
    "least_certain",
    "most_contested",
    "opinions_table",
    "overruled_table",
    "parts_table",
    "plan_table",
    "reliability_table",
    "rules_table",
    "steps_table",
    "worse_than_chance",
]

"""Contents in, one HTML page out."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from hashlib import sha256
from importlib.resources import files
from typing import Any

import numpy as np

from thumbwise.assess.tables.accuracy import MOST_CLASSES as MOST_CLASSES_PROVED
from thumbwise.assess.tables.pairs import square
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.display.report.charts import (
    accepted_chart,
    accuracy_chart,
    certificate_chart,
    confidence_chart,
    dot_plot,
    frontier_chart,
    plan_chart,
    reliability_chart,
)
from thumbwise.display.report.contents import MOST_CLASSES, MOST_DOTS, MOST_RULES, Contents
from thumbwise.display.report.heat import heat_map
from thumbwise.display.report.markup import Markup
from thumbwise.exceptions import MissingPackageError
from thumbwise.outward import level, percent, percent_at_least
from thumbwise.summaries import (
    NOTHING,
    caution_sentence,
    fixed,
    lower_end,
    one_line,
    parts_sentence,
    plural,
    side,
    signed,
    upper_end,
    whole,
)

# Letters of rule names that a page holds in all, and of one text of an item; markup may take five times as many.
_ALL_NAMES, _LONGEST_NAME, _SHORTEST_NAME = 200_000, 10_000, 200
_LONGEST_TEXT, _LONGEST_SENTENCE = 1_000, 3_000
_SHORT = 120
_SHOWN_PAIRS = 10
# Gold items that two rules must share for the correlation of their errors to be shown.
FEWEST_SHARED = 10
_ITEM_COLUMNS = ("item", "label", "probability", "n_votes", "n_against", "votes")


_FILTERS: Mapping[str, Callable[..., str]] = {
    "short": lambda value: one_line(value, _SHORT),
    "text": lambda value: "" if value is None else one_line(value, _LONGEST_TEXT),
    "sentence": lambda value: one_line(value, _LONGEST_SENTENCE),
    "fixed": fixed,
    "signed": signed,
    "whole": whole,
    "at_least": lower_end,
    "at_most": upper_end,
    "side": side,
    "level": level,
    "per_cent": lambda value: NOTHING if value is None else percent_at_least(value).replace(" ", "\u00a0"),
    "about": lambda value: NOTHING if value is None else percent(value).replace(" ", "\u00a0"),
}


def load_jinja() -> Any:
    """Jinja2, or an error that says how to get it."""
    try:
        import jinja2  # noqa: PLC0415  # an extra: only reports need it
    except ImportError as error:
        raise MissingPackageError(
            "a report needs Jinja2, which is not installed. Run: pip install 'thumbwise[report]'"
        ) from error
    return jinja2


def render(contents: Contents) -> str:
    """The page, with its style and its script in it, and a policy that allows these two and nothing else."""
    jinja2 = load_jinja()
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    longest = max(_SHORTEST_NAME, min(_LONGEST_NAME, _ALL_NAMES // max(1, contents.sizes["rule"])))
    environment.filters |= {**_FILTERS, "name": lambda value: one_line(value, longest)}
    style, script = _resource("page.css"), _resource("page.js")
    page = environment.from_string(_resource("page.html.jinja")).render(
        c=contents,
        plural=plural,
        caution_sentence=caution_sentence,
        parts_sentence=parts_sentence,
        style=Markup(style),
        script=Markup(script),
        policy=_policy(style, script),
        charts=_charts(contents),
        shown_classes=contents.classes.take(range(min(len(contents.classes), MOST_CLASSES))),
        shown_rules=_first_by(contents.rules, "coverage", MOST_RULES),
        agreeing=_pairs(contents.agreement, "agreement", contents.mapped),
        erring=[] if contents.errors is None else _pairs(_well_known(contents.errors), "correlation", contents.mapped),
        fewest_shared=FEWEST_SHARED,
        most_accurate_classes=MOST_CLASSES_PROVED,
        extra_columns=[name for name in contents.least_certain.columns if name not in _ITEM_COLUMNS],
    )
    return str(page)


def _resource(name: str) -> str:
    return (files("thumbwise.display.report") / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """A content security policy; the hashes are those of what stands between the tags."""
    hashes = [b64encode(sha256(content.encode()).digest()).decode() for content in (style, script)]
    return (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _charts(contents: Contents) -> Mapping[str, Markup]:
    known = _known_intervals(contents.rules)
    drawn = {"accuracy": accuracy_chart(contents.accuracy)} if contents.has_accuracy else {}
    drawn |= {
        "certificate": certificate_chart(contents.certificate_levels),
        "confidences": confidence_chart(contents.confidences),
    }
    if len(known):
        drawn["dots"] = dot_plot(_first_by(known, "coverage", MOST_DOTS))
    if contents.reliability is not None:
        drawn["reliability"] = reliability_chart(contents.reliability)
    if contents.frontier is not None:
        drawn["frontier"] = frontier_chart(contents.frontier)
    if contents.accepting is not None:
        drawn["accepted"] = accepted_chart(contents.accepting.table)
    if contents.planned is not None:
        drawn["plan"] = plan_chart(contents.planned)
    return drawn | _heat_maps(contents)


def _heat_maps(contents: Contents) -> dict[str, Markup]:
    n_rules = len(contents.mapped)
    if n_rules < 2:
        return {}
    matrix = square(contents.agreement, "agreement", n_rules)
    about = f"{n_rules} rules by {n_rules} rules, like ones side by side; the table below lists the strongest pairs."
    drawn = {"agreement": heat_map("agreement", matrix, contents.mapped, "How often two rules agree", about)}
    if contents.errors is not None:
        matrix = square(_well_known(contents.errors), "correlation", n_rules)
        title = "Do two rules err together?"
        drawn["errors"] = heat_map("correlation", matrix, contents.mapped, title, about)
    return drawn


def _known_intervals(rules: Tidy) -> Tidy:
    return rules.take([i for i, low in enumerate(rules["lower"]) if low is not None])


def _first_by(rules: Tidy, column: str, most: int) -> Tidy:
    """The rows with the largest values, in their own order."""
    largest = np.argsort(-np.array(rules[column], dtype=float), kind="stable")[:most]
    return rules.take(np.sort(largest).tolist())


def _well_known(errors: Tidy) -> Tidy:
    """Correlations of errors on enough shared gold items; a handful of items often shows 1 or -1 by chance."""
    enough = zip(errors["correlation"], errors["n_shared"], strict=True)
    known = [value if n >= FEWEST_SHARED else None for value, n in enough]
    return Tidy.of({**errors.columns, "correlation": known})


def _pairs(table: Tidy, column: str, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """The pairs with the largest values that are known."""
    rows = sorted((row for row in table.rows() if row[column] is not None), key=lambda row: -row[column])
    return [
        {"first": names[row["first"]], "second": names[row["second"]], "value": row[column], "n": row["n_shared"]}
        for row in rows[:_SHOWN_PAIRS]
    ]

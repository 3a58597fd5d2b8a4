"""Tables in, pictures out. Colours are classes, which the style gives a meaning in light and in dark."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from thumbwise.assess.tables.rules import against_chance
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.display.report.axes import WIDTH, Scale, axis_below, axis_left, dot, line, path, picture, text
from thumbwise.display.report.markup import Markup, tag
from thumbwise.outward import at_most, between, percent, percent_at_least
from thumbwise.summaries import level_name, level_value, one_line

_ROW = 18
_LEFT = 46


def accuracy_chart(table: Tidy) -> Markup:
    """How many labels are right: guaranteed, expected, and with one label for all, as bars on one axis."""
    facts = table.facts
    rows = [
        ("guaranteed", facts["accuracy_at_least"], f"at least {percent_at_least(facts['accuracy_at_least'])}"),
        ("expected", facts["expected"], percent(facts["expected"])),
        ("guessing", facts["guessing"], f"at least {percent_at_least(facts['guessing'])}"),
    ]
    rows[0] = rows[0] if facts["is_guarantee"] else ("no guarantee", *rows[0][1:])
    bottom = 8 + 42 * len(rows)
    scale = Scale(0, 100, 12, WIDTH - 12)
    parts = [axis_below(scale, bottom, "right labels in per cent, of the items without a gold label", top=4)]
    for i, (name, share, value) in enumerate(rows):
        parts.append(_bar(name, 100 * share, value, scale, 8 + 42 * i))
    told = "; ".join(f"{name} {value}" for name, _, value in rows)
    about = f"Labels that are right, of the items without a gold label: {told}."
    return picture("accuracy", "How many labels are right", about, bottom + 36, *parts)


def _bar(name: str, value: float, told: str, scale: Scale, y: float) -> Markup:
    """A bar from 0, and above it what it stands for."""
    start, style = scale(0), f"share {name.replace(' ', '-')}"
    title = tag("title", f"{name}: {told}")
    return tag(
        "g",
        text(f"{name} {told}", start + 2, y + 11, "start", "value"),
        tag("rect", title, x=start, y=y + 17, width=scale(value) - start, height=14, class_=style),
    )


def certificate_chart(levels: Tidy) -> Markup:
    """Guessing, the bound, the entropy and the floor on one axis, each with its own line of text."""
    rows = list(levels.rows())
    top = max(row["log_loss"] for row in rows)
    scale = Scale(0, 1.05 * top or 1.0, 12, WIDTH - 12)
    bottom = 26 + 30 * len(rows)
    parts = [axis_below(scale, bottom, "mean log loss in nats on the items without a gold label; less is better")]
    for i, row in enumerate(rows):
        x, y = scale(row["log_loss"]), 22 + 30 * i
        level = _level(row)
        side = ("end", x - 9) if x > WIDTH / 2 else ("start", x + 9)
        parts += [line(x, y, x, bottom, f"drop {row['what']}"), dot(x, y, f"mark {row['what']}", level, 6.0)]
        parts.append(text(level, side[1], y + 4, side[0], "value"))
    levels_told = "; ".join(_level(row) for row in rows)
    return picture(
        "certificate",
        "The bound on one axis",
        f"Mean log loss in nats on the items without a gold label: {levels_told}.",
        bottom + 36,
        *parts,
    )


def _level(row: dict[str, Any]) -> str:
    return f"{level_name(row['what'])} {level_value(row['what'], row['log_loss'])}"


def dot_plot(rules: Tidy) -> Markup:
    """Each rule's accuracy on gold with its interval, against guessing."""
    rows = sorted(rules.rows(), key=lambda row: -(row["lower"] + row["upper"]))
    left, bottom = 150, 12 + _ROW * len(rows)
    scale = Scale(0, 1, left, WIDTH - 12)
    chance = float(rules.facts["chance"])
    parts = [axis_below(scale, bottom, "accuracy", top=4), line(scale(chance), 4, scale(chance), bottom, "chance")]
    below = 0
    for i, row in enumerate(rows):
        kind = against_chance(row["lower"], row["upper"], chance)
        below += kind == "worse"
        parts.append(_interval(row, scale, 12 + _ROW * i, kind))
    parts.append(text(f"guessing {chance:.2g}", scale(chance), bottom + 44, "middle", "name"))
    description = f"{len(rows)} rules, the most accurate first; {below} lie wholly below guessing at {chance:.3g}."
    return picture("dots", "Accuracy of each rule with its interval", description, bottom + 52, *parts)


def _interval(row: dict[str, Any], scale: Scale, y: float, kind: str) -> Markup:
    low, high, accuracy = (row[name] for name in ("lower", "upper", "gold_accuracy"))
    name = one_line(row["rule"], 18)
    observed = "no gold votes" if accuracy is None else f"{accuracy:.3f} on gold"
    tooltip = f"{one_line(row['rule'], 80)}: {observed}, interval {between(low, high)}"
    parts = [text(name, 144, y + 4, "end"), line(scale(low), y, scale(high), y, f"interval {kind}")]
    if accuracy is not None:
        parts.append(dot(scale(accuracy), y, f"mark {kind}", tooltip, 4.0))
    return tag("g", *parts)


def confidence_chart(table: Tidy) -> Markup:
    """How many items have a largest probability in each bin."""
    rows = list(table.rows())
    most = max([*table["n_items"], 1])
    across, up = Scale(rows[0]["lower"], 1, _LEFT, WIDTH - 12), Scale(0, most, 200, 30)
    parts = [
        axis_below(across, 200, "probability of the most probable class"),
        axis_left(up, _LEFT, "items", WIDTH - 12),
    ]
    for row in rows:
        x, y = across(row["lower"]), up(row["n_items"])
        width = across(row["upper"]) - x - 1
        tooltip = f"{row['n_items']:,} items between {row['lower']:.3f} and {row['upper']:.3f}"
        parts.append(tag("rect", tag("title", tooltip), x=x, y=y, width=width, height=200 - y, class_="bar"))
    mean = table.facts["mean"]
    about = "There are no items." if mean is None else f"On average {mean:.3f}."
    return picture(
        "confidences", "How sure the predictions are", f"{sum(table['n_items']):,} items. {about}", 236, *parts
    )


def reliability_chart(table: Tidy) -> Markup:
    """How often predictions are right against how sure they are; on the diagonal they are honest."""
    rows = list(table.rows())
    low = min([0.5, *table["lower"]])
    across, up = Scale(low, 1, _LEFT, WIDTH - 12), Scale(0, 1, 260, 30)
    parts = [
        axis_below(across, 260, "how sure, on average", top=30),
        axis_left(up, _LEFT, "how often right", WIDTH - 12),
    ]
    parts.append(line(across(low), up(low), across(1), up(1), "chance"))
    for row in rows:
        x = across(row["confidence"])
        tooltip = (
            f"{row['n_items']:,} items, sure {row['confidence']:.3f}, right {row['accuracy']:.3f} "
            f"({between(row['accuracy_lower'], row['accuracy_upper'])})"
        )
        parts += [line(x, up(row["accuracy_lower"]), x, up(row["accuracy_upper"]), "interval better")]
        parts.append(dot(x, up(row["accuracy"]), "mark better", tooltip))
    about = "Share of right predictions on held-out gold in bins of their probability; the table below has the numbers."
    return picture("reliability", "Are predictions right as often as they say?", about, 296, *parts)


def plan_chart(table: Tidy) -> Markup:
    """The planned bound against the number of gold labels, with the floor and guessing."""
    sizes, bounds = table["n_gold"], table["planned_bound"]
    floor, guessing = table.facts["floor"], table.facts["guessing"]
    across = Scale(sizes[0], max(sizes[-1], sizes[0] + 1), _LEFT, WIDTH - 16, math.log)
    up = Scale(0, 1.05 * max([guessing, *bounds]), 200, 30)
    points = [(across(n), up(bound)) for n, bound in zip(sizes, bounds, strict=True)]
    parts = [axis_below(across, 200, "gold labels (each step doubles them)", _doublings(sizes), top=30)]
    parts.append(axis_left(up, _LEFT, "bound", WIDTH - 16))
    for name, value in (("guessing", guessing), ("floor", floor)):
        y = up(value)
        parts += [
            line(_LEFT, y, WIDTH - 16, y, f"level {name}"),
            text(f"{name} {value:.3f}", WIDTH - 18, y - 5, "end", "value"),
        ]
    parts.append(path(points, "curve"))
    for n, bound, (x, y) in zip(sizes, bounds, points, strict=True):
        parts.append(dot(x, y, "mark bound", f"{n:,} gold labels: {at_most(bound)}", 3.0))
    description = (
        f"From {at_most(bounds[0])} with {sizes[0]:,} gold labels to {at_most(bounds[-1])} with {sizes[-1]:,}; "
        f"floor {floor:.3f}."
    )
    return picture("plan", "Planned bound against number of gold labels", description, 236, *parts)


def _doublings(sizes: tuple[int, ...]) -> list[float]:
    """At most six sizes, the first among them, each twice (or four times ...) the one before."""
    n = int(math.log2(sizes[-1] / sizes[0])) if sizes[-1] > sizes[0] else 0
    step = max(1, math.ceil((n + 1) / 6))
    return [sizes[0] * 2.0**i for i in range(0, n + 1, step)]


def frontier_chart(table: Tidy) -> Markup:
    """Bound and expected log loss by caution, from 1 to the left to a regression on the right."""
    rows = list(table.rows())
    top = max([*table["bound"], *table["log_loss"]])
    across, up = Scale(1, 0, _LEFT, WIDTH - 30), Scale(0, 1.05 * top or 1.0, 200, 30)
    parts = [
        axis_below(across, 200, "caution; to the right, less of it, and last the regression", _CAUTION_TICKS, top=30),
        axis_left(up, _LEFT, "mean log loss", WIDTH - 30),
    ]
    for name, mark, curve in _CURVES:
        points = [(across(row["caution"] or 0.0), up(row[name])) for row in rows]
        parts.append(path(points[:-1], curve))
        for row, (x, y) in zip(rows, points, strict=True):
            parts.append(dot(x, y, mark, _told(row), 5.0 if row["is_chosen"] or row["caution"] is None else 2.0))
    x = across(table.facts["caution"])
    parts += [line(x, 30, x, 200, "chance"), text("the model", x, 24, "middle", "name")]
    chosen = next(row for row in rows if row["is_chosen"])
    about = f"Orange: the bound; blue, dashed: the log loss expected on gold. The model: {_told(chosen)}."
    return picture("frontier", "Bound and expected loss by caution", about, 236, *parts)


_CAUTION_TICKS = (1.0, 0.8, 0.6, 0.4, 0.2)
_CURVES = (("bound", "mark bound", "curve"), ("log_loss", "mark entropy", "curve expected"))


def _told(row: dict[str, Any]) -> str:
    name = "regression" if row["caution"] is None else f"caution {row['caution']:g}"
    return f"{name}: bound {at_most(row['bound'])}, log loss {row['log_loss']:.3f}, accuracy {row['accuracy']:.3f}"


def accepted_chart(table: Tidy) -> Markup:
    """The accepted share against guaranteed precision, in steps, and against its estimate."""
    rows = sorted(table.rows(), key=lambda row: row["precision"])
    low = min([*table["precision"], *(row["estimate"] for row in rows if row["estimate"] is not None)])
    across, up = Scale(100 * low, 100, _LEFT, WIDTH - 16), Scale(0, 100, 200, 30)
    parts = [
        axis_below(across, 200, "right labels in per cent of those accepted", top=30),
        axis_left(up, _LEFT, "accepted, in per cent of all labels", WIDTH - 16),
    ]
    parts.append(path(_steps([(across(100 * row["precision"]), up(100 * row["accepted"])) for row in rows]), "curve"))
    for row in rows:
        x, y, tooltip = across(100 * row["precision"]), up(100 * row["accepted"]), _accepted(row)
        if row["estimate"] is not None:
            end = across(100 * row["estimate"])
            parts += [line(x, y, end, y, "drop"), dot(end, y, "mark entropy", tooltip, 3.5)]
        parts.append(dot(x, y, "mark bound", tooltip, 3.5))
    promised = "guaranteed" if table.facts["is_guarantee"] else "no guarantee"
    about = f"Orange: {promised}; blue: estimated. {'; '.join(_accepted(row) for row in rows)}."
    return picture("accepted", "How many labels may be accepted", about, 236, *parts)


def _steps(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Corners of a line that falls at the left of each step: what a stricter precision accepts holds up to there."""
    corners = points[:1]
    for (before, _), (x, y) in pairwise(points):
        corners += [(before, y), (x, y)]
    return corners


def _accepted(row: dict[str, Any]) -> str:
    estimate = "" if row["estimate"] is None else f", estimate {percent(row['estimate'])}"
    return f"precision {percent_at_least(row['precision'])}: {percent(row['accepted'])} accepted{estimate}"

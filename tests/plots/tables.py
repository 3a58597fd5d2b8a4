"""Tables of any number of rules, without a fit, and what can be measured of drawn text."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg

from thumbwise.assess.tables.tidy import Tidy


def rules_of(n_rules: int) -> Tidy:
    rng = np.random.default_rng(n_rules)
    found = rng.uniform(0.2, 0.95, n_rules)
    return Tidy.of(
        {
            "rule": names_of(n_rules),
            "gold_accuracy": found,
            "lower": np.maximum(found - 0.1, 0),
            "upper": np.minimum(found + 0.1, 1),
            "weight": rng.normal(size=n_rules),
            "active": rng.choice(["lower", "upper", "none"], n_rules),
        },
        chance=0.5,
    )


def pairs_of(n_rules: int, name: str) -> Tidy:
    first, second = np.triu_indices(n_rules, k=1)
    values = np.random.default_rng(n_rules).uniform(-1 if name == "correlation" else 0, 1, len(first)).tolist()
    return Tidy.of({"first": first, "second": second, name: [None, *values[1:]]})


def names_of(n_rules: int) -> list[str]:
    return [f"keyword rule with a long name {j}" if j % 3 else f"r{j}" for j in range(n_rules)]


def draw(ax: Any) -> Any:
    """Draw the figure of some axes; what measures text afterwards."""
    figure = ax.get_figure()
    FigureCanvasAgg(figure).draw()
    return figure.canvas.get_renderer()


def overlaps(ax: Any, axis: str, renderer: Any) -> int:
    """How many neighbouring names of an axis overlap as they are drawn."""
    boxes = [label.get_window_extent(renderer) for label in _seen(ax.yaxis if axis == "y" else ax.xaxis)]
    return sum(bool(one.overlaps(other)) for i, one in enumerate(boxes) for other in boxes[i + 1 : i + 3])


def outside(ax: Any, renderer: Any) -> list[str]:
    """Texts that are cut off by the edge of the figure, by more than a pixel."""
    page = ax.get_figure().bbox
    texts = [*_seen(ax.yaxis), *_seen(ax.xaxis), ax.title, ax.xaxis.label]
    boxes = {text.get_text(): text.get_window_extent(renderer) for text in texts if text.get_text()}
    return [text for text, b in boxes.items() if b.x0 < -1 or b.y0 < -1 or b.x1 > page.x1 + 1 or b.y1 > page.y1 + 1]


def _seen(axis: Any) -> list[Any]:
    """Names of ticks that lie within the axes; others are not drawn."""
    low, high = sorted(axis.get_view_interval())
    pairs = zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=True)
    return [label for place, label in pairs if low <= place <= high and label.get_text()]

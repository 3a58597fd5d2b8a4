"""A bound that is printed is still a bound: every one goes through ``thumbwise.outward``, which rounds outward.

Kills, tried once: ceil and floor exchanged; round() in place of either; no allowance for the noise of floats; a
confidence level rounded to the nearest; ``{box.upper[m]:.3f}`` in the repr of a box.
"""

from __future__ import annotations

import ast
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import thumbwise
from thumbwise.outward import at_least, at_most, between, level

ROOT = Path(thumbwise.__file__).parent
values = st.floats(-50, 50) | st.integers(-50_000, 50_000).map(lambda whole: whole / 1000)
# What is less than this above or below a printed number is noise of floats.
NOISE = Decimal("2e-12")


@given(values, st.integers(1, 6))
@example(7.27e-11, 1)
def test_against_decimal_arithmetic(value: float, digits: int) -> None:
    """The exact value of the float, moved by the noise that is allowed, rounded by another library."""
    unit, slack = Decimal(1).scaleb(-digits), Decimal("1e-9").scaleb(-digits)
    up = (Decimal(value) - slack).quantize(unit, ROUND_CEILING)
    down = (Decimal(value) + slack).quantize(unit, ROUND_FLOOR)
    assert abs(Decimal(at_most(value, digits)) - up) in (0, unit)
    assert abs(Decimal(at_least(value, digits)) - down) in (0, unit)
    assert Decimal(at_most(value, digits)) >= Decimal(value) - slack - NOISE
    assert Decimal(at_least(value, digits)) <= Decimal(value) + slack + NOISE
    assert Decimal(at_most(value, digits)) - Decimal(value) < unit + NOISE
    assert Decimal(value) - Decimal(at_least(value, digits)) < unit + NOISE


@pytest.mark.parametrize(
    ("value", "upper", "lower"),
    [(0.57431, "0.575", "0.574"), (0.7, "0.700", "0.700"), (1 - 0.43, "0.570", "0.570"), (1.001, "1.001", "1.001")],
)
def test_what_is_written(value: float, upper: str, lower: str) -> None:
    assert (at_most(value), at_least(value)) == (upper, lower)
    assert between(value, value) == f"{lower} to {upper}"
    assert at_most(-1e-15) == "0.000"


@given(st.floats(1e-6, 1 - 1e-9))
def test_a_confidence_level_is_never_overstated(confidence: float) -> None:
    shown = Decimal(level(confidence).removesuffix(" %"))
    assert shown / 100 <= Decimal(confidence) + NOISE
    assert shown < 100
    assert shown > 100 * Decimal(confidence) - Decimal("0.0101")


# Words that name an end of an interval, and what is formatted though it is none.
BOUND = re.compile(r"\b(\w*_)?(lower|upper|low|high|bound|bounds|baseline|confidence_level)(_\w*)?\b")
NO_BOUND = {
    (
        "box.written_bounds",
        "[{lower[m]:.6g}, {upper[m]:.6g}]",
    ): "what the user wrote, digits as they are",
    ("box.estimates", "{kind} {joint} at {confidence_level:.4g} from"): "how the intervals were made",
    ("models.explained.explanation", "the exact value {self.lower:.3g} of"): "a value, not a bound",
    ("display.report.charts", "between {row['lower']:.3f} and {row['upper']:.3f}"): "edges of the bins of a histogram",
}


def formatted(path: Path) -> list[tuple[str, str]]:
    """Every number in an f-string that is cut to some digits: what is formatted, and the text around it."""
    places = []
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.JoinedStr):
            continue
        text = ast.unparse(node)
        for part in node.values:
            if isinstance(part, ast.FormattedValue) and part.format_spec is not None:
                digits = ast.unparse(part.format_spec)
                if re.search(r"\.\d*[efg%]|\.\{", digits):
                    places.append((ast.unparse(part.value), text))
    return places


def test_no_bound_is_formatted_by_hand() -> None:
    """Every f-string of the package; experiments and theory print estimates and the paper's numbers."""
    by_hand = []
    for path in sorted(ROOT.rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        if module == "outward" or module.split(".")[0] == "paper":
            continue
        for value, text in formatted(path):
            excused = any(module == where and piece in text for where, piece in NO_BOUND)
            is_rounded = value.startswith(("round_up(", "round_down("))
            if BOUND.search(value) and not excused and not is_rounded:
                by_hand.append(f"{module}: {{{value}}} in {text[:90]}")
    assert not by_hand, "\n".join(by_hand)


def test_the_search_sees_a_bound() -> None:
    """Against vacuity: the excused places are found."""
    for module, piece in NO_BOUND:
        path = ROOT / Path(*module.split(".")).with_suffix(".py")
        assert any(piece in text for _, text in formatted(path)), (module, piece)

"""The floors that pyproject.toml declares are those that the lane of oldest dependencies installs."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
OLDEST = ROOT / ".ci" / "oldest.txt"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
INSTALLED = ("test", "report")  # the extras of the lane
UNPINNED = {"docs", "fuzz", "hyper", "spark", "ibis", "lint"}  # extras that the lane leaves out


def read_bounds(requirements: list[str], operator: str) -> dict[str, set[Version]]:
    """The versions in the one clause of each requirement, which must have this operator."""
    bounds: dict[str, set[Version]] = defaultdict(set)
    for line in requirements:
        requirement = Requirement(line)
        (clause,) = requirement.specifier
        assert clause.operator == operator, line
        bounds[canonicalize_name(requirement.name)].add(Version(clause.version))
    return bounds


def read_pins(text: str) -> dict[str, set[Version]]:
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert len(lines) == len({Requirement(line).name for line in lines}), "a package is pinned twice"
    return read_bounds(lines, "==")


def read_floors(*extras: str) -> dict[str, set[Version]]:
    optional = PROJECT["optional-dependencies"]
    return read_bounds([*PROJECT["dependencies"], *(line for extra in extras for line in optional[extra])], ">=")


def test_pins_are_the_floors() -> None:
    assert read_pins(OLDEST.read_text(encoding="utf-8")) == read_floors(*INSTALLED)


def test_other_extras_have_the_floors_that_are_tested() -> None:
    """What the extras data and plots ask for is pinned too, and with the same floor."""
    pins = read_pins(OLDEST.read_text(encoding="utf-8"))
    for extra in PROJECT["optional-dependencies"].keys() - UNPINNED:
        assert read_floors(extra).items() <= pins.items(), extra


def test_the_lane_installs_what_is_compared_here() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert f"--constraint .ci/oldest.txt -e '.[{','.join(INSTALLED)}]'" in script


@pytest.mark.parametrize("drift", [r"\1.1", r"\g<1>1"])
def test_a_pin_that_drifts_is_seen(drift: str) -> None:
    """Each pin in turn is made a little newer."""
    text = OLDEST.read_text(encoding="utf-8")
    pins = re.findall(r"^\S+==\S+$", text, re.MULTILINE)
    assert len(pins) >= len(PROJECT["dependencies"])
    for pin in pins:
        assert read_pins(text.replace(pin, re.sub(r"(.*)", drift, pin, count=1))) != read_floors(*INSTALLED), pin

"""The lock of continuous integration: complete, by hashes, from nowhere in particular; and what an audit of it says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from project.test_floors import PROJECT, ROOT

LOCK = ROOT / ".ci" / "lock.txt"
ENTRY = re.compile(r"(?P<what>[^\s#\\][^\\\n]*?) \\\n(?P<hashes>(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)")
INSTALLED = ("test", "lint")


def read_lock(text: str) -> dict[str, list[Requirement]]:
    """Pins by package; the whole text must consist of such entries and comments."""
    assert re.sub(r"^#.*\n", "", ENTRY.sub("", text), flags=re.MULTILINE).strip() == ""
    pins: dict[str, list[Requirement]] = {}
    for entry in ENTRY.finditer(text):
        requirement = Requirement(entry["what"])
        pins.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return pins


def test_every_package_is_one_version_with_hashes() -> None:
    pins = read_lock(LOCK.read_text(encoding="utf-8"))
    assert len(pins) >= 60
    for pin in (pin for versions in pins.values() for pin in versions):
        assert [clause.operator for clause in pin.specifier] == ["=="]


def test_the_lock_meets_what_the_project_declares() -> None:
    pins = read_lock(LOCK.read_text(encoding="utf-8"))
    optional = PROJECT["optional-dependencies"]
    wanted = [*PROJECT["dependencies"], *(line for extra in INSTALLED for line in optional[extra]), "hatchling>=1.24"]
    for requirement in map(Requirement, wanted):
        versions = [Version(next(iter(pin.specifier)).version) for pin in pins[canonicalize_name(requirement.name)]]
        assert all(version in requirement.specifier for version in versions), requirement


def test_it_names_no_place_to_fetch_from() -> None:
    text = LOCK.read_text(encoding="utf-8")
    assert "://" not in text
    assert "--index" not in text
    assert "--find-links" not in text


def audited(tmp_path: Path, packages: list[dict[str, Any]] | None, *, is_required: bool) -> tuple[int, str]:
    answers = tmp_path / "answers.json"
    if packages is not None:
        answers.write_text(json.dumps({"dependencies": packages, "fixes": []}))
    done = subprocess.run(
        [sys.executable, ROOT / ".ci" / "audited.py", answers], capture_output=True, text=True, check=False,
        env={**os.environ, "THUMBWISE_REQUIRE_AUDIT": "1" if is_required else "0"},
    )  # fmt: skip
    assert done.stderr == ""
    return done.returncode, done.stdout


GOOD = {"name": "a", "version": "1", "vulns": []}
BAD = {"name": "b", "version": "2", "vulns": [{"id": "X-1", "fix_versions": ["3"]}]}
UNKNOWN = {"name": "c", "skip_reason": "not found"}
NOBODY = "nothing was audited: the list of known vulnerabilities cannot be asked from here\n"


@pytest.mark.parametrize(
    ("packages", "is_required", "code", "said"),
    [
        ([GOOD], True, 0, "1 of 1 packages audited, 0 with known vulnerabilities\n"),
        ([GOOD, BAD], False, 1, "b 2: X-1, mended in 3\n2 of 2 packages audited, 1 with known vulnerabilities\n"),
        ([GOOD, UNKNOWN], False, 0, "1 of 2 packages audited, 0 with known vulnerabilities\n"),
        ([GOOD, UNKNOWN], True, 1, "1 of 2 packages audited, 0 with known vulnerabilities\n"),
        ([UNKNOWN], False, 0, NOBODY),
        ([UNKNOWN], True, 1, NOBODY),
        ([], True, 1, NOBODY),
        (None, False, 0, NOBODY),
        (None, True, 1, NOBODY),
    ],
)
def test_no_answer_is_no_good_news(
    tmp_path: Path, packages: list[dict[str, Any]] | None, is_required: bool, code: int, said: str
) -> None:
    assert audited(tmp_path, packages, is_required=is_required) == (code, said)

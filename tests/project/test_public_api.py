"""The public interface is what the committed file says, and the file says it well."""

from __future__ import annotations

import difflib
import inspect
import re
import sys

from project.public_api import FILE, public_objects, text
from project.public_members import INNER, INSIDES, MADE

ANEW = (
    "The public interface is not what tests/project/public_api.txt says (- there, + here):\n\n{difference}\n\n"
    "If this is meant: `python -m tests.project.public_api` writes the file anew, CHANGELOG.md must name what changed, "
    "and docs/releasing.md says what a change of a name takes. If not, it would have broken somebody's program."
)


def test_nothing_public_changes_unnoticed() -> None:
    before, now = FILE.read_text(encoding="utf-8").splitlines(), text().splitlines()
    difference = list(difflib.unified_diff(before, now, "there", "here", lineterm="", n=0))
    assert not difference, ANEW.format(difference="\n".join(difference[2:]))


def test_a_change_is_seen() -> None:
    """A file that lacks any one of these lines is another one: of each kind of entry, one that is surely there."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    for line in (
        "thumbwise.Box (class)",
        "    confidence_level: float = 0.95,",
        "thumbwise.BalsubramaniFreund.certificate_",
        "thumbwise.Rates.lower: float (read only)",
        "thumbwise.metrics.brier_score(y: npt.ArrayLike, proba: npt.ArrayLike) -> float",
        "Evidence.assumption: str",
        "GoldIs = Literal['separate', 'subset']",
        "thumbwise label --shape table|crowd-kit|snorkel (default table)",
        "thumbwise rate --json: is_guarantee",
    ):
        assert line in lines, line


def test_every_public_name_has_an_entry() -> None:
    entries = set(re.findall(r"^([\w.]+)", FILE.read_text(encoding="utf-8"), re.MULTILINE))
    assert set(public_objects()) <= entries


def test_classes_have_one_name_each() -> None:
    """Classes that are not imported stand under their names alone."""
    named = re.findall(r"^([\w.]+) \(class", FILE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted({name for name in named if named.count(name) > 1}) == []


def test_nothing_of_this_machine_is_in_it() -> None:
    """No address of an object, no path, no version of another library's class."""
    assert re.findall(r"0x[0-9a-f]{6,}|/(?:home|work|root|tmp)/|<factory>", FILE.read_text(encoding="utf-8")) == []


def test_exceptions_of_the_list_exist() -> None:
    """What is left out, or has its constructor listed, is there to be left out or listed."""
    public = set(public_objects())
    assert public >= MADE
    defined = {kind.__name__: kind for kind in _all_classes()}
    assert set(defined) >= INSIDES
    for member in INNER:
        owner, _, name = member.partition(".")
        assert name in {*vars(defined[owner]), *inspect.get_annotations(defined[owner])}, member


def _all_classes() -> list[type]:
    loaded = [module for name, module in sys.modules.items() if name.startswith("thumbwise")]
    return [value for module in loaded for value in vars(module).values() if isinstance(value, type)]

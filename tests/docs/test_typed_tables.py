"""No table of measured figures is typed by hand: each is filled from results, printed by an example, or listed here."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from scipy.stats import binom
from studies.pages import MARK, pages

from docs.pages import ROOT

# A cell that is a decimal number, with what measurements carry: signs, units, spreads, several in one cell.
_MEASURED = re.compile(r"[*~<]*[-+]?\d[\d,]*\.\d+\b(?!\.\d)[^a-zA-Z]*(s|ms|MB|GB|points|x)?[^a-zA-Z]*")
_FENCE = re.compile(r"^( *)(`{3,}).*?^\1\2 *$", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"(?:^ *\|.*\n?)+", re.MULTILINE)
# So many measured cells make a table one of measurements.
_ENOUGH = 3

# Page and first cells of the header: why these figures may stand there as they are.
ALLOWED: dict[tuple[str, str], str] = {
    (
        "docs/datasets.md",
        "| name | set | items | gold | test | rules | classes | patterns | coverage | abstentions | class shares |",
    ): "written by studies.dataset_cards; tests/datasets/test_cards.py compares",
    (
        "docs/datasets.md",
        "| name | set | items | known labels | rules | classes | patterns | coverage | abstentions | class shares |",
    ): "written by studies.dataset_cards; tests/datasets/test_cards.py compares",
    (
        "docs/triage.md",
        "| precision | all right | gold for that | one wrong | gold for that |",
    ): "arithmetic, which the last test here does anew",
}


def measured_tables(text: str) -> Iterator[str]:
    """Headers of tables of decimals that no mark and no fence holds."""
    for table in _TABLE.findall(_FENCE.sub("", MARK.sub("", text))):
        lines = table.strip().splitlines()
        cells = [cell.strip() for line in lines[2:] for cell in line.strip().strip("|").split("|")]
        if sum(bool(_MEASURED.fullmatch(cell)) for cell in cells) >= _ENOUGH:
            yield lines[0]


def found(root: Path) -> list[tuple[str, str]]:
    """Page and header of each, decisions left aside: they are history, with their dates."""
    return [
        (page.relative_to(root).as_posix(), header)
        for page in pages(root)
        if "decisions" not in page.parts
        for header in measured_tables(page.read_text(encoding="utf-8"))
    ]


def test_no_table_of_figures_is_typed() -> None:
    typed = [one for one in found(ROOT) if one not in ALLOWED]
    assert not typed, "keep the table by a study (--keep) and mark its place, or say it without figures"


def test_what_is_allowed_is_there_and_has_a_reason() -> None:
    assert set(ALLOWED) <= set(found(ROOT))
    assert all(len(reason) > 20 for reason in ALLOWED.values())


@pytest.mark.parametrize(
    ("rows", "is_measured"),
    [
        ("| a | 0.12 | 0.3 |\n| b | 1.5 | 2 |", True),
        ("| a | **0.12** | 0.3 ± 0.1 |\n| b | 1.5 s | 2 |", True),
        ("| a | 0.5 / 0.6 / 3 % | 1,024.0 |\n| b | -0.2 | |", True),
        ("| a | 0.12 | 0.3 |", False),
        ("| a | `--precision 0.9` | version 0.3 |\n| b | at 0.5 | 1.2.3 |", False),
        ("| a | 12 | 13 |\n| b | 14 | 15 |", False),
    ],
)
def test_tables_of_measurements_are_told_from_others(rows: str, is_measured: bool) -> None:
    table = f"| x | y | z |\n|---|---|---|\n{rows}\n"
    assert bool([*measured_tables(f"Text.\n\n{table}\nText.\n")]) == is_measured
    assert not [*measured_tables(f"<!-- figures: a/b -->\n\n{table}\n<!-- end -->\n")]
    assert not [*measured_tables(f"```text\n{table}```\n")]


def test_gold_that_a_precision_takes() -> None:
    """So many labels that as few wrong ones had a chance of at most 5 % if the set were not precise enough."""
    header = "| precision | all right | gold for that | one wrong | gold for that |"
    page = (ROOT / "docs" / "triage.md").read_text(encoding="utf-8")
    table = next(table for table in _TABLE.findall(page) if table.startswith(header))
    for line in table.strip().splitlines()[2:]:
        precision, *numbers = (float(cell) for cell in line.strip("|").split("|"))
        needed = [next(n for n in range(2, 1000) if binom.cdf(w, n, 1 - precision) <= 0.05) for w in range(2)]
        gold = [next(n for n in range(2, 1000) if n - math.ceil(n / 5) >= need) for need in needed]
        assert numbers == [needed[0], gold[0], needed[1], gold[1]]

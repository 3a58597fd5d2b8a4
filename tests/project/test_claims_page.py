"""The page of claims: what fails comes first, the size that the claims are about is in the open, nothing is lost."""

from __future__ import annotations

import re

import pytest
from studies.claims import labels, page, rates
from studies.claims.verdicts import Claim
from studies.results import read_results

MEASURED = page.Measured(read_results("claims"))
TEXT = page.page(MEASURED)
_FOLD = re.compile(r"<details>\n<summary>(.+?)</summary>\n\n(.*?)\n\n</details>", re.DOTALL)
OPEN = _FOLD.sub("", TEXT)


@pytest.mark.parametrize(
    ("holds", "line"),
    [
        ([True, True], "**None of 2 claims fails in this run.**"),
        ([True, False, True], "**1 of 3 claims fails in this run.** Failures first:"),
        ([False, False], "**2 of 2 claims fail in this run.** Failures first:"),
    ],
)
def test_the_first_line_counts_failures(holds: list[bool], line: str) -> None:
    assert page.headline([Claim("a", "It is so.", "1", one) for one in holds]) == line


def test_failures_come_first_and_every_claim_is_there() -> None:
    found = re.findall(r"^- \*\*(FAILS|holds)\*\*", TEXT, re.MULTILINE)
    assert found == sorted(found, key=["FAILS", "holds"].index)
    assert sorted(found) == sorted("holds" if claim.holds else "FAILS" for claim in MEASURED.claims)
    assert all(claim.line in OPEN for claim in MEASURED.claims)
    assert TEXT.startswith(page.headline(MEASURED.claims))


def test_tables_of_the_main_size_are_open_and_the_others_folded() -> None:
    folded = dict(_FOLD.findall(TEXT))
    for size, found in MEASURED.labels.items():
        for number, measure in enumerate(labels.MEASURES):
            title, table = f"{measure.capitalize()}, {size} labels", labels.table(found, number)
            assert table in (OPEN if size == 100 else folded[title])
            assert (f"### {title}" in OPEN) == (size == 100)
    for size, some in MEASURED.rates.items():
        assert rates.table(some) in (OPEN if size == 100 else folded[f"A share, {size} labels"])


def test_folds_are_whole_and_hold_no_other() -> None:
    assert TEXT.count("<details>") == TEXT.count("</details>") == len(_FOLD.findall(TEXT))
    assert "details>" not in OPEN

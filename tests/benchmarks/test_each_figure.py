"""Every benchmark runs at toy size and says what its table promises. No time is judged."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path

import pytest
from benchmarks.figures import FIGURES
from benchmarks.settings import FEWEST_ITEMS, Settings
from benchmarks.tables import Table, write_json

pytestmark = pytest.mark.filterwarnings("ignore")  # 400 items are too few to be quiet about

# imports starts 33 interpreters, paper and imdb need the paper's data, hyper a package with weights.
SMALL = [name for name in FIGURES if name not in ("imports", "paper", "imdb", "hyper")]
N_JUDGED = {
    "patterns": 3,
    "parquet": 3,
    "game": 1,
    "scale": 4,
    "end_to_end": 3,
    "dawid_skene": 4,
    "data_programming": 2,
}
N_JUDGED |= {"doubling": 4, "growth_items": 1, "growth_rules": 1, "growth_classes": 1, "rules": 3, "readers": 6}
N_JUDGED |= {"plan_rules": 2, "plan_classes": 1, "plan_few_votes": 1, "compare_classes": 1, "report_classes": 1}
N_JUDGED |= {"subtypes": 1, "kinds": 3, "weak": 2, "workers": 2, "noise": 1}


@pytest.mark.parametrize("name", SMALL)
def test_a_figure_has_its_fields(name: str, toy: Settings, tmp_path: Path) -> None:
    table = FIGURES[name](toy)
    write_json(tmp_path / "out.json", {"machine": "toy"}, {name: table})
    (saved,) = json.loads((tmp_path / "out.json").read_text())["tables"]
    assert saved == {"name": name, **asdict(table)}
    measured = [row["seconds"] for row in saved["rows"] if row["seconds"] is not None]
    assert len(measured) >= 2
    assert all(math.isfinite(seconds) for seconds in measured)
    assert "thumbwise" in saved["versions"]
    assert sum(row["reached"] is not None for row in saved["rows"]) == N_JUDGED[name]
    assert all(bool(row["asked"]) == (row["reached"] is not None) for row in saved["rows"])


def test_a_small_run_is_not_judged(toy: Settings) -> None:
    table = FIGURES["patterns"](toy).unjudged()
    assert not [row for row in table.rows if row.asked or row.reached is not None]


def test_sizes_shrink_but_gold_can_still_be_drawn() -> None:
    assert Settings(None, Path(), shrink=100).items(10**6) == 10**4
    assert Settings(None, Path(), shrink=10**9).items(10**6) == FEWEST_ITEMS
    assert Settings(None, Path()).items(10**8) == 10**8


def test_peers_are_left_out_without_their_interpreter(toy: Settings) -> None:
    alone = Settings(None, toy.folder, toy.shrink, 1)
    names = _names(FIGURES["data_programming"](alone))
    assert names == ["thumbwise data_programming"]
    assert len(_names(FIGURES["data_programming"](toy))) == 2


def test_ratios_are_those_of_the_seconds(toy: Settings) -> None:
    ours, theirs = FIGURES["data_programming"](toy).rows
    assert theirs.seconds == 3.0
    assert ours.seconds is not None
    assert theirs.ratio == pytest.approx(3.0 / ours.seconds)


def _names(table: Table) -> list[str]:
    return [row.name for row in table.rows]

"""Cards: counts by hand on a small set, and the documentation's tables are those of the files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from studies.dataset_cards import BEGIN, END, replace_part, write_tables

from thumbwise.datasets import CROWD_NAMES, PAPER_NAMES, card, describe, load_paper
from thumbwise.exceptions import InvalidChoiceError

PAGE = Path(__file__).parents[2] / "docs" / "datasets.md"


def test_a_card_counts_the_pool(write_paper: Callable[..., Path]) -> None:
    changed = {"train_pred": [[0, -1], [-1, -1], [0, 0], [1, -1], [0, -1], [-1, -1]]}
    filled = {"train_pred": [[0, 1], [1, 1], [0, 0], [1, 1], [0, 1], [1, 1]]}
    folder = write_paper(changed, filled)
    found = describe(load_paper("youtube", folder))
    assert (found.n_items, found.n_gold, found.n_test, found.n_rules, found.n_classes) == (6, 3, 2, 2, 2)
    assert found.n_patterns == 4
    assert found.coverage == pytest.approx(4 / 6)
    assert found.abstention == pytest.approx(7 / 12)
    assert found.class_shares == pytest.approx((2 / 6, 4 / 6))
    assert found.n_labels == 6
    assert found.title == "Youtube"
    assert found.licence == "not published"
    assert card("youtube", folder) == found


@pytest.mark.parametrize("name", [*PAPER_NAMES, *CROWD_NAMES])
def test_every_set_has_a_card(name: str, folder_with_crowds: Path) -> None:
    found = card(name, folder_with_crowds)
    assert found.about
    assert found.source.startswith("https://")
    assert found.licence == ("MIT" if name in CROWD_NAMES else "not published")
    assert sum(found.class_shares) == pytest.approx(1)
    assert 0 < found.coverage <= 1


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(InvalidChoiceError, match=r"'aa2'.*'web'; found 'cat'"):
        card("cat")


def test_the_documentation_shows_the_tables_of_the_files(folder_with_crowds: Path) -> None:
    assert write_tables(folder_with_crowds) in PAGE.read_text(encoding="utf-8")


def test_only_the_part_between_the_marks_is_replaced() -> None:
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    assert replace_part(page, "new") == f"before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"
    assert replace_part(replace_part(page, "x"), "new") == replace_part(page, "new")
    with pytest.raises(ValueError, match="marks"):
        replace_part("a page without them", "new")

"""Data to try things on: the paper's datasets, crowds, WRENCH folders, a demo, and made-up votes with their truth."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thumbwise.datasets.cards import Card as Card
    from thumbwise.datasets.cards import card as card
    from thumbwise.datasets.cards import describe as describe
    from thumbwise.datasets.crowd import CROWD_NAMES as CROWD_NAMES
    from thumbwise.datasets.crowd import CrowdData as CrowdData
    from thumbwise.datasets.crowd import load_crowd as load_crowd
    from thumbwise.datasets.demo import load_demo as load_demo
    from thumbwise.datasets.examples import Demo as Demo
    from thumbwise.datasets.fetching import fetch_paper as fetch_paper
    from thumbwise.datasets.judges import make_judges as make_judges
    from thumbwise.datasets.keywords import make_keywords as make_keywords
    from thumbwise.datasets.paper import PAPER_NAMES as PAPER_NAMES
    from thumbwise.datasets.paper import PAPER_TITLES as PAPER_TITLES
    from thumbwise.datasets.paper import PaperData as PaperData
    from thumbwise.datasets.paper import find_paper_folder as find_paper_folder
    from thumbwise.datasets.paper import load_paper as load_paper
    from thumbwise.datasets.several_answers import MadeTable as MadeTable
    from thumbwise.datasets.several_answers import make_pairs as make_pairs
    from thumbwise.datasets.several_answers import make_tags as make_tags
    from thumbwise.datasets.synthetic import Synthetic as Synthetic
    from thumbwise.datasets.synthetic import make_class_conditional as make_class_conditional
    from thumbwise.datasets.synthetic import make_copies as make_copies
    from thumbwise.datasets.synthetic import make_one_coin as make_one_coin
    from thumbwise.datasets.synthetic import make_one_sided as make_one_sided
    from thumbwise.datasets.synthetic import make_paper_synthetic as make_paper_synthetic
    from thumbwise.datasets.synthetic import make_shared_errors as make_shared_errors
    from thumbwise.datasets.tumours import load_tumours as load_tumours
    from thumbwise.io.wrench import WrenchData as WrenchData
    from thumbwise.io.wrench import load_wrench as load_wrench

# Names are imported when first used, so that readers and downloaders cost nothing until then.
_HOMES = {
    "CROWD_NAMES": "thumbwise.datasets.crowd",
    "PAPER_NAMES": "thumbwise.datasets.paper",
    "PAPER_TITLES": "thumbwise.datasets.paper",
    "Card": "thumbwise.datasets.cards",
    "CrowdData": "thumbwise.datasets.crowd",
    "Demo": "thumbwise.datasets.examples",
    "MadeTable": "thumbwise.datasets.several_answers",
    "PaperData": "thumbwise.datasets.paper",
    "Synthetic": "thumbwise.datasets.synthetic",
    "WrenchData": "thumbwise.io.wrench",
    "card": "thumbwise.datasets.cards",
    "describe": "thumbwise.datasets.cards",
    "fetch_paper": "thumbwise.datasets.fetching",
    "find_paper_folder": "thumbwise.datasets.paper",
    "load_crowd": "thumbwise.datasets.crowd",
    "load_demo": "thumbwise.datasets.demo",
    "load_paper": "thumbwise.datasets.paper",
    "load_tumours": "thumbwise.datasets.tumours",
    "load_wrench": "thumbwise.io.wrench",
    "make_class_conditional": "thumbwise.datasets.synthetic",
    "make_copies": "thumbwise.datasets.synthetic",
    "make_judges": "thumbwise.datasets.judges",
    "make_keywords": "thumbwise.datasets.keywords",
    "make_one_coin": "thumbwise.datasets.synthetic",
    "make_one_sided": "thumbwise.datasets.synthetic",
    "make_pairs": "thumbwise.datasets.several_answers",
    "make_paper_synthetic": "thumbwise.datasets.synthetic",
    "make_shared_errors": "thumbwise.datasets.synthetic",
    "make_tags": "thumbwise.datasets.several_answers",
}
__all__ = [  # noqa: RUF022  # grouped as a reader meets them
    "load_demo",
    "load_tumours",
    "Demo",
    "load_paper",
    "fetch_paper",
    "find_paper_folder",
    "PAPER_NAMES",
    "PAPER_TITLES",
    "PaperData",
    "load_crowd",
    "CROWD_NAMES",
    "CrowdData",
    "load_wrench",
    "WrenchData",
    "make_one_coin",
    "make_class_conditional",
    "make_one_sided",
    "make_copies",
    "make_shared_errors",
    "make_paper_synthetic",
    "Synthetic",
    "make_judges",
    "make_keywords",
    "make_tags",
    "make_pairs",
    "MadeTable",
    "card",
    "Card",
    "describe",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'thumbwise.datasets' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

"""Importing thumbwise.datasets costs next to nothing; a reader loads what it needs when it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import thumbwise.datasets

HEAVY = {"pooch", "requests", "pandas", "matplotlib", "sklearn", "scipy.io", "duckdb", "numpy"}


def loaded_after(statements: str, watched: set[str]) -> set[str]:
    code = f"import sys\n{statements}\nprint(*[name for name in {sorted(watched)!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_package_loads_nothing_heavy() -> None:
    assert not loaded_after("import thumbwise.datasets; dir(thumbwise.datasets); thumbwise.datasets.__all__", HEAVY)


def test_names_load_neither_a_downloader_nor_readers_of_other_formats() -> None:
    statements = "from thumbwise.datasets import fetch_paper, load_paper, load_wrench, load_crowd, card, make_one_coin"
    assert not loaded_after(statements, HEAVY - {"numpy"})


def test_all_names_are_there_and_listed() -> None:
    for name in thumbwise.datasets.__all__:
        assert name in dir(thumbwise.datasets)
        assert getattr(thumbwise.datasets, name) is not None
    assert len(set(thumbwise.datasets.__all__)) == len(thumbwise.datasets.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = thumbwise.datasets.no_such_name

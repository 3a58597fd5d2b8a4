"""Drawing changes nothing outside its axes, and matplotlib is loaded when something is drawn and not before."""

from __future__ import annotations

import subprocess
import sys

import pytest

from thumbwise import plots
from thumbwise.exceptions import MissingPackageError

DRAW = """
import sys
from thumbwise import plots
assert "matplotlib" not in sys.modules
ax = plots.plot_weights({"rule": ["a"], "weight": [1.0], "active": ["lower"]})
import matplotlib
names = set(matplotlib.rcParams) - {"backend"}  # asking for it imports pyplot
before = {name: matplotlib.rcParams[name] for name in names}
for _ in range(30):  # pyplot would warn of so many open figures
    plots.plot_weights({"rule": ["a"], "weight": [1.0], "active": ["lower"]})
assert {name: matplotlib.rcParams[name] for name in names} == before
assert "matplotlib.pyplot" not in sys.modules
"""


def test_no_pyplot_and_no_settings() -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-c", DRAW], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_without_matplotlib_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'thumbwise\[plots\]'"):
        plots.plot_weights({"rule": ["a"], "weight": [1.0], "active": ["lower"]})


def test_figures_of_the_paper_have_legends_of_their_own() -> None:
    losses = {"model_uncertainty": 0.2, "loss_min": 0.3, "loss_mean": 0.4, "loss_max": 0.6}
    rows = [{"dataset": "d", "n_gold": n, **losses, "dawid_skene_true": 0.3, "dawid_skene_em": 9.0} for n in (50, 100)]
    ax = plots.plot_breakdown(rows)
    assert len(ax.figure.legends) == 1
    other = plots.plot_breakdown(rows, ax=ax.figure.add_subplot())
    assert len(other.figure.legends) == 1  # axes that were given get none

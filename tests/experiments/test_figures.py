"""The numbers of the figures by hand, and the figures as files: complete, repeatable, and only with matplotlib."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from thumbwise.paper.experiments import drawing
from thumbwise.paper.experiments.figures import breakdown_table, convergence_table, fit_slope, write_figures
from thumbwise.paper.experiments.specs import Row
from thumbwise.tables.table_files import read_table


def bf(dataset: str, run: int, n_gold: int, model: float, approximation: float | None) -> Row:
    loss = None if approximation is None else model + approximation
    key: Row = {"dataset": dataset, "method": "BF", "run": run, "n_gold": n_gold, "log_loss": loss}
    return {**key, "model_uncertainty": model, "approximation_uncertainty": approximation}


def line(dataset: str, method: str, loss: float) -> Row:
    return {"dataset": dataset, "method": method, "run": 0, "n_gold": 0, "log_loss": loss}


BREAKDOWN = [
    bf("youtube", 0, 100, 0.25, 0.5),
    line("youtube", "OCDS", 17.5),
    bf("cardio", 0, 200, 0.5, 0.125),
    bf("cardio", 0, 100, 0.5, 0.25),
    bf("cardio", 1, 100, 0.5, 1.0),
    bf("cardio", 2, 100, 0.5, 0.25),
    bf("cardio", 1, 200, 0.5, None),
    line("cardio", "OCDS", 13.75),
    line("cardio", "OCDS_true", 0.625),
    line("cardio", "best_approximator", 0.5),
]


def synthetic_rows() -> list[Row]:
    """Exactly 8/n in the mean of two draws, 2/n**2 in the mean of Dawid-Skene."""
    laws = {"best_approximator": (8, -1), "OCDS": (2, -2)}
    return [
        {"dataset": "synthetic", "method": method, "run": run, "n_items": n, "kl": (0.5 + run) * scale * n**power}
        for method, (scale, power) in laws.items()
        for n in (10_000.0, 100.0, 1_000.0)
        for run in (0, 1)
    ]


def test_parts_of_the_loss_by_hand() -> None:
    by_hand: Row = {
        **{"dataset": "cardio", "n_gold": 100, "n_draws": 3, "model_uncertainty": 0.5},
        **{"approximation_min": 0.25, "approximation_mean": 0.5, "approximation_max": 1.0},
        **{"loss_min": 0.75, "loss_mean": 1.0, "loss_max": 1.5},
        **{"dawid_skene_true": 0.625, "dawid_skene_em": 13.75},
    }
    table = breakdown_table(BREAKDOWN)
    assert table[0] == by_hand
    assert [(row["dataset"], row["n_gold"]) for row in table] == [("cardio", 100), ("cardio", 200), ("youtube", 100)]


def test_draws_without_a_labeling_do_not_count() -> None:
    second = breakdown_table(BREAKDOWN)[1]
    assert (second["n_draws"], second["approximation_mean"], second["loss_max"]) == (1, 0.125, 0.625)
    nothing = breakdown_table([bf("sms", 0, 100, 0.25, None)])[0]
    assert (nothing["n_draws"], nothing["model_uncertainty"], nothing["loss_mean"]) == (0, 0.25, None)


def test_slope_of_a_power_law() -> None:
    table = convergence_table(synthetic_rows())
    best = [row for row in table if row["method"] == "best_approximator"]
    assert [row["n_items"] for row in best] == [100, 1_000, 10_000]
    assert [row["kl_mean"] for row in best] == pytest.approx([0.08, 0.008, 0.0008])
    assert [row["slope_of_mean"] for row in table] == pytest.approx([-1] * 3 + [-2] * 3)


def test_mean_and_median_have_slopes_of_their_own() -> None:
    """One draw in three is a hundred times too large at 100 items: means 34 and 0.1 x 1, medians 1 and 0.1."""
    rows: list[Row] = [
        {"method": "best_approximator", "n_items": n, "kl": kl}
        for n, values in {100: (1.0, 100.0, 1.0), 1_000: (0.1, 0.1, 0.1)}.items()
        for kl in values
    ]
    first = convergence_table(rows)[0]
    assert (first["kl_mean"], first["kl_median"]) == (34, 1)
    assert first["slope_of_mean"] == pytest.approx(-2.531478917)  # log10(0.1 / 34)
    assert first["slope_of_median"] == pytest.approx(-1)


def test_no_slope_without_two_positive_values() -> None:
    assert fit_slope([100, 1_000], [0.0, 0.5]) is None
    assert fit_slope([100], [0.5]) is None
    assert fit_slope([100, 1_000, 10_000], [0.5, -1e-18, 0.005]) == pytest.approx(-1)


def test_what_is_drawn_is_the_table() -> None:
    ax = drawing.plot_breakdown(breakdown_table(BREAKDOWN)[:2], ax=Figure().add_subplot())
    lines = {found.get_label(): found.get_ydata() for found in ax.get_lines()}
    assert list(lines["loss of BF, mean"]) == [1.0, 0.625]
    assert list(lines["Dawid-Skene, true parameters"]) == [0.625, 0.625]
    bands = [band.get_paths()[0].get_extents() for band in ax.collections]
    assert [(band.y0, band.y1) for band in bands] == [(0, 0.5), (0.5, 0.75), (0.625, 1.5)]
    assert ax.get_ylim()[1] < 13.75
    assert any("Dawid-Skene, EM: 13.75" in text.get_text() for text in ax.texts)
    assert ax.get_ylim()[0] == 0


def test_an_axis_that_does_not_start_at_zero_says_so() -> None:
    table = breakdown_table([bf("imdb", 0, 100, 0.5, 0.01), bf("imdb", 0, 200, 0.5, 0.01)])
    ax = drawing.plot_breakdown(table, ax=Figure().add_subplot())
    assert 0 < ax.get_ylim()[0] < 0.5
    assert "axis does not start at 0" in [text.get_text() for text in ax.texts]


def test_slopes_are_in_the_legend() -> None:
    ax = drawing.plot_convergence(convergence_table(synthetic_rows()), ax=Figure().add_subplot())
    labels = ax.get_legend_handles_labels()[1]
    assert labels == ["best approximator (slope -1.00)", "line fitted to it", "Dawid-Skene, EM (slope -2.00)"]
    assert list(ax.get_lines()[1].get_ydata()) == pytest.approx([0.08, 0.008, 0.0008])


def test_files_are_complete_and_the_same_again(tmp_path: Path) -> None:
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        folder.mkdir()
        written = write_figures(BREAKDOWN, synthetic_rows(), folder)
        assert sorted(written) == sorted(folder.iterdir())
    names = ("breakdown_cardio", "breakdown_youtube", "breakdowns", "convergence")
    assert {path.name for path in written} == {f"{name}.{ending}" for name in names for ending in ("png", "pdf", "csv")}
    for path in folders[0].iterdir():
        content = path.read_bytes()
        assert content == (folders[1] / path.name).read_bytes()
        if path.suffix == ".png":
            assert content.startswith(b"\x89PNG")
            assert content.endswith(b"IEND\xaeB`\x82")
        if path.suffix == ".pdf":
            assert content.startswith(b"%PDF")
            assert content.rstrip().endswith(b"%%EOF")
            assert b"CreationDate" not in content
    columns = read_table(folders[0] / "breakdown_cardio.csv").columns
    assert [float(value) for value in columns["loss_max"].tolist()] == [1.5, 0.625]
    assert read_table(folders[0] / "breakdowns.csv").n_rows == 3


def test_a_failure_leaves_the_old_picture(tmp_path: Path) -> None:
    class Broken:
        def savefig(self, part: Path, **_options: object) -> None:
            part.write_bytes(b"half")
            raise RuntimeError("no more")

    (tmp_path / "a.png").write_bytes(b"as it was")
    with pytest.raises(RuntimeError, match="no more"):
        drawing.save_figure(Broken(), tmp_path / "a")
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]
    assert (tmp_path / "a.png").read_bytes() == b"as it was"


WITHOUT = """
import sys
sys.modules["matplotlib"] = None
from pathlib import Path
from thumbwise.exceptions import MissingPackageError
from thumbwise.paper.experiments.figures import write_figures
try:
    write_figures([], [], Path(sys.argv[1]))
except MissingPackageError as error:
    print(error)
"""


def test_without_matplotlib_it_says_what_to_install(tmp_path: Path) -> None:
    said = subprocess.run([sys.executable, "-c", WITHOUT, tmp_path], check=True, capture_output=True, text=True).stdout
    assert "pip install 'thumbwise[plots]'" in said
    assert not list(tmp_path.iterdir())


def test_neither_import_nor_figures_touch_pyplot(tmp_path: Path) -> None:
    code = (
        "import sys; from thumbwise.paper.experiments import figures, drawing; assert 'matplotlib' not in sys.modules\n"
        "drawing.draw_convergence([]); assert 'matplotlib' in sys.modules\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)

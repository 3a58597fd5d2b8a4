"""thumbwise demo: label real data that needs no file, and compare with the truth."""

from __future__ import annotations

from pathlib import Path

from thumbwise.cli import console as printed
from thumbwise.cli.console import stdout, visible
from thumbwise.cli.label import fit, print_fit
from thumbwise.datasets.demo import load_demo, score_methods, write_demo
from thumbwise.io.readings import Reading


def show_demo(folder: Path | None, *, overwrite: bool = False) -> None:
    """Label the demo, print what was found, and compare with the truth; write its files if there is a folder."""
    demo = load_demo()
    if folder is not None:
        write_demo(demo, folder, overwrite=overwrite)
    reading = Reading(demo.votes, demo.gold_labels, id_name="id")
    console = stdout()
    console.print(demo.description)
    console.print()
    model = fit(reading)
    print_fit("demo", reading, model)
    scores = score_methods(demo, model)
    console.print()
    printed.print_scores(console, scores, scores[0][1], model.certificate_.log_loss_bound)
    _print_what_next(folder)


def _print_what_next(folder: Path | None) -> None:
    console = stdout()
    console.print()
    if folder is not None:
        console.print(f"Written: {visible(folder / 'votes.csv')}, {visible(folder / 'gold.csv')}")
    where = "" if folder is None else f"{visible(folder)}/"
    console.print(f"On files of your own: thumbwise label {where}votes.csv --gold {where}gold.csv -o labels.csv")
    if folder is None:
        console.print("To see such files: thumbwise demo --write DIR")

"""Labels by crowd-kit, Snorkel or cleanlab, each called as its own pages say, with its own defaults.

Arguments: FILE FOLDER SECONDS, or none to see the versions. The file is an ``.npz`` with ``votes`` (-1: none),
``n_classes`` and ``classifier``, the probabilities that CROWDLAB asks a classifier for, shape (n_draws, n_items,
n_classes). Written to FOLDER, as ``0.npy`` and so on in the order of the methods, are probabilities of shape (n_draws,
n_items, n_classes); those of methods that use no gold, once. Printed is a line of JSON: by method what the package said
if it gave no labels, or by package the versions. A method that takes longer than so many seconds is given up.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.workers.rate_intervals import version_of

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
PACKAGES = ("crowd-kit", "snorkel", "cleanlab", "mapie", "torch", "numpy")


def _by_crowd_kit(name: str, votes: IntArray, n_classes: int, **settings: Any) -> FloatArray:
    """Any of its aggregators; it leaves out items without votes, and orders classes by appearance."""
    import pandas as pd  # noqa: PLC0415  # comes with the package

    task, worker = np.nonzero(votes >= 0)
    long = pd.DataFrame({"task": task, "worker": worker, "label": votes[task, worker]})
    aggregator = getattr(import_module("crowdkit.aggregation"), name)(**settings)
    proba = aggregator.fit_predict_proba(long)
    aligned = proba.reindex(index=range(len(votes)), columns=range(n_classes))
    aligned[aligned.isna().all(axis=1)] = 1 / n_classes
    return np.asarray(aligned.fillna(0.0), dtype=float)


def by_dawid_skene(votes: IntArray, n_classes: int, classifier: FloatArray) -> FloatArray:
    """crowd-kit's, with a confusion matrix for each worker."""
    return _by_crowd_kit("DawidSkene", votes, n_classes)[None]


def by_glad(votes: IntArray, n_classes: int, classifier: FloatArray) -> FloatArray:
    """crowd-kit's, without its progress bar."""
    return _by_crowd_kit("GLAD", votes, n_classes, silent=True)[None]


def by_mace(votes: IntArray, n_classes: int, classifier: FloatArray) -> FloatArray:
    """crowd-kit's, with a fixed seed."""
    return _by_crowd_kit("MACE", votes, n_classes, random_state=0)[None]


def by_snorkel(votes: IntArray, n_classes: int, classifier: FloatArray) -> FloatArray:
    """LabelModel, with a fixed seed and the epochs of its tutorials."""
    model = import_module("snorkel.labeling.model").LabelModel(cardinality=n_classes, verbose=False)
    model.fit(votes, n_epochs=500, seed=123, progress_bar=False)
    return np.asarray(model.predict_proba(votes), dtype=float)[None]


def by_crowdlab(votes: IntArray, n_classes: int, classifier: FloatArray) -> FloatArray:
    """Consensus labels and their quality, a draw at a time; the rest of the probability is shared by other classes.

    It takes no items and no judges without votes: such items keep what the classifier says.
    """
    judge = import_module("cleanlab.multiannotator").get_label_quality_multiannotator
    seen, used = (votes >= 0).any(axis=1), (votes >= 0).any(axis=0)
    given = np.where(votes >= 0, votes, np.nan)[np.ix_(seen, used)]
    answers = classifier.astype(float).copy()
    for answer in answers:
        quality = judge(given, answer[seen], verbose=False)["label_quality"]
        label, score = (quality[f"consensus_{what}"].to_numpy() for what in ("label", "quality_score"))
        rows = np.repeat((1 - score[:, None]) / (n_classes - 1), n_classes, axis=1)
        rows[np.arange(len(rows)), label.astype(np.int64)] = score
        answer[seen] = rows
    return answers


PEERS: dict[str, Callable[[IntArray, int, FloatArray], FloatArray]] = {
    "Dawid-Skene (crowd-kit)": by_dawid_skene,
    "GLAD (crowd-kit)": by_glad,
    "MACE (crowd-kit)": by_mace,
    "LabelModel (Snorkel)": by_snorkel,
    "CROWDLAB (cleanlab)": by_crowdlab,
}


def give_up(signal_number: int, frame: Any) -> None:
    raise TimeoutError("did not finish in time")


def label(method: str, told: dict[str, Any], output: Path, seconds: int) -> str:
    """Write what it says, or return the error in words: that a package refuses is an answer too."""
    signal.alarm(seconds)
    try:
        np.save(output, PEERS[method](told["votes"].astype(np.int64), int(told["n_classes"]), told["classifier"]))
    except Exception as error:  # whatever a package says is its answer
        return f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
    return ""


def main() -> None:
    if len(sys.argv) == 1:
        print(json.dumps({package: version_of(package) for package in PACKAGES}))
        return
    file, folder, seconds = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    signal.signal(signal.SIGALRM, give_up)
    with np.load(file) as arrays:
        told = dict(arrays)
    said = {method: label(method, told, folder / f"{number}.npy", seconds) for number, method in enumerate(PEERS)}
    print(json.dumps({method: words for method, words in said.items() if words}))


if __name__ == "__main__":
    main()

"""Thresholds above which labels are precise enough, by MAPIE's controller, called as its own pages say.

Arguments: FILE. Each line of the file is a problem in JSON: ``precision``, ``level``, ``taught`` and ``certified``,
each a pair of lists, how sure the labels of gold items are and whether they are right; and whether it ``is_brief``,
without the way that takes far longer than the others. Printed is a line of versions, then one for each problem: by name
a threshold, null if none will do, or what the package said instead.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.workers.rate_intervals import version_of

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Judged = tuple[FloatArray, IntArray]
WAYS = ("MAPIE", "MAPIE, five starts", "MAPIE, split")
SLOW = WAYS[2:]


def find_threshold(way: str, precision: float, level: float, taught: Judged, certified: Judged) -> float | None:
    """Its default hundred thresholds: as it is, as a fixed sequence from five starts, or in the order learned first."""
    from mapie.risk_control import BinaryClassificationController  # noqa: PLC0415  # if it is installed
    from mapie.risk_control.fwer_control import FWERFixedSequenceTesting  # noqa: PLC0415

    ways: dict[str, dict[str, Any]] = {
        WAYS[0]: {},
        WAYS[1]: {
            "fwer_method": FWERFixedSequenceTesting(n_starts=5),
            "list_predict_params": np.linspace(0.99, 0, 100),
        },
        WAYS[2]: {"fwer_method": "split_fixed_sequence"},
    }
    controller: Any = BinaryClassificationController(
        lambda rows: np.column_stack([1 - rows[:, 0], rows[:, 0]]),
        "precision",
        precision,
        confidence_level=level,
        **ways[way],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if way == WAYS[2]:
            controller.learn_fixed_sequence_order(taught[0][:, None], taught[1])
        controller.calibrate(certified[0][:, None], certified[1])
    best = controller.best_predict_param
    return None if best is None else float(best)


def answer(way: str, told: dict[str, Any]) -> float | str | None:
    """A threshold, or the error in words: that a package refuses is an answer too."""
    taught, certified = (
        (np.array(sure, dtype=float), np.array(right, dtype=np.int64))
        for sure, right in (told["taught"], told["certified"])
    )
    try:
        return find_threshold(way, told["precision"], told["level"], taught, certified)
    except (ImportError, ValueError, RuntimeError, ArithmeticError) as error:
        return f"{type(error).__name__}: {error}"


def main() -> None:
    print(json.dumps({"MAPIE": version_of("mapie")}))
    for line in Path(sys.argv[1]).read_text().splitlines():
        told = json.loads(line)
        asked = [way for way in WAYS if not (told["is_brief"] and way in SLOW)]
        print(json.dumps({way: answer(way, told) for way in asked}))


if __name__ == "__main__":
    main()

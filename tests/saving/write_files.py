"""Files that later releases must load: python -m tests.saving.write_files 1_2, before 1.2 is tagged and never again.

Beside the models lies ``expected.json``: what each predicts on the nine possible rows of two votes, and what it proved.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import thumbwise as tw

HERE = Path(__file__).parent
ROWS = [[a, b] for a in (-1, 0, 1) for b in (-1, 0, 1)]


def models() -> dict[str, Any]:
    """Small fits of the kinds that keep most: a certificate with its box, opinions, a regression, rates."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=60)
    array = np.where(rng.random((60, 2)) < [0.9, 0.8], truth[:, None], 1 - truth[:, None])
    array[rng.random((60, 2)) < 0.2] = -1
    votes = tw.Votes(array, class_names=["ham", "spam"], item_ids=np.arange(60), rule_names=["short", "loud"])
    y = np.where(np.arange(60) < 30, truth, -1)
    opinions = [tw.opinions.InTiers("panel", 2), "majority", "learned"]
    known = votes.take(range(30)), truth[:30]
    box = tw.Box.from_gold(*known, pool=votes, gold_is="subset", opinions=opinions)  # type: ignore[arg-type]
    return {
        "BalsubramaniFreund": tw.BalsubramaniFreund(on_infeasible="widen").fit(votes, y),
        "BalsubramaniFreund-opinions": tw.BalsubramaniFreund(caution=0.5).fit(votes, box=box),
        "DawidSkene": tw.DawidSkene(prior_right=2, prior_wrong=1).fit(votes, y),
        "Stack": tw.Stack().fit(votes, y),
    }


def told(model: Any) -> dict[str, Any]:
    """What must stay: probabilities of the first class, and of a certificate its numbers."""
    rows = tw.Votes(ROWS, class_names=model.classes_.tolist(), rule_names=model.rule_names_)
    first = {"first": model.predict_proba(rows)[:, 0].round(6).tolist()}
    certificate = getattr(model, "certificate_", None)
    if certificate is None:
        return first
    return first | {
        "log_loss_bound": round(certificate.log_loss_bound, 6),
        "accuracy_at_least": round(certificate.accuracy_at_least, 6),
        "is_guarantee": certificate.is_guarantee,
    }


def main(release: str) -> None:
    """Write the files of a release into a folder of their own, which must not exist."""
    folder = HERE / f"written_{release}"
    folder.mkdir()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fits of sixty items warn of much
        made = models()
    for name, model in made.items():
        model.save(folder / f"{name}.json")
    expected = {name: told(model) for name, model in made.items()}
    (folder / "expected.json").write_text(json.dumps(expected, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])

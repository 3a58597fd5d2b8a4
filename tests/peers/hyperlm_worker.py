"""Run the network of the ``hyperlm`` package on some votes: ``python hyperlm_worker.py in.npz out.npz``.

Needs an interpreter that has torch and hyperlm; nothing of thumbwise. ``in.npz`` holds matrices of votes, -1 where a
rule abstains; ``out.npz`` gets the package's probabilities for each before (``single_raw_...``) and after
(``single_proba_...``) its rescaling, the same with the package's code run in double precision, and the arrays of the
checkpoint (``weights_...``). The checkpoint is loaded by torch's weights-only reader.
"""

from __future__ import annotations

import sys
from _codecs import encode
from pathlib import Path
from typing import Any

import numpy as np


def load_weights(folder: Path) -> dict[str, Any]:
    """Weights as torch reads them; scores of the training run need a few harmless names."""
    import torch
    from numpy._core.multiarray import scalar

    names = [np.dtype, encode, type(np.dtype("f8")), (scalar, "numpy.core.multiarray.scalar")]
    with torch.serialization.safe_globals(names):
        content = torch.load(folder / "checkpoint.pt", map_location="cpu", weights_only=True)
    return dict(content["model_state_dict"])


def answer(package: Any, weights: dict[str, Any], votes: Any) -> dict[str, Any]:
    """Probabilities for each matrix before and after the package's rescaling."""
    # Not by its constructor, which would load the file with no restriction.
    model = object.__new__(package.UnsupervisedWraper)
    model.device = "cpu"
    model.net = package.LELAGNN()
    model.net.load_state_dict(weights)
    model.net.eval()
    found: dict[str, Any] = {}
    for name in votes.files:
        raw = model.predict_prob(votes[name].astype(np.int64))
        found |= {f"raw_{name}": raw.copy(), f"proba_{name}": package.calibrate_probs(raw)}
    return found


def main(source: str, target: str) -> None:
    import hyperlm.hyper_label_model as package
    import torch

    weights = load_weights(Path(package.__file__).parent)
    found = {f"weights_{name}": value.numpy() for name, value in weights.items()}
    with np.load(source) as votes:
        found |= {f"single_{key}": value for key, value in answer(package, weights, votes).items()}
        torch.set_default_dtype(torch.float64)
        torch.Tensor.float = torch.Tensor.double  # the package casts to float throughout
        found |= {f"double_{key}": value for key, value in answer(package, weights, votes).items()}
    np.savez(target, **found)


if __name__ == "__main__":
    main(*sys.argv[1:])

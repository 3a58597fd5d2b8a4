"""Krippendorff's alpha by the package of that name: ``python krippendorff_worker.py in.npz out.npz``.

Needs an interpreter that has krippendorff; nothing of thumbwise. ``in.npz`` holds matrices of votes, items by rules, -1
where a rule abstains; ``out.npz`` gets a number for each.
"""

from __future__ import annotations

import sys

import numpy as np


def main(source: str, target: str) -> None:
    from krippendorff import alpha

    with np.load(source) as votes:
        answers = {
            name: alpha(
                reliability_data=np.where(votes[name] < 0, np.nan, votes[name].astype(float)).T,
                level_of_measurement="nominal",
            )
            for name in votes.files
        }
    np.savez(target, **answers)


if __name__ == "__main__":
    main(*sys.argv[1:])

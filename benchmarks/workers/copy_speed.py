"""How fast this machine copies memory.

Arguments: MEGABYTES warm|fresh.

``warm``: between two buffers that have been touched. ``fresh``: into memory that the process touches for the first
time, where the system has to find and clear every page; any method pays this for its output.
"""

from __future__ import annotations

import sys

import numpy as np

from benchmarks.workers.measuring import Stopwatch, report


def main() -> None:
    size, kind = int(float(sys.argv[1]) * 1e6), sys.argv[2]
    source = np.ones(size, dtype=np.uint8)
    target = np.ones(size, dtype=np.uint8) if kind == "warm" else np.empty(size, dtype=np.uint8)
    with Stopwatch() as watch:
        np.copyto(target, source)
    # A copy of n bytes reads n and writes n.
    report(watch, ("numpy",), gb_per_second=2 * size / watch.seconds / 1e9)


if __name__ == "__main__":
    main()

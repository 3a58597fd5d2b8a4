"""How much memory a file that is made for it takes when it is loaded as a model: ``python -m fuzz.model_memory``.

Every list of every model in ``tests/saving/written`` is made long in turn, of entries that are short in a file and
large in memory; loading it, refused or not, is watched by tracemalloc. The worst of each kind of entry is then made
``--mb`` megabytes large and loaded in a process of its own, whose largest memory, less what it took before, is divided
by the size of the file.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import thumbwise as tw
from fuzz.mutations import Place, at, places

MODELS = Path(__file__).parents[1] / "tests" / "saving" / "written"
ENTRIES = ("0", "0.5", "[]", "{}", '{"":0}', '""', '"a"', "null", '"\\ud83d\\ude00"')
_MARK = "@here@"
_SMALL = 20_000

_LOAD = """
import sys
import thumbwise as tw
def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) * 1024
try:
    tw.load(sys.argv[1])
except tw.ThumbwiseError:
    pass
before = peak()
try:
    tw.load(sys.argv[2])
    print(peak() - before, "is loaded")
except tw.ThumbwiseError as error:
    print(peak() - before, "is refused:", " ".join(str(error).split())[-110:])
"""


def longest_lists() -> Iterator[tuple[Path, Place, str]]:
    """Every list of every model: its file, its place, and the file's text with a mark in place of the list."""
    for path in sorted(MODELS.glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        for place in places(document):
            if place and isinstance(at(document, place), list):
                changed = json.loads(json.dumps(document))
                at(changed, place[:-1])[place[-1]] = _MARK
                yield path, place, json.dumps(changed)


def made_long(text: str, entry: str, n_bytes: int) -> str:
    """The text with a list of this entry, of about so many bytes, at its mark."""
    n_entries = n_bytes // (len(entry) + 1)
    return text.replace(json.dumps(_MARK), f"[{','.join([entry] * n_entries)}]")


def traced(file: Path, text: str, entry: str) -> float:
    """By how much the largest memory grows with the size of the list: what loading takes anyway does not count."""
    peaks = []
    for n_bytes in (_SMALL, 2 * _SMALL):
        file.write_text(made_long(text, entry, n_bytes), encoding="utf-8")
        tracemalloc.start()
        with suppress(tw.ThumbwiseError):
            tw.load(file)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return (peaks[1] - peaks[0]) / _SMALL


def alone(path: Path, known: Path) -> tuple[float, str]:
    """The same, of the memory of a process that has loaded a usual model before; and what came of it."""
    call = [sys.executable, "-c", _LOAD, str(known), str(path)]
    said = subprocess.run(call, capture_output=True, text=True, check=True).stdout  # noqa: S603  # our own
    peak, _, words = said.strip().partition(" ")
    return int(peak) / path.stat().st_size, words


def main() -> None:
    """A row for each kind of entry: the worst list, and how many times its size it takes."""
    parser = argparse.ArgumentParser("python -m fuzz.model_memory", description=__doc__)
    parser.add_argument("entries", nargs="*", metavar="ENTRY", help=f"as JSON has them [default: {' '.join(ENTRIES)}]")
    parser.add_argument("--mb", type=float, default=20)
    given = parser.parse_args()
    found: dict[str, tuple[float, Path, Place, str]] = {}
    n_tried = 0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "model.json")
        for path, place, text in longest_lists():
            for entry in given.entries or ENTRIES:
                n_tried += 1
                times = traced(file, text, entry)
                if entry not in found or times > found[entry][0]:
                    found[entry] = times, path, place, text
        print(f"{n_tried:,} lists made long\n| entries | list | times its size | it |\n|---|---|---:|---|")
        for entry, (_, path, place, text) in found.items():
            file.write_text(made_long(text, entry, int(given.mb * 1e6)), encoding="utf-8")
            times, words = alone(file, path)
            words = words.replace(str(file), file.name)
            print(f"| `{entry}` | {path.stem}: {'.'.join(map(str, place))} | {times:.0f} | {words} |", flush=True)


if __name__ == "__main__":
    main()

"""How much of the code a newcomer meets on three walks: ``python -m studies.walks``.

Each walk runs in a process of its own, after everything is imported, under a tracer: modules, rooms and functions of
the package whose code runs, imports aside. A room is what stands after ``thumbwise.`` in the name of a module. Printed
beside it: how often patterns are predicted, and how many questions the items in files are asked.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import numpy as np

import thumbwise

_PACKAGE = Path(thumbwise.__file__).parent


def write_files(folder: Path) -> None:
    """Votes of three rules on 400 items, in one file and in two, and a hundred gold labels."""
    import pandas as pd  # noqa: PLC0415  # for the files alone

    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=400)
    is_right = rng.random((400, 3)) < [0.9, 0.8, 0.7]
    names = np.array(["ham", "spam"])
    votes = pd.DataFrame(names[np.where(is_right, truth[:, None], 1 - truth[:, None])], columns=["a", "b", "c"])
    votes.insert(0, "id", np.arange(400))
    votes.to_csv(folder / "votes.csv", index=False)
    (folder / "votes").mkdir()
    for part in range(2):
        votes[part::2].to_parquet(folder / "votes" / f"{part}.parquet", index=False)
    gold = rng.choice(400, 100, replace=False)
    pd.DataFrame({"id": gold, "label": names[truth[gold]]}).to_csv(folder / "gold.csv", index=False)


def label_one_file(folder: Path) -> None:
    """``thumbwise label votes.csv --gold gold.csv -o labels.csv``."""
    _label(folder / "votes.csv", folder, folder / "labels.csv")


def label_many_files(folder: Path) -> None:
    """``thumbwise label 'votes/*.parquet' --gold gold.csv -o labels``."""
    _label(folder / "votes" / "*.parquet", folder, folder / "labels")


def fit_and_predict(folder: Path) -> None:
    """``BalsubramaniFreund().fit(votes, y).predict_proba(votes)`` on an array."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=400)
    votes = np.where(rng.random((400, 3)) < [0.9, 0.8, 0.7], truth[:, None], 1 - truth[:, None])
    y = np.where(np.arange(400) < 100, truth, -1)
    thumbwise.BalsubramaniFreund().fit(votes, y).predict_proba(votes)


def _label(votes: Path, folder: Path, output: Path) -> None:
    from typer.testing import CliRunner  # noqa: PLC0415

    from thumbwise.cli.main import app  # noqa: PLC0415

    arguments = ["label", str(votes), "--gold", str(folder / "gold.csv"), "-o", str(output)]
    answer = CliRunner().invoke(app, arguments, catch_exceptions=False)
    if answer.exit_code != 0:
        raise RuntimeError(answer.stderr)


WALKS: dict[str, Callable[[Path], None]] = {
    "thumbwise label votes.csv": label_one_file,
    "fit + predict_proba": fit_and_predict,
    "thumbwise label 'votes/*.parquet'": label_many_files,
}


def trace(walk: Callable[[Path], None], folder: Path) -> dict[str, int]:
    """Distinct modules, rooms and functions that run, and how often patterns are predicted."""
    met: dict[tuple[str, str, int], int] = {}

    def look(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(_PACKAGE)) and code.co_name != "<module>":
            key = (code.co_filename, code.co_qualname, code.co_firstlineno)
            met[key] = met.get(key, 0) + 1

    sys.setprofile(look)
    try:
        with redirect_stdout(StringIO()):
            walk(folder)
    finally:
        sys.setprofile(None)
    functions = {key for key in met if not key[1].endswith((">", "__init_subclass__"))}
    modules = {Path(name).relative_to(_PACKAGE).with_suffix("") for name, _, _ in functions}
    predicted = sum(n for (_, name, _), n in met.items() if name == "BalsubramaniFreund._predict_patterns")
    return {
        "modules": len(modules),
        "rooms": len({module.parts[0] for module in modules}),
        "functions": len(functions),
        "predictions": predicted,
    }


def main() -> None:
    """One walk by its number, or all of them as a table."""
    if len(sys.argv) > 1:
        name = list(WALKS)[int(sys.argv[1])]
        with TemporaryDirectory() as first, TemporaryDirectory() as second:
            for folder in (Path(first), Path(second)):
                write_files(folder)
            WALKS[name](Path(first))  # everything is imported
            counts = trace(WALKS[name], Path(second))
        print(f"| `{name}` | {' | '.join(map(str, counts.values()))} |")
        return
    print("| walk | modules | rooms | functions | patterns predicted |\n|---|---|---|---|---|")
    for number in range(len(WALKS)):
        command = [sys.executable, "-m", "studies.walks", str(number)]
        answer = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603  # ourselves
        print(answer.stdout, end="")


if __name__ == "__main__":
    main()

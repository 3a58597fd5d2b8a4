"""Walk-throughs of CONTRIBUTING: their files, in a copy of the tree, are all that a moment or a model needs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"```python\n# (\S+\.py)\n(.*?)```", re.DOTALL)
FILES = dict(BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text()))
MOMENT = ("src/thumbwise/box/moments/of_agreement.py", "tests/theory/test_unanimous_accuracy.py")
MODEL = ("src/thumbwise/models/agreement.py", "tests/conformance/test_agreement.py")


@pytest.fixture(name="copy")
def _copy(tmp_path: Path) -> Path:
    for name in ("src", "tests", "pyproject.toml", "conftest.py"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tmp_path / name)
    return tmp_path


def run(copy: Path, *command: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(copy / "src")}
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=copy, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    return done.stdout


def add(copy: Path, names: tuple[str, ...]) -> None:
    for name in names:
        assert not (copy / name).exists()
        (copy / name).write_text(FILES[name])


def test_these_are_the_files() -> None:
    assert set(FILES) == {*MOMENT, *MODEL}


@pytest.mark.parametrize(
    ("names", "laws"),
    [
        (MOMENT, ["tests/laws/test_layers.py"]),
        (
            MODEL,
            [
                "tests/laws/test_layers.py",
                "tests/conformance/test_order_and_names_do_not_matter.py",
                "tests/conformance/test_probabilities.py",
            ],
        ),
    ],
    ids=["moment", "model"],
)
def test_a_file_and_its_test_are_enough(copy: Path, names: tuple[str, ...], laws: list[str]) -> None:
    add(copy, names)
    printed = run(copy, "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", names[1], *laws)
    assert re.search(r"\d+ passed", printed)


def test_they_are_as_clean_as_the_rest(copy: Path) -> None:
    pytest.importorskip("mypy")
    add(copy, (*MOMENT, *MODEL))
    run(copy, "ruff", "check", *FILES)
    run(copy, "ruff", "format", "--check", *FILES)
    run(copy, "mypy", "--follow-imports=silent", *FILES)

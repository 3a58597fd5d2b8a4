"""Every command on machines that are unlike a developer's: it ends as it does here, and writes the same files."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from fuzz.attacks.attempts import calls
from fuzz.attacks.victims import COMMANDS, OUTPUTS, make_victims
from rich.cells import cell_len
from typer.testing import CliRunner

from machines.locales import LOCALES, make_locale
from thumbwise.cli.main import app

ROOT = Path(__file__).parents[2]
NOBODY = 65534
Ended = dict[str, list[Any]]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="commands run in forks")


@pytest.fixture(scope="module")
def victims(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_victims(tmp_path_factory.mktemp("home") / "victims")


def on_a_machine(
    victims: Path,
    folder: Path,
    *,
    options: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    without: Sequence[str] = (),
    user: int | None = None,
) -> Ended:
    kept = {name: value for name, value in os.environ.items() if name not in without}
    script = [sys.executable, *options, "-m", "fuzz.attacks.one_machine", str(victims)]
    done = subprocess.run(
        script if user is None else [*script, str(user)],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(ROOT), **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    ended: Ended = json.loads(done.stdout)
    return ended


@pytest.fixture(scope="module")
def usual(victims: Path, tmp_path_factory: pytest.TempPathFactory) -> Ended:
    ended = on_a_machine(victims, tmp_path_factory.mktemp("usual"))
    assert [(words, code) for words, (_, code, _) in ended.items()] == [(words, 0) for words, _ in calls()]
    assert all(set(written.values()) != {"nothing"} for _, _, written in ended.values())
    return ended


MACHINES: dict[str, dict[str, Any]] = {
    "no home, no user, and warnings are errors": {
        "without": ["HOME", "USER", "LOGNAME", "XDG_CACHE_HOME", "TMPDIR"],
        "options": ["-W", "error"],
    },
    "ASCII only": {"env": {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}},
    "neither asserts nor docstrings": {"options": ["-OO"]},
}


@pytest.mark.parametrize("name", MACHINES)
def test_it_is_the_same_there(name: str, victims: Path, usual: Ended, tmp_path: Path) -> None:
    assert on_a_machine(victims, tmp_path, **MACHINES[name]) == usual


@pytest.mark.parametrize("name", LOCALES)
def test_it_is_the_same_in_other_locales(name: str, victims: Path, usual: Ended, tmp_path: Path) -> None:
    env = make_locale(name, tmp_path)
    (tmp_path / "home").mkdir()
    assert on_a_machine(victims, tmp_path / "home", env=env) == usual


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_it_is_the_same_for_an_unprivileged_user(victims: Path, usual: Ended) -> None:
    if not all(place.stat().st_mode & 0o001 for place in Path(os.__file__).parents):
        pytest.skip("Python itself lies in a folder that is closed to others: what is imported late could not be")
    with tempfile.TemporaryDirectory() as name:  # what lies below tmp_path is closed to others, again and again
        folder = Path(name)
        shutil.copytree(victims, folder / "victims")
        os.chown(folder, NOBODY, NOBODY)
        assert on_a_machine(folder / "victims", folder, user=NOBODY) == usual


@cache
def shown(name: str, width: int, victims: Path) -> str:
    """What a screen of this width shows; as a file of JSON there is nothing to fit."""
    arguments = [a for a in COMMANDS[name] if a not in ("--json", "said.json")]
    for output in OUTPUTS:
        shutil.rmtree(victims / output, ignore_errors=True)
        (victims / output).unlink(missing_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(victims)
        patch.setattr("thumbwise.cli.console._WIDE", width)
        patch.setenv("COLUMNS", str(width))
        answer = CliRunner().invoke(app, [name, *arguments])
    assert answer.exit_code == 0, answer.output
    return re.sub(r"\x1b\[[0-9;]*m", "", answer.stdout)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "sql"])
def test_a_screen_of_40_columns(name: str, victims: Path) -> None:
    """No line is wider, and no number is split over two lines: each is one that a wide screen shows too."""
    assert all(cell_len(line) <= 40 for line in shown(name, 40, victims).splitlines())
    if name == "compare":  # its numbers include how many seconds each method took
        return
    numbers = {w: set(re.findall(r"(?<![\w.,-])\d+\.\d+(?![\w.])", shown(name, w, victims))) for w in (40, 200)}
    assert numbers[40] == numbers[200]


def test_screens_show_numbers(victims: Path) -> None:
    """What is compared above is not nothing."""
    counts = [len(re.findall(r"\d+\.\d+", shown(name, 40, victims))) for name in COMMANDS if name != "sql"]
    assert sum(counts) > 100
    assert sum(count > 0 for count in counts) >= 10

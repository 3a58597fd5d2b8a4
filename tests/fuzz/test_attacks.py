"""A few of each kind of attack, and endings that must be seen as failures; ``python -m fuzz.attacks`` tries all."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from fuzz.attacks.children import Ended, complaint

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks, pipes, and disks that are mounted")

ROOT = Path(__file__).parents[2]
KINDS = (
    "odd inputs", "odd outputs", "modes of files that are replaced", "names planted beside outputs",
    "words of options", "cells of tables", "names that are printed", "standard streams closed or full",
    "a disk that may only be read", "a full disk", "project files", "requests to the bench",
    "gold files that were edited",
)  # fmt: skip


def attack(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fuzz.attacks", *options],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("kinds", [KINDS[:5], KINDS[5:]])
def test_none_of_a_few_attacks_succeeds(kinds: tuple[str, ...]) -> None:
    """Drawn with another seed than by default; races are in ``tests/io/test_untrusted_paths.py``."""
    done = attack("--most", "4", "--seed", "5", *(word for kind in kinds for word in ("--only", kind)))
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    rows = dict(re.findall(r"^(.*\S) +tried +(\d+) +failures +0$", done.stdout, re.MULTILINE))
    assert rows.keys() == set(kinds)
    assert all(n == "4" for kind, n in rows.items() if "disk" not in kind or os.geteuid() == 0)
    assert done.stdout.endswith("\n0 failures left\n")


_REACH = """
import sys, tempfile
from pathlib import Path
from fuzz.attacks.apart import go_apart
go_apart("reach")
for folder in (sys.argv[1], "/", "/dev", tempfile.gettempdir()):
    try:
        Path(folder, "thumbwise-reaches-this").write_text("x")
        print("written", end=" ")
    except OSError as error:
        print(error.strerror, end=", ")
"""


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("unshare") is None, reason="nobody else is kept apart")
def test_an_administrators_attacks_reach_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "reach.py").write_text(_REACH)
    done = subprocess.run(
        [sys.executable, "-m", "reach", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("Read-only file system, " * 3 + "written ", "")
    assert [path.name for path in tmp_path.iterdir() if path.name != "__pycache__"] == ["reach.py"]
    assert not any(Path(place, "thumbwise-reaches-this").exists() for place in ("/", "/dev", tempfile.gettempdir()))


def test_parts_are_all_of_a_list_and_share_nothing() -> None:
    """Counts of parts may be added up."""
    words = ["--only", "odd inputs", "--words", "sql, model.json is no"]
    whole = attack(*words).stdout
    parts = [attack(*words, "--part", f"{first}/2").stdout for first in (1, 2)]
    counts = [int(re.findall(r"tried +(\d+)", said)[0]) for said in (whole, *parts)]
    assert counts == [3, 2, 1]
    assert attack("--part", "3/2").returncode == 2


BROKEN = {
    "a hang": Ended(None, "", ""),
    "a traceback": Ended(2, "", "Traceback (most recent call last):\nKeyError: 1\n"),
    "a crash": Ended(-11, "", ""),
    "an exit code that nobody knows": Ended(70, "", ""),
    "a refusal without a message": Ended(2, "", "warning: this\n"),
    "a control character": Ended(0, "a\x1b[2J", ""),
    "a text that is turned around": Ended(0, "", "a\u202eb"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_an_ending_that_is_wrong_is_seen(what: str, tmp_path: Path) -> None:
    assert complaint(BROKEN[what], tmp_path)


def test_what_is_left_behind_is_seen_and_a_good_ending_is_good(tmp_path: Path) -> None:
    fine = [
        Ended(0, "labels\n", "a remark\n"),
        Ended(2, "", "a remark\nerror: no.\n"),
        Ended(2, "", "Usage: thumbwise\n"),
    ]
    assert [complaint(ended, tmp_path) for ended in fine] == [None, None, None]
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / f".thumbwise-{'0' * 12}-{'1' * 16}.part").mkdir()
    assert "behind" in str(complaint(fine[0], tmp_path))

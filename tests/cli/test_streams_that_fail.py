"""Standard streams that are full or closed, and options that no list can be made of: a message and exit code 2."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from thumbwise.cli.endings import reported

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/dev/full")

RUN = [sys.executable, "-c", "from thumbwise.cli.main import main; main()"]


def run(*options: str, stdout: str | None = None, before: Callable[[], None] | None = None) -> tuple[int, str]:
    with Path(stdout or os.devnull).open("w", encoding="utf-8") as place:
        ended = subprocess.run(
            [*RUN, *options], stdin=subprocess.DEVNULL, stdout=place, stderr=subprocess.PIPE, text=True,
            preexec_fn=before, check=False, timeout=120,
        )  # fmt: skip
    return ended.returncode, ended.stderr


@pytest.mark.parametrize("options", [("--version",), ("label", "--help"), ("demo",)])
def test_a_full_standard_output_is_said(options: tuple[str, ...]) -> None:
    code, said = run(*options, stdout="/dev/full")
    assert (code, said) == (2, "error: standard output cannot be read or written: No space left on device.\n")


def test_a_closed_standard_output_is_said() -> None:
    code, said = run("--version", before=lambda: os.close(1))
    assert (code, said) == (2, "error: standard output cannot be read or written: Bad file descriptor.\n")


def test_without_any_stream_a_mistake_is_still_one() -> None:
    assert run("label", "none.csv", before=lambda: os.closerange(0, 3)) == (2, "")


def test_a_file_does_not_take_the_place_of_a_closed_stream(tmp_path: Path) -> None:
    (tmp_path / "votes.csv").write_text("id,a\n1,0\n2,1\n")
    before = (tmp_path / "votes.csv").read_bytes()
    run("read", str(tmp_path / "votes.csv"), before=lambda: os.closerange(0, 3))
    assert (tmp_path / "votes.csv").read_bytes() == before


@pytest.mark.parametrize("option", ["--classes", "--codes"])
def test_a_list_with_a_line_break(tmp_path: Path, option: str) -> None:
    (tmp_path / "votes.csv").write_text("id,a\n1,0\n2,1\n")
    code, said = run("label", str(tmp_path / "votes.csv"), option, "0=a\nb,1=c")
    assert code == 2
    assert said.startswith("error: a list must be written in one line, with commas between its parts; found '0=a\\nb")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "full"), "standard output cannot be read or written: full."),
        (OSError(errno.ENOSPC, "full", "a\u202e.csv"), r"a\u202e.csv cannot be read or written: full."),
        (OSError(errno.EAGAIN, "no more processes"), "the system refuses what this takes: no more processes."),
        (OSError(errno.ENOMEM, "no memory"), "the system refuses what this takes: no memory."),
        (OSError(errno.EADDRINUSE, "in use"), "the system refuses what this takes: in use."),
    ],
)
def test_only_what_is_printed_is_called_standard_output(
    error: OSError, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as ended, reported():
        raise error
    assert ended.value.exit_code == 2
    assert capsys.readouterr().err == f"error: {said}\n"


def test_an_error_that_no_system_made_is_a_bug() -> None:
    with pytest.raises(OSError, match="ours"), reported():
        raise OSError("ours")

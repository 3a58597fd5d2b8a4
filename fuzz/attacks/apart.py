"""A place apart: all disks may only be read but for a new one in memory, and there is no network.

Attacks that are tried by an administrator hit whatever the code under attack fails to spare. Here they cannot.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

_INSIDE = "THUMBWISE_ATTACKS_APART"
# Where every Linux has a disk in memory: a new one is laid over it, seen by this process and its children only.
_PLACE = "/dev/shm"  # noqa: S108  # it is the one that is laid there
# Nobody makes files in these, and children of this process need them as they are.
_OF_THE_KERNEL = ("/proc", "/sys")


def go_apart(module: str) -> None:
    """Start the module again apart, with the same arguments, unless it is there; only administrators can and must."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        return
    if _INSIDE not in os.environ:
        call = ["unshare", "--mount", "--net", sys.executable, "-m", module, *sys.argv[1:]]
        os.execvpe(call[0], call, {**os.environ, _INSIDE: "1"})  # noqa: S606  # our own
    _close_off()


def _close_off() -> None:
    _mount("--make-rprivate", "/")
    _mount("-t", "tmpfs", "-o", "size=4g,mode=1777", "tmpfs", _PLACE)
    for disk in _disks():
        if disk != _PLACE and not disk.startswith(_OF_THE_KERNEL):
            _mount("-o", "remount,bind,ro", disk)
    if shutil.which("ip") is not None:
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    os.environ["TMPDIR"] = tempfile.tempdir = _PLACE
    probe = Path("/attacks-reach-this")
    try:
        probe.touch()
    except OSError:
        return
    probe.unlink()
    raise SystemExit("the attacks could reach other files than their own: nothing is tried")


def _disks() -> list[str]:
    """Where disks are mounted; blanks and other odd letters are written as octal numbers."""
    lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    return [line.split()[4].encode().decode("unicode_escape") for line in lines]


def _mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True)

"""Locales that a machine need not have, made for a test where their sources lie."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

LOCALES = {"tr_TR.UTF-8": ("tr_TR", "UTF-8"), "de_DE.ISO-8859-1": ("de_DE", "ISO-8859-1")}


def make_locale(name: str, folder: Path) -> dict[str, str]:
    """Make a locale in a folder; the environment in which it is used. Skips where it cannot be made."""
    if shutil.which("localedef") is None or not Path("/usr/share/i18n/locales", LOCALES[name][0]).exists():
        pytest.skip("no sources of locales: Debian's package locales has them")
    language, encoding = LOCALES[name]
    made = ["localedef", "-i", language, "-f", encoding, str(folder / name)]
    subprocess.run(made, check=False, capture_output=True)  # warns of much, with an exit code
    if not (folder / name).is_dir():
        pytest.skip(f"localedef makes no {name} here")
    return {"LC_ALL": name, "LOCPATH": str(folder), "PYTHONUTF8": "0"}

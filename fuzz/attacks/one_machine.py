"""Runs every command and prints how each ended, as JSON: ``python OPTIONS -m fuzz.attacks.one_machine VICTIMS``.

What starts it makes the machine strange: other options of Python, another environment, another user. The locale is that
of the environment, as under programs that honour it.
"""

from __future__ import annotations

import hashlib
import json
import locale
import os
import shutil
import sys
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

from fuzz.attacks.attempts import calls  # noqa: E402  # NumPy reads the variables when it is first imported
from fuzz.attacks.children import complaint, load_all, run  # noqa: E402
from fuzz.attacks.victims import OUTPUTS  # noqa: E402


def main(victims: Path, user: int | None) -> None:
    """By command: what is wrong with how it ended, its exit code, and a digest of each file that it wrote."""
    locale.setlocale(locale.LC_ALL, "")
    load_all()
    if user is not None:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    print(json.dumps({words: _one(arguments, victims, number) for number, (words, arguments) in enumerate(calls())}))


def _one(arguments: tuple[str, ...], victims: Path, number: int) -> tuple[str | None, int | None, dict[str, str]]:
    folder = Path.cwd() / f"command-{number}"
    shutil.copytree(victims, folder)
    ended = run(arguments, folder)
    return complaint(ended, folder), ended.code, {name: _digest(folder / name) for name in OUTPUTS}


def _digest(path: Path) -> str:
    """Of a file or a folder of files; of JSON without seconds that something took, of tables in any order of rows."""
    if path.is_dir():
        return " ".join(_digest(file) for file in sorted(path.iterdir()))
    if not path.exists():
        return "nothing"
    content = path.read_bytes()
    if path.suffix == ".json":
        content = json.dumps(_timeless(json.loads(content)), sort_keys=True).encode()
    if path.suffix == ".csv":
        content = b"\n".join(sorted(content.split(b"\n")))  # of many files, DuckDB's threads write as they come
    return hashlib.sha256(content).hexdigest()


def _timeless(value: object) -> object:
    if isinstance(value, dict):
        return {key: _timeless(inner) for key, inner in value.items() if key != "seconds"}
    return [_timeless(inner) for inner in value] if isinstance(value, list) else value


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None)

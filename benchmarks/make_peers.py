"""Make the environment of the peers: ``python -m benchmarks.make_peers [DIRECTORY]``, by default ``benchmarks/.peers``.

Prints the interpreter to hand to ``python -m benchmarks --peers``. ``--requirements`` names another file of packages:
``benchmarks/rate-peers-requirements.txt`` is for ``python -m studies.rate_peers``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
PEERS = HERE / ".peers"
REQUIREMENTS = HERE / "peers-requirements.txt"


def python_of(environment: Path) -> Path:
    """Interpreter of a virtual environment."""
    return environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def install_command(environment: Path, requirements: Path = REQUIREMENTS) -> list[str]:
    """What installs the peers; the constraint keeps CUDA out where builds without it are offered."""
    constraints = HERE.parent / ".ci" / "constraints.txt"
    pip = [str(python_of(environment)), "-m", "pip", "install", "--quiet"]
    limits = ["--constraint", str(constraints)] if constraints.exists() else []
    return [*pip, *limits, "--requirement", str(requirements)]


def main() -> None:
    parser = argparse.ArgumentParser("python -m benchmarks.make_peers", description="Install what is compared.")
    parser.add_argument("directory", nargs="?", type=Path, default=PEERS)
    parser.add_argument("--requirements", type=Path, default=REQUIREMENTS, help="by default Snorkel and crowd-kit")
    given = parser.parse_args()
    environment = given.directory
    venv.create(environment, with_pip=True)
    (environment / ".gitignore").write_text("*\n")
    subprocess.run(install_command(environment, given.requirements), check=True)
    print(python_of(environment).absolute())


if __name__ == "__main__":
    main()

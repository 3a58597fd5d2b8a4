"""What an audit of dependencies answered: python3 .ci/audited.py ANSWERS.json, as pip-audit writes it.

A package that the service does not know, or a service that cannot be asked, is no good news and is not printed as such.
Exit code 1 for a known vulnerability; with THUMBWISE_REQUIRE_AUDIT=1 also if there is no answer for some package.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any


def main(path: Path) -> int:
    """Print counts, and each vulnerability; the exit code."""
    packages: list[dict[str, Any]] = (
        json.loads(path.read_text(encoding="utf-8"))["dependencies"] if path.exists() else []
    )
    answered = [package for package in packages if "vulns" in package]
    for package in answered:
        for known in package["vulns"]:
            mended = ", ".join(known.get("fix_versions", [])) or "no version yet"
            print(f"{package['name']} {package['version']}: {known['id']}, mended in {mended}")
    n_bad = sum(bool(package["vulns"]) for package in answered)
    if not answered:
        print("nothing was audited: the list of known vulnerabilities cannot be asked from here")
    else:
        print(f"{len(answered)} of {len(packages)} packages audited, {n_bad} with known vulnerabilities")
    is_complete = bool(packages) and len(answered) == len(packages)
    return int(n_bad > 0 or (not is_complete and os.environ.get("THUMBWISE_REQUIRE_AUDIT") == "1"))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

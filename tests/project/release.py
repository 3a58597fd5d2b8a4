"""What a release must be, looked at without installing anything.

``python tests/project/release.py versions [TAG]`` compares the version in all places where it stands, and with a tag;
``python tests/project/release.py files DIST`` compares the contents of wheel and sdist with the tree.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "thumbwise"
# What a wheel needs beside Python: without one of these something fails only when it is used.
ASSETS = ("py.typed", "display/report/page.html.jinja", "display/report/page.js", "bench/page/index.html")
# What users of the sdist build, test and read with.
NEEDED = (
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "CITATION.cff",
    "PKG-INFO",
    "conftest.py",
    ".ci/run",
)
NEVER = re.compile(r"__pycache__|\.py[co]$|\.egg-info|_cache/|^(?:build|dist|site)/|^\.(?!ci/|github/)[^/]+/")


def read_version(root: Path = ROOT) -> str:
    """The version of the package: it stands in ``__init__.py``, and pyproject.toml takes it from there."""
    text = (root / "src" / PACKAGE / "__init__.py").read_text(encoding="utf-8")
    return _one(r'^__version__ = "([^"]+)"$', text)


def find_disagreements(tag: str | None = None, root: Path = ROOT) -> list[str]:
    """Each place that says another version, in words; a release also needs a date in the changelog."""
    version = read_version(root)
    cited = _one(r"^version: (\S+)$", (root / "CITATION.cff").read_text(encoding="utf-8"))
    top, date = top_release((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    said = {"CITATION.cff": cited, "the top release in CHANGELOG.md": top}
    said |= (
        {} if tag is None else {f"the tag {tag}": tag.removeprefix("v") if tag.startswith("v") else tag + " without v"}
    )
    wrong = [f"{place} says {other}, the package {version}" for place, other in said.items() if other != version]
    undated = [f"CHANGELOG.md has no date for {top}"] if tag is not None and date is None else []
    return wrong + undated


def top_release(changelog: str) -> tuple[str, str | None]:
    """Version and date of the first heading of a release, below what is unreleased."""
    found = re.search(r"^## (\d+\.\d+\.\d+\S*)(?: \((\d{4}-\d{2}-\d{2})\))?$", changelog, re.MULTILINE)
    return (found[1], found[2]) if found is not None else ("none", None)


def _one(pattern: str, text: str) -> str:
    (found,) = re.findall(pattern, text, re.MULTILINE)
    return str(found)


def find_strangers(dist: Path, root: Path = ROOT) -> list[str]:
    """What is in wheel or sdist and should not be, or the other way round, in words."""
    version = read_version(root)
    wheel, sdist = _only(dist, "*.whl"), _only(dist, "*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        in_wheel = [name for name in archive.namelist() if not name.endswith("/")]
    with tarfile.open(sdist) as tar:
        in_sdist = [member.name for member in tar.getmembers() if member.isfile()]
    tracked = tracked_files(root)
    return [*wheel_strangers(in_wheel, version, tracked), *sdist_strangers(in_sdist, version, tracked)]


def wheel_strangers(names: Iterable[str], version: str, tracked: set[str]) -> Iterator[str]:
    """The wheel holds the package as it is in the repository, its metadata and its licence, and nothing else."""
    about = f"{PACKAGE}-{version}.dist-info/"
    inside = {name for name in names if not name.startswith(about)}
    metadata = {name.removeprefix(about) for name in names if name.startswith(about)}
    expected = {name.removeprefix("src/") for name in tracked if name.startswith(f"src/{PACKAGE}/")}
    yield from _compare("wheel", inside, expected)
    yield from _compare(
        "metadata of the wheel", metadata, {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
    )
    yield from (f"wheel: no {name}" for name in ASSETS if f"{PACKAGE}/{name}" not in inside)


def sdist_strangers(names: Iterable[str], version: str, tracked: set[str]) -> Iterator[str]:
    """The sdist holds files of the repository, each under one folder, and what it was made with."""
    folder = f"{PACKAGE}-{version}/"
    yield from (f"sdist: {name} is outside {folder}" for name in names if not name.startswith(folder))
    inside = {name.removeprefix(folder) for name in names}
    yield from (f"sdist: {name} is not in the repository" for name in sorted(inside - tracked - {"PKG-INFO"}))
    yield from (f"sdist: {name} is a cache" for name in sorted(inside) if NEVER.search(name))
    yield from (f"sdist: no {name}" for name in NEEDED if name not in inside)
    rooms = {PurePosixPath(name).parts[0] for name in ("src/", "tests/", "docs/")}
    left_out = {name for name in tracked - inside if PurePosixPath(name).parts[0] in rooms}
    yield from (f"sdist: {name} was left out" for name in sorted(left_out))


def _compare(what: str, found: set[str], expected: set[str]) -> Iterator[str]:
    yield from (f"{what}: {name} should not be there" for name in sorted(found - expected))
    yield from (f"{what}: no {name}" for name in sorted(expected - found))


def tracked_files(root: Path = ROOT) -> set[str]:
    """Files of the repository; in an unpacked sdist, which is none, all files but caches."""
    if (root / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True)
        return {name for name in listed.stdout.split("\0") if name and (root / name).exists()}
    every = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    return {name for name in every if not NEVER.search(name)}


def _only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def main(arguments: list[str]) -> int:
    """Print what is wrong, if anything; the exit code says whether."""
    match arguments:
        case ["versions", *tag]:
            wrong = find_disagreements(tag[0] if tag else None)
        case ["files", dist]:
            wrong = find_strangers(Path(dist))
        case _:
            wrong = [str(__doc__)]
    print("\n".join(wrong) or f"{arguments[0]}: all as it should be, version {read_version()}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The version is one everywhere, and what does not belong into the files of a release is seen."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import thumbwise
from project import release
from project.release import ROOT, find_disagreements, sdist_strangers, top_release, tracked_files, wheel_strangers

VERSION = thumbwise.__version__
TRACKED = {f"src/thumbwise/{name}" for name in ("__init__.py", *release.ASSETS)} | {
    *release.NEEDED,
    "tests/a.py",
    "docs/a.md",
}
ABOUT = f"thumbwise-{VERSION}.dist-info"
WHEEL = {name.removeprefix("src/") for name in TRACKED if name.startswith("src/")} | {
    *(f"{ABOUT}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")),
}
SDIST = {f"thumbwise-{VERSION}/{name}" for name in TRACKED}


def test_the_version_is_one() -> None:
    assert find_disagreements() == []
    assert release.read_version() == VERSION
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["hatch"]["version"] == {"path": "src/thumbwise/__init__.py"}


@pytest.fixture(name="tree")
def _tree(tmp_path: Path) -> Path:
    (tmp_path / "src/thumbwise").mkdir(parents=True)
    (tmp_path / "src/thumbwise/__init__.py").write_text('"""A."""\n\n__version__ = "1.2.3"\n')
    (tmp_path / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 1.2.3\nlicense: BSD-3-Clause\n")
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## Unreleased\n\n## 1.2.3 (2026-01-31)\n\n## 1.2.2 (2026-01-01)\n"
    )
    return tmp_path


def test_a_tag_that_agrees(tree: Path) -> None:
    assert find_disagreements("v1.2.3", tree) == []


def test_a_date_is_asked_for_with_a_tag_only(tree: Path) -> None:
    """Between releases the top section may be without one."""
    text = (tree / "CHANGELOG.md").read_text()
    (tree / "CHANGELOG.md").write_text(text.replace(" (2026-01-31)", ""))
    assert find_disagreements(None, tree) == []
    assert find_disagreements("v1.2.3", tree) == ["CHANGELOG.md has no date for 1.2.3"]


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("CITATION.cff", "1.2.3", "1.2.2", "CITATION.cff says 1.2.2, the package 1.2.3"),
        ("CHANGELOG.md", "## 1.2.3 (2026-01-31)\n\n", "", "CHANGELOG.md says 1.2.2, the package 1.2.3"),
        ("CHANGELOG.md", "(2026-01-31)", "(soon)", "CHANGELOG.md says 1.2.2"),
        ("CHANGELOG.md", " (2026-01-31)", "", "no date for 1.2.3"),
        ("src/thumbwise/__init__.py", "1.2.3", "1.2.4", "the tag v1.2.3 says 1.2.3, the package 1.2.4"),
    ],
)
def test_a_tag_that_does_not(tree: Path, file: str, old: str, new: str, said: str) -> None:
    text = (tree / file).read_text()
    assert old in text
    (tree / file).write_text(text.replace(old, new))
    assert said in "\n".join(find_disagreements("v1.2.3", tree))


@pytest.mark.parametrize("tag", ["1.2.3", "v1.2.4", "v1.2.3rc1", "vv1.2.3"])
def test_tags_of_other_forms(tree: Path, tag: str) -> None:
    (said,) = find_disagreements(tag, tree)
    assert said.startswith(f"the tag {tag} says ")


def test_the_changelog_has_room_for_what_comes() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert text.index("\n## Unreleased\n") < text.index(f"\n## {top_release(text)[0]}")
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert all(re.fullmatch(r"\d+\.\d+\.\d+ \(\d{4}-\d{2}-\d{2}\)", heading) for heading in headings[1:])


def test_files_as_they_should_be() -> None:
    assert list(wheel_strangers(WHEEL, VERSION, TRACKED)) == []
    assert list(sdist_strangers(SDIST, VERSION, TRACKED)) == []
    assert list(sdist_strangers(SDIST - {f"thumbwise-{VERSION}/.ci/run"}, VERSION, TRACKED)) == ["sdist: no .ci/run"]


@pytest.mark.parametrize("name", ["tests/a.py", "thumbwise/data.mat", "thumbwise/__pycache__/a.pyc", f"{ABOUT}/extra"])
def test_a_stranger_in_the_wheel_is_seen(name: str) -> None:
    (said,) = wheel_strangers(WHEEL | {name}, VERSION, TRACKED)
    assert "should not be there" in said


@pytest.mark.parametrize("name", sorted(WHEEL))
def test_what_the_wheel_lacks_is_seen(name: str) -> None:
    assert any(name.removeprefix(f"{ABOUT}/") in said for said in wheel_strangers(WHEEL - {name}, VERSION, TRACKED))


@pytest.mark.parametrize(
    "name", [".fuzz/findings.txt", "notes.txt", "src/thumbwise/__pycache__/a.pyc", ".mypy_cache/a"]
)
def test_a_stranger_in_the_sdist_is_seen(name: str) -> None:
    said = list(sdist_strangers(SDIST | {f"thumbwise-{VERSION}/{name}"}, VERSION, TRACKED))
    assert f"sdist: {name} is not in the repository" in said
    assert next(iter(sdist_strangers(SDIST | {name}, VERSION, TRACKED))).endswith(f"is outside thumbwise-{VERSION}/")


@pytest.mark.parametrize("name", ["tests/a.py", "docs/a.md", "src/thumbwise/py.typed"])
def test_what_the_sdist_lacks_is_seen(name: str) -> None:
    assert f"sdist: {name} was left out" in list(
        sdist_strangers(SDIST - {f"thumbwise-{VERSION}/{name}"}, VERSION, TRACKED)
    )


def test_the_tree_has_what_is_asked_for() -> None:
    tracked = tracked_files()
    assert tracked >= {f"src/thumbwise/{name}" for name in release.ASSETS} | ({*release.NEEDED} - {"PKG-INFO"})
    assert not [name for name in tracked if release.NEVER.search(name)]

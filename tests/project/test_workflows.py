"""The hosted workflows: they parse, call lanes of .ci/run that exist, and test what the classifiers claim."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.specifiers import SpecifierSet

from project.test_floors import PROJECT, ROOT

SCRIPT = ROOT / ".ci" / "run"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))
ON: Any = True  # YAML 1.1 reads the key `on` as a truth value


def load(path: Path) -> dict[Any, Any]:
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


def read_lanes(array: str) -> list[str]:
    listed = re.search(rf"^{array}=\(([a-z ]*)\)", SCRIPT.read_text(encoding="utf-8"), re.MULTILINE)
    assert listed is not None
    return listed[1].split()


def find_jobs() -> list[dict[str, Any]]:
    return [job for path in WORKFLOWS for job in load(path)["jobs"].values()]


def fill(text: str, matrix: dict[str, list[str]]) -> list[str]:
    """A step's text, once for each value of the matrix that it names."""
    named = re.search(r"\$\{\{ matrix\.(\w+) \}\}", text)
    return [text.replace(named[0], value) for value in matrix[named[1]]] if named else [text]


def called_lanes() -> list[str]:
    commands = [
        command
        for job in find_jobs()
        for step in job["steps"]
        for command in fill(step.get("run", ""), job.get("strategy", {}).get("matrix", {}))
    ]
    return [lane for command in commands for lanes in re.findall(r"\.ci/run(.*)", command) for lane in lanes.split()]


def find_pythons() -> set[str]:
    return {
        python
        for job in find_jobs()
        if any(step.get("run") == "bash .ci/run tests" for step in job["steps"])
        for python in job["strategy"]["matrix"]["python"]
    }


def test_every_lane_is_called_and_exists() -> None:
    assert sorted(called_lanes()) == sorted(read_lanes("lanes") + read_lanes("on_request"))


def test_every_lane_is_a_function_and_the_readme_comes_first() -> None:
    defined = re.findall(r"^lane_(\w+)\(\) \{$", SCRIPT.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(defined) == sorted(read_lanes("lanes") + read_lanes("on_request"))
    assert read_lanes("lanes")[0] == "tests"


def test_a_lane_that_does_not_exist_is_refused_before_anything_runs() -> None:
    answer = subprocess.run(["bash", SCRIPT, "lint", "lnt"], capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stdout) == (2, "")
    lanes = " ".join(read_lanes("lanes") + read_lanes("on_request"))
    assert answer.stderr == f"no lane 'lnt'; there are: {lanes}\n"


def test_claimed_pythons_are_tested_and_allowed() -> None:
    names = [name.rpartition(" ")[2] for name in PROJECT["classifiers"] if "Python :: 3." in name]
    assert names
    assert set(names) <= find_pythons()
    allowed = SpecifierSet(PROJECT["requires-python"])
    assert all(python in allowed for python in find_pythons())
    assert f">={min(find_pythons())}" == PROJECT["requires-python"]


def test_the_oldest_dependencies_meet_the_oldest_python() -> None:
    (job,) = (job for job in find_jobs() if "oldest" in job.get("strategy", {}).get("matrix", {}).get("lane", []))
    (setup,) = (step["with"] for step in job["steps"] if "setup-python" in step.get("uses", ""))
    assert f">={setup['python-version'].split()[-1]}" == PROJECT["requires-python"]  # the last is what python3 is


def test_the_hosted_audit_must_get_an_answer() -> None:
    (job,) = (job for job in find_jobs() if "audit" in job.get("strategy", {}).get("matrix", {}).get("lane", []))
    assert job["steps"][-1]["env"] == {"THUMBWISE_REQUIRE_AUDIT": "1"}


def test_a_newer_python_is_found_or_its_absence_is_said(tmp_path: Path) -> None:
    """With nothing on the path but the Python of python3 itself, and no home, the lane says why it does nothing."""
    for tool in ("bash", "dirname", "sed"):
        (tmp_path / tool).symlink_to(str(shutil.which(tool)))
    (tmp_path / "python3").symlink_to(sys.executable)
    answer = subprocess.run(
        [tmp_path / "bash", SCRIPT, "newest"], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    version = f"Python {platform.python_version()}"
    assert answer.stdout == f"== newest\nskipped: no Python is here that is newer than {version}\n", answer.stderr
    assert answer.returncode == 0


def test_every_change_is_built_tags_are_checked_and_kept_and_nothing_is_published() -> None:
    build = load(ROOT / ".github" / "workflows" / "build.yml")
    assert build[ON] == {"push": {"branches": ["main"], "tags": ["v*"]}, "pull_request": None}
    steps = build["jobs"]["build"]["steps"]
    assert [step["with"]["path"] for step in steps if "upload" in step.get("uses", "")] == ["dist/"]
    of_tags = [step for step in steps if step.get("if") == "startsWith(github.ref, 'refs/tags/')"]
    assert [step.get("run", step.get("uses")) for step in of_tags] == [
        'python3 tests/project/release.py versions "$GITHUB_REF_NAME"',
        "actions/upload-artifact@v4",
    ]
    assert steps.index(of_tags[0]) < steps.index({"run": "bash .ci/run build"}) < steps.index(of_tags[1])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_may_only_read_and_know_no_secret(path: Path) -> None:
    assert load(path)["permissions"] == {"contents": "read"}
    assert "secrets." not in path.read_text(encoding="utf-8")
    for job in load(path)["jobs"].values():
        assert "permissions" not in job
        assert job["timeout-minutes"] <= 45
        assert [step["with"]["persist-credentials"] for step in job["steps"] if "checkout" in step.get("uses", "")] == [
            False
        ]


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_issue_forms_ask_for_something(path: Path) -> None:
    form = load(path)
    assert form["name"]
    assert form["description"]
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert any(field["validations"]["required"] for field in fields)
    assert len({field["id"] for field in fields}) == len(fields)


def test_there_are_workflows_and_forms() -> None:
    assert [path.stem for path in WORKFLOWS] == ["build", "tests"]
    assert [path.stem for path in FORMS] == ["bug", "feature", "wrong-sentence"]

"""What every command has: JSON, silence if asked, and exit codes that a script can tell apart."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cli.rows import Run
from thumbwise.cli.main import app
from thumbwise.cli.project_file import KNOWN

FILES = ("votes.csv", "--gold", "gold.csv")
# Each command with little to do, and a few keys of its JSON; what writes writes something new.
COMMANDS: dict[str, tuple[list[str], set[str]]] = {
    "label": ([*FILES], {"accuracy_at_least", "log_loss_bound", "counts", "n_items", "n_gold", "is_guarantee"}),
    "demo": ([], {"scores", "log_loss_bound", "bound_held", "n_gold", "sentence"}),
    "read": ([*FILES], {"classes", "rules", "notes", "n_items", "n_gold", "layout"}),
    "predict": (["model.json", "votes.csv"], {"counts", "drift", "n_items", "is_guarantee", "sentence"}),
    "explain": (["model.json", "votes.csv", "--item", "0003"], {"items", "model", "rules", "classes"}),
    "sql": (["model.json"], {"sql", "dialect", "table", "model"}),
    "plan": ([*FILES, "--rate", "spam", "--within", "0.1"], {"plans"}),
    "draw": (["votes.csv", "-n", "3", "-o", "drawn.csv"], {"output", "n_drawn", "n_items", "seed"}),
    "compare": (
        [*FILES, "--methods", "Balsubramani-Freund,majority vote"],
        {"scores", "differences", "n_gold", "confidence_level", "sentence"},
    ),
    "certify": (
        ["labels.csv", "--votes", *FILES],
        {"ranges", "is_guarantee", "assumption", "n_items", "n_gold", "confidence_level"},
    ),
    "check": ([*FILES, "--skip", "TW302"], {"findings", "skipped", "has_errors", "has_warnings", "sentence"}),
    "rate": ([*FILES, "--of", "spam"], {"estimate", "lower", "upper", "confidence_level"}),
    "judges": ([*FILES], {"judges"}),
    "triage": ([*FILES, "--precision", "0.8"], {"curve"}),
    "report": ([*FILES, "-o", "page.html"], {"log_loss_bound", "output", "n_items"}),
}
# A page that is served until Ctrl-C has nothing to say in the end but the gold file; a study takes a minute.
LEFT_OUT = {"bench", "reproduce"}
SLOW = {"report", "demo"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from cli.rows import make_rows

    home = tmp_path_factory.mktemp("home")
    ids, truth, votes = make_rows()
    names = ("ham", "spam", "")
    rows = [",".join([i, *(names[v] for v in vote)]) for i, vote in zip(ids, votes, strict=True)]
    (home / "votes.csv").write_text("\n".join(["id,caps,links,length", *rows]) + "\n")
    labels = [f"{i},{names[y]}" for i, y in zip(ids[:30], truth[:30], strict=True)]
    (home / "gold.csv").write_text("\n".join(["id,label", *labels]) + "\n")
    done = start(home, "label", *FILES, "--save", "model.json", "-o", "labels.csv", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return home


def start(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "thumbwise", *arguments], cwd=home, capture_output=True, text=True, check=False
    )


def clear(home: Path) -> None:
    for name in ("drawn.csv", "page.html", "out.json"):
        (home / name).unlink(missing_ok=True)


def documented(name: str) -> set[str]:
    """Keys that the page promises."""
    page = (Path(__file__).parents[2] / "docs" / "automation.md").read_text()
    row = next(line for line in page.splitlines() if re.match(rf"\| (`\w+`, )*`{name}`(, `\w+`)* \|", line))
    return set(re.findall(r"`(\w+)`", row.split("|")[2])) - (
        {"report"} if name == "report" else {"report", "output"} if name == "label" else set()
    )


def test_no_command_is_forgotten() -> None:
    names = {command.callback.__name__ for command in app.registered_commands if command.callback is not None}
    assert names == {*COMMANDS, *LEFT_OUT} == set(KNOWN)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in SLOW])
def test_json_is_all_that_is_printed_and_the_same_in_a_file(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(home)
    arguments, keys = COMMANDS[name]
    clear(home)
    printed = run(name, *arguments, "--json", "-")
    assert printed.exit_code == 0, printed.stderr
    content = json.loads(printed.stdout)
    assert keys <= set(content) == documented(name)
    clear(home)
    quiet = run(name, *arguments, "--json", "out.json", "--quiet")
    assert (quiet.exit_code, quiet.stderr) == (0, "")
    # what is asked for in so many words is printed all the same
    assert quiet.stdout.startswith("SELECT") if name == "sql" else quiet.stdout == ""
    again = json.loads((home / "out.json").read_text())
    for seconds in (content, again):
        for score in seconds.get("scores", []):
            score.pop("seconds", None)
    assert again == content


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SLOW))
def test_json_of_what_takes_long(home: Path, run: Run, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    test_json_is_all_that_is_printed_and_the_same_in_a_file(home, run, monkeypatch, name)


@pytest.mark.parametrize("name", [*COMMANDS, *sorted(LEFT_OUT)])
def test_a_mistake_is_exit_code_2_and_one_message_even_if_quiet(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(home)
    arguments, _ = COMMANDS.get(name, (["gold.csv", "-o", "g.jsonl"] if name == "bench" else ["tables"], set()))
    clear(home)
    wrong = [*arguments, "--config", "nothing.toml"] if name != "demo" else ["--write", "votes.csv"]
    answer = run(name, *wrong, "--quiet")
    assert answer.exit_code == 2
    assert answer.stderr.startswith("error: ")
    assert answer.stdout == ""
    assert run(name, "--no-such-option").exit_code == 2


def test_exit_codes_are_told_apart(home: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found errors, a mistake, a missing guarantee: what the help says."""
    monkeypatch.chdir(home)
    assert run("read", "votes.csv", "--quiet").exit_code == 0
    lines = (home / "gold.csv").read_text().splitlines()
    swapped = [line.replace("spam", "x").replace("ham", "spam").replace("x", "ham") for line in lines[1:]]
    (home / "wrong.csv").write_text("\n".join([lines[0], *swapped]) + "\n")
    found = run("check", "votes.csv", "--gold", "wrong.csv", "--strict", "--quiet", "--skip", "TW302")
    assert (found.exit_code, found.stdout, found.stderr) == (1, "", "")
    assert run("read", "none.csv").exit_code == 2
    (home / "few.csv").write_text("\n".join(lines[:3]) + "\n")
    missing = run("label", "votes.csv", "--gold", "few.csv", "--require-guarantee", "--quiet")
    assert (missing.exit_code, missing.stdout) == (3, "")
    assert missing.stderr.startswith("error: a guarantee is required, and there is none.")


def test_exit_codes_are_in_the_help(home: Path) -> None:
    printed = " ".join(start(home, "--help").stdout.split())
    for code in (
        "0 all went well",
        "1 check found errors",
        "2 a mistake",
        "3 a guarantee was required",
        "130, 143",
        "141",
    ):
        assert code in printed


def test_the_module_runs(home: Path) -> None:
    from thumbwise import __version__

    assert start(home, "--version").stdout == f"thumbwise {__version__}\n"


def test_commands_and_options_are_completed(home: Path) -> None:
    script = "import sys; sys.argv[0] = 'thumbwise'; from thumbwise.cli.main import main; main()"
    for words, wanted in (("thumbwise pred", "predict"), ("thumbwise rate --clu", "--cluster")):
        environment = {
            **os.environ,
            "_THUMBWISE_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
        }
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=home, env=environment, capture_output=True, text=True, check=False
        )
        assert wanted in done.stdout.split(), done.stderr


def test_help_loads_nothing_that_computes() -> None:
    code = (
        "import sys; import thumbwise.cli.main; print(*[n for n in ('scipy', 'sklearn', 'duckdb') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []

"""thumbwise.toml: found where it is expected, checked, said on the screen, and overruled by what is typed."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

from cli.rows import Run
from thumbwise.cli import reading_options
from thumbwise.cli.project_file import NEVER, find_file


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


def say(folder: Path, text: str) -> None:
    (folder / "thumbwise.toml").write_text(text)


def test_options_are_said_once(here: Path, run: Run) -> None:
    typed = run("rate", "votes.csv", "--gold", "gold.csv", "--of", "spam", "--confidence", "0.9", "--json", "-")
    say(here, 'gold = "gold.csv"\nconfidence = 0.9\n[rate]\nof = "spam"\n')
    answer = run("rate", "votes.csv", "--json", "-")
    assert answer.exit_code == 0, answer.stderr
    assert answer.stdout == typed.stdout
    assert answer.stderr == "options from thumbwise.toml: --gold gold.csv, --confidence 0.9, --of spam\n"


def test_the_command_line_overrules(here: Path, run: Run) -> None:
    say(here, 'gold = "gold.csv"\nconfidence = 0.9\n[rate]\nof = "spam"\n')
    answer = run("rate", "votes.csv", "--of", "ham", "--confidence", "0.8", "--json", "-")
    assert json.loads(answer.stdout)["confidence_level"] == 0.8
    assert "of ham" in json.dumps(json.loads(answer.stdout))
    assert answer.stderr.splitlines() == [
        "options from thumbwise.toml: --gold gold.csv",
        "overruled by the command line: --confidence 0.9, --of spam",
    ]


def test_gold_of_the_command_line_replaces_gold_of_the_file(here: Path, run: Run) -> None:
    say(here, 'gold-column = "truth"\n')
    answer = run("read", "votes.csv", "--gold", "gold.csv", "--json", "-")
    assert json.loads(answer.stdout)["n_gold"] == 30
    assert "overruled by the command line: --gold-column truth" in answer.stderr
    say(here, 'gold = "gold.csv"\ngold_label = "label"\n')
    lines = (here / "votes.csv").read_text().splitlines()
    (here / "with.csv").write_text("\n".join([f"{lines[0]},truth", *(f"{line},ham" for line in lines[1:])]) + "\n")
    answer = run("read", "with.csv", "--gold-column", "truth", "--json", "-")
    assert json.loads(answer.stdout)["n_gold"] == 60


def test_lists_and_tables_are_written_as_such(here: Path, run: Run) -> None:
    text = (here / "votes.csv").read_text().replace("id,", "key,", 1)
    extra = ["a,b", *(f"x{i}" for i in range(60))]
    (here / "coded.csv").write_text(
        "\n".join(f'{line},"{more}"' for line, more in zip(text.splitlines(), extra, strict=True)) + "\n"
    )
    say(here, 'id = "key"\nignore = ["a,b"]\ncodes = { ham = "good, really", spam = "bad" }\n')
    answer = run("read", "coded.csv", "--json", "-")
    assert answer.exit_code == 0, answer.stderr
    content = json.loads(answer.stdout)
    assert {row["class"] for row in content["classes"]} == {"good, really", "bad"}
    assert (content["passed_on"], content["id_column"]) == (["a,b"], "key")


def test_it_is_found_further_up_in_a_repository_only(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "thumbwise.toml").touch()
    assert find_file(inner) is None  # anybody may write to a folder above that is no repository
    (tmp_path / ".git").mkdir()
    assert find_file(inner) == tmp_path / "thumbwise.toml"
    (inner / ".git").write_text("a worktree")
    assert find_file(inner) is None
    (inner / "thumbwise.toml").touch()
    assert find_file(inner) == Path("thumbwise.toml")


def test_a_repository_that_anybody_may_have_planted_has_no_say(tmp_path: Path) -> None:
    """Whoever may write to /tmp can make /tmp/.git and /tmp/thumbwise.toml, for all who work below."""
    shared, inner = tmp_path / "shared", tmp_path / "shared" / "own" / "deep"
    inner.mkdir(parents=True)
    (shared / ".git").mkdir()
    (shared / "thumbwise.toml").touch()
    assert find_file(inner) == shared / "thumbwise.toml"
    shared.chmod(0o1777)
    assert find_file(inner) is None
    assert find_file(shared) == Path("thumbwise.toml")  # who works there sees it
    (shared / "own" / "thumbwise.toml").touch()
    assert find_file(inner) == shared / "own" / "thumbwise.toml"


def test_paths_are_relative_to_the_file(here: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / ".git").mkdir()
    (here / "deep").mkdir()
    say(here, 'gold = "gold.csv"\n')
    monkeypatch.chdir(here / "deep")
    answer = run("read", "../votes.csv", "--json", "-")
    assert answer.exit_code == 0, answer.stderr
    assert json.loads(answer.stdout)["n_gold"] == 30


def test_another_file_and_no_file(here: Path, run: Run) -> None:
    say(here, "confidence = 0.5\n")
    (here / "mine.toml").write_text('gold = "gold.csv"\n')
    assert json.loads(run("read", "votes.csv", "--config", "mine.toml", "--json", "-").stdout)["n_gold"] == 30
    bare = run("read", "votes.csv", "--no-config", "--json", "-")
    assert bare.stderr == ""
    both = run("read", "votes.csv", "--no-config", "--config", "mine.toml")
    assert both.exit_code == 2
    assert "found both --config and --no-config" in both.stderr
    absent = run("read", "votes.csv", "--config", "none.toml")
    assert absent.exit_code == 2
    assert "none.toml must be a file of options that can be read" in absent.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('clases = "a,b"', "'clases' is none. Did you mean 'classes'?"),
        ("[rate]\nlook = [50]", "'look' in [rate] is none. Did you mean 'looks'?"),
        ("[plam]\nseed = 1", "'plam' is none. Did you mean 'plan'?"),
        ('of = "spam"', "'of' in the table of a command, such as [rate]"),
        ("confidence = '0.9'", "must give 'confidence' a number; found a text, '0.9'"),
        ("confidence = true", "must give 'confidence' a number; found a truth value"),
        ("[draw]\nseed = 1.5", ""),  # of another command: names are checked, values when they are used
        ("[rate]\nby-class = 1", "must give 'by-class' true or false; found a whole number"),
        ("layout = 'square'", "must give 'layout' one of wide, long, jury, pairs, wrench, mat, datasets"),
        ("id = ['a', 'b']", "must give 'id' a text; found a list"),
        ("ignore = [['a']]", "must give 'ignore' texts or numbers; found a list"),
        ("gold = 1979-05-27", "must give 'gold' a text; found a date or time"),
        ("id = ", "must be TOML in UTF-8; it is not: Invalid value (at line 1"),
        ("[rate]\noutput = 'x'", "must not say 'output'"),
        ("overwrite = true", "Drop it, and say --overwrite there"),
        ("[bench]\nhost = '0.0.0.0'", "must not say 'host'"),
        ("quiet = true", "must not say 'quiet'"),
        ("[reproduce]\nprocesses = 100000", "must not say 'processes'"),
        (f"id = {'9' * 5000}", "must be TOML in UTF-8; it is not: Exceeds the limit"),
        (f"id = 0x{'f' * 5000}", "must hold whole numbers of at most 64 bits"),
        (f"confidence = 0x{'f' * 5000}", "must hold whole numbers of at most 64 bits"),
        (f"[rate]\nlooks = [1, 0x{'f' * 5000}]", "must hold whole numbers of at most 64 bits"),
        (f"[rate]\nby = {2**63}", "must hold whole numbers of at most 64 bits"),
        (f"[rate]\n{'of.' * 2000}a = 1", "something lies deeper than any option"),
        ("[triage]\nprecision = { a = [[1]] }", "something lies deeper than any option"),
    ],
)
def test_what_is_wrong_with_it_is_said(here: Path, run: Run, text: str, words: str) -> None:
    say(here, f"{text}\n")
    answer = run("rate", "votes.csv", "--gold", "gold.csv", "--of", "spam", "--json", "-")
    assert answer.exit_code == (2 if words else 0), answer.stderr
    assert words in answer.stderr
    assert bool(answer.stdout) == (not words)


def test_bytes_that_are_no_text_and_files_that_are_large_are_refused(here: Path, run: Run) -> None:
    (here / "thumbwise.toml").write_bytes(b"id = '\xff'")
    assert "must be TOML in UTF-8" in run("read", "votes.csv").stderr
    (here / "thumbwise.toml").write_bytes(b"#" * (2**15 + 1))
    assert "of at most 32,768 bytes" in run("read", "votes.csv").stderr
    (here / "thumbwise.toml").write_text("id = " + "[" * 30_000)
    answer = run("read", "votes.csv")
    assert (answer.exit_code, "must be TOML" in answer.stderr) == (2, True)


def test_names_on_the_screen_cannot_move_the_cursor(here: Path, run: Run) -> None:
    say(here, 'id = "\\u001b[2J"\n')
    assert "\x1b" not in run("read", "votes.csv").stderr


def test_no_option_that_writes_can_be_said_in_a_file() -> None:
    """Every option whose value is a place to write to, or lets others in, is named in the list."""
    assert {"output", "json", "save", "review", "write", "spill", "overwrite", "host", "port", "quiet"} <= NEVER
    assert not NEVER & set(inspect.signature(reading_options._options).parameters)

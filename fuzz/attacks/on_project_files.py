"""Attacks by ``thumbwise.toml``, which may come with a stranger's data: nothing is written or replaced for it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

from fuzz.attacks.attempts import Attempt, attack, calls
from fuzz.attacks.children import complaint, run
from fuzz.attacks.victims import OUTPUTS, listing
from thumbwise.cli.project_file import KNOWN, NAME, NEVER

_LONG = "9" * 5000
# Values that are drawn for each key.
_N_VALUES = 8
# What a key may be given, as TOML writes it.
_VALUES = (
    _LONG, f"0x{'f' * 5000}", "9223372036854775808", "-1", "nan", "inf", "-0.0", "true", "1979-05-27", "[]", "{}",
    "[[]]", "[[[[[[1]]]]]]", "{ a = { b = { c = { d = { e = 1 } } } } }", '""', '"\\u0000"', '"a\\nb"',
    '"\\u202e\\u001b[2J"', '"/dev/zero"', '"/proc/self/mem"', '"-"', '".."', '"https://127.0.0.1:1/a.csv"',
    '"votes.csv"', '"out.csv"', '["a", 1, 2.5]', f'"{"x" * 30_000}"', '{ "\\u0000" = "b", "" = "" }', '"=1+1"', '"4GB"',
    '"nan"', '"1e999"',
)  # fmt: skip
_WHOLE = (
    "", "\x00", "=", "[", "a." * 15_000 + "b = 1", "a = " + "[" * 30_000, "[[label]]\nseed = 1", "label = 1", "[label",
    "\ufeff", "[a]\n[a]", "'\x1b[2J' = 1", "#" * 2**15, "\n" * 2**15, "id = 'a'\r", "id = 'a'\nid = 'b'", "\udcff",
)  # fmt: skip


@attack("project files")
def project_files(rng: Random) -> Iterator[Attempt]:
    """Every option of every command with some values, keys that write, and files that are none."""
    every = dict(calls())
    for command, known in KNOWN.items():
        if command in every:
            for key in (*known, *sorted(NEVER), "o", "-o", "--output", "help", "votes"):
                for value in rng.sample(_VALUES, _N_VALUES):
                    text = f"[{command}]\n{json.dumps(key)} = {value}\n"
                    yield _beside(f"[{command}] {key} = {value[:40]}", text, every[command])
    for words, arguments in calls():
        for text in _WHOLE:
            yield _beside(f"{words}, a file of {text[:20]!r}", text, arguments)


def _beside(words: str, text: str, arguments: tuple[str, ...]) -> Attempt:
    def try_in(folder: Path) -> str | None:
        (folder / NAME).write_text(text, encoding="utf-8", errors="surrogateescape")
        before = listing(folder)
        ended = run(arguments, folder)
        after = listing(folder)
        lost = [name for name, kind in before.items() if after.get(name) != kind]
        more = [name for name in after if name not in before and name.split("/")[0] not in (OUTPUTS)]
        return (
            complaint(ended, folder)
            or (f"{lost[0]} is not what it was" if lost else None)
            or (f"{more[0]!r} is there now" if more else None)
        )

    return Attempt(words, try_in)

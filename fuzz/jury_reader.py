"""Fuzz the reader of LLM judges' records: ``python -m fuzz.jury_reader --minutes 20 --output FOLDER``."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from fuzz.driving import Tally, fuzz, import_instrumented, library_mutation, read_arguments
from fuzz.mutations import NAMES, damage_bytes, dump, edit_json, parse_or_none, seeded

MAX_LEN = 2**14
# Values that mean something in some field, so that edits get past the first checks.
_WORDS: list[Any] = [
    *("yes", "no", "unsure", "voted", "ok", "abstained", "failed", "not_asked", "large", "small", " OK ", "Failed"),
    *(None, "", " ", 0, 1, 2, -1, 1.0, 1.5, True, "1", "-1", "timeout"),
]
_FIELDS = ["item", "judge", "verdict", "status", "error", "id", "model", "label", "answer", "task", "other", "Item", ""]


def jury_seeds() -> list[bytes]:
    """Small files of the forms that people have."""
    plain = [
        {"item": f"q{i}", "judge": j, "verdict": v} for i in (1, 2) for j, v in (("large", "yes"), ("small", "no"))
    ]
    numbers = [{"item": i, "judge": j, "verdict": (i + j) % 3 - 1} for i in (1, 2, 3) for j in (1, 2)]
    told = [
        {"item": "q1", "judge": "large", "verdict": None, "status": "abstained"},
        {"item": "q1", "judge": "small", "error": "timeout"},
        {"item": "q1", "judge": "small", "verdict": "yes", "status": "ok"},
        {"item": "q2", "judge": "large", "status": "not_asked"},
        {"item": "q2", "judge": "small", "verdict": "unsure"},
    ]
    others = [{"id": "a", "model": "m", "answer": "yes", "cost": 0.1}, {"id": "b", "model": "m", "answer": None}]
    return [_lines(records) for records in (plain, numbers, told, others, plain + told, [told[0]])]


def _lines(records: Sequence[Any]) -> bytes:
    return b"\n".join(json.dumps(record).encode() for record in records) + b"\n"


def mutate_jury(content: bytes, rng: Random) -> bytes:
    """Records near these: fields filled with words that mean something, renamed or dropped, or any other edit."""
    records = [parse_or_none(line) for line in content.split(b"\n") if line.strip()]
    if not records or any(record is None for record in records):
        return damage_bytes(content, rng)
    try:
        edited = _edit_records(records, rng) if rng.random() < 0.6 else edit_json(records, rng)
        written = [dump(record, rng) for record in (edited if isinstance(edited, list) else [edited])]
    except RecursionError:
        return damage_bytes(content, rng)
    return rng.choice((b"\n", b"\n", b"\r\n")).join(written)


def _edit_records(records: list[Any], rng: Random) -> list[Any]:
    records = [dict(record) if isinstance(record, dict) else record for record in records]
    for _ in range(rng.choice((1, 1, 2, 4))):
        record = rng.choice(records)
        if not isinstance(record, dict):
            continue
        name = rng.choice([*record, rng.choice(_FIELDS)])
        kind = rng.random()
        if kind < 0.6:
            record[name] = rng.choice(_WORDS) if rng.random() < 0.8 else rng.choice(NAMES)
        elif kind < 0.75:
            record.pop(name, None)
        else:
            records.insert(rng.randrange(len(records) + 1), dict(record))
    return records


def make_mutator(readable: Sequence[bytes], seeds: Sequence[bytes]) -> Callable[[bytes, int, int], bytes]:
    """Edits of the records, of their bytes, or what the fuzzer itself would do."""

    def mutate(content: bytes, max_size: int, seed: int) -> bytes:
        rng = seeded(seed)
        if rng.random() < 0.5:
            content = rng.choice(readable or seeds)
        chance = rng.random()
        if chance < 0.05:
            return library_mutation(content, max_size)
        if chance < 0.1:
            return damage_bytes(content, rng)[:max_size]
        return mutate_jury(content, rng)[:max_size]

    return mutate


def main() -> None:
    """Run for the time that was given."""
    arguments = read_arguments(str(__doc__), minutes=20)
    checks = import_instrumented("fuzz.jury_checks")
    tally = Tally(checks.check_jury, (checks.ThumbwiseError,), arguments.output, arguments.minutes * 60)
    seeds = jury_seeds()
    fuzz(tally, seeds, make_mutator(tally.readable, seeds), arguments, MAX_LEN)


if __name__ == "__main__":
    main()

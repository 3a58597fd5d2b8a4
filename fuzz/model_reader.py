"""Fuzz the reader of saved models: ``python -m fuzz.model_reader --minutes 30 --output FOLDER``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from random import Random
from typing import Any

from fuzz.driving import Tally, fuzz, import_instrumented, library_mutation, read_arguments
from fuzz.mutations import damage_bytes, dump, edit_json, parse_or_none, seeded

MAX_LEN = 2**17
# Of a file like that of the hyper label model, nine in ten bytes are numbers of one kind.
_LARGE = 15_000


def make_mutator(readable: Sequence[bytes], seeds: Sequence[bytes]) -> Callable[[bytes, int, int], bytes]:
    """Edits of the document, of its bytes, or what the fuzzer itself would do."""
    documents = [parse_or_none(seed) for seed in seeds]

    def mutate(content: bytes, max_size: int, seed: int) -> bytes:
        rng = seeded(seed)
        if rng.random() < 0.5 or (len(content) > _LARGE and rng.random() < 0.8):
            content = rng.choice(readable or seeds)
        chance = rng.random()
        if chance < 0.1:
            return library_mutation(content, max_size)
        if chance < 0.2:
            return damage_bytes(content, rng)[:max_size]
        return mutate_model(content, rng, rng.choice(documents))[:max_size]

    return mutate


def mutate_model(content: bytes, rng: Random, spare: Any) -> bytes:
    """A document near this one, or near ``spare`` if this is none; often with a fingerprint that fits again."""
    document = parse_or_none(content)
    try:
        edited = edit_json(document if isinstance(document, dict) else spare, rng, spare)
        if rng.random() < 0.5:
            with suppress(KeyError, TypeError, ValueError):  # an edit took its parts away
                edited["fingerprints"]["gold"] = _fingerprint(edited["known"])
        return dump(edited, rng)
    except RecursionError:  # nested too deep to be copied
        return damage_bytes(content, rng)


def _fingerprint(known: dict[str, Any]) -> str:
    """As docs/saving.md describes it: without it, known labels could not be changed and still be read."""
    lines = sorted(f"{name!r}: {label}" for name, label in zip(known["ids"], known["labels"], strict=True))
    return sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def main() -> None:
    """Run for the time that was given."""
    arguments = read_arguments(str(__doc__), minutes=30)
    checks = import_instrumented("fuzz.model_checks")
    seeds = list(import_module("fuzz.model_seeds").model_seeds().values())
    tally = Tally(checks.check_model, (checks.InvalidFileError,), arguments.output, arguments.minutes * 60)
    mutator = make_mutator(tally.readable, seeds)
    fuzz(tally, seeds, mutator, arguments, MAX_LEN)


if __name__ == "__main__":
    main()

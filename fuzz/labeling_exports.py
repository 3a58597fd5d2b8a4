"""Fuzz the readers of labeling tools' exports: ``python -m fuzz.labeling_exports --kind mlflow --output FOLDER``.

It needs no atheris: inputs are edits of the seeds, and of what was read before.
"""

from __future__ import annotations

from fuzz.driving import Tally, read_arguments
from fuzz.labeling_checks import ThumbwiseError, check_export
from fuzz.labeling_inputs import KINDS, mutate, seeds
from fuzz.mutations import seeded


def main() -> None:
    """Run for the time that was given."""
    arguments = read_arguments(str(__doc__), minutes=10, kinds=KINDS)
    tally = Tally(check_export, (ThumbwiseError,), arguments.output, arguments.minutes * 60)
    rng, first = seeded(arguments.seed), seeds(arguments.kind)
    for content in first:
        tally.try_one(content)
    while not tally.is_over:
        near = rng.choice(tally.readable) if tally.readable and rng.random() < 0.5 else rng.choice(first)
        tally.try_one(mutate(near, rng))
    tally.report()


if __name__ == "__main__":
    main()

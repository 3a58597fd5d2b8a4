"""thumbwise certify: a range for the score of any predictions."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from thumbwise.cli.reading_options import reads_votes
from thumbwise.cli.shared_options import Confidence, Json, Overwrite
from thumbwise.io.roles import Roles


class MetricChoice(StrEnum):
    """What is certified."""

    ACCURACY = "accuracy"
    LOG_LOSS = "log_loss"
    BRIER = "brier"
    ALL = "all"


@reads_votes
def certify(
    predictions: Annotated[
        Path, typer.Argument(help="Ids and a column label or prediction, or a column p_<class> for each class.")
    ],
    votes: Annotated[Path, typer.Option(help="Votes: a row per item, a column per rule.")],
    gold: Path | None,
    roles: Roles,
    metric: Annotated[MetricChoice, typer.Option(help="Score to certify.")] = MetricChoice.ACCURACY,
    versus: Annotated[Path | None, typer.Option(help="Another model's predictions: certify the difference.")] = None,
    gold_unseen: Annotated[
        bool,
        typer.Option("--gold-unseen", help="The models have not seen the gold labels: use how right they are there."),
    ] = False,
    confidence: Confidence = 0.95,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Guarantee a range for the score of any model's predictions."""
    from thumbwise.cli.certify import certify_files

    certify_files(
        predictions,
        votes,
        gold,
        roles,
        metric=metric.value,
        versus=versus,
        gold_unseen=gold_unseen,
        confidence=confidence,
        json=json,
        overwrite=overwrite,
    )

"""thumbwise predict: a saved model on new votes, with what its guarantee does not say about them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from rich.text import Text

from thumbwise.cli.console import print_table, print_understood, progress, stdout, visible
from thumbwise.cli.json_output import check_json, deliver, print_delivered
from thumbwise.cli.progress import running, while_reading
from thumbwise.cli.saved_models import as_record, check_rules, in_words, in_words_of_models, open_model, roles_of
from thumbwise.io.elsewhere import are_many, is_large
from thumbwise.io.label_shapes import Shape, output_names
from thumbwise.io.labeled import write_labels
from thumbwise.io.labels_elsewhere import check_elsewhere
from thumbwise.io.readings import Reading
from thumbwise.io.roles import Roles
from thumbwise.io.sources import read_source
from thumbwise.models.drift import Drift
from thumbwise.summaries import plural
from thumbwise.tables.databases import NO_LIMITS, Limits, database
from thumbwise.tables.outputs import LABELS
from thumbwise.tables.spreadsheets import check_for_spreadsheets
from thumbwise.tables.table_files import check_table_file
from thumbwise.votes.votes import Votes

_MOST_ROWS = 10


def predict_files(
    model_file: Path,
    votes: Path,
    roles: Roles,
    output: Path | None = None,
    *,
    shape: Shape = "table",
    json: str | None = None,
    limits: Limits = NO_LIMITS,
    overwrite: bool = False,
    for_spreadsheets: bool = False,
) -> Drift:
    """Label items with a model that was fitted to others, and say whether their votes are like those of the fit.

    No label is looked at, and nothing is fitted.
    """
    if for_spreadsheets:
        check_for_spreadsheets(output)
    inputs = (model_file, votes)
    check_json(json, inputs=(*inputs, output), overwrite=overwrite)
    model = open_model(model_file, votes)
    roles = roles_of(model, roles)
    stays = are_many(votes, roles) or is_large(votes, roles)
    if output is not None and stays:
        check_elsewhere(output, inputs, overwrite)
    elif output is not None:
        check_table_file(output, LABELS, inputs=inputs, overwrite=overwrite)
    with database(limits, [output]) if stays else nullcontext() as home:
        with while_reading(home), in_words_of_models():
            reading = read_source(votes, None, roles, home=home, stays=stays)
            check_rules(model, reading.votes)
            drift: Drift = model.check_drift(reading.votes)
        names = [] if output is None else output_names(reading, shape)
        if output is not None:
            with progress("writing") if home is None else running(home, "writing"):
                write_labels(
                    reading, model, output, shape=shape, overwrite=overwrite, for_spreadsheets=for_spreadsheets
                )
        with progress("counting") if home is None else running(home, "counting"):
            counts = _count(model, reading)
    deliver(as_content(model, reading, drift, counts), json, overwrite)
    _print(model_file, votes, model, reading, roles.abstain, drift, counts)
    if output is not None:
        written = f"{reading.votes.n_items:,} rows, {len(names)} columns"
        stdout().print(Text(f"written: {visible(output)} ({written})"))
    print_delivered(json)
    return drift


def _count(model: Any, reading: Reading) -> dict[Hashable, int]:
    """Items by label, those that keep a known one among them."""
    classes = model.classes_.tolist()
    if isinstance(reading.votes, Votes):
        found = model.predict(reading.votes)
        return {name: int(np.sum(found == name)) for name in classes}
    rows = model.predict(reading.votes).aggregate("label, count(*)").fetchall()
    by_text = {str(label): n for label, n in rows}
    return {name: by_text.get(str(name), 0) for name in classes}


def as_content(model: Any, reading: Reading, drift: Drift, counts: Mapping[Hashable, int]) -> dict[str, Any]:
    """What was found, under the keys that other programs may rely on."""
    certificate = getattr(model, "certificate_", None)
    return {
        **as_record(model),
        "n_items": reading.votes.n_items,
        "counts": {str(name): n for name, n in counts.items()},
        "is_guarantee": bool(drift.is_the_pool and certificate is not None and certificate.is_guarantee),
        "sentence": consequence(model, drift),
        "drift": {
            "found": drift.found,
            "p_value": drift.p_value,
            "error": drift.error,
            "n_tests": drift.n_tests,
            "is_the_pool": drift.is_the_pool,
            "sentence": str(drift),
            "rows": [
                {
                    "rule": row.rule,
                    "vote": row.vote,
                    "is_abstention": row.is_abstention,
                    "new_share": row.new_share,
                    "pool_share": row.pool_share,
                    "adjusted_p_value": row.adjusted_p_value,
                }
                for row in drift.drifted
            ],
        },
    }


def consequence(model: Any, drift: Drift) -> str:
    """What the guarantee of the fit says of these items: nothing, unless they are the fitted ones."""
    certificate = getattr(model, "certificate_", None)
    if certificate is None:
        return f"No guarantee: {type(model).__name__} gives none."
    if drift.is_the_pool:
        return f"What the file says of them: {certificate}"
    pool, new = plural(drift.n_pool, "item"), plural(drift.n_items, "item")
    return (
        f"No guarantee for these {new}: that of the model is for the {pool} that it was fitted to. For one, have about "
        "a hundred of these items, drawn at random, labeled by hand (thumbwise draw), and use thumbwise label."
    )


def _print(
    model_file: Path,
    votes: Path,
    model: Any,
    reading: Reading,
    abstain: str | None,
    drift: Drift,
    counts: Mapping[Hashable, int],
) -> None:
    console = stdout()
    console.print(Text(visible(drift), style="bold"))
    console.print(Text(visible(consequence(model, drift)), style="bold"))
    console.print()
    console.print(Text(in_words(model_file, model)))
    print_understood(console, str(votes), reading, abstain, is_gold_asked=False)
    n_items = max(1, reading.votes.n_items)
    rows = [[str(name), f"{n:,}", _share(n / n_items)] for name, n in counts.items()]
    print_table(console, "Labels", ["class", "items", "share"], rows)
    if drift.found:
        table = [
            [
                row.rule,
                "abstains" if row.is_abstention else str(row.vote),
                f"{row.new_share:.3f}",
                f"{row.pool_share:.3f}",
            ]
            for row in drift.drifted[:10]
        ]
        print_table(console, "Votes that differ", ["rule", "vote", "here", "in the fit"], table, left=(0, 1))


def _share(share: float) -> str:
    return f"{share:.3f}"

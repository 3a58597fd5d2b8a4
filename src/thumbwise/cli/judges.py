"""thumbwise judges: how far to trust each judge, with whom it errs, what it costs, and where it is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from thumbwise.assess.judges import judges
from thumbwise.assess.judging.disagreements import COLUMNS
from thumbwise.assess.judging.result import Judges, ends, known
from thumbwise.assess.judging.scores import GoldRate, JudgeScore
from thumbwise.assess.judging.steps import Steps
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.cli.console import print_table, print_understood, progress, stdout, visible
from thumbwise.cli.costs import read_costs
from thumbwise.cli.json_output import check_json, is_stdout, write_json
from thumbwise.cli.progress import while_reading
from thumbwise.cli.standard_output import shown_output
from thumbwise.io.elsewhere import are_many, is_large
from thumbwise.io.readings import Reading, no_gold
from thumbwise.io.roles import Roles
from thumbwise.io.sampled_gold import read_sampled
from thumbwise.io.sources import lacks_gold
from thumbwise.summaries import NOTHING, one_line, plural
from thumbwise.tables.databases import database
from thumbwise.tables.table_files import Table, check_table_file, write_table

_MOST_PAIRS, _MOST_ITEMS = 5, 10
# Pairs of judges in JSON, those that err together most.
_PAIRS_IN_JSON = 1000
_LONGEST_ID, _LONGEST_TEXT = 16, 24

_AGREEMENT = (
    "agreement: share of the judge's gold votes that name the gold class",
    "at least, at most: that share among all votes of the judge, guaranteed",
    "kappa: agreement beyond chance; 1 is perfect, 0 is chance",
    "panel: what all say together, settled from votes alone",
)
_COSTS = (
    "cost: of one vote; for the panel, of all votes on an item",
    "per right: cost of a label that is right, cost / agreement (an estimate)",
)
_RATES = (
    "gold so, gold other: gold items of the class, of others, that the judge votes on",
    "says so: share of them that it gives the class (true, false positive rate)",
    "at least, at most: that share among all such items, guaranteed",
)
_STEPS = (
    "within one step: share of the judge's gold votes that are right or next to it",
    "at least, at most: that share among all votes of the judge, guaranteed",
    "mean error: how far votes are from gold on average",
    "bias: mean of vote less gold; above 0, the judge rates too high",
    "quadratic kappa: as kappa, a vote that is near counts as nearly right",
)
_DISPUTED = (
    "wrong: judges that say another class, of those that vote",
    "read these items: gold may err too",
)
_PAIRS = ("correlation: 1 if both err on the same gold items, 0 if as by chance",)


@dataclass(frozen=True)
class JudgeChoices:
    """What the options say: confidence, the class whose rates are wanted, and what a vote of each judge costs."""

    confidence: float = 0.95
    of: str | None = None
    costs: Sequence[str] = ()


def judge_files(
    votes: Path,
    gold: Path | None,
    roles: Roles,
    choices: JudgeChoices,
    *,
    output: Path | None = None,
    json: str | None = None,
    overwrite: bool = False,
) -> None:
    """Read votes and gold, write what is to be written, and print what was found; or JSON on stdout, and no more."""
    if output is not None:
        check_table_file(output, inputs=(votes, gold), overwrite=overwrite)
    check_json(json, inputs=(votes, gold, output), overwrite=overwrite)
    costs = read_costs(choices.costs)
    if lacks_gold(votes, gold, roles):
        raise no_gold()
    stays = are_many(votes, roles) or is_large(votes, roles)
    with database() if stays else nullcontext() as home:
        with while_reading(home):
            reading = read_sampled(votes, gold, roles, home=home, stays=stays)
        with progress("judging"):
            judged = judges(reading, of=choices.of, confidence_level=choices.confidence, costs=costs)
        if output is not None:
            write_table(as_table(judged.disagreements), output, overwrite=overwrite)
        if json is not None:
            write_json(as_content(judged), json, overwrite)
        if not is_stdout(json):
            _print(votes, reading, roles.abstain, judged, [shown_output(place) for place in (output, json) if place])


def _print(votes: Path, reading: Reading, abstain: str | None, judged: Judges, written: Sequence[str]) -> None:
    console = stdout()
    if reading.jury is not None and len(reading.jury.judges) > judged.n_shown:
        reading = replace(reading, jury=None)
    print_understood(console, str(votes), reading, abstain)
    console.print()
    print_judged(console, judged)
    for place in written:
        console.print(Text(f"written: {place}"))


def print_judged(console: Console, judged: Judges) -> None:
    """The tables, how to read each of them, and the sentences."""
    headers = ["judge", "votes", "gold\nvotes", "agree-\nment", "at\nleast", "at\nmost", "kappa"]
    headers += ["cost", "per\nright"] if judged.has_costs else []
    shown = [*judged.scores[: judged.n_shown], *([] if judged.panel is None else [judged.panel])]
    print_table(console, "Against gold", headers, (_score_cells(row, judged) for row in shown))
    more = _left_out(len(judged.scores) - judged.n_shown, "judge")
    _say(console, *more, *_AGREEMENT, *(_COSTS if judged.has_costs else ()))
    _print_steps(console, judged, shown)
    _print_rates(console, judged, shown)
    _print_pairs(console, judged)
    _print_disagreements(console, judged)
    for sentence in judged.sentences:
        console.print(Text(visible(sentence), style="bold"))


def _score_cells(row: JudgeScore, judged: Judges) -> list[str]:
    costs = [_price(row.cost), _price(row.cost_per_right)] if judged.has_costs else []
    counts = [f"{n:,}" for n in (row.n_votes, row.n_gold)]
    return [row.judge, *counts, known(row.agreement), *ends(row.interval), known(row.kappa), *costs]


def _print_steps(console: Console, judged: Judges, shown: Sequence[JudgeScore]) -> None:
    """How far each is off, if classes are ordered."""
    if not judged.has_steps:
        return
    share = ["within\none step", "at\nleast", "at\nmost"]
    headers = ["judge", "gold\nvotes", *share, "mean\nerror", "bias", "quadratic\nkappa"]
    rows = [[row.judge, *_steps_cells(row.steps)] for row in shown if row.steps is not None]
    print_table(console, "On the scale", headers, rows)
    _say(console, *_STEPS)


def _steps_cells(steps: Steps) -> list[str]:
    share = [f"{steps.n_gold:,}", known(steps.within_one), *ends(steps.interval)]
    bias = f"{steps.bias:+.2f}" if np.isfinite(steps.bias) else NOTHING
    return [*share, known(steps.mean_absolute_error, 2), bias, known(steps.quadratic_kappa)]


def _price(value: float) -> str:
    return f"{value:.3g}" if np.isfinite(value) else NOTHING


def _print_rates(console: Console, judged: Judges, shown: Sequence[JudgeScore]) -> None:
    """One row for each judge; for each judge and class if there are several."""
    several = len(judged.class_names) > 1
    side = ["says\nso", "at\nleast", "at\nmost"]
    headers = ["judge", *["class"] * several, "gold\nso", *side, "gold\nother", *side]
    rows = [
        [
            row.judge,
            *[str(rates.class_name)] * several,
            *_rate_cells(rates.true_positive),
            *_rate_cells(rates.false_positive),
        ]
        for row in shown
        for rates in row.rates
    ]
    what = "each class" if several else repr(str(judged.class_names[0]))
    most = judged.n_shown if several else len(rows)
    starts = [1 + several, 5 + several]
    title = f"How often each says {visible(what)}"
    print_table(console, title, headers, rows[:most], left=range(1 + several), groups=starts)
    _say(console, *_left_out(len(rows) - most, "row"), *_RATES)


def _rate_cells(rate: GoldRate) -> list[str]:
    return [f"{rate.n_gold:,}", known(rate.estimate), *ends(rate.interval)]


def _print_pairs(console: Console, judged: Judges) -> None:
    pairs = judged.error_pairs
    if pairs:
        rows = [
            [pair.first, pair.second, f"{pair.correlation:+.2f}", f"{pair.n_shared:,}"] for pair in pairs[:_MOST_PAIRS]
        ]
        headers = ["judge", "judge", "correlation\nof errors", "gold items\nof both"]
        print_table(console, "Who errs together", headers, rows, left=(0, 1))
        written = f"--json FILE writes {'all' if len(pairs) <= _PAIRS_IN_JSON else f'{_PAIRS_IN_JSON:,}'}"
        _say(console, *_left_out(len(pairs) - _MOST_PAIRS, "pair", written), *_PAIRS)


def _print_disagreements(console: Console, judged: Judges) -> None:
    table = judged.disagreements
    if not len(table):
        return
    item, *names = table.columns
    passed_on = names[len(COLUMNS) + len(judged.scores) :][:1]
    headers = [item, "gold", "wrong", "panel", "says otherwise", *passed_on]
    shown = table.take(range(min(_MOST_ITEMS, len(table))))
    cells = (_dispute_cells([*row.items()], len(judged.scores)) for row in shown.rows())
    title = "Where judges and gold disagree, most wrong judges first"
    print_table(console, title, headers, cells, left=[j for j in range(len(headers)) if j != 2])
    _say(console, *_left_out(len(table) - _MOST_ITEMS, "item", "-o FILE writes all"), *_DISPUTED)


def _dispute_cells(entries: Sequence[tuple[str, Any]], n_judges: int) -> list[str]:
    """One item: its id, and then what :func:`list_disagreements` tells of it, of which the first text is shown."""
    item, gold, n_wrong, n_votes, panel = (value for _, value in entries[: 1 + len(COLUMNS)])
    rest = entries[1 + len(COLUMNS) :]
    wrong = ", ".join(name for name, voted in rest[:n_judges] if voted not in (None, gold))
    texts = [one_line("" if value is None else value, _LONGEST_TEXT) for _, value in rest[n_judges:][:1]]
    verdict = NOTHING if panel is None else str(panel)
    counts = f"{n_wrong:,} of {n_votes:,}"
    return [one_line(item, _LONGEST_ID), str(gold), counts, verdict, one_line(wrong, _LONGEST_TEXT), *texts]


def _left_out(n_more: int, what: str, written: str = "--json FILE writes all") -> Iterator[str]:
    if n_more > 0:
        yield f"... and {plural(n_more, what)} more: {written}"


def _say(console: Console, *sentences: str) -> None:
    for sentence in sentences:
        console.print(Text(sentence))
    console.print()


def as_table(disagreements: Tidy) -> Table:
    """As a table that can be written: whole numbers, or texts."""
    return Table({name: _as_column(values) for name, values in disagreements.columns.items()})


def _as_column(values: Sequence[Any]) -> np.ma.MaskedArray[Any, Any]:
    missing = [value is None for value in values]
    if all(isinstance(value, int) or value is None for value in values):
        return np.ma.MaskedArray(np.array([value or 0 for value in values], dtype=np.int64), mask=missing)
    texts = np.array(["" if value is None else str(value) for value in values], dtype=object)
    return np.ma.MaskedArray(texts, mask=missing)


def as_content(judged: Judges) -> dict[str, Any]:
    """All that was found, for JSON."""
    evidence, best, pairs = judged.evidence, judged.best_judge, judged.error_pairs
    return {
        "confidence_level": evidence.confidence_level,
        "method": evidence.method,
        "assumption": evidence.assumption,
        "is_guarantee": evidence.is_guarantee,
        "n_gold": judged.n_gold,
        "n_items": judged.n_items,
        "n_intervals": judged.n_intervals,
        "judges": [_score_content(row) for row in judged.scores],
        "panel": None if judged.panel is None else _score_content(judged.panel),
        "best_judge": None if best is None else {**vars(best), "is_as_good": best.is_as_good},
        "krippendorff_alpha": judged.krippendorff_alpha,
        "mean_error_correlation": judged.mean_error_correlation,
        "effective_judges": judged.effective_judges,
        "n_error_pairs": len(pairs),
        "error_pairs": [vars(pair) for pair in pairs[:_PAIRS_IN_JSON]],
        "disagreements": [*judged.disagreements.rows()],
        "sentences": judged.sentences,
    }


def _score_content(row: JudgeScore) -> dict[str, Any]:
    return {
        "judge": row.judge,
        "n_votes": row.n_votes,
        "agreement": _interval(row.agreement, row.interval, row.n_gold),
        "kappa": row.kappa,
        "rates": [
            {
                "class": rates.class_name,
                "true_positive_rate": _rate_content(rates.true_positive),
                "false_positive_rate": _rate_content(rates.false_positive),
            }
            for rates in row.rates
        ],
        "cost_per_label": row.cost,
        "cost_per_right_label": row.cost_per_right,
        **({} if row.steps is None else {"scale": _steps_content(row.steps)}),
    }


def _steps_content(steps: Steps) -> dict[str, Any]:
    return {
        "within_one_step": _interval(steps.within_one, steps.interval, steps.n_gold),
        "mean_absolute_error": steps.mean_absolute_error,
        "bias": steps.bias,
        "quadratic_kappa": steps.quadratic_kappa,
    }


def _rate_content(rate: GoldRate) -> dict[str, Any]:
    return _interval(rate.estimate, rate.interval, rate.n_gold)


def _interval(estimate: float, interval: tuple[float, float], n_gold: int) -> dict[str, Any]:
    return {"estimate": estimate, "lower": interval[0], "upper": interval[1], "n_gold": n_gold}

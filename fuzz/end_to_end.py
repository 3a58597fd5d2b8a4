"""Fuzz whole runs: ``python -m fuzz.end_to_end --minutes 60 --output FOLDER``.

Random votes in a random kind of file go through a random command of the command line, with items in memory or left in
files. What it writes is read back by other readers and compared with what Python gives for the same votes in a frame.
Either both answer the same, or both refuse. ``--seeds FILE`` tries those of a file again, before any others.
"""

from __future__ import annotations

import json
import math
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from typer.testing import CliRunner

import thumbwise as tw
from fuzz.driving import argument_parser, limit_memory
from fuzz.end_to_end_cases import Case, draw_case, read_back, write_case, write_columns
from thumbwise.cli.main import app

SEEDS = Path(__file__).parent / "end_to_end_seeds.txt"
# Patterns of items in files come in another order, and sums with them.
_CLOSE = 1e-6
_NOT_IN_FILES = ("plan", "certify")  # these want the items in memory, and say so
_PRECISION = 0.8
_WORDS_ONLY = {"sentence", "sentences", "remarks", "disagreements", "notes", "source", "stays_in_files", "layout"}


class Mismatch(Exception):  # noqa: N818  # what is looked for, and no mistake of a caller
    """The command line and Python do not say the same."""


def try_seed(seed: int) -> str:
    """How the run of a seed ended: ``same`` or ``refused``; whatever is raised is a finding."""
    case = draw_case(seed)
    with TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(place)
        try:
            compare: Callable[[Path], None] | None = _ANSWERS[case.command](case, _read(case))
        except tw.ThumbwiseError as error:
            compare, why = None, str(error)
        told = _run(case, folder)
        if any(path.name.startswith(".") for path in folder.iterdir()):
            raise Mismatch(f"left behind: {sorted(path.name for path in folder.iterdir())}")
        if case.is_lazy and case.command in _NOT_IN_FILES:
            _expect(told is not None, "votes in many files were taken")
            return "refused"
        if compare is None:
            _expect(told is not None, f"Python refuses, the command line does not: {why}")
            return "refused"
        _expect(told is None, f"the command line refuses, Python does not: {told}")
        compare(folder)
    return "same"


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Mismatch(otherwise)


def _read(case: Case) -> Any:
    listed = case.classes if case.are_listed else None
    return tw.read_votes(
        case.frame, gold=case.gold_frame, item_id=case.id_name, class_names=listed, layout=_layout(case)
    )


def _layout(case: Case) -> Any:
    return "long" if case.is_long else "wide"


def _run(case: Case, folder: Path) -> str | None:
    """Run the command; None if all went well, what it says if it refuses."""
    votes, gold = write_case(case, folder)
    reads = ["--gold", str(gold), f"--id={case.id_name}", "--layout", _layout(case), "--no-config"]
    if case.are_listed:
        quoted = ('"' + name.replace('"', '""') + '"' for name in case.classes)
        reads.append("--classes=" + ",".join(quoted))
    out, js = ["-o", str(folder / f"out.{case.output}")], ["--json", str(folder / "out.json")]
    if case.command == "predict":
        model = str(folder / "model.json")
        refused = _invoke(["label", votes, *reads, "--save", model])
        return refused or _invoke(
            ["predict", model, votes, f"--id={case.id_name}", "--layout", _layout(case), "--no-config", *out, *js]
        )
    if case.command == "certify":
        predictions = folder / "predictions.csv"
        frame = _predictions(case)
        write_columns({str(name): cells.tolist() for name, cells in frame.items()}, predictions, "csv")
        return _invoke(["certify", str(predictions), "--votes", votes, *reads, *js])
    options = {
        "label": out,
        "rate": [f"--of={case.classes[0]}"],
        "triage": [f"--precision={_PRECISION}", *out],
    }
    return _invoke([case.command, votes, *reads, *options.get(case.command, []), *js])


def _invoke(arguments: list[str]) -> str | None:
    answer = CliRunner().invoke(app, arguments)
    if answer.exception is not None and not isinstance(answer.exception, SystemExit):
        raise answer.exception
    if answer.exit_code == 0:
        return None
    refuses = answer.exit_code == 2 and answer.stderr.startswith("error: ")
    _expect(refuses, f"exit code {answer.exit_code}: {arguments} says {answer.stderr[-500:]}")
    return str(answer.stderr)


def _predictions(case: Case) -> pd.DataFrame:
    rng = np.random.default_rng(case.seed)
    labels = rng.choice(np.array(case.classes, dtype=object), len(case.items))
    return pd.DataFrame({case.id_name: case.items, "label": labels})


def _compare_labels(case: Case, reading: Any, model: Any, folder: Path) -> None:
    """Labels and probabilities by id; a label may differ where two classes are as good as equally probable."""
    rows = {row[case.id_name]: row for row in read_back(folder / f"out.{case.output}")}
    proba, labels = np.asarray(model.predict_proba(reading.votes)), model.predict(reading.votes)
    ids = [str(name) for name in reading.votes.item_ids]
    _expect(sorted(rows, key=str) == sorted(ids), "other ids")
    for name, p, label in zip(ids, proba, labels, strict=True):
        written = [float(rows[name][f"p_{c}"] or "nan") for c in reading.votes.class_names]
        _expect(bool(np.allclose(written, p, atol=_CLOSE, rtol=0)), f"item {name!r}: {written} for {p.tolist()}")
        top = np.sort(p)[-2:]
        _expect(rows[name]["label"] == str(label) or top[1] - top[0] < _CLOSE, f"label of {name!r}")


def _compare_json(wanted: Any, folder: Path) -> None:
    found = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    for place, (ours, theirs) in _differences(wanted, found, ""):
        raise Mismatch(f"{place}: Python {ours!r}, command line {theirs!r}")


def _differences(ours: Any, theirs: Any, place: str) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """Where two values differ; of mappings only the keys of the first, and no sentences."""
    if hasattr(ours, "tolist"):
        ours = ours.tolist()
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in ours:
            if key not in _WORDS_ONLY:
                yield from _differences(ours[key], theirs.get(str(key)), f"{place}.{key}")
    elif isinstance(ours, (list, tuple)) and isinstance(theirs, list) and len(ours) == len(theirs):
        for i, (left, right) in enumerate(zip(ours, theirs, strict=True)):
            yield from _differences(left, right, f"{place}[{i}]")
    elif not _is_same(ours, theirs):
        yield place, (ours, theirs)


def _is_same(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, float) and not math.isfinite(ours):
        return theirs is None  # JSON has no such number
    if isinstance(ours, float) and isinstance(theirs, (int, float)):
        return abs(ours - theirs) <= _CLOSE
    return ours is theirs or str(ours) == str(theirs)


def _fitted(reading: Any) -> Any:
    return tw.BalsubramaniFreund().fit(reading.votes, box=reading.box())


def _label(case: Case, reading: Any) -> Callable[[Path], None]:
    model = _fitted(reading)
    bound = {"log_loss_bound": model.certificate_.log_loss_bound, "n_gold": len(case.gold), "n_items": len(case.items)}

    def compare(folder: Path) -> None:
        _compare_labels(case, reading, model, folder)
        _compare_json(bound, folder)

    return compare


def _predict(case: Case, reading: Any) -> Callable[[Path], None]:
    model = _fitted(reading)

    def compare(folder: Path) -> None:
        _compare_labels(case, reading, model, folder)
        if not case.is_lazy:  # known items are found by ids as the file has them: 7 is not "7"
            loaded, source = tw.load(folder / "model.json"), next(folder.glob("votes.*"))
            again = tw.read_votes(source, item_id=case.id_name, layout=_layout(case), class_names=loaded.classes_)
            _compare_labels(case, again, loaded, folder)

    return compare


def _rate(case: Case, reading: Any) -> Callable[[Path], None]:
    found = tw.rate(reading, of=_class(case, reading)).as_dict()
    return lambda folder: _compare_json(found, folder)


def _class(case: Case, reading: Any) -> Any:
    """The first class as the reading has it, where numbers may be no texts."""
    return next(name for name in reading.votes.class_names if str(name) == case.classes[0])


def _judges(case: Case, reading: Any) -> Callable[[Path], None]:
    judged = tw.judges(reading)
    rows = [
        {
            "judge": row.judge,
            "n_votes": row.n_votes,
            "kappa": row.kappa,
            "agreement": {"estimate": row.agreement, "lower": row.interval[0], "upper": row.interval[1]},
        }
        for row in judged.scores
    ]
    wanted = {"judges": rows, "n_gold": len(case.gold), "krippendorff_alpha": judged.krippendorff_alpha}
    return lambda folder: _compare_json(wanted, folder)


def _triage(case: Case, reading: Any) -> Callable[[Path], None]:
    sorted_out = tw.triage(reading, precision=_PRECISION)
    accepted = {str(i) for i, is_in in zip(reading.votes.item_ids, sorted_out.accepted, strict=True) if is_in}

    def compare(folder: Path) -> None:
        _compare_json(sorted_out.as_dict(), folder)
        written = {row[case.id_name] for row in read_back(folder / f"out.{case.output}")}
        _expect(written == accepted | set(case.gold), f"{len(written)} accepted labels written, not {len(accepted)}")

    return compare


def _plan(_case: Case, reading: Any) -> Callable[[Path], None]:
    planned = tw.plan(reading)
    frame = planned.frame()
    rows = [dict(zip(frame, numbers, strict=True)) for numbers in zip(*frame.values(), strict=True)]
    wanted = {"plans": [{"bound": planned.bound, "floor": planned.floor, "rows": rows}]}
    return lambda folder: _compare_json(wanted, folder)


def _read_only(case: Case, _reading: Any) -> Callable[[Path], None]:
    """Counted by hand: votes by rule and class, gold by class."""
    columns = dict(zip(case.rules, zip(*case.votes, strict=True), strict=True))
    golden = Counter(case.gold.values())

    def compare(folder: Path) -> None:
        found = json.loads((folder / "out.json").read_text(encoding="utf-8"))
        rules = {row["rule"]: row["votes"] for row in found["rules"]}
        wanted = {name: Counter(filter(None, columns[name])) for name in case.rules}
        counted = {name: Counter({c: n for c, n in votes.items() if n}) for name, votes in rules.items()}
        _expect(counted == wanted, f"votes of rules: {counted} for {wanted}")
        _expect({str(row["class"]): row["n_gold"] for row in found["classes"] if row["n_gold"]} == golden, "gold")
        _expect(found["n_items"] == len(case.items), "items")

    return compare


def _certify(case: Case, reading: Any) -> Callable[[Path], None]:
    predictions = tw.read_predictions(_predictions(case), reading, item_id=case.id_name)
    found = tw.certify(predictions, reading.votes, reading.box())
    wanted = {"ranges": [{"lower": found.lower, "upper": found.upper}], "n_items": len(case.items)}
    return lambda folder: _compare_json(wanted, folder)


_ANSWERS: dict[str, Callable[[Case, Any], Callable[[Path], None]]] = {
    "label": _label,
    "rate": _rate,
    "judges": _judges,
    "triage": _triage,
    "plan": _plan,
    "predict": _predict,
    "read": _read_only,
    "certify": _certify,
}


def kept_seeds(path: Path = SEEDS) -> list[int]:
    """Seeds of a file, one a line; what follows # says what it found."""
    lines = (line.partition("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [int(line) for line in lines if line]


def main() -> None:
    """Run for the time that was given; exit code 1 if there is a finding."""
    parser = argument_parser(str(__doc__), minutes=60)
    parser.add_argument("--seeds", type=Path, default=SEEDS, help="file of seeds to try first")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    limit_memory()
    ends: Counter[str] = Counter()
    for n_tried, seed in enumerate(kept_seeds(arguments.seeds), start=1):
        _try_and_note(seed, ends, arguments.output, n_tried)
    for n_tried, seed in enumerate(count(arguments.seed * 10**7), start=1):
        if time.process_time() > arguments.minutes * 60:
            break
        _try_and_note(seed, ends, arguments.output, n_tried)
    print(f"{ends.total():,} runs: {dict(ends)}; seeds of findings are in {arguments.output / 'findings.txt'}")
    sys.exit(1 if ends["finding"] else 0)


def _try_and_note(seed: int, ends: Counter[str], folder: Path, n_tried: int) -> None:
    """One run; a finding is added to ``findings.txt`` with its seed, and does not end the others."""
    try:
        end = try_seed(seed)
    except Exception as error:  # whatever comes out is what is looked for
        end, case = "finding", draw_case(seed)
        about = f"{case.command} {case.format}{' long' * case.is_long}{' lazy' * case.is_lazy}"
        with (folder / "findings.txt").open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{seed}  # {about}: {''.join(traceback.format_exception(error)[-3:])}\n")
    ends[end] += 1
    if n_tried % 100 == 0:
        print(f"{ends.total():,} runs: {dict(ends)}", flush=True)


if __name__ == "__main__":
    main()

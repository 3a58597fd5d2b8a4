"""How long every reader takes for 100,000 rows beyond DuckDB's own read, and 10^7 long votes from file to fit.

Exports of evaluation tools are read beside ``json.load`` of the same file, in processor time, as ratios.

Usage: python -m benchmarks.readers [--long | --exports | --labeling-tools]
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import scipy.io
import scipy.sparse

import thumbwise as tw
from benchmarks import labeling_files

N_ROWS, N_RULES, N_GOLD = 100_000, 10, 200
NAMES = np.array(["ham", "spam", "eggs", None], dtype=object)
IDS = np.array([f"item-{i}" for i in range(N_ROWS)], dtype=object)


def make_votes() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Truth, and votes of ten rules that abstain on three items of ten."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=N_ROWS)
    said = np.where(rng.random((N_ROWS, N_RULES)) < 0.8, y[:, None], rng.integers(3, size=(N_ROWS, N_RULES)))
    return y, np.where(rng.random((N_ROWS, N_RULES)) < 0.7, said, -1)


def make_frames(votes: npt.NDArray[np.int64]) -> dict[str, pl.DataFrame]:
    """The same votes in every layout of a table; the last two have one row per vote."""
    rules = [f"rule {j}" for j in range(N_RULES)]
    numbers = pl.DataFrame({"id": IDS.tolist(), **{rule: votes[:, j] for j, rule in enumerate(rules)}})
    texts = pl.DataFrame({"id": IDS.tolist(), **{rule: NAMES[votes[:, j]].tolist() for j, rule in enumerate(rules)}})
    items, said_by = (places[:N_ROWS] for places in np.nonzero(votes >= 0))
    long = {
        "task": IDS[items].tolist(),
        "worker": [rules[j] for j in said_by],
        "label": NAMES[votes[items, said_by]].tolist(),
    }
    jury = dict(zip(("item", "judge", "verdict"), long.values(), strict=True))
    return {"wide, numbers": numbers, "wide, names": texts, "long": pl.DataFrame(long), "jury": pl.DataFrame(jury)}


def write(frame: pl.DataFrame, path: Path) -> None:
    if path.suffix == ".csv":
        frame.write_csv(path)
    elif path.suffix == ".parquet":
        frame.write_parquet(path)
    else:
        frame.write_ndjson(path)


def best(action: Callable[[], Any], n_runs: int = 3, clock: Callable[[], float] = perf_counter) -> float:
    seconds = []
    for _ in range(n_runs):
        start = clock()
        action()
        seconds.append(clock() - start)
    return min(seconds)


def show(name: str, own: float, whole: float) -> None:
    print(f"| {name} | {own:.2f} | {whole:.2f} | {whole - own:.2f} |", flush=True)


def read_by_duckdb(path: Path) -> Any:
    reader = {".jsonl": duckdb.read_json, ".csv": duckdb.read_csv, ".parquet": duckdb.read_parquet}[path.suffix]
    return reader(str(path)).fetchnumpy()


def time_tables(home: Path, frames: dict[str, pl.DataFrame], gold: dict[str, Any]) -> None:
    numbers = {key: NAMES.tolist().index(name) for key, name in gold.items()}
    for layout, frame in frames.items():
        known = {"wide, numbers": numbers, "wide, names": gold}.get(layout)
        for ending in (".csv", ".parquet", ".jsonl"):
            path = home / f"{layout}{ending}"
            write(frame, path)
            show(
                f"{layout}, {ending}",
                best(partial(read_by_duckdb, path)),
                best(partial(tw.read_votes, path, gold=known)),
            )
    texts = frames["wide, names"]
    for library, native in {"pandas": texts.to_pandas(), "polars": texts, "PyArrow": texts.to_arrow()}.items():
        show(f"wide, names, {library}", 0, best(partial(tw.read_votes, native, gold=gold)))


def time_folders(home: Path, y: npt.NDArray[np.int64], votes: npt.NDArray[np.int64]) -> None:
    items = {str(i): {"label": int(y[i]), "weak_labels": votes[i].tolist()} for i in range(N_ROWS)}
    for part in ("train", "valid", "test"):
        chosen = items if part == "train" else dict(list(items.items())[:N_GOLD])
        (home / f"{part}.json").write_text(json.dumps(chosen))
    (home / "label.json").write_text('{"0": "ham", "1": "spam", "2": "eggs"}')
    show("WRENCH folder (own: json.loads)", best(lambda: json.loads((home / "train.json").read_bytes())),
         best(lambda: tw.read_votes(home, layout="wrench")))  # fmt: skip
    gold = {"val_pred": votes[:N_GOLD], "validation_labels": y[None, :N_GOLD]}
    scipy.io.savemat(home / "votes.mat", {"train_pred": votes, **gold})
    show(
        ".mat file", best(lambda: scipy.io.loadmat(home / "votes.mat")), best(lambda: tw.read_votes(home / "votes.mat"))
    )


def time_labeling_tools(home: Path) -> None:
    """Exports of labeling tools beside ``json`` or PyArrow on the same file, in processor time."""
    print(f"\n{N_ROWS:,} rows; seconds of processor time\n\n| reader | own read | reading | ratio |\n|---|---|---|---|")

    def lines(path: Path) -> Any:
        return [json.loads(line) for line in path.read_bytes().splitlines()]

    cases: dict[str, tuple[Any, Any, str]] = {
        "label-studio": (labeling_files.write_label_studio, lambda path: json.loads(path.read_bytes()), "export.json"),
        "mlflow": (labeling_files.write_mlflow, lines, "traces.jsonl"),
        "prodigy": (labeling_files.write_prodigy, lines, "examples.jsonl"),
        "datasets": (labeling_files.write_dataset, read_by_pyarrow, ""),
    }
    for name, (make, own_read, file) in cases.items():
        path = home / name / file
        (home / name).mkdir()
        make(path, N_ROWS)
        own = best(partial(own_read, path), clock=process_time)
        whole = best(partial(tw.read_votes, path), clock=process_time)
        print(f"| {name} | {own:.2f} | {whole:.2f} | {whole / own:.2f} |", flush=True)


def read_by_pyarrow(folder: Path) -> Any:
    """All values as Python has them, with the names of their classes."""
    with pa.OSFile(str(folder / "data.arrow")) as source:
        columns = pa.ipc.open_stream(source).read_all().to_pydict()
    names = labeling_files.CLASSES
    return {name: [names[i] for i in column] for name, column in columns.items() if name != "id"}


def time_memory(votes: npt.NDArray[np.int64]) -> None:
    stored = scipy.sparse.csr_array(votes + 1)
    show("SciPy sparse", 0, best(lambda: tw.Votes.from_sparse(stored, first_class=1).patterns))
    squid = np.where(votes < 0, 0, votes + 1)
    codes = {0: None, 1: "ham", 2: "spam", 3: "eggs"}
    show("NumPy with codes", 0, best(lambda: tw.Votes(squid, codes=codes).patterns))


ASKED = "What is the best answer here? " * 8


def make_exports(y: npt.NDArray[np.int64], votes: npt.NDArray[np.int64]) -> Iterator[tuple[str, Any]]:
    """100,000 rows of each format, three judges each, with texts as long as they are there."""
    said = votes[:, :3].tolist()
    yield "promptfoo", {"results": {"version": 3, "results": [make_result(i, row) for i, row in enumerate(said)]}}
    samples = [make_sample(i, row) for i, row in enumerate(said)]
    yield "inspect", {"version": 2, "status": "success", "eval": {"task": "t"}, "samples": samples}
    yield "langfuse", {"data": [make_score(i, value) for i, value in enumerate(y.tolist())], "meta": {}}


def make_result(number: int, row: list[int]) -> dict[str, Any]:
    components = [
        {
            "pass": vote > 0,
            "score": 0.5,
            "reason": ASKED,
            "assertion": {"type": "llm-rubric", "metric": f"m{j}", "value": ASKED},
        }
        for j, vote in enumerate(row)
    ]
    return {
        "id": f"r{number}",
        "testIdx": number,
        "promptIdx": 0,
        "vars": {"question": ASKED, "n": number},
        "provider": {"id": "openai:gpt-5-mini", "label": ""},
        "prompt": {"raw": ASKED, "label": "short"},
        "response": {"output": ASKED, "tokenUsage": {"total": 90, "prompt": 60, "completion": 30}},
        "success": True,
        "score": 1.0,
        "gradingResult": {"pass": True, "score": 1.0, "reason": "All passed", "componentResults": components},
    }


def make_sample(number: int, row: list[int]) -> dict[str, Any]:
    scores = {f"s{j}": {"value": "ICPN"[vote], "explanation": ASKED, "history": []} for j, vote in enumerate(row)}
    messages = [{"role": "user", "content": ASKED}, {"role": "assistant", "content": ASKED}]
    known = {"input": ASKED, "target": "t", "metadata": {"topic": "a"}, "messages": messages}
    return {"id": number, "epoch": 1, **known, "scores": scores}


def make_score(number: int, value: int) -> dict[str, Any]:
    return {
        "id": f"s{number}",
        "traceId": f"t{number // 3}",
        "observationId": None,
        "timestamp": "2026-11-01T10:00:00.000Z",
        "name": f"judge {number % 3}",
        "source": "EVAL",
        "dataType": "CATEGORICAL",
        "value": None,
        "stringValue": ("no", "yes", "perhaps")[value],
        "comment": ASKED,
        "authorUserId": None,
        "environment": "default",
        "metadata": {},
    }


def time_exports(home: Path, exports: Iterable[tuple[str, Any]]) -> None:
    """Each export beside ``json.load`` of the same file, in seconds of the processor, when what made it is gone."""
    paths = {}
    for name, content in exports:
        paths[name] = home / f"{name}.json"
        paths[name].write_text(json.dumps(content))
        del content
    print("\n| export | MB | json.load | reading | ratio |\n|---|---|---|---|---|")
    for name, path in paths.items():
        own = best(partial(_load, path), clock=process_time)
        whole = best(partial(tw.read_votes, path), clock=process_time)
        print(f"| {name} | {path.stat().st_size / 1e6:.0f} | {own:.2f} | {whole:.2f} | {whole / own:.2f} |", flush=True)


def _load(path: Path) -> Any:
    with path.open("rb") as file:
        return json.load(file)


def fit_long(home: Path, n_items: int = 10**6, n_votes: int = 10) -> None:
    """10^7 votes of 400 workers in a Parquet file, read, and fitted with 200 gold labels."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=n_items)
    worker = (rng.integers(40, size=(n_items, n_votes)) + 40 * np.arange(n_votes)).ravel()
    item = np.repeat(np.arange(n_items), n_votes)
    right = rng.random(len(item)) < rng.uniform(0.5, 0.95, 40 * n_votes)[worker]
    label = np.where(right, y[item], rng.integers(3, size=len(item)))
    with duckdb.connect() as connection:
        connection.register("votes", {"i": item, "w": worker, "c": label})
        said = "'item-' || i AS task, 'worker-' || w AS worker, ['ham', 'spam', 'eggs'][c + 1] AS label"
        connection.sql("FROM votes").project(said).write_parquet(str(home / "long.parquet"))
    del item, worker, right, label
    gold = {f"item-{i}": NAMES[y[i]] for i in rng.choice(n_items, N_GOLD, replace=False)}
    start = perf_counter()
    reading = tw.read_votes(home / "long.parquet", gold=gold)
    middle = perf_counter()
    tw.BalsubramaniFreund().fit(reading.votes, box=reading.box())
    end = perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    size = f"{n_items * n_votes:,} long votes"
    print(f"{size}: read {middle - start:.1f} s, box and fit {end - middle:.1f} s; {peak:.1f} GB")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--long", action="store_true", help="10^7 long votes from file to fit")
    arguments.add_argument("--exports", action="store_true", help="exports of evaluation tools alone")
    arguments.add_argument("--labeling-tools", action="store_true", help="exports of labeling tools alone")
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        if chosen.long:
            fit_long(home)
            return
        if chosen.labeling_tools:
            time_labeling_tools(home)
            return
        y, votes = make_votes()
        if chosen.exports:
            time_exports(home, make_exports(y, votes))
            return
        gold = {str(IDS[i]): NAMES[y[i]] for i in range(N_GOLD)}
        print(f"{N_ROWS:,} rows; seconds\n\n| reader | own read | reading | beyond |\n|---|---|---|---|")
        time_tables(home, make_frames(votes), gold)
        time_folders(home, y, votes)
        time_memory(votes)
        time_exports(home, make_exports(y, votes))
        time_labeling_tools(home)


if __name__ == "__main__":
    main()

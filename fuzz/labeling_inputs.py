"""Small exports of labeling and tracking tools, and how they are made strange.

An input is a line with the kind, and then what is read: a file, or for a folder its files as one JSON object.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pyarrow as pa

from fuzz.mutations import NAMES, damage_bytes, dump, edit_json, mutate_json, parse_or_none

LINES = ("prodigy", "mlflow-lines")
KINDS = ("label-studio", "mlflow", *LINES, "datasets")
# Values that mean something in some field, so that edits get past the first checks.
_WORDS: list[Any] = [
    *("accept", "reject", "ignore", "HUMAN", "LLM_JUDGE", "CODE", "choices", "rating", "labels", "review", "a", "b"),
    *(None, "", 0, 1, -1, 0.5, 5.0, True, False, [], ["a"], ["a", "b"], {}, {"value": "a"}, {"email": "x@y"}),
]


def seeds(kind: str) -> list[bytes]:
    """Small inputs of the forms that people have."""
    made = {
        "label-studio": _label_studio,
        "mlflow": _mlflow,
        "mlflow-lines": _mlflow_lines,
        "prodigy": _prodigy,
        "datasets": _datasets,
    }[kind]()
    return [kind.encode() + b"\n" + content for content in made]


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _lines(rows: list[Any]) -> bytes:
    return b"\n".join(map(_json, rows)) + b"\n"


def _label_studio() -> list[bytes]:
    def result(said: Any, kind: str = "choices") -> list[Any]:
        return [{"id": "x", "type": kind, "from_name": "v", "to_name": "t", "value": {kind: said}}]

    def task(number: int, *annotations: Any, predictions: Any = ()) -> dict[str, Any]:
        data = {"text": f"t{number}", "id": f"q{number}"}
        return {"id": number, "data": data, "annotations": list(annotations), "predictions": list(predictions)}

    def annotation(said: Any, by: Any, **more: Any) -> dict[str, Any]:
        return {"completed_by": by, "result": said, "was_cancelled": False, "ground_truth": False, **more}

    guess = {"model_version": "m", "score": 0.8, "result": result(["a"])}
    plain = [
        task(
            1, annotation(result(["a"]), 1), annotation(result(["b"]), {"id": 2, "email": "x@y"}), predictions=[guess]
        ),
        task(2, annotation(result(["b"]), 1, ground_truth=True, parent_prediction=3), predictions=[guess, 7]),
        task(3, annotation([], 1, was_cancelled=True)),
        task(4),
    ]
    stars = [task(i, annotation(result(i % 3, "rating"), 1), annotation(result(1, "rating"), 2)) for i in range(3)]
    return [_json(plain), _json(stars), _json(plain[:1])]


def _assessment(
    value: Any, kind: str = "LLM_JUDGE", by: str = "m", what: str = "feedback", **more: Any
) -> dict[str, Any]:
    source = {"source_type": kind, "source_id": by}
    return {"assessment_id": f"{kind}{by}", "assessment_name": "c", "source": source, what: {"value": value}, **more}


def _traces() -> list[Any]:
    broken = {**_assessment(None), "feedback": {"value": None, "error": {"error_code": "E", "error_message": "m"}}}
    held = [
        [_assessment("a"), _assessment("b", "HUMAN", "ann"), _assessment("b", "CODE", "f")],
        [broken, _assessment("a", "HUMAN", "ann", "expectation"), _assessment("b", "CODE", "f")],
        [_assessment("b", valid=False), _assessment("a", "HUMAN", "ann", overrides="LLM_JUDGEm")],
        [],
    ]
    return [{"info": {"trace_id": f"t{i}", "assessments": entries}, "data": {}} for i, entries in enumerate(held)]


def _mlflow() -> list[bytes]:
    numbers = [
        {"info": {"trace_id": f"t{i}", "assessments": [_assessment(i % 2), _assessment(1.0, "CODE", "f")]}}
        for i in range(3)
    ]
    infos = [trace["info"] for trace in _traces()]
    alone = [{**entry, "trace_id": info["trace_id"]} for info in infos for entry in info["assessments"]]
    return [_json(_traces()), _json({"traces": numbers}), _json(infos), _json(alone)]


def _mlflow_lines() -> list[bytes]:
    return [_lines(_traces()), _lines([trace["info"] for trace in _traces()])]


def _prodigy() -> list[bytes]:
    def example(number: int, answer: str, by: str, **more: Any) -> dict[str, Any]:
        hashes = {"_input_hash": number, "_task_hash": -number}
        return {"text": f"t{number}", **hashes, "answer": answer, "_annotator_id": by, **more}

    options = [{"id": "a", "text": "A"}, {"id": "b", "text": "B"}]
    choices = [
        example(i, answer, by, options=options, accept=chosen, _view_id="choice", config={"choice_style": "single"})
        for i, answer, by, chosen in (
            *((1, "accept", "x", ["a"]), (1, "accept", "y", ["b"])),
            *((2, "ignore", "x", []), (2, "accept", "2024-01-02_03-04-05", ["b"])),
        )
    ]
    versions = [{"accept": ["a"], "answer": "accept", "sessions": ["x", "z"]}]
    reviewed = {**choices[0], "_view_id": "review", "view_id": "choice", "versions": versions}
    binary = [example(i, answer, "x", label="L") for i, answer in ((1, "accept"), (2, "reject"), (3, "ignore"))]
    return [_lines(choices), _lines([*choices, reviewed]), _lines(binary)]


def _datasets() -> list[bytes]:
    rows = pa.table({"id": ["a", "b", "c"], "m1": [0, 1, 1], "m2": [1, None, -1], "tags": [["x"], [], None]})
    classes = {"names": ["no", "yes"], "_type": "ClassLabel"}
    state = {"_data_files": [{"filename": "data.arrow"}], "_fingerprint": "19190bf8", "_split": None}
    info = {"features": {"id": {"dtype": "string", "_type": "Value"}, "m1": classes, "m2": classes}}
    inputs = []
    for make in (pa.ipc.new_stream, pa.ipc.new_file):
        sink = pa.BufferOutputStream()
        with make(sink, rows.schema) as writer:
            writer.write_table(rows)
        files = {"state.json": json.dumps(state), "dataset_info.json": json.dumps(info)}
        inputs.append(_json({**files, "data.arrow": sink.getvalue().to_pybytes().decode("latin-1")}))
    return inputs


def mutate(content: bytes, rng: Random) -> bytes:
    """An input near this one: fields filled with words that mean something, any other edit, or damaged bytes."""
    kind, _, payload = content.partition(b"\n")
    name = kind.decode()
    if name == "datasets":
        changed = _mutate_files(payload, rng)
    elif rng.random() < 0.1:
        changed = damage_bytes(payload, rng)
    elif name in LINES:
        changed = _mutate_lines(payload, rng)
    else:
        document = parse_or_none(payload)
        changed = damage_bytes(payload, rng) if document is None else _edited(document, rng)
    return kind + b"\n" + changed


def _edited(document: Any, rng: Random) -> bytes:
    try:
        return dump(_meaning(document, rng) if rng.random() < 0.5 else edit_json(document, rng), rng)
    except (RecursionError, ValueError):  # or a piece that was put into itself
        return b"[]"


def _meaning(document: Any, rng: Random) -> Any:
    """A few fields, anywhere, filled with words that mean something somewhere."""
    document = json.loads(json.dumps(document))
    for _ in range(rng.choice((1, 1, 2, 3))):
        holders = _holders(document)
        if holders:
            holder = rng.choice(holders)
            name = rng.choice([*holder, rng.choice(NAMES)])
            if rng.random() < 0.2:
                holder.pop(name, None)
            else:
                holder[name] = rng.choice(_WORDS)
    return document


def _holders(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        return [value, *(holder for entry in value.values() for holder in _holders(entry))]
    return [holder for entry in value for holder in _holders(entry)] if isinstance(value, list) else []


def _mutate_lines(payload: bytes, rng: Random) -> bytes:
    rows = [parse_or_none(line) for line in payload.split(b"\n") if line.strip()]
    if not rows or None in rows:
        return damage_bytes(payload, rng)
    try:
        edited = _meaning(rows, rng) if rng.random() < 0.5 else edit_json(rows, rng)
        return b"\n".join(dump(row, rng) for row in (edited if isinstance(edited, list) else [edited]))
    except (RecursionError, ValueError):  # or a piece that was put into itself
        return damage_bytes(payload, rng)


def _mutate_files(payload: bytes, rng: Random) -> bytes:
    files = parse_or_none(payload)
    if not isinstance(files, dict) or not files:
        return payload
    name = rng.choice(list(files))
    held = str(files[name]).encode("latin-1", "replace")
    changed = mutate_json(held, rng) if name.endswith(".json") and rng.random() < 0.8 else None
    files[name] = (damage_bytes(held, rng) if changed is None else changed).decode("latin-1")
    return _json(files)

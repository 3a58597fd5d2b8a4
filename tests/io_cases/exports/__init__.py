"""Small exports in the shape that each tool publishes, made by hand, and ways to change them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PROMPTFOO, INSPECT, LANGFUSE = (HERE / f"{name}.json" for name in ("promptfoo", "inspect", "langfuse"))


def changed(source: Path, folder: Path, change: Callable[[Any], Any], name: str = "changed.json") -> Path:
    """A copy with its JSON changed: by what the function does to it, or by what it returns."""
    value = json.loads(source.read_bytes())
    result = change(value)
    path = folder / name
    path.write_text(json.dumps(value if result is None else result), encoding="utf-8")
    return path


def component(judge: str, passed: bool, **more: Any) -> dict[str, Any]:
    """One component of promptfoo."""
    return {
        "pass": passed,
        "score": float(passed),
        "reason": "",
        "assertion": {"type": "llm-rubric", "metric": judge},
    } | more


def result(test: int, *components: dict[str, Any], prompt: int = 0, provider: str = "p") -> dict[str, Any]:
    """One result of promptfoo."""
    grading = {"pass": True, "score": 1, "reason": "", "componentResults": list(components)}
    place = {"testIdx": test, "promptIdx": prompt, "provider": {"id": provider, "label": ""}}
    return {**place, "vars": {"n": test}, "success": True, "score": 1, "failureReason": 0, "gradingResult": grading}


def write_results(folder: Path, *results: dict[str, Any], name: str = "results.json") -> Path:
    """A file of results of promptfoo."""
    path = folder / name
    path.write_text(json.dumps({"results": {"version": 3, "results": list(results), "stats": {}}}), encoding="utf-8")
    return path


def write_log(folder: Path, *samples: dict[str, Any], **fields: Any) -> Path:
    """A log of Inspect."""
    path = folder / "log.json"
    path.write_text(
        json.dumps({"version": 2, "status": "success", "eval": {"task": "t"}, "samples": list(samples), **fields})
    )
    return path


def score(item: str, name: str, source: str = "EVAL", **more: Any) -> dict[str, Any]:
    """One score of Langfuse: a class if there is a text, a number otherwise."""
    kind = "CATEGORICAL" if "stringValue" in more else "NUMERIC"
    plain = {"traceId": item, "observationId": None, "name": name, "source": source, "dataType": kind, "value": 0}
    return {**plain, "stringValue": None, "timestamp": "2026-11-01T10:00:00.000Z", **more}

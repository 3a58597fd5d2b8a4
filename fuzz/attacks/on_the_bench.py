"""Attacks on the bench: requests with strange fields, headers and paths, and gold files that were edited or cut."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

from fuzz.attacks.attempts import Attempt, attack
from fuzz.attacks.victims import write_rows
from fuzz.mutations import NAMES, NUMBERS, RAW, SHAPES, damage_bytes, mutate_json
from thumbwise.bench.beginning import Asked
from thumbwise.bench.desk import Desk
from thumbwise.bench.guard import Address, App
from thumbwise.bench.opening import open_bench
from thumbwise.bench.server import make_app
from thumbwise.exceptions import ThumbwiseError

_ADDRESS = Address("127.0.0.1", 8000, "token")
_USUAL = {
    "host": "127.0.0.1:8000",
    "origin": "http://127.0.0.1:8000",
    "content-type": "application/json",
    "sec-fetch-site": "same-origin",
}
_ASKED = ("start", "turn", "look", "answer", "undo", "list", "progress")
_VALUES = [*map(json.dumps, (*NAMES, *NUMBERS, *SHAPES, None, True)), *RAW.values()]
_N_EDITED = 3000


@dataclass(frozen=True)
class _Reply:
    status: int
    headers: Mapping[bytes, bytes]
    body: bytes


def _ask(app: App, method: str, path: str, body: bytes = b"", **headers: str) -> _Reply:
    """A request as a server passes it on, without a socket."""
    given = {**_USUAL, "content-length": str(len(body)), **{name.replace("_", "-"): v for name, v in headers.items()}}
    scope = {
        "type": "http", "method": method, "path": path, "raw_path": path.encode("utf-8", "replace"), "root_path": "",
        "query_string": b"", "http_version": "1.1", "scheme": "http", "client": ("127.0.0.1", 1),
        "headers": [(name.encode(), value.encode("utf-8", "replace")) for name, value in given.items()],
    }  # fmt: skip
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    async def answer() -> None:
        await app(scope, receive, send)

    asyncio.run(answer())
    return _Reply(sent[0]["status"], dict(sent[0]["headers"]), b"".join(part.get("body", b"") for part in sent[1:]))


def _open(folder: Path) -> Desk:
    write_rows(folder / "items.csv", ["id", "text"], [[f"q{i}", f"Text of item {i}."] for i in range(60)])
    return open_bench(folder / "items.csv", folder / "gold.jsonl", Asked(classes=("pass", "fail"), seed=7, n=20))


@cache
def _served() -> App:
    """One bench for all requests, in a folder of its own: none of them may spoil it for the next."""
    app = make_app(_open(Path(tempfile.mkdtemp(prefix="bench-"))), _ADDRESS)
    _ask(app, "POST", "/token/ask/start", b"{}")
    return app


@attack("requests to the bench")
def requests(_rng: Random) -> Iterator[Attempt]:
    """Each field of each question strange; then whoever may not ask, and paths that lead elsewhere."""
    usual = {"by": '"a"', "place": "1", "id": '"q1"', "kind": '"label"', "answer": '"pass"', "again": "false"}
    for asked in _ASKED:
        for field in (*usual, "mine", "note", "seconds", "filter", "usual", "again"):
            for value in _VALUES:
                body = ", ".join(f'"{name}": {said}' for name, said in {**usual, field: value}.items())
                yield Attempt(f"{asked}, {field} = {value[:40]}", partial(_question, asked, f"{{{body}}}"))
        for value in _VALUES:
            yield Attempt(f"{asked}, {value[:40]}", partial(_question, asked, value))
    for path in ("", "page.js", "text/1/0/0", "image/1/0", "ask/start"):
        for name in _USUAL:
            for value in (*NAMES, "evil.example:8000", "http://evil.example", "null", "cross-site", "127.0.0.1:8000@x"):
                yield Attempt(f"/{path}, {name}: {value[:40]!r}", partial(_foreign, path, {name: value}))
    for name in (*NAMES, "..", "%2e%2e", "\u0663", "9" * 4301, "-1", "1e3", "gold.jsonl", "etc/passwd"):
        for path in ("{}", "text/{}/0/0", "text/1/{}/0", "text/1/0/{}", "image/{}/0", "image/1/{}", "ask/{}", "../{}"):
            yield Attempt(f"path {path.format(name)[:60]!r}", partial(_elsewhere, path.format(name)))


def _question(asked: str, body: str, _folder: Path) -> str | None:
    reply = _ask(_served(), "POST", f"/token/ask/{asked}", body.encode("utf-8", "surrogatepass"))
    if reply.status not in (200, 400, 413):
        return f"is answered by {reply.status}: {reply.body[:200]!r}"
    content = json.loads(reply.body) if reply.status != 413 else {}
    again = _ask(_served(), "POST", "/token/ask/turn", b'{"by": "another"}')
    return None if isinstance(content, dict) and again.status == 200 else f"spoils the bench: {again.body[:200]!r}"


def _foreign(path: str, header: Mapping[str, str], _folder: Path) -> str | None:
    """Whatever one header says, it is refused, or nobody but the page could have said it."""
    method = "POST" if path.startswith("ask") else "GET"
    reply = _ask(_served(), method, f"/token/{path}", b"{}" * (method == "POST"), **dict(header))
    name, value = next(iter(header.items()))
    may_pass = (name == "content-type" and method == "GET") or (name == "sec-fetch-site" and path == "")
    if reply.status == 200 and not may_pass and value != _USUAL[name]:
        return f"is let in: {reply.body[:60]!r}"
    return None if reply.status < 500 else f"is answered by {reply.status}"


def _elsewhere(path: str, _folder: Path) -> str | None:
    for place in (f"/token/{path}", f"/{path}", f"/wrong/{path}"):
        reply = _ask(_served(), "GET", place)
        if reply.status >= 500:
            return f"{place[:60]!r} is answered by {reply.status}"
        known = place.startswith("/token/") and reply.headers[b"content-type"] != b"application/json"
        if reply.status == 200 and not (known and (path == "" or path.startswith("text/1/0/"))):
            return f"{place[:60]!r} leads to {reply.body[:60]!r}"
    return None


@attack("gold files that were edited")
def gold_files(_rng: Random) -> Iterator[Attempt]:
    """A line edited as JSON, or bytes damaged: the bench goes on, or says in words that it cannot."""
    for seed in range(_N_EDITED):
        yield Attempt(f"gold file of seed {seed}", partial(_edited, seed))


def _edited(seed: int, folder: Path) -> str | None:
    path = folder / "gold.jsonl"
    path.write_bytes(_edit(_labeled(), Random(seed)))
    before = path.read_bytes()
    try:
        desk = _open(folder)
    except ThumbwiseError:
        return _lost(path, before)
    with suppress(ThumbwiseError):
        desk.turn({"by": "ann"})
        desk.progress({})
    desk.journal.close()
    return _lost(path, before)


def _lost(path: Path, before: bytes) -> str | None:
    """Whole lines stay where they are; what is left of the last is there, or in the file beside."""
    kept, beside = path.read_bytes(), path.with_name(f"{path.name}.torn")
    lines, torn = before.rpartition(b"\n")[::2]
    is_kept = kept.startswith(lines + b"\n" + torn) or (beside.exists() and beside.read_bytes() == torn + b"\n")
    return None if not lines or (kept.startswith(lines) and (not torn or is_kept)) else "answers are lost"


def _edit(content: bytes, rng: Random) -> bytes:
    if rng.random() < 0.3:
        return damage_bytes(content, rng)
    lines = content.splitlines()
    place = rng.choice((0, rng.randrange(len(lines))))
    lines[place] = mutate_json(lines[place], rng) or b""
    return b"\n".join(lines) + b"\n" * rng.randrange(2)


@cache
def _labeled() -> bytes:
    """A gold file of a dozen answers of every kind."""
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    desk = _open(folder)
    for number in range(12):
        item = desk.turn({"by": "ann"})["item"]
        kind = ("label", "label", "unclear", "skip")[number % 4]
        answer = ("pass", "fail")[number % 2] if kind == "label" else None
        desk.answer(
            {"by": "ann", "place": item["place"], "id": item["id"], "kind": kind, "answer": answer, "note": "n"}
        )
    desk.undo({"by": "ann"})
    desk.journal.close()
    return (folder / "gold.jsonl").read_bytes()

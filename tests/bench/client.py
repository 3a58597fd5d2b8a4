"""A client that speaks to a served bench as the page does, or as somebody else would."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit


@dataclass
class Reply:
    """Status, headers by lower-case name, and bytes."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Page:
    """Requests to one address; each may be bent by a test."""

    url: str
    by: str = "ann"
    item: dict[str, Any] | None = field(default=None)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        self.host, self.port, self.base = str(parts.hostname), int(parts.port or 0), parts.path
        self.authority = f"{self.host}:{self.port}"

    def send(self, method: str, path: str, body: bytes | None = None, **headers: str | None) -> Reply:
        """A request with exactly these headers, besides the usual Host."""
        connection = HTTPConnection(self.host, self.port, timeout=30)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            given = {"host": self.authority, **{name.replace("_", "-"): value for name, value in headers.items()}}
            if body is not None:
                given.setdefault("content-length", str(len(body)))
            for name, value in given.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            return Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def get(self, path: str = "", **headers: str | None) -> Reply:
        return self.send("GET", self.base + path, None, **headers)

    def post(self, what: str, content: Any = None, **headers: str | None) -> Reply:
        body = content if isinstance(content, bytes) else json.dumps({"by": self.by, **(content or {})}).encode()
        usual = {"origin": f"http://{self.authority}", "content_type": "application/json"}
        return self.send("POST", f"{self.base}ask/{what}", body, **{**usual, **headers})

    def ask(self, what: str, **content: Any) -> Any:
        reply = self.post(what, content)
        assert reply.status == 200, (reply.status, reply.body)
        if "item" in reply.json:
            self.item = reply.json["item"]
        return reply.json

    def answer(self, kind: str = "label", answer: str | None = "pass", **more: Any) -> Any:
        """Answer the item that was sent last."""
        assert self.item is not None
        shown = {"place": self.item["place"], "id": self.item["id"], "mine": self.item["mine"]}
        return self.ask("answer", **{**shown, "kind": kind, "answer": answer, "seconds": 1.0, **more})

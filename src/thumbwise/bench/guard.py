"""The guard before the page: who may ask, from where, how much; and what every answer says to the browser.

The server listens on this machine alone, but every page in a browser can send requests to it. So each request must
carry the token of this run in its path, be addressed to a name of this machine (a foreign name that was made to
resolve to it is refused), and, if it asks for more than the page itself, come from the page.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from ipaddress import ip_address
from secrets import compare_digest
from typing import Any, TypeAlias
from urllib.parse import urlsplit

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

LONGEST_BODY = 2**16
# A token, and three numbers of few digits; Python refuses to read one of thousands.
_LONGEST_PATH = 200
LOOPBACK = ("127.0.0.1", "localhost", "::1")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@dataclass(frozen=True)
class Address:
    """Where the page is: the host and port that it is served at, and the token that opens it."""

    host: str
    port: int
    token: str

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in LOOPBACK

    @property
    def url(self) -> str:
        """What to open in a browser."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::", "localhost") else self.host  # noqa: S104  # is compared
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/{self.token}/"

    def names(self, authority: str) -> bool:
        """Whether a Host header is a name of this server: never one that somebody else's DNS made up.

        Examples
        --------
        >>> address = Address("127.0.0.1", 8000, "secret")
        >>> [address.names(host) for host in ("127.0.0.1:8000", "localhost:8000", "evil.example:8000", "127.0.0.1:1")]
        [True, True, False, False]
        """
        try:
            parts = urlsplit(f"//{authority}")
            host, port = parts.hostname or "", parts.port or 80
        except ValueError:
            return False
        if port != self.port or parts.username is not None or parts.path:
            return False
        return host in LOOPBACK or host == self.host.lower() or (not self.is_local and _is_number(host))


def _is_number(host: str) -> bool:
    """Whether a host is written as numbers, which no DNS can make lead elsewhere."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


class Guard:
    """Middleware that lets through what may pass, without the token in its path, and refuses the rest with a word."""

    def __init__(self, app: App, address: Address) -> None:
        self._app, self._address = app, address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = _headers(scope["headers"])
        refused = self._objection(scope, headers)
        if refused is not None:
            await _refuse(send, *refused)
            return
        scope = {**scope, "path": "/" + scope["path"].split("/", 2)[2], "root_path": ""}
        await self._app(scope, receive, _with_headers(send))

    def _objection(self, scope: Scope, headers: dict[str, list[str]]) -> tuple[int, str] | None:
        """Why a request is refused, if it is; a token that is missing comes first and tells nothing else."""
        parts = scope["path"].split("/", 2)
        is_path = len(parts) == 3 and len(scope["path"]) <= _LONGEST_PATH
        if not is_path or not compare_digest(parts[1].encode("utf-8", "replace"), self._address.token.encode()):
            return 404, "not found"
        hosts = headers.get("host", [])
        if len(hosts) != 1 or not self._address.names(hosts[0]):
            return 421, "this server goes by another name"
        if scope["method"] not in ("GET", "POST"):
            return 405, "only GET and POST"
        return self._objection_to_source(scope["method"], parts[2], headers, hosts[0])

    def _objection_to_source(
        self, method: str, path: str, headers: dict[str, list[str]], host: str
    ) -> tuple[int, str] | None:
        origins, sites = headers.get("origin", []), headers.get("sec-fetch-site", [])
        is_foreign = any(origin != f"http://{host}" for origin in origins)
        is_foreign |= path != "" and any(site != "same-origin" for site in sites)
        if is_foreign or (method == "POST" and not origins):
            return 403, "requests must come from the page itself"
        return None if method == "GET" else _objection_to_body(headers)


def _objection_to_body(headers: dict[str, list[str]]) -> tuple[int, str] | None:
    if headers.get("content-type", [""])[0].partition(";")[0].strip() != "application/json":
        return 415, "requests must be JSON"
    length = headers.get("content-length", [""])[0]
    if not length.isdecimal() or int(length) > LONGEST_BODY:
        return 413, f"requests must have at most {LONGEST_BODY:,} bytes, and say how many"
    return None


def _headers(pairs: Iterable[tuple[bytes, bytes]]) -> dict[str, list[str]]:
    headers: dict[str, list[str]] = {}
    for name, value in pairs:
        headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return headers


def _with_headers(send: Send) -> Send:
    """Send, with headers that the answer does not set itself."""

    async def wrapped(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            there = {name.lower() for name, _ in message["headers"]}
            more = [(name.encode(), value.encode()) for name, value in _HEADERS.items() if name.encode() not in there]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return wrapped


async def _refuse(send: Send, status: int, why: str) -> None:
    body = f"{why}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    more = [(b"connection", b"close")]  # what was sent with it is not read
    await _with_headers(send)({"type": "http.response.start", "status": status, "headers": headers + more})
    await send({"type": "http.response.body", "body": body})

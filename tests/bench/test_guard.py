"""Who may ask: the token, names of this machine, the page itself, requests of a size; and no path leads outside."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.client import Page
from bench.conftest import Serve
from bench.desks import open_desk, write_items
from thumbwise.bench.guard import Address
from thumbwise.bench.running import serving
from thumbwise.exceptions import InvalidChoiceError

ASKED = ("start", "turn", "look", "answer", "undo", "list", "progress")
GIVEN = ("", "page.js", "page.css", "fields.js", "markdown.js", "icon.svg", "text/1/0/0", "image/1/0")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("guard")


@pytest.fixture(scope="module")
def page(home: Path) -> Iterator[Page]:
    """One for all: what is refused changes nothing."""
    with serving(open_desk(write_items(home), home / "gold.jsonl", n=20)) as address:
        yield Page(address.url)


def answers_in(folder: Path) -> int:
    return len((folder / "gold.jsonl").read_text().splitlines()) - 1


def test_the_page_is_served_with_a_strict_policy(page: Page) -> None:
    for path in GIVEN[:6]:
        reply = page.get(path)
        assert reply.status == 200, path
        policy = reply.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'")
        assert "unsafe" not in policy
        assert "http" not in policy.replace("https", "")
        assert reply.headers["referrer-policy"] == "no-referrer"
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["x-frame-options"] == "DENY"
        assert reply.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in reply.headers
        assert "server" not in reply.headers
        assert "set-cookie" not in reply.headers


@pytest.mark.parametrize("token", ["", "x", "%C3%A4", "%00", "..", "a" * 10_000])
def test_without_the_token_nothing_is_there(page: Page, token: str) -> None:
    for path in GIVEN:
        assert page.send("GET", f"/{token}/{path}").status in (400, 404)
    for name in ASKED:
        reply = page.send("POST", f"/{token}/ask/{name}", b"{}", content_type="application/json")
        assert reply.status in (400, 404)
        assert b"pass" not in reply.body


def test_a_token_that_is_nearly_right_is_wrong(page: Page) -> None:
    token = page.base.strip("/")
    assert len(token) >= 32
    for wrong in (token[:-1], token + "a", token.swapcase(), token[:-1] + ("a" if token[-1] != "a" else "b")):
        assert page.send("GET", f"/{wrong}/").status == 404
    assert page.send("GET", f"/{token}").status == 404  # its folder and nothing else


def test_every_run_has_a_token_of_its_own(tmp_path: Path, serve: Serve) -> None:
    path = write_items(tmp_path)
    bases = {serve(open_desk(path, tmp_path / "gold.jsonl")).base for _ in range(2)}
    assert len(bases) == 2


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:{port}",
        "evil.example",
        "127.0.0.1:1",
        "localhost.evil.example:{port}",
        "user@127.0.0.1:{port}",
        "",
    ],
)
def test_a_foreign_name_that_leads_here_is_refused(page: Page, host: str) -> None:
    """DNS rebinding: the browser sends the attacker's name."""
    named = host.format(port=page.port)
    assert page.get(host=named).status in (400, 421)
    assert page.post("start", host=named, origin=f"http://{named}").status in (400, 421)
    assert page.get(host=None).status in (400, 421)
    assert page.get(host=f"localhost:{page.port}").status == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1", "http://localhost:{port}", None],
)
@pytest.mark.parametrize("name", ASKED)
def test_requests_of_other_pages_are_refused(page: Page, home: Path, origin: str | None, name: str) -> None:
    """That of another origin, of a sandboxed frame, of another server on this machine, or of nobody."""
    shown = page.ask("start")["item"]
    content = {"place": shown["place"], "id": shown["id"], "kind": "label", "answer": "pass"}
    given = None if origin is None else origin.format(port=page.port)
    assert page.post(name, content, origin=given).status == 403
    assert answers_in(home) == 0


def test_what_a_browser_says_of_the_source_counts(page: Page) -> None:
    """An image or a script of another page carries no origin, but says that it is cross-site."""
    for path in GIVEN[1:]:
        for site in ("cross-site", "same-site", "none"):
            assert page.get(path, sec_fetch_site=site).status == 403
    assert page.get("page.js", sec_fetch_site="same-origin").status == 200
    assert page.get("", sec_fetch_site="none").status == 200  # typed, or opened by the command


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None])
def test_a_form_is_no_request(page: Page, kind: str | None) -> None:
    assert page.post("start", content_type=kind).status == 415


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "HEAD", "TRACE"])
def test_other_methods_are_refused(page: Page, method: str) -> None:
    assert page.send(method, page.base).status == 405


def test_requests_have_a_size(page: Page) -> None:
    assert page.post("start", b'{"by": "' + b"a" * 2**16 + b'"}').status == 413
    assert page.post("start", b"{}", content_length="9" * 30).status in (400, 413)
    assert page.post("start", b"2\r\n{}\r\n0\r\n\r\n", content_length=None, transfer_encoding="chunked").status == 413


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b"\xff", b"[" * 60_000, b'{"by": 3}', b"NaN"])
def test_what_is_no_request_gets_a_word(page: Page, body: bytes) -> None:
    reply = page.post("start", body)
    assert reply.status == 400
    assert "error" in reply.json


DIGITS = "9" * 5000
STRANGE = (
    f'{{"place": {DIGITS}}}',
    f'{{"place": "{DIGITS}"}}',
    '{"place": -1e999, "id": [], "mine": 3, "again": {}}',
    '{"place": [[]], "id": {}, "kind": ["label"], "answer": {"a": []}, "filter": [1], "note": "\\ud800"}',
    '{"by": "\\ud800\\u202e", "usual": [], "place": "\u0663", "filter": "\\ud800"}',
)


@pytest.mark.parametrize("strange", STRANGE)
@pytest.mark.parametrize("what", ["start", "turn", "look", "answer", "undo", "list", "progress"])
def test_no_request_breaks_the_server(page: Page, what: str, strange: str) -> None:
    """Numbers of thousands of digits, which Python does not read, lone surrogates, and wrong types everywhere."""
    page.ask("start")
    reply = page.post(what, strange.encode())
    assert reply.status in (200, 400), reply.body
    assert isinstance(reply.json, dict)
    assert page.ask("turn")["item"]["place"] == 1


@pytest.mark.parametrize(
    ("said", "kept"),
    [("9" * 400, 86_400.0), (f"-{'9' * 400}", 0.0), ("1e400", None), ("-1e400", None), ("NaN", None), ("2.26", 2.3)],
)
def test_an_answer_is_kept_however_long_it_is_said_to_have_taken(
    tmp_path: Path, serve: Serve, said: str, kept: float | None
) -> None:
    page = serve(open_desk(write_items(tmp_path), tmp_path / "gold.jsonl", n=20))
    page.ask("start")
    assert page.item is not None
    answer = f'"kind": "label", "answer": "pass", "place": 1, "id": {json.dumps(page.item["id"])}'
    assert page.post("answer", f'{{"by": "ann", {answer}, "seconds": {said}}}'.encode()).status == 200
    assert json.loads((tmp_path / "gold.jsonl").read_text().splitlines()[-1])["seconds"] == kept


TRICKS = (
    f"text/{DIGITS}/0/0",
    f"text/1/0/{DIGITS}",
    f"image/1/{DIGITS}",
    "text/%D9%A3/0/0",
    "../gold.jsonl",
    "..%2fgold.jsonl",
    "%2e%2e/%2e%2e/etc/passwd",
    "....//etc/passwd",
    "page.js/../../items.csv",
    "image/../items.csv",
    "image/1/..%2f..%2fetc%2fpasswd",
    "image/-1/0",
    "image/1/-1",
    "image/1e3/0",
    "image/99999999999999999999/0",
    "image/1/0/../../../items.csv",
    "text/0/0/0",
    "text/1/0/-5",
    "text/60/0/0",
    "text/1/9/0",
    "page/index.html",
    "index.html",
    "items.csv",
    "gold.jsonl",
    "/etc/passwd",
    "%00",
    "file:///etc/passwd",
)


@pytest.mark.parametrize("trick", TRICKS)
def test_no_path_leads_outside(page: Page, trick: str) -> None:
    page.ask("start")
    reply = page.get(trick)
    assert reply.status in (400, 404, 405)
    assert b"root:" not in reply.body
    assert b"Text of item" not in reply.body


def test_only_this_machine_is_listened_to(tmp_path: Path, serve: Serve) -> None:
    page = serve(open_desk(write_items(tmp_path), tmp_path / "gold.jsonl"))
    assert page.host == "127.0.0.1"
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
    for address in sorted(str(other) for other in others if not str(other).startswith("127.")):
        with pytest.raises(OSError):
            socket.create_connection((address, page.port), timeout=5).close()


def test_names_of_an_open_server() -> None:
    """With a host that the network can reach, numbers are names; words are not, but for the host's own."""
    address = Address("0.0.0.0", 80, "secret")  # noqa: S104
    assert not address.is_local
    assert address.names("192.168.1.7")
    assert address.names("192.168.1.7:80")
    assert not address.names("evil.example:80")
    assert Address("box.local", 80, "secret").names("BOX.local")
    assert address.url == "http://127.0.0.1:80/secret/"
    assert Address("::1", 81, "secret").url == "http://[::1]:81/secret/"
    assert Address("::1", 81, "secret").names("[::1]:81")


def test_a_port_that_is_taken_is_said(tmp_path: Path, page: Page) -> None:
    desk = open_desk(write_items(tmp_path), tmp_path / "other.jsonl")
    with pytest.raises(InvalidChoiceError, match="cannot be used"), serving(desk, port=page.port):
        pass

"""A run of the bench: a socket of this machine, a server behind it, and a tidy end."""

from __future__ import annotations

import logging
import secrets
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from thumbwise.bench.desk import Desk
from thumbwise.bench.guard import Address
from thumbwise.bench.server import load_server, make_app
from thumbwise.exceptions import Argument, InvalidChoiceError

_TOKEN_BYTES = 24
_SECONDS_TO_END = 2


@contextmanager
def serving(desk: Desk, *, host: str = "127.0.0.1", port: int = 0) -> Iterator[Address]:
    """Serve the page in a thread of its own as long as the block runs; then finish what is under way, and end.

    Parameters
    ----------
    desk : Desk
    host : str
        Only this machine can reach the default.
    port : int
        0 for any that is free.
    """
    _, uvicorn = load_server()
    listener = _listen(host, port)
    address = Address(host, listener.getsockname()[1], secrets.token_urlsafe(_TOKEN_BYTES))
    server = uvicorn.Server(_config(uvicorn, make_app(desk, address)))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="bench", daemon=True)
    thread.start()
    try:
        yield address
    finally:
        server.should_exit = True
        thread.join(timeout=2 * _SECONDS_TO_END + 1)
        listener.close()
        desk.journal.close()


def _config(uvicorn: Any, app: Any) -> Any:
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    return uvicorn.Config(
        app,
        http="h11",
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_SECONDS_TO_END,
    )


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        raise InvalidChoiceError(
            f"the page must be served at an address of this machine; {host}:{port} cannot be used: {error}. Leave out ",
            Argument("port", "NUMBER"),
            " for one that is free.",
        ) from error


def wait_for_the_end(opened: Callable[[], object]) -> None:
    """Do something once signals are heard, then wait until Ctrl-C or a request to end."""
    ended = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        ended.set()

    heard = [n for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) is not signal.SIG_IGN]
    before = {number: signal.signal(number, end) for number in heard}
    try:
        opened()
        while not ended.wait(timeout=1):
            pass
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

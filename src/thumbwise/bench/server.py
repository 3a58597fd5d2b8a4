"""The server of the bench: a page, what it asks of the desk, and images by number. No path comes from outside."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from thumbwise.bench.desk import Desk
from thumbwise.bench.guard import LONGEST_BODY, Address, App, Guard
from thumbwise.bench.images import POLICY, read_image
from thumbwise.bench.reading_requests import BadRequestError
from thumbwise.exceptions import MissingPackageError, ThumbwiseError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

_PAGE = {
    "": ("index.html", "text/html; charset=utf-8"),
    "page.css": ("page.css", "text/css; charset=utf-8"),
    "icon.svg": ("icon.svg", "image/svg+xml"),
    "page.js": ("page.js", "text/javascript; charset=utf-8"),
    "fields.js": ("fields.js", "text/javascript; charset=utf-8"),
    "markdown.js": ("markdown.js", "text/javascript; charset=utf-8"),
}


def load_server() -> tuple[Any, Any]:
    """Starlette and uvicorn, or an error that says how to get them."""
    try:
        import starlette.applications  # noqa: PLC0415  # an extra: only the bench needs it
        import uvicorn  # noqa: PLC0415
    except ImportError as error:
        raise MissingPackageError(
            "the bench needs Starlette and uvicorn, which are not installed. Run: pip install 'thumbwise[bench]'"
        ) from error
    return starlette.applications, uvicorn


def make_app(desk: Desk, address: Address) -> App:
    """The application, guarded; every request must carry the token of the address."""
    load_server()
    from starlette.applications import Starlette  # noqa: PLC0415
    from starlette.routing import Route  # noqa: PLC0415

    asked: dict[str, Callable[[Mapping[str, Any]], Any]] = {
        "start": desk.start,
        "turn": desk.turn,
        "look": desk.look,
        "answer": desk.answer,
        "undo": desk.undo,
        "list": desk.listed,
        "progress": desk.progress,
    }
    routes = [
        *(Route(f"/{name}", _static(*page), methods=["GET"]) for name, page in _PAGE.items()),
        *(Route(f"/ask/{name}", _asking(ask), methods=["POST"]) for name, ask in asked.items()),
        Route("/text/{place:int}/{field:int}/{start:int}", _text(desk), methods=["GET"]),
        Route("/image/{place:int}/{field:int}", _image(desk), methods=["GET"]),
    ]
    app = Starlette(routes=routes)
    app.router.redirect_slashes = False
    return Guard(app, address)


def _static(name: str, kind: str) -> Callable[[Request], Any]:
    content = (files("thumbwise.bench") / "page" / name).read_bytes()

    async def serve(_: Request) -> Response:
        from starlette.responses import Response  # noqa: PLC0415

        return Response(content, headers={"content-type": kind})

    return serve


def _asking(ask: Callable[[Mapping[str, Any]], Any]) -> Callable[[Request], Any]:
    """A question of the page as JSON, answered in a thread; a mistake becomes a message and no traceback."""

    async def serve(request: Request) -> Response:
        from starlette.concurrency import run_in_threadpool  # noqa: PLC0415

        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > LONGEST_BODY:
                return _json({"error": "the request is too long"}, 413)
        try:
            asked = _object_in(body)
            return _json(await run_in_threadpool(ask, asked))
        except BadRequestError as error:
            return _json({"error": str(error)}, 400)
        except ThumbwiseError as error:
            return _json({"error": str(error), "not_kept": True}, 500)

    return serve


def _object_in(body: bytes) -> dict[str, Any]:
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError) as error:  # no JSON, no text, a number of thousands of digits, too deep
        raise BadRequestError(str(error)) from error
    if not isinstance(asked, dict):
        raise BadRequestError("a request must be an object")
    return asked


def _text(desk: Desk) -> Callable[[Request], Any]:
    """More of a long text."""

    def serve(request: Request) -> Response:
        from starlette.responses import Response  # noqa: PLC0415

        place, field, start = (request.path_params[name] for name in ("place", "field", "start"))
        try:
            text = desk.items.more(desk.row_of(place), field, start)
        except (BadRequestError, IndexError):
            return _json({"error": "no such text"}, 404)
        headers = {"content-type": "text/plain; charset=utf-8"}
        return Response(text.encode("utf-8", "replace"), headers=headers)

    return serve


def _image(desk: Desk) -> Callable[[Request], Any]:
    def serve(request: Request) -> Response:
        from starlette.responses import Response  # noqa: PLC0415

        place, field = request.path_params["place"], request.path_params["field"]
        try:
            path = desk.items.image(desk.row_of(place), field)
        except BadRequestError:
            path = None
        image = None if path is None else read_image(path)
        if image is None:
            return _json({"error": "no such image"}, 404)
        headers = {"content-type": image[1], "content-security-policy": POLICY, "cache-control": "private, max-age=600"}
        return Response(image[0], headers=headers)

    return serve


def _json(content: Any, status: int = 200) -> Response:
    from starlette.responses import Response  # noqa: PLC0415

    headers = {"content-type": "application/json"}
    return Response(json.dumps(content).encode(), status_code=status, headers=headers)  # plain ASCII: any text fits

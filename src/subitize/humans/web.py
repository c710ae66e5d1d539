"""The ground that every web page of ours stands on: who may see it, and what it may do.

Pages are made on the server by Jinja2, everything in them is escaped, and the content-security
policy lets no script or style run that is not one of our own files. Starlette is imported when an
app is made: the help of a command must not wait for it, and the core works without it.
"""

from __future__ import annotations

import functools
import hmac
import secrets
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from subitize.errors import BadInput, MissingExtra
from subitize.humans.guard import PATIENCE, Guard, Limits, Refused, signed

if TYPE_CHECKING:
    from jinja2 import Environment
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

HERE = Path(__file__).parent
RESEARCHER = "researcher"
"""the cookie of whoever came with the token, after the site's own prefix"""
Handler = Callable[["Request"], Awaitable["Response"]]
Lifespan = Callable[[Any], AbstractAsyncContextManager[None]]


@dataclass(frozen=True)
class Site:
    """What one server keeps for all its pages."""

    title: str
    """stands in the window's title"""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    """opens the researcher's pages"""
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    """signs cookies and forms; kept with a study, so that a restart throws nobody out"""
    origin: str = ""
    """the address people see when a proxy stands before us (https://study.example.org)"""
    limits: Limits = field(default_factory=Limits)
    """sizes and rates"""
    templates: Mapping[str, Any] = field(default_factory=dict)
    """values that all templates of the site know"""

    @property
    def cookie(self) -> str:
        """Cookies are shared by all ports of a host, so their names differ by site."""
        return "subitize-" + hmac.digest(self.secret, b"cookie", "sha256").hex()[:12]


def make_app(
    site: Site,
    routes: Sequence[tuple[str, str, Handler]],
    lifespan: Lifespan | None = None,
    static: Path | None = None,
) -> Any:
    """An ASGI app of these routes (methods, path, handler), guarded; our files are under /static.

    Methods are words apart ("GET POST"). A form that is sent must carry the page's `csrf` value,
    as a field or as the header X-CSRF; nothing else is let through to a handler.
    """
    try:
        from starlette.applications import Starlette
        from starlette.routing import Mount, Route
        from starlette.staticfiles import StaticFiles
    except ImportError:
        raise MissingExtra("A web page", "starlette", "people") from None

    listed: list[Any] = [
        Route(path, _checked(handler), methods=methods.split()) for methods, path, handler in routes
    ]
    if static is not None:
        listed.append(Mount("/own", StaticFiles(directory=static)))
    listed.append(Mount("/static", StaticFiles(directory=HERE / "static")))
    app: Starlette = Starlette(
        routes=listed,
        lifespan=lifespan,
        exception_handlers={Refused: _refuse, 404: _missing, 405: _missing, 500: _failed},  # type: ignore[dict-item]
    )
    app.state.site = site
    return Guard(app, site.secret, site.cookie, site.origin, site.limits)


def _checked(handler: Handler) -> Handler:
    """Nothing that changes something is done for a page that is not ours."""

    @functools.wraps(handler)
    async def guarded(request: Request) -> Response:
        if request.method not in {"GET", "HEAD"}:
            await _check_csrf(request)
        return await handler(request)

    return guarded


def researcher(handler: Handler) -> Handler:
    """A page for whoever holds the site's token: once by ?token=…, then by a cookie."""

    @functools.wraps(handler)
    async def guarded(request: Request) -> Response:
        site: Site = request.app.state.site
        name = f"{site.cookie}-{RESEARCHER}"
        proof = signed(site.secret, f"{RESEARCHER}:{site.token}")
        given = request.query_params.get("token")
        if given is not None and request.method == "GET":
            if not hmac.compare_digest(given.encode(), site.token.encode()):
                raise Refused(403, "This link is not, or no longer, the researcher's.")
            bare = request.url.remove_query_params("token")
            answer = redirect(bare.path + (f"?{bare.query}" if bare.query else ""))
            answer.set_cookie(
                name, proof, httponly=True, samesite="strict", path="/",
                secure=site.origin.startswith("https:"),
            )  # fmt: skip
            return answer
        if not hmac.compare_digest(request.cookies.get(name, "").encode(), proof.encode()):
            raise Refused(403, "This page is the researcher's: open it by the link with its token.")
        return await handler(request)

    return guarded


def session(request: Request) -> str:
    """The visitor's random name, from a signed cookie."""
    return str(request.scope["subitize session"])


def csrf(request: Request) -> str:
    """What forms of this visitor's pages carry."""
    site: Site = request.app.state.site
    return hmac.digest(site.secret, f"csrf:{session(request)}".encode(), "sha256").hex()


async def _check_csrf(request: Request) -> None:
    given = request.headers.get("x-csrf")
    if given is None:
        given = (await form(request)).get("csrf", "")
    if not hmac.compare_digest(given.encode(), csrf(request).encode()):
        raise Refused(
            403, "This page is out of date: go back, load it again and send the answer once more."
        )


async def form(request: Request) -> dict[str, str]:
    """The fields of a form; of a field that is there twice, the last."""
    if not hasattr(request.state, "form"):
        kind = request.headers.get("content-type", "").partition(";")[0].strip()
        if kind != "application/x-www-form-urlencoded":
            raise Refused(415, "A form is expected here.")
        try:
            text = (await request.body()).decode()
            pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=200)
        except ValueError:
            raise Refused(400, "This form can't be read.") from None
        request.state.form = dict(pairs)
    fields: dict[str, str] = request.state.form
    return fields


def whole(text: str | None) -> int:
    """A whole number that somebody sent; -1 for anything else."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 10 else -1


def page(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    """A page from a template; `csrf`, `site` and the path are known in every one."""
    from starlette.responses import HTMLResponse

    site: Site = request.app.state.site
    known = {**site.templates, "site": site, "csrf": csrf(request), "path": request.url.path}
    text = environment().get_template(template).render({**known, **values})
    return HTMLResponse(text, status, headers={"cache-control": "no-store"})


def redirect(where: str) -> Response:
    """Go on there, by GET."""
    from starlette.responses import RedirectResponse

    return RedirectResponse(where, 303)


def data(content: Any, status: int = 200) -> Response:
    """JSON for a script of ours."""
    import orjson
    from starlette.responses import Response

    headers = {"cache-control": "no-store"}
    return Response(orjson.dumps(content), status, headers, "application/json")


def blob(content: bytes, media_type: str) -> Response:
    """Bytes such as a picture, which the browser need not ask for again."""
    from starlette.responses import Response

    kept = {"cache-control": "private, max-age=86400, immutable"}
    return Response(content, headers=kept, media_type=media_type)


@functools.cache
def environment() -> Environment:
    """The templates, everything in them escaped; a name that is not there is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        autoescape=True,
        loader=FileSystemLoader(HERE / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


async def _refuse(request: Request, problem: Refused) -> Response:
    if "json" in request.headers.get("accept", ""):
        return data({"problem": problem.message}, problem.status)
    back = "/desk" if request.url.path.startswith("/desk/") and problem.status != 403 else ""
    return page(request, "message.html", problem.status, message=problem.message, back=back)


async def _missing(request: Request, problem: Exception) -> Response:
    status = int(getattr(problem, "status_code", 404))
    return page(request, "message.html", status, message="There is no such page.")


async def _failed(request: Request, problem: Exception) -> Response:
    return page(
        request, "message.html", 500, message="Something went wrong here. Please try again."
    )


def listen(host: str, port: int) -> socket.socket:
    """A socket on which people can be heard; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        # From now on: who opens the address that is told waits a moment instead of being refused.
        made.listen(512)
    except (OSError, OverflowError) as problem:  # the second of a port that can't be
        made.close()
        why = getattr(problem, "strerror", None) or problem
        raise BadInput(
            f"Nothing can listen on {host}:{port} ({why}): "
            "choose another --port, or 0 for any free one."
        ) from None
    return made


def address(bound: socket.socket, origin: str = "") -> str:
    """The address that people type, without a slash at its end."""
    if origin:
        return origin.rstrip("/")
    host, port = bound.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"


def check_origin(origin: str) -> str:
    """An address for people that is one: a scheme and a host, nothing behind."""
    parts = urlsplit(origin)
    if origin and (parts.scheme not in {"http", "https"} or not parts.netloc or parts.path):
        raise BadInput(
            f"--public-url {origin!r} is no address: give scheme and host, https://study.example.org"
        )
    return origin


def serve(app: Any, bound: socket.socket) -> None:
    """Answer on this socket until Ctrl-C or SIGTERM; what has begun is finished first."""
    # uvicorn ends well and then raises the signal anew: as Ctrl-C does, it must let us close files.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        _server(app).run(sockets=[bound])
    except KeyboardInterrupt:
        return
    finally:
        signal.signal(signal.SIGTERM, before)
        bound.close()


@contextmanager
def in_thread(app: Any) -> Iterator[str]:
    """The app's address, while it answers on a free port of this machine from another thread."""
    import threading

    bound = listen("127.0.0.1", 0)
    server = _server(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    try:
        while not server.started and thread.is_alive():
            thread.join(0.005)
        yield address(bound)
    finally:
        server.should_exit = True
        thread.join()
        bound.close()


def _server(app: Any) -> Any:
    import uvicorn

    return uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="error",  # what strangers send wrongly is no line of the researcher's
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="none",
            http=_timely(),
            timeout_graceful_shutdown=5,
            timeout_keep_alive=int(PATIENCE),
            h11_max_incomplete_event_size=32 * 1024,
        )
    )


@functools.cache
def _timely() -> Any:
    """HTTP by h11, which bounds what comes before a body, on lines that are not held for ever.

    Who connects has PATIENCE seconds to ask for something whole; a body has its own in `Guard`.
    """
    import asyncio

    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Timely(H11Protocol):
        late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._stop()

        def _watch(self) -> None:
            if self.cycle is not None and not self.cycle.response_complete:
                self._stop()
            elif self.late is None:
                self.late = self.loop.call_later(PATIENCE, self.transport.close)

        def _stop(self) -> None:
            if self.late is not None:
                self.late.cancel()
                self.late = None

    return Timely

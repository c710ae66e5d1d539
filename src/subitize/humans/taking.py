"""`subitize take naming`: the pictures of a benchmark as an experiment for one person.

The page shows each picture for a set time and a mask after it; what its frames did is stored with
the answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import orjson

from subitize.errors import BadInput
from subitize.humans.guard import Limits, Refused
from subitize.humans.taking_session import CONSENT, Display, Practice, Session
from subitize.humans.web import Site, blob, data, make_app, page, researcher
from subitize.pictures.media import media_type

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

LIMITS = Limits(session_rate=100.0)
LAST_WORD = 1.5
"""seconds between the last answer and the end of the server, in which the page says thank you"""


def make_site() -> Site:
    """A site with a token of its own, for the one who takes part."""
    return Site("How many?", limits=LIMITS)


def experiment(
    session: Session,
    practice: Practice,
    display: Display,
    site: Site,
    at_end: Callable[[], None] | None = None,
) -> Any:
    """The app; `at_end` is called when the last answer is stored and thanked for."""
    desk = _Desk(session, practice, display, at_end)
    routes = [
        ("GET", "/", desk.whole),
        ("GET", "/next", desk.upcoming),
        ("POST", "/consent", desk.consent),
        ("POST", "/answers", desk.answer),
        ("GET", "/pictures/{trial}", desk.picture),
        ("GET", "/practice/{number:int}", desk.practice_picture),
    ]
    return make_app(site, [(verb, path, researcher(handler)) for verb, path, handler in routes])


class _Desk:
    """What the page asks for."""

    def __init__(
        self,
        session: Session,
        practice: Practice,
        display: Display,
        at_end: Callable[[], None] | None,
    ) -> None:
        self._session = session
        self._practice = practice
        self._display = display
        self._at_end = at_end
        # One answer after the other: each is written and synced before the next is looked at.
        self._writing = asyncio.Lock()

    async def whole(self, request: Request) -> Response:
        session = self._session
        return page(
            request, "taking.html", consent=CONSENT, person=session.person.respondent,
            display=self._display, total=session.total, saved=session.saved,
            consented=session.consented,
        )  # fmt: skip

    async def upcoming(self, request: Request) -> Response:
        session = self._session
        practice = [] if session.saved else list(self._practice.answers)
        return data({
            **session.upcoming(), "display": asdict(self._display), "practice": practice,
            "consented": session.consented,
        })  # fmt: skip

    async def consent(self, request: Request) -> Response:
        self._session.consent()
        return data({"consented": True})

    async def answer(self, request: Request) -> Response:
        try:
            told = orjson.loads(await request.body())
        except orjson.JSONDecodeError:
            told = None
        if not isinstance(told, dict):
            raise Refused(400, "This answer can't be read.")
        trial, value, facts = (told.get(name) for name in ("trial", "value", "facts"))
        async with self._writing:
            try:
                following = await asyncio.to_thread(
                    self._session.answer, str(trial), str(value), facts
                )
            except BadInput as problem:
                raise Refused(400, str(problem)) from None
        if following["complete"] and self._at_end is not None:
            asyncio.get_running_loop().call_later(LAST_WORD, self._at_end)
        return data(following)

    async def picture(self, request: Request) -> Response:
        trial = request.path_params["trial"]
        found = await asyncio.to_thread(self._session.picture, trial)
        if found is None:
            raise Refused(404, "There is no such picture.")
        return blob(found.png, media_type(found.png))

    async def practice_picture(self, request: Request) -> Response:
        number = request.path_params["number"]
        if number >= len(self._practice.pictures):
            raise Refused(404, "There is no such picture.")
        found = self._practice.pictures[number].png
        return blob(found, media_type(found))

"""`subitize view`: any run in a browser, with the picture beside question, reply and reading."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from subitize.errors import SubitizeError
from subitize.humans.guard import Limits, Refused
from subitize.humans.viewing_pictures import Pictures
from subitize.humans.viewing_query import (
    PAGE,
    Query,
    answer_of,
    figures,
    query_from,
    trials_page,
)
from subitize.humans.viewing_table import RunsTable
from subitize.humans.web import Site, blob, data, make_app, page, researcher
from subitize.pictures.media import media_type
from subitize.reports.replies import REASONS

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

WHOLE = 10_000_000
"""letters of one reply that are shown when it is asked for alone"""
LIMITS = Limits(session_rate=400.0, address_rate=800.0)
"""a page shows twenty pictures, and somebody in a hurry turns many pages"""


def make_site() -> Site:
    """A site with a token of its own, for one who looks."""
    return Site("Runs", limits=LIMITS)


def viewer(table: RunsTable, site: Site) -> Any:
    """The app; everything in it is for whoever holds the site's token."""
    shown = _Pages(table)
    routes = [
        ("GET", "/", shown.whole),
        ("GET", "/data/summary.json", shown.summary),
        ("GET", "/data/trials.json", shown.trials),
        ("GET", "/data/figures.json", shown.figures),
        ("GET", "/data/answers/{row:int}", shown.answer),
        ("GET", "/pictures/shown/{item:int}", shown.picture_shown),
        ("GET", "/pictures/painted/{row:int}", shown.picture_painted),
    ]
    return make_app(
        site, [(methods, path, researcher(handler)) for methods, path, handler in routes]
    )


def summary_of(table: RunsTable) -> dict[str, Any]:
    """What the page knows before anything is chosen."""
    return {
        "runs": [
            {
                "folder": run.folder.name, "benchmark": run.benchmark.NAME,
                "title": run.benchmark.TITLE, "model": run.info["model"]["name"],
                "reader": run.reader,
            }
            for run in table.runs
        ],
        "items": table.items, "page": PAGE, "models": table.models, "readers": table.readers,
        "facets": {name: [list(pair) for pair in values] for name, values in table.facets.items()},
        "reasons": REASONS,
    }  # fmt: skip


def with_pictures(told: dict[str, Any]) -> dict[str, Any]:
    """The same page of trials with the addresses of its pictures."""
    for item in told["items"]:
        item["picture"] = f"pictures/shown/{item['item']}" if item["picture"] else ""
        for answer in item["answers"]:
            if answer["kind"] == "picture":
                answer["picture"] = f"pictures/painted/{answer['row']}"
    return told


class _Pages:
    """The answers to a browser; what takes long is done beside the event loop."""

    def __init__(self, table: RunsTable) -> None:
        self._table = table
        self._pictures = Pictures(table)

    async def whole(self, request: Request) -> Response:
        many = len(self._table.runs)
        title = f"{many} run{'s' if many > 1 else ''}"
        return page(request, "viewing.html", title=title, root="", entry="viewing-served.js")

    async def summary(self, request: Request) -> Response:
        return data(await _beside(summary_of, self._table))

    async def trials(self, request: Request) -> Response:
        query = self._query(request)
        return data(await _beside(lambda: with_pictures(trials_page(self._table, query))))

    async def figures(self, request: Request) -> Response:
        query = self._query(request)
        return data(await _beside(figures, self._table, query))

    async def answer(self, request: Request) -> Response:
        row = request.path_params["row"]
        if row >= self._table.own.height:
            raise Refused(404, "There is no such answer.")
        return data(answer_of(self._table.own.row(row, named=True), WHOLE))

    async def picture_shown(self, request: Request) -> Response:
        return _picture(await _beside(self._pictures.shown, request.path_params["item"]))

    async def picture_painted(self, request: Request) -> Response:
        return _picture(await _beside(self._pictures.painted, request.path_params["row"]))

    def _query(self, request: Request) -> Query:
        given = {name: value for name, value in request.query_params.items() if value}
        models = tuple(request.query_params.getlist("model"))
        try:
            return query_from(self._table, given, models)
        except SubitizeError as problem:
            raise Refused(400, str(problem)) from None


def _picture(found: bytes | None) -> Response:
    if found is None:
        raise Refused(404, "There is no such picture.")
    return blob(found, media_type(found))


async def _beside(work: Callable[..., Any], *given: Any) -> Any:
    from starlette.concurrency import run_in_threadpool

    try:
        return await run_in_threadpool(work, *given)
    except SubitizeError as problem:
        raise Refused(400, str(problem)) from None

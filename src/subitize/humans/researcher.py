"""The researcher's pages: how far the study is, links for people, a look through the pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from subitize.errors import StorageFull
from subitize.humans.guard import Refused
from subitize.humans.pages import Pages
from subitize.humans.store import UPSERT
from subitize.humans.study import EXPORTS
from subitize.humans.watching import overview, progress_of
from subitize.humans.web import Handler, blob, form, page, redirect, researcher, whole

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

MOST_LINKS = 500
PER_PAGE = 60
T = TypeVar("T")


class Researcher:
    """What only the holder of the token sees."""

    def __init__(self, pages: Pages, folder: Path, state: str) -> None:
        self.pages = pages
        self.desk = pages.desk
        self.folder = folder
        if state == "new":
            state = "screening" if self.desk.study.screening else "open"
        self.state = state
        pages.open = state == "open"

    def routes(self) -> list[tuple[str, str, Handler]]:
        listed = (
            ("GET", "/desk", self.overview),
            ("POST", "/desk/links", self.links),
            ("POST", "/desk/state", self.change),
            ("POST", "/desk/forget", self.forget),
            ("GET", "/desk/items", self.items),
            ("GET", "/desk/screen", self.screening),
            ("POST", "/desk/screen", self.screen),
            ("GET", "/desk/picture/{item}", self.picture),
        )
        return [(methods, path, researcher(handler)) for methods, path, handler in listed]

    async def overview(self, request: Request) -> Response:
        """The dashboard."""
        return self._dashboard(request, ())

    def _dashboard(self, request: Request, links: Sequence[str]) -> Response:
        kept = self.desk.store.read("SELECT count(*) FROM panel_ids")[0][0]
        pictures = any(one.picture for one in self.desk.items.values() if one.role == "main")
        return page(request, "desk.html", study=self.desk.study, state=self.state, links=links,
                    folder=self.folder, panel_ids=kept, pictures=pictures,
                    exports=(*EXPORTS[self.desk.study.kind], "parquet", "csv", "jspsych", "bids"),
                    **overview(self.desk))  # fmt: skip

    async def links(self, request: Request) -> Response:
        """New personal links; they are shown once, since only their hashes are stored."""
        fields = await form(request)
        many = whole(fields.get("many"))
        if not 1 <= many <= MOST_LINKS:
            raise Refused(422, f"Give a number of links from 1 to {MOST_LINKS}.")
        part = "pilot" if fields.get("part") == "pilot" else "main"
        self.pages.refresh()
        made = [self.desk.invite(part) for _ in range(many)]
        await self.pages.save([one for _, statements in made for one in statements])
        site = request.app.state.site
        base = site.origin or str(request.base_url).rstrip("/")
        return self._dashboard(request, [f"{base}/p/{secret}" for secret, _ in made])

    async def forget(self, request: Request) -> Response:
        """Delete the ids by which a panel knows people; their hashes and answers stay."""
        from starlette.concurrency import run_in_threadpool

        try:
            await run_in_threadpool(self.desk.store.forget)
        except StorageFull:
            raise Refused(503, "They could not be deleted. Please try again.") from None
        return redirect("/desk")

    async def items(self, request: Request) -> Response:
        """How far each item is, page by page."""
        listed, number, last = _paged(request, progress_of(self.desk))
        return page(request, "items.html", study=self.desk.study, items=listed, number=number,
                    last=last, where="/desk/items")  # fmt: skip

    async def change(self, request: Request) -> Response:
        """Open or close the study."""
        wanted = (await form(request)).get("state", "")
        if wanted not in ("open", "closed", "screening"):
            raise Refused(422, "A study is open, closed or being screened.")
        await self.pages.save([(UPSERT, ("state", wanted))])
        self.state = wanted
        self.pages.open = wanted == "open"
        return redirect("/desk")

    async def screening(self, request: Request) -> Response:
        """The pictures, to keep or drop."""
        items = [one for one in self.desk.items.values() if one.role == "main" and one.picture]
        items = [one for one in items if one.phase == 0]
        some, number, last = _paged(request, items)
        return page(request, "screen.html", study=self.desk.study, items=some, number=number,
                    last=last, where="/desk/screen", screened=self.desk.screened,
                    flags=self.pages.flags)  # fmt: skip

    async def screen(self, request: Request) -> Response:
        """Keep or drop one picture, with the reason; whether it shows a face."""
        fields = await form(request)
        item, verdict = fields.get("item", ""), fields.get("verdict", "")
        if item not in self.desk.items or verdict not in ("keep", "drop"):
            raise Refused(422, "A known picture is kept or dropped.")
        reason = fields.get("reason", "").strip()[:200]
        if verdict == "drop" and not reason:
            raise Refused(422, "Say why this picture is dropped.")
        self.pages.refresh()
        before = self.desk.screened.get(item, ("keep",))[0]
        if verdict != before and self.desk.seen_by_people(item):
            raise Refused(409, "Somebody has seen this picture already: it can't be changed now.")
        face = fields.get("face") == "on"
        await self.pages.save(self.desk.screen(item, verdict, reason, face))
        return redirect(f"/desk/screen?page={max(1, whole(fields.get('page')))}#{item}")

    async def picture(self, request: Request) -> Response:
        item = self.desk.items.get(request.path_params["item"])
        if item is None:
            raise Refused(404, "There is no such picture.")
        shown = await self.pages.shown(item)
        return blob(shown.content, shown.media_type)


def _paged(request: Request, every: Sequence[T]) -> tuple[Sequence[T], int, int]:
    """The part of a list that an address asks for by `page`, its number and the last one's."""
    last = max(1, -(-len(every) // PER_PAGE))
    number = min(max(whole(request.query_params.get("page")), 1), last)
    return every[(number - 1) * PER_PAGE : number * PER_PAGE], number, last

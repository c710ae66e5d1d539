"""The researcher's pages: how far the study is, links for people, a look through the pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from subitize.humans.guard import Refused
from subitize.humans.pages import Pages
from subitize.humans.store import UPSERT
from subitize.humans.watching import overview
from subitize.humans.web import Handler, blob, form, page, redirect, researcher

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

MOST_LINKS = 500
PER_PAGE = 60


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
            ("GET", "/desk/screen", self.screening),
            ("POST", "/desk/screen", self.screen),
            ("GET", "/desk/picture/{item}", self.picture),
        )
        return [(methods, path, researcher(handler)) for methods, path, handler in listed]

    async def overview(self, request: Request) -> Response:
        """The dashboard."""
        return page(request, "desk.html", study=self.desk.study, state=self.state, links=(),
                    folder=self.folder, **overview(self.desk))  # fmt: skip

    async def links(self, request: Request) -> Response:
        """New personal links; they are shown once, since only their hashes are stored."""
        fields = await form(request)
        many = fields.get("many", "")
        if not many.isdecimal() or not 1 <= int(many) <= MOST_LINKS:
            raise Refused(422, f"Give a number of links from 1 to {MOST_LINKS}.")
        part = "pilot" if fields.get("part") == "pilot" else "main"
        made = [self.desk.invite(part) for _ in range(int(many))]
        await self.pages.save([one for _, statements in made for one in statements])
        site = request.app.state.site
        base = site.origin or str(request.base_url).rstrip("/")
        return page(
            request, "desk.html", study=self.desk.study, state=self.state,
            links=[f"{base}/p/{secret}" for secret, _ in made], folder=self.folder,
            **overview(self.desk),
        )  # fmt: skip

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
        at = request.query_params.get("page", "1")
        number = int(at) if at.isdecimal() and len(at) < 7 else 1
        last = max(1, -(-len(items) // PER_PAGE))
        number = min(max(number, 1), last)
        some = items[(number - 1) * PER_PAGE : number * PER_PAGE]
        return page(request, "screen.html", study=self.desk.study, items=some, number=number,
                    last=last, screened=self.desk.screened, flags=self.pages.flags)  # fmt: skip

    async def screen(self, request: Request) -> Response:
        """Keep or drop one picture, with the reason; whether it shows a face."""
        fields = await form(request)
        item, verdict = fields.get("item", ""), fields.get("verdict", "")
        if item not in self.desk.items or verdict not in ("keep", "drop"):
            raise Refused(422, "A known picture is kept or dropped.")
        reason = fields.get("reason", "").strip()[:200]
        if verdict == "drop" and not reason:
            raise Refused(422, "Say why this picture is dropped.")
        if any(one.item.id == item for person in self.desk.people.values() for one in person.given):
            raise Refused(409, "Somebody has seen this picture already: it can't be changed now.")
        face = fields.get("face") == "on"
        await self.pages.save(self.desk.screen(item, verdict, reason, face))
        at = fields.get("page", "1")
        return redirect(f"/desk/screen?page={at if at.isdecimal() else 1}#{item}")

    async def picture(self, request: Request) -> Response:
        item = self.desk.items.get(request.path_params["item"])
        if item is None:
            raise Refused(404, "There is no such picture.")
        shown = await self.pages.shown(item)
        return blob(shown.content, shown.media_type)

"""The pages of those who take part: consent, instructions, questions, the end."""

from __future__ import annotations

import hmac
import math
import time
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from subitize.errors import StorageFull, SubitizeError
from subitize.files import read_entries
from subitize.humans.checking import is_right, problem_with
from subitize.humans.desk import Desk, Step
from subitize.humans.guard import Refused
from subitize.humans.items import NUMBER, YES_NO, Item, Shown
from subitize.humans.kinds.material import Material
from subitize.humans.people import DONE, REFUSED, SCREENED, Given, Person
from subitize.humans.store import Statement
from subitize.humans.study import Study
from subitize.humans.web import Handler, blob, data, form, page, redirect, session, whole
from subitize.nouns import plural

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

KEPT = 64
"""pictures kept at hand"""
LONGEST_FACTS = 2000
PAGE_FACTS = ("hidden", "left", "width", "height", "touch")
"""what our page tells beside an answer: milliseconds out of sight, how often, its size, fingers"""
LONGEST_PANEL_ID = 200
UNSAVED = "This could not be saved. Please try again in a moment."
SLACK = 2.0
"""seconds that a browser's clock may run ahead of ours"""


class Pages:
    """What the pages of a study share."""

    def __init__(self, desk: Desk, material: Material, secret: bytes) -> None:
        self.desk = desk
        self.material = material
        self.secret = secret
        self.open = True
        """whether people are let in"""
        self.flags = read_flags(desk.study)
        self._pictures: OrderedDict[str, Shown] = OrderedDict()

    def routes(self) -> list[tuple[str, str, Handler]]:
        """Methods, path and handler of each page."""
        return [
            ("GET", "/", self.welcome),
            ("GET", "/enter", self.enter),
            ("POST", "/enter", self.enter_open),
            ("GET", "/p/{link}", self.show),
            ("POST", "/p/{link}/consent", self.consent),
            ("POST", "/p/{link}/begin", self.begin),
            ("POST", "/p/{link}/on", self.go_on),
            ("POST", "/p/{link}/answer", self.answer),
            ("POST", "/p/{link}/undo", self.undo),
            ("GET", "/p/{link}/picture/{number:int}", self.picture),
        ]

    # Coming in

    async def welcome(self, request: Request) -> Response:
        return page(request, "welcome.html", study=self.desk.study)

    async def enter(self, request: Request) -> Response:
        """The consent of an open study, or the page of one whom a panel sends."""
        study = self.desk.study
        if study.entry == "links":
            raise Refused(403, "This study is entered by a personal link.")
        self._check_open()
        if study.entry == "open":
            secret = self._open_secret(request)
            if self.desk.find(secret):
                return redirect(f"/p/{secret}")
            return page(request, "consent.html", study=study, action="/enter")
        given = request.query_params.get(study.panel.person, "").strip()
        if not given or len(given) > LONGEST_PANEL_ID:
            raise Refused(400, "Please open this study by the link on the panel's page.")
        # Panels' ids are short: a bare hash of one could be looked up.
        hidden = hmac.digest(self.secret, f"panel:{given}".encode(), "sha256").hex()
        secret = hmac.digest(self.secret, f"link:{hidden}".encode(), "sha256").hex()
        if hidden not in self.desk.panels:
            _, made = self.desk.invite(panel=hidden, secret=secret)
            names = (study.panel.person, study.panel.study, study.panel.session)
            raw = {name: request.query_params.get(name, "")[:LONGEST_PANEL_ID] for name in names}
            keep = ("INSERT INTO panel_ids VALUES (?, ?)", (hidden, orjson.dumps(raw).decode()))
            await self.save([*made, keep])
        return redirect(f"/p/{secret}")

    async def enter_open(self, request: Request) -> Response:
        """Somebody's word on the consent of an open study: looking at it makes nobody a person."""
        if self.desk.study.entry != "open":
            raise Refused(403, "This study is entered by a link of one's own.")
        self._check_open()
        secret = self._open_secret(request)
        if self.desk.find(secret) is None:
            _, made = self.desk.invite(secret=secret)
            await self.save(made)
        request.path_params["link"] = secret
        return await self.consent(request)

    def _open_secret(self, request: Request) -> str:
        """The link of a browser in an open study: by its cookie, so that it gets no second one."""
        return hmac.digest(self.secret, f"open:{session(request)}".encode(), "sha256").hex()

    async def _person(self, request: Request) -> Person:
        """Whose page this is; refused where it is nobody's, or no longer."""
        self._check_open()
        person = self.desk.find(request.path_params["link"])
        if person is None:
            raise Refused(404, "This link is not known. Please check that it is complete.")
        problem, made = self.desk.visit(person, session(request))
        if problem:
            raise Refused(403, problem)
        if made:
            await self.save(made)
        return self._anew(person)

    def _anew(self, person: Person) -> Person:
        """The person as known now: what another could not save may have had all read again."""
        if person.name not in self.desk.people:
            raise Refused(503, UNSAVED)
        return self.desk.people[person.name]

    def _check_open(self) -> None:
        if not self.open:
            raise Refused(403, "This study is not open at the moment.")
        self.refresh()

    async def save(self, statements: Sequence[Statement]) -> None:
        """Wait until it is durable; what could not be saved is forgotten, and said."""
        try:
            await self.desk.store.save(statements)
        except StorageFull:
            self.desk.stale = True
        if self.desk.stale:  # be it for another's sake: what is known is not what is saved
            self.refresh()
            raise Refused(503, UNSAVED)

    def refresh(self) -> None:
        """Forget what could not be saved; nothing else is done before the database is back."""
        if self.desk.stale:
            try:
                self.desk.reload()
            except SubitizeError:
                raise Refused(503, UNSAVED) from None

    # Pages

    async def show(self, request: Request) -> Response:
        """The page that a person is on."""
        person = await self._person(request)
        step = self.desk.step(person)
        if step.page == "end":
            # Nobody is thanked before everything they said is on the disk.
            await self.save([])
            person = self._anew(person)
            step = self.desk.step(person)
        values = {"person": person, "study": self.desk.study, "link": request.path_params["link"],
                  "given": step.given, "progress": self._progress(person)}  # fmt: skip
        if step.page == "end":
            noun = self.material.shown
            values["shown"] = noun if values["progress"][0] == 1 else plural(noun)
            return page(request, "end.html", **values, **self._ending(person))
        if step.page == "consent":
            values["action"] = f"/p/{values['link']}/consent"
        if step.page == "instructions":
            values["material"] = self.material
            values["practice"] = self.desk.study.training and self.desk.training
        if step.given is not None and step.page == "feedback":
            values["right"] = is_right(step.given)
        if step.page == "question":
            values |= self._question(person, step)
        return page(request, f"{step.page}.html", **values)

    def _question(self, person: Person, step: Step) -> dict[str, Any]:
        assert step.given is not None
        question = step.given.item.questions[step.question]
        open_ = [one for one in person.given if not one.done]
        ahead = open_[1] if len(open_) > 1 and open_[1].item.picture else None
        last = person.last
        return {
            "question": question, "place": step.question, "ahead": ahead,
            "keys": _keys(question.form, len(question.options)),
            "undoable": last is not None and last.role != "training",
            "whole": question.form == NUMBER,
        }  # fmt: skip

    def _progress(self, person: Person) -> tuple[int, int]:
        return len(person.done("main", "pilot")), self.desk.most[person.part]

    def _ending(self, person: Person) -> dict[str, Any]:
        panel = self.desk.study.panel
        link = {DONE: panel.complete, SCREENED: panel.screened, REFUSED: panel.no_consent}
        shown = self.desk.study.entry == "panel"
        return {"leave": link[person.status] if shown else "", "more": self.desk.more(person),
                "again": person.status == DONE and person.last is not None}  # fmt: skip

    async def picture(self, request: Request) -> Response:
        """A picture that this person was given, by the number under which it was."""
        person = self.desk.find(request.path_params["link"])
        number = request.path_params["number"]
        given = (
            next((one for one in person.given if one.number == number), None) if person else None
        )
        if given is None:
            raise Refused(404, "There is no such picture.")
        shown = await self.shown(given.item)
        return blob(shown.content, shown.media_type)

    async def shown(self, item: Item) -> Shown:
        """The picture of an item, drawn off the event loop and kept for those who come next."""
        from starlette.concurrency import run_in_threadpool

        if item.picture is None:
            raise Refused(404, "There is no such picture.")
        found = self._pictures.get(item.id)
        if found is None:
            try:
                found = await run_in_threadpool(item.picture)
            except (SubitizeError, OSError):
                raise Refused(404, "This picture can't be shown.") from None
        self._pictures[item.id] = found
        self._pictures.move_to_end(item.id)
        if len(self._pictures) > KEPT:
            self._pictures.popitem(last=False)
        return found

    # What people send

    async def consent(self, request: Request) -> Response:
        agrees = (await form(request)).get("agree") == "yes"
        person = await self._person(request)
        return await self._done(request, self.desk.agree(person, agrees))

    async def begin(self, request: Request) -> Response:
        return await self._done(request, self.desk.begin(await self._person(request)))

    async def go_on(self, request: Request) -> Response:
        return await self._done(request, self.desk.go_on(await self._person(request)))

    async def undo(self, request: Request) -> Response:
        return await self._done(request, self.desk.undo(await self._person(request)))

    async def answer(self, request: Request) -> Response:
        """Take an answer; the page is told to go on when it is durable."""
        fields = await form(request)
        person = await self._person(request)
        where = whole(fields.get("given")), whole(fields.get("question"))
        value = fields.get("value", "").strip()
        current = person.current
        if current is None or where != (current.number, len(current.answers)):
            # Sent again because the first reply was lost, or from an old page: nothing is changed.
            await self.save([])
            return await self._done(request, [])
        problem = problem_with(current.item.questions[where[1]], value)
        if problem:
            raise Refused(422, problem)
        seconds, facts = _timing(fields, current)
        return await self._done(request, self.desk.answer(person, where, value, seconds, facts))

    async def _done(self, request: Request, made: Sequence[Statement]) -> Response:
        if made:
            await self.save(made)
        where = f"/p/{request.path_params['link']}"
        if "json" in request.headers.get("accept", ""):
            return data({"next": where})
        return redirect(where)


def read_flags(study: Study) -> dict[str, str]:
    """What a filter says of pictures, by their name: a CSV file with image and flag."""
    if not study.flags:
        return {}
    rows = read_entries(Path(study.flags), "the flags", ("image", "flag"))
    return {str(row["image"]): str(row["flag"]) for _, row in rows if str(row["flag"]).strip()}


def _keys(form_: str, many: int) -> list[str]:
    """The key that chooses each option."""
    if form_ == YES_NO:
        return ["Y", "N"]
    return [chr(65 + place) for place in range(many)]


def _timing(fields: dict[str, str], given: Given) -> tuple[float, dict[str, Any]]:
    """How long it took by the browser's clock, unless ours says that this can't be."""
    began = given.answers[-1].at if given.answers else given.at
    ours = time.time() - began
    try:
        theirs = float(fields.get("seconds", "nan"))
    except ValueError:
        theirs = math.nan
    good = 0 <= theirs <= ours + SLACK
    facts: dict[str, Any] = {
        "server_seconds": round(ours, 3),
        "clock": "page" if good else "server",
    }
    if told := _told(fields.get("facts", "")):
        facts["page"] = told
    return round(theirs if good else ours, 3), facts


def _told(text: str) -> dict[str, Any]:
    """What the page tells of itself: known names with a number or a yes or no, nothing else.

    Anything else could be about a person, or be what can't be written beside the answer.
    """
    try:
        found = orjson.loads(text if len(text) <= LONGEST_FACTS else "")
    except orjson.JSONDecodeError:
        return {}
    known = found if isinstance(found, dict) else {}
    return {name: known[name] for name in PAGE_FACTS if isinstance(known.get(name), int | float)}

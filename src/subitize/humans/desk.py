"""The desk of a study: who comes in, what they get next, what they said. No web in here.

Everything is decided in memory by one thread, and each decision gives the statements that make it
durable; the caller says thank you when those are saved. The database is what a restart begins
from.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from subitize.humans.checking import is_right
from subitize.humans.items import PILOT, Item
from subitize.humans.people import (
    DONE,
    INVITED,
    OVER,
    READING,
    REFUSED,
    SCREENED,
    WORKING,
    Answer,
    Given,
    Person,
    insert_answer,
    insert_given,
    void_answer,
)
from subitize.humans.pool import Pool
from subitize.humans.store import Statement, Store
from subitize.humans.study import Study
from subitize.stimuli import generator

AHEAD = 2
"""items in a person's hands: the one shown, and the next, so that its picture can be fetched"""
SCREEN = (
    "INSERT INTO screened VALUES (?, ?, ?, ?) ON CONFLICT (item) DO UPDATE SET "
    "verdict = excluded.verdict, reason = excluded.reason, face = excluded.face"
)
SEEN = 30.0
"""seconds after which it is noted anew that somebody is there"""


def hashed(text: str) -> str:
    """What is stored of a link, an id or a cookie: it can be known again, but not read."""
    return hashlib.sha256(text.encode()).hexdigest()


class Step(NamedTuple):
    """What a person sees now."""

    page: str
    """consent, instructions, question, feedback, break, end"""
    given: Given | None = None
    question: int = 0


class Desk:
    """A study that people are working on."""

    def __init__(self, study: Study, items: Sequence[Item], store: Store) -> None:
        self.study = study
        self.items = {item.id: item for item in items}
        self.training = [item for item in items if item.role == "training"]
        self.checks = [item for item in items if item.role == "check"]
        self.store = store
        self.reload()

    def reload(self) -> None:
        """Everything as the database has it, when all that waits to be written is in it."""
        self.stale = True  # until all is read: the database may be away
        self.store.write([]).result()
        self.people: dict[str, Person] = {}
        self.links: dict[str, Person] = {}
        self.panels: dict[str, Person] = {}
        self.numbers = {"given": 0, "answers": 0}
        self.pools = {
            part: [
                Pool([one.id for one in self.items.values()
                      if one.role == part and one.phase == phase], self.study.annotators)
                for phase in sorted({one.phase for one in self.items.values() if one.role == part})
            ]
            for part in ("main", "pilot")
        }  # fmt: skip
        self.screened = {row[0]: row[1:] for row in self.store.read("SELECT * FROM screened")}
        for item, (verdict, _, _) in self.screened.items():
            if verdict == "drop":
                for pools in self.pools.values():
                    for pool in pools:
                        pool.remove(item)
        self._count_pictures()
        for row in self.store.read("SELECT * FROM people ORDER BY made, name"):
            self._know(Person.from_row(row))
        known: dict[int, Given] = {}
        for number, person, item, role, at in self.store.read(
            "SELECT * FROM given ORDER BY number"
        ):
            self.numbers["given"] = number
            if item in self.items:
                known[number] = Given(number, self.items[item], role, at)
                self.people[person].given.append(known[number])
                if self.people[person].status not in (SCREENED, REFUSED):
                    self._count(known[number], 1)
        rows = self.store.read(
            "SELECT number, given, question, value, seconds, at FROM answers WHERE void = ? "
            "ORDER BY given, question", "",
        )  # fmt: skip
        for number, given, question, value, seconds, at in rows:
            if given in known:
                known[given].answers.append(Answer(number, question, value, seconds, at))
        latest = self.store.read("SELECT max(number) FROM answers")[0][0]
        self.numbers["answers"] = latest or 0
        self.stale = False

    def _know(self, person: Person) -> None:
        self.people[person.name] = person
        self.links[person.link] = person
        if person.panel:
            self.panels[person.panel] = person

    def _count(self, given: Given, by: int) -> None:
        for pool in self.pools.get(given.role, ()):
            pool.change(given.item.id, by)

    def _next(self, table: str) -> int:
        self.numbers[table] += 1
        return self.numbers[table]

    # Who comes in

    def invite(
        self, part: str = "main", panel: str | None = None, secret: str = ""
    ) -> tuple[str, list[Statement]]:
        """A new personal link: its secret, and what makes it durable."""
        secret = secret or secrets.token_urlsafe(24)
        name = f"{'t' if part == 'pilot' else 'p'}{len(self.people) + 1:03d}"
        person = Person(name, hashed(secret), part, INVITED, "", panel, time.time(), None, None, "")
        self._know(person)
        return secret, [person.insert()]

    def find(self, secret: str) -> Person | None:
        """Whose personal link this is."""
        return self.links.get(hashed(secret))

    def visit(self, person: Person, session: str) -> tuple[str, list[Statement]]:
        """Somebody opens a page by their link: why that is not possible, or nothing."""
        now, rule = time.time(), self.study.returning
        first = person.entered is None
        if not first and now - (person.entered or now) > rule.max_age_hours * 3600:
            return "This link is too old: the time for taking part is over.", []
        away = now - (person.seen or now) > rule.idle_minutes * 60
        back = not first and (away or person.session != hashed(session))
        # Who has not agreed has not begun: a mail program that looked at the link blocks nobody.
        if back and person.status not in (INVITED, *OVER):
            if rule.rule == "block":
                return "You have begun before, and this study can't be gone on with later.", []
            person.facts["returns"] = int(person.facts.get("returns", 0)) + 1
            voided = self._restart(person) if rule.rule == "restart" else []
        else:
            voided = []
        changed = first or back or now - (person.seen or 0) > SEEN
        person.entered = person.entered or now
        person.seen, person.session = now, hashed(session)
        for one in person.given:
            if one.released and not one.done:
                one.released = False
                self._count(one, 1)
        return "", [*voided, person.update()] if changed else []

    def _restart(self, person: Person) -> list[Statement]:
        voided = [
            void_answer(answer.number, "restart") for one in person.given for answer in one.answers
        ]
        for one in person.given:
            one.answers.clear()
        person.status = INVITED
        person.facts.update(told=0, breaks=0)
        return voided

    # What comes next

    def step(self, person: Person) -> Step:
        """The page that a person is on."""
        if person.status in OVER:
            return Step("end")
        if person.status in (INVITED, READING):
            return Step("consent" if person.status == INVITED else "instructions")
        told = int(person.facts.get("told", 0))
        trained = person.done("training")
        if len(trained) > told:
            return Step("feedback", trained[told])
        current = person.current
        if current is None:
            return Step("end")
        rest = self.study.break_every
        done = len(person.done("main", "pilot"))
        if rest and not current.answers and done // rest > int(person.facts.get("breaks", 0)):
            return Step("break", current)
        return Step("question", current, len(current.answers))

    def agree(self, person: Person, agrees: bool) -> list[Statement]:
        """The answer to the consent page."""
        if person.status != INVITED:
            return []
        person.consent = self.study.consent.version
        person.facts["agreed" if agrees else "refused"] = time.time()
        person.status = READING if agrees else REFUSED
        return [person.update()]

    def begin(self, person: Person) -> list[Statement]:
        """The instructions are read."""
        if person.status != READING:
            return []
        person.status = WORKING
        return [*self._fill(person), person.update()]

    def go_on(self, person: Person) -> list[Statement]:
        """A feedback or a break is over, or one who was done does more."""
        page = self.step(person).page
        if page == "end" and self.more(person):
            person.status = WORKING
            return [*self._fill(person), person.update()]
        name = {"feedback": "told", "break": "breaks"}.get(page)
        if name is None:
            return []
        person.facts[name] = int(person.facts.get(name, 0)) + 1
        return [person.update()]

    def more(self, person: Person) -> bool:
        """Whether there is something for one who is done: a later phase, or what others left."""
        return person.status == DONE and self._choose(person)[0] is not None

    def _fill(self, person: Person) -> list[Statement]:
        """Keep the next items in the person's hands; without any, the session is done."""
        made = []
        while sum(not one.done for one in person.given) < AHEAD:
            item, role = self._choose(person)
            if item is None:
                break
            one = Given(self._next("given"), item, role, time.time())
            person.given.append(one)
            self._count(one, 1)
            made.append(insert_given(person.name, one))
        if person.current is None and person.status == WORKING:
            person.status = DONE
            made.append(person.update())
        return made

    def _choose(self, person: Person) -> tuple[Item | None, str]:
        had = {one.item.id for one in person.given}
        for item in self.training if self.study.training else ():
            if item.id not in had:
                return item, "training"
        main = sum(one.role in ("main", "pilot") for one in person.given)
        rng = generator(self.study.seed, person.name, main)
        if main in self._checked_at(person) and (due := self._check(person, main)) is not None:
            return due, "check"
        if main >= self.study.per_person:
            return None, ""
        families = {one.item.family for one in person.given if one.item.family}

        def fits(item: str) -> bool:
            return item not in had and self.items[item].family not in families

        chosen = self._chosen(person.part, rng, fits)
        if chosen is None and self._took_back():
            chosen = self._chosen(person.part, rng, fits)
        return (None, "") if chosen is None else (self.items[chosen], person.part)

    def _chosen(
        self, part: str, rng: np.random.Generator, fits: Callable[[str], bool]
    ) -> str | None:
        for pool in self.pools[part]:
            chosen = pool.choose(rng, fits)
            if chosen is not None or not self._complete(pool):
                return chosen  # a later phase waits for this one
        return None

    def _complete(self, pool: Pool) -> bool:
        """Every item has all its answers, not only people who have it."""
        if pool.open:
            return False
        unfinished = {
            one.item.id for person in self.people.values() for one in person.given
            if not one.done and not one.released and person.status == WORKING
        }  # fmt: skip
        return not unfinished & pool.taken.keys()

    def _checked_at(self, person: Person) -> set[int]:
        """After how many items this person gets an attention check."""
        wanted = min(self.study.checks, len(self.checks))
        most = self.most[person.part]
        places = generator(self.study.seed, person.name, "checks").permutation(max(1, most - 1))
        return {int(place) + 1 for place in places[:wanted]}

    def _check(self, person: Person, main: int) -> Item | None:
        place = sorted(self._checked_at(person)).index(main)
        order = generator(self.study.seed, person.name, "order").permutation(len(self.checks))
        item = self.checks[int(order[place])]
        return None if any(one.item.id == item.id for one in person.given) else item

    def _took_back(self) -> bool:
        """What somebody left unanswered and went away from is given to others."""
        now, any_ = time.time(), False
        for person in self.people.values():
            if now - (person.seen or now) > self.study.returning.idle_minutes * 60:
                for one in person.given:
                    if not one.done and not one.released:
                        one.released = any_ = True
                        self._count(one, -1)
        return any_

    # What they say

    def answer(
        self, person: Person, where: tuple[int, int], value: str, seconds: float,
        facts: Mapping[str, Any],
    ) -> list[Statement]:  # fmt: skip
        """Take an answer to (given, question); one that was sent twice is taken once."""
        current = person.current
        if person.status != WORKING or current is None:
            return []
        if where != (current.number, len(current.answers)):
            return []
        one = Answer(self._next("answers"), where[1], value, seconds, time.time())
        current.answers.append(one)
        person.seen = one.at
        made = [insert_answer(person.name, current, one, facts)]
        if current.done and current.role == "check" and self._failed(person):
            return [*made, *self._screen_out(person)]
        return [*made, *self._fill(person)]

    def undo(self, person: Person) -> list[Statement]:
        """Take the last answer back; it stays in the database, void."""
        last = person.last
        if person.status not in (WORKING, DONE) or last is None or last.role == "training":
            return []
        taken = last.answers.pop()
        made = [void_answer(taken.number, "undone")]
        if person.status == DONE:
            person.status = WORKING
            made.append(person.update())
        return made

    def _failed(self, person: Person) -> bool:
        wrong = sum(not is_right(one) for one in person.done("check"))
        return wrong > self.study.max_failed_checks

    def _screen_out(self, person: Person) -> list[Statement]:
        person.status = SCREENED
        for one in person.given:
            if not one.released:
                self._count(one, -1)
        return [person.update()]

    def screen(self, item: str, verdict: str, reason: str, face: bool) -> list[Statement]:
        """The researcher's word on a picture: it holds for every item that shows it."""
        made: list[Statement] = []
        for one in self.showing(item):
            before = self.screened.get(one, ("keep",))[0]
            self.screened[one] = (verdict, reason, int(face))
            for pool in (pool for pools in self.pools.values() for pool in pools):
                if verdict != before:
                    (pool.remove if verdict == "drop" else pool.restore)(one)
            made.append((SCREEN, (one, verdict, reason, int(face))))
        self._count_pictures()
        return made

    def showing(self, item: str) -> list[str]:
        """The items that show the same picture: its pilot part, and those of a later phase."""
        family = self.items[item].family
        return [
            one.id for one in self.items.values()
            if one.id in (item, f"{PILOT}{item}") or (family and one.family == family)
        ]  # fmt: skip

    def seen_by_people(self, item: str) -> bool:
        """Whether somebody of the study itself has been given the picture."""
        alike = set(self.showing(item))
        return any(one.role == "main" and one.item.id in alike
                   for person in self.people.values() for one in person.given)  # fmt: skip

    def _count_pictures(self) -> None:
        """How many items one person of each part can get: each picture once, no dropped ones."""
        self.most = {
            part: min(self.study.per_person, len({
                self.items[one].family or one for pool in pools for one in pool.taken
                if self.screened.get(one, ("",))[0] != "drop"
            }))
            for part, pools in self.pools.items()
        }  # fmt: skip

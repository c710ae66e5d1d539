"""Simulated annotators: they come by a link, read the pages and answer, all through HTTP.

What they see is told by an eye, a function from a picture and a question to the right answer; how
they get it wrong is told by their manner, whose defaults are the shares in GeckoNum's released
answers: ranges, halves, foreground and background, slips, and typos such as `o` or `6=7`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any, NamedTuple

import numpy as np

from subitize.errors import SubitizeError

MOST_PAGES = 5000
"""more than any session has"""
BUSY, PATIENCE = 429, 0.3
"""too many requests at once: wait so many seconds"""
TYPOS = ("`", "q", "~", "+")
"""keys beside those that were meant"""


class Seen(NamedTuple):
    """What is in front of an annotator."""

    picture: bytes
    """empty where there is none"""
    words: str
    """the question"""
    options: tuple[tuple[str, str], ...]
    """what is stored for each choice, and its words"""
    typed: bool
    """whether an answer can be typed"""
    whole: bool = False
    """whether only a whole number can"""
    quote: str = ""
    """the reply or caption that the question is about; empty where there is none"""


Eye = Callable[[Seen], str]


@dataclass(frozen=True)
class Manner:
    """How somebody answers; shares of all answers."""

    slip: float = 0.032
    """another number than the right one, mostly one off"""
    range: float = 0.0325
    """a range around the number"""
    half: float = 0.0013
    """half a thing more or less"""
    behind: float = 0.0004
    """foreground, background"""
    typo: float = 0.0001
    """a slip of the finger that can still be read"""
    lapse: float = 0.05
    """another choice than the right one, where a line is chosen"""
    pause: float = 0.0
    """mean seconds of thought before an answer"""

    def says(self, right: str, seen: Seen, rng: np.random.Generator) -> str:
        """What is typed or chosen by whoever sees the right answer."""
        values = [value for value, _ in seen.options]
        if not seen.typed or right in values:
            others = [value for value in values if value != right]
            wrong = others and rng.random() < self.lapse
            return str(rng.choice(others)) if wrong else right
        if not right.isdecimal():
            return right
        number = self._slipped(int(right), rng)
        return str(number) if seen.whole else self._typed(number, rng)

    def _slipped(self, number: int, rng: np.random.Generator) -> int:
        if rng.random() >= self.slip:
            return number
        step = int(rng.geometric(0.55))
        return max(0, number + (step if rng.random() < 0.5 else -step))

    def _typed(self, number: int, rng: np.random.Generator) -> str:
        at = rng.random()
        shares = np.cumsum([self.range, self.half, self.behind])
        text = "10+" if number > 10 else str(number)
        if at < shares[0] and 1 <= number <= 9:
            low = number - int(rng.integers(2))
            text = f"{low}-{low + 1}"
        elif shares[0] <= at < shares[1]:
            text = f"{number}.5"
        elif shares[1] <= at < shares[2]:
            text = f"{number}, {int(rng.integers(1, 5))}"
        return self._mistyped(text, rng)

    def _mistyped(self, text: str, rng: np.random.Generator) -> str:
        if rng.random() >= self.typo:
            return text
        if text == "0":
            return "o"
        return text.replace("-", "=") if "-" in text else text + str(rng.choice(TYPOS[:3]))


@dataclass
class Page(HTMLParser):
    """The parts of a page that somebody acts on."""

    question: str = ""
    quote: str = ""
    picture: str = ""
    forms: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """where each form goes, and its hidden fields"""
    options: list[list[str]] = field(default_factory=list)
    typed: bool = False
    whole: bool = False
    csrf: str = ""
    _into: list[str] | None = None
    _asking: bool = False
    _quoting: bool = False
    _key: bool = False

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        if tag == "meta" and known.get("name") == "csrf":
            self.csrf = known["content"]
        elif tag == "form":
            self.forms.append((known.get("action", ""), {}))
        elif tag == "input" and known.get("type") == "hidden" and self.forms:
            self.forms[-1][1][known["name"]] = known["value"]
        elif tag == "input" and known.get("id") == "value":
            self.typed, self.whole = True, known.get("inputmode") == "numeric"
        elif tag == "img" and known.get("id") == "picture":
            self.picture = known["src"]
        elif tag == "button" and known.get("name") == "value":
            self.options.append([known["value"], ""])
            self._into = self.options[-1]
        self._key = tag == "kbd"
        self._quoting |= tag == "blockquote"
        if "question" in known.get("class", "").split():
            self._asking = True

    def handle_endtag(self, tag: str) -> None:
        self._key = False
        if tag == "button":
            self._into = None
        if tag == "blockquote":
            self._quoting = False
        if tag in ("label", "legend", "p"):
            self._asking = False

    def handle_data(self, data: str) -> None:
        if self._quoting:
            self.quote += data
        elif self._asking:
            self.question += data
        elif self._into is not None and not self._key:
            self._into[1] += data

    def form(self, ending: str) -> tuple[str, dict[str, str]] | None:
        """The form that goes to a path with this end."""
        return next((one for one in self.forms if one[0].endswith(ending)), None)


def read_page(text: str) -> Page:
    """A page taken apart."""
    page = Page()
    page.feed(text)
    page.close()
    return page


@dataclass
class Annotator:
    """One who answers until there is nothing left."""

    link: str
    eye: Eye
    manner: Manner
    rng: np.random.Generator
    answered: int = 0
    """answers that the server has said thank you for"""

    async def work(self, most: int = MOST_PAGES) -> int:
        """Open the link and do what the pages ask; how many answers were given."""
        import aiohttp

        jar = aiohttp.CookieJar(unsafe=True)  # the server is known by a number here
        async with aiohttp.ClientSession(cookie_jar=jar) as session:
            for _ in range(most):
                page = read_page(await self._get(session, self.link))
                if not await self._act(session, page):
                    return self.answered
        return self.answered

    async def _get(self, session: Any, where: str, *, raw: bool = False) -> Any:
        while True:
            async with session.get(where) as reply:
                if reply.status == 200:
                    return await (reply.read() if raw else reply.text())
                if reply.status != BUSY:
                    said = (await reply.text())[:300]
                    raise SubitizeError(f"{where} gave {reply.status}: {said}")
            await asyncio.sleep(PATIENCE)

    async def _act(self, session: Any, page: Page) -> bool:
        """Send the page's form; False on the last page."""
        for ending in ("/consent", "/begin", "/on"):
            if found := page.form(ending):
                await self._post(session, found[0], {**found[1], "agree": "yes"})
                return True
        found = page.form("/answer")
        if found is None:
            return False
        picture = b""
        if page.picture:
            picture = await self._get(session, self._whole(page.picture), raw=True)
        options = tuple((value, words.strip()) for value, words in page.options)
        words, quote = page.question.strip(), page.quote.strip()
        seen = Seen(picture, words, options, page.typed, page.whole, quote)
        value = self.manner.says(self.eye(seen), seen, self.rng)
        if self.manner.pause:
            await asyncio.sleep(float(self.rng.exponential(self.manner.pause)))
        await self._post(session, found[0], {**found[1], "value": value})
        self.answered += 1
        return True

    def _whole(self, path: str) -> str:
        return self.link.partition("/p/")[0] + path

    async def _post(self, session: Any, path: str, fields: dict[str, str]) -> None:
        headers = {"Accept": "application/json"}
        while True:
            async with session.post(self._whole(path), data=fields, headers=headers) as reply:
                if reply.status == 200:
                    await reply.read()
                    return
                if reply.status != BUSY:
                    said = (await reply.text())[:300]
                    raise SubitizeError(f"{path} gave {reply.status}: {said}")
            await asyncio.sleep(PATIENCE)


async def all_work(annotators: Sequence[Annotator]) -> list[int]:
    """All of them at once."""
    return list(await asyncio.gather(*(one.work() for one in annotators)))

"""One who takes part by hand: a visitor who reads pages and sends their forms."""

from __future__ import annotations

from subitize.humans.serving import Opened
from subitize.humans.simulated import Page, read_page
from tests.humans.served import Got, Visitor


class Taker(Visitor):
    """Goes through a study page by page."""

    def __init__(self, base: str, link: str) -> None:
        super().__init__(base)
        self.path = link.removeprefix(base)

    def look(self) -> Page:
        """The page that this person is on."""
        got = self.get(self.path)
        assert got.status == 200, got.text
        return read_page(got.text)

    def send(self, ending: str, **fields: str) -> Got:
        """The page's form that goes there, with these fields changed."""
        found = self.look().form(ending)
        assert found is not None, f"no form for {ending}"
        return self.post(found[0], {**found[1], **fields})

    def begin(self) -> Page:
        """Agree, read, and go through the practice; the first question."""
        self.send("/consent", agree="yes")
        self.send("/begin")
        while (page := self.look()).form("/on") or "training" in self.role():
            self.send("/on") if page.form("/on") else self.send("/answer", value=self.known(page))
        return page

    def role(self) -> str:
        return "training" if ">Practice" in self.get(self.path).text else "main"

    def known(self, page: Page) -> str:
        return page.options[0][0] if page.options else "1"


def taker(base: str, here: Opened, part: str = "main") -> Taker:
    """A new person with a link."""
    secret, made = here.desk.invite(part)
    here.desk.store.write(made).result()
    return Taker(base, f"{base}/p/{secret}")

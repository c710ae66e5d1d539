"""A study on the web: its folder, its database, and the app that people and researcher meet."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

import orjson

from subitize.errors import BadInput, WrongRun
from subitize.files import make_folder, write_json
from subitize.humans.desk import Desk
from subitize.humans.kinds.catalog import material_of
from subitize.humans.kinds.material import Material
from subitize.humans.pages import Pages
from subitize.humans.researcher import Researcher
from subitize.humans.store import UPSERT, Store, open_database
from subitize.humans.study import Study, study_from
from subitize.humans.web import Site, make_app
from subitize.records import fingerprint
from subitize.runs.lock import locked

FILE = "study.json"
FORMAT = 1


def study_folder(out: Path, study: Study, database: str) -> Path:
    """The study's folder, made or found; another study under the same name is refused."""
    folder = out / study.name
    if (folder / FILE).exists():
        found, kept = read_folder(folder)
        if found == study:
            return folder
        # One that never opened, for want of its pictures perhaps, stands in nobody's way.
        if kept or (folder / "study.db").exists():
            raise WrongRun(
                f"{folder} holds another study with this name: it differs in "
                f"{', '.join(_differing(found, study))}. Give it another name, or go on with "
                f"`subitize annotate {quote(str(folder))}`."
            )
    make_folder(folder, "--out")
    shown = open_database(folder, database, study.name).shown if database else ""
    packed = {"format": FORMAT, "study": study.as_json(), "database": shown}
    write_json(folder / FILE, packed)
    return folder


def _differing(one: Study, other: Study) -> list[str]:
    mine, theirs = one.as_json(), other.as_json()
    return [name for name in mine if mine[name] != theirs[name]]


def read_folder(folder: Path) -> tuple[Study, str]:
    """The study of a folder, and the address of its database where that is elsewhere."""
    try:
        known = orjson.loads((folder / FILE).read_bytes())
        study = study_from(known["study"], str(folder / FILE))
    except FileNotFoundError:
        raise BadInput(
            f"{folder} is no study: it has no {FILE}. Give a folder that `subitize annotate` made."
        ) from None
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError) as problem:
        raise WrongRun(f"{folder / FILE} is damaged ({problem}): put back a copy of it.") from None
    return study, str(known.get("database", ""))


@dataclass
class Opened:
    """A study that is being served."""

    app: Any
    site: Site
    desk: Desk
    material: Material
    pages: Pages


@contextmanager
def opened(folder: Path, database: str = "", origin: str = "") -> Iterator[Opened]:
    """The app of a study, while its database is open."""
    study, kept = read_folder(folder)
    material = material_of(study)
    with locked(folder):
        store = Store(open_database(folder, database or kept, study.name))
        try:
            meta = _meta(store, material)
            desk = Desk(study, material.items, store)
            secret = bytes.fromhex(meta["secret"])
            pages = Pages(desk, material, secret)
            site = Site(study.title, meta["token"], secret, origin)
            routes = [*pages.routes(), *Researcher(pages, folder, meta["state"]).routes()]
            yield Opened(make_app(site, routes, _lifespan), site, desk, material, pages)
        finally:
            store.close()


@asynccontextmanager
async def _lifespan(_: Any) -> AsyncIterator[None]:
    yield


def _meta(store: Store, material: Material) -> dict[str, str]:
    """Secrets and state of the study, made when it is opened first; other items are refused."""
    found = dict(store.read("SELECT key, value FROM meta"))
    items = fingerprint(sorted(one.id for one in material.items))
    if found and found["items"] != items:
        raise WrongRun(
            "The study's pictures or questions are no longer those it began with: put them back, "
            "or begin another study with another name."
        )
    if not found:
        found = {
            "items": items, "secret": secrets.token_hex(32), "token": secrets.token_urlsafe(24),
            "state": "new", "format": str(FORMAT),
        }  # fmt: skip
        store.write([(UPSERT, pair) for pair in found.items()]).result()
    return found

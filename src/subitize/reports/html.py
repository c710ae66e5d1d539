"""The pages as one HTML file: nothing is fetched, everything can be read without a script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from subitize import __version__
from subitize.reports.cells import COUNT, text
from subitize.reports.files import PHONE, data_uri, inline_svg, thumbnail_uri
from subitize.reports.links import viewer
from subitize.reports.page import About, Chapter, Figure


def page_text(
    chapters: Sequence[Chapter], about: About, files: Mapping[str, bytes], folder: str
) -> str:
    """The whole page; `folder` holds the figures that are files beside it, where there are any."""
    environment = Environment(
        loader=PackageLoader("subitize.reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = _template_text("report.js").strip()
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return environment.get_template("report.html.j2").render(
        chapters=chapters,
        about=about,
        trials=text(about.trials, COUNT),
        version=__version__,
        folder=folder,
        viewer=viewer(),
        file=lambda name: data_uri(name, files[name]),
        inlined=partial(_inlined, files),
        thumbnail=thumbnail_uri,
        style=Markup(_template_text("report.css")),
        script=Markup(script),
        script_hash=digest,
    )


def _inlined(files: Mapping[str, bytes], figure: Figure) -> Markup:
    # Matplotlib wrote this and escaped every word in it.
    wide, name = files[f"{figure.name}.svg"], figure.name
    if (narrow := files.get(f"{name}.{PHONE}")) is None:
        return Markup(inline_svg(wide, name))
    return Markup(inline_svg(wide, name, "desk") + inline_svg(narrow, f"{name}-{PHONE}", PHONE))


def _template_text(name: str) -> str:
    return (resources.files("subitize.reports") / "templates" / name).read_text("utf-8")

"""From a figure's marks to the trials behind them, where a viewer of the same runs is known.

A figure is drawn the same with and without one: marks that have an address are only made to be
pressed. The address is a choice of `subitize view`, so any copy of it can be linked to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from html import escape, unescape
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_VIEWER: ContextVar[str] = ContextVar("viewer", default="")
_NAMES = {"wanted": "target", "off": "response minus target"}
_REACH = 30.0
"""points² of a mark that can be pressed"""


@contextmanager
def linked(address: str) -> Iterator[None]:
    """What is drawn meanwhile leads there; nothing leads anywhere without an address."""
    token = _VIEWER.set(address)
    try:
        yield
    finally:
        _VIEWER.reset(token)


def viewer() -> str:
    """Where the viewer is; empty where none is known."""
    return _VIEWER.get()


def opens(chosen: Mapping[str, str], **more: object) -> str | None:
    """The address of these trials; None where no viewer is known, or not what to choose."""
    where = viewer()
    if not where or not chosen:
        return None
    query = urlencode({**chosen, **{name: str(value) for name, value in more.items()}})
    return f"{where}{'&' if urlsplit(where).query else '?'}{query}"


def press_cell(axes: Axes, x: float, y: float, url: str | None) -> None:
    """A place of size 1 around (x, y) that can be pressed."""
    from matplotlib.patches import Rectangle

    if url is not None:
        axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, alpha=0, linewidth=0, url=url, zorder=9))


def press_point(axes: Axes, x: float, y: float, url: str | None) -> None:
    """A mark at (x, y) that can be pressed."""
    if url is not None:
        axes.scatter([x], [y], s=_REACH, alpha=0, linewidths=0, urls=[url], zorder=9)


def named_links(svg: str) -> str:
    """Links of an SVG with the words that who can't see them needs.

    They are left out of the order of the Tab key: a matrix has hundreds, and the viewer, which is
    one link away, has the same marks.
    """

    def named(found: re.Match[str]) -> str:
        chosen = dict(parse_qsl(urlsplit(unescape(found[1])).query))
        words = ", ".join(f"{_NAMES.get(name, name)} {value}" for name, value in chosen.items()
                          if name != "token")  # fmt: skip
        label = escape(f"Trials: {words}")
        return f'<a href="{found[1]}" tabindex="-1" aria-label="{label}"'

    return re.sub(r'<a xlink:href="([^"#][^"]*)"', named, svg)

"""How our figures look: one font, few lines, colours that print and that all eyes tell apart.

Figures are made without pyplot, so nothing is shared between two reports.
"""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any

# Matplotlib is imported when something is drawn: the help of a command must not wait for it.
if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

INK = "#1c2430"
MUTED = "#8a94a3"
FAINT = "#e3e7ec"
OWN = "#1f5f99"
UNDER = "#3d7ab8"
OVER = "#d67a1f"
COLOURS = (OWN, OVER, "#2e8b6f", "#a24b8f", "#8a6d3b", "#c23b3b", "#5b6ee1", "#5f6b7a")
"""told apart by all eyes in neighbouring pairs; more models begin again"""
FORMATS = ("svg", "pdf", "png")
PNG_DPI = 200
SMALLEST = 7.5
"""points of the smallest letters: ten pixels on any screen, since no figure is shown smaller"""
CLOSE = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)
"""steps of a logarithmic axis that spans little"""
SHADES = ("#ffffff", "#9fc1e0", OWN, "#0f2f4d")
"""of shares, from none to all: the same in every confusion matrix"""

_RULES: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8,
    "axes.edgecolor": MUTED,
    "axes.linewidth": 0.6,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "text.color": INK,
    # A model's name is words, never a formula: `$` in it must not start one.
    "text.parse_math": False,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": SMALLEST,
    "ytick.labelsize": SMALLEST,
    "legend.fontsize": SMALLEST,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.fonttype": "none",
    "svg.hashsalt": "subitize",
    "pdf.fonttype": 42,
}


def new_figure(width: float, height: float) -> Figure:
    """An empty figure, in inches, that lays itself out."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with styled():
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        return figure


def styled() -> Any:
    """Figures are drawn inside `with styled():`, since Matplotlib reads its rules late."""
    import matplotlib as mpl

    return mpl.rc_context(_RULES)


def save(figure: Figure, kind: str) -> bytes:
    """The figure as a file's bytes, the same bytes every time.

    The canvases are called directly: `savefig` would draw everything once more, for a layout
    that is already fixed. No date and no version goes in: the same runs give the same file.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    # Matplotlib's print_* methods carry no types.
    canvas: Any
    buffer = io.BytesIO()
    with styled():
        if kind == "svg":
            canvas = FigureCanvasSVG(figure)
            canvas.print_svg(buffer, metadata={"Date": None, "Creator": None})
        elif kind == "pdf":
            # a page has SVGs only, and this brings the whole of fontTools
            from matplotlib.backends.backend_pdf import FigureCanvasPdf

            canvas = FigureCanvasPdf(figure)
            nothing = {"CreationDate": None, "Creator": None, "Producer": None}
            canvas.print_pdf(buffer, metadata=nothing)
        else:
            figure.set_dpi(PNG_DPI)
            canvas = FigureCanvasAgg(figure)
            canvas.print_png(buffer, metadata={"Software": None})
    return buffer.getvalue()


def log_ticks(axis: Axis) -> None:
    """Plain numbers on a logarithmic axis (Matplotlib's own are formulas, which are not parsed
    here): powers of ten, with as many others between them as it takes to label three."""
    from matplotlib.ticker import FixedLocator, NullFormatter

    low, high = sorted(axis.get_view_interval())
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    powers = powers[:: math.ceil(len(powers) / 8)]
    ticks: list[float] = []
    for between in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 7), CLOSE):
        ticks = [step * 10.0**power for power in powers for step in between]
        ticks = [tick for tick in ticks if low <= tick * 1.001 and tick <= high * 1.001]
        if len(ticks) >= 3:
            break
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_major_formatter(_plain_number)
    axis.set_minor_formatter(NullFormatter())


def _plain_number(value: float, place: object) -> str:
    """All its digits, without an exponent.

    >>> _plain_number(0.00001, 0), _plain_number(100, 0), _plain_number(2.5, 0)
    ('0.00001', '100', '2.5')
    """
    return f"{value:,.12f}".rstrip("0").rstrip(".")

"""A figure laid out anew for a phone: panels that stood beside each other stand below each other.

The panels that are drawn already are moved, not drawn again, so that a second layout costs little
more than writing it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from subitize.reports.charts import NAME, WRAPPED, legend, name_row, row_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 3.4
"""inches: at printed size, with letters of ten pixels, it fits a screen of 375 pixels"""
LEAST = 1.2
"""inches of a panel beside its labels: a narrower one tells nothing"""
EDGE = 0.18
"""inches to the right of a frame: half of the last number below it"""
LETTERS, ACROSS = 24, 36
"""of a row's name beside it, and above it"""
GAP = 0.16
"""inches between blocks"""
BAR = "<colorbar>"
"""how Matplotlib labels the axes of a colour bar"""


class Panel(NamedTuple):
    """Axes, and where their frame is, in inches."""

    axes: Axes
    left: float
    bottom: float
    right: float
    top: float


class Room(NamedTuple):
    """Inches around frames."""

    left: float
    bottom: float
    right: float
    top: float


class Stack(NamedTuple):
    """Panels that stand above each other."""

    panels: list[Panel]
    around: Room

    @property
    def left(self) -> float:
        return min(panel.left for panel in self.panels)

    @property
    def right(self) -> float:
        return max(panel.right for panel in self.panels)


def narrowed(figure: Figure) -> bool:
    """Lay out a figure, drawn and laid out already, for a phone; False where it stays as it is:
    it is narrow already, or its labels leave no room."""
    if figure.get_figwidth() <= WIDTH or figure.texts:
        return False
    for axes in figure.axes:
        _shorten(axes)
    renderer = _renderer(figure)
    columns = _columns(figure, renderer)
    wrapped = figure.get_label() == WRAPPED
    blocks = _in_rows(columns, renderer) if wrapped else _blocks(columns, renderer)
    if not blocks or any(_room(block) < LEAST for block in blocks if not _is_bar(block[0])):
        return False
    for block in blocks:
        if block is not blocks[0] and not _is_bar(block[0]):
            for panel in block[0].panels:
                _label(panel, columns[0])
    head = _legend(figure)
    ends = [_ends(block) for block in blocks]
    height = head + sum(top - bottom + GAP for bottom, top in ends)
    figure.set_size_inches(WIDTH, height)
    upper = height - head - GAP / 2
    for block, (bottom, top) in zip(blocks, ends, strict=True):
        _place(block, upper - top, height)
        upper -= top - bottom + GAP
    return True


def _shorten(axes: Axes) -> None:
    """Long names of rows lose their middle: the table beside the figure has them whole."""
    names = [label.get_text() for label in axes.get_yticklabels()]
    if max(map(len, names), default=0) > LETTERS:
        axes.set_yticks(axes.get_yticks(), [_short(name, LETTERS) for name in names])
    for text in axes.texts:
        if text.get_gid() == NAME:
            text.set_text(_short(text.get_text(), ACROSS))


def _short(name: str, letters: int) -> str:
    half = letters // 2
    return name if len(name) <= letters else f"{name[:half]}…{name[1 - half :]}"


def _renderer(figure: Figure) -> Any:
    """What measures words."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas: Any = FigureCanvasAgg(figure)
    return canvas.get_renderer()


def _columns(figure: Figure, renderer: Any) -> list[Stack]:
    """The panels from left to right; a colour bar is one too."""
    width, height = figure.get_size_inches()
    every: list[Panel] = []
    for axes in (one for one in figure.axes if one.axison):
        place = axes.get_position(original=axes.get_label() != BAR)
        ends = place.x0 * width, place.y0 * height, place.x1 * width, place.y1 * height
        every.append(Panel(axes, *ends))
    found: list[list[Panel]] = []
    for panel in sorted(every, key=lambda one: one.left):
        # Below each other although their numbers are not equally wide: they share their middle.
        if found and panel.left < (found[-1][0].left + found[-1][0].right) / 2:
            found[-1].append(panel)
        else:
            found.append([panel])
    columns: list[Stack] = []
    for panels in found:
        # Panels that borrow their numbers are like those that they borrow from: to measure words
        # takes most of the time.
        alike = bool(columns) and all(map(_borrows, panels))
        columns.append(Stack(panels, columns[0].around if alike else _around(panels, renderer)))
    return columns


def _around(panels: Sequence[Panel], renderer: Any) -> Room:
    """What labels and titles take around the frames of a column."""
    found: Any = [panel.axes.get_tightbbox(renderer) for panel in panels]
    dpi = renderer.dpi
    return Room(
        max(panel.left - one.x0 / dpi for panel, one in zip(panels, found, strict=True)),
        min(panel.bottom for panel in panels) - min(one.y0 for one in found) / dpi,
        max(one.x1 for one in found) / dpi - max(panel.right for panel in panels),
        max(one.y1 for one in found) / dpi - max(panel.top for panel in panels),
    )


def _in_rows(columns: Sequence[Stack], renderer: Any) -> list[list[Stack]]:
    """Every panel by itself, row by row as they are read, all with as much room around them."""
    bars = [[column] for column in columns if _is_bar(column)]
    columns = [column for column in columns if not _is_bar(column)]
    every = [panel for column in columns for panel in column.panels]
    every.sort(key=lambda panel: (-round(panel.top, 2), panel.left))
    for column in columns:
        for panel in column.panels:
            _label(panel, columns[0])
            _number(panel, column)
    rooms = [_around([panel], renderer) for panel in every]
    around = Room(*map(max, zip(*rooms, strict=True)))
    return [*([Stack([panel], around)] for panel in every), *bars]


def _is_bar(column: Stack) -> bool:
    return column.panels[0].axes.get_label() == BAR


def _borrows(panel: Panel) -> bool:
    """Whether the numbers of its upward axis stand beside another panel only."""
    if panel.axes.get_label() == BAR:
        return False
    return not panel.axes.yaxis.get_tick_params().get("labelleft", True)


def _blocks(columns: Sequence[Stack], renderer: Any) -> list[list[Stack]]:
    """As many columns beside each other as there is room for; no colour bar on a row's name."""
    named = max(_named(panel.axes, renderer) for panel in columns[0].panels)
    blocks: list[list[Stack]] = []
    for column in columns:
        if blocks:
            first = blocks[-1][0]
            wide = first.around.left + column.right + column.around.right - first.left
            crossed = _is_bar(column) and column.left - first.left < named
            if wide <= WIDTH and not crossed:
                blocks[-1].append(column)
                continue
        blocks.append([column])
    return blocks


def _named(axes: Axes, renderer: Any) -> float:
    """Inches that the name of a row takes from the left end of its first frame."""
    names = [text for text in axes.texts if text.get_gid() == NAME]
    return max((one.get_window_extent(renderer).width / renderer.dpi for one in names), default=0)


def _frame(block: Sequence[Stack]) -> float:
    """The width of a block's frames: as drawn, or less where a lone panel was wider."""
    return min(block[-1].right - block[0].left, _room(block))


def _room(block: Sequence[Stack]) -> float:
    """The width that labels leave to a block's frames."""
    return WIDTH - block[0].around.left - max(block[-1].around.right, EDGE)


def _label(panel: Panel, first: Stack) -> None:
    """What stood once to the left of a row stands at the beginning of each of its parts."""
    beside = min(first.panels, key=lambda one: abs(one.bottom - panel.bottom))
    if _borrows(panel):
        panel.axes.tick_params(labelleft=True)
        panel.axes.set_ylabel(beside.axes.get_ylabel())
        for own, other in zip(
            panel.axes.get_yticklabels(), beside.axes.get_yticklabels(), strict=False
        ):
            own.set(style=other.get_fontstyle(), color=other.get_color())
    if name := row_name(beside.axes):
        name_row(panel.axes, name)


def _number(panel: Panel, column: Stack) -> None:
    """What stood once below a column stands below each of its panels."""
    lowest = min(column.panels, key=lambda one: one.bottom).axes
    if not panel.axes.xaxis.get_tick_params().get("labelbottom", True):
        panel.axes.tick_params(labelbottom=True)
        panel.axes.set_xlabel(lowest.get_xlabel())


def _legend(figure: Figure) -> float:
    """Write the legend anew at this width; the inches that it takes."""
    for old in list(figure.legends):
        names = [text.get_text() for text in old.get_texts()]
        drawn = [
            one for one in figure.axes if len(one.get_legend_handles_labels()[1]) == len(names)
        ]
        old.remove()
        figure.set_figwidth(WIDTH)
        legend(figure, drawn[0])
    tall = sum(one.get_window_extent(_renderer(figure)).height for one in figure.legends)
    return float(tall) / figure.dpi


def _ends(block: Sequence[Stack]) -> tuple[float, float]:
    """Bottom and top of everything in a block."""
    lowest = min(p.bottom - column.around.bottom for column in block for p in column.panels)
    return lowest, max(p.top + column.around.top for column in block for p in column.panels)


def _place(block: Sequence[Stack], shift: float, height: float) -> None:
    first = block[0]
    scale = _frame(block) / (block[-1].right - first.left)
    for column in block:
        for panel in column.panels:
            left = first.around.left + (column.left - first.left) * scale
            wide, tall = (panel.right - column.left) * scale, panel.top - panel.bottom
            bounds = (left / WIDTH, (panel.bottom + shift) / height, wide / WIDTH, tall / height)
            panel.axes.set_position(bounds)

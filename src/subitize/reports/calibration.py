"""The calibration curve (S4 of the paper): NAE against human counts by threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from subitize.readers.calibration import Calibration
from subitize.reports.files import figure_files
from subitize.reports.page import Figure
from subitize.reports.style import FORMATS, INK, MUTED, OWN, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

CAPTION = "NAE against human counts by the threshold on the counter's scores."


def calibration_files(calibration: Calibration) -> dict[str, bytes]:
    """NAE by threshold, with the best one marked: SVG, PDF and PNG, by file ending."""

    def draw() -> Drawing:
        best, curve = calibration.threshold, calibration.curve
        figure = new_figure(3.6, 2.5)
        axes = figure.subplots()
        axes.plot(curve["thresholds"], curve["nae"], color=OWN, linewidth=1.3)
        least, right = min(curve["nae"]), best > 0.5
        axes.axvline(best, color=MUTED, linewidth=0.7, linestyle=(0, (3, 3)))
        axes.plot([best], [least], marker="o", markersize=4, color=INK, linestyle="none")
        # At the top of the line, where a curve with its least value there never is.
        axes.annotate(
            f"{best:.2f}: NAE {least:.3f}", (best, 1.0), (-5 if right else 5, -8),
            xycoords=("data", "axes fraction"), textcoords="offset points",
            ha="right" if right else "left",
        )  # fmt: skip
        axes.set(xlim=(0, 1), ylim=(0, max(curve["nae"]) * 1.05 or 1.0))
        axes.set(xlabel="threshold on the score", ylabel="NAE against human counts")
        return figure

    files = figure_files(Figure("calibration", CAPTION, CAPTION, draw), FORMATS)
    return {name.rpartition(".")[2]: content for name, content in files.items()}

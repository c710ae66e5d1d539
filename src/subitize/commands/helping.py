"""Help in groups, names that were meant, and what a shell completes."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

ASKED, SERVER, COST, PACE, READ, WHERE = GROUPS = (
    "What is asked", "The model and its server", "What it may cost", "Pace and patience",
    "How replies are read", "Where it computes and writes",
)  # fmt: skip


class Grouped(TyperCommand):
    """A command whose help shows its options in groups: those of `rich_help_panel`."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                usual = "Arguments" if param.param_type_name == "argument" else "Options"
                title = getattr(param, "rich_help_panel", None) or usual
                groups.setdefault(title, []).append(record)
        # What has no group of its own, such as --help, comes last.
        for title in sorted(groups, key=["Arguments", *GROUPS, "Options"].index):
            with formatter.section(title):
                formatter.write_dl(groups[title])

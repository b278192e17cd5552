"""The bar of long work that is counted: how many of how many, for how long, for how much longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn


def counting(
    label: str, *beside: ProgressColumn, transient: bool = False, disable: bool = False
) -> Progress:
    """A bar on the terminal's other stream; `beside` the count stands what else there is to say."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn(label),
        BarColumn(),
        MofNCompleteColumn(),
        *beside,
        TimeElapsedColumn(),
        TimeRemainingColumn(compact=True),
        console=Console(stderr=True, highlight=False),
        transient=transient,
        disable=disable,
    )

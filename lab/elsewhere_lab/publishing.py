"""Tables, sentences and figures of one experiment, from the rows in its files alone.

Nothing is measured here, so it can be done again at any time, with other words or in another look.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from elsewhere_lab import figures
from elsewhere_lab.collections import ALBUMS
from elsewhere_lab.deviations import reasons
from elsewhere_lab.files import read_numbers, read_rows, write_numbers, write_whole
from elsewhere_lab.run_folder import ALBUM_CELLS, is_simulated, read_run
from elsewhere_lab.sources import Simulated
from elsewhere_lab.tables import markdown
from elsewhere_lab.values import Experiment, Row, number


def publish(experiment: Experiment, folder: Path, home: Path | None = None) -> None:
    """Write what came out of an experiment: beside its rows, or somewhere else."""
    home = home or folder / experiment.name
    told = read_run(folder)
    rows = with_album_cells(rows_so_far(folder / (experiment.rows_of or experiment.name)), folder)
    found = experiment.summarise(rows)
    if not is_simulated(told):
        # real photos and another model: the paper's numbers are beside ours, nothing is wanted
        found = [replace(each, within=None) for each in found]
    write_numbers(home / "numbers.csv", found)
    numbers = read_numbers(home / "numbers.csv")
    sentences = reasons(experiment.name, numbers, largest=told.get("scale") == "paper")
    sentences += experiment.says(rows, numbers) if experiment.says else []
    text = [markdown(numbers, experiment.decimals)] if numbers else []
    text += sentences
    write_whole(home / "table.md", "\n\n".join(text) + "\n")
    write_whole(home / "says.json", json.dumps(sentences, ensure_ascii=False, indent=1) + "\n")
    # where no collection gave its place away there is nothing to draw
    if rows and experiment.draw is not None and figures.available():
        with figures.drawing():
            figures.save(home, experiment.draw(rows, numbers))


def rows_so_far(home: Path) -> list[Row]:
    """The rows of an experiment: all of them, or those of the parts that are finished."""
    whole = home / "rows.csv"
    if whole.exists():
        return read_rows(whole)
    return [row for part in sorted((home / "parts").glob("*.csv")) for row in read_rows(part)]


def unfinished(experiment: Experiment, folder: Path) -> int:
    """How many parts there are of an experiment that is still running; 0 when it is finished."""
    home = folder / (experiment.rows_of or experiment.name)
    if (home / "rows.csv").exists():
        return 0
    return len(list((home / "parts").glob("*.csv")))


def with_album_cells(rows: Sequence[Row], folder: Path) -> list[Row]:
    """The rows, with the cell of each album as a further column where it is known."""
    if not any(row.get("kind") == ALBUMS for row in rows):
        return list(rows)
    cell_of = _album_cells(folder)
    return [
        {**row, "cell": cell_of(int(number(row["number"])))} if row.get("kind") == ALBUMS else row
        for row in rows
    ]


def _album_cells(folder: Path) -> Callable[[int], int | None]:
    told = read_run(folder)
    if is_simulated(told):
        return Simulated(_seed(told)).album_cell
    if not (folder / ALBUM_CELLS).exists():
        return lambda album: None
    known = {
        int(number(r["album"])): int(number(r["cell"])) for r in read_rows(folder / ALBUM_CELLS)
    }
    return known.get


def _seed(told: dict[str, Any]) -> int:
    """The simulator's, which is in its name as well."""
    return int(str(told["source"]).removeprefix("simulator-"))

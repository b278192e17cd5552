"""Folders of runs that pages are written from: what each holds, and which to take a study from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elsewhere.errors import InputError
from elsewhere_lab.run_folder import is_simulated, read_run
from elsewhere_lab.values import Experiment


@dataclass(frozen=True)
class Run:
    """One folder and what it says of itself."""

    folder: Path
    told: dict[str, Any]

    @property
    def simulated(self) -> bool:
        """Whether its photos were the simulator's."""
        return is_simulated(self.told)

    def holds(self, experiment: Experiment) -> bool:
        """Whether there are rows of an experiment."""
        return (self.folder / (experiment.rows_of or experiment.name)).exists()


def gathered(folders: Sequence[Path], page: Path) -> list[Run]:
    """The runs in these folders, for a page of that name."""
    if not folders:
        raise InputError("say which folders to write the page from: elsewhere-lab page DIR -o FILE")
    if page.suffix != ".md":
        raise InputError(f"the page is Markdown: call it something.md, not {page}")
    runs = []
    for folder in folders:
        told = read_run(folder)
        if not told:
            raise InputError(f"{folder} holds no run: run elsewhere-lab run … -o {folder} first")
        runs.append(Run(folder, told))
    return runs


def the_one(runs: Sequence[Run], experiment: Experiment) -> Run | None:
    """The run that holds an experiment; two of one source and scale would contradict each other."""
    holding = [run for run in runs if run.holds(experiment)]
    if len(holding) > 1:
        both = " and ".join(str(run.folder) for run in holding[:2])
        raise InputError(f"{both} both hold {experiment.name}: leave one of them out")
    return holding[0] if holding else None

"""What a folder of the lab belongs to: one source, one scale, one state of the program.

`run.json` holds a digest of all that rows depend on; a run that does not match is refused.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from elsewhere.errors import FileError, InputError
from elsewhere_lab.collections import ALBUMS
from elsewhere_lab.files import read_rows, write_rows, write_whole
from elsewhere_lab.solving import WORK
from elsewhere_lab.sources import RECOMPRESSED, AnySource, ScoreFiles, Simulator
from elsewhere_lab.values import Experiment, Row, Scale, number

FILE = "run.json"
ALBUM_CELLS = "albums.csv"
"""The cell of each album, kept for the errors of means; the simulator's follow from the seed."""
_DIGESTS, _VERSION, _LIMIT = "made_of", "version of elsewhere", "limit of work"


@dataclass(frozen=True)
class Run:
    """One folder and its `run.json`: source, scale, times; empty where there was no run."""

    folder: Path
    info: dict[str, Any]

    @property
    def simulated(self) -> bool:
        """Whether its photos were the simulator's."""
        return str(self.info.get("source", "")).startswith("simulator-")

    def home(self, experiment: Experiment) -> Path:
        """The folder of an experiment's rows."""
        return self.folder / (experiment.rows_of or experiment.name)

    def rows(self, experiment: Experiment) -> list[Row]:
        """The rows, or those of the finished parts; albums have their cells where known."""
        home = self.home(experiment)
        files = [home / "rows.csv"]
        if not files[0].exists():
            files = sorted((home / "parts").glob("*.csv"))
        return with_album_cells([row for file in files for row in read_rows(file)], self)

    def unfinished(self, experiment: Experiment) -> int:
        """How many parts there are of an experiment that is not finished; 0 when it is."""
        home = self.home(experiment)
        return 0 if (home / "rows.csv").exists() else len(list((home / "parts").glob("*.csv")))


def read_run(folder: Path) -> Run:
    """A folder's run."""
    try:
        info = json.loads((folder / FILE).read_text("utf-8"))
    except FileNotFoundError:
        info = {}
    except (OSError, ValueError):
        raise FileError(f"{folder / FILE} cannot be read") from None
    return Run(folder, dict(info) if isinstance(info, dict) else {})


def with_album_cells(rows: Sequence[Row], run: Run) -> list[Row]:
    """The rows, with the cell of each album as a further column where it is known."""
    if not any(row.get("kind") == ALBUMS for row in rows):
        return list(rows)
    if run.simulated:
        seed = str(run.info["source"]).removeprefix("simulator-").partition("-")[0]
        cell_of: Callable[[int], int | None] = Simulator(int(seed)).album_cell
    else:
        file = run.folder / ALBUM_CELLS
        known = read_rows(file) if file.exists() else []
        cell_of = {int(number(r["album"])): int(number(r["cell"])) for r in known}.get
    return [
        {**row, "cell": cell_of(int(number(row["number"])))} if row.get("kind") == ALBUMS else row
        for row in rows
    ]


def read_runs(folders: Sequence[Path], page: Path) -> list[Run]:
    """The runs in these folders, for a page of that name."""
    if not folders:
        raise InputError("say which folders to write the page from: elsewhere-lab page DIR -o FILE")
    if page.suffix != ".md":
        raise InputError(f"the page is Markdown: call it something.md, not {page}")
    runs = [read_run(folder) for folder in folders]
    for run in runs:
        if not run.info:
            folder = run.folder
            raise InputError(f"{folder} holds no run: run elsewhere-lab run … -o {folder} first")
    return runs


def run_with(runs: Sequence[Run], experiment: Experiment) -> Run | None:
    """The run that holds an experiment; two of one source and scale would contradict each other."""
    holding = [run for run in runs if run.home(experiment).exists()]
    if len(holding) > 1:
        both = " and ".join(str(run.folder) for run in holding[:2])
        raise InputError(f"{both} both hold {experiment.name}: leave one of them out")
    return holding[0] if holding else None


def claim(folder: Path, source: AnySource, scale: Scale, warn: Callable[[str], None]) -> None:
    """Make the folder this run's, or refuse: it may belong to another run."""
    info = read_run(folder).info
    own: dict[str, Any] = {"source": source.name, "scale": scale.name}
    digests = {_VERSION: version("elsewhere"), _LIMIT: str(WORK), **source.digests}
    if info:
        if {key: info.get(key) for key in own} != own:
            given = f" ({info['given']})" if info.get("given") else ""
            raise InputError(
                f"{folder} holds a run of {info.get('source')} at scale {info.get('scale')}{given};"
                " choose another folder"
            )
        digests = _compare(folder, info, digests, warn)
    if isinstance(source, Simulator):
        own["seed"] = source.seed
        own["world"] = source.world_seed
    elif isinstance(source, ScoreFiles) and not (folder / ALBUM_CELLS).exists():
        cells = [{"album": i, "cell": source.album_cell(i)} for i in range(source.albums())]
        write_rows(folder / ALBUM_CELLS, cells)
    begun = {**own, "given": source.given} | info
    begun |= {_DIGESTS: digests, "took": info.get("took", {})}
    begun.pop("version", None)
    write_whole(folder / FILE, json.dumps(begun, indent=1) + "\n")


def add_time(folder: Path, name: str, seconds: float, busy: float) -> None:
    """Add one part to the time of an experiment; a run that was resumed has several turns."""
    info = read_run(folder).info
    took = info["took"].setdefault(name, {"seconds": 0.0, "busy": 0.0, "parts": 0})
    took["seconds"] = round(took["seconds"] + seconds, 2)
    took["busy"] = round(took["busy"] + busy, 2)
    took["parts"] += 1
    write_whole(folder / FILE, json.dumps(info, indent=1) + "\n")


def _compare(
    folder: Path, info: dict[str, Any], now: dict[str, str], warn: Callable[[str], None]
) -> dict[str, str]:
    """The folder's digests from now on; what does not match is refused."""
    before = info.get(_DIGESTS)
    unknown = None
    if before is None:  # older than the digests: its version is all that it says
        before = {**now, _VERSION: info.get("version", now[_VERSION])}
        unknown = "what", "source and version"
    elif RECOMPRESSED in now.keys() - before and (folder / Path(RECOMPRESSED).stem).exists():
        unknown = f"which {RECOMPRESSED}", "one"
    if unknown:
        warn(
            f"{folder} does not say {unknown[0]} its rows were made of: they are taken to be of "
            f"this very {unknown[1]}, and from now on it does"
        )
    for name in {**before, **now}:
        if name == RECOMPRESSED and not (name in before and name in now):
            continue
        if before.get(name) != now.get(name):
            values = ""
            if name in (_VERSION, _LIMIT):
                values = f" ({before.get(name)}, now {now.get(name)})"
            raise InputError(
                f"{folder} was begun with another {name}{values}: choose another folder, or go on "
                "with what it was begun with"
            )
    return {**before, **now}

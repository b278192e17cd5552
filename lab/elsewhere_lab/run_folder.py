"""What a folder of the lab belongs to: one source, one scale, one state of the program.

Rows of two models, two simulators or two versions in one table would be a table of nothing, and
nobody would see it. `run.json` therefore keeps a digest of all that rows depend on, and a run that
does not fit is refused in a sentence. A folder that is older than the digests is accepted once,
and has them from then on. A file that one experiment alone reads may come or go: its digest counts
where it was there both times.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from elsewhere.errors import FileError, InputError
from elsewhere_lab.files import write_rows, write_whole
from elsewhere_lab.score_files import MOVED
from elsewhere_lab.solving import WORK
from elsewhere_lab.sources import Simulated, Source
from elsewhere_lab.values import Scale

FILE = "run.json"
ALBUM_CELLS = "albums.csv"
"""The cell of each album, kept for the errors of means; the simulator's follow from the seed."""
_MADE_OF = "made_of"


def read_run(folder: Path) -> dict[str, Any]:
    """What a folder's run was: source, scale and times; empty where there was none."""
    try:
        told = json.loads((folder / FILE).read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        raise FileError(f"{folder / FILE} cannot be read") from None
    return dict(told) if isinstance(told, dict) else {}


def claim(folder: Path, source: Source, scale: Scale, tell: Callable[[str], None]) -> None:
    """Make the folder this run's, or refuse: it may be somebody else's."""
    told = read_run(folder)
    mine: dict[str, Any] = {"source": source.name, "scale": scale.name}
    made = _made_of(source)
    if told:
        if {key: told.get(key) for key in mine} != mine:
            given = f" ({told['given']})" if told.get("given") else ""
            raise InputError(
                f"{folder} holds a run of {told.get('source')} at scale {told.get('scale')}{given};"
                " choose another folder"
            )
        made = _compare(folder, told, made, tell)
    if isinstance(source, Simulated):
        mine["seed"] = source.seed
    elif not (folder / ALBUM_CELLS).exists():
        cells = [{"album": i, "cell": source.album_cell(i)} for i in range(source.albums())]
        write_rows(folder / ALBUM_CELLS, cells)
    begun = {**mine, "given": source.given} | told
    begun |= {_MADE_OF: made, "took": told.get("took", {})}
    begun.pop("version", None)
    write_whole(folder / FILE, json.dumps(begun, indent=1) + "\n")


def add_time(folder: Path, name: str, seconds: float, busy: float) -> None:
    """Add one part to what an experiment has taken; a run that was resumed has several turns."""
    told = read_run(folder)
    took = told["took"].setdefault(name, {"seconds": 0.0, "busy": 0.0, "parts": 0})
    took["seconds"] = round(took["seconds"] + seconds, 2)
    took["busy"] = round(took["busy"] + busy, 2)
    took["parts"] += 1
    write_whole(folder / FILE, json.dumps(told, indent=1) + "\n")


def is_simulated(told: dict[str, Any]) -> bool:
    """Whether a run's photos were the simulator's."""
    return str(told.get("source", "")).startswith("simulator-")


def _made_of(source: Source) -> dict[str, str]:
    from importlib.metadata import version

    return {
        "version of elsewhere": version("elsewhere"),
        "limit of work": str(WORK),
        **source.made_of,
    }


def _compare(
    folder: Path, told: dict[str, Any], made: dict[str, str], tell: Callable[[str], None]
) -> dict[str, str]:
    """Refuse what does not fit; what the folder's rows are made of from now on."""
    before = told.get(_MADE_OF)
    if before is None:  # of a time without digests: its version is all that it tells
        before = {**made, "version of elsewhere": told.get("version", made["version of elsewhere"])}
        tell(
            f"{folder} does not say what its rows were made of: they are taken to be of this very "
            "source and version, and from now on it does"
        )
    elif MOVED in made and MOVED not in before and (folder / Path(MOVED).stem).exists():
        tell(
            f"{folder} does not say which {MOVED} its rows were made of: they are taken to be of "
            "this very one, and from now on it does"
        )
    for what in {**before, **made}:
        if what == MOVED and not (what in before and what in made):
            continue
        if before.get(what) != made.get(what):
            known = what in ("version of elsewhere", "limit of work")
            values = f" ({before.get(what)}, now {made.get(what)})" if known else ""
            raise InputError(
                f"{folder} was begun with another {what}{values}: choose another folder, or go on "
                "with what it was begun with"
            )
    return {**before, **made}

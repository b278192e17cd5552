"""The results of a run, counted from the files that it wrote, one file at a time.

`summary_page` shows them in the style of the private report. It names only the first dead letters;
their reasons may name a place.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from elsewhere.batch.blocks import ALBUMS, DEAD
from elsewhere.batch.columns import arrow
from elsewhere.batch.storage import Storage
from elsewhere.errors import FileError
from elsewhere.service import REASONS, bar_chart, render

RANKS = ("1st", "2nd to 5th", "6th to 10th", "11th to 50th", "further down")
SHARES = ("none", "up to 10 %", "up to 25 %", "up to 50 %", "up to 75 %", "more")
_RANK_ENDS = (1, 5, 10, 50)
_SHARE_ENDS = (0.0, 0.1, 0.25, 0.5, 0.75)
_MAX_LETTERS = 50  # dead letters in the summary, at most; all are in the files


@dataclass
class Summary:
    """The run in numbers."""

    albums: int = 0
    photos: int = 0
    left: int = 0
    withheld: int = 0
    planned: int = 0  # photos of the albums that have a plan
    statuses: dict[str, int] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)
    """Albums by the best rank that an attacker gives their place before a plan."""
    shares: dict[str, int] = field(default_factory=dict)  # albums by the share of photos withheld
    dead: dict[str, int] = field(default_factory=dict)  # dead letters by kind
    first: list[dict[str, Any]] = field(default_factory=list)
    """The first dead letters, by album and photo."""

    def to_json(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self), indent=2) + "\n"


def summarize(storage: Storage) -> Summary:
    """Count everything."""
    result = Summary()
    statuses, dead = Counter[str](), Counter[str]()
    ranks, shares = dict.fromkeys(RANKS, 0), dict.fromkeys(SHARES, 0)
    for name in storage.names(ALBUMS):
        columns = ["status", "photos", "left", "withheld", "audit"]
        for row in _rows(storage, f"{ALBUMS}/{name}", columns):
            result.albums += 1
            result.photos += row["photos"]
            result.left += row["left"]
            statuses[row["status"]] += 1
            if row["audit"]:
                best = min(audit["rank"] for audit in row["audit"])
                ranks[RANKS[_interval(best, _RANK_ENDS)]] += 1
            if row["withheld"] is not None:
                result.withheld += len(row["withheld"])
                result.planned += row["photos"]
                shares[SHARES[_interval(len(row["withheld"]) / row["photos"], _SHARE_ENDS)]] += 1
    first: list[dict[str, Any]] = []
    for name in storage.names(DEAD):
        rows = _rows(storage, f"{DEAD}/{name}", ["album", "photo", "kind", "reason"])
        dead.update(row["kind"] for row in rows)
        first = sorted([*first, *rows], key=lambda r: (r["album"], r["photo"] or ""))[:_MAX_LETTERS]
    result.statuses, result.dead = dict(sorted(statuses.items())), dict(sorted(dead.items()))
    result.ranks, result.shares, result.first = ranks, shares, first
    return result


def _rows(storage: Storage, name: str, columns: list[str]) -> list[dict[str, Any]]:
    """The rows of one file that the run wrote."""
    pa = arrow()
    from pyarrow import parquet

    try:
        content = io.BytesIO(storage.read(name))
        table = parquet.read_table(content, columns=columns, use_threads=False)
        rows: list[dict[str, Any]] = table.to_pylist()
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise FileError(
            f"{storage.path(name)} is damaged: delete it, the files of the same name in {ALBUMS} "
            f"and {DEAD}, and summary.json; the same command then writes them again"
        ) from None
    return rows


def _interval(value: float, ends: tuple[float, ...]) -> int:
    """The interval of a value; each includes its end."""
    return sum(value > end for end in ends)


_STATUS_MEANINGS = {
    "optimal": "planned, and proved that nothing smaller will do",
    "feasible": "planned; the work ran out before the proof",
    "infeasible": "no plan can keep the promise",
    "exposed": "its budget is too small to hide the place",
    "unknown": "the work ran out before a plan was found",
    "broken": "nothing could be said",
}
_KIND_MEANINGS = {
    **REASONS,
    **_STATUS_MEANINGS,
    "album": "what was asked of it makes no sense",
    "error": "a mistake of ours: please report it",
    "twice": "its id is there more than once",
    "unnamed": "it has no id",
}


def summary_page(result: Summary) -> str:
    """The run as one HTML file."""
    meanings = {"status_meanings": _STATUS_MEANINGS, "kind_meanings": _KIND_MEANINGS}
    return render("run.html.j2", run=result, bar_chart=bar_chart, **meanings) + "\n"

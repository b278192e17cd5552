"""The results of a run: counted for each file that it writes, then added up.

`summary_page` shows them in the style of the private report. It names only the first dead letters;
their reasons may name a place.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from elsewhere.batch.processor_proof import FAILED, NONE, PROVED
from elsewhere.messages import capitalized, dropped_keys
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
    gpu_plans: dict[str, int] = field(default_factory=dict)
    """Albums scored on a GPU by what became of their plan: proved, failed, none."""
    files: dict[str, str] = field(default_factory=dict)
    """By name, why a file of the dataset, or a part of it, cannot be used: albums there have no
    row."""
    dropped_keys: list[str] = field(default_factory=list)
    """Partition keys of the dataset that the rows lack, for the output has columns of their names.
    """

    @property
    def gpu_proofs(self) -> int:
        """Plans from a GPU's scores that were proved again, or failed."""
        return self.gpu_plans.get(PROVED, 0) + self.gpu_plans.get(FAILED, 0)

    @property
    def gpu_failures(self) -> int:
        """Plans from a GPU's scores that did not hold on the processor's."""
        return self.gpu_plans.get(FAILED, 0)

    def to_json(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self), indent=2) + "\n"

    @classmethod
    def from_json(cls, text: bytes) -> Summary:
        """From JSON."""
        return cls(**json.loads(text))


def count(albums: Any, letters: Any) -> Summary:
    """Count the rows and dead letters of some albums."""
    result = Summary()
    statuses, dead, gpu_plans = Counter[str](), Counter[str](), Counter[str]()
    ranks, shares = dict.fromkeys(RANKS, 0), dict.fromkeys(SHARES, 0)
    columns = ["status", "photos", "left", "withheld", "audit", "gpu_plan"]
    for row in albums.select(columns).to_pylist():
        result.albums += 1
        result.photos += row["photos"]
        result.left += row["left"]
        statuses[row["status"]] += 1
        if row["gpu_plan"] is not None:
            gpu_plans[row["gpu_plan"]] += 1
        if row["audit"]:
            best = min(audit["rank"] for audit in row["audit"])
            ranks[RANKS[_interval(best, _RANK_ENDS)]] += 1
        if row["withheld"] is not None:
            result.withheld += len(row["withheld"])
            result.planned += row["photos"]
            shares[SHARES[_interval(len(row["withheld"]) / row["photos"], _SHARE_ENDS)]] += 1
    first = letters.select(["album", "photo", "kind", "reason"]).to_pylist()
    dead.update(letter["kind"] for letter in first)
    result.statuses, result.dead = dict(sorted(statuses.items())), dict(sorted(dead.items()))
    result.ranks, result.shares = ranks, shares
    result.gpu_plans = dict(sorted(gpu_plans.items()))
    result.first = sorted(first, key=_letter_order)[:_MAX_LETTERS]
    return result


def add(parts: Iterable[Summary]) -> Summary:
    """The counts of all parts together."""
    result = Summary(ranks=dict.fromkeys(RANKS, 0), shares=dict.fromkeys(SHARES, 0))
    for part in parts:
        for name in ("albums", "photos", "left", "withheld", "planned"):
            setattr(result, name, getattr(result, name) + getattr(part, name))
        for name in ("statuses", "dead", "ranks", "shares", "gpu_plans"):
            counts = getattr(result, name)
            for kind, number in getattr(part, name).items():
                counts[kind] = counts.get(kind, 0) + number
        first = sorted([*result.first, *part.first], key=_letter_order)
        result.first = first[:_MAX_LETTERS]
    result.statuses = dict(sorted(result.statuses.items()))
    result.dead = dict(sorted(result.dead.items()))
    result.gpu_plans = dict(sorted(result.gpu_plans.items()))
    return result


def _letter_order(letter: dict[str, Any]) -> tuple[bool, Any, str]:
    album = letter["album"]
    return album is not None, album, letter["photo"] or ""


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
    "version": "what its version costs is missing or wrong",
}


_GPU_MEANINGS = {
    PROVED: "the plan holds there too",
    FAILED: "it did not, and the album was planned anew from the processor's scores",
    NONE: "the GPU's scores gave no plan, so nothing is shared",
}


def summary_page(result: Summary) -> str:
    """The run as one HTML file."""
    meanings = {
        "status_meanings": _STATUS_MEANINGS,
        "kind_meanings": _KIND_MEANINGS,
        "gpu_meanings": _GPU_MEANINGS,
        "dropped_keys": capitalized(dropped_keys(result.dropped_keys))
        if result.dropped_keys
        else "",
    }
    return render("run.html.j2", run=result, bar_chart=bar_chart, **meanings) + "\n"

"""What came of a run, counted from the files that it wrote, one file at a time.

The run as one page with plots, in the look of the private report.

It counts; only the first dead letters are named, and what is said of them may name a place.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from elsewhere.album.skipped import REASONS
from elsewhere.batch.blocks import ALBUMS, DEAD
from elsewhere.batch.schemas import arrow
from elsewhere.batch.storage import Storage
from elsewhere.errors import FileError
from elsewhere.report.html import POLICY
from elsewhere.report.markup import Child, Markup, element
from elsewhere.report.pictures.chart import linear, picture, rule, text
from elsewhere.report.style import style
from elsewhere.values.wording import counted

RANKS = ("1st", "2nd to 5th", "6th to 10th", "11th to 50th", "further down")
SHARES = ("none", "up to 10 %", "up to 25 %", "up to 50 %", "up to 75 %", "more")
_RANK_ENDS = (1, 5, 10, 50)
_SHARE_ENDS = (0.0, 0.1, 0.25, 0.5, 0.75)
_SHOWN = 50
"""Dead letters that are named in the summary; all are in the files."""


@dataclass
class Summary:
    """The run in numbers."""

    albums: int = 0
    photos: int = 0
    left: int = 0
    withheld: int = 0
    planned: int = 0
    """Photos of the albums that have a plan."""
    statuses: dict[str, int] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)
    """Albums by the best rank that an attacker gives their place before anything is withheld."""
    shares: dict[str, int] = field(default_factory=dict)
    """Albums by the share of photos withheld."""
    dead: dict[str, int] = field(default_factory=dict)
    """Dead letters by kind."""
    first: list[dict[str, Any]] = field(default_factory=list)
    """The first dead letters, by album and photo."""

    def to_json(self) -> str:
        """As a file has it."""
        return json.dumps(asdict(self), indent=2) + "\n"


def summary(storage: Storage) -> Summary:
    """Count everything."""
    found = Summary()
    statuses, dead = Counter[str](), Counter[str]()
    ranks, shares = dict.fromkeys(RANKS, 0), dict.fromkeys(SHARES, 0)
    for name in storage.names(ALBUMS):
        columns = ["status", "photos", "left", "withheld", "audit"]
        for row in _rows(storage, f"{ALBUMS}/{name}", columns):
            found.albums += 1
            found.photos += row["photos"]
            found.left += row["left"]
            statuses[row["status"]] += 1
            if row["audit"]:
                best = min(one["rank"] for one in row["audit"])
                ranks[RANKS[_step(best, _RANK_ENDS)]] += 1
            if row["withheld"] is not None:
                found.withheld += len(row["withheld"])
                found.planned += row["photos"]
                shares[SHARES[_step(len(row["withheld"]) / row["photos"], _SHARE_ENDS)]] += 1
    letters: list[dict[str, Any]] = []
    for name in storage.names(DEAD):
        rows = _rows(storage, f"{DEAD}/{name}", ["album", "photo", "kind", "reason"])
        dead.update(row["kind"] for row in rows)
        letters = sorted([*letters, *rows], key=lambda r: (r["album"], r["photo"] or ""))[:_SHOWN]
    found.statuses, found.dead = dict(sorted(statuses.items())), dict(sorted(dead.items()))
    found.ranks, found.shares, found.first = ranks, shares, letters
    return found


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
            f"{storage.path(name)} is damaged: delete it, and what else is called so in {ALBUMS} "
            f"and {DEAD}, and summary.json; the same command then makes it anew"
        ) from None
    return rows


def _step(value: float, ends: tuple[float, ...]) -> int:
    """Which of the steps a value is on; a value at its end is still on it."""
    return sum(value > end for end in ends)


_STATUS = {
    "optimal": "planned, and proved that nothing smaller will do",
    "feasible": "planned; the work ran out before the proof",
    "infeasible": "no plan can keep the promise",
    "exposed": "its budget is too small to hide the place",
    "unknown": "the work ran out before a plan was found",
    "broken": "nothing could be said",
}
_KINDS = {
    **REASONS,
    **_STATUS,
    "album": "what was asked of it makes no sense",
    "error": "a mistake of ours: please report it",
    "twice": "its id is there more than once",
    "unnamed": "it has no id",
}
_WIDTH, _LEFT, _RIGHT, _ROW, _TOP = 560.0, 130.0, 60.0, 26.0, 8.0


def page(found: Summary) -> str:
    """The whole page as one HTML file."""
    body = element(
        "body",
        element(
            "div",
            element("b", "PRIVATE"),
            " This page counts what albums give away, and names some of them.",
            class_="private",
            role="note",
        ),
        element(
            "header",
            element("h1", f"What {counted(found.albums, 'album')} give away"),
            _figures(found),
            class_="top",
        ),
        element(
            "main",
            _part(
                "Before anything is withheld",
                "Where an attacker ranks the place of each album, all its photos together."
                + _without(found.albums - sum(found.ranks.values()), "audit"),
                bars(found.ranks, "kept", "Albums by the rank of their place"),
            ),
            _part(
                "What has to be withheld",
                "The share of its photos that each album's plan withholds."
                + _without(found.albums - sum(found.shares.values()), "plan"),
                bars(found.shares, "withheld", "Albums by the share of photos withheld"),
            ),
            _part("How far it is proved", None, _table(found.statuses, _STATUS)),
            _part("Dead letters", _dead_words(found), _table(found.dead, _KINDS), _letters(found))
            if found.dead
            else None,
        ),
        element("footer", element("p", "All rows are in albums/, all dead letters in dead/.")),
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"PRIVATE: {counted(found.albums, 'album')}"),
        element("style", Markup(style())),
    )
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def bars(counts: Mapping[str, int], role: str, label: str) -> Markup:
    """One bar a row, its number at its end."""
    height = _TOP * 2 + _ROW * len(counts)
    x = linear(0, max([*counts.values(), 1]), _LEFT, _WIDTH - _RIGHT)
    rows = []
    for number, (name, many) in enumerate(counts.items()):
        y = _TOP + _ROW * number
        bar = element(
            "rect",
            x=_LEFT,
            y=y + 4,
            width=x(many) - _LEFT,
            height=_ROW - 8,
            rx=2.0,
            fill=f"var(--{role})",
            fill_opacity=0.75,
        )
        words = text(_LEFT - 8, y + _ROW / 2 + 4, name, anchor="end", role="ink")
        told = text(x(many) + 6, y + _ROW / 2 + 4, f"{many:,}", role="ink")
        rows.append(element("g", element("title", f"{name}: {many:,}"), bar, words, told))
    return picture(_WIDTH, height, label, rule(_LEFT, _TOP, _LEFT, height - _TOP), rows)


def _part(title: str, words: str | None, *inside: Child) -> Markup:
    told = None if words is None else element("p", words, class_="faint")
    charts = [
        element("figure", one, class_="chart")
        if isinstance(one, Markup) and one.text.startswith("<svg")
        else one
        for one in inside
    ]
    return element("section", element("h2", title), told, charts)


def _without(albums: int, what: str) -> str:
    """A sentence on those that are in no bar, if there are any."""
    if albums < 1:
        return ""
    return f" {counted(albums, 'album')} without {'an' if what[0] in 'aeiou' else 'a'} {what}."


def _figures(found: Summary) -> Markup:
    share = found.withheld / found.planned if found.planned else 0.0
    figures = [
        ("albums", f"{found.albums:,}"),
        ("photos looked at", f"{found.photos:,}"),
        ("withheld", f"{100 * share:.1f} %"),
        ("dead letters", f"{sum(found.dead.values()):,}"),
    ]
    cells = [element("div", element("dt", name), element("dd", told)) for name, told in figures]
    return element("dl", cells, class_="figures")


def _table(counts: Mapping[str, int], meaning: Mapping[str, str]) -> Markup:
    rows = [
        element(
            "tr",
            element("td", name),
            element("td", f"{many:,}", class_="n"),
            element("td", meaning.get(name, ""), class_="faint"),
        )
        for name, many in counts.items()
    ]
    return element("div", element("table", element("tbody", rows)), class_="scroll wide")


def _dead_words(found: Summary) -> str:
    return "Photos and albums that could not be used, by kind: each costs itself and no other."


def _letters(found: Summary) -> Markup:
    head = element("tr", [element("th", name) for name in ("album", "photo", "kind", "reason")])
    rows = [
        element(
            "tr",
            [element("td", str(one[name] or "")) for name in ("album", "photo", "kind")],
            element("td", one["reason"], class_="long"),
        )
        for one in found.first
    ]
    table = element("table", element("thead", head), element("tbody", rows))
    return element(
        "details",
        element("summary", f"By name, the first {len(rows)}" if len(rows) > 1 else "By name"),
        element("div", table, class_="scroll"),
    )

"""The run as one page with plots, in the look of the private report.

It counts; only the first dead letters are named, and what is said of them may name a place.
"""

from __future__ import annotations

from collections.abc import Mapping

from elsewhere.album.skipped import KINDS
from elsewhere.batch.summary import Summary
from elsewhere.report.html import POLICY
from elsewhere.report.markup import Child, Markup, element
from elsewhere.report.pictures.chart import linear, picture, rule, text
from elsewhere.report.style import style
from elsewhere.values.wording import counted

_STATUS = {
    "optimal": "planned, and proved that nothing smaller will do",
    "feasible": "planned; the work ran out before the proof",
    "infeasible": "no plan can keep the promise",
    "exposed": "its budget is too small to hide the place",
    "unknown": "the work ran out before a plan was found",
    "broken": "nothing could be said",
}
_KINDS = {
    **KINDS,
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

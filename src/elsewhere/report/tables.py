"""The quieter parts: what is not covered, how good the attacker is, metadata, files left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from elsewhere.report.contents import Attacker, Contents, LeftOut
from elsewhere.report.markup import Child, Markup, element, together
from elsewhere.report.numbers import fraction
from elsewhere.values.wording import counted, listed

_OPEN = 12
"""A longer list is folded away; it is printed all the same."""


def uncovered_section(contents: Contents) -> Markup | None:
    """What the promise does not cover."""
    if not contents.uncovered:
        return None
    points = [element("li", sentence) for sentence in contents.uncovered]
    heading = element("h2", "What the promise does not cover")
    return element("section", heading, element("ul", points, class_="plain"), id="limits")


def attackers_section(contents: Contents) -> Markup | None:
    """How good each attacker is, and where."""
    if not contents.attackers:
        return None
    return element(
        "section",
        element("h2", "How good the attacker is here"),
        [_attacker(attacker) for attacker in contents.attackers],
        id="attacker",
    )


def _attacker(attacker: Attacker) -> Markup:
    head = element("h3", element("bdi", attacker.name), f", {attacker.cells} cells")
    note = element("p", attacker.note) if attacker.note else None
    if not attacker.accuracy:
        unknown = "Nobody has measured how good this attacker is."
        return together(head, note, element("p", unknown, class_="faint"))
    reaches = sorted({km for shares in attacker.accuracy.values() for km in shares})
    heads = [element("th", f"{km:,} km", scope="col", class_="n") for km in reaches]
    rows = [
        _continent(name or "Everywhere", shares, reaches, name in attacker.here)
        for name, shares in attacker.accuracy.items()
    ]
    return together(
        head,
        note,
        element(
            "p",
            "How often its first guess for a single photo of a place that it had never seen was "
            "nearer than so many kilometres. Several photos of one place tell it more.",
        ),
        crosswise(heads, rows),
    )


def crosswise(heads: Sequence[Child], rows: Sequence[Child]) -> Markup:
    """A table with a head for each column but the first, which names the rows."""
    return element(
        "div",
        element(
            "table",
            element("thead", element("tr", element("th", "", scope="col"), heads)),
            element("tbody", rows),
        ),
        class_="scroll wide",
    )


def _continent(
    name: str, shares: Mapping[int, float], reaches: Sequence[int], here: bool
) -> Markup:
    told = [fraction(shares[km]) if km in shares else "–" for km in reaches]
    return element(
        "tr",
        element("th", name, " (here)" if here else None, scope="row"),
        [element("td", cell, class_="n") for cell in told],
        class_="here" if here else None,
    )


def leaks_section(contents: Contents) -> Markup | None:
    """What the files tell beside their pictures."""
    if not contents.leaks:
        return None
    rows = [
        element(
            "tr",
            element("th", leak.kind, scope="row"),
            element("td", counted(len(leak.photos), "photo"), class_="n"),
            element("td", _examples(leak.examples), class_="long"),
        )
        for leak in contents.leaks
    ]
    kinds = listed([leak.kind for leak in contents.leaks[:3]])
    more = f" and {len(contents.leaks) - 3} more kinds" if len(contents.leaks) > 3 else ""
    return element(
        "section",
        element("h2", "Metadata that a plain copy would have leaked"),
        element(
            "p",
            f"The original files tell {kinds}{more}. Nothing of it is in a shared copy: a "
            "rendition holds pixels only.",
        ),
        element("div", element("table", element("tbody", rows)), class_="scroll"),
        id="metadata",
    )


def _examples(examples: Sequence[str]) -> list[Child]:
    told: list[Child] = []
    for n, example in enumerate(examples):
        told += [" · " if n else None, element("bdi", example)]
    return told


def left_section(contents: Contents) -> Markup | None:
    """Every file that is not in the album, and why; files with one reason stand together."""
    if not contents.left:
        return None
    ordered = sorted(contents.left, key=lambda one: one.reason)
    groups = [(why, list(some)) for why, some in groupby(ordered, key=lambda one: one.reason)]
    shown = element("ul", [_why(why, some) for why, some in groups], class_="plain small")
    total = len(contents.left)
    body = shown
    if total > _OPEN:
        body = element("details", element("summary", f"Show all {total}"), shown)
    return element(
        "section",
        element("h2", f"Left out: {counted(total, 'file')}"),
        element("p", "They were met and are neither counted nor shared."),
        body,
        id="left",
    )


def _why(why: str, some: Sequence[LeftOut]) -> Markup:
    names: list[Child] = []
    for n, one in enumerate(some):
        names += [", " if n else None, element("bdi", one.name)]
    return element("li", names, element("span", f": {why}", class_="faint"))


def made_section(contents: Contents) -> Markup | None:
    """The command that made it, and with what."""
    if not contents.command and not contents.made:
        return None
    facts: list[Child] = []
    for name, told in (contents.made or {}).items():
        facts += [element("dt", name), element("dd", element("bdi", told))]
    return element(
        "section",
        element("h2", "How this was made"),
        element("pre", element("code", contents.command)) if contents.command else None,
        element("dl", facts, class_="made") if facts else None,
        id="made",
    )

"""The tables of the page, each from one study's numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from elsewhere_lab.comparison import MORE, NO_PLAN, WITHHELD
from elsewhere_lab.defaults_page.quoted import REAL, SIMULATED, Quoted, amount, percent, plain
from elsewhere_lab.defaults_page.shipped import temperature
from elsewhere_lab.experiments import adaptive, defaults, radius, transfer
from elsewhere_lab.sampling import ONE_PLACE
from elsewhere_lab.strategies import ALONE, PLAIN
from elsewhere_lab.values import Number

KINDS = (
    (SIMULATED, "R-16", "simulated, 16 photos"),
    (SIMULATED, "R-32", "simulated, 32 photos"),
    (SIMULATED, "Albums", "simulated albums"),
    (REAL, "R-16", "real, 16 photos"),
    (REAL, "R-32", "real, 32 photos"),
    (REAL, ONE_PLACE, "real, one landmark"),
)
ENCODED = (
    *(f"quality {quality}" for quality in (60, 70, 80, 90, 95)),
    *(f"{side} px" for side in (1080, 1600, 2048)),
)


def together(quoted: Quoted) -> str:
    """All defaults together, beside the top alone."""
    head = (
        "", "n", "no plan, top alone", "no plan", "withheld, top alone", "withheld",
        "more, same collections", "photos left",
    )  # fmt: skip
    lines = []
    for source, kind, name in KINDS:
        top, every = (f"{kind}, {way}" for way in (defaults.BARE, defaults.DEFAULTS))
        none, none_now, gone, gone_now, more, left = (
            quoted.number(source, "defaults", line, column)
            for line, column in (
                (top, NO_PLAN), (every, NO_PLAN), (top, WITHHELD), (every, WITHHELD),
                (every, MORE), (every, "photos left"),
            )
        )  # fmt: skip
        lines.append(
            [
                name,
                f"{none.count}",
                percent(none),
                percent(none_now),
                amount(gone),
                amount(gone_now),
                amount(more, sign=True),
                plain(left, ".1f"),
            ]
        )
    return _table(head, lines)


def secret(quoted: Quoted) -> str:
    """How often the best guess is right, with k itself and with a secret one."""
    head = (
        "", "n", "right, k itself", "right, k up to 15", "right, k up to 25", "withheld, k itself",
        "more for k up to 15", "no plan",
    )  # fmt: skip
    lines = []
    for source, kind, name in KINDS:
        itself, threefold, fivefold = (f"{kind}, {adaptive.LABEL[times]}" for times in (1, 3, 5))
        right = [
            quoted.number(source, "adaptive", line, adaptive.BEST)
            for line in (itself, threefold, fivefold)
        ]
        gone = quoted.number(source, "adaptive", itself, WITHHELD)
        more = quoted.number(source, "adaptive", threefold, MORE)
        none = quoted.number(source, "adaptive", itself, NO_PLAN)
        lines.append(
            [
                name,
                f"{right[0].count}",
                *map(percent, right),
                amount(gone),
                amount(more, sign=True),
                percent(none),
            ]
        )
    return _table(head, lines)


def each_photo(quoted: Quoted) -> str:
    """How often no kept photo alone has the place, and what that costs."""
    head = (
        "", "n", "the sum", "and each photo", "withheld, the sum", "more for each photo",
        "no plan, the sum", "no plan",
    )  # fmt: skip
    lines = []
    for source, kind, name in KINDS:
        summed, alone = f"{kind}, {PLAIN}", f"{kind}, {ALONE}"
        held, held_now, gone, more, none, none_now = (
            quoted.number(source, "subset", line, column)
            for line, column in (
                (summed, "any one photo"), (alone, "any one photo"), (summed, WITHHELD),
                (alone, MORE), (summed, NO_PLAN), (alone, NO_PLAN),
            )
        )  # fmt: skip
        lines.append(
            [
                name,
                f"{none.count}",
                percent(held),
                percent(held_now),
                amount(gone),
                amount(more, sign=True),
                percent(none),
                percent(none_now),
            ]
        )
    return _table(head, lines)


def zones(quoted: Quoted) -> str:
    """How near guesses come, and what each zone costs."""
    head = (
        "", "hidden", "plans", "within 50 km", "within 100 km", "first guess, median", "withheld",
        "more than the cell", "no plan",
    )  # fmt: skip
    names = {kind: name.removeprefix("real, ") for source, kind, name in KINDS if source == REAL}
    lines = []
    for kind, name in names.items():
        for way in (radius.CELL, *radius.ZONES):
            line = f"{kind}, {way}"
            hidden = way.removeprefix("zone of ").removesuffix(" alone")
            guess = quoted.number(REAL, "radius", line, "km, first guess")
            # that no guess is within what a zone hides is no measurement
            near = [
                "by itself"
                if radius.ZONES.get(way, 0) >= km
                else percent(quoted.number(REAL, "radius", line, radius.within(km)))
                for km in (50, 100)
            ]
            gone, more, none = (
                quoted.number(REAL, "radius", line, column) for column in (WITHHELD, MORE, NO_PLAN)
            )
            lines.append(
                [
                    name,
                    hidden,
                    f"{guess.count}",
                    *near,
                    plain(guess, ",.0f") + " km",
                    amount(gone),
                    amount(more, sign=True),
                    percent(none),
                ]
            )
    return _table(head, lines, words=2)


def margins(quoted: Quoted) -> str:
    """What each margin costs, and for whom its plans hold."""
    head = (
        "θ here", "θ shipped", "plans", "no plan", "withheld", "more than θ = 0",
        "holds, other head", "holds, DINOv2", "holds, retrieval",
    )  # fmt: skip
    lines = []
    for margin in transfer.MARGINS:
        line = transfer.line_of("half-a", "θ", margin)
        none, gone, more, *held = (
            quoted.number(REAL, "transfer", line, column)
            for column in (
                NO_PLAN, WITHHELD, MORE, *(f"holds: {name}" for name in _OTHERS),
            )
        )  # fmt: skip
        shipped = f"{margin / temperature():.2f}"
        lines.append(
            [
                f"{margin:g}",
                shipped,
                f"{gone.count} of {none.count}",
                percent(none),
                amount(gone),
                amount(more, sign=True),
                *map(percent, held),
            ]
        )
    return _table(head, lines, words=0)


_OTHERS = ("half-b", "dino", "retrieval")


def second(quoted: Quoted) -> str:
    """Plans against two models at once."""
    head = ("planned against", "no plan", "withheld", "holds, DINOv2", "holds, retrieval")
    lines = []
    for proxy in ("embedded", "half-a + half-b", "embedded + retrieval", "embedded + dino"):
        line = transfer.line_of(proxy, "θ", 0.0)
        none, gone, dino, retrieval = (
            quoted.number(REAL, "transfer", line, column)
            for column in (NO_PLAN, WITHHELD, "holds: dino", "holds: retrieval")
        )
        held = [percent(n, counted=True) if n.count else "" for n in (dino, retrieval)]
        lines.append([proxy, percent(none, counted=True), amount(gone), *held])
    return _table(head, lines)


def encoded(quoted: Quoted) -> str:
    """The margin that covers what encoding again does."""
    lines = []
    for way in ENCODED:
        eight, low, high, sixteen, least, most, many = (
            quoted.number(REAL, "recompress", way, column)
            for column in (
                "θ, 8 kept", "8 kept, from", "8 kept, to", "θ, 16 kept", "16 kept, from",
                "16 kept, to", "θ, 32 kept",
            )
        )  # fmt: skip
        lines.append(
            [
                way,
                f"{eight.count}",
                _from_to(eight, low, high),
                _from_to(sixteen, least, most),
                plain(many, ".2f"),
            ]
        )
    return _table(("", "photos", "8 kept", "16 kept", "32 kept"), lines)


TABLES = {
    "together": together,
    "secret": secret,
    "each-photo": each_photo,
    "zones": zones,
    "margins": margins,
    "second": second,
    "encoded": encoded,
}


def _from_to(middle: Number, low: Number, high: Number) -> str:
    return f"{plain(middle, '.2f')} ({plain(low, '.2f')} to {plain(high, '.2f')})"


def _table(head: Sequence[str], lines: Sequence[Sequence[str]], words: int = 1) -> str:
    """As Markdown; the first columns are words, the others numbers.

    >>> print(_table(["", "n"], [["R-16", "3"]]))
    | | n |
    |---|---:|
    | R-16 | 3 |
    """

    def rows() -> Iterator[str]:
        yield "| " + " | ".join(head) + " |"
        yield "|" + "---|" * words + "---:|" * (len(head) - words)
        for line in lines:
            yield "| " + " | ".join(line) + " |"

    return "\n".join(rows()).replace("|  |", "| |")

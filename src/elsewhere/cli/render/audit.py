"""An album's audit for people: tables, a map, and sentences that explain the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer
from rich.table import Table
from rich.text import Text

from elsewhere import messages
from elsewhere.cli.render.printing import has_unicode
from elsewhere.cli.render.worldmap import draw
from elsewhere.messages import numbers
from elsewhere.messages.numbers import chance, ordinal, signed
from elsewhere.values.wording import apart_only, counted, listed, printable

if TYPE_CHECKING:
    from rich.console import Console

    from elsewhere.service import AlbumAudit, Audit, Exposure, Guess, Leaking, Threat


def summary(console: Console, found: AlbumAudit) -> None:
    """Each place once for each scorer; nothing where there is only one page to read anyway."""
    rows: dict[tuple[str, str], list[Audit | None]] = {}
    for watch, audit in zip(found.threats, found.audits, strict=bool(found.threats)):
        row = rows.setdefault((watch.hidden_name, audit.scorer), [None, None])
        row[watch.whole] = audit
    if len(rows) < 2:
        return
    table = Table.grid(padding=(0, 2))
    several = len({scorer for _, scorer in rows}) > 1
    for _ in range(3):
        table.add_column(overflow="fold")
    head = ["place", "from its own photos", "from the whole album"]
    table.add_row(*(Text(word, "dim") for word in head))
    for (place, scorer), (own, whole) in rows.items():
        name = f"{place}, seen by {scorer}" if several else place
        table.add_row(Text(printable(name), "bold"), _stands(own or whole), _stands(whole))
    console.print(table)
    console.print()


def _stands(audit: Audit | None) -> str:
    if audit is None or audit.truth is None:
        return ""
    likely = chance(audit.truth.probability).replace("\u00a0", " ")
    return f"{ordinal(audit.truth.rank)} guess, {likely}"


def show_guesses(guesses: Sequence[Guess], *, as_json: bool) -> None:
    """Print them; nothing where a model has no names for its cells."""
    if as_json:
        import json

        told = [
            {"scorer": guess.scorer, "place": guess.place, "probability": round(guess.share, 6)}
            for guess in guesses
        ]
        typer.echo(json.dumps({"status": "nowhere", "guesses": told}, indent=2, ensure_ascii=False))
        return
    if not guesses:
        return
    from rich.table import Table

    from elsewhere.cli.render.printing import printed
    from elsewhere.messages.numbers import chance

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column(justify="right")
    table.add_column(overflow="fold")
    before = ""
    for guess in guesses:
        likely = chance(guess.share).replace("\u00a0", " ")
        who = "" if guess.scorer == before else printable(guess.scorer)
        table.add_row(who, likely, printable(guess.place))
        before = guess.scorer
    with printed() as console:
        console.print("What the models guess of these photos together:")
        console.print(table)


_WIDE = 72
"""Columns below which bars are short, to leave room for names."""
_PHOTOS = 15
"""So many photos are listed; the others are told together, so that the shares still add up."""
_PUBLIC = ("posted/", "remembered/")
"""How the names of photos begin that are out already."""
_STEPS = (1, 2, 3, 5, 8, 16, 32, 64, 128, 256, 512, 1024)
"""Numbers of photos at which the sharpening is told."""


def show(console: Console, found: AlbumAudit, world: bool) -> None:
    """All of it; the whole album once, however many places are hidden in it."""
    summary(console, found)
    told: set[str] = set()
    several = len({watch.hidden_name for watch in found.threats}) > 1
    for number, audit in enumerate(found.audits):
        watch = found.threats[number] if found.threats else None
        whole = watch is not None and watch.whole
        if several and whole and audit.scorer in told:
            continue  # how each place stands in the whole album is in the table above
        _heading(console, audit, watch)
        if not whole or audit.scorer not in told:
            _guesses(console, audit, _truths(found, audit) if whole else {})
        if whole:
            told.add(audit.scorer)
        own = watch is None or watch.own
        if world and not number:  # one world is enough, however many places are in it
            _map(console, audit)
        if audit.truth is not None and (own or not several):
            _exposure(console, audit, audit.truth)
            _sharpening(console, audit.truth)
        if own:
            _photos(console, audit)
    _leaks(console, found.leaks)
    _closing(console, found)


def _heading(console: Console, audit: Audit, watch: Threat | None) -> None:
    which = "The whole album" if watch is None or watch.whole else f"Photos of {watch.hidden_name}"
    told = f"{which}, {counted(len(audit.ids), 'photo')}, seen by {audit.scorer}"
    console.print(Text(printable(told), "bold"))
    console.print()


def _truths(found: AlbumAudit, audit: Audit) -> dict[int, str]:
    """The places whose zone a cell is in, by cell, where the whole album has several places."""
    whole = [one for one, watch in zip(found.audits, found.threats, strict=True) if watch.whole]
    truths = [one.truth for one in whole if one.scorer == audit.scorer and one.truth is not None]
    zones: dict[int, list[str]] = {}
    for one in truths if len(truths) > 1 else ():
        for cell in one.cells:
            zones.setdefault(cell, []).append(one.label)
    return {cell: listed(labels) for cell, labels in zones.items()}


def _guesses(console: Console, audit: Audit, truths: dict[int, str]) -> None:
    full, empty = ("█", "·") if has_unicode(console) else ("#", ".")
    bar = 12 if console.width >= _WIDE else 4
    inside = truths or dict.fromkeys(audit.truth.cells if audit.truth else (), "")
    wide = audit.truth is not None and len(audit.truth.cells) > 1
    table = _grid("right", "right", "left", "left", "left")
    for number, guess in enumerate(audit.guesses, 1):
        filled = full * round(bar * guess.probability)
        table.add_row(
            str(number),
            chance_text(guess.probability),
            Text(filled.ljust(bar, empty), "cyan"),
            Text(guess.name),
            Text(_true(inside[guess.cell], wide) if guess.cell in inside else "", "bold red"),
        )
    console.print(table)
    console.print()


def _true(places: str, wide: bool) -> str:
    """What is said of a guess that is right: a zone of many cells has towns of many names."""
    if places:
        return f"in the zone of {printable(places)}"
    return "in the zone" if wide else "the truth"


def _map(console: Console, audit: Audit) -> None:

    guesses = audit.guesses[:9]
    marks = [(one.lat, one.lon) for one in guesses if one.lat is not None and one.lon is not None]
    if not marks:
        return
    truth, at = audit.truth, None
    if truth is not None and truth.lat is not None and truth.lon is not None:
        at = truth.lat, truth.lon
    width = min(console.width - 2, _WIDE)
    unicode = has_unicode(console)
    console.print(draw(marks, width, braille=unicode, truth=at), soft_wrap=True)
    if at is not None:
        cross = "×" if unicode else "x"
        _say(console, f"{cross} the true place, 1 to {len(marks)} the guesses", "dim")
    console.print()


def _exposure(console: Console, audit: Audit, truth: Exposure) -> None:
    stands = "first guess" if truth.rank == 1 else f"{ordinal(truth.rank)} guess"
    _say(
        console,
        f"{truth.label} is the {stands} of {audit.cells} cells, with "
        f"{chance_text(truth.probability)} for {_zone(truth)}.",
        style="bold",
    )
    ranks = [ordinal(one.rank) for one in audit.opinions if one.rank is not None]
    if ranks:
        same = len(set(ranks)) == 1
        heads = "another head" if len(ranks) == 1 else "other heads"
        _say(
            console,
            f"Second opinion: {heads} of the model {'puts' if len(ranks) == 1 else 'put'} it "
            f"{ranks[0] if same else listed(ranks)}.",
        )
    if truth.best_km is not None:
        away = f"{truth.best_km:,.0f} km" if truth.best_km >= 1 else "less than 1 km"
        _say(console, f"The best guess is {away} from the place.")
    if truth.note:
        _say(console, f"Note: {truth.note}.")
    console.print()
    if truth.within:
        table = _grid("left", *("right" for _ in truth.within))
        table.add_row(Text("a guess within", "dim"), *(f"{one.km:g} km" for one in truth.within))
        table.add_row("chance", *(chance_text(one.chance) for one in truth.within))
        table.add_row("at most", *(Text(chance_text(one.at_most), "dim") for one in truth.within))
        console.print(table)
        console.print()


def _zone(truth: Exposure) -> str:
    many = len(truth.cells)
    return "its cell" if many == 1 else f"the {many} cells around it"


def _sharpening(console: Console, truth: Exposure) -> None:
    total = len(truth.album_order.ranks)
    if total < 2:
        return
    steps = [n for n in _STEPS if n < total]
    most = max(2, (console.width - 16) // 9)
    if len(steps) >= most:  # the first and the last ones say most
        steps = [*steps[:2], *steps[len(steps) - most + 3 :]]
    steps.append(total)
    table = _grid("left", *("right" for _ in steps))
    table.add_row(Text("after photos", "dim"), *(Text(str(n), "dim") for n in steps))
    for name, curve in (("album's order", truth.album_order), ("worst order", truth.worst_order)):
        table.add_row(name, *(ordinal(curve.ranks[n - 1]) for n in steps))
        table.add_row("", *(Text(chance_text(curve.probabilities[n - 1]), "dim") for n in steps))
    console.print(table)
    worst = truth.worst_order
    first = next((n for n, rank in enumerate(worst.ranks, 1) if rank == 1), total)
    if first < total:
        after = f"{counted(first, 'photo')}, with {chance_text(worst.probabilities[first - 1])}"
        _say(console, f"In the worst order it is the first guess after {after}.")
    console.print()


def _photos(console: Console, audit: Audit) -> None:
    truth = audit.truth
    order = list(range(len(audit.ids)))
    if truth is not None:
        order.sort(key=lambda photo: truth.shares.gains[photo])
    shown, rest = order[:_PHOTOS], order[_PHOTOS:]
    if len(rest) == 1:
        shown, rest = order, []
    table = _grid("left", "right", "right", "right")
    # the photos' own names come first; a place may be cut
    table.add_column(no_wrap=True, overflow="ellipsis", max_width=max(16, console.width - 52))
    head = ["photo", "gives away", "alone", "own guess", ""]
    if truth is None:
        head[1:3] = ["", ""]  # nothing is known to give away
    table.add_row(*(Text(word, "dim") for word in head))
    names = short(audit.ids)
    for photo in shown:
        alone = audit.alone[photo]
        table.add_row(
            Text(printable(names[photo])),
            "" if truth is None else signed(-truth.shares.gains[photo]),
            "" if alone.rank is None else ordinal(alone.rank),
            Text(chance_text(alone.guesses[0].probability), "dim"),
            Text(alone.guesses[0].name),
        )
    if rest:
        gains = sum(truth.shares.gains[photo] for photo in rest) if truth else 0.0
        table.add_row(
            Text(counted(len(rest), "other"), "dim"), "" if truth is None else signed(-gains)
        )
    if truth is not None:
        table.add_row(Text("all together", "bold"), Text(signed(-truth.shares.total), "bold"))
    console.print(table)
    if truth is not None and truth.shares.rivals:
        rivals = [rival.name for rival in truth.shares.rivals]
        _say(
            console,
            "Given away in nats, summed over the rivals "
            f"{'; '.join(rivals)}: + speaks for the place, − against it.",
            style="dim",
        )
    console.print()


def _leaks(console: Console, leaks: Sequence[Leaking]) -> None:
    if not leaks:
        return
    _say(console, "What the files tell besides; none of it is in a shared copy", "bold")
    console.print()
    table = _grid("left", "right", "left")
    for leak in leaks:
        told = "; ".join(leak.examples)
        table.add_row(
            leak.kind, counted(len(leak.photos), "photo"), Text(printable(_cut(told)), "dim")
        )
    console.print(table)
    console.print()


def _cut(text: str, most: int = 120) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _closing(console: Console, found: AlbumAudit) -> None:
    for note in found.notes:
        _say(console, f"Note: {messages.capitalized(messages.note(note))}.", style="dim")
    if not found.threats:
        _say(
            console,
            "No photo says where it was taken. Give the place with --at, as in --at Lisbon or "
            '--at "38.72, -9.14", to see how far it is given away.',
        )
    calibrated = all(audit.calibrated for audit in found.audits)
    sure = "" if calibrated else " Uncalibrated, its probabilities for an album are overconfident."
    scorers = listed(list(dict.fromkeys(audit.scorer for audit in found.audits)))
    _say(
        console,
        f"This is what {scorers} sees in the pictures; a better attacker may exist.{sure}",
        style="dim",
    )
    if found.threats:
        _say(console, "To share what keeps it hidden: elsewhere protect ALBUM -o NEW-FOLDER")


def _say(console: Console, sentence: str, style: str = "") -> None:
    console.print(Text(printable(sentence), style), soft_wrap=False)


def _grid(*columns: str) -> Table:
    """A table without lines; numbers to the right, names broken where they must be."""
    table = Table.grid(padding=(0, 2))
    for side in columns:
        if side == "right":
            table.add_column(justify="right", no_wrap=True)
        else:
            table.add_column(overflow="fold")
    return table


def chance_text(probability: float) -> str:
    """A probability, with plain spaces: a table breaks no line, and people search for "5 %"."""
    return numbers.chance(probability).replace("\u00a0", " ")


def short(names: Sequence[str]) -> list[str]:
    """Names with as few folders as tell them apart; what is public already is told as such.

    >>> short(("trip/a.jpg", "posted/b.jpg"))
    ['a.jpg', 'posted/b.jpg']
    """
    called = zip(names, apart_only(names), strict=True)
    return [name if name.startswith(_PUBLIC) else brief for name, brief in called]

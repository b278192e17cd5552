"""An album's audit for people: tables, a map, and sentences that explain the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.text import Text

from elsewhere import messages
from elsewhere.cli.render.printing import bar, grid, has_unicode, percent, print_json, printed
from elsewhere.cli.render.worldmap import draw
from elsewhere.messages.photo_text import describe_rest, reader_sentence, told_lines
from elsewhere.messages.phrases import near, ordinal, signed
from elsewhere.values.wording import apart_only, counted, listed, printable

if TYPE_CHECKING:
    from rich.console import Console

    from elsewhere.service import (
        AlbumAudit,
        Audit,
        Exposure,
        Leaking,
        ModelGuess,
    )


def _summary(console: Console, album: AlbumAudit, limit: int | None) -> None:
    """Print each place once for each scorer, the most easily found first; nothing if there is only
    one. Of more than `limit` places the last ones are counted.
    """
    rows: dict[tuple[str, str], list[Audit | None]] = {}
    for threat, audit in zip(album.threats, album.audits, strict=bool(album.threats)):
        row = rows.setdefault((threat.hidden_name, audit.scorer), [None, None])
        row[threat.whole] = audit
    if len(rows) < 2:
        return
    several = len({scorer for _, scorer in rows}) > 1
    table = grid("left", "left", "left")
    head = ["place", "from its own photos", "from the whole album"]
    table.add_row(*(Text(title, "dim") for title in head))
    by_ease = album.numbers.by_ease if album.numbers is not None else ()
    ease = {place: number for number, place in enumerate(by_ease)}
    ordered = sorted(rows.items(), key=lambda row: ease.get(row[0][0], len(ease)))
    first = dict.fromkeys(place for (place, _), _ in ordered)
    shown = list(first)[:limit]
    for (place, scorer), (own, whole) in ordered:
        if place not in shown:
            continue
        name = f"{place}, by {_model(scorer)}" if several else place
        cells = [
            f"{_short(audit, audit.truth.rank)}, {percent(audit.truth.probability)}"
            if audit is not None and audit.truth is not None
            else ""
            for audit in (own or whole, whole)
        ]
        table.add_row(Text(printable(name), "bold"), *cells)
    if more := len(first) - len(shown):
        table.add_row(Text(f"{counted(more, 'other place')}: see -v", "dim"))
    console.print(table)
    console.print()


def _model(scorer: str) -> str:
    """A scorer as people call it."""
    from elsewhere.service import model_name

    return model_name(scorer)


def _named(audit: Audit) -> Audit:
    return replace(audit, scorer=_model(audit.scorer))


def _short(audit: Audit, rank: int) -> str:
    """A rank in a table: "3rd guess", or that it is not among the first places."""
    if audit.rank_limit is not None and rank > audit.rank_limit:
        return f"not among {audit.rank_limit}"
    return f"{ordinal(rank)} guess"


def show_guesses(guesses: Sequence[ModelGuess], clean: str = "", *, as_json: bool) -> None:
    """Print what the models guess of an album without a known place.

    `clean` is the command that shares it without hiding anything, where that is offered.
    """
    if as_json:
        documents = [
            {"scorer": guess.scorer, "place": guess.place, "probability": round(guess.share, 6)}
            for guess in guesses
        ]
        print_json({"status": "nowhere", "guesses": documents})
    elif guesses:
        table, previous = grid("name", "right", "left"), ""
        for guess in guesses:
            scorer = "" if guess.scorer == previous else printable(_model(guess.scorer))
            table.add_row(scorer, percent(guess.share), printable(guess.place))
            previous = guess.scorer
        with printed() as console:
            console.print("What the models guess of these photos together:")
            console.print(table)
            if clean:
                console.print(Text(printable(messages.clean_offer(clean))))


_MAX_PLACES = 5
"""Of more places than this the others are counted, and only the whole album is told of."""
_WIDE = 72
"""Columns of the map, at most."""
_MOST_TELLING = 3
"""Photos that are named where they are not listed."""
_MAX_PHOTOS = 15
"""Photos that are listed; the others are summed up."""
_PUBLIC = ("posted/", "remembered/")
"""How the names of public photos begin."""
_MAX_LINES = 6
"""Lines of text that are listed of a photo."""
_MAX_EXAMPLES = 120
"""Characters of the examples of a leak."""
_STEPS = (1, 2, 3, 5, 8, 16, 32, 64, 128, 256, 512, 1024)
"""Numbers of photos after which the rank is shown."""


def show(album: AlbumAudit, world: bool | None, chosen: str, *, verbose: bool = True) -> None:
    """Print the audit; `world` says whether with a map, None: only to a terminal.

    `chosen` is what the user typed of the album and its places. What is not `verbose` names the
    guesses, the most telling photos, text and metadata.
    """
    with printed() as console:
        first, _ = messages.foremost_notes(album.notes)
        for note in first:
            _print(console, messages.as_sentence(messages.note(note)), "bold yellow")
        places = {threat.hidden_name for threat in album.threats}
        many = not verbose and len(places) > _MAX_PLACES
        known = album.numbers
        if known is not None and many:
            easiest = [each for each in known.places if each.place == known.by_ease[0]]
            known = replace(known, places=tuple(easiest))
        numbers = messages.key_numbers(known) if known is not None else []
        for _, sentence in numbers:
            _print(console, sentence, "bold")
        if first or numbers:
            console.print()
        _summary(console, album, _MAX_PLACES if many else None)
        shown: set[str] = set()
        """Scorers whose audit of the whole album is printed."""
        several = len(places) > 1
        for number, audit in enumerate(album.audits):
            threat = album.threats[number] if album.threats else None
            whole = threat is not None and threat.whole
            if several and whole and audit.scorer in shown:
                continue  # the summary has the ranks of each place in the whole album
            if many and not whole:
                continue
            which = "The whole album"
            if threat is not None and not whole:
                which = f"Photos of {threat.hidden_name}"
            photos = counted(len(audit.ids), "photo")
            heading = f"{which}, {photos}, as seen by {_model(audit.scorer)}"
            _print(console, heading, "bold")
            console.print()
            if not whole or audit.scorer not in shown:
                _guesses(console, audit, _labels_by_cell(album, audit) if whole else {})
            if whole:
                shown.add(audit.scorer)
            own = threat is None or threat.own
            if number == 0 and (console.is_terminal if world is None else world):
                _map(console, audit)
            if not verbose:
                _most_telling(console, audit)
                continue
            if audit.truth is not None and (own or not several):
                _exposure(console, audit, audit.truth)
                _ranks(console, audit, audit.truth)
            if own:
                _photos(console, audit)
        _texts(console, album)
        _leaks(console, album.leaks)
        _closing(console, album, chosen)


def _most_telling(console: Console, audit: Audit) -> None:
    """The few photos that say most for the place."""
    if audit.truth is None:
        return
    gains = audit.truth.shares.gains
    order = sorted(range(len(gains)), key=lambda number: gains[number])
    names = [printable(audit.ids[number]) for number in order[:_MOST_TELLING] if gains[number] < 0]
    if names:
        _print(console, f"Most telling: {listed(names)}.")
        console.print()


def _labels_by_cell(album: AlbumAudit, audit: Audit) -> dict[int, str]:
    """The places around each cell, if the whole album has several places."""
    truths = [
        other.truth
        for other, threat in zip(album.audits, album.threats, strict=True)
        if threat.whole and other.scorer == audit.scorer and other.truth is not None
    ]
    labels: dict[int, list[str]] = {}
    for truth in truths if len(truths) > 1 else ():
        for cell in truth.cells:
            labels.setdefault(cell, []).append(truth.label)
    return {cell: listed(names) for cell, names in labels.items()}


def _guesses(console: Console, audit: Audit, labels: dict[int, str]) -> None:
    hidden = set(labels or (audit.truth.cells if audit.truth else ()))
    wide = audit.truth is not None and len(audit.truth.cells) > 1
    table = grid("right", "right", "left", "left", "left")
    for number, guess in enumerate(audit.guesses, 1):
        mark = ""
        if guess.cell in hidden and audit.radius_km is not None:
            mark = f"within {audit.radius_km:g} km"
            if labels:
                mark += f" of {printable(labels[guess.cell])}"
            elif audit.truth is not None and audit.truth.whole:
                mark = f"in {printable(audit.truth.label)}"
        elif guess.cell in hidden:
            mark = "around the right place" if wide else "the right place"
            if labels:
                mark = f"around {printable(labels[guess.cell])}"
        table.add_row(
            str(number),
            percent(guess.probability),
            Text(bar(console, guess.probability), "cyan"),
            Text(guess.name),
            Text(mark, "bold red"),
        )
    console.print(table)
    console.print()


def _map(console: Console, audit: Audit) -> None:
    marks = [
        (guess.lat, guess.lon)
        for guess in audit.guesses[:9]
        if guess.lat is not None and guess.lon is not None
    ]
    if not marks:
        return
    truth, position = audit.truth, None
    if truth is not None and truth.lat is not None and truth.lon is not None:
        position = truth.lat, truth.lon
    width = min(console.width - 2, _WIDE)
    braille = has_unicode(console)
    console.print(draw(marks, width, braille=braille, truth=position), soft_wrap=True)
    if position is not None:
        cross = "×" if braille else "x"
        _print(console, f"{cross} the true place, 1 to {len(marks)} the guesses", "dim")
    console.print()


def _exposure(console: Console, audit: Audit, truth: Exposure) -> None:
    _print(console, exposure_sentence(audit, truth), style="bold")
    limit = audit.rank_limit
    ranks = [
        f"beyond the first {limit}" if limit and opinion.rank > limit else ordinal(opinion.rank)
        for opinion in audit.opinions
        if opinion.rank is not None and not opinion.reads
    ]
    if ranks:
        same = len(set(ranks)) == 1
        single = len(ranks) == 1
        models = "the model trained on half the photos puts" if single else (
            f"{len(ranks)} models like it, each trained on half the photos, put"
        )  # fmt: skip
        _print(
            console,
            f"Second opinion: {models} it {ranks[0] if same else listed(ranks)}.",
        )
    if truth.best_km is not None:
        away = f"{truth.best_km:,.0f} km" if truth.best_km >= 1 else "less than 1 km"
        _print(console, f"The best guess is {away} from the place.")
    if truth.note:
        _print(console, f"Note: {truth.note}.")
    console.print()
    if truth.within:
        table = grid("left", *("right" for _ in truth.within))
        table.add_row(
            Text("a guess within", "dim"), *(f"{within.km:g} km" for within in truth.within)
        )
        table.add_row("chance", *(percent(within.chance) for within in truth.within))
        at_most = (Text(percent(within.at_most), "dim") for within in truth.within)
        table.add_row("at most", *at_most)
        console.print(table)
        console.print()


def exposure_sentence(audit: Audit, truth: Exposure) -> str:
    """Where what is hidden stands among the guesses."""
    if audit.radius_km is not None:
        where = near(truth.label, audit.radius_km, whole=truth.whole)
        if audit.rank_limit is not None and truth.rank > audit.rank_limit:
            return (
                f"None of its first {audit.rank_limit} places is {where}, which it gives "
                f"{percent(truth.probability)}."
            )
        first = "first" if truth.rank == 1 else ordinal(truth.rank)
        return f"Its {first} place is {where}, which it gives {percent(truth.probability)}."
    rank = "first" if truth.rank == 1 else ordinal(truth.rank)
    zone = "its cell" if len(truth.cells) == 1 else f"the {len(truth.cells)} cells around it"
    return (
        f"{truth.label} is the {rank} guess of {audit.cells} cells, with "
        f"{percent(truth.probability)} for {zone}."
    )


def _ranks(console: Console, audit: Audit, truth: Exposure) -> None:
    total = len(truth.album_order.ranks)
    if total < 2:
        return
    steps = [n for n in _STEPS if n < total]
    limit = max(2, (console.width - 16) // 9)
    if len(steps) >= limit:  # keep the first two and the last ones
        steps = [*steps[:2], *steps[len(steps) - limit + 3 :]]
    steps.append(total)
    table = grid("left", *("right" for _ in steps))
    table.add_row(Text("after photos", "dim"), *(Text(str(n), "dim") for n in steps))
    for name, curve in (("album's order", truth.album_order), ("worst order", truth.worst_order)):
        ranks = (messages.short_rank(curve.ranks[n - 1], audit.rank_limit) for n in steps)
        table.add_row(name, *ranks)
        table.add_row("", *(Text(percent(curve.probabilities[n - 1]), "dim") for n in steps))
    console.print(table)
    worst = truth.worst_order
    first = next((n for n, rank in enumerate(worst.ranks, 1) if rank == 1), total)
    if first < total:
        after = f"{counted(first, 'photo')}, with {percent(worst.probabilities[first - 1])}"
        _print(console, f"In the worst order it is the first guess after {after}.")
    console.print()


def _photos(console: Console, audit: Audit) -> None:
    truth = audit.truth
    order = list(range(len(audit.ids)))
    if truth is not None:
        order.sort(key=lambda photo: truth.shares.gains[photo])
    shown, rest = order[:_MAX_PHOTOS], order[_MAX_PHOTOS:]
    if len(rest) == 1:
        shown, rest = order, []
    table = grid("left", "right", "right", "right")
    # a photo's name stays whole; a place may be cut
    table.add_column(no_wrap=True, overflow="ellipsis", max_width=max(16, console.width - 52))
    head = ["photo", "gives away", "alone", "own guess", ""]
    if truth is None:
        head[1:3] = ["", ""]  # nothing is known to give away
    table.add_row(*(Text(title, "dim") for title in head))
    names = _short_names(audit.ids)
    for photo in shown:
        alone = audit.alone[photo]
        table.add_row(
            Text(printable(names[photo])),
            "" if truth is None else signed(-truth.shares.gains[photo]),
            "" if alone.rank is None else messages.short_rank(alone.rank, audit.rank_limit),
            Text(percent(alone.guesses[0].probability), "dim"),
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
        _print(
            console,
            "How much each photo speaks for the place (+) or against it (−), compared with "
            f"{'; '.join(rivals)}.",
            style="dim",
        )
    limit, radius = audit.rank_limit, audit.radius_km
    if radius and limit and any((alone.rank or 0) > limit for alone in audit.alone):
        _print(console, messages.why_withheld(radius), style="dim")
    console.print()


def _texts(console: Console, album: AlbumAudit) -> None:
    """Print what is written on the photos: what may tell the place, and how much is unread."""
    texts = album.texts
    if not texts:
        return
    _print(console, "Text on the photos", "bold")
    console.print()
    table = grid("left", "left", "left", "left")
    names = _short_names([audited.text.photo for audited in texts])
    unread = []
    for name, audited in zip(names, texts, strict=True):
        text = audited.text
        told = told_lines(text, audited.telling)
        entries = [(line.words, line.meaning, line.telling) for line in told if line.meaning]
        silent = [line.words for line in told if line.line.is_read and not line.line.clues]
        if silent:
            entries.append((listed(silent, _MAX_LINES), "", False))
        if rest := describe_rest(text):
            entries.append((rest, "", False))
        for number, (what, meaning, is_near) in enumerate(entries[:_MAX_LINES]):
            table.add_row(
                Text(printable(name) if number == 0 else ""),
                Text(printable(what)),
                Text(printable(meaning)),
                Text("near what is hidden" if is_near else "", "bold red"),
            )
        if any(not line.is_read for line in text.lines):
            unread.append(name)
    if table.row_count:
        console.print(table)
    if unread:
        photos = f"{counted(len(unread), 'photo')} ({listed(unread, _MAX_LINES)})"
        _print(console, f"Text, or what looks like it, that could not be read: {photos}.", "dim")
    if any(audited.telling for audited in texts):
        _print(
            console,
            "Photos with a readable name near what is hidden are withheld from a shared copy, "
            "unless you keep them by name or have the names covered (--edits cover).",
        )
    for audit in album.audits:
        for opinion in audit.opinions:
            if opinion.reads:
                _print(console, reader_sentence(_named(audit), opinion))
    console.print()


def _leaks(console: Console, leaks: Sequence[Leaking]) -> None:
    if not leaks:
        return
    _print(
        console, "Metadata that reveals more; no copy has it, but for names that you keep", "bold"
    )
    console.print()
    table = grid("left", "right", "left")
    for leak in leaks:
        examples = "; ".join(leak.examples)
        if len(examples) > _MAX_EXAMPLES:
            examples = f"{examples[: _MAX_EXAMPLES - 1]}…"
        table.add_row(
            leak.kind, counted(len(leak.photos), "photo"), Text(printable(examples), "dim")
        )
    console.print(table)
    console.print()


def _closing(console: Console, album: AlbumAudit, chosen: str) -> None:
    _, notes = messages.foremost_notes(album.notes)
    for note in notes:
        _print(console, f"Note: {messages.as_sentence(messages.note(note))}", style="dim")
    if not album.threats:
        _print(
            console,
            "No photo says where it was taken. Give the place with --at, as in --at Lisbon or "
            '--at "38.72, -9.14", to see how much it is given away.',
        )
    several = len({audit.scorer for audit in album.audits}) > 1
    calibrated = all(audit.calibrated for audit in album.audits)
    caveat = (
        "" if calibrated else " Uncalibrated, its probabilities for an album are overconfident."
    )
    models = listed(list(dict.fromkeys(_model(audit.scorer) for audit in album.audits)))
    _print(
        console,
        f"This is what {models} {'see' if several else 'sees'} in the pictures; a better model may "
        f"see more.{caveat}",
        style="dim",
    )
    if album.threats:
        _print(console, f"To share a copy that hides it: elsewhere protect {chosen} -o NEW-FOLDER")


def _print(console: Console, sentence: str, style: str = "") -> None:
    console.print(Text(printable(sentence), style), soft_wrap=False)


def _short_names(names: Sequence[str]) -> list[str]:
    """Names with only the folders that tell them apart; public photos keep all folders.

    >>> _short_names(("trip/a.jpg", "posted/b.jpg"))
    ['a.jpg', 'posted/b.jpg']
    """
    pairs = zip(names, apart_only(names), strict=True)
    return [name if name.startswith(_PUBLIC) else short for name, short in pairs]

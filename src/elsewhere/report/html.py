"""Small signs that stand beside words, so that a state is told by shape and word, never by colour.

The same shapes as in the pictures: a disc is shared, a cross withheld, a ring the place to hide, a
diamond a decoy, a plus for comparison.

What an attacker believes, before and after: maps, likeliest places, how it sharpens.

The quieter parts: what is not covered, how good the attacker is, metadata, files left out.

The photos: those withheld, those shared, and one of them told in words.

What withholding buys: the chart, and the same numbers as a table for those who want them.

The page: one file that needs nothing else, marked private because it names the place.

No script, no font, no picture from anywhere: the browser itself is told to fetch nothing, so that
even markup that got in by mistake could not call out.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from itertools import groupby

from elsewhere.audit import Audit, Exposure, Guess, Opinion, Shares
from elsewhere.messages.numbers import chance, fraction, ordinal, signed
from elsewhere.report.contents import (
    Attacker,
    AttackerView,
    Contents,
    Explanation,
    FrontierSteps,
    PhotoPicture,
    PhotoState,
    SkippedFile,
)
from elsewhere.report.markup import Child, Markup, element, together
from elsewhere.report.pictures.chart import (
    MOST,
    cross,
    diamond,
    disc,
    frontier_chart,
    plus,
    ring_mark,
    shares_chart,
    sharpening_chart,
    strokes,
)
from elsewhere.report.pictures.worldmap import Believed, closer_map, outlines, world_map
from elsewhere.report.style import style
from elsewhere.values.wording import counted, listed, shortened


def _sign(*inside: Markup) -> Markup:
    return element("svg", inside, viewBox="0 0 16 16", aria_hidden="true")


def fate_mark(state: PhotoState) -> Markup:
    """A photo's state."""
    if state == PhotoState.WITHHELD:
        return _sign(strokes("withheld", cross(8, 8, 5.5), 2.6))
    if state == PhotoState.SHARED:
        return _sign(disc(8, 8, "kept", 6.5))
    return _sign(ring_mark(8, 8, "baseline", 5.8, 2.0))


def belief_mark() -> Markup:
    """A belief on the map."""
    disc_ = element(
        "circle", cx=8, cy=8, r=6.5, fill="var(--kept)", fill_opacity=0.42, stroke="var(--kept)"
    )
    return _sign(disc_)


def place_mark() -> Markup:
    """The place to hide."""
    return _sign(ring_mark(8, 8, "truth", 6.5, 2.0), disc(8, 8, "truth", 2.0))


def decoy_mark() -> Markup:
    """A decoy."""
    return _sign(element("path", d=diamond(8, 8, 6.5), fill="var(--decoy)"))


def proved_mark() -> Markup:
    """A proved point."""
    return _sign(disc(8, 8, "kept", 5.5))


def open_mark() -> Markup:
    """A point that may be bettered."""
    return _sign(ring_mark(8, 8, "kept", 5.0, 2.0))


def greedy_mark() -> Markup:
    """The baseline."""
    return _sign(strokes("baseline", plus(8, 8, 6), 2.0))


def plan_mark() -> Markup:
    """The plan among the points."""
    return _sign(ring_mark(8, 8, "withheld", 6.5, 2.4))


def verdict_mark(holds: bool | None) -> Markup:
    """A tick, a bar across, or an eye's ring."""
    if holds is None:
        return _sign(_ring("state"), _dot("state"))
    drawn = "M4.4,8.4l2.5 2.6 4.7-5.6" if holds else "M4.8,4.8l6.4 6.4M11.2,4.8l-6.4 6.4"
    return _sign(_ring("state"), strokes("state", drawn, 1.7))


def _ring(role: str) -> Markup:
    return ring_mark(8, 8, role, 7.0, 1.3)


def _dot(role: str) -> Markup:
    return disc(8, 8, role, 2.6)


_NONE_SHARED = "none of its photos is shared"
_LISTED = 6
"""Likeliest places in the list; the map shows more."""


def scenes_section(contents: Contents) -> Markup | None:
    """One part for each place and attacker; the land is in the page once, for all maps."""
    if not contents.views:
        return None
    hidden = element("defs", outlines())
    store = element("svg", hidden, width=0, height=0, style="position:absolute", aria_hidden="true")
    return element(
        "section",
        element("h2", "What an attacker believes"),
        store,
        _key(contents.views),
        [_scene(scene, contents) for scene in contents.views],
        _all_numbers(contents) if contents.other_views else None,
        id="places",
    )


def _key(scenes: Sequence[AttackerView]) -> Markup:
    entries: list[Child] = [
        element("li", belief_mark(), "belief: the area is the probability"),
    ]
    if any(scene.before.truth for scene in scenes):
        entries.append(element("li", place_mark(), "the place to hide, with its zone"))
    if any(scene.decoys for scene in scenes):
        entries.append(element("li", decoy_mark(), "decoy: ranks above the place"))
    return element("ul", entries, class_="key")


def _scene(scene: AttackerView, contents: Contents) -> Markup:
    audit = scene.before
    head = scene.label or "No place is known"
    after = None
    if scene.after is not None:
        after = _side("After", "shared", scene, scene.after, scene.decoys)
    elif contents.holds:
        after = element("p", element("b", "After"), f": {_NONE_SHARED}, so nothing is left to see.")
    return together(
        element(
            "h3",
            element("bdi", head),
            element("span", f" · attacker {audit.scorer}, {scene.scope}", class_="faint small"),
        ),
        _exposure(scene, contents) if audit.truth else None,
        element(
            "div",
            _side("Before" if after else "As it is", "all", scene, audit, ()),
            after,
            class_="pair",
        ),
        _decoys(scene.decoys),
        _growth(audit, contents.short_names),
        _opinions(audit.opinions),
    )


def _side(
    when: str, what: str, scene: AttackerView, audit: Audit, decoys: Sequence[Guess]
) -> Markup:
    truth = audit.truth
    at = None
    if truth is not None and truth.lat is not None and truth.lon is not None:
        at = truth.lat, truth.lon
    inside = truth.cells if truth else ()
    place = scene.label or "the place"
    best = audit.guesses[0] if audit.guesses else None
    label = f"Map, {when.lower()}: " + (
        f"the likeliest place is {best.name} with {chance(best.probability)}" if best else "empty"
    )
    beliefs = [guess for guess in audit.guesses if guess.lat is not None]
    seen = Believed(beliefs, at, inside, scene.zone, decoys)
    closer = f"The surroundings of {place}, {when.lower()}"
    return element(
        "figure",
        element(
            "figcaption",
            element("b", when),
            f": {_photos(what, len(audit.ids))}",
            f". {place} is {ordinal(truth.rank)} of {audit.cells}" if truth else "",
        ),
        world_map(label, seen, shared_outlines=True) if beliefs or at else None,
        closer_map(closer, seen, shared_outlines=True),
        _guesses(audit.guesses, set(inside)),
    )


def _photos(what: str, amount: int) -> str:
    """Which photos: "all 12 photos", "8 shared photos"."""
    if what == "all":
        return f"all {amount} photos" if amount > 1 else "the one photo"
    return counted(amount, f"{what} photo")


def _guesses(guesses: Sequence[Guess], inside: set[int]) -> Markup:
    rows = []
    for rank, guess in enumerate(guesses, 1):
        if rank > _LISTED and guess.cell not in inside:
            continue
        true = guess.cell in inside
        rows.append(
            element(
                "li",
                element("span", rank, class_="rank"),
                element(
                    "span",
                    element("bdi", guess.name),
                    element("span", " · in the zone", class_="small") if true else None,
                ),
                element("span", chance(guess.probability), class_="p"),
                class_="true" if true else None,
                style=f"--long:{guess.probability * 100:.1f}%",
            )
        )
        if rank > _LISTED:
            break  # the place itself, further down, and then no more
    return element("ol", rows, class_="guesses")


def _exposure(scene: AttackerView, contents: Contents) -> Markup:
    """Rank and chances in a small table, before beside after."""
    gone = bool(contents.holds) and scene.after is None
    columns = [("before" if scene.after is not None or gone else "as it is", scene.before.truth)]
    if scene.after is not None:
        columns.append(("after", scene.after.truth))
    kept = [(name, truth) for name, truth in columns if truth is not None]
    none: list[Child] = ["–"] * gone
    rows: list[Child] = [
        _row("rank of the place", [*(ordinal(truth.rank) for _, truth in kept), *none]),
        _row("probability of the zone", [*(chance(truth.probability) for _, truth in kept), *none]),
    ]
    for n, within in enumerate(kept[0][1].within):
        told = [*(_within(truth, n) for _, truth in kept), *none]
        rows.append(_row(f"a guess falls within {within.km:g} km", told))
    names = [*(name for name, _ in kept), *[f"after: {_NONE_SHARED}"] * gone]
    heads = [element("th", name, scope="col", class_="n") for name in names]
    note = kept[0][1].note
    return together(
        crosswise(heads, rows),
        element("p", _sentence(note), class_="small faint") if note else None,
        None
        if scene.before.calibrated
        else element(
            "p",
            "This attacker's calibration is not known: its probabilities are too sure of "
            "themselves; ranks are not affected.",
            class_="small faint",
        ),
    )


def _within(truth: Exposure, n: int) -> Child:
    if n >= len(truth.within):
        return "–"
    found = truth.within[n]
    if chance(found.at_most) == chance(found.chance):
        return chance(found.chance)
    most = element("span", f"at most {chance(found.at_most)}", class_="beside")
    return together(chance(found.chance), most)


def _row(name: str, cells: Sequence[Child]) -> Markup:
    told = [element("td", cell, class_="n") for cell in cells]
    return element("tr", element("th", name, scope="row"), told)


def _decoys(decoys: Sequence[Guess]) -> Markup | None:
    if not decoys:
        return None
    names = [
        element(
            "li",
            element("bdi", decoy.name),
            element("span", f" {chance(decoy.probability)}", class_="faint"),
        )
        for decoy in decoys
    ]
    return together(
        element("h3", "Decoys: these rank above the place afterwards"),
        element("ol", names, class_="decoys"),
    )


def _growth(audit: Audit, called: Mapping[str, str]) -> Markup | None:
    truth = audit.truth
    if truth is None or len(truth.album_order.ranks) < 2:
        return None
    if {*truth.album_order.ranks, *truth.worst_order.ranks} == {1}:
        return element(  # a chart of two flat lines would say no more
            "p", "Before anything is withheld it is the first guess from the first photo on."
        )
    first = audit.ids[truth.worst_order.order[0]] if truth.worst_order.order else ""
    return element(
        "figure",
        element("h3", "How it sharpens, photo by photo"),
        sharpening_chart(truth.album_order, truth.worst_order, audit.cells),
        element(
            "figcaption",
            "Before anything is withheld. In the worst order the attacker begins with ",
            element("bdi", called.get(first, first), title=first),
            f", by which alone the place is {ordinal(truth.worst_order.ranks[0])}.",
        )
        if first
        else None,
        class_="chart",
    )


def _all_numbers(contents: Contents) -> Markup:
    """Every attacker and scope, one row each: the promise is against all of them."""
    rows = []
    for scene in (*contents.views, *contents.other_views):
        before, after = scene.before.truth, scene.after.truth if scene.after else None
        if before is None:
            continue
        told = [ordinal(before.rank), chance(before.probability)]
        if after is not None:
            then = [ordinal(after.rank), chance(after.probability)]
            told = [
                one if one == other else f"{one} → {other}"
                for one, other in zip(told, then, strict=True)
            ]
        elif contents.holds:
            told = [f"{one} → –" for one in told]
        rows.append(
            element(
                "tr",
                element("th", element("bdi", before.label), scope="row"),
                element("td", f"{scene.before.scorer}, {scene.scope}"),
                [element("td", cell, class_="n") for cell in told],
            )
        )
    heads = [
        element("th", "place", scope="col"),
        element("th", "attacker and photos", scope="col"),
        element("th", "rank", scope="col", class_="n"),
        element("th", "probability of the zone", scope="col", class_="n"),
    ]
    return together(
        element("h3", "All that the promise is against"),
        element(
            "div",
            element("table", element("thead", element("tr", heads)), element("tbody", rows)),
            class_="scroll",
        ),
    )


def _opinions(opinions: Sequence[Opinion]) -> Markup | None:
    if not opinions:
        return None
    told = [
        element(
            "li",
            f"{opinion.name} guesses ",
            element("bdi", opinion.guess.name),
            f" ({chance(opinion.guess.probability)})",
            f" and puts the place {ordinal(opinion.rank)}" if opinion.rank is not None else "",
            ".",
        )
        for opinion in opinions
    ]
    return together(
        element("h3", "Second opinions on all photos"), element("ul", told, class_="plain small")
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


_OPEN = 12
"""A longer list is folded away; it is printed all the same."""


def uncovered_section(contents: Contents) -> Markup | None:
    """What the promise does not cover."""
    if not contents.limits:
        return None
    points = [element("li", sentence) for sentence in contents.limits]
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
    if not contents.skipped:
        return None
    ordered = sorted(contents.skipped, key=lambda one: one.reason)
    groups = [(why, list(some)) for why, some in groupby(ordered, key=lambda one: one.reason)]
    shown = element("ul", [_why(why, some) for why, some in groups], class_="plain small")
    total = len(contents.skipped)
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


def _why(why: str, some: Sequence[SkippedFile]) -> Markup:
    names: list[Child] = []
    for n, one in enumerate(some):
        names += [", " if n else None, element("bdi", one.name)]
    return element("li", names, element("span", f": {why}", class_="faint"))


def made_section(contents: Contents) -> Markup | None:
    """The command that made it, and with what."""
    if not contents.command and not contents.origin:
        return None
    facts: list[Child] = []
    for name, told in (contents.origin or {}).items():
        facts += [element("dt", name), element("dd", element("bdi", told))]
    return element(
        "section",
        element("h2", "How this was made"),
        element("pre", element("code", contents.command)) if contents.command else None,
        element("dl", facts, class_="made") if facts else None,
        id="made",
    )


_CLASS = {
    PhotoState.SHARED: "shared",
    PhotoState.WITHHELD: "withheld",
    PhotoState.PUBLIC: "public",
    PhotoState.AUDITED: "seen",
}
_HEADINGS = {
    PhotoState.WITHHELD: "Withheld",
    PhotoState.SHARED: "Shared",
    PhotoState.PUBLIC: "Already public",
    PhotoState.AUDITED: "Photos",
}
_ROOMY = 24
"""Up to so many photos the cards are large."""
_RIVALS = 5
"""So many rivals are named."""
_MANY = 60
"""More photos that nothing happened to are folded away; they are printed all the same."""


def photos_section(contents: Contents) -> Markup | None:
    """All photos with what each gives away."""
    if not contents.photos:
        return None
    widest = max(
        (abs(photo.gain) for photo in contents.photos if photo.gain is not None), default=0.0
    )
    width = "11rem" if len(contents.photos) <= _ROOMY else "8.2rem"
    called = contents.short_names
    return element(
        "section",
        element("h2", "The photos"),
        _about_shares(contents) if widest else None,
        [
            _group(state, contents.photos_in(state), widest, width, called)
            for state in (
                PhotoState.WITHHELD,
                PhotoState.PUBLIC,
                PhotoState.SHARED,
                PhotoState.AUDITED,
            )
        ],
        _chart(contents.photos, called),
        id="photos",
    )


def _about_shares(contents: Contents) -> Markup:
    totals = [
        element(
            "li",
            element("bdi", scene.before.truth.label),
            f", {scene.before.scorer}, {scene.scope}: "
            f"{signed(-scene.before.truth.shares.total)} in all, against ",
            _rivals(scene.before.truth.shares),
        )
        for scene in contents.views
        if scene.before.truth is not None
    ]
    planned = any(
        scene.before.truth is not None and scene.before.truth.shares.from_plan
        for scene in contents.views
    )
    return together(
        element(
            "p",
            "What a photo gives away is measured against some rival places, in nats: above zero it "
            "speaks for the place, below zero for the rivals, and so hides it. The bar shows which "
            "way it pulls, and how hard beside the others. The numbers of all photos add up to the "
            "album's.",
        ),
        element("ul", totals, class_="plain small faint") if totals else None,
        element(
            "p",
            "elsewhere audit knows no plan and measures against the likeliest places instead, so "
            "its numbers are others; their sign means the same.",
            class_="small faint",
        )
        if planned
        else None,
    )


def _rivals(shares: Shares) -> str:
    """Against whom was measured."""
    names = shortened([rival.name for rival in shares.rivals], most=_RIVALS, shown=_RIVALS)
    which = "the plan's decoys" if shares.from_plan else "the likeliest other places"
    return f"{which}: {names}" if names else which


def _group(
    state: PhotoState,
    photos: Sequence[PhotoPicture],
    widest: float,
    width: str,
    called: Mapping[str, str],
) -> Markup | None:
    if not photos:
        return None
    ordered = (
        sorted(photos, key=lambda photo: photo.gain or 0.0)
        if state == PhotoState.WITHHELD
        else photos
    )
    cards = element(
        "ul",
        [_card(photo, widest, called[photo.name]) for photo in ordered],
        class_="gallery",
        style=f"--card-width:{width}",
    )
    if len(photos) > _MANY and state != PhotoState.WITHHELD:
        cards = element("details", element("summary", f"Show all {len(photos)}"), cards)
    return together(element("h3", f"{_HEADINGS[state]}: {counted(len(photos), 'photo')}"), cards)


def _card(photo: PhotoPicture, widest: float, called: str) -> Markup:
    share: Child = None
    if photo.gain is not None and widest:
        way = "away" if photo.gain < 0 else "hides"
        long = f"width:{abs(photo.gain) / widest * 50:.1f}%"
        share = together(
            element("span", element("i", class_=way, style=long), class_="pull"),
            element("span", f"gives away {signed(-photo.gain)}", class_="share"),
        )
    return element(
        "li",
        image(photo),
        element(
            "div",
            element("bdi", called, class_="name", title=photo.name),
            element("span", fate_mark(photo.state), str(photo.state), class_="state"),
            element("span", ", ", photo.note, class_="faint") if photo.note else None,
            share,
            class_="told",
        ),
        class_=f"photo {_CLASS[photo.state]}",
    )


def image(photo: PhotoPicture) -> Markup:
    """The preview, inside the page itself."""
    if not photo.preview:
        return element("span", "no preview", class_="none")
    data = base64.b64encode(photo.preview).decode("ascii")
    return element("img", src=f"data:image/jpeg;base64,{data}", alt=f"{photo.name}, {photo.state}")


def _chart(photos: Sequence[PhotoPicture], called: Mapping[str, str]) -> Markup | None:
    drawn = shares_chart(photos, called)
    if drawn is None or len(photos) < 2:
        return None
    known = sum(photo.gain is not None for photo in photos)
    which = "What each photo gives away" if known <= MOST else f"The {MOST} that pull hardest"
    caption = f"{which}. A cross at the edge is withheld, a disc is shared."
    return element("figure", element("figcaption", caption), drawn, class_="chart")


def explained_section(contents: Contents) -> Markup | None:
    """One withheld photo in words."""
    told = contents.explanation
    if told is None:
        return None
    photo = next((photo for photo in contents.photos if photo.name == told.name), None)
    return element(
        "section",
        element("h2", "Why this one?"),
        element(
            "p", "One withheld photo, told in numbers that were computed for it.", class_="faint"
        ),
        _told(told, photo, contents.short_names.get(told.name, told.name)),
        id="why",
    )


def _told(told: Explanation, photo: PhotoPicture | None, called: str) -> Markup:
    return element(
        "div",
        image(photo) if photo is not None else None,
        element(
            "div",
            element("h3", element("bdi", called, title=told.name)),
            [element("p", sentence) for sentence in told.sentences],
        ),
        class_="told-photo",
    )


def frontier_section(contents: Contents) -> Markup | None:
    """The staircase."""
    staircase = contents.frontier
    if staircase is None or not staircase.steps:
        return None
    return element(
        "section",
        element("h2", "What withholding buys"),
        element("p", _frontier_sentence(staircase)),
        element(
            "figure",
            _frontier_key(staircase),
            frontier_chart(staircase),
            class_="chart",
        ),
        _table(staircase),
        id="frontier",
    )


def _frontier_sentence(staircase: FrontierSteps) -> str:
    proved = sum(step.proved for step in staircase.steps)
    told = (
        f"For each number of withheld photos, how many cells can at best rank above the place: "
        f"{proved} of {counted(len(staircase.steps), 'point')} proved."
    )
    first = staircase.steps[0].withheld
    if first:
        told += f" It begins at {first}, for so many go in any case."
    if staircase.chosen is not None and staircase.used is not None and staircase.greedy:
        ours, _ = staircase.chosen
        enough = [n for n, protected in staircase.greedy if protected >= staircase.used]
        told += f" This plan withholds {counted(ours, 'photo')}; "
        told += f"greedy needs {min(enough)} for as much." if enough else "greedy never gets there."
    return told


def _frontier_key(staircase: FrontierSteps) -> Markup:
    entries = [element("li", proved_mark(), "proved: nothing better exists")]
    if not all(step.proved for step in staircase.steps):
        words = "open: the best plan known; a better one could reach into the band"
        entries.append(element("li", open_mark(), words))
    if staircase.greedy:
        entries.append(element("li", greedy_mark(), "greedy, the paper's baseline"))
    if staircase.chosen is not None:
        entries.append(element("li", plan_mark(), "this plan"))
    return element("ul", entries, class_="key")


def _table(staircase: FrontierSteps) -> Markup:
    greedy = dict(staircase.greedy)
    rows = []
    for step in staircase.steps:
        reach = str(step.protected) if step.proved else f"{step.protected} to {step.bound}"
        state = "proved" if step.proved else "open"
        beside = greedy.get(step.withheld)
        told = [str(step.withheld), reach, state, "–" if beside is None else str(beside)]
        chosen = staircase.chosen is not None and staircase.chosen[0] == step.withheld
        cells = [element("td", cell, class_="n") for cell in told]
        rows.append(element("tr", cells, class_="here" if chosen else None))
    heads = ["withheld", "cells above the place", "", "greedy"]
    return element(
        "details",
        element("summary", "The same as a table"),
        element(
            "div",
            element(
                "table",
                element(
                    "thead",
                    element("tr", [element("th", h, scope="col", class_="n") for h in heads]),
                ),
                element("tbody", rows),
            ),
            class_="scroll wide",
        ),
        class_="screen",
    )


POLICY = "; ".join(
    (
        "default-src 'none'",
        "img-src data:",
        "style-src 'unsafe-inline'",
        "base-uri 'none'",
        "form-action 'none'",
    )
)
"""What the browser may do: show pictures that are in the page, and style it."""
_STATES = {True: "holds", False: "broken", None: "open"}
_PARTS = {
    "places": "What an attacker believes",
    "photos": "The photos",
    "why": "Why this one?",
    "frontier": "What withholding buys",
    "limits": "Not covered",
    "attacker": "The attacker",
    "metadata": "Metadata",
    "left": "Left out",
    "made": "How it was made",
}


def page(contents: Contents) -> str:
    """The whole report as one HTML file."""
    sections = {
        "places": scenes_section(contents),
        "photos": photos_section(contents),
        "why": explained_section(contents),
        "frontier": frontier_section(contents),
        "limits": uncovered_section(contents),
        "attacker": attackers_section(contents),
        "metadata": leaks_section(contents),
        "left": left_section(contents),
        "made": made_section(contents),
    }
    there = {name: section for name, section in sections.items() if section is not None}
    links = [element("a", _PARTS[name], href=f"#{name}") for name in there]
    body = element(
        "body",
        _private(),
        element(
            "header",
            element("p", element("bdi", contents.album), class_="album"),
            element("h1", "What this album gives away"),
            _verdict(contents),
            _figures(contents),
            element("nav", links, aria_label="Parts of this report"),
            class_="top",
        ),
        element("main", there.values()),
        element(
            "footer",
            element(
                "p",
                "Private: this page names what is hidden. Keep it away from the copy you share, "
                "and delete it when you do not need it any more.",
            ),
        ),
    )
    return f"<!doctype html>\n{element('html', _head(contents), body, lang='en')}\n"


def _head(contents: Contents) -> Markup:
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="robots", content="noindex, nofollow"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"PRIVATE: what {contents.album} gives away"),
        element("style", Markup(style())),
    )


def _private() -> Markup:
    words = " This page names the place that is hidden. Do not share it."
    return element("div", element("b", "PRIVATE"), words, class_="private", role="note")


def _verdict(contents: Contents) -> Markup:
    notes = [element("li", note) for note in contents.notes]
    return element(
        "div",
        verdict_mark(contents.holds),
        element(
            "div",
            element("p", contents.state, class_="state"),
            element("p", contents.verdict, class_="sentence"),
        ),
        element("ul", notes) if notes else None,
        class_=f"verdict {_STATES[contents.holds]}",
    )


def _figures(contents: Contents) -> Markup:
    """The few numbers that people look for first; one scene stands for the others.

    With a plan it is the first of which something is shared: numbers from before it would pass for
    those of the copy.
    """
    figures: list[tuple[str, str, str]] = []
    total = len(contents.photos)
    if contents.holds is None:
        figures.append(("photos", str(total), ""))
    else:
        figures.append(("shared", str(len(contents.photos_in(PhotoState.SHARED))), f" of {total}"))
        figures.append(
            ("withheld", str(len(contents.photos_in(PhotoState.WITHHELD))), f" of {total}")
        )
    scenes = [scene for scene in contents.views if scene.after] or contents.views
    for scene in scenes[:1]:
        before, after = scene.before.truth, scene.after.truth if scene.after else None
        if before is None:
            continue
        figures.append(
            (
                f"rank of {before.label}",
                _change(ordinal(before.rank), ordinal(after.rank) if after else ""),
                f" of {scene.before.cells}",
            )
        )
        figures.append(_right(scene, before, after))
        if contents.holds and after is None:
            figures[-2:] = [(before.label, "hidden", " none of its photos is shared")]
    cells = [
        element(
            "div",
            element("dt", name),
            element("dd", told, element("small", beside) if beside else None),
        )
        for name, told, beside in figures
    ]
    return element("dl", cells, class_="figures")


def _right(scene: AttackerView, before: Exposure, after: Exposure | None) -> tuple[str, str, str]:
    """How likely a guess is right about what is hidden, before and after."""
    measured = [one.km for one in before.within]
    if scene.radius_km in measured:
        n = measured.index(scene.radius_km)
        then = chance(after.within[n].chance) if after else ""
        return f"a guess falls {scene.right}", _change(chance(before.within[n].chance), then), ""
    # of other radii only the zone is known: every cell that they touch
    where = scene.right if scene.radius_km is None else f"in a cell {scene.right}"
    then = chance(after.probability) if after else ""
    return f"a guess falls {where}", _change(chance(before.probability), then), ""


def _change(before: str, after: str) -> str:
    return f"{before} → {after}" if after and after != before else before

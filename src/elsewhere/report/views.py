"""What an attacker believes, before and after: maps, likeliest places, how it sharpens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from elsewhere.audit import Audit, Exposure, Guess, Opinion
from elsewhere.report.contents import AttackerView, Contents
from elsewhere.report.marks import belief_mark, decoy_mark, place_mark
from elsewhere.report.markup import Child, Markup, element, together
from elsewhere.report.numbers import chance, ordinal
from elsewhere.report.pictures.sharpening import sharpening_chart
from elsewhere.report.pictures.worldmap import Believed, closer_map, outlines, world_map
from elsewhere.report.tables import crosswise
from elsewhere.values.wording import counted

_NONE_SHARED = "none of its photos is shared"
_LISTED = 6
"""Likeliest places in the list; the map shows more."""


def scenes_section(contents: Contents) -> Markup | None:
    """One part for each place and attacker; the land is in the page once, for all maps."""
    if not contents.scenes:
        return None
    hidden = element("defs", outlines())
    store = element("svg", hidden, width=0, height=0, style="position:absolute", aria_hidden="true")
    return element(
        "section",
        element("h2", "What an attacker believes"),
        store,
        _key(contents.scenes),
        [_scene(scene, contents) for scene in contents.scenes],
        _all_numbers(contents) if contents.further else None,
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
        _growth(audit, contents.called),
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
    for scene in (*contents.scenes, *contents.further):
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

"""The page: one file that needs nothing else, marked private because it names the place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from markupsafe import Markup

from elsewhere.audit import Audit, Guess
from elsewhere.messages import edit_kind, short_rank
from elsewhere.messages.phrases import chance, near
from elsewhere.report.charts import MAX_BARS, frontier_chart, shares_chart, sharpening_chart
from elsewhere.report.contents import AttackerView, Contents, PhotoState
from elsewhere.report.templating import render
from elsewhere.report.worldmap import MapContents, land, world_map
from elsewhere.values.wording import apart_only


def page(contents: Contents) -> str:
    """The whole report as one HTML file."""
    names = [photo.name for photo in contents.photos]
    photos_by_state = {
        state: [photo for photo in contents.photos if photo.state == state] for state in PhotoState
    }
    photos_by_state[PhotoState.WITHHELD].sort(key=lambda photo: photo.gain or 0.0)
    html = render(
        "report.html.j2",
        contents=contents,
        edit_kind=edit_kind,
        names=dict(zip(names, apart_only(names), strict=True)),
        photos_by_state=photos_by_state,
        figures=_figures(contents),
        PhotoState=PhotoState,
        land=land,
        maps=_maps,
        shares_chart=shares_chart,
        sharpening_chart=sharpening_chart,
        frontier_chart=frontier_chart,
        short_rank=short_rank,
        max_bars=MAX_BARS,
    )
    return f"{html}\n"


def _figures(contents: Contents) -> list[tuple[str, str, str, str]]:
    """The few numbers that people look for first: name, value, value after the plan, detail.

    One view stands for the others. With a plan it is the first of which something is shared:
    numbers from before it would pass for those of the copy.
    """
    of_all = f"of {len(contents.photos)}"
    if contents.holds is None:
        figures = [("photos", str(len(contents.photos)), "", "")]
    else:
        counts = Counter(photo.state for photo in contents.photos)
        edited = counts[PhotoState.EDITED]
        detail = f"{of_all}, {edited} of them edited" if edited else of_all
        figures = [
            ("shared", str(counts[PhotoState.SHARED] + edited), "", detail),
            ("withheld", str(counts[PhotoState.WITHHELD]), "", of_all),
        ]
    view = next((view for view in contents.views if view.after), next(iter(contents.views), None))
    if view is None or view.before.truth is None:
        return figures
    before, after = view.before.truth, view.after.truth if view.after else None
    if contents.holds and after is None:
        return [*figures, (before.label, "hidden", "", "none of its photos is shared")]
    limit, radius = view.before.rank_limit, view.before.radius_km
    ranks = short_rank(before.rank, limit), short_rank(after.rank, limit) if after else ""
    if radius is None:
        figures.append((f"rank of {before.label}", *ranks, f"of {view.before.cells}"))
    else:
        where = near(before.label, radius, whole=before.whole)
        figures.append((f"first guess {where}", *ranks, ""))
    trips = contents.measured
    if trips is not None:
        shares = [trips.before, *([trips.after] if trips.after is not None else [])]
        of_100 = [str(round(100 * next(iter(count.values())) / trips.trips)) for count in shares]
        within = f"such albums with a guess within {trips.radius_km:g} km"
        figures.append((within, of_100[0], of_100[1] if of_100[1:] else "", "of 100, measured"))
    distances = [within.km for within in before.within]
    if view.radius_km in distances:
        number = distances.index(view.radius_km)
        where = view.target
        first = before.within[number].chance
        then = after.within[number].chance if after else None
    else:  # of other radii only the zone is known: every cell that they touch
        where = view.target if view.radius_km is None else f"in a cell {view.target}"
        first, then = before.probability, after.probability if after else None
    chances = chance(first), "" if then is None else chance(then)
    return [*figures, (f"a guess falls {where}", *chances, "")]


def _maps(view: AttackerView, audit: Audit, decoys: Sequence[Guess], when: str) -> Markup:
    """The world as it is believed, and the surroundings of the place."""
    beliefs = [guess for guess in audit.guesses if guess.lat is not None]
    truth, place = audit.truth, None
    if truth is not None and truth.lat is not None and truth.lon is not None:
        place = truth.lat, truth.lon
    contents = MapContents(
        beliefs,
        place,
        truth.cells if truth else (),
        view.zone,
        decoys,
        view.positions,
        audit.radius_km,
    )
    best = "empty"
    if audit.guesses:
        guess = audit.guesses[0]
        best = f"the likeliest place is {guess.name} with {chance(guess.probability)}"
    maps = Markup()
    if beliefs or place:
        maps += world_map(f"Map, {when.lower()}: {best}", contents, shared_outlines=True)
    if truth and place:
        label = f"The surroundings of {truth.label or 'the place'}, {when.lower()}"
        maps += world_map(label, contents, closer=True, shared_outlines=True)
    return maps

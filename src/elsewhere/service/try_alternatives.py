"""What could be asked for instead, tried: how many photos each way would share.

`less.py` names what was not refuted; whether it helps nobody has looked. For whoever waits for one
answer each way is planned in turn, so that no advice is given that does not help. It takes a plan
each: the app, which answers every click, offers the ways untried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from elsewhere.album.places import Places
from elsewhere.errors import InputError
from elsewhere.service import alternatives, notes
from elsewhere.service.alternatives import Alternative
from elsewhere.service.planning import AlbumPlan, plan_album
from elsewhere.service.posted import Posted
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.values.plan import Status
from elsewhere.values.wishes import Wishes
from elsewhere.values.wording import counted, listed

PATIENCE = 2.0
"""Seconds for each way; one that takes longer is named as if nobody had tried it."""


@dataclass(frozen=True)
class Tried:
    """One way, and what came of it."""

    option: str
    """What to type."""
    shared: int | None
    """How many photos may then be shared; None where that is not known."""


def evaluate_alternatives(
    seen: ScoredAlbum,
    places: Places,
    made: AlbumPlan,
    *,
    posted: Posted,
    draw: Random | None = None,
) -> AlbumPlan:
    """The plan with the ways that help, and how much, instead of all that were not refuted."""
    untried = list(alternatives.describe(made.plan, made.ways))
    if not untried:
        return made
    now = len(posted.fresh(made.plan.kept, len(seen.photos))) if made.plan.found else 0
    found = list(_tried(seen, places, made, posted, draw))
    helpful = [one for one in found if one.shared is None or one.shared > now]
    others = tuple(note for note in made.notes if note not in untried)
    if not helpful:
        if made.plan.status == Status.INFEASIBLE:
            said = notes.nothing_helps(made.hidden, made.wishes, seen.attacks)
            return replace(made, notes=others, advice=said)
        return replace(made, notes=others)
    nothing = made.plan.status == Status.INFEASIBLE
    what = "to share anything" if nothing else "nearly all photos go: to share more"
    advice = f"{what}, ask for less: {_listed(helpful, seen)}"
    return replace(made, notes=others, advice=advice)


def _tried(
    seen: ScoredAlbum, places: Places, made: AlbumPlan, posted: Posted, draw: Random | None
) -> Iterator[Tried]:
    for way in made.ways:
        changed = _changed(way, made.wishes)
        if not way.words:
            continue  # the reasons name it already
        if changed is None:
            yield Tried(way.words, None)
            continue
        option, wishes = changed
        try:
            other = plan_album(
                seen,
                places,
                replace(wishes, time_limit=PATIENCE),
                posted=posted,
                draw=draw,
                reasons=False,
            )
        except InputError:
            continue  # it cannot even be asked for
        if other.plan.status == Status.UNKNOWN:
            yield Tried(option, None)
        else:
            kept = posted.fresh(other.plan.kept, len(seen.photos))
            yield Tried(option, 0 if other.empty else len(kept))


def _changed(way: Alternative, wishes: Wishes) -> tuple[str, Wishes] | None:
    """What to type for a way, and the wishes that it makes; None where it is left to the user."""
    if way.kind == "top":
        return f"--top {way.top}", replace(wishes, top=way.top)
    if way.kind == "margin":
        top = f" --top {way.top}" if way.top else ""
        return f"--margin none{top}", replace(wishes, margin="none", top=way.top or wishes.top)
    if way.kind == "hide":
        name = way.name or "home"
        typed = f'"{name}"' if " " in name else name
        return f"--hide {typed}", replace(wishes, hide=(name,))
    if way.kind == "level":
        return f"--hide-level {way.name}", replace(wishes, hide_level=way.name)
    if way.kind == "radius":
        return f"--radius {way.amount:g}", replace(wishes, radius_km=float(way.amount))
    if way.kind == "prior":
        return "no --prior", replace(wishes, prior=None)
    if way.kind == "each":
        return "--no-each-photo", replace(wishes, each_photo=False)
    if way.kind == "budget" and way.amount:
        return f"--budget {way.amount:g}", replace(wishes, budget=int(way.amount))
    return None


def _listed(found: Sequence[Tried], seen: ScoredAlbum) -> str:
    """The ways that help, the one that helps most first."""
    ordered = sorted(found, key=lambda one: -(one.shared or 0))
    photos = counted(len(seen.photos), "photo")
    told = [
        one.option
        if one.shared is None
        else f"{one.option} shares {one.shared} of {photos}"
        if not number
        else f"{one.option} shares {one.shared}"
        for number, one in enumerate(ordered)
    ]
    return listed(told)

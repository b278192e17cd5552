"""What could be asked for instead, as buttons: each with the wishes that it stands for."""

from __future__ import annotations

from elsewhere.app.api import models
from elsewhere.app.sessions.answers import PlannedAnswer
from elsewhere.errors import PlaceError
from elsewhere.globe import Place, place
from elsewhere.service.planning.alternatives import Alternative
from elsewhere.values.wording import counted

MOST = 4
"""More buttons than anybody reads."""


def suggestions_for(entry: PlannedAnswer) -> list[models.Way]:
    """The ways out of there being no plan, as far as a click can take them."""
    plan = entry.plan
    if plan is None or plan.plan.found:
        return []
    made = [_made(entry, way) for way in plan.ways]
    return [one for one in made if one is not None][:MOST]


def names_instead(problem: PlaceError) -> list[str]:
    """The places that may have been meant by a name, by names that are understood."""
    near = [one.label for one in problem.choices if isinstance(one, Place)]
    return [name for name in dict.fromkeys(near) if _understood(name)][:MOST]


def _understood(name: str) -> bool:
    try:
        place(name)
    except PlaceError:
        return False
    return True


def _made(entry: PlannedAnswer, way: Alternative) -> models.Way | None:
    wishes = entry.wishes
    change = _change(entry, way)
    if change is None:
        return None
    words, update = change
    if way.kind in {"top", "margin"} and way.top is not None:
        update = {**update, "top": way.top}
    return models.Way(words=words, wishes=wishes.model_copy(update=update))


def _change(entry: PlannedAnswer, way: Alternative) -> tuple[str, dict[str, object]] | None:
    """The words of a button, and what it changes; None where it takes more than a click."""
    wishes = entry.wishes
    ids = {entry.seen.photos[n].id for n in way.photos if n < len(entry.seen.photos)}
    what = next(iter(ids)) if len(ids) == 1 else counted(len(ids), "photo")
    match way.kind:
        case "unpin":
            return f"Unpin {what}", {"keep": [one for one in wishes.keep if one not in ids]}
        case "take back":
            return f"Take {what} back", {"drop": [one for one in wishes.drop if one not in ids]}
        case "top":
            return f"Ask for top {way.top}", {}
        case "margin":
            return f"No margin{f', top {way.top}' if way.top else ''}", {"margin": "none"}
        case "hide":
            return f"Hide {way.name} only", {"hide": [way.name]}
        case "level":
            return f"Hide the {way.name} only", {"hide_level": way.name}
        case "radius" if way.amount:
            near: dict[str, object] = {"hide_level": None, "radius_km": way.amount}
            return f"Hide {way.amount:g} km around it only", near
        case "prior":
            return "As if nobody knew more", {"prior": None}
        case "budget":
            return f"Withhold up to {way.amount:g}", {"budget": int(way.amount)}
        case _:
            return None

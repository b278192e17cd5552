"""The few numbers that every surface leads with, each named apart: measured, believed, proved."""

from __future__ import annotations

from elsewhere.messages.phrases import NO_BREAK, Surface, capitalized, chance, ordinal
from elsewhere.values.outcome import KeyNumbers, MeasuredTrips, PlaceNumbers
from elsewhere.values.wording import listed

MEASURED_MODELS = {"look-up": "a look-up of like photos"}
"""What people call a model of `MeasuredTrips`, where that is not its name."""


def key_numbers(numbers: KeyNumbers, surface: Surface = Surface.TERMINAL) -> list[tuple[str, str]]:
    """A name and a sentence for each; of models with coarse cells there are none.

    What cannot be told apart is a note, which comes first.
    """
    found = []
    if numbers.measured is not None:
        found.append(("measured", measured(numbers.measured)))
    fine = [place for place in numbers.places if place.radius_km is not None]
    found += [("model's chance", believed(place)) for place in fine]
    beyond = [p for p in fine if p.rank_limit is not None and p.rank_before > p.rank_limit]
    if beyond and numbers.withheld:
        found.append(("why withheld", why_withheld(beyond[0].radius_km or 0.0)))
    if surface is Surface.TERMINAL:  # people search for "5 %"
        return [(name, text.replace(NO_BREAK, " ")) for name, text in found]
    return found


def measured(trips: MeasuredTrips) -> str:
    """How often a guess is near for such albums, before and after.

    >>> print(measured(MeasuredTrips(25.0, {"embedded": 51}, {"embedded": 0}, trips=102)))
    Of 100 such albums 50 have one of the model's first 5 guesses within 25 km with everything \
shared, and 0 with a plan like this (measured on 102 real trips).
    """
    own, *others = trips.before
    near = f"one of the model's first {trips.first} guesses within {trips.radius_km:g} km"
    before = f"Of 100 such albums {_of_100(trips.before[own], trips)} have {near}"
    on = f"(measured on {trips.trips} real trips)"
    if trips.after is None:
        return f"{before} with everything shared {on}."
    strangers = [
        f"{MEASURED_MODELS.get(other, other)} {_of_100(trips.after[other], trips)} instead of "
        f"{_of_100(trips.before[other], trips)}"
        for other in others
    ]
    also = f"; of models that the plan does not ask, {listed(strangers)}" if strangers else ""
    after = _of_100(trips.after[own], trips)
    told = f"{before} with everything shared, and {after} with a plan like this{also} {on}."
    if trips.knowing is None:
        return told
    *found, planned = trips.knowing
    learned, without = (round(100 * count / planned) for count in found)
    return (
        f"{told} Where such a plan withholds photos, somebody who learned from many such plans "
        f"finds {learned} of 100, and {without} without any photo."
    )


def _of_100(count: int, trips: MeasuredTrips) -> int:
    return round(100 * count / trips.trips)


def believed(place: PlaceNumbers) -> str:
    """What a model itself gives the place, before and after."""
    around = "" if place.whole else f"the {place.radius_km:g} km around "
    before = f"{capitalized(place.model)} gives {around}{place.place} "
    before += f"{chance(place.probability_before)} with everything shared"
    before += f" ({rank_text(place.rank_before, place.rank_limit)})"
    if place.probability_after is None:
        return f"{before}."
    # the rank after would tell the secret top
    if _shown(place.probability_after) == _shown(place.probability_before):
        return (
            f"{before}, and as much from what is shared by the plan: other places come first then."
        )
    after = chance(place.probability_after)
    return f"{before}, and {after} from what is shared by the plan."


def _shown(probability: float) -> float:
    """A probability to as many digits as people read."""
    return round(probability, 2 if probability >= 0.1 else 3)


def why_withheld(radius_km: float) -> str:
    """Why photos may have to go although no guess that is looked at is near."""
    return (
        "A photo may have to go although the place is not among these guesses: a circle that is "
        f"centred within {radius_km:g} km of a photo may hold a city up to {2 * radius_km:g} km "
        "away, and what single photos hint at adds up."
    )


def rank_text(rank: int, limit: int | None) -> str:
    """A rank among guesses; beyond the limit, that it has none.

    >>> rank_text(3, 100), rank_text(101, 100), rank_text(400, None)
    ('its 3rd guess', 'not among its first 100', 'its 400th guess')
    """
    if limit is not None and rank > limit:
        return f"not among its first {limit}"
    return f"its {ordinal(rank)} guess"


def short_rank(rank: int, limit: int | None) -> str:
    """A rank in a table.

    >>> short_rank(3, 100), short_rank(101, 100)
    ('3rd', '> 100')
    """
    return f"> {limit}" if limit is not None and rank > limit else ordinal(rank)

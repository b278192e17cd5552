"""What a person wants for one album, with the named margins and the width of what is hidden.

Command line, app, batch and files all fill a `Wishes`; its fields mean what the options of
`elsewhere protect` mean. A margin θ counts each kept photo θ nats more for the truth, so that a
promise proved on one model has something to spare on another. Its worth was measured on real
photos (the lab's study `transfer`; docs/defaults.md has the figures). No margin stands for another
kind of model: give that as a second scorer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from elsewhere.errors import InputError

LEVELS = ("cell", "city", "region", "country")
CITY_KM = 25.0
"""How far a city reaches beyond the photos taken in it, and the radius where none is given."""


@dataclass(frozen=True)
class HideScope:
    """How widely places are hidden: a radius, or a level."""

    radius_km: float = CITY_KM
    level: str | None = None
    km: float = field(init=False, repr=False, compare=False)
    """How far around photos; 0 where ground or cells decide."""

    def __post_init__(self) -> None:
        if self.level is not None and self.level not in LEVELS:
            raise InputError(f"a place is hidden by {', '.join(LEVELS)}, not by {self.level!r}")
        if self.level is not None and self.radius_km != CITY_KM:
            raise InputError("a place is hidden by a level or by a radius: give one of them")
        if not 0 <= self.radius_km < math.inf:
            raise InputError(f"a radius is 0 km or more, not {self.radius_km}")
        object.__setattr__(self, "km", self.radius_km if self.level in {None, "city"} else 0.0)

    @property
    def words(self) -> str:
        """For people: what is hidden of a place."""
        if self.level is None:
            return f"within {self.radius_km:g} km"
        return {"cell": "its cell", "city": "the city"}.get(self.level, f"the whole {self.level}")


@dataclass(frozen=True)
class Margin:
    """A named margin."""

    name: str
    theta: float
    """Nats per kept photo."""
    stands_for: str
    """One sentence for people."""


MARGINS = {
    margin.name: margin
    for margin in (
        Margin("none", 0.0, "only the scorers that were used, exactly as they are"),
        Margin(
            "careful",
            0.1,
            "small differences only: on real photos it saves about one plan in ten from a model "
            "like the scorers",
        ),
        Margin(
            "paranoid",
            0.7,
            "models like the scorers, trained on other photos: on real photos nine plans in ten "
            "hold for one",
        ),
    )
}


def margin(given: str | float) -> Margin:
    """The margin of this name, or of so many nats.

    >>> margin("none").theta, margin("0.2").theta, margin(0.2).name
    (0.0, 0.2, '0.2')
    """
    known = MARGINS.get(given.strip().lower()) if isinstance(given, str) else None
    if known is not None:
        return known
    try:
        theta = float(given)
    except (TypeError, ValueError):
        theta = math.nan
    if not 0 <= theta < math.inf or isinstance(given, bool):
        raise InputError(
            f"a margin is {', '.join(MARGINS)} or a number of nats per photo, not {given!r}"
        )
    return Margin(f"{theta:g}", theta, f"{theta:g} nats per photo to spare")


@dataclass(frozen=True)
class Wishes:
    """What to hide, how well, and what to hold on to."""

    top: int | None = 5
    """The place must not be among this many first guesses; the k really used is drawn above it."""
    budget: int | str | None = None
    """Instead of `top`: withhold at most so many photos, or "10%" of them."""
    hide: tuple[str, ...] = ("all",)
    """"all", "home", or places by name or coordinate; the other places are public."""
    hide_level: str | None = None
    """"cell", "city", "region" or "country" instead of a radius."""
    radius_km: float = 25.0
    keep: tuple[str, ...] = ()
    """Photos that must stay, by name or pattern."""
    drop: tuple[str, ...] = ()
    """Photos that must go, by name or pattern."""
    values: Mapping[str, int | float | str | Fraction] | None = None
    """What withholding a photo costs, by name; 1 for the others."""
    stars: bool = False
    """A photo rated with s stars is worth 1 + s; `values` comes first."""
    margin: str | float = "careful"
    """A preset of `presets.py` by name, or θ in nats per kept photo."""
    each_photo: bool | None = None
    """Every kept photo of a hidden place must also keep it out of the top alone; None: where a top
    is asked for and that can be had beside everything else."""
    bursts: bool = False
    """Photos taken within moments of each other stay or go together."""
    prior: str | None = None
    """What the audience knows already: a country, region or town that all hidden places lie in."""
    exact_top: bool = False
    """Use `top` itself and draw nothing."""
    strict: bool = False
    """A tie counts against us."""
    time_limit: float | None = None
    """Seconds for the solver; the engine's own limit where None."""
    work_limit: int | None = None
    """The same as a count of work."""

    @property
    def width(self) -> HideScope:
        """How widely places are hidden; InputError where level and radius contradict each other."""
        return HideScope(self.radius_km, self.hide_level)

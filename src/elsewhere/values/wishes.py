"""What a person wants for one album, and the width of what is hidden.

Command line, app, batch and files all fill a `Wishes`; its fields mean what the options of
`elsewhere protect` mean.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, get_args

from elsewhere.errors import InputError
from elsewhere.values.promise import MIN_RADIUS_KM
from elsewhere.values.versions import MAX_LOSS, Edit

EditKind = Literal["both", "crop", "cover", "none"]
"""What may be done to a photo instead of withholding it."""
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
        if not MIN_RADIUS_KM <= self.radius_km < math.inf:
            raise InputError(f"a radius is {MIN_RADIUS_KM:g} km or more, not {self.radius_km:g}")
        object.__setattr__(self, "km", self.radius_km if self.level in {None, "city"} else 0.0)

    @property
    def words(self) -> str:
        """For people: what is hidden of a place."""
        if self.level is None:
            return f"within {self.radius_km:g} km"
        return {"cell": "its cell", "city": "the city"}.get(self.level, f"the whole {self.level}")


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
    """A preset of `margins.py` by name, or θ in nats per kept photo."""
    each_photo: bool | None = None
    """Every kept photo of a hidden place must also keep it out of the top alone; None: where a top
    is asked for and that can be had beside everything else."""
    bursts: bool = False
    """Photos taken within moments of each other stay or go together."""
    prior: str | None = None
    """What the audience knows already: a country, region or town that all hidden places lie in."""
    edits: EditKind = "none"
    """How photos may be edited so that they need not be withheld."""
    max_loss: Fraction = MAX_LOSS
    """The most of a photo that an edit may take out."""
    rectangles: Mapping[str, Edit] = field(default_factory=dict)
    """Edits that the user drew, by the photo's name or pattern: these are tried too."""
    as_is: tuple[str, ...] = ()
    """Photos that are never edited, by name or pattern."""
    exact_top: bool = False
    """Use `top` itself and draw nothing."""
    strict: bool = False
    """A tie counts against us."""
    time_limit: float | None = None
    """Seconds for the solver; the engine's own limit where None."""
    work_limit: int | None = None
    """The same as a count of work."""

    def __post_init__(self) -> None:
        if self.edits not in get_args(EditKind):
            raise InputError(
                f"photos are edited by {', '.join(get_args(EditKind))}, not by {self.edits!r}"
            )
        if not 0 < self.max_loss <= 1:
            raise InputError(
                f"an edit may take out more than nothing and at most all, not {self.max_loss}"
            )

    @property
    def width(self) -> HideScope:
        """How widely places are hidden; InputError where level and radius contradict each other."""
        return HideScope(self.radius_km, self.hide_level)

"""What a person wants for one album, as typed: every door fills one of these, and no door reads it.

All fields have the meaning that the options of `elsewhere protect` have; `album_plan.py` turns them
into what the engine takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from elsewhere.service.planning.hidden_zones import HideScope


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

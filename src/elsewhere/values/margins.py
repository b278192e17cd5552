"""The named margins, and what each stands for.

A margin θ counts each kept photo θ nats more for the truth, so that a promise proved on one model
has something to spare on another. Its worth was measured on real photos (the lab's study
`transfer`; docs/defaults.md has the figures). No margin stands for another kind of model: give that
as a second scorer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from elsewhere.errors import InputError


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
        Margin("none", 0.0, "only the models that were used, exactly as they are"),
        Margin(
            "careful",
            0.1,
            "small differences only: on real photos about one plan in ten more holds for a model "
            "like those used",
        ),
        Margin(
            "paranoid",
            0.7,
            "models like those used, trained on other photos: on real photos nine plans in ten "
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

"""The value Audit: what one attacker infers from some photos, in plain values.

An audit is shown in a terminal, in the report and in the app, and saved as JSON, so it holds names
and numbers only. Ranks count from 1: rank 1 is the attacker's first guess. Probabilities are
calibrated for the number of photos where the attacker's calibration is known.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Guess:
    """One place or cell as an attacker names it: after its chief town.

    Where the attacker's cells are not known on the globe, the name is "cell 17" and there is no
    coordinate.
    """

    cell: int
    """The cell; of a place, the one at its centre."""
    name: str
    lat: float | None
    """Latitude of a place's centre or of a cell's town, and its longitude."""
    lon: float | None
    probability: float
    """How likely the attacker holds it."""


@dataclass(frozen=True)
class Alone:
    """What one photo says by itself."""

    photo: str
    guesses: tuple[Guess, ...]
    """Its own first guesses."""
    rank: int | None
    """The rank of the truth by this photo alone; None where no truth is known."""
    probability: float | None
    """Of the truth by this photo alone; None without a truth."""


@dataclass(frozen=True)
class Opinion:
    """A second opinion: what another head infers from the same photos."""

    name: str
    """Which head: "embedded:half_a"; of one that reads, the attacker "with the text"."""
    guess: Guess
    """Its own first guess."""
    rank: int | None
    """The rank that it gives the truth; None without a truth."""
    probability: float | None
    """The probability that it gives the truth; None without a truth."""
    reads: bool = False
    """Whether it is the attacker itself, who reads the text on the photos as well."""


@dataclass(frozen=True)
class Within:
    """How likely a guess falls near the true place.

    The attacker's guess is drawn from its probabilities: first a cell, then the point that stands
    for it, or where cells are coarse a place in it, with the people of its towns.
    """

    km: float
    chance: float
    """The probability that the guess falls within it."""
    at_most: float
    """An upper bound: all of a cell counts if any part of it lies that near."""


@dataclass(frozen=True)
class Curve:
    """How the truth sharpens, photo by photo, in some order."""

    order: tuple[int, ...]
    """Photos as numbers into the audit's `ids`, in the order they are added."""
    ranks: tuple[int, ...]
    """`ranks[n]`: the rank of the truth after the first n + 1 photos."""
    probabilities: tuple[float, ...]
    """`probabilities[n]`: of the truth, after the first n + 1 photos."""


@dataclass(frozen=True)
class Shares:
    """What each photo does for and against the truth, measured against named rivals.

    A photo's gain is its score of a rival less its score of the truth, less the margin, summed
    over the rivals. A negative gain gives the place away, and a positive one hides it. Where the
    truth is a zone, `against` is the cell of it that all the photos together make likeliest, the
    same for every photo, so that the gains add up to the sum of the rivals' leads. Of places, a
    score is the logarithm of what the photo's own circle holds there.
    """

    rivals: tuple[Guess, ...]
    """What is measured against: the plan's rivals, or the attacker's first outside the truth."""
    from_plan: bool
    """Whether a plan named the rivals."""
    against: int
    margin: float
    """θ, taken off each gain."""
    gains: tuple[float, ...]
    """One for each photo, in nats, in the order of the audit's `ids`."""
    total: float


@dataclass(frozen=True)
class Exposure:
    """How far the photos give the truth away to this attacker."""

    label: str
    cells: tuple[int, ...]
    """The truth: one cell, all cells of the zone, or those with a point within the radius."""
    lat: float | None
    """Latitude of the middle of the place, and its longitude; None where only cells are known."""
    lon: float | None
    rank: int
    """The first of the attacker's places that is within the radius; above the audit's `rank_limit`
    none of so many is. Of cells: 1 + those outside the zone at least as likely as each of it."""
    probability: float
    """Within the radius of the photos, or of all cells of the zone together."""
    within: tuple[Within, ...]
    """Within the radius, 200 and 750 km of the place; empty where the cells are not known on the
    globe."""
    best_km: float | None
    """From the nearest of the place's positions to the best guess."""
    album_order: Curve
    """With the photos in the album's order."""
    worst_order: Curve
    """With the photo first that raises the odds of the truth most, then the next such one."""
    shares: Shares
    """What each photo does for and against the truth."""
    note: str = ""
    """A remark on the zone, such as that its cell is coarser than the radius; may be empty."""
    resolution_km: float = 0.0
    """Where the attacker cannot tell places of the radius apart here, how wide its cell is."""
    whole: bool = False
    """Whether a whole region or country is hidden, and not only what lies around photos."""


@dataclass(frozen=True)
class Audit:
    """What one attacker infers from a set of photos.

    >>> import numpy as np, elsewhere
    >>> scores = np.log([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2]])
    >>> result = elsewhere.audit(scores, truth=0)
    >>> [(guess.name, round(guess.probability, 2)) for guess in result.guesses]
    [('cell 0', 0.64), ('cell 1', 0.3), ('cell 2', 0.06)]
    >>> result.truth.rank, [alone.rank for alone in result.alone], result.truth.worst_order.order
    (1, [1, 2], (0, 1))
    """

    scorer: str
    """The attacker as the user typed it: "embedded"."""
    ids: tuple[str, ...]
    """The photos that the attacker adds up, in the album's order."""
    cells: int
    """How many cells the attacker distinguishes."""
    exponent: float
    """The factor of the summed scores that keeps probabilities from being overconfident."""
    calibrated: bool
    """Whether the attacker's calibration is known; without it the plain sum is shown."""
    guesses: tuple[Guess, ...]
    """The first places, or the likeliest cells, for all photos together."""
    alone: tuple[Alone, ...]
    """Each photo by itself, in the order of `ids`."""
    opinions: tuple[Opinion, ...]
    """Second opinions; empty where the attacker has no other heads."""
    truth: Exposure | None
    """How far the true place is given away; None where no place is known."""
    radius_km: float | None = None
    """Guesses are places of this radius; None where they are cells."""
    rank_limit: int | None = None
    """So many of the first places were looked at; None where all cells were."""


@dataclass(frozen=True)
class Leaking:
    """One kind of information that the original files contain beside their pictures."""

    kind: str
    """"position", "time zone", "serial number", "owner", "comment", "file name", …"""
    photos: tuple[str, ...]
    """The photos whose files contain it."""
    examples: tuple[str, ...]
    """A few examples of it, each once."""

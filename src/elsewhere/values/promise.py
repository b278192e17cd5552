"""The value Promise: what a plan must fulfil, in full and in plain values.

A promise is all that is needed, beside the scores, to say whether a plan is right. `protect`
solves it, `check` proves it again, the certificate contains it. `solver/requests.py` makes one from
what a person passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

NOT_COVERED = (
    "text that was not read, vision-language models and reverse image search, people who know "
    "the place, sensor noise, captions, posting times, your other accounts"
)
"""What no promise here covers, in one line; the report says it at length (`messages/report.py`)."""


MIN_RADIUS_KM, MAX_RADIUS_KM = 1.0, 500.0
"""What circles may be as wide as."""


@dataclass(frozen=True)
class HiddenCircles:
    """Places to hide instead of cells: none of the attacker's first k circles comes near them.

    He weighs the sum of the kept photos' scores with an exponent, takes the circle of `radius_km`
    that holds most, centred anywhere, strikes out every centre within twice the radius, and goes
    on. That none of the first k is centred within the radius of a position is promised for every
    exponent from 1 over the number of photos to 1, for the sums of the photos' own circles and,
    with `each_photo`, for each photo alone.
    """

    positions: tuple[tuple[float, float], ...]
    """Latitudes and longitudes of what is hidden, ascending."""
    radius_km: float
    exponent: float = 1.0
    """The exponent that a plan's view is about: the one that the attacker should take."""


@dataclass(frozen=True)
class Against:
    """What is promised against one attacker, about cells or about circles.

    >>> import numpy as np, elsewhere
    >>> scores = np.log([[0.7, 0.2, 0.1], [0.2, 0.4, 0.4]])
    >>> against = elsewhere.protect(scores, truth=0, top=1, margin=0.01).promise.against[0]
    >>> against.truth, against.top, against.margin, against.cells
    ((0,), 1, 0.01, 3)
    """

    scores: str
    """Digest of the attacker's score rows."""
    scorer: str
    """Fingerprint of the attacker's model; empty when unknown."""
    cells: int
    """The number of cells that the attacker distinguishes (M)."""
    truth: tuple[int, ...]
    """The cells to hide, ascending: one, or a zone; none where circles are hidden."""
    top: int | None
    """The k of the guarantee; None under a budget."""
    margin: float = 0.0
    """θ: each kept photo that this attacker sees counts this much more for the truth."""
    lead: float = 0.0
    """One total in nats by which a rival must be ahead of the truth."""
    prior: tuple[float, ...] | None = None
    """What the attacker knows beforehand: one log-probability a cell, counted once."""
    rivals: tuple[int, ...] | None = None
    """Cells that count as rivals, ascending; None for every cell outside the truth. With circles:
    the cells that the attacker thinks possible; None for all."""
    sees: tuple[int, ...] | None = None
    """Photos that this attacker adds up, ascending; None for all of them."""
    each_photo: int | None = None
    """Each kept photo that this attacker sees must, alone, keep the truth out of this top; those
    that must stay (`Promise.keep`) are exempt, with those that go with them."""
    circles: HiddenCircles | None = field(default=None, metadata={"optional": True})
    """Places to hide instead of cells."""


@dataclass(frozen=True)
class Version:
    """One way to share a photo: as it is, or edited. Its scores are one row of each table.

    >>> Version(photo=0, cost=Fraction(1, 4))
    Version(photo=0, cost=Fraction(1, 4))
    """

    photo: int
    """The photo, numbered from 0."""
    cost: Fraction
    """What is lost by sharing this version instead of the photo as it is: from 0 up, and less than
    the photo's value."""


@dataclass(frozen=True)
class Promise:
    """What a plan must fulfil; photos are numbered from 0.

    A rival *holds* for a set of kept photos when, against every cell z of the truth,

        Σ over kept photos i that the attacker sees of (S[i, rival] − S[i, z] − margin)
        + prior[rival] − prior[z] − lead  ≥ 0      (> 0 where `strict`)

    where −inf is read as probability zero: if S[i, z] or prior[z] is −inf for any of them, the
    truth is impossible and the rival holds (where `strict`, only if it is not impossible too);
    otherwise a rival that is −inf anywhere does not hold. Where photos have versions, S[i] is the
    row of the version in which photo i is shared.

    >>> import numpy as np, elsewhere
    >>> scores = np.log([[0.7, 0.2, 0.1], [0.2, 0.4, 0.4]])
    >>> promise = elsewhere.protect(scores, truth=0, top=1, keep=[1]).promise
    >>> promise.photos, promise.keep, promise.budget
    (2, (1,), None)
    """

    photos: int
    """The number of photos."""
    against: tuple[Against, ...]
    """What is promised against each attacker."""
    budget: int | Fraction | None = None
    """At most this many photos withheld (dropped ones count), or at most this cost where photos
    have versions; None for a top-k guarantee."""
    keep: tuple[int, ...] = ()
    """Photos that must stay, ascending."""
    drop: tuple[int, ...] = ()
    """Photos that must go, ascending."""
    values: tuple[Fraction, ...] | None = None
    """What withholding each photo costs; None where each costs 1."""
    groups: tuple[tuple[int, ...], ...] = ()
    """Photos that stay or go together; disjoint, ascending, two or more each."""
    strict: bool = False
    """Ties count against us: a rival must be strictly ahead."""
    versions: tuple[Version, ...] | None = field(default=None, metadata={"optional": True})
    """The version that each row of the scores is, photo by photo in ascending order, every photo
    with one at least; None where row i is photo i as it is."""

    @property
    def rows(self) -> int:
        """The number of rows of each attacker's scores."""
        return self.photos if self.versions is None else len(self.versions)

    @property
    def photo_of(self) -> Sequence[int]:
        """The photo of each row."""
        if self.versions is None:
            return range(self.photos)
        return [version.photo for version in self.versions]

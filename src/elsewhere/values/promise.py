"""The value Promise: what a plan must fulfil, in full and in plain values.

A promise is all that is needed, beside the scores, to say whether a plan is right. `protect`
solves it, `check` proves it again, the certificate contains it. `solver/requests.py` makes one from
what a person passed.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

NOT_COVERED = (
    "readable text and signs, vision-language models and reverse image search, people who know "
    "the place, sensor noise, captions, posting times, your other accounts"
)
"""What no promise here covers, in one line; the report says it at length (`messages/report.py`)."""


@dataclass(frozen=True)
class Against:
    """What is promised against one attacker.

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
    """The cells to hide, ascending: one, or a zone."""
    top: int | None
    """The k of the guarantee; None under a budget."""
    margin: float = 0.0
    """θ: each kept photo that this attacker sees counts this much more for the truth."""
    lead: float = 0.0
    """One total in nats by which a rival must be ahead of the truth."""
    prior: tuple[float, ...] | None = None
    """What the attacker knows beforehand: one log-probability a cell, counted once."""
    rivals: tuple[int, ...] | None = None
    """Cells that count as rivals, ascending; None for every cell outside the truth."""
    sees: tuple[int, ...] | None = None
    """Photos that this attacker adds up, ascending; None for all of them."""
    each_photo: int | None = None
    """Each kept photo that this attacker sees must, alone, keep the truth out of this top."""


@dataclass(frozen=True)
class Promise:
    """What a plan must fulfil; photos are numbered from 0.

    A rival *holds* for a set of kept photos when, against every cell z of the truth,

        Σ over kept photos i that the attacker sees of (S[i, rival] − S[i, z] − margin)
        + prior[rival] − prior[z] − lead  ≥ 0      (> 0 where `strict`)

    where −inf is read as probability zero: if S[i, z] or prior[z] is −inf for any of them, the
    truth is impossible and the rival holds (where `strict`, only if it is not impossible too);
    otherwise a rival that is −inf anywhere does not hold.

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
    budget: int | None = None
    """At most this many photos withheld (dropped ones count); None for a top-k guarantee."""
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

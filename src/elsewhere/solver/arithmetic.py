"""Whether a rival holds for a set of kept photos, decided exactly from the scores as given.

`math.fsum` rounds the exact sum once, so that its sign is the exact sum's sign; where it overflows,
fractions take over.
"""

from __future__ import annotations

import math
from fractions import Fraction

from elsewhere.solver.problem import Attacker, Mask


def row_slack(attacker: Attacker, photos: Mask, rival: int, zone_cell: int) -> float:
    """How far `rival` is ahead of `zone_cell` when `photos` are kept, correctly rounded.

    +inf where the truth is impossible and the rival is not, −inf where only the rival is
    impossible, NaN where both are.
    """
    seen = photos if attacker.sees is None else photos & attacker.sees
    rival_terms = attacker.scores[seen, rival].tolist()
    truth_terms = attacker.scores[seen, zone_cell].tolist()
    shifts = [-attacker.shift] * len(rival_terms) if attacker.shift else []
    if attacker.offset is not None:
        rival_terms.append(float(attacker.offset[rival]))
        truth_terms.append(float(attacker.offset[zone_cell]))
    rival_impossible, truth_impossible = -math.inf in rival_terms, -math.inf in truth_terms
    if truth_impossible or rival_impossible:
        if not rival_impossible:
            return math.inf
        return math.nan if truth_impossible else -math.inf
    terms = rival_terms + [-term for term in truth_terms] + shifts
    terms.append(-attacker.lead)
    try:
        total = math.fsum(terms)
        if math.isfinite(total):
            return total
    except OverflowError:
        pass
    exact = sum((Fraction(term) for term in terms), Fraction(0))
    try:
        return float(exact)
    except OverflowError:  # too large for a float
        return math.inf if exact > 0 else -math.inf


def holds(attacker: Attacker, photos: Mask, rival: int, *, strict: bool) -> bool:
    """Whether `rival` holds against the whole zone when exactly `photos` are kept."""
    for zone_cell in attacker.zone.tolist():
        slack = row_slack(attacker, photos, rival, zone_cell)
        if math.isnan(slack):  # both are impossible: a tie
            if strict:
                return False
        elif slack < 0 or (strict and slack == 0):
            return False
    return True

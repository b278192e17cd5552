"""Whether a rival holds, decided exactly.

Float sums with a rigorous error bound decide the clear cases (`instance.py`); what they leave open
comes here: the sign of a row from the scores as given. `math.fsum` rounds the exact sum once, so
its sign is the exact sum's sign; where it overflows, fractions take over.
"""

from __future__ import annotations

import math
from fractions import Fraction

from elsewhere.solver.problem import Attacker, Mask

INFINITY = math.inf


def row_lead(attacker: Attacker, photos: Mask, rival: int, z: int) -> float:
    """How far `rival` is ahead of the zone's column `z`, correctly rounded.

    `photos` are the kept ones. +inf where the truth is impossible and the rival is not, −inf
    where the rival alone is impossible, NaN where both are.
    """
    seen = photos if attacker.sees is None else photos & attacker.sees
    ahead = attacker.bank[seen, rival].tolist()
    behind = attacker.bank[seen, z].tolist()
    shifts = [-attacker.shift] * len(ahead) if attacker.shift else []
    if attacker.offset is not None:
        ahead.append(float(attacker.offset[rival]))
        behind.append(float(attacker.offset[z]))
    truth_impossible = -INFINITY in behind
    rival_impossible = -INFINITY in ahead
    if truth_impossible or rival_impossible:
        if not rival_impossible:
            return INFINITY
        return -INFINITY if not truth_impossible else math.nan
    terms = ahead + [-x for x in behind] + shifts
    terms.append(-attacker.lead)
    try:
        total = math.fsum(terms)
        if math.isfinite(total):
            return total
    except OverflowError:
        pass
    exact = sum((Fraction(x) for x in terms), Fraction(0))
    try:
        return float(exact)
    except OverflowError:  # further ahead than a float can say
        return INFINITY if exact > 0 else -INFINITY


def holds(attacker: Attacker, photos: Mask, rival: int, *, strict: bool) -> bool:
    """Whether `rival` holds against the whole zone when exactly `photos` are kept."""
    for z in attacker.zone.tolist():
        ahead = row_lead(attacker, photos, rival, z)
        if math.isnan(ahead):  # both impossible: a tie
            if strict:
                return False
        elif ahead < 0 or (strict and ahead == 0):
            return False
    return True

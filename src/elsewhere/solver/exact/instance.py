"""Whether a rival holds, decided exactly.

Float sums with a rigorous error bound decide the clear cases (`instance.py`); what they leave open
comes here: the sign of a row from the scores as given. `math.fsum` rounds the exact sum once, so
its sign is the exact sum's sign; where it overflows, fractions take over.

A problem made ready for the solver: float columns, their error bounds, exact counting.

Only free units remain; what is fixed in has moved into the starting sums. Every column of every
attacker that matters is one line of `lines` (columns × units), so that a plan's column sums are
one product, and a rival's value is its own sum less the largest sum of its zone: of all the rows
of a rival, the one against the zone's leading column is the most violated, for every rival alike.

Floats are trusted only as far as `doubt` reaches; what lies within it is decided in exact
arithmetic. −inf becomes a number so large that nothing finite can outweigh it.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from elsewhere.solver.problem import FREE, IN, OUT, Attacker, Floats, Ints, Mask, Problem

INFINITY = math.inf


def row_slack(attacker: Attacker, photos: Mask, rival: int, z: int) -> float:
    """How far `rival` is ahead of the zone's column `z`, correctly rounded.

    `photos` are the kept ones. +inf where the truth is impossible and the rival is not, −inf
    where the rival alone is impossible, NaN where both are.
    """
    seen = photos if attacker.sees is None else photos & attacker.sees
    slacks = attacker.bank[seen, rival].tolist()
    behind = attacker.bank[seen, z].tolist()
    shifts = [-attacker.shift] * len(slacks) if attacker.shift else []
    if attacker.offset is not None:
        slacks.append(float(attacker.offset[rival]))
        behind.append(float(attacker.offset[z]))
    truth_impossible = -INFINITY in behind
    rival_impossible = -INFINITY in slacks
    if truth_impossible or rival_impossible:
        if not rival_impossible:
            return INFINITY
        return -INFINITY if not truth_impossible else math.nan
    terms = slacks + [-x for x in behind] + shifts
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
        slacks = row_slack(attacker, photos, rival, z)
        if math.isnan(slacks):  # both impossible: a tie
            if strict:
                return False
        elif slacks < 0 or (strict and slacks == 0):
            return False
    return True


UNIT_ROUNDOFF = 2.0**-53


class Instance:
    """Float columns over the free units, with error bounds that make their verdicts safe."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.free: Ints = np.flatnonzero(problem.fixed == FREE)
        self.fixed_in: Mask = problem.fixed == IN
        fixed_out = problem.fixed == OUT
        self.weights: Floats = problem.weights[self.free].astype(np.float64)
        self.sizes: Floats = problem.sizes[self.free].astype(np.float64)
        self.complemented_units: Mask = np.zeros(len(self.free), bool)
        self.fixed_out_weight = int(problem.weights[fixed_out].sum())
        self.fixed_out_photos = int(problem.sizes[fixed_out].sum())
        parts = [_unit_scores(problem, attacker) for attacker in problem.attackers]
        # all rivals of all attackers first, then all zones
        widths = [len(a.rivals) for a in problem.attackers]
        self.rivals = sum(widths)
        self.attacker_of: Ints = np.repeat(np.arange(len(widths), dtype=np.intp), widths)
        self.cell_of: Ints = np.concatenate([a.rivals for a in problem.attackers])
        self.zone_slices: list[slice] = []
        lines, start, doubt = [], [], []
        for (unit_lines, offset, error), width in zip(parts, widths, strict=True):
            lines.append(unit_lines[:width])
            start.append(offset[:width])
            doubt.append(error)
        at = self.rivals
        for (unit_lines, offset, _), width in zip(parts, widths, strict=True):
            lines.append(unit_lines[width:])
            start.append(offset[width:])
            self.zone_slices.append(slice(at, at + len(unit_lines) - width))
            at += len(unit_lines) - width
        every = np.concatenate(lines)
        self.unit_scores: Floats = np.ascontiguousarray(every[:, self.free])
        fixed_sums = every[:, self.fixed_in].sum(axis=1)
        self.base_sums: Floats = np.concatenate(start) + fixed_sums
        self.full_sums: Floats = self.base_sums + self.unit_scores.sum(axis=1)
        self.error_bound: Floats = np.concatenate(doubt)
        self.single_zone = all(zone.stop - zone.start == 1 for zone in self.zone_slices)
        first = np.array([zone.start for zone in self.zone_slices], np.intp)
        self._first_zone: Ints = first[self.attacker_of] if self.rivals else np.zeros(0, np.intp)

    @property
    def units(self) -> int:
        """How many units are free."""
        return len(self.free)

    def restricted(self, rivals: Ints) -> Instance:
        """The same instance with only these rivals, in this order."""
        twin = object.__new__(Instance)
        twin.__dict__.update(self.__dict__)
        zones = np.arange(self.rivals, len(self.unit_scores))
        lines = np.concatenate([rivals, zones])
        dropped = self.rivals - len(rivals)
        twin.rivals = len(rivals)
        twin.attacker_of, twin.cell_of = self.attacker_of[rivals], self.cell_of[rivals]
        twin.error_bound = self.error_bound[rivals]
        twin.unit_scores, twin.base_sums, twin.full_sums = (
            self.unit_scores[lines],
            self.base_sums[lines],
            self.full_sums[lines],
        )
        twin.zone_slices = [slice(z.start - dropped, z.stop - dropped) for z in self.zone_slices]
        twin._first_zone = self._first_zone[rivals] - dropped
        return twin

    def complemented(self, gone: Mask) -> Instance:
        """The same instance with these units left out to begin with: to "leave out" one of them
        is to bring it back.
        """
        twin = object.__new__(Instance)
        twin.__dict__.update(self.__dict__)
        twin.complemented_units = self.complemented_units ^ gone
        twin.unit_scores = np.where(gone, -self.unit_scores, self.unit_scores)
        twin.full_sums = self.base_sums + self.unit_scores[:, ~gone].sum(axis=1)
        return twin

    def binding_zone_rows(self, sums: Floats) -> Ints:
        """For each rival, the zone line that leads at these column sums."""
        if self.single_zone:
            return self._first_zone
        best = np.array([z.start + int(sums[z].argmax()) for z in self.zone_slices], np.intp)
        return best[self.attacker_of]

    def slacks(self, sums: Floats) -> Floats:
        """How far each rival is ahead of its zone at these column sums (one per column)."""
        if self.single_zone:
            return sums[: self.rivals] - sums[self._first_zone]
        best = np.array([sums[z].max() for z in self.zone_slices])
        result: Floats = sums[: self.rivals] - best[self.attacker_of]
        return result

    def ahead_many(self, sums: Floats) -> Floats:
        """The same for many sets at once: (columns, sets) → (rivals, sets)."""
        if self.single_zone:
            return sums[: self.rivals] - sums[self._first_zone]
        best = np.stack([sums[z].max(axis=0) for z in self.zone_slices])
        result: Floats = sums[: self.rivals] - best[self.attacker_of]
        return result

    def row(self, rival: int, z: int) -> tuple[Floats, float, float]:
        """What leaving out each unit takes off a rival's row against `z`, what may be taken off
        in all, and how far rounding may have moved that.
        """
        room = float(self.full_sums[rival] - self.full_sums[z])
        return self.unit_scores[rival] - self.unit_scores[z], room, float(self.error_bound[rival])

    def sums(self, left_out: Floats) -> Floats:
        """Column sums when a (possibly fractional) share of each free unit is left out."""
        return self.full_sums - self.unit_scores @ left_out

    def photos_kept(self, left_out: Mask) -> Mask:
        """Which photos stay when these free units are left out."""
        kept = self.units_kept(left_out)
        return kept[self.problem.unit_of]

    def units_kept(self, left_out: Mask) -> Mask:
        """Which units stay when these free units are left out."""
        kept = self.fixed_in.copy()
        kept[self.free] = left_out == self.complemented_units
        return kept

    def holding(self, left_out: Mask) -> Mask:
        """Which rivals hold, exactly, when these free units are left out."""
        slacks = self.slacks(self.sums(left_out.astype(np.float64)))
        result: Mask = slacks > self.error_bound
        unsure = ~result & ~(slacks < -self.error_bound)
        if unsure.any():
            photos = self.photos_kept(left_out)
            for a in np.unique(self.attacker_of[unsure]).tolist():
                mine = unsure & (self.attacker_of == a)
                if self._sees_nothing(photos, a):  # all rivals tie, and for the same reason
                    result[mine] = self.holds_exactly(photos, int(mine.argmax()))
                    continue
                for j in np.flatnonzero(mine).tolist():
                    result[j] = self.holds_exactly(photos, j)
        return result

    def _sees_nothing(self, photos: Mask, attacker: int) -> bool:
        """Whether nothing but the lead counts for an attacker when these photos are kept."""
        one = self.problem.attackers[attacker]
        seen = photos if one.sees is None else photos & one.sees
        return one.offset is None and not seen.any()

    def holds_exactly(self, photos: Mask, rival: int) -> bool:
        """Whether one rival holds for these kept photos, from the scores as given."""
        attacker = self.problem.attackers[int(self.attacker_of[rival])]
        return holds(attacker, photos, int(self.cell_of[rival]), strict=self.problem.strict)

    def counts(self, holding: Mask) -> Ints:
        """How many rivals hold for each attacker."""
        return np.bincount(self.attacker_of[holding], minlength=len(self.zone_slices)).astype(
            np.intp
        )


def _unit_scores(problem: Problem, attacker: Attacker) -> tuple[Floats, Floats, Floats]:
    """One attacker's lines (rivals, then zone) over all units, starting sums, error bounds.

    The bound covers every subset of the units and every order of summation: each of at most
    photos + 4 additions errs by at most one unit roundoff of the sum of magnitudes so far.
    """
    columns = np.concatenate([attacker.rivals, attacker.zone])
    width = len(attacker.rivals)
    bank = attacker.bank[:, columns].astype(np.float64)
    offset = np.zeros(len(columns))
    if attacker.offset is not None:
        offset = attacker.offset[columns].astype(np.float64)
    seen = np.ones(problem.photos, bool) if attacker.sees is None else attacker.sees
    shift, lead = attacker.shift, attacker.lead
    finite_bank, finite_offset = np.isfinite(bank), np.isfinite(offset)
    everything_finite = bool(finite_bank.all() and finite_offset.all())
    if not everything_finite:
        bank[~finite_bank] = 0.0
        offset[~finite_offset] = 0.0
    largest = max(np.abs(bank).max(), np.abs(offset).max(), abs(shift), abs(lead))
    if largest > 2.0**200:  # keep sums away from overflow; exact signs use the original numbers
        scale = 2.0 ** -np.ceil(np.log2(largest) - 100)
        bank *= scale
        offset *= scale
        shift, lead = shift * scale, lead * scale
    bank[~seen] = 0.0
    magnitude = np.abs(bank).sum(axis=0) + np.abs(offset)
    magnitude[:width] += abs(shift) * problem.photos + abs(lead)
    if not everything_finite:
        low = 4.0 * (2.0 * magnitude.max() + 1.0)
        high = 4.0 * (problem.photos + 2) * low
        rival, truth = (high, low) if problem.strict else (low, high)
        replaced = np.where(np.arange(len(columns)) < width, -rival, -truth)
        bank = np.where(finite_bank | ~seen[:, None], bank, replaced)
        offset = np.where(finite_offset, offset, replaced)
        magnitude = np.abs(bank).sum(axis=0) + np.abs(offset)
        magnitude[:width] += abs(shift) * problem.photos + abs(lead)
    lines = np.zeros((len(columns), problem.units))
    seen_count = np.zeros(problem.units)
    if problem.units == problem.photos:
        lines[:, problem.unit_of] = bank.T
        seen_count[problem.unit_of] = seen
    else:
        np.add.at(lines.T, problem.unit_of, bank)
        np.add.at(seen_count, problem.unit_of, seen)
    if shift:
        lines[:width] -= shift * seen_count
    offset[:width] -= lead
    error = 4.0 * UNIT_ROUNDOFF * (problem.photos + 8)
    doubt = error * (magnitude[:width] + magnitude[width:].max()) + 1e-300
    return lines, offset, doubt

"""A problem prepared for the solver: float sums with error bounds, and exact decisions.

Only free units are variables; units that are fixed in are part of the base sums. `unit_scores` has
one row for each score column that matters (all rivals of all attackers, then all zones) and one
column for each free unit, so that one product gives the sums of all score columns for a plan. A
rival's slack is its sum less the largest sum of its zone: of all the rows of a rival, the one
against the zone's largest column is the most violated, and it is the same for all rivals of an
attacker.

With versions, a column of `unit_scores` is a choice of a photo (`choices.py`) and not a free unit:
what it takes off the sums of the first choices. A plan is then a mask of choices.

Float slacks decide the clear cases; a slack within `error_bound` of zero is decided exactly, from
the scores as given. −inf becomes a number so large that nothing finite can outweigh it.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace

import numpy as np

from elsewhere.solver.exact.choice_simplex import (
    QUICK_TANGENT_STEPS,
    TANGENT_STEPS,
    ChoiceTableau,
    lift_choices,
)
from elsewhere.solver.exact.choices import Choices
from elsewhere.solver.exact.simplex import Tableau, one_row_lift
from elsewhere.solver.problem import FREE, IN, OUT, Attacker, Floats, Ints, Mask, Problem, holds

UNIT_ROUNDOFF = 2.0**-53


class Instance:
    """Float scores over the free units, with error bounds that make their decisions safe."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.free: Ints = np.flatnonzero(problem.fixed == FREE)
        self.choices = None if problem.versions is None else Choices.of(problem)
        self.fixed_in: Mask = problem.fixed == IN
        fixed_out = problem.fixed == OUT
        if self.choices is None:
            self.weights: Floats = problem.weights[self.free].astype(np.float64)
            self.sizes: Floats = problem.sizes[self.free].astype(np.float64)
            self.base_weight = int(problem.weights[fixed_out].sum())
            """What every plan costs."""
            self.base_size = int(problem.sizes[fixed_out].sum())
            """What every plan takes of a budget."""
        else:
            self.weights = self.sizes = self.choices.weights
            self.base_weight = self.base_size = self.choices.base_weight
        self.units = len(self.weights)
        """The number of free units, or of choices."""
        self.complemented_units: Mask = np.zeros(self.units, bool)
        parts = [_unit_scores(problem, attacker) for attacker in problem.attackers]
        widths = [len(attacker.rivals) for attacker in problem.attackers]
        self.rivals = sum(widths)
        """The number of rivals of all attackers."""
        self.needs: Ints = np.array([attacker.need for attacker in problem.attackers], np.intp)
        self.attacker_of: Ints = np.repeat(np.arange(len(widths), dtype=np.intp), widths)
        self.cell_of: Ints = np.concatenate([attacker.rivals for attacker in problem.attackers])
        self.zone_slices: list[slice] = []
        row = self.rivals
        for attacker in problem.attackers:
            self.zone_slices.append(slice(row, row + len(attacker.zone)))
            row += len(attacker.zone)
        scores, offsets = parts[0][:2]
        if len(parts) > 1:
            pairs = list(zip(parts, widths, strict=True))
            scores, offsets = (
                np.concatenate([part[i][:width] for part, width in pairs]
                               + [part[i][width:] for part, width in pairs])
                for i in (0, 1)
            )  # fmt: skip
        self.error_bound: Floats = np.concatenate([part[2] for part in parts])
        """(rivals,) how far rounding may have moved a slack."""
        if self.choices is None:
            every = len(self.free) == problem.units
            self.unit_scores: Floats = scores if every else scores[:, self.free].copy()
            self.base_sums: Floats = offsets + scores[:, self.fixed_in].sum(axis=1)
            self.full_sums: Floats = self.base_sums + self.unit_scores.sum(axis=1)
            """The sums with nothing left out."""
        else:
            self.unit_scores = self.choices.scores(scores, problem.unit_of)
            self.base_sums = offsets + scores[:, self.choices.base_rows].sum(axis=1)
            self.full_sums = self.base_sums
            # a choice takes off one row and adds another, beside the rows of the first choices
            self.error_bound *= 3.0
        self.single_zone = all(len(attacker.zone) == 1 for attacker in problem.attackers)
        first = np.array([zone.start for zone in self.zone_slices], np.intp)
        self._first_zone: Ints = first[self.attacker_of] if self.rivals else np.zeros(0, np.intp)

    def restricted(self, rivals: Ints) -> Instance:
        """The same instance with only these rivals, in this order."""
        twin = copy(self)
        rows = np.concatenate([rivals, np.arange(self.rivals, len(self.unit_scores))])
        removed = self.rivals - len(rivals)
        twin.rivals = len(rivals)
        twin.attacker_of, twin.cell_of = self.attacker_of[rivals], self.cell_of[rivals]
        twin.error_bound = self.error_bound[rivals]
        twin.unit_scores = self.unit_scores[rows]
        twin.base_sums, twin.full_sums = self.base_sums[rows], self.full_sums[rows]
        twin.zone_slices = [slice(z.start - removed, z.stop - removed) for z in self.zone_slices]
        twin._first_zone = self._first_zone[rivals] - removed
        return twin

    def for_attackers(self, attackers: Sequence[int], seen: Mask) -> Instance:
        """The instance of these attackers; free units that are not `seen` are kept."""
        chosen = tuple(self.problem.attackers[a] for a in attackers)
        if self.choices is not None:
            return Instance(replace(self.problem, attackers=chosen))
        fixed = self.problem.fixed.copy()
        fixed[self.free[~seen]] = IN
        return Instance(replace(self.problem, attackers=chosen, fixed=fixed))

    def complemented(self, units: Mask) -> Instance:
        """The same instance with the variables of these units complemented.

        They are left out to begin with, and to "leave out" one of them is to keep it.
        """
        twin = copy(self)
        twin.complemented_units = self.complemented_units ^ units
        twin.unit_scores = np.where(units, -self.unit_scores, self.unit_scores)
        twin.full_sums = self.base_sums + self.unit_scores[:, ~units].sum(axis=1)
        return twin

    def binding_zone_rows(self, sums: Floats) -> Ints:
        """For each rival, the row of the zone cell with the largest sum."""
        if self.single_zone:
            return self._first_zone
        best = [zone.start + int(sums[zone].argmax()) for zone in self.zone_slices]
        return np.array(best, np.intp)[self.attacker_of]

    def slacks(self, sums: Floats) -> Floats:
        """How far each rival is ahead of its zone: (columns, …) sums → (rivals, …)."""
        if self.single_zone:
            return sums[: self.rivals] - sums[self._first_zone]
        best = np.array([sums[zone].max(axis=0) for zone in self.zone_slices])
        result: Floats = sums[: self.rivals] - best[self.attacker_of]
        return result

    def row(self, rival: int, zone_row: int) -> tuple[Floats, float, float]:
        """A rival's row Σ coefficient · left out ≤ right-hand side, and the error of the latter."""
        rhs = float(self.full_sums[rival] - self.full_sums[zone_row])
        coefficients = self.unit_scores[rival] - self.unit_scores[zone_row]
        return coefficients, rhs, float(self.error_bound[rival])

    def tableau(self, weights: Floats) -> Tableau:
        """A tableau over the free units, or over choices, without rows."""
        return Tableau(weights) if self.choices is None else ChoiceTableau(weights, self.choices)

    def lift(
        self, cost: Floats, rows: Floats, rhs: Floats, rhs_error: Floats, *, quick: bool = False
    ) -> Floats:
        """By how much adding each row, alone, raises the bound at these reduced costs.

        `quick` may give less over choices.
        """
        if self.choices is None:
            return one_row_lift(cost, rows, rhs, rhs_error)
        steps = QUICK_TANGENT_STEPS if quick else TANGENT_STEPS
        return lift_choices(self.choices, cost, rows, rhs, rhs_error, steps=steps)

    def sums(self, left_out: Mask | Floats) -> Floats:
        """Column sums when a (possibly fractional) share of each free unit is left out."""
        return self.full_sums - self.unit_scores @ left_out.astype(np.float64, copy=False)

    def units_kept(self, left_out: Mask) -> Mask:
        """Which of all units stay when these free units are left out."""
        if self.choices is not None:
            kept: Mask = self.problem.fixed != OUT
            kept[self.choices.units[left_out & (self.choices.units >= 0)]] = False
            return kept
        kept = self.fixed_in.copy()
        kept[self.free] = left_out == self.complemented_units
        return kept

    def rows_shared(self, left_out: Mask) -> Mask:
        """Which rows of the scores are shared when these free units are left out."""
        if self.choices is not None:
            return self.choices.rows_shared(left_out, self.problem.unit_of)
        return np.asarray(self.units_kept(left_out)[self.problem.unit_of])

    def plan_of(self, kept: Mask, shared: Mask) -> Mask:
        """The free units that a plan leaves out, or the choices that it takes."""
        if self.choices is not None:
            return self.choices.taken(kept, shared)
        return np.asarray(~kept[self.free])

    def holding(self, left_out: Mask) -> Mask:
        """Which rivals hold, exactly, when these free units are left out."""
        slack = self.slacks(self.sums(left_out))
        result: Mask = slack > self.error_bound
        unsure = ~result & ~(slack < -self.error_bound)
        if not unsure.any():
            return result
        photos = self.rows_shared(left_out)
        for a in np.unique(self.attacker_of[unsure]).tolist():
            attacker = self.problem.attackers[a]
            own = unsure & (self.attacker_of == a)
            seen = photos if attacker.sees is None else photos & attacker.sees
            if attacker.offset is None and not seen.any():
                # only the lead counts, so all rivals tie for the same reason
                result[own] = self.holds_exactly(photos, int(own.argmax()))
                continue
            for rival in np.flatnonzero(own).tolist():
                result[rival] = self.holds_exactly(photos, rival)
        return result

    def holds_exactly(self, photos: Mask, rival: int) -> bool:
        """Whether a rival holds for these kept photos, from the scores as given."""
        attacker = self.problem.attackers[int(self.attacker_of[rival])]
        return holds(attacker, photos, int(self.cell_of[rival]), strict=self.problem.strict)

    def counts(self, holding: Mask) -> Ints:
        """(attackers, …) how many rivals hold for each: (rivals,) or (rivals, sets) → counts."""
        attackers = len(self.zone_slices)
        if holding.ndim == 1:
            return np.bincount(self.attacker_of[holding], minlength=attackers).astype(np.intp)
        each = [holding[self.attacker_of == a].sum(axis=0) for a in range(attackers)]
        counts: Ints = np.stack(each)
        return counts


def _unit_scores(problem: Problem, attacker: Attacker) -> tuple[Floats, Floats, Floats]:
    """One attacker's scores (rivals, then zone) by unit, their offsets and their error bounds.

    By row with versions.

    The bound covers every subset of the units and every order of summation: each of at most
    photos + 4 additions errs by at most one unit roundoff of the sum of magnitudes so far.
    """
    columns = np.concatenate([attacker.rivals, attacker.zone])
    width = len(attacker.rivals)
    # (columns, rows): sums over photos run along memory
    bank = np.ascontiguousarray(attacker.scores.T[columns], dtype=np.float64)
    offset = np.zeros(len(columns))
    if attacker.offset is not None:
        offset = attacker.offset[columns].astype(np.float64)
    seen = np.ones(problem.rows, bool) if attacker.sees is None else attacker.sees
    shift, lead = attacker.shift, attacker.lead
    sizes = np.abs(bank)
    all_finite = bool(sizes.max() < np.inf and np.isfinite(offset).all())
    if not all_finite:
        finite_bank, finite_offset = np.isfinite(bank), np.isfinite(offset)
        bank[~finite_bank] = 0.0
        offset[~finite_offset] = 0.0
        sizes = np.abs(bank)
    largest = max(sizes.max(), np.abs(offset).max(), abs(shift), abs(lead))
    if largest > 2.0**200:  # keep sums away from overflow; exact signs use the original numbers
        scale = 2.0 ** -np.ceil(np.log2(largest) - 100)
        bank *= scale
        sizes *= scale
        offset *= scale
        shift, lead = shift * scale, lead * scale
    if attacker.sees is not None:
        bank[:, ~seen] = 0.0
        sizes[:, ~seen] = 0.0
    magnitude = sizes.sum(axis=1) + np.abs(offset)
    magnitude[:width] += abs(shift) * problem.rows + abs(lead)
    if not all_finite:
        low = 4.0 * (2.0 * magnitude.max() + 1.0)
        high = 4.0 * (problem.rows + 2) * low
        rival, truth = (high, low) if problem.strict else (low, high)
        replacement = np.where(np.arange(len(columns)) < width, -rival, -truth)
        bank = np.where(finite_bank | ~seen, bank, replacement[:, None])
        offset = np.where(finite_offset, offset, replacement)
        magnitude = np.abs(bank).sum(axis=1) + np.abs(offset)
        magnitude[:width] += abs(shift) * problem.rows + abs(lead)
    scores, seen_count = bank, seen.astype(np.float64)
    in_order = np.array_equal(problem.unit_of, np.arange(problem.units))
    if problem.versions is None and not in_order:
        scores, seen_count = np.zeros((len(columns), problem.units)), np.zeros(problem.units)
        np.add.at(scores.T, problem.unit_of, bank.T)
        np.add.at(seen_count, problem.unit_of, seen)
    if shift:
        scores[:width] -= shift * seen_count
    offset[:width] -= lead
    relative_error = 4.0 * UNIT_ROUNDOFF * (problem.rows + 8)
    error = relative_error * (magnitude[:width] + magnitude[width:].max()) + 1e-300
    return scores, offset, error

"""The choices of a problem with versions: columns, of which exactly one of each set is taken.

A photo of a unit that is not fixed out has a set of choices: its allowed rows, the cheapest one
first, and leaving it out where its unit is free and has no other photo. A free unit of several
photos has a set of its own, to keep it or to leave it out; leaving it out excludes every choice of
its photos but the first. A photo with a single choice needs no set.

A plan is a mask of columns in which first choices are not set: no column of a set means the first.
Weights and scores are those beyond the first choice, so that sums of columns are right as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from elsewhere.solver.problem import FREE, OUT, Floats, Ints, Mask, Problem


@dataclass(frozen=True)
class Choices:
    """What each column stands for."""

    set_of: Ints
    """(columns,) the set of each column; columns of a set are consecutive."""
    starts: Ints
    """(sets,) the first column of each set, which is its first choice."""
    rows: Ints
    """(columns,) the row of the scores that is shared; −1 where a unit is kept or left out."""
    units: Ints
    """(columns,) the unit that is left out; −1 where none is."""
    weights: Floats
    """(columns,) the cost beyond that of the first choice."""
    base_rows: Mask
    """(rows,) the rows that are shared by first choices."""
    base_weight: int
    """What first choices cost, and units that are fixed out."""
    links: Ints
    """(links, 2) columns a, b: a may be taken only where b, a first choice, is."""
    first_row_of: Ints
    """(rows,) for each row the base row of its photo; −1 where the unit is fixed out."""

    @classmethod
    def of(cls, problem: Problem) -> Choices:
        """The choices of a problem with versions."""
        versions = problem.versions
        assert versions is not None
        unit_of = problem.unit_of_photo()
        photos_of_unit = np.bincount(unit_of, minlength=problem.units)
        rows_of: list[list[int]] = [[] for _ in range(problem.photos)]
        for row in np.lexsort((versions.costs, versions.photo_of)).tolist():
            if versions.allowed[row]:
                rows_of[versions.photo_of[row]].append(row)
        kept = problem.fixed != OUT
        base_rows = np.zeros(problem.rows, bool)
        base_rows[[rows_of[p][0] for p in np.flatnonzero(kept[unit_of]).tolist()]] = True
        base_cost = np.zeros(problem.units, np.int64)
        np.add.at(base_cost, problem.unit_of[base_rows], versions.costs[base_rows])
        columns: list[tuple[int, int, int, int]] = []  # set, row, unit, weight
        links: list[tuple[int, int]] = []
        left_out_column: dict[int, int] = {}
        sets = 0
        free = problem.fixed == FREE
        for unit in np.flatnonzero(free & (photos_of_unit > 1)).tolist():
            left_out_column[unit] = len(columns) + 1
            weight = int(problem.weights[unit] - base_cost[unit])
            columns += [(sets, -1, -1, 0), (sets, -1, unit, weight)]
            sets += 1
        for photo in np.flatnonzero(kept[unit_of]).tolist():
            unit, (first, *others) = int(unit_of[photo]), rows_of[photo]
            alone = bool(free[unit]) and unit not in left_out_column
            if not others and not alone:
                continue
            if unit in left_out_column:
                links.append((left_out_column[unit], len(columns)))
            columns.append((sets, first, -1, 0))
            cost = int(versions.costs[first])
            columns += [(sets, row, -1, int(versions.costs[row]) - cost) for row in others]
            if alone:
                columns.append((sets, -1, unit, int(problem.weights[unit]) - cost))
            sets += 1
        table = np.array(columns, np.int64).reshape(-1, 4)
        first_row = np.full(problem.photos, -1, np.intp)
        first_row[versions.photo_of[base_rows]] = np.flatnonzero(base_rows)
        return cls(
            set_of=table[:, 0].astype(np.intp),
            starts=np.searchsorted(table[:, 0], np.arange(sets)).astype(np.intp),
            rows=table[:, 1].astype(np.intp),
            units=table[:, 2].astype(np.intp),
            weights=table[:, 3].astype(np.float64),
            base_rows=base_rows,
            base_weight=int(base_cost.sum() + problem.weights[~kept].sum()),
            links=np.array(links, np.intp).reshape(-1, 2),
            first_row_of=first_row[versions.photo_of],
        )

    def scores(self, rows: Floats, unit_of: Ints) -> Floats:
        """(score columns, columns) what each choice takes off, of (score columns, rows)."""
        result = np.zeros((len(rows), len(self.rows)))
        shares = np.flatnonzero(self.rows >= 0)
        row = self.rows[shares]
        result[:, shares] = rows[:, self.first_row_of[row]] - rows[:, row]
        leaving = np.flatnonzero(self.units >= 0)
        base = np.flatnonzero(self.base_rows)
        count = np.bincount(unit_of[base], minlength=int(unit_of.max()) + 1)
        row_of = np.zeros(len(count), np.intp)
        row_of[unit_of[base]] = base
        alone = count[self.units[leaving]] == 1
        result[:, leaving[alone]] = rows[:, row_of[self.units[leaving[alone]]]]
        for column in leaving[~alone].tolist():
            own = base[unit_of[base] == self.units[column]]
            result[:, column] = rows[:, own].sum(axis=1)
        return result

    def rows_shared(self, taken: Mask, unit_of: Ints) -> Mask:
        """Which rows are shared when these choices are taken."""
        shared = self.base_rows.copy()
        rows = self.rows[taken & (self.rows >= 0)]
        shared[self.first_row_of[rows]] = False
        shared[rows] = True
        left_out = self.units[taken & (self.units >= 0)]
        if len(left_out):
            shared[np.isin(unit_of, left_out)] = False
        return shared

    def taken(self, kept: Mask, shared: Mask) -> Mask:
        """The choices of a plan that keeps these units and shares these rows."""
        taken = (self.rows >= 0) & shared[self.rows]
        taken |= (self.units >= 0) & ~kept[self.units]
        taken[self.starts] = False
        return np.asarray(taken)

    def repetitions(self, shared: Mask, problem: Problem) -> Floats:
        """(columns,) how many photos are as in a plan that shared these rows, beyond first choices.

        A photo of which no row was shared was left out.
        """
        assert problem.versions is not None
        photo_of, unit_of = problem.versions.photo_of, problem.unit_of_photo()
        was_kept = np.zeros(problem.photos, bool)
        was_kept[photo_of[shared]] = True
        left_out_before = np.bincount(unit_of[~was_kept], minlength=problem.units)
        alike = np.where(self.rows >= 0, shared[self.rows], False).astype(np.float64)
        leaving = self.units >= 0
        alike[leaving] = left_out_before[self.units[leaving]]
        first = np.bincount(
            problem.unit_of[self.base_rows & shared], minlength=problem.units
        ).astype(np.float64)
        of_group = leaving & (self.rows[self.starts[self.set_of]] < 0)
        base = alike[self.starts[self.set_of]]
        base[of_group] = first[self.units[of_group]]
        return alike - base

    def columns(self, s: int) -> slice:
        """The columns of a set."""
        last = s + 1 == len(self.starts)
        return slice(int(self.starts[s]), len(self.rows) if last else int(self.starts[s + 1]))

    def current(self, taken: Mask) -> Ints:
        """(sets,) the column that is taken of each set."""
        current = self.starts.copy()
        columns = np.flatnonzero(taken)
        current[self.set_of[columns]] = columns
        return current

    def least(self, values: Floats) -> Floats:
        """(…, sets) the least value of each set, of (…, columns)."""
        if not len(self.starts):
            return np.zeros((*values.shape[:-1], 0))
        return np.asarray(np.minimum.reduceat(values, self.starts, axis=-1))

    def most(self, values: Floats) -> Floats:
        """(sets,) the largest value of each set; those excluded by a link do not count."""
        if not len(self.starts):
            return np.zeros(0)
        largest = np.maximum.reduceat(values, self.starts)
        largest[self.set_of[self.links[:, 1]]] = 0.0
        return largest

    def repaired(self, taken: Mask) -> Mask:
        """The same choices without first ones and those that leaving out their unit excludes."""
        taken = taken.copy()
        taken[self.starts] = False
        for a, b in self.links.tolist():
            if taken[a]:
                taken[self.set_of == self.set_of[b]] = False
        return taken

    def rounded(self, x: Floats, open_columns: Mask) -> Mask:
        """One choice of each set: the open one with the largest share, the first of equals."""
        share = np.where(open_columns, x, -1.0)
        best = np.maximum.reduceat(share, self.starts)[self.set_of] if len(share) else share
        columns = np.flatnonzero(share == best)
        chosen = columns[np.unique(self.set_of[columns], return_index=True)[1]]
        taken = np.zeros(len(x), bool)
        taken[chosen] = True
        return self.repaired(taken)

"""The branch and bound over choices: the tree of `search.py` where photos have versions.

A node's state is that of columns: −1 open, 0 ruled out, 1 the only one left of its set. Where a
unit of several photos is left out, its photos are at their first choice.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from elsewhere.solver.exact import search
from elsewhere.solver.exact.choice_simplex import ChoiceTableau, lift_choices
from elsewhere.solver.exact.choices import Choices
from elsewhere.solver.exact.search import INTEGRALITY_TOLERANCE, Node, Search, State
from elsewhere.solver.exact.simplex import ROUNDOFF
from elsewhere.solver.problem import Floats, Ints, Mask

MAX_ENUMERATION_SETS = 60
"""Open sets of a node beyond which its plans are not listed."""
MAX_STATES = 40_000
"""Partial plans worth listing at a node: a few milliseconds."""
MAX_PRUNED = 2
"""How many times more plans there may be before rows are considered."""
EXCESS_LEVELS = 64
"""Levels that excesses are rounded to when plans are counted beforehand."""
ENUMERATION_BLOCK = 512
"""Plans whose sums are computed at a time."""


class ChoiceSearch(Search):
    """One tree over the choices of an instance with versions."""

    @property
    def _choices(self) -> Choices:
        choices = self.instance.choices
        assert choices is not None
        return choices

    def _lift(self, node: Node, cost: Floats, rivals: Ints, zone_rows: Ints) -> Floats:
        instance = self.instance
        rows = instance.unit_scores[rivals] - instance.unit_scores[zone_rows]
        rhs = instance.full_sums[rivals] - instance.full_sums[zone_rows]
        cost = np.where(node.state == 0, np.inf, cost)
        return lift_choices(self._choices, cost, rows, rhs, instance.error_bound[rivals])

    def _settle(self, node: Node, bound: float, cost: Floats) -> bool:
        choices = self._choices
        cost = np.where(node.state == 0, np.inf, cost)
        excess = cost - choices.least(cost)[choices.set_of]
        settled = (node.state < 0) & (bound + excess > self.cutoff)
        return not settled.any() or self._rule_out(node, settled)

    def _rule_out(self, node: Node, columns: Mask) -> bool:
        """Rule out open columns, and what follows; False where a set has none left."""
        state = node.state.copy()
        state[columns] = 0
        if not close_state(self._choices, state):
            return False
        assert isinstance(node.tableau, ChoiceTableau)
        node.tableau.rule_out(np.flatnonzero((state == 0) & (node.state != 0)))
        node.state = state
        return True

    def _roundings(self, node: Node, x: Floats) -> tuple[Mask, Mask]:
        choices, possible = self._choices, node.state != 0
        # of the columns with a share, the dearest
        dearest = np.where(x > INTEGRALITY_TOLERANCE, 1.0 + self.weights, 0.0)
        return choices.rounded(dearest, possible), choices.rounded(x, possible)

    def _add_links(self, node: Node, x: Floats) -> bool:
        for a, b in self._choices.links.tolist():
            # rows are known by a pair of numbers; those of rivals have no negative one
            if x[a] > x[b] + 1e-7 and (-1 - a, b) not in node.rows:
                row = np.zeros(len(x))
                row[a], row[b] = 1.0, -1.0
                node.rows = {*node.rows, (-1 - a, b)}
                node.tableau = node.tableau.with_row(row, 0.0, 0.0)
                return True
        return False

    def _enumerate(self, node: Node, candidates: Ints, bound: float, cost: Floats) -> bool:
        """Offer every remaining plan that may reach the goal, the lightest first.

        False where there are too many. Beyond the bound, a plan costs the excess of its choices
        over the best ones at the multipliers: only plans whose excess is within the cutoff count.
        """
        choices = self._choices
        sets = np.unique(choices.set_of[node.state < 0])
        if len(sets) > MAX_ENUMERATION_SETS or search.MAX_ENUMERATION_UNITS < 0:
            return False
        cost = np.where(node.state == 0, np.inf, cost)
        excess = cost - choices.least(cost)[choices.set_of]
        spare = self.cutoff - bound + 1e-9 * (1.0 + abs(bound))
        picks, states = list_completions(node, choices, excess, sets, spare)
        self.limits.done += states * len(node.tableau.rows) // 8192
        if picks is None:
            return False
        fixed = node.state > 0
        fixed[choices.starts] = False
        weight = float(self.weights[fixed].sum()) + self.weights[picks].sum(axis=1)
        order = np.argsort(weight, kind="stable")
        order = order[weight[order] <= self.cutoff]
        part = self.instance.restricted(np.sort(np.concatenate([node.chosen, candidates])))
        base = part.sums(fixed)
        for start in range(0, len(order), ENUMERATION_BLOCK):
            block = picks[order[start : start + ENUMERATION_BLOCK]]
            sums = np.repeat(base[:, None], len(block), axis=1)
            for columns in block.T:
                sums -= part.unit_scores[:, columns]
            self.limits.done += sums.size // 8192
            # near-ties count as holding, so that no plan is missed; `offer` counts exactly
            counts = part.counts(part.slacks(sums) >= -part.error_bound[:, None])
            for plan, columns in zip(counts.T, block, strict=True):
                if not self.goal.reached(plan):
                    continue
                taken = fixed.copy()
                taken[columns] = True
                taken[choices.starts] = False
                if (choices.repaired(taken) == taken).all():  # a group left out has no choices
                    self.offer(taken)
                if self.stop:
                    return True
            rest = order[start + ENUMERATION_BLOCK :]
            if not len(rest) or weight[rest[0]] > self.cutoff:
                break
        return True

    def _branch_on_unit(
        self, node: Node, candidates: Ints, x: Floats, cost: Floats, free: Mask
    ) -> Iterator[Node]:
        """Take the most fractional choice, or rule it out; the nearer first."""
        if not free.any():
            return
        columns, down, up = node.tableau.penalties()
        penalty = np.minimum(down, up)[free[columns]]
        columns = columns[free[columns]]
        if len(columns):
            column = int(columns[penalty.argmax()])
        else:
            open_columns = np.flatnonzero(free)
            column = int(open_columns[np.abs(cost[open_columns]).argmin()])
        own = self._choices.set_of == self._choices.set_of[column]
        others = own & free
        others[column] = False
        ruled_out = np.zeros(len(free), bool)
        ruled_out[column] = True
        for excluded in (others, ruled_out) if x[column] >= 0.5 else (ruled_out, others):
            if self.stop:
                return
            child = Node(node.tableau.copy(), candidates, node.chosen, node.state, node.rows)
            if self._rule_out(child, excluded):
                yield child


def close_state(choices: Choices, state: State) -> bool:
    """Draw the conclusions of ruled-out columns; False where a set has none left."""
    while True:
        left = np.bincount(choices.set_of[state != 0], minlength=len(choices.starts))
        if (left == 0).any():
            return False
        state[(left == 1)[choices.set_of] & (state != 0)] = 1
        before = state.copy()
        for a, b in choices.links.tolist():
            if state[a] == 1:
                others = choices.set_of == choices.set_of[b]
                others[b] = False
                state[others] = 0
            elif state[b] == 0:
                state[a] = 0
        if (state == before).all():
            return True


def list_completions(
    node: Node, choices: Choices, excess: Floats, sets: Ints, spare: float
) -> tuple[Ints | None, int]:
    """(plans, sets) the choices of open sets that a node's rows and the spare excess allow.

    None where they are too many; and how many partial plans were listed.
    """
    rows, n = node.tableau.rows, len(excess)
    coefficients = rows[:, :n]
    # no row may pass its right-hand side by more than its error and that of the sums here
    most = rows[:, n] + rows[:, n + 1] + 4 * (n + 8) * ROUNDOFF * rows[:, n + 2]
    columns_of = []
    for s in sets.tolist():
        own = choices.columns(s)
        columns_of.append(own.start + np.flatnonzero(node.state[own] < 0))
    # sets whose other choices are dear come first: they cut off most
    columns_of.sort(key=lambda columns: -sorted(excess[columns].tolist())[1])
    if are_too_many(excess, columns_of, spare):
        return None, 0
    ahead = [np.zeros(len(rows))]  # the least that the sets still to come add to each row
    for columns in reversed(columns_of):
        ahead.append(ahead[-1] + coefficients[:, columns].min(axis=1))
    ahead.reverse()
    used = np.zeros(1)
    sums = coefficients[:, node.state == 1].sum(axis=1)[:, None]
    steps: list[tuple[Ints, Ints]] = []  # for each state, the one before and the column
    states = 0
    for at, columns in enumerate(columns_of, start=1):
        total = used[:, None] + excess[columns]
        i, j = (total <= spare).nonzero()
        states += len(i)
        if len(i) > MAX_STATES:
            return None, states
        after = sums[:, i] + coefficients[:, columns[j]]
        possible = (after + ahead[at][:, None] <= most[:, None]).all(axis=0)
        i, j = i[possible], j[possible]
        used, sums = total[i, j], after[:, possible]
        steps.append((i, columns[j]))
    picks = np.empty((len(used), len(steps)), np.intp)
    state = np.arange(len(used))
    for at in range(len(steps) - 1, -1, -1):
        before, columns = steps[at]
        picks[:, at] = columns[state]
        state = before[state]
    return picks, states


def are_too_many(excess: Floats, columns_of: list[Ints], spare: float) -> bool:
    """Whether far too many choices, one of each set, have an excess within `spare`; a guess.

    Excesses are rounded to a few levels, and plans are counted level by level.
    """
    levels = np.minimum(excess * ((EXCESS_LEVELS - 1) / max(spare, 1e-300)), EXCESS_LEVELS)
    rounded = np.rint(levels).astype(int)
    counts = np.zeros(EXCESS_LEVELS)
    counts[0] = 1.0
    for columns in columns_of:
        before, counts = counts, np.zeros(EXCESS_LEVELS)
        for level in rounded[columns].tolist():
            counts[level:] += before[: EXCESS_LEVELS - level]
        if float(counts.sum()) > MAX_STATES * MAX_PRUNED:
            return True
    return False

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
SAMPLE_STATES = 8_000
"""Plans with the least excess that are listed where there are too many."""
SAMPLE_NODES = 5
"""Nodes for each such sample."""
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
        Now and then, where there are too many, those with the least excess are offered.
        """
        choices = self._choices
        if search.MAX_ENUMERATION_UNITS < 0:
            return False
        cost = np.where(node.state == 0, np.inf, cost)
        excess = cost - choices.least(cost)[choices.set_of]
        if np.isnan(excess).any():  # after an overflow nothing can be said
            return False
        while not self.stop:
            spare = self.cutoff - bound + 1e-9 * (1.0 + abs(bound))
            sample = self._samples * SAMPLE_NODES <= self.nodes
            columns_of = open_columns(choices, excess, node.state < 0, spare)
            if not sample and len(columns_of) > MAX_ENUMERATION_SETS:
                return False
            within = listable_spare(excess, columns_of, spare)
            if within < spare:
                if not sample:
                    return False
                self._samples += 1
                columns_of = open_columns(choices, excess, node.state < 0, within)
            fixed = cheapest_columns(choices, excess, columns_of)
            picks, states = list_completions(node, excess, fixed, columns_of, within)
            self.limits.done += states * len(node.tableau.rows) // 8192
            if picks is None:
                return False
            found = self._offer_listed(node, candidates, fixed, picks)
            if within >= spare:
                return True
            if not found:
                return False
        return True

    def _offer_listed(self, node: Node, candidates: Ints, fixed: Mask, picks: Ints) -> bool:
        """Offer plans, fixed choices and (plans, sets) others, the lightest first; if one was."""
        choices = self._choices
        fixed[choices.starts] = False
        weight = float(self.weights[fixed].sum()) + self.weights[picks].sum(axis=1)
        order = np.argsort(weight, kind="stable")
        order = order[weight[order] <= self.cutoff]
        part = self.instance.restricted(np.sort(np.concatenate([node.chosen, candidates])))
        base = part.sums(fixed)
        before = self.offered
        for start in range(0, len(order), ENUMERATION_BLOCK):
            block = picks[order[start : start + ENUMERATION_BLOCK]]
            sums = np.repeat(base[:, None], len(block), axis=1)
            for columns in block.T:
                sums -= part.unit_scores[:, columns]
            self.limits.done += sums.size // 8192
            # near-ties count as holding, so that no plan is missed; `offer` counts exactly
            counts = part.counts(part.slacks(sums) >= -part.error_bound[:, None])
            good = (counts >= self.goal.each[:, None]).all(axis=0)
            good &= counts.sum(axis=0) >= self.goal.total
            for plan in np.flatnonzero(good).tolist():
                if not self.goal.reached(counts[:, plan]):
                    continue  # the goal has risen
                taken = fixed.copy()
                taken[block[plan]] = True
                taken[choices.starts] = False
                if (choices.repaired(taken) == taken).all():  # a group left out has no choices
                    self.offer(taken)
                if self.stop:
                    return True
            rest = order[start + ENUMERATION_BLOCK :]
            if not len(rest) or weight[rest[0]] > self.cutoff:
                break
        return self.offered > before

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


def open_columns(choices: Choices, excess: Floats, is_open: Mask, spare: float) -> list[Ints]:
    """Of each set with several open columns within the spare excess, these.

    Sets whose other columns are dear come first: they cut off most.
    """
    columns = np.flatnonzero(is_open & (excess <= spare))
    sets = choices.set_of[columns]
    starts = np.flatnonzero(np.concatenate([[True], sets[1:] != sets[:-1]]))
    parts = np.split(columns, starts[1:])
    several = [part for part in parts if len(part) > 1]
    several.sort(key=lambda part: -sorted(excess[part].tolist())[1])
    return several


def cheapest_columns(choices: Choices, excess: Floats, columns_of: list[Ints]) -> Mask:
    """The column without excess of each set that is not among these."""
    taken = excess <= 0
    first = np.flatnonzero(taken)
    first = first[np.unique(choices.set_of[first], return_index=True)[1]]
    taken[:] = False
    taken[first] = True
    for columns in columns_of:
        taken[choices.columns(int(choices.set_of[columns[0]]))] = False
    return taken


def list_completions(
    node: Node, excess: Floats, fixed: Mask, columns_of: list[Ints], spare: float
) -> tuple[Ints | None, int]:
    """(plans, sets) the choices of these sets that a node's rows and the spare excess allow.

    None where they are too many; and how many partial plans were listed.
    """
    rows, n = node.tableau.rows, len(excess)
    coefficients = rows[:, :n]
    # no row may pass its right-hand side by more than its error and that of the sums here
    most = rows[:, n] + rows[:, n + 1] + 4 * (n + 8) * ROUNDOFF * rows[:, n + 2]
    ahead = [np.zeros(len(rows))]  # the least that the sets still to come add to each row
    for columns in reversed(columns_of):
        ahead.append(ahead[-1] + coefficients[:, columns].min(axis=1))
    ahead.reverse()
    used = np.zeros(1)
    sums = coefficients[:, fixed].sum(axis=1)[:, None]
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


def listable_spare(excess: Floats, columns_of: list[Ints], spare: float) -> float:
    """`spare` if not far too many choices, one of each set, have an excess within it; a guess.

    Otherwise a smaller one, within which there are few. Excesses are rounded to a few levels, and
    plans are counted level by level.
    """
    levels = np.minimum(excess * ((EXCESS_LEVELS - 1) / max(spare, 1e-300)), EXCESS_LEVELS)
    rounded = np.rint(levels).astype(int)
    counts = np.zeros(EXCESS_LEVELS)
    counts[0] = 1.0
    for columns in columns_of:
        before, counts = counts, np.zeros(EXCESS_LEVELS)
        for level in rounded[columns].tolist():
            counts[level:] += before[: EXCESS_LEVELS - level]
    within = counts.cumsum()
    if within[-1] <= MAX_STATES * MAX_PRUNED:
        return spare
    return spare * int(within.searchsorted(SAMPLE_STATES)) / EXCESS_LEVELS

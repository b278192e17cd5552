"""That no plan is better: a proof of it, checked in whole numbers and without the solver.

A plan makes claims of one kind: *no plan that the promise allows lets so many rivals hold at so low
a cost*. A proof has a tree for each. Each node stands for some of the plans, and its children for
all of these; a node without children must be closed. What is known of a node:

- rows of the scores that may still be shared, and units that stay or go;
- rivals that hold there, and rivals that are not counted.

With a price p ≥ 0 on each inequality that its plans fulfil (cost, budget, rows of rivals that
hold), the sum of the inequalities holds too. Its largest value is found photo by photo; if that is
negative, the node has no plans. Numbers are whole: scores on a grid of 2^-q nats, rounded so that
inequalities get weaker only, in NumPy; where that decides nothing, exactly, in Python's integers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.checker.arithmetic import UNIT_BITS, units
from elsewhere.checker.facts import AlbumFacts, CheckedView
from elsewhere.values.plan import Plan, Status
from elsewhere.values.problems import PlanProblem, ProblemKind
from elsewhere.values.promise import Against, Promise
from elsewhere.values.proof import Proof, ProofNode
from elsewhere.values.scores import Scores

Whole = NDArray[Any]
"""Whole numbers: of 64 bits, or Python's own where these would overflow."""
Mask = NDArray[np.bool_]
GRID_BITS = 32
"""Scores on the grid have at most so many bits."""
LARGEST = 2**62
"""Sums on the grid stay below this."""
OPEN, STAYS, GOES = 0, 1, -1
Rival = tuple[int, int]
"""An attacker and a cell."""
Row = tuple[int, int, int, int]
"""An attacker, a rival, a cell of the truth, and a price."""


@dataclass(frozen=True)
class Claim:
    """No plan fulfils all of this."""

    needs: tuple[int, ...]
    """So many rivals hold for each attacker, or more."""
    total: int
    """So many hold together, or more."""
    below: int | Fraction | None = None
    """The cost is below this; None for any cost."""


@dataclass
class Node:
    """The plans of a node: what they may share, and what is known of rivals."""

    shareable: Mask
    """(rows,) which rows may be shared."""
    state: NDArray[np.int8]
    """(units,) OPEN, STAYS or GOES."""
    holding: frozenset[Rival] = frozenset()
    uncounted: frozenset[Rival] = frozenset()

    def copy(self) -> Node:
        """The same node, to be changed."""
        return replace(self, shareable=self.shareable.copy(), state=self.state.copy())


def prove_optimal(plan: Plan, proof: Proof, scores: Sequence[Scores]) -> tuple[PlanProblem, ...]:
    """What is wrong with a proof that no plan is better than `plan`, which was checked otherwise.

    For a plan that is only feasible: that none is better than its bound.
    """
    promise = plan.promise
    if any(against.circles is not None for against in promise.against):
        return (PlanProblem(ProblemKind.PROOF_OF_PLACES),)
    if plan.status == Status.UNKNOWN:
        return (PlanProblem(ProblemKind.PROOF_OF_NOTHING),)
    claims = claims_of(plan)
    if len(claims) != len(proof.trees):
        found, wanted = len(proof.trees), len(claims)
        return (PlanProblem(ProblemKind.PROOF_TREES, found=found, wanted=wanted),)
    album = Album(promise, scores)
    problems = []
    for number, (claim, tree) in enumerate(zip(claims, proof.trees, strict=True)):
        problem = Refutation(album, claim).check(tree)
        if problem is not None:
            problems.append(replace(problem, found=f"{number}:{problem.found}"))
    return tuple(problems)


def claims_of(plan: Plan) -> list[Claim]:
    """What a plan says of all others."""
    promise = merge(plan.promise)
    attackers = len(promise.against)
    if plan.promise.budget is None:
        needs = tuple(against.top or 0 for against in promise.against)
        below = None if plan.status == Status.INFEASIBLE else plan.bound
        return [Claim(needs, 0, below)]
    if plan.status == Status.INFEASIBLE:
        return [Claim((0,) * attackers, 0)]
    claims = [Claim((int(plan.bound) + 1,) * attackers, 0)]
    if plan.status == Status.OPTIMAL:
        counts = [view.protected_k for view in plan.views]
        needs = (min(counts),) * attackers
        if attackers > 1:
            claims.append(Claim(needs, sum(counts) + 1))
        claims.append(Claim(needs, sum(counts), plan.cost))
    return claims


def merge(promise: Promise) -> Promise:
    """A guarantee with attackers that differ only in their truth as one attacker.

    They rank the rivals alike, so k rivals are ahead of each truth exactly when k are ahead of all
    of them. Whether each photo alone gives the truth away is another question, and not asked here.
    """
    if promise.budget is not None:
        return promise
    merged: dict[Against, Against] = {}
    for number, against in enumerate(promise.against):
        alone = replace(against, each_photo=None)
        key = (
            replace(alone, truth=())
            if against.rivals is not None
            else replace(alone, truth=(-1, number))
        )
        same = merged.get(key, alone)
        merged[key] = replace(same, truth=tuple(sorted({*same.truth, *against.truth})))
    return replace(promise, against=tuple(merged.values()))


class Album:
    """An album in whole numbers: what sharing a row gains for every inequality."""

    def __init__(self, promise: Promise, scores: Sequence[Scores]) -> None:
        self.facts = AlbumFacts(promise, scores)
        self.promise = merge(promise)
        tables = {
            against.scores: table for against, table in zip(promise.against, scores, strict=True)
        }
        tables_of = [tables[against.scores] for against in self.promise.against]
        self.merged_facts = AlbumFacts(self.promise, tables_of)
        self.values = [table.values for table in tables_of]
        self.strict = int(promise.strict)
        rows = range(promise.rows)
        self.photo_of = np.array(promise.photo_of, np.intp)
        first = np.arange(promise.photos)
        for group in promise.groups:
            first[list(group)] = min(group)
        self.unit_of_photo = np.unique(first, return_inverse=True)[1].astype(np.intp)
        self.unit_of = self.unit_of_photo[self.photo_of]
        self.first_rows = np.searchsorted(self.photo_of, np.arange(promise.photos))
        self.by_unit = np.argsort(self.unit_of_photo, kind="stable")
        unit_count = int(self.unit_of_photo.max()) + 1
        self.first_photos = np.searchsorted(self.unit_of_photo[self.by_unit], np.arange(unit_count))
        # costs in the largest unit that makes all of them whole
        values = promise.values or (Fraction(1),) * promise.photos
        costs = [self.facts.row_cost(row) for row in rows]
        denominator = math.lcm(*(x.denominator for x in (*values, *costs)))
        divisor = math.gcd(*(int(x * denominator) for x in (*values, *costs)))
        self.scale = Fraction(denominator, divisor)
        self.weights = [int(value * self.scale) for value in values]
        self.saved = [self.weights[p] - int(costs[row] * self.scale)
                      for row, p in enumerate(self.photo_of.tolist())]  # fmt: skip
        """(rows,) what sharing a row saves of the cost of withholding everything."""
        self.seen = [np.isin(np.arange(promise.rows), self.merged_facts.rows_seen(number))
                     for number in range(len(self.values))]  # fmt: skip
        self.bits = self._grid_bits()
        self._grid: dict[int, tuple[Whole, Whole]] = {}

    def _grid_bits(self) -> int | None:
        """The finest grid on which all numbers have at most GRID_BITS; None where it is coarse."""
        largest = 1.0
        for against, values in zip(self.promise.against, self.values, strict=True):
            numbers = [
                np.abs(values[np.isfinite(values)]).max(initial=0.0),
                against.margin,
                against.lead,
            ]
            numbers += [abs(known) for known in against.prior or () if known > -math.inf]
            largest = max(largest, *map(float, numbers))
        bits = GRID_BITS - math.frexp(largest)[1]
        return bits if bits >= 0 else None

    @cached_property
    def root(self) -> Node | None:
        """All plans that the promise allows; None where there are none."""
        facts = self.facts
        shareable = np.ones(self.promise.rows, bool)
        shareable[list(facts.revealing)] = False
        state = np.zeros(int(self.unit_of_photo.max()) + 1, np.int8)
        state[self.unit_of_photo[list(facts.pinned)]] = STAYS
        gone = self.unit_of_photo[list(facts.forced)]
        if (state[gone] == STAYS).any():
            return None
        state[gone] = GOES
        shareable[state[self.unit_of] == GOES] = False
        return None if (state == GOES).all() else Node(shareable, state)

    def impossible(self, attacker: int, cell: int) -> Mask:
        """(rows,) the rows that make a cell impossible for an attacker."""
        return np.asarray(np.isneginf(self.values[attacker][:, cell]) & self.seen[attacker])

    def never(self, attacker: int, cell: int) -> bool:
        """Whether a cell is impossible beforehand."""
        prior = self.promise.against[attacker].prior
        return prior is not None and prior[cell] == -math.inf

    @cached_property
    def _impossible_truths(self) -> list[dict[int, Mask]]:
        pairs = enumerate(self.promise.against)
        return [{cell: self.impossible(a, cell) for cell in against.truth} for a, against in pairs]

    def certainly_possible(self, node: Node, attacker: int, cell: int) -> bool:
        """Whether no plan of a node makes this cell of the truth impossible."""
        never = self.never(attacker, cell)
        return not never and not (self._impossible_truths[attacker][cell] & node.shareable).any()

    def row(self, attacker: int, rival: int, cell: int, bits: int) -> tuple[Whole, int]:
        """What each row shared adds to how far a rival is ahead, and what it is beforehand.

        In 2^-bits nats, rounded in the rival's favour. Impossible scores count as 0.
        """
        gains, bases = self.rows(attacker, np.array([rival]), np.array([cell]), bits)
        return gains[0], int(bases[0])

    def rows(
        self, attacker: int, rivals: NDArray[np.intp], cells: NDArray[np.intp], bits: int
    ) -> tuple[Whole, Whole]:
        """The same for several rivals, each against a cell of the truth."""
        against, dtype = self.promise.against[attacker], object if bits == UNIT_BITS else np.int64
        up, down = self._whole_columns(attacker, bits, rivals, cells)
        gains = np.where(self.seen[attacker], up - down - _whole(against.margin, bits, up=False), 0)
        bases = np.full(len(rivals), -_whole(against.lead, bits, up=False) - self.strict, dtype)
        if against.prior is not None:
            for i, (rival, cell) in enumerate(zip(rivals.tolist(), cells.tolist(), strict=True)):
                for known, sign in ((against.prior[rival], 1), (against.prior[cell], -1)):
                    if known > -math.inf:
                        bases[i] += sign * _whole(known, bits, up=sign > 0)
        return gains, bases

    def _whole_columns(
        self, attacker: int, bits: int, rivals: NDArray[np.intp], cells: NDArray[np.intp]
    ) -> tuple[Whole, Whole]:
        """Columns of the scores in 2^-bits nats, as rows: rivals rounded up, the truth down."""
        values = self.values[attacker]
        if bits == UNIT_BITS:
            pair = (values[:, rivals].T, values[:, cells].T)
            return tuple(
                np.array(
                    [[0 if x == -math.inf else units(x) for x in row] for row in part.tolist()],
                    object,
                )
                for part in pair
            )  # type: ignore[return-value]
        known = self._grid.get(attacker)
        if known is None:
            wide = np.where(np.isfinite(values), values, 0.0).astype(np.float64).T
            scaled = np.ldexp(wide, bits)
            known = np.ceil(scaled).astype(np.int64), np.floor(scaled).astype(np.int64)
            self._grid[attacker] = known
        return known[0][rivals], known[1][cells]


def _whole(number: float, bits: int, *, up: bool) -> int:
    """A number in 2^-bits, rounded; exact where `bits` are those of the finest float."""
    numerator, denominator = number.as_integer_ratio()
    shifted = numerator << bits
    return -(-shifted // denominator) if up else shifted // denominator


class Refutation:
    """The check of one tree against one claim."""

    def __init__(self, album: Album, claim: Claim) -> None:
        self.album, self.claim = album, claim
        promise = album.promise
        total = sum(album.weights)
        self.most = total
        if claim.below is not None:
            self.most = min(self.most, math.ceil(claim.below * album.scale) - 1)
        self.budget = promise.photos
        if promise.budget is not None and promise.versions is None:
            self.budget = min(self.budget, int(promise.budget))
        elif promise.budget is not None:
            self.most = min(self.most, math.floor(promise.budget * album.scale))
        root = album.root
        if root is not None and not (root.state == STAYS).any():
            # a photo is kept: the dearest plan leaves out all units but the lightest
            self.most = min(self.most, total - self._least_saving(root))
            sizes = np.bincount(album.unit_of_photo)[root.state == OPEN]
            self.budget = min(self.budget, promise.photos - int(sizes.min()))
        self.rivals = [frozenset(self._rivals(a)) for a in promise.against]

    def _least_saving(self, root: Node) -> int:
        """What keeping one unit saves at the least."""
        album = self.album
        photos: dict[int, int] = {}
        for row in np.flatnonzero(root.shareable).tolist():
            photo, saved = int(album.photo_of[row]), album.saved[row]
            photos[photo] = min(saved, photos.get(photo, saved))
        units: dict[int, int] = {}
        for photo, saved in photos.items():
            unit = int(album.unit_of_photo[photo])
            units[unit] = units.get(unit, 0) + saved
        return min(units.values())

    @staticmethod
    def _rivals(against: Against) -> Sequence[int]:
        if against.rivals is not None:
            return against.rivals
        truth = set(against.truth)
        return [cell for cell in range(against.cells) if cell not in truth]

    def check(self, tree: Sequence[ProofNode]) -> PlanProblem | None:
        """Why the tree does not prove the claim; None where it does."""
        root = self.album.root
        waiting = [None if root is None else root.copy()]
        for number, entry in enumerate(tree):
            if not waiting or not self._is_well_formed(entry):
                return PlanProblem(ProblemKind.PROOF_NODE, found=number)
            node = waiting.pop()
            children = _no_children(entry) if node is None else self._divide(node, entry)
            if children is None:
                return PlanProblem(ProblemKind.PROOF_OPEN, found=number)
            waiting += reversed(children)
        left = root is not None and waiting
        return PlanProblem(ProblemKind.PROOF_OPEN, found=len(tree)) if left else None

    def _is_well_formed(self, entry: ProofNode) -> bool:
        """Whether all numbers of a node are what they should be."""
        attackers = self.album.promise.against
        prices, pairs = entry.prices, [*_groups(entry.rivals, 2)]
        rows = [*_groups(prices[2:], 4), *_groups(entry.excluded, 4)]
        lengths = len(prices) >= 2 and not (len(prices) - 2) % 4 and not len(entry.excluded) % 4
        named = [*pairs, *((a, rival) for a, rival, _, _ in rows)]
        return (
            lengths
            and not len(entry.rivals) % 2
            and min(prices[:2]) >= 0
            and all(0 <= a < len(attackers) and rival in self.rivals[a] for a, rival in named)
            and all(cell in attackers[a].truth and price >= 0 for a, _, cell, price in rows)
            and len(set(pairs)) == len(pairs)
            and (entry.row is None or (0 <= entry.row < len(self.album.photo_of) and not pairs))
        )

    def _divide(self, node: Node, entry: ProofNode) -> list[Node | None] | None:
        """The children of a node, None for those without plans; None where the node is open."""
        closed = _no_children(entry)
        if self._exclude_impossible(node) or not self._is_reachable(node):
            return closed
        rows = [*_groups(entry.prices[2:], 4)]
        if self._close_by_prices(node, entry.prices[:2], rows):
            return closed
        excluded = [*_groups(entry.excluded, 4)]
        quick = self._excluded_on_grid(node, entry.prices[:2], rows, excluded)
        for row, is_excluded in zip(excluded, quick, strict=True):
            trial = node.copy()
            trial.holding |= {row[:2]}
            if (
                not is_excluded
                and not self._exclude_impossible(trial)
                and not self._close_by_prices(trial, entry.prices[:2], [*rows, row])
            ):
                return None
        node.uncounted |= {(row[0], row[1]) for row in excluded}
        if not self._is_reachable(node):
            return closed
        if entry.rivals:
            return self._divide_by_rivals(node, [*_groups(entry.rivals, 2)])
        if entry.row is not None:
            return self._divide_by_row(node, entry.row)
        return closed if self._is_refuted_plan(node) else None

    def _divide_by_rivals(self, node: Node, rivals: Sequence[Rival]) -> list[Node | None] | None:
        children: list[Node | None] = []
        for rival in rivals:
            child = node.copy()
            child.holding |= {rival}
            children.append(child)
            node.uncounted |= {rival}
        return None if self._is_reachable(node) else children

    def _divide_by_row(self, node: Node, row: int) -> list[Node | None]:
        album = self.album
        shared, other = node.copy(), node.copy()
        siblings = album.photo_of == album.photo_of[row]
        siblings[row] = False
        shared.shareable &= ~siblings
        shared.state[album.unit_of[row]] = STAYS
        closed = np.zeros(len(node.shareable), bool)
        closed[row] = True
        is_empty = self._close_rows(other, closed)
        return [shared if node.shareable[row] else None, None if is_empty else other]

    def _close_rows(self, node: Node, rows: Mask) -> bool:
        """These rows are not shared: whether that leaves no plan."""
        album = self.album
        node.shareable &= ~rows
        without = ~np.logical_or.reduceat(node.shareable, album.first_rows)
        units = album.unit_of_photo[without]
        if (node.state[units] == STAYS).any():
            return True
        node.state[units] = GOES
        node.shareable &= node.state[album.unit_of] != GOES
        return bool((node.state == GOES).all())

    def _exclude_impossible(self, node: Node) -> bool:
        """Close rows that make rivals impossible that hold; whether that leaves no plan."""
        album = self.album
        for a, rival in node.holding:
            rows = album.impossible(a, rival) & node.shareable
            never = album.never(a, rival)
            if not never and not rows.any():
                continue
            truth = album.promise.against[a].truth
            certain = any(album.certainly_possible(node, a, cell) for cell in truth)
            if (album.strict or certain) and (never or self._close_rows(node, rows)):
                return True
        return False

    def _is_reachable(self, node: Node) -> bool:
        """Whether enough rivals are counted."""
        left = [len(rivals) for rivals in self.rivals]
        for a, _ in node.uncounted:
            left[a] -= 1
        enough = all(count >= need for count, need in zip(left, self.claim.needs, strict=True))
        return enough and sum(left) >= self.claim.total

    def _are_fulfilled(self, node: Node, rows: Sequence[Row]) -> bool:
        """Whether all plans of a node fulfil these rows: their rivals hold, and nobody wins by a
        probability of zero."""
        return all(
            (a, rival) in node.holding and self.album.certainly_possible(node, a, cell)
            for a, rival, cell, price in rows
            if price
        )

    def _close_by_prices(self, node: Node, prices: Sequence[int], rows: Sequence[Row]) -> bool:
        """Whether prices leave no plan; otherwise, what they decide is decided."""
        if not self._are_fulfilled(node, rows):
            return False
        bits = self.album.bits
        if bits is not None and self._extent(prices, rows, bits) < LARGEST:
            value, nearest = self._apply_prices(node, prices, rows, bits)
            rounding = sum(row[3] for row in rows) * (2 * len(node.shareable) + 4)
            if value < 0 or min(value, nearest) > 2 * rounding:
                return value < 0
        return self._apply_prices(node, prices, rows, UNIT_BITS)[0] < 0

    def _extent(self, prices: Sequence[int], rows: Sequence[Row], bits: int) -> int:
        """More than any sum of this can be on a grid."""
        album = self.album
        cost = prices[0] * (sum(album.weights) + abs(self.most)) + prices[1] * 2 * len(
            album.weights
        )
        total = sum(row[3] for row in rows)
        return (cost << bits) + (total * (len(album.photo_of) + 2) << (GRID_BITS + 2))

    def _add_up(self, prices: Sequence[int], rows: Sequence[Row], bits: int) -> tuple[Whole, int]:
        """The priced inequalities added up: what each row shared gives, and the constant."""
        album, one = self.album, 1 << bits
        dtype = object if bits == UNIT_BITS else np.int64
        gain = np.array([(prices[0] * saved + prices[1]) * one for saved in album.saved], dtype)
        spare = prices[0] * (self.most - sum(album.weights))
        base = (spare + prices[1] * (self.budget - len(album.weights))) * one
        for a, rival, cell, price in rows:
            gains, constant = album.row(a, rival, cell, bits)
            gain, base = gain + price * gains, base + price * constant
        return gain, base

    def _largest(self, node: Node, gain: Whole) -> tuple[Whole, Whole, Whole]:
        """What each photo and each unit gives at most where it stays, and what each unit gives."""
        album = self.album
        gain = np.where(node.shareable, gain, gain.min() - 1)
        photos = np.maximum.reduceat(gain, album.first_rows, axis=-1)
        kept = np.add.reduceat(photos[..., album.by_unit], album.first_photos, axis=-1)
        kept = np.where(node.state == GOES, 0, kept)
        return photos, kept, np.where(node.state == OPEN, np.maximum(kept, 0), kept)

    def _apply_prices(
        self, node: Node, prices: Sequence[int], rows: Sequence[Row], bits: int
    ) -> tuple[int, int]:
        """The largest value of the sum; from 0 up, what would make it negative is ruled out.

        And by how little anything else would not have.
        """
        album = self.album
        gain, value = self._add_up(prices, rows, bits)
        photos, kept, best = self._largest(node, gain)
        value += int(best.sum())
        if value < 0:
            return value, 0
        is_open = node.state == OPEN
        nearest = min(np.abs(np.abs(kept[is_open]) - value).tolist(), default=LARGEST)
        decided = is_open & np.asarray(np.abs(kept) > value, bool)
        node.state[decided & np.asarray(kept > 0, bool)] = STAYS
        node.state[decided & np.asarray(kept < 0, bool)] = GOES
        node.shareable &= node.state[album.unit_of] != GOES
        if len(album.photo_of) > len(album.weights):  # versions
            lost = photos[album.photo_of] - gain + (best - kept)[album.unit_of]
            nearest = min([nearest, *np.abs(lost - value)[node.shareable].tolist()])
            if self._close_rows(node, np.asarray(lost > value, bool)):
                return -1, 0
        return (-1, 0) if (node.state == GOES).all() else (value, nearest)

    def _excluded_on_grid(
        self, node: Node, prices: Sequence[int], rows: Sequence[Row], excluded: Sequence[Row]
    ) -> list[bool]:
        """Which of these rivals cannot hold, as far as the grid tells: all of them at once."""
        album, bits = self.album, self.album.bits
        result = [False] * len(excluded)
        most = max((row[3] for row in excluded), default=0)
        extent = self._extent(prices, [*rows, (0, 0, 0, most)], bits or 0)
        if bits is None or extent >= LARGEST or not self._are_fulfilled(node, rows):
            return result
        gain, base = self._add_up(prices, rows, bits)
        for a in {row[0] for row in excluded}:
            own = [i for i, row in enumerate(excluded) if row[0] == a]
            own = [
                i
                for i in own
                if album.certainly_possible(node, a, excluded[i][2])
                and not album.never(a, excluded[i][1])
            ]
            if not own:
                continue
            _, rivals, cells, more = np.array([excluded[i] for i in own]).T
            gains, constants = album.rows(a, rivals, cells, bits)
            _, _, best = self._largest(node, gain + more[:, None] * gains)
            values = best.sum(axis=1) + base + more * constants
            for i, value in zip(own, values.tolist(), strict=True):
                result[i] = value < 0
        return result

    def _is_refuted_plan(self, node: Node) -> bool:
        """Whether only one plan is left, and it does not fulfil the claim."""
        album, claim = self.album, self.claim
        shareable = node.shareable & (node.state[album.unit_of] == STAYS)
        if (node.state == OPEN).any() or shareable.sum() > (
            (node.state == STAYS)[album.unit_of_photo].sum()
        ):
            return False
        shared = np.flatnonzero(shareable).tolist()
        cost = sum(album.weights) - sum(album.saved[row] for row in shared)
        if cost > self.most or len(album.weights) - len(shared) > self.budget:
            return True
        counts = []
        for a, view in enumerate(album.merged_facts.views(shared)):
            assert isinstance(view, CheckedView)
            held = {(a, rival) for rival in view.held}
            if any(rival not in held for rival in node.holding if rival[0] == a):
                return True
            counts.append(len(held - node.uncounted))
        pairs = zip(counts, claim.needs, strict=True)
        return any(count < need for count, need in pairs) or sum(counts) < claim.total


def _no_children(entry: ProofNode) -> list[Node | None]:
    """As many children as a node has, all of them without plans."""
    return [None] * (len(entry.rivals) // 2 if entry.row is None else 2)


def _groups(numbers: Sequence[int], size: int) -> Iterator[Any]:
    """Numbers in groups of so many."""
    for start in range(0, len(numbers) - size + 1, size):
        yield tuple(numbers[start : start + size])

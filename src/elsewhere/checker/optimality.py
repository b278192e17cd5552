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

For a promise about circles, the rows are those of groups of cells against hidden circles, which
every plan fulfils (`place_rows`); a proof says which groups and circles.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.checker.arithmetic import UNIT_BITS, units
from elsewhere.checker.circles import Floats
from elsewhere.checker.facts import AlbumFacts, CheckedView
from elsewhere.checker.place_rows import PlaceView, is_well_formed, row_promise
from elsewhere.checker.places import ROUNDING
from elsewhere.values.plan import Plan, Status
from elsewhere.values.problems import PlanProblem, ProblemKind
from elsewhere.values.promise import Against, Promise
from elsewhere.values.proof import PlaceRows, Proof, ProofNode
from elsewhere.values.scores import Scores

Whole = NDArray[Any]
"""Whole numbers: of 64 bits, or Python's own where these would overflow."""
Mask = NDArray[np.bool_]
GRID_BITS = 32
"""Scores on the grid have at most so many bits."""
LARGEST = 2**62
"""Sums on the grid stay below this."""
OPEN, STAYS, GOES = 0, 1, -1
_CELLS = 4_096
"""Cells that prices are tried on at a time."""
Rival = tuple[int, int]
"""An attacker and a cell."""
Row = tuple[int, int, int, int]
"""An attacker, a rival, a cell of the truth, and a price."""


@dataclass(frozen=True)
class Claim:
    """No plan fulfils all of this."""

    each: int | None
    """So many rivals hold for each attacker, or more; None for his own top."""
    total: int = 0
    """So many hold together, or more."""
    below: int | Fraction | None = None
    """The cost is below this; None for any cost."""

    def need(self, against: Against) -> int:
        """How many rivals of an attacker hold, or more."""
        return (against.top or 0) if self.each is None else self.each


@dataclass
class Node:
    """The plans of a node: what they may share, and what is known of rivals."""

    shareable: Mask
    """(rows,) which rows may be shared."""
    state: NDArray[np.int8]
    """(units,) OPEN, STAYS or GOES."""
    uncounted: tuple[frozenset[int], ...]
    """For each attacker, the rivals that are not counted."""
    holding: frozenset[Rival] = frozenset()

    def copy(self) -> Node:
        """The same node, to be changed."""
        return Node(self.shareable.copy(), self.state.copy(), self.uncounted, self.holding)

    def do_not_count(self, rivals: Iterable[Rival]) -> None:
        """These rivals are not counted from here on."""
        more: list[list[int]] = [[] for _ in self.uncounted]
        for attacker, rival in rivals:
            more[attacker].append(rival)
        self.uncounted = tuple(map(frozenset.union, self.uncounted, more))


def prove_optimal(plan: Plan, proof: Proof, scores: Sequence[Scores]) -> tuple[PlanProblem, ...]:
    """What is wrong with a proof that no plan is better than `plan`, which was checked otherwise.

    For a plan that is only feasible: that none is better than its bound.
    """
    if plan.status == Status.UNKNOWN:
        return (PlanProblem(ProblemKind.PROOF_OF_NOTHING),)
    claims = claims_of(plan)
    if len(claims) != len(proof.trees):
        found, wanted = len(proof.trees), len(claims)
        return (PlanProblem(ProblemKind.PROOF_TREES, found=found, wanted=wanted),)
    views = _place_views(plan.promise, scores)
    places = proof.places or ((),) * len(claims)
    if [*map(len, places)] != [len(views)] * len(claims):
        return (PlanProblem(ProblemKind.PROOF_PLACES, found=0),)
    problems = []
    for number, (claim, tree, rows) in enumerate(zip(claims, proof.trees, places, strict=True)):
        album = _album(plan.promise, scores, claim, [*zip(views, rows, strict=True)])
        if album is None:
            problems.append(PlanProblem(ProblemKind.PROOF_PLACES, found=number))
            continue
        problem = Refutation(album, claim).check(tree)
        if problem is not None:
            problems.append(replace(problem, found=f"{number}:{problem.found}"))
    return tuple(problems)


def claims_of(plan: Plan) -> list[Claim]:
    """What a plan says of all others.

    About circles it says nothing of sums over attackers: these are not counted beyond what is
    needed.
    """
    if plan.promise.budget is None:
        return [Claim(None, below=None if plan.status == Status.INFEASIBLE else plan.bound)]
    if plan.status == Status.INFEASIBLE:
        return [Claim(0)]
    claims = [Claim(int(plan.bound) + 1)]
    if plan.status == Status.OPTIMAL:
        counts = [view.protected_k for view in plan.views]
        total = sum(counts)
        if any(against.circles is not None for against in plan.promise.against):
            total = 0
        elif len(counts) > 1:
            claims.append(Claim(min(counts), total + 1))
        claims.append(Claim(min(counts), total, plan.cost))
    return claims


def _place_views(promise: Promise, scores: Sequence[Scores]) -> list[PlaceView]:
    """The attackers who look for circles, each once."""
    tables = dict(zip(promise.against, scores, strict=True))
    pairs = [(against, table) for against, table in tables.items() if against.circles is not None]
    return [PlaceView(against, table, promise.photo_of) for against, table in pairs]


def _album(
    promise: Promise,
    scores: Sequence[Scores],
    claim: Claim,
    places: Sequence[tuple[PlaceView, PlaceRows]],
) -> Album | None:
    """The album with rows in place of circles; None where they do not follow from the scores."""
    pairs = [*zip(promise.against, scores, strict=True)]
    pairs = [pair for pair in pairs if pair[0].circles is None]
    telling, watched = np.zeros(promise.rows, bool), []
    for view, rows in places:
        circles = view.circles(rows) if is_well_formed(rows, view.against.cells) else None
        if circles is None:
            return None
        telling |= view.telling(circles)
        watched.append((view, circles))
    base = replace(promise, against=tuple(against for against, _ in pairs))
    album = Album(base, [table for _, table in pairs], telling, watched)
    if not places:
        return album
    refutation = Refutation(album, claim)
    for number, (view, rows) in enumerate(places):
        if album.root is None or not (rows.groups or rows.prices):
            continue
        low, high = view.table(watched[number][1])
        left = view.eligible.copy()
        for circle, *prices in _groups(rows.prices, 4):
            left &= ~refutation.excluded(prices, high, low[:, circle], view)
        groups = view.group(left, rows.groups, high)
        if groups is None:
            return None
        pairs.append(row_promise(view, f"circles {number}", low, groups, claim.need(view.against)))
    whole = replace(promise, against=tuple(against for against, _ in pairs))
    return Album(whole, [table for _, table in pairs], telling, watched)


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

    def __init__(
        self,
        promise: Promise,
        scores: Sequence[Scores],
        telling: Mask,
        watched: Sequence[tuple[PlaceView, list[NDArray[np.intp]]]],
    ) -> None:
        """For attackers of cells; `telling` rows show others a place alone, who `watch` circles."""
        self.telling, self.watched = telling, watched
        self.facts = AlbumFacts(promise, scores)
        self.promise = merge(promise)
        tables = {
            against.scores: table for against, table in zip(promise.against, scores, strict=True)
        }
        tables_of = [tables[against.scores] for against in self.promise.against]
        self.merged_facts = self.facts
        if self.promise != promise:
            self.merged_facts = AlbumFacts(self.promise, tables_of)
        self.values = [table.values for table in tables_of]
        self.zeros = [bool(np.isneginf(values).any()) for values in self.values]
        """For each attacker, whether a row makes any cell impossible."""
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
        amounts = {*values, *costs}
        denominator = math.lcm(*(x.denominator for x in amounts))
        divisor = math.gcd(*(int(x * denominator) for x in amounts))
        self.scale = Fraction(denominator, divisor)
        whole = {amount: int(amount * self.scale) for amount in amounts}
        self.weights = [whole[value] for value in values]
        pairs = zip(self.photo_of.tolist(), costs, strict=True)
        self.saved = [self.weights[photo] - whole[cost] for photo, cost in pairs]
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
        exempt = np.isin(self.photo_of, list(facts.pinned))
        shareable &= ~self.telling | exempt
        state = np.zeros(int(self.unit_of_photo.max()) + 1, np.int8)
        state[self.unit_of_photo[list(facts.pinned)]] = STAYS
        bare = ~np.logical_or.reduceat(shareable, self.first_rows)
        gone = self.unit_of_photo[[*facts.forced, *np.flatnonzero(bare).tolist()]]
        if (state[gone] == STAYS).any():
            return None
        state[gone] = GOES
        shareable[state[self.unit_of] == GOES] = False
        none = (frozenset[int](),) * len(self.promise.against)
        return None if (state == GOES).all() else Node(shareable, state, none)

    def impossible(self, attacker: int, cell: int) -> Mask:
        """(rows,) the rows that make a cell impossible for an attacker."""
        return np.asarray(np.isneginf(self.values[attacker][:, cell]) & self.seen[attacker])

    def never(self, attacker: int, cell: int) -> bool:
        """Whether a cell is impossible beforehand."""
        prior = self.promise.against[attacker].prior
        return prior is not None and prior[cell] == -math.inf

    @cached_property
    def _impossible_truths(self) -> list[dict[int, Mask]]:
        """For each attacker the cells of the truth that a row makes impossible, with these rows."""
        found = []
        for a, against in enumerate(self.promise.against):
            rows = {cell: self.impossible(a, cell) for cell in against.truth}
            found.append({cell: own for cell, own in rows.items() if own.any()})
        return found

    def certainly_possible(self, node: Node, attacker: int, cell: int) -> bool:
        """Whether no plan of a node makes this cell of the truth impossible."""
        if self.never(attacker, cell):
            return False
        rows = self._impossible_truths[attacker].get(cell)
        return rows is None or not (rows & node.shareable).any()

    def rows(
        self, attacker: int, rivals: NDArray[np.intp], cells: NDArray[np.intp], bits: int
    ) -> tuple[Whole, Whole]:
        """What each row shared adds to how far rivals are ahead of cells, and what it is before.

        In 2^-bits nats, rounded in the rivals' favour. Impossible scores count as 0.
        """
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
        self.needs = [claim.need(against) for against in promise.against]

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
            if is_excluded:
                continue
            trial = node.copy()
            trial.holding |= {row[:2]}
            if not self._exclude_impossible(trial) and not self._close_by_prices(
                trial, entry.prices[:2], [*rows, row]
            ):
                return None
        node.do_not_count(row[:2] for row in excluded)
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
            node.do_not_count([rival])
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
            never = album.never(a, rival)
            if not never and not album.zeros[a]:
                continue
            rows = album.impossible(a, rival) & node.shareable
            if not never and not rows.any():
                continue
            truth = album.promise.against[a].truth
            certain = any(album.certainly_possible(node, a, cell) for cell in truth)
            if (album.strict or certain) and (never or self._close_rows(node, rows)):
                return True
        return False

    def _is_reachable(self, node: Node) -> bool:
        """Whether enough rivals are counted."""
        pairs = zip(self.rivals, node.uncounted, strict=True)
        left = [len(rivals) - len(out) for rivals, out in pairs]
        enough = all(count >= need for count, need in zip(left, self.needs, strict=True))
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
        saved = album.saved if prices[0] else [0] * len(album.saved)  # else it may not fit
        gain = (prices[0] * np.array(saved, dtype) + prices[1]) * one
        spare = prices[0] * (self.most - sum(album.weights))
        base = (spare + prices[1] * (self.budget - len(album.weights))) * one
        for a in {row[0] for row in rows}:
            _, rivals, cells, own = zip(*(row for row in rows if row[0] == a), strict=True)
            gains, constants = album.rows(a, np.array(rivals), np.array(cells), bits)
            priced = np.array(own, dtype)
            gain, base = gain + priced @ gains, base + int(priced @ constants)
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

    def excluded(self, prices: Sequence[int], most: Floats, least: Floats, view: PlaceView) -> Mask:
        """(cells,) which cells no plan of the root puts ahead of a hidden circle, clearly.

        By prices of cost, budget and row; of (rows, cells) and (rows,) what is held of each row.
        """
        root, found = self.album.root, np.zeros(most.shape[1], bool)
        assert root is not None
        used = view.seen & root.shareable
        if np.isneginf(least[used]).any() or not 0 < prices[2] < LARGEST:
            return found
        gain, whole = self._add_up(prices[:2], (), UNIT_BITS)
        try:
            fixed, base = (gain >> UNIT_BITS).astype(np.float64), float(whole >> UNIT_BITS)
        except OverflowError:
            return found
        impossible = np.isneginf(most) & used[:, None]
        for start in range(0, len(found), _CELLS):
            part = slice(start, start + _CELLS)
            with np.errstate(over="ignore", invalid="ignore"):  # what is beyond the floats is open
                ahead = np.where(used[:, None], most[:, part] - least[:, None], 0.0).T
                ahead = prices[2] * (ahead - np.where(used, view.against.margin, 0.0))
                sizes = np.abs(fixed) + np.where(impossible[:, part].T, 0.0, np.abs(ahead))
                sizes += prices[2] * (np.abs(np.where(used, least, 0.0)) + view.against.margin)
                rounding = (len(used) + 16) * ROUNDING * (sizes.sum(axis=1) + abs(base))
                _, _, best = self._largest(root, fixed + ahead)
                found[part] = best.sum(axis=1) + base + rounding < 0
        return found

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
            held = {*view.held}
            if any(rival not in held for attacker, rival in node.holding if attacker == a):
                return True
            counts.append(len(held - node.uncounted[a]))
        if any(map(operator.lt, counts, self.needs)) or sum(counts) < claim.total:
            return True
        pairs = ((view, circles, claim.need(view.against)) for view, circles in album.watched)
        return any(view.refutes(shared, circles, need) for view, circles, need in pairs)


def _no_children(entry: ProofNode) -> list[Node | None]:
    """As many children as a node has, all of them without plans."""
    return [None] * (len(entry.rivals) // 2 if entry.row is None else 2)


def _groups(numbers: Sequence[int], size: int) -> Iterator[Any]:
    """Numbers in groups of so many."""
    for start in range(0, len(numbers) - size + 1, size):
        yield tuple(numbers[start : start + size])

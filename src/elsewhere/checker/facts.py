"""What is true of an album, whatever a plan says of it: the facts that the check compares with.

From a promise and the scores, in whole numbers: which photos may be kept together, what that costs,
and which rivals then hold, in which order, by how much.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from elsewhere.checker.arithmetic import Contest, column_sums, counts_alone, nearest, units
from elsewhere.checker.circles import Hidden, Points, directions
from elsewhere.checker.places import ChosenRows, PlacePromise, find_telling, prove_places
from elsewhere.values.problems import PlanProblem, ProblemKind
from elsewhere.values.promise import MAX_RADIUS_KM, MIN_RADIUS_KM, Against, Promise
from elsewhere.values.scores import Scores

_COUNTS_ALONE: dict[object, list[int]] = {}
"""What single photos give away: pins, tops and plans change nothing about it."""
_TELLING: dict[object, dict[int, PlanProblem]] = {}
_SURELY_TELLING: dict[object, dict[int, bool]] = {}
"""By attacker: photos that seem to show him a place alone, and whether those looked at do so."""
_CIRCLE_VIEWS: dict[object, CheckedCircles] = {}
"""What attackers who look for circles make of sets of photos: a bound is tried on the same one."""
MAX_COUNTS_ALONE = 64
"""Results remembered; beyond, all of them are forgotten."""
_HIDDEN: dict[tuple[object, ...], tuple[object, Points, Hidden]] = {}
MAX_HIDDEN = 16
"""Hidden places remembered; beyond, all of them are forgotten."""


@dataclass(frozen=True)
class CheckedView:
    """What one attacker makes of the kept photos, worked out exactly."""

    held: tuple[int, ...]
    """The rivals that hold, furthest ahead first."""
    leads: tuple[int, ...]
    """How far each is ahead, in units; empty where all of them are infinitely far."""
    zero: bool
    """Whether a probability of zero settles some row."""

    @property
    def count(self) -> int:
        """How many rivals hold."""
        return len(self.held)

    def slack(self, needed: int) -> float:
        """By how much the last of `needed` rivals is ahead, rounded once."""
        return nearest(self.leads[needed - 1]) if needed and self.leads else math.inf


@dataclass(frozen=True)
class CheckedCircles:
    """What one attacker who looks for circles makes of the kept photos."""

    count: int
    """How many distinct places are proved to come before those hidden, up to what is wanted."""
    zero: bool
    problems: tuple[PlanProblem, ...]

    def slack(self, needed: int) -> float:
        """By how much circles are ahead is not worked out: only whether they are."""
        return math.inf


class AlbumFacts:
    """The promise beside its scores: which sets of photos it allows, and what then is seen.

    `needs` are the tops that circles are counted up to: the promise's own, where it names them.
    What single rows give away by circles is worked out for those `shared`. Others that seem to give
    the truth away count as if they did, for only a bound rests on that.
    """

    def __init__(
        self,
        promise: Promise,
        scores: Sequence[Scores],
        needs: Sequence[int] | None = None,
        shared: Collection[int] = (),
    ) -> None:
        self.promise = promise
        self.scores = scores
        self._shared = frozenset(shared)
        self.needs = needs or [against.top or 0 for against in promise.against]
        self._rivals: list[tuple[int, ...]] = []
        self._summed: dict[int, tuple[frozenset[int], list[int], list[bool]]] = {}
        self.photo_of = promise.photo_of
        """The photo of each row of the scores."""
        self.revealing: dict[int, PlanProblem] = {}
        """Rows that give the truth away alone, where that is not wanted."""
        self.pinned = with_groups(promise, promise.keep)
        for number, (against, table) in enumerate(zip(promise.against, scores, strict=True)):
            if against.circles is not None:
                self._rivals.append(())
                for row, problem in self._telling(number).items():
                    self.revealing.setdefault(row, problem)
                continue
            rivals, truth = against.rivals, set(against.truth)
            if rivals is None:
                rivals = tuple(cell for cell in range(against.cells) if cell not in truth)
            self._rivals.append(rivals)
            wanted = against.each_photo
            if wanted is None:
                continue
            rows = self.rows_seen(number)
            handicap = units(against.margin) + units(against.lead)
            contest = Contest(against.truth, rivals, against.prior, handicap, promise.strict)
            key = (table.digest, rows, contest)
            counts = _COUNTS_ALONE.get(key)
            if counts is None:
                if len(_COUNTS_ALONE) >= MAX_COUNTS_ALONE:
                    _COUNTS_ALONE.clear()
                counts = _COUNTS_ALONE[key] = counts_alone(table.values, rows, contest)
            for row, found in zip(rows, counts, strict=True):
                if found < wanted:
                    photo = self.photo_of[row]
                    problem = PlanProblem(ProblemKind.ALONE, number, photo, found, wanted)
                    self.revealing.setdefault(row, problem)
        for row in [row for row in self.revealing if self.photo_of[row] in self.pinned]:
            del self.revealing[row]  # its photo must stay: it is exempt
        self.cheapest: dict[int, int] = {}
        """The cheapest row of each photo that may be shared."""
        order: Iterable[int] = range(promise.rows)
        if promise.versions is not None:
            order = sorted(order, key=self.row_cost)
        for row in order:
            if row not in self.revealing:
                self.cheapest.setdefault(self.photo_of[row], row)
        revealing = {photo for photo in range(promise.photos) if photo not in self.cheapest}
        self.forced = with_groups(promise, {*promise.drop, *revealing})
        self.all_but_forced = frozenset(range(promise.photos)) - self.forced

    def rows_seen(self, attacker: int) -> Sequence[int]:
        """The rows that an attacker adds up where they are shared."""
        sees = self.promise.against[attacker].sees
        if sees is None:
            return range(self.promise.rows)
        if self.promise.versions is None:
            return sees
        seen = set(sees)
        return tuple(row for row, photo in enumerate(self.photo_of) if photo in seen)

    def row_cost(self, row: int) -> Fraction:
        """What sharing a photo as this row costs."""
        versions = self.promise.versions
        return Fraction(0) if versions is None else versions[row].cost

    def cost(self, withheld: Collection[int], shared: Collection[int]) -> int | Fraction:
        """What is withheld, in the photos' values, and what the rows shared cost."""
        values = self.promise.values
        cost = len(withheld) if values is None else sum((values[i] for i in withheld), Fraction(0))
        if self.promise.versions is None:
            return cost
        return cost + sum(map(self.row_cost, shared), Fraction(0))

    def hidden(self, number: int) -> tuple[Hidden, PlacePromise]:
        """What is hidden from an attacker who looks for circles, and what is promised."""
        against, table = self.promise.against[number], self.scores[number]
        assert against.circles is not None
        radius = against.circles.radius_km
        promise = PlacePromise(radius, self.needs[number], against.each_photo, against.margin)
        return find_hidden(against, table), promise

    def rows(self, number: int, chosen: Sequence[int]) -> ChosenRows:
        """Chosen rows as an attacker sees them; what he thinks impossible is so."""
        against, values = self.promise.against[number], self.scores[number].values
        if against.rivals is None:
            return ChosenRows(values, chosen)
        possible = np.full((len(chosen), values.shape[1]), -math.inf, values.dtype)
        cells = list(against.rivals)
        possible[:, cells] = values[np.ix_(list(chosen), cells)]
        return ChosenRows(possible)

    def _telling(self, number: int) -> dict[int, PlanProblem]:
        """The rows that show an attacker a hidden place alone, or seem to; remembered."""
        against, table = self.promise.against[number], self.scores[number]
        if against.each_photo is None:
            return {}
        rows = self.rows_seen(number)
        key = (table.places_digest, rows, replace(against, top=None))
        telling, certain = _TELLING.get(key), _SURELY_TELLING.get(key)
        hidden, promise = self.hidden(number)
        if telling is None or certain is None:
            if len(_TELLING) >= MAX_COUNTS_ALONE:
                _TELLING.clear()
                _SURELY_TELLING.clear()
            quick = replace(promise, quick=True)
            found = find_telling(self.rows(number, rows), hidden, quick)
            telling = _TELLING[key] = {rows[p.photo or 0]: p for p in found}
            certain = _SURELY_TELLING[key] = {}
        problems = {}
        for row, problem in telling.items():
            photo = self.photo_of[row]
            matters = row in self._shared and photo not in self.pinned  # else not shared, or exempt
            if matters and row not in certain:
                certain[row] = bool(find_telling(self.rows(number, [row]), hidden, promise))
            if certain.get(row, True):
                problems[row] = replace(problem, attacker=number, photo=photo)
        return problems

    def seen(self, number: int, shared: Iterable[int]) -> list[int]:
        """The rows shared that an attacker adds up, ascending."""
        if self.promise.against[number].sees is None:
            return sorted(shared)
        return sorted(set(shared).intersection(self.rows_seen(number)))

    def _circles(self, number: int, shared: Collection[int], *, quick: bool) -> CheckedCircles:
        seen, wanted = self.seen(number, shared), self.needs[number]
        if not seen or not wanted:
            return CheckedCircles(wanted, False, ())
        against = replace(self.promise.against[number], top=None, each_photo=None)
        key = (self.scores[number].places_digest, against, tuple(seen), wanted, quick)
        known = _CIRCLE_VIEWS.get(key)
        if known is not None:
            problems = tuple(replace(problem, attacker=number) for problem in known.problems)
            return replace(known, problems=problems)
        hidden, promise = self.hidden(number)
        rows = self.rows(number, seen)
        promise = replace(promise, alone=None, quick=quick)  # single photos were looked at before
        problems = prove_places(rows, hidden, promise, attacker=number)
        found = min((int(str(problem.found)) for problem in problems), default=wanted)
        zero = bool(np.isneginf(rows.columns(hidden.zone)).any(axis=0).all())
        if len(_CIRCLE_VIEWS) >= MAX_COUNTS_ALONE:
            _CIRCLE_VIEWS.clear()
        checked = _CIRCLE_VIEWS[key] = CheckedCircles(found, zero, problems)
        return checked

    def cheapest_rows(self, photos: Collection[int]) -> list[int] | None:
        """The rows that share these photos at the least cost; None where one has none."""
        if any(photo not in self.cheapest for photo in photos):
            return None
        return [self.cheapest[photo] for photo in photos]

    def views(
        self, shared: Collection[int], *, quick: bool = False
    ) -> list[CheckedView | CheckedCircles]:
        """What each attacker makes of the rows that are shared; `quick` may count too few circles.

        Totals are built on the last ones where those were of fewer rows: each row is then added
        once. Against a zone a rival must be ahead of every cell, so of the largest; cells that are
        impossible are passed by any rival (any possible one, where strict).
        """
        views: list[CheckedView | CheckedCircles] = []
        strict = self.promise.strict
        for number, against in enumerate(self.promise.against):
            if against.circles is not None:
                views.append(self._circles(number, shared, quick=quick))
                continue
            seen = frozenset(self.seen(number, shared))
            before, totals, out = self._summed.get(number, (frozenset(), [], []))
            if not before or not before <= seen:
                before, totals, out = frozenset(), [0] * against.cells, [False] * against.cells
            more, impossible = column_sums(self.scores[number].values, sorted(seen - before))
            totals = list(map(operator.add, totals, more))
            out = list(map(operator.or_, out, impossible.tolist()))
            self._summed[number] = (seen, totals, out)
            if against.prior is not None:
                out = [x or known == -math.inf for x, known in zip(out, against.prior, strict=True)]
                pairs = zip(totals, against.prior, out, strict=True)
                totals = [0 if never else total + units(known) for total, known, never in pairs]
            rivals = self._rivals[number]
            possible = [totals[z] for z in against.truth if not out[z]]
            zero = len(possible) < len(against.truth)
            if not possible:
                held = tuple(r for r in rivals if not (strict and out[r]))
                views.append(CheckedView(held, (), zero))
                continue
            bar = max(possible) + len(seen) * units(against.margin) + units(against.lead)
            leads = ((totals[r] - bar, r) for r in rivals if not out[r])
            least = 1 if strict else 0
            order = sorted((-lead, r) for lead, r in leads if lead >= least)
            held = tuple(r for _, r in order)
            views.append(CheckedView(held, tuple(-behind for behind, _ in order), zero))
        return views

    def fulfilling_views(self, kept: Collection[int]) -> list[CheckedView | CheckedCircles] | None:
        """The views of `kept`, whole groups, where they fulfil the promise; None otherwise.

        Each photo is shared as its cheapest row. Pins, drops, groups, lone photos and budget must
        allow it, and every top must be reached. Only a bound rests on this, so circles are looked
        for around the heaviest points alone: a set that needs others counts as one that does not
        fulfil the promise.
        """
        promise = self.promise
        shared = self.cheapest_rows(kept)
        if not kept or shared is None:
            return None
        withheld = set(range(promise.photos)).difference(kept)
        spent = len(withheld) if promise.versions is None else self.cost(withheld, shared)
        if promise.budget is not None and spent > promise.budget:
            return None
        if not self.pinned.issubset(kept) or not self.forced.isdisjoint(kept):
            return None
        views = self.views(shared, quick=True)
        pairs = zip(self.promise.against, views, strict=True)
        return views if all(view.count >= (a.top or 0) for a, view in pairs) else None


def find_hidden(against: Against, table: Scores) -> Hidden:
    """What is hidden from an attacker who looks for circles; remembered."""
    assert against.circles is not None and table.points is not None
    radius = against.circles.radius_km
    key = (id(table.points[0]), id(table.points[1]), against.circles.positions, radius)
    known = _HIDDEN.get(key)
    if known is None:
        if len(_HIDDEN) >= MAX_HIDDEN:
            _HIDDEN.clear()
        points = next((p for k, (_, p, _) in list(_HIDDEN.items()) if k[:2] == key[:2]), None)
        points = points or Points(*table.points)
        places = directions(*np.array(against.circles.positions).T)
        known = _HIDDEN[key] = table.points, points, Hidden(points, places, radius)
    return known[2]


def with_groups(promise: Promise, photos: Iterable[int]) -> frozenset[int]:
    """`photos` and all that go with them."""
    together = {photo: group for group in promise.groups for photo in group}
    return frozenset(p for photo in photos for p in together.get(photo, (photo,)))


def validate_promise(promise: Promise) -> Iterator[PlanProblem]:
    """Why a promise has no meaning: a file may say anything."""
    photos, guarantee = promise.photos, promise.budget is None
    if not promise.against:
        yield PlanProblem(ProblemKind.NO_ATTACKER)
    for name, chosen in (("keep", promise.keep), ("drop", promise.drop)):
        if not ascending(chosen, photos):
            yield PlanProblem(ProblemKind.PINS, found=name)
    grouped = [photo for group in promise.groups for photo in group]
    valid = all(group and ascending(group, photos) for group in promise.groups)
    if len(set(grouped)) < len(grouped) or not valid:
        yield PlanProblem(ProblemKind.GROUPS)
    values = promise.values
    if values is not None and (len(values) != photos or min(values) <= 0):
        yield PlanProblem(ProblemKind.VALUES)
    elif promise.versions is not None and not _versions_are_valid(promise):
        yield PlanProblem(ProblemKind.VERSIONS)
    budget = promise.budget
    exact = int if promise.versions is None else (int, Fraction)
    if budget is not None and (not isinstance(budget, exact) or budget < 0):
        yield PlanProblem(ProblemKind.BUDGET)
    for number, a in enumerate(promise.against):
        if a.circles is not None:
            hidden = a.circles
            valid = not a.truth and not a.lead and a.prior is None
            valid = valid and MIN_RADIUS_KM <= hidden.radius_km <= MAX_RADIUS_KM
            places = all(abs(lat) <= 90 and abs(lon) <= 180 for lat, lon in hidden.positions)
            if not (valid and places and hidden.positions and 0 < hidden.exponent <= 1):
                yield PlanProblem(ProblemKind.POSITIONS, number)
        elif not a.truth or not ascending(a.truth, a.cells):
            yield PlanProblem(ProblemKind.TRUTH, number)
        rivals = a.rivals or ()
        if not ascending(rivals, a.cells) or not set(a.truth).isdisjoint(rivals):
            yield PlanProblem(ProblemKind.RIVALS, number)
        if a.sees is not None and not ascending(a.sees, photos):
            yield PlanProblem(ProblemKind.SEES, number)
        if (a.top is not None) != guarantee or (a.top is not None and a.top < 1):
            yield PlanProblem(ProblemKind.TOP, number)
        if a.each_photo is not None and a.each_photo < 1:
            yield PlanProblem(ProblemKind.EACH_PHOTO, number)
        if not (0 <= a.margin < math.inf and 0 <= a.lead < math.inf):
            yield PlanProblem(ProblemKind.MARGIN, number)
        known = a.prior
        if known is not None and (len(known) != a.cells or not all(p < math.inf for p in known)):
            yield PlanProblem(ProblemKind.PRIOR, number)


def _versions_are_valid(promise: Promise) -> bool:
    """Whether each photo has versions, in order, that cost less than leaving it out."""
    photo_of = list(promise.photo_of)
    if photo_of != sorted(photo_of) or set(photo_of) != set(range(promise.photos)):
        return False
    values = promise.values or [Fraction(1)] * promise.photos
    return all(0 <= version.cost < values[version.photo] for version in promise.versions or ())


def ascending(numbers: Sequence[int], end: int) -> bool:
    """Whether these are different numbers from 0 to `end` − 1 in order."""
    return list(numbers) == sorted(set(numbers)) and all(0 <= n < end for n in numbers)

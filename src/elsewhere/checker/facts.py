"""What is true of an album, whatever a plan says of it: the facts that the check compares with.

From a promise and the scores, in whole numbers: which photos may be kept together, what that costs,
and which rivals then hold, in which order, by how much.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from elsewhere.checker.arithmetic import Contest, column_sums, counts_alone, nearest, units
from elsewhere.values.problems import PlanProblem, ProblemKind
from elsewhere.values.promise import Promise
from elsewhere.values.scores import Scores

_COUNTS_ALONE: dict[object, list[int]] = {}
"""What single photos give away: pins, tops and plans change nothing about it."""
MAX_COUNTS_ALONE = 64
"""Results remembered; beyond, all of them are forgotten."""


@dataclass(frozen=True)
class CheckedView:
    """What one attacker makes of the kept photos, worked out exactly."""

    held: tuple[int, ...]
    """The rivals that hold, furthest ahead first."""
    leads: tuple[int, ...]
    """How far each is ahead, in units; empty where all of them are infinitely far."""
    zero: bool
    """Whether a probability of zero settles some row."""

    def slack(self, needed: int) -> float:
        """By how much the last of `needed` rivals is ahead, rounded once."""
        return nearest(self.leads[needed - 1]) if needed and self.leads else math.inf


class AlbumFacts:
    """The promise beside its scores: which sets of photos it allows, and what then is seen."""

    def __init__(self, promise: Promise, scores: Sequence[Scores]) -> None:
        self.promise = promise
        self.scores = scores
        self._rivals: list[tuple[int, ...]] = []
        self._summed: dict[int, tuple[frozenset[int], list[int], list[bool]]] = {}
        self.revealing: dict[int, PlanProblem] = {}
        """Photos that give the truth away alone, where that is not wanted."""
        for number, (against, table) in enumerate(zip(promise.against, scores, strict=True)):
            rivals, truth = against.rivals, set(against.truth)
            if rivals is None:
                rivals = tuple(cell for cell in range(against.cells) if cell not in truth)
            self._rivals.append(rivals)
            wanted = against.each_photo
            if wanted is None:
                continue
            photos = range(promise.photos) if against.sees is None else against.sees
            handicap = units(against.margin) + units(against.lead)
            contest = Contest(against.truth, rivals, against.prior, handicap, promise.strict)
            key = (table.digest, photos, contest)
            counts = _COUNTS_ALONE.get(key)
            if counts is None:
                if len(_COUNTS_ALONE) >= MAX_COUNTS_ALONE:
                    _COUNTS_ALONE.clear()
                counts = _COUNTS_ALONE[key] = counts_alone(table.values, photos, contest)
            for photo, found in zip(photos, counts, strict=True):
                if found < wanted:
                    problem = PlanProblem(ProblemKind.ALONE, number, photo, found, wanted)
                    self.revealing.setdefault(photo, problem)
        self.together = {photo: group for group in promise.groups for photo in group}
        self.forced = self.with_groups({*promise.drop, *self.revealing})
        self.pinned = self.with_groups(promise.keep)
        self.all_but_forced = frozenset(range(promise.photos)) - self.forced

    def with_groups(self, photos: Iterable[int]) -> frozenset[int]:
        """`photos` and all that go with them."""
        return frozenset(p for photo in photos for p in self.together.get(photo, (photo,)))

    def cost(self, withheld: Collection[int]) -> int | Fraction:
        """What is withheld, in the photos' values."""
        values = self.promise.values
        return len(withheld) if values is None else sum((values[i] for i in withheld), Fraction(0))

    def views(self, kept: Collection[int]) -> list[CheckedView]:
        """What each attacker makes of the kept photos.

        Totals are built on the last ones where those were of fewer photos: each row is then added
        once. Against a zone a rival must be ahead of every cell, so of the largest; cells that are
        impossible are passed by any rival (any possible one, where strict).
        """
        views = []
        strict = self.promise.strict
        for number, against in enumerate(self.promise.against):
            seen = frozenset(kept if against.sees is None else set(kept).intersection(against.sees))
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

    def fulfilling_views(self, kept: Collection[int]) -> list[CheckedView] | None:
        """The views of `kept`, whole groups, where they fulfil the promise; None otherwise.

        Pins, drops, groups, lone photos and budget must allow it, and every top must be reached.
        """
        budget = self.promise.budget
        if not kept or (budget is not None and self.promise.photos - len(kept) > budget):
            return None
        if not self.pinned.issubset(kept) or not self.forced.isdisjoint(kept):
            return None
        views = self.views(kept)
        pairs = zip(self.promise.against, views, strict=True)
        return views if all(len(view.held) >= (a.top or 0) for a, view in pairs) else None


def validate_promise(promise: Promise) -> Iterator[PlanProblem]:
    """Why a promise has no meaning: a file may say anything."""
    photos, guarantee = promise.photos, promise.budget is None
    if not promise.against:
        yield PlanProblem(ProblemKind.NO_ATTACKER)
    for name, chosen in (("keep", promise.keep), ("drop", promise.drop)):
        if not ascending(chosen, photos):
            yield PlanProblem(ProblemKind.PINS, found=name)
    grouped = [photo for group in promise.groups for photo in group]
    if len(set(grouped)) < len(grouped) or not all(ascending(g, photos) for g in promise.groups):
        yield PlanProblem(ProblemKind.GROUPS)
    values = promise.values
    if values is not None and (len(values) != photos or min(values) <= 0):
        yield PlanProblem(ProblemKind.VALUES)
    for number, a in enumerate(promise.against):
        if not a.truth or not ascending(a.truth, a.cells):
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


def ascending(numbers: Sequence[int], end: int) -> bool:
    """Whether these are different numbers from 0 to `end` − 1 in order."""
    return list(numbers) == sorted(set(numbers)) and all(0 <= n < end for n in numbers)

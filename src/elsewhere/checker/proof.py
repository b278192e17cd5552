"""The check: does a plan keep its promise? Proved anew, exactly, with no help from the solver.

`prove` looks at a plan as a stranger would. From the promise and the scores alone it works out,
in whole numbers (`arithmetic.py`), which rivals hold once the plan's photos are withheld,
and compares that with everything the plan says: photos, pins, groups, rivals and their order,
protected-k, slack, cost. A plan leaves `protect` only when nothing is found wrong.

What is *not* proved here: that no better plan exists. That is the solver's proof. But the plan
that withholds only what must go is tried too, and a claim that it contradicts ("optimal",
"infeasible", a bound) is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from elsewhere.checker.facts import AlbumFacts, CheckedView, ascending, validate_promise
from elsewhere.values.plan import Plan, Status, View
from elsewhere.values.promise import Promise
from elsewhere.values.scores import Scores


@dataclass(frozen=True)
class Verdict:
    """What a check found.

    >>> verdict = Verdict(("the plan costs 3, not 2",))
    >>> verdict.holds, bool(verdict)
    (False, False)
    >>> print(verdict)
    The plan does not hold: the plan costs 3, not 2.
    """

    problems: tuple[str, ...] = ()
    """One clause for each thing that is wrong; empty when all is right."""
    of_a_plan: bool = True
    """False for a plan that says there is none: that claim is the solver's, and not repeated."""

    @property
    def holds(self) -> bool:
        """Whether everything that the plan says is true."""
        return not self.problems

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        if self.holds and not self.of_a_plan:
            return "There is no plan, by the solver's proof, which was not repeated."
        if self.holds:
            proved = "its photos, rivals and numbers were proved again, exactly"
            return f"The plan holds: {proved}; the bound is the solver's."
        return f"The plan does not hold: {'; '.join(self.problems)}."


def prove(plan: Plan, promise: Promise, scores: Sequence[Scores]) -> Verdict:
    """Prove anew that `plan` keeps `promise` for these scores, one `Scores` for each attacker."""
    problems = list(_other_question(plan, promise, scores)) or list(validate_promise(promise))
    if not problems:
        album = AlbumFacts(promise, scores)
        if plan.status in (Status.OPTIMAL, Status.FEASIBLE):
            problems = list(wrong_photos(plan, promise))
            if not problems:
                problems = list(_wrong_plan(plan, album))
        else:
            problems = list(_wrong_refusal(plan, album))
        if plan.status not in tuple(Status):
            problems.append(f"{plan.status!r} is not a status")
    return Verdict(tuple(problems), plan.status in (Status.OPTIMAL, Status.FEASIBLE))


def _other_question(plan: Plan, promise: Promise, scores: Sequence[Scores]) -> Iterator[str]:
    """Why the plan, the promise and the scores do not belong together."""
    if plan.promise != promise:
        yield f"the plan was made for another promise ({_first_difference(plan.promise, promise)})"
    if len(scores) != len(promise.against):
        yield f"the promise is against {len(promise.against)} attackers, but {len(scores)} scored"
        return
    for number, (against, table) in enumerate(zip(promise.against, scores, strict=True)):
        if table.photos != promise.photos or table.cells != against.cells:
            yield (
                f"the scores of attacker {number} are {table.photos} × {table.cells}, "
                f"not {promise.photos} × {against.cells}"
            )
        elif table.digest != against.scores:
            yield f"the scores of attacker {number} are not those of the promise"
        if table.scorer and against.scorer and table.scorer != against.scorer:
            yield f"the scorer of attacker {number} is not that of the promise"


def _first_difference(one: Promise, other: Promise) -> str:
    """The name of the first field in which two promises differ."""
    for name in Promise.__dataclass_fields__:
        if getattr(one, name) != getattr(other, name):
            return f"{name} differs"
    return "its kind differs"


def wrong_photos(plan: Plan, promise: Promise) -> Iterator[str]:
    """Why the photos that the plan withholds and keeps are not a division of the album."""
    for name, photos in (("withheld", plan.withheld), ("kept", plan.kept)):
        if not ascending(photos, promise.photos):
            yield f"the {name} photos are not an ascending list of photos"
    if sorted(plan.withheld + plan.kept) != list(range(promise.photos)):
        yield "the photos withheld and kept are not together the album"
    if not plan.kept:
        yield "the plan keeps no photo"
    if len(plan.views) != len(promise.against):
        yield f"the plan has {len(plan.views)} views for {len(promise.against)} attackers"
    if len(promise.against) > 1 and not plan.several:
        yield "the plan is against several attackers but does not say so"


def _wrong_plan(plan: Plan, album: AlbumFacts) -> Iterator[str]:
    """What is wrong with the plan for an album that it divides properly."""
    promise, kept = album.promise, set(plan.kept)
    yield from wrong_division(plan, promise, album.cost(plan.withheld))
    for photo, why in album.revealing.items():
        if photo in kept:
            yield why
    sights = album.sights(plan.kept)
    for number, (view, sight) in enumerate(zip(plan.views, sights, strict=True)):
        for problem in wrong_view(view, sight, promise.against[number].top):
            yield f"attacker {number}: {problem}"
    if plan.rests_on_zero != _rests_on_zero(album, sights):
        said = "" if plan.rests_on_zero else "not "
        yield f"the plan is said {said}to rest on a probability of zero, and the reverse is true"
    yield from _wrong_bound(plan, album, sights)


def wrong_division(plan: Plan, promise: Promise, cost: int | Fraction) -> Iterator[str]:
    """Why the photos withheld are not what pins, groups and budget allow, or cost what is said."""
    withheld, kept = set(plan.withheld), set(plan.kept)
    for photo in promise.keep:
        if photo in withheld:
            yield f"photo {photo} must stay but is withheld"
    for photo in promise.drop:
        if photo in kept:
            yield f"photo {photo} must go but is kept"
    for group in promise.groups:
        if 0 < len(withheld.intersection(group)) < len(group):
            yield f"the photos {', '.join(map(str, group))} belong together but are parted"
    if promise.budget is not None and len(withheld) > promise.budget:
        yield f"{len(withheld)} photos are withheld, more than the budget of {promise.budget}"
    if plan.cost != cost or not isinstance(plan.cost, int | Fraction):
        yield f"the plan costs {cost}, not {plan.cost}"


def wrong_view(view: View, sight: CheckedView, top: int | None) -> Iterator[str]:
    """What is wrong with what the plan says of one attacker."""
    count = len(sight.held)
    if view.protected_k != count:
        yield f"{count} rivals hold, not {view.protected_k}"
    if view.rivals != sight.held:
        false = sorted(set(view.rivals) - set(sight.held))
        missing = sorted(set(sight.held) - set(view.rivals))
        if false:
            yield f"cell {false[0]} is named as a rival but does not hold"
        if missing:
            yield f"cell {missing[0]} holds but is not named"
        if not false and not missing:
            yield "the rivals are not named once each, the one furthest ahead first"
    if top is not None and count < top:
        yield f"{count} rivals hold, too few for a top of {top}"
        return
    slack = sight.slack(count if top is None else top)
    if view.slack != slack:
        yield f"the slack is {slack!r}, not {view.slack!r}"


def _rests_on_zero(album: AlbumFacts, sights: Sequence[CheckedView]) -> bool:
    """Whether the plan would fail, or protect less, if no probability of zero decided anything."""
    without = [0 if sight.zero else len(sight.held) for sight in sights]
    if album.promise.budget is not None:
        return min(without) < min(len(sight.held) for sight in sights)
    pairs = zip(album.promise.against, without, strict=True)
    return any(against.top is not None and count < against.top for against, count in pairs)


def _wrong_bound(plan: Plan, album: AlbumFacts, sights: Sequence[CheckedView]) -> Iterator[str]:
    """What contradicts the plan's bound or its claim to be optimal."""
    bound, optimal = plan.bound, plan.status == Status.OPTIMAL
    if not isinstance(bound, int | Fraction):
        yield f"the bound {bound!r} is not an exact number"
        return
    reached = min(len(sight.held) for sight in sights)
    if album.promise.budget is None:
        cost = album.cost(plan.withheld)
        if bound > cost:
            yield f"no plan is said to cost less than {bound}, but this one costs {cost}"
        elif optimal and bound < cost:
            yield f"a plan that costs {cost} is called optimal with a bound of only {bound}"
    elif bound < reached:
        yield f"no plan is said to protect more than {bound}, but this one protects {reached}"
    elif optimal and bound > reached:
        yield f"a plan that protects {reached} is called optimal with a bound of {bound}"
    yield from _beaten(plan, album, sights)


def _beaten(plan: Plan, album: AlbumFacts, sights: Sequence[CheckedView]) -> Iterator[str]:
    """Whether withholding only what must go contradicts the bound, or a plan's optimality."""
    kept = album.all_but_forced
    if not album.allows(kept) or (sights and len(kept) == len(plan.kept)):
        return
    seen = album.sights(kept)
    if not album.reaches(seen):
        return
    least, bound = album.cost(album.forced), plan.bound
    reached = min(len(sight.held) for sight in seen)
    if album.promise.budget is None:
        if bound > least:
            yield f"withholding only what must go costs {least}, less than the bound of {bound}"
    elif bound < reached:
        yield f"withholding only what must go protects {reached}, more than the bound of {bound}"
    elif plan.status == Status.OPTIMAL and _merit(seen, least) > _merit(sights, plan.cost):
        yield "withholding only what must go is better than this plan, which is called optimal"


def _merit(sights: Sequence[CheckedView], cost: int | Fraction) -> tuple[int, int, int | Fraction]:
    """What a budget is spent for: the smallest protected-k, then their sum, then a low cost."""
    counts = [len(sight.held) for sight in sights]
    return min(counts), sum(counts), -cost


def _wrong_refusal(plan: Plan, album: AlbumFacts) -> Iterator[str]:
    """What is wrong with a plan that says that there is none, or that none was found."""
    if plan.withheld or plan.kept or plan.views or plan.cost != 0 or plan.rests_on_zero:
        yield f"a plan that is {plan.status} carries photos, views or a cost"
    if plan.status == Status.INFEASIBLE:
        if plan.bound != 0:
            yield f"a plan that is {plan.status} has a bound"
        for kept, what in (
            (album.all_but_forced, "withholding only what must go"),
            (album.pinned, "keeping only what must stay"),
        ):
            if album.allows(kept) and album.reaches(album.sights(kept)):
                yield f"no plan is said to exist, but {what} fulfils the promise"
                return
    else:
        yield from _beaten(plan, album, ())

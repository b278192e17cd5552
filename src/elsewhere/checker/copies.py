"""The promise proved on the kept photos alone: all that a stranger needs who has only the copy.

What is withheld has no row here, and needs none: a rival holds or does not by the kept photos'
scores. The scores are new ones, of the bytes as they were exported, so they decide; that they are
the plan's own to the last bit is not asked. Where they are, every number of the plan's views must
be right too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from elsewhere.checker.facts import AlbumFacts, validate_promise
from elsewhere.checker.proof import Verdict, wrong_division, wrong_photos, wrong_view
from elsewhere.values.plan import Plan, Status
from elsewhere.values.promise import Against, Promise
from elsewhere.values.scores import Scores


def prove_kept(plan: Plan, scores: Sequence[Scores], *, unchanged: bool) -> Verdict:
    """Prove on new scores of the kept photos, in the plan's order, that the plan's promise holds.

    One `Scores` for each attacker. `unchanged` says that they are the plan's own rows, bit by bit.
    """
    problems = [*validate_promise(plan.promise)] or [*wrong_photos(plan, plan.promise)]
    if not problems:
        problems = [*wrong_division(plan, plan.promise, _cost(plan)), *_wrong_bound(plan)]
        problems += _other_rows(plan, scores) or _broken(plan, scores, unchanged)
    return Verdict(tuple(problems))


def _other_rows(plan: Plan, scores: Sequence[Scores]) -> list[str]:
    """Why these scores are not of the kept photos."""
    against = plan.promise.against
    if len(scores) != len(against):
        return [f"the promise is against {len(against)} attackers, but {len(scores)} scored"]
    return [
        f"the scores of attacker {number} are {table.photos} × {table.cells}, "
        f"not {len(plan.kept)} × {one.cells}"
        for number, (one, table) in enumerate(zip(against, scores, strict=True))
        if (table.photos, table.cells) != (len(plan.kept), one.cells)
    ]


def _broken(plan: Plan, scores: Sequence[Scores], unchanged: bool) -> list[str]:
    """Where the promise does not hold on these scores."""
    against = tuple(
        _restricted(one, plan, table, plan.views[number].protected_k)
        for number, (one, table) in enumerate(zip(plan.promise.against, scores, strict=True))
    )
    album = AlbumFacts(Promise(len(plan.kept), against, strict=plan.promise.strict), scores)
    problems = list(album.revealing.values())
    for number, sight in enumerate(album.sights(range(len(plan.kept)))):
        view, held, top = plan.views[number], len(sight.held), against[number].top or 0
        if unchanged:
            wrong = [*wrong_view(view, sight, plan.promise.against[number].top)]
            problems += [f"attacker {number}: {problem}" for problem in wrong]
        elif held < top:
            problems.append(f"attacker {number}: {held} rivals hold, too few for a top of {top}")
    return problems


def _restricted(one: Against, plan: Plan, table: Scores, protected: int) -> Against:
    """What is promised against one attacker, with the kept photos numbered anew.

    Under a budget no top was asked for: what the plan says it protects is then the promise.
    """
    place = {photo: number for number, photo in enumerate(plan.kept)}
    sees = None if one.sees is None else tuple(place[p] for p in one.sees if p in place)
    top = protected if one.top is None else one.top
    return replace(one, scores=table.digest, top=top, sees=sees)


def _cost(plan: Plan) -> int | Fraction:
    values = plan.promise.values
    if values is None:
        return len(plan.withheld)
    return sum((values[photo] for photo in plan.withheld), Fraction(0))


def _wrong_bound(plan: Plan) -> Iterator[str]:
    """What contradicts the bound without another score: it is the solver's proof otherwise."""
    if plan.status not in (Status.OPTIMAL, Status.FEASIBLE):
        yield f"a plan that is {plan.status} is no plan to keep"
    reached = plan.cost if plan.promise.budget is None else plan.protected_k
    beyond = plan.bound > reached if plan.promise.budget is None else plan.bound < reached
    if beyond or (plan.status == Status.OPTIMAL and plan.bound != reached):
        yield f"the bound of {plan.bound} contradicts the plan, which reaches {reached}"

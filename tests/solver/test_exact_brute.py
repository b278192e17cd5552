"""`elsewhere.protect` against brute force: small problems, every wish, every combination."""

from __future__ import annotations

import collections
import random
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, note, settings

import elsewhere
from elsewhere.solver.exact import search
from elsewhere.values.plan import Plan, Status
from tests.solver.oracle import Oracle
from tests.solver.strategies import Problem, problem, problems


def solve_and_compare(made: Problem) -> Plan:
    """Solve, and compare everything that the plan says with what brute force finds."""
    oracle = Oracle(made.promise, made.tables)
    plan = elsewhere.protect(made.scores, made.truth, **made.wishes)
    best = oracle.best()
    assert plan.promise == made.promise
    assert plan.several == made.several
    assert bool(elsewhere.check(plan, made.scores, made.truth, **made.wishes))
    if best is None:
        assert plan.status == Status.INFEASIBLE
        assert (plan.withheld, plan.kept, plan.views, plan.cost) == ((), (), (), 0)
        return plan
    assert plan.status == Status.OPTIMAL
    assert oracle.fulfilled(plan.kept)
    assert oracle.merit(plan.kept) == best
    true = oracle.plan(plan.kept, status=Status.OPTIMAL)
    assert plan.withheld == true.withheld
    assert (plan.cost, plan.bound) == (true.cost, true.bound)
    assert plan.views == true.views
    assert plan.rests_on_zero == true.rests_on_zero
    return plan


def stop_early_and_compare(made: Problem, work: int) -> Plan:
    """With little work allowed: no claim may be false, and the same plan comes out each time."""
    oracle = Oracle(made.promise, made.tables)
    plan = elsewhere.protect(made.scores, made.truth, **made.wishes, work_limit=work)
    assert plan == elsewhere.protect(made.scores, made.truth, **made.wishes, work_limit=work)
    best = oracle.best()
    if plan.status == Status.INFEASIBLE or best is None:
        assert best is None
        assert plan.status in (Status.INFEASIBLE, Status.UNKNOWN)
        return plan
    if plan.found:
        assert oracle.fulfilled(plan.kept)
        assert plan.views == oracle.views(plan.kept)
        assert plan.status != Status.OPTIMAL or oracle.merit(plan.kept) == best
    if made.promise.budget is None:
        assert plan.bound <= -best[0]
    else:
        assert plan.bound >= best[0]
    return plan


def test_the_call_is_read_as_the_promise_that_is_meant() -> None:
    seen = collections.Counter[str]()
    for seed in range(300):
        made = problem(random.Random(seed))
        plan = elsewhere.protect(made.scores, made.truth, **made.wishes, work_limit=0)
        assert plan.promise == made.promise
        seen.update(list(made.wishes))
    wishes = "top budget keep drop margin lead prior values groups rivals sees each_photo strict"
    assert set(seen) == set(wishes.split())


@contextmanager
def by_branching_alone() -> Iterator[None]:
    """Small problems would be settled by trying all plans at the root: take that away."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "MAX_ENUMERATION_UNITS", -1)
        yield


@settings(max_examples=300)
@given(problems)
def test_against_brute_force(made: Problem) -> None:
    note(repr(made))
    solve_and_compare(made)


@settings(max_examples=300)
@given(problems)
def test_branching_alone_against_brute_force(made: Problem) -> None:
    note(repr(made))
    with by_branching_alone():  # at extreme spreads it may not come to an end in reasonable time
        stop_early_and_compare(made, 3_000)


@settings(max_examples=100)
@given(problems)
def test_stopped_early_nothing_false_is_claimed(made: Problem) -> None:
    note(repr(made))
    for work in (0, 1, 10):
        stop_early_and_compare(made, work)


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_many_against_brute_force(capsys: pytest.CaptureFixture[str]) -> None:
    wishes: collections.Counter[str] = collections.Counter()
    states: collections.Counter[str] = collections.Counter()
    branched: collections.Counter[str] = collections.Counter()
    wrong: list[str] = []
    for seed in range(6_000):
        made = problem(random.Random(f"long {seed}"))
        try:
            states[solve_and_compare(made).status.value] += 1
            stop_early_and_compare(made, seed % 50)
            with by_branching_alone():
                branched[stop_early_and_compare(made, 5_000).status.value] += 1
        except Exception as error:  # go on, to say how many are wrong and not only that one is
            wrong.append(f"{type(error).__name__} {error} in {made!r}")
        wishes.update(list(made.wishes))
        wishes["several attackers"] += len(made.tables) > 1
        wishes["zones"] += any(len(a.truth) > 1 for a in made.promise.against)
    with capsys.disabled():
        print(
            f"\nproblems against brute force: 6000, {len(wrong)} wrong "
            f"({', '.join(f'{count} {state}' for state, count in states.items())}); with "
            f"{', '.join(f'{wish} {count}' for wish, count in sorted(wishes.items()))}; "
            f"by branching alone {dict(branched)}"
        )
    assert branched["optimal"] + branched["infeasible"] > 0.95 * 6_000
    assert not wrong, "\n".join(wrong[:3])

"""The check: true plans pass, and whatever is false in a plan is found."""

from __future__ import annotations

import collections
import math
import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import elsewhere
from elsewhere.checker import facts
from elsewhere.checker.arithmetic import counts_alone
from elsewhere.checker.proof import Verdict, prove
from elsewhere.values.plan import Plan, Status, View
from elsewhere.values.promise import Against, Promise
from elsewhere.values.scores import Scores
from tests.solver.corruptions import CORRUPTIONS, Case, Corruption
from tests.solver.oracle import Oracle
from tests.solver.strategies import Problem, problem

NEVER = -math.inf
# four photos, four cells, the truth is cell 0; the first two photos give it away
ALBUM = [
    [0.0, -3.0, -2.0, -4.0],
    [0.0, -1.0, -5.0, -4.0],
    [-2.0, 0.0, -1.0, -3.0],
    [-1.0, 0.0, -1.0, -2.0],
]


def promised(table: list[list[float]], truth: tuple[int, ...] = (0,), **wishes: Any) -> Case:
    """A promise for one attacker with no plan yet (the plan in the case is a blank)."""
    scores = Scores(table)
    about = {name: wishes.pop(name) for name in list(wishes) if name in Against.__annotations__}
    if "budget" not in wishes:
        about.setdefault("top", 1)
    against = Against(scores.digest, "", scores.cells, truth, **{"top": None, **about})
    promise = Promise(scores.photos, (against,), **wishes)
    blank = Plan(Status.UNKNOWN, (), (), 0, 0, (), promise, "")
    return Case(blank, promise, [scores])


def planned(case: Case, kept: tuple[int, ...], **changes: Any) -> Case:
    """The case with a plan that keeps `kept` and says what is true of it, but for `changes`."""
    oracle = Oracle(case.promise, [table.values for table in case.scores])
    return replace(case, plan=replace(oracle.plan(kept), **changes))


def verdict(case: Case) -> Verdict:
    return prove(case.plan, case.promise, case.scores)


def refused(case: Case, because: str) -> bool:
    """Whether the check finds exactly one thing wrong, and says it with these words."""
    problems = verdict(case).problems
    return len(problems) == 1 and because in str(problems[0])


def test_a_true_plan_holds_and_says_so() -> None:
    plan = Plan(
        Status.OPTIMAL, (0,), (1, 2, 3), 1, 1, (View(1, (1,), 2.0),),
        promised(ALBUM).promise, "",
    )  # fmt: skip
    found = prove(plan, plan.promise, [Scores(ALBUM)])
    assert found.holds and found and found == Verdict()
    assert str(found).startswith("The plan holds: its photos, rivals and numbers were proved")


def test_a_verdict_names_what_is_wrong() -> None:
    found = verdict(planned(promised(ALBUM), (1, 2, 3), cost=2))
    assert not found
    assert str(found) == "The plan does not hold: the plan costs 1, not 2."


def test_top_must_be_reached() -> None:
    assert refused(planned(promised(ALBUM, top=2), (1, 2, 3)), "1 rivals hold, too few for a top")


def test_the_empty_album_fulfils_every_sum_and_is_refused() -> None:
    empty = planned(promised(ALBUM), ())
    assert empty.plan.views == (View(3, (1, 2, 3), 0.0),)
    assert refused(empty, "the plan keeps no photo")


def test_a_tie_holds_unless_strict() -> None:
    tie = [[-1.0, -1.0], [0.0, -9.0]]
    assert verdict(planned(promised(tie), (0,)))
    assert refused(planned(promised(tie, strict=True), (0,)), "too few for a top of 1")


def test_a_tie_is_exact_where_floats_are_not() -> None:
    # ten times 0.1 is not 1.0, in either direction that a running sum of floats may take
    tenths = [[-0.1, 0.0]] * 10 + [[1.0, 0.0]]
    exact = sum([Fraction(-0.1)] * 10) + 1
    assert exact < 0 and sum([-0.1] * 10) + 1.0 > 0
    assert verdict(planned(promised(tenths), tuple(range(11))))
    mirrored = [[-a, 0.0] for a, _ in tenths]
    assert refused(planned(promised(mirrored), tuple(range(11))), "too few for a top of 1")


def test_margin_counts_for_each_kept_photo_and_lead_once() -> None:
    facts = [[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]
    assert planned(promised(facts, margin=0.5, lead=1.5), (0, 1, 2)).plan.slack == 0.0
    assert verdict(planned(promised(facts, margin=0.5, lead=1.5), (0, 1, 2)))
    assert not verdict(planned(promised(facts, margin=0.5, lead=1.5), (0, 1)))
    assert not verdict(planned(promised(facts, margin=math.nextafter(0.5, 1), lead=1.5), (0, 1, 2)))


def test_prior_counts_once() -> None:
    case = promised([[0.0, 1.0], [0.0, 1.0]], prior=(2.0, 0.0))
    assert verdict(planned(case, (0, 1)))
    assert not verdict(planned(case, (0,)))


def test_a_zone_must_be_outranked_cell_by_cell() -> None:
    zone = [[0.0, 3.0, 2.0, 4.0]]
    assert verdict(planned(promised(zone, (0, 2)), (0,))).holds
    assert planned(promised(zone, (0, 2)), (0,)).plan.views[0] == View(2, (3, 1), 2.0)
    assert not verdict(planned(promised(zone, (0, 3)), (0,)))


def test_only_the_named_rivals_count() -> None:
    case = planned(promised(ALBUM, rivals=(2, 3)), (1, 2, 3))
    assert refused(case, "0 rivals hold, too few")


@pytest.mark.parametrize(
    ("row", "strict", "held"),
    [
        ([NEVER, 0.0, NEVER], False, (1, 2)),
        ([NEVER, 0.0, NEVER], True, (1,)),
        ([0.0, 0.0, NEVER], False, (1,)),
        ([0.0, 0.0, NEVER], True, ()),
    ],
)
def test_probability_zero(row: list[float], strict: bool, held: tuple[int, ...]) -> None:
    case = promised([row], strict=strict, budget=0)
    wary = row[0] == NEVER
    slack = math.inf if wary or not held else 0.0
    view = View(len(held), held, slack)
    plan = Plan(
        Status.OPTIMAL, (), (0,), 0, len(held), (view,), case.promise, "", rests_on_zero=wary
    )
    assert verdict(replace(case, plan=plan)).problems == ()
    assert not verdict(replace(case, plan=replace(plan, rests_on_zero=not wary)))


def test_zero_in_one_cell_of_a_zone_leaves_the_other_to_decide() -> None:
    case = planned(promised([[NEVER, 0.0, 1.0, -1.0]], (0, 1)), (0,))
    assert verdict(case) and case.plan.rests_on_zero
    assert case.plan.views == (View(1, (2,), 1.0),)


def test_scores_at_the_end_of_the_range_overflow_to_an_infinite_slack() -> None:
    case = planned(promised([[-1.7e308, 1.7e308], [5e-324, 0.0]]), (0, 1))
    assert verdict(case) and case.plan.slack == math.inf
    assert not verdict(replace(case, plan=replace(case.plan, views=(View(1, (1,), 1.7e308),))))


def test_pins_drops_groups_and_budget() -> None:
    assert refused(planned(promised(ALBUM, keep=(0,)), (1, 2, 3)), "photo 0 must stay")
    assert refused(planned(promised(ALBUM, drop=(1,)), (1, 2, 3)), "photo 1 must go")
    assert refused(planned(promised(ALBUM, groups=((0, 3),)), (1, 2, 3)), "0, 3 belong together")
    assert verdict(planned(promised(ALBUM, groups=((0, 3),)), (1, 2)))
    assert verdict(planned(promised(ALBUM, budget=1), (1, 2, 3)))
    assert refused(planned(promised(ALBUM, budget=0), (1, 2, 3)), "more than the budget of 0")


def test_values_are_added_exactly() -> None:
    values = tuple(Fraction(n, 10) for n in (1, 2, 3, 4))
    case = planned(promised(ALBUM, values=values), (2, 3))
    assert case.plan.cost == Fraction(3, 10) and verdict(case)
    assert refused(planned(promised(ALBUM, values=values), (2, 3), cost=0.1 + 0.2), "costs 3/10")
    assert refused(planned(promised(ALBUM), (2, 3), cost=2.0), "costs 2")


def test_each_kept_photo_alone() -> None:
    assert refused(planned(promised(ALBUM, each_photo=1), (1, 2, 3)), "photo 1 alone has 0 rivals")
    assert verdict(planned(promised(ALBUM, each_photo=1), (2, 3)))
    assert refused(planned(promised(ALBUM, each_photo=3), (3,)), "photo 3 alone has 2 rivals")
    assert verdict(planned(promised(ALBUM, each_photo=1, sees=(2, 3)), (0, 1, 2, 3)))


def test_an_attacker_judges_only_what_it_sees() -> None:
    case = planned(promised(ALBUM, sees=(1, 2)), (0, 1, 2, 3))
    assert case.plan.views == (View(1, (1,), 1.0),)
    assert verdict(case)


def test_every_attacker_must_be_answered() -> None:
    one, two = Scores(ALBUM), Scores(np.array(ALBUM)[:, ::-1])
    promise = Promise(
        4, (Against(one.digest, "", 4, (0,), 1), Against(two.digest, "m", 4, (0,), 2))
    )
    case = Case(Oracle(promise, [one.values, two.values]).plan((1, 2, 3)), promise, [one, two])
    assert verdict(case)
    assert refused(case.with_plan(several=False), "does not say so")
    assert not verdict(replace(case, scores=[two, one]))
    assert not verdict(replace(case, scores=[one]))
    named = Scores(two.values, scorer="another")
    assert refused(replace(case, scores=[one, named]), "the scorer of attacker 1")


def test_obvious_plans_refute_false_claims() -> None:
    fine = promised([[0.0, 1.0], [0.0, 1.0]])
    none = Plan(Status.INFEASIBLE, (), (), 0, 0, (), fine.promise, "")
    assert refused(replace(fine, plan=none), "withholding only what must go fulfils")
    wasteful = planned(fine, (1,), status=Status.OPTIMAL, bound=1)
    assert refused(wasteful, "withholding only what must go costs 0, less than the bound of 1")
    lost = planned(
        promised([[0.0, 1.0], [0.0, 1.0]], budget=1), (1,), status=Status.OPTIMAL, bound=1
    )
    assert refused(lost, "is better than this plan")
    pinned = promised([[0.0, 1.0], [9.0, 0.0]], keep=(0,))
    none = replace(none, promise=pinned.promise)
    assert refused(replace(pinned, plan=none), "keeping only what must stay fulfils")
    unknown = replace(none, status=Status.UNKNOWN, promise=fine.promise, bound=1)
    assert refused(replace(fine, plan=unknown), "less than the bound of 1")
    assert verdict(replace(fine, plan=replace(unknown, bound=0)))


@pytest.mark.parametrize("wishes", [{"keep": (0,)}, {"drop": (0, 1)}, {"each_photo": 1}])
def test_true_refusals_hold(wishes: dict[str, Any]) -> None:
    case = promised([[1.0, 0.0], [1.0, 0.0]], **wishes)
    none = Plan(Status.INFEASIBLE, (), (), 0, 0, (), case.promise, "no plan")
    assert verdict(replace(case, plan=none))
    assert refused(replace(case, plan=replace(none, kept=(0,))), "carries photos")
    assert refused(replace(case, plan=replace(none, cost=1)), "carries photos")


@pytest.mark.parametrize(
    "wishes",
    [
        {"budget": 0, "drop": (0,)},
        {"budget": 1, "drop": (0,), "groups": ((0, 1),)},
        {"keep": (0,), "drop": (1,), "groups": ((0, 1),)},
    ],
)
def test_refusals_because_of_contrary_wishes_hold(wishes: dict[str, Any]) -> None:
    case = promised([[0.0, 1.0]] * 3, **wishes)
    none = Plan(Status.INFEASIBLE, (), (), 0, 0, (), case.promise, "no plan")
    assert verdict(replace(case, plan=none)).problems == ()


def test_under_a_budget_an_obvious_plan_refutes_a_low_bound() -> None:
    case = promised([[0.0, 1.0, 2.0]] * 2, budget=1)
    unknown = Plan(Status.UNKNOWN, (), (), 0, 1, (), case.promise, "")
    assert refused(replace(case, plan=unknown), "protects 2, more than the bound of 1")
    assert verdict(replace(case, plan=replace(unknown, bound=2)))


def test_a_bound_that_contradicts_the_plan_is_refused() -> None:
    case = promised(ALBUM)
    assert verdict(planned(case, (2, 3), bound=1))
    assert refused(planned(case, (2, 3), bound=Fraction(5, 2)), "no plan is said to cost less")
    assert refused(planned(case, (2, 3), bound=1, status=Status.OPTIMAL), "with a bound of only 1")
    assert refused(planned(case, (2, 3), bound=1.5), "not an exact number")
    budget = promised(ALBUM, budget=2)
    assert refused(planned(budget, (2, 3), bound=1), "no plan is said to protect more")
    assert refused(planned(budget, (2, 3), bound=3, status=Status.OPTIMAL), "with a bound of 3")


@pytest.mark.parametrize(
    "wishes",
    [
        {"top": 0}, {"margin": math.inf}, {"lead": math.nan}, {"prior": (0.0,)},
        {"margin": -1.0}, {"lead": -1.0},
        {"prior": (0.0, math.nan, 0.0, 0.0)}, {"rivals": (0, 1)}, {"rivals": (9,)},
        {"sees": (3, 2)}, {"truth": ()}, {"truth": (4,)}, {"keep": (2, 1)}, {"drop": (4,)},
        {"groups": ((0, 1), (1, 2))}, {"groups": ((),)}, {"values": (Fraction(1),)},
        {"values": (Fraction(0),) * 4}, {"budget": 1, "top": 1}, {"each_photo": 0},
    ],
)  # fmt: skip
def test_a_promise_without_meaning_is_refused(wishes: dict[str, Any]) -> None:
    case = promised(ALBUM, **wishes)
    plan = Plan(Status.OPTIMAL, (0,), (1, 2, 3), 1, 1, (View(1, (1,), 2.0),), case.promise, "")
    assert len(verdict(replace(case, plan=plan)).problems) == 1


def test_a_status_nobody_knows_is_refused() -> None:
    blank = promised(ALBUM)
    assert refused(blank.with_plan(status="splendid"), "'splendid' is not a status")


def true_case(rng: random.Random) -> Case:
    """A random problem with a plan that is true; optimal where that is soon known."""
    while True:
        made = problem(rng)
        oracle = Oracle(made.promise, made.tables)
        everything = [k for k in oracle.everything() if k]
        rng.shuffle(everything)
        status = Status.FEASIBLE
        kept: tuple[int, ...] | None
        if len(everything) < 32 and rng.random() < 0.7:
            status = Status.OPTIMAL
            good = [k for k in everything if oracle.fulfilled(k)]
            kept = max(good, key=oracle.merit, default=None)
        else:
            kept = next((k for k in everything[:20] if oracle.fulfilled(k)), None)
        if kept is not None:
            return Case(oracle.plan(kept, status=status), made.promise, made.matrices)


def spoil(seed: int, wanted: int) -> collections.Counter[str]:
    """Spoil `wanted` true plans; each must pass before and be refused after."""
    rng = random.Random(seed)
    done: collections.Counter[str] = collections.Counter()
    while done.total() < wanted:
        case = true_case(rng)
        assert verdict(case).problems == (), case
        for corruption in rng.sample(CORRUPTIONS, 6):
            spoilt = corruption(case, rng)
            if spoilt is not None:
                assert not verdict(spoilt), (corruption.__name__, case, spoilt)
                done[corruption.__name__] += 1
    return done


@pytest.mark.parametrize("corruption", CORRUPTIONS, ids=lambda c: c.__name__)
def test_each_kind_of_corruption_is_refused(corruption: Corruption) -> None:
    rng = random.Random(corruption.__name__)
    done = 0
    while done < 20:
        case = true_case(rng)
        assert verdict(case)
        spoilt = corruption(case, rng)
        if spoilt is not None:
            assert not verdict(spoilt), (case, spoilt)
            done += 1


def reprove(seed: int, wanted: int) -> collections.Counter[str]:
    """Check `wanted` random plans and compare with what fractions say of them.

    Half the plans say what is true of their photos (which need not fulfil the promise); the other
    half take some statement from another set of photos.
    """
    rng = random.Random(seed)
    seen: collections.Counter[str] = collections.Counter()
    while seen["plans"] < wanted:
        made = problem(rng, rng.randint(20, 60) if rng.random() < 0.01 else None)
        oracle, matrices = Oracle(made.promise, made.tables), made.matrices
        for _ in range(10):
            plan = random_plan(rng, made, oracle)
            truthful = oracle.plan(plan.kept)
            said = replace(truthful, bound=plan.bound) == plan
            right = said and oracle.fulfilled(plan.kept)
            found = prove(plan, made.promise, matrices).holds
            seen["plans"] += 1
            seen["hold"] += found
            seen["false guarantees"] += found and not right
            seen["false alarms"] += right and not found
    return seen


def random_plan(rng: random.Random, made: Problem, oracle: Oracle) -> Plan:
    def some_kept() -> tuple[int, ...]:
        forced = set(made.promise.drop)
        share = rng.random()
        kept = {i for i in range(made.promise.photos) if rng.random() < share} - forced
        return tuple(sorted(kept | set(made.promise.keep))) or (0,)

    plan = oracle.plan(some_kept())
    if rng.random() < 0.5:
        other = oracle.plan(some_kept())
        names = ("cost", "views", "rests_on_zero", "withheld")
        plan = replace(plan, **{name: getattr(other, name) for name in rng.sample(names, 2)})
    return plan


def test_random_plans_are_judged_as_fractions_judge_them() -> None:
    seen = reprove(7, 1_000)
    assert seen["hold"] > 100
    assert (seen["false guarantees"], seen["false alarms"]) == (0, 0)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_ten_thousand_corrupted_plans(capsys: pytest.CaptureFixture[str]) -> None:
    done = spoil(2026, 10_000)
    kinds = ", ".join(f"{name} {count}" for name, count in sorted(done.items()))
    with capsys.disabled():
        print(f"\ncorrupted plans: {done.total()}, all refused ({kinds})")


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_hundred_thousand_random_plans(capsys: pytest.CaptureFixture[str]) -> None:
    seen = reprove(2026, 100_000)
    with capsys.disabled():
        print(
            f"\nrandom plans re-proved: {seen['plans']}, {seen['hold']} hold; "
            f"false guarantees {seen['false guarantees']}, false alarms {seen['false alarms']}"
        )
    assert (seen["false guarantees"], seen["false alarms"]) == (0, 0)


def test_what_single_photos_give_away_is_worked_out_once_for_a_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Pins and tops change nothing about it; another table, truth or margin does."""
    asked: list[int] = []

    def counted(*given: Any) -> list[int]:
        asked.append(1)
        return counts_alone(*given)

    monkeypatch.setattr(facts, "counts_alone", counted)
    rows = np.log([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.3, 0.4, 0.3]])
    table = Scores(rows)
    for top, keep in ((1, ()), (2, ()), (1, (1,))):
        elsewhere.protect(table, 0, top=top, keep=keep, each_photo=True)
    assert len(asked) == 1
    elsewhere.protect(table, 0, top=1, each_photo=True, margin=0.1)
    elsewhere.protect(table, 1, top=1, each_photo=True)
    elsewhere.protect(Scores(rows[::-1]), 0, top=1, each_photo=True)
    assert len(asked) == 4

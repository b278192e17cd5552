"""The door itself: nothing leaves unproved, limits are kept, odd albums are answered rightly."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import elsewhere
from elsewhere.checker import proof as check
from elsewhere.checker.proof import Verdict
from elsewhere.errors import CheckError, InputError
from elsewhere.service import scores as api
from elsewhere.solver.plans import DEFAULT_WORK, read_limits
from elsewhere.values.plan import Plan, Status
from elsewhere.values.problems import PlanProblem, ProblemKind
from elsewhere.values.scores import Scores
from elsewhere_lab import simulator

SCORES = np.log([[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.6, 0.1, 0.3], [0.2, 0.5, 0.3]])
NAMED = Scores(SCORES, ["w.jpg", "x.jpg", "y.jpg", "z.jpg"])
INF = math.inf
FALSE = PlanProblem(ProblemKind.STATUS, found="it is untrue")


class TestNothingLeavesUnproved:
    @pytest.mark.parametrize("wish", [{"top": 1}, {"budget": 2}], ids=str)
    def test_a_refused_plan_is_an_error(
        self, monkeypatch: pytest.MonkeyPatch, wish: dict[str, Any]
    ) -> None:
        monkeypatch.setattr(api, "check_plan", lambda *_: Verdict((FALSE,)))
        with pytest.raises(CheckError, match=r"could not be proved again .*it is untrue"):
            elsewhere.protect(SCORES, 0, **wish)
        with pytest.raises(CheckError):
            elsewhere.frontier(SCORES, 0)
        with pytest.raises(CheckError):  # that there is no plan must pass the check as well
            elsewhere.protect(SCORES, 0, top=1, drop=range(4))

    def test_the_check_is_asked_about_the_very_plan_promise_and_scores(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[Any] = []

        def prove(*given: Any) -> Verdict:
            asked.append(given)
            return check.prove(*given)

        monkeypatch.setattr(api, "check_plan", prove)
        plan = elsewhere.protect(NAMED, 0, top=1, keep=["w.jpg"])
        ((seen, promise, scores),) = asked
        assert seen is plan
        assert promise == plan.promise
        assert scores == (NAMED,)


class TestLimits:
    def hard(self) -> tuple[Scores, int]:
        return simulator.collection(7, photos=32)

    @pytest.mark.parametrize("limit", [{"time_limit": 0}, {"work_limit": 0}], ids=str)
    @pytest.mark.parametrize("wish", [{"top": 12}, {"budget": 16}, {"top": 1}], ids=str)
    def test_no_time_or_work_still_gives_a_plan_and_a_true_bound(
        self, limit: dict[str, Any], wish: dict[str, Any]
    ) -> None:
        scores, truth = self.hard()
        plan = elsewhere.protect(scores, truth, **wish, **limit)
        best = elsewhere.protect(scores, truth, **wish)
        assert best.status == Status.OPTIMAL
        assert plan.found
        if "top" in wish:
            assert plan.bound <= best.cost <= plan.cost
            assert (plan.status == Status.OPTIMAL) == (plan.bound == plan.cost)
        else:
            assert plan.protected_k <= best.protected_k <= plan.bound
        if plan.status == Status.OPTIMAL:
            assert (plan.cost, plan.protected_k) == (best.cost, best.protected_k)
        else:
            assert plan.status == Status.FEASIBLE
            assert "stopped early" in plan.explanation

    def test_where_not_even_a_plan_is_met_with_it_says_so(self) -> None:
        # a subset sum: which of these photos add up to exactly 1000?
        numbers = [547, 301, 233, 128, 77, 61, 53, 41, 37, 29]
        rows = np.zeros((11, 3))
        rows[:10, 1], rows[:10, 2] = numbers, [-n for n in numbers]
        rows[10, 1], rows[10, 2] = -1000, 1000
        plan = elsewhere.protect(rows, 0, top=2, keep=[10], work_limit=0)
        assert (plan.status, plan.found) == (Status.UNKNOWN, False)
        assert (plan.withheld, plan.kept, plan.views) == ((), (), ())
        assert plan.explanation == (
            "Stopped early: no plan for 11 photos was found and none was ruled out; "
            "allow more time or work."
        )
        assert elsewhere.check(plan, rows, 0, top=2, keep=[10])
        best = elsewhere.protect(rows, 0, top=2, keep=[10])
        assert best.status in (Status.OPTIMAL, Status.INFEASIBLE)
        assert plan.bound <= best.cost or best.status == Status.INFEASIBLE

    def test_the_same_work_gives_the_same_plan(self) -> None:
        scores, truth = self.hard()
        for work in (0, 37, 500):
            one, other = (
                elsewhere.protect(scores, truth, top=12, work_limit=work) for _ in range(2)
            )
            assert one == other

    def test_more_work_never_worsens_plan_or_bound(self) -> None:
        scores, truth = self.hard()
        plans = [
            elsewhere.protect(scores, truth, top=12, work_limit=work)
            for work in (0, 50, 200, 800, 3_200)
        ]
        assert [plan.bound for plan in plans] == sorted(plan.bound for plan in plans)
        costs = [plan.cost for plan in plans]
        assert costs == sorted(costs, reverse=True)
        assert all(plan.bound <= plan.cost for plan in plans)

    def test_a_time_limit_is_kept(self) -> None:
        scores, truth = simulator.collection(1, photos=64)
        began = time.process_time()
        plan = elsewhere.protect(scores, truth, top=60, time_limit=0.3)
        assert time.process_time() - began < 10
        assert plan.found

    def test_what_the_limits_become(self) -> None:
        assert read_limits(None, None).work == DEFAULT_WORK
        assert read_limits(None, None).deadline < time.monotonic() + 301
        assert read_limits(60.0, None).work == INF
        assert read_limits(None, 5).deadline == INF  # counted work does not look at the clock
        assert read_limits(None, 5).work == 5
        assert read_limits(INF, None).deadline == INF
        assert read_limits(None, np.int64(7)).work == 7  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("limit", "sentence"),
        [
            ({"time_limit": -1}, "time_limit must be a number of seconds, not -1"),
            ({"time_limit": math.nan}, "time_limit must be a number of seconds, not nan"),
            ({"time_limit": "soon"}, "time_limit must be a number of seconds, not 'soon'"),
            ({"time_limit": [1]}, r"time_limit must be a number of seconds, not \[1\]"),
            ({"time_limit": True}, "time_limit must be a number of seconds, not True"),
            ({"work_limit": -1}, "work_limit must be 0 or more, not -1"),
            ({"work_limit": 1.5}, "work_limit must be a whole number, not 1.5"),
            ({"work_limit": True}, "work_limit must be a whole number, not True"),
        ],
    )
    def test_a_limit_that_is_none(self, limit: dict[str, Any], sentence: str) -> None:
        with pytest.raises(InputError, match=sentence):
            elsewhere.protect(SCORES, 0, top=1, **limit)


class TestNear:
    def test_a_plan_photos_or_names(self) -> None:
        twins = Scores([[0.0, -2.0], [0.0, -2.0], [0.0, 3.0]], ["a", "b", "c"])
        for photo, name in enumerate("ab"):
            plan = elsewhere.protect(twins, 0, top=1, near=[photo])
            assert plan.withheld == (photo,)
            for near in (plan, [name], name, {photo}, np.array([photo])):
                assert elsewhere.protect(twins, 0, top=1, near=near).withheld == (photo,)

    def test_no_plan_before_is_no_wish(self) -> None:
        none = elsewhere.protect(NAMED, 0, top=2, keep=[0])
        assert none.status == Status.INFEASIBLE
        assert elsewhere.protect(NAMED, 0, top=1, near=none) == elsewhere.protect(NAMED, 0, top=1)

    @pytest.mark.parametrize(
        ("near", "sentence"),
        [
            ([9], "near: there is no photo 9"),
            (["q.jpg"], "no photo is called 'q.jpg'"),
            (5, "near: there is no photo 5"),
            ([1.5], "near must be a whole number, not 1.5"),
            ([None], "near must be a whole number, not None"),
            ([True], "near must be a whole number, not True"),
        ],
    )
    def test_what_is_not_near_anything(self, near: Any, sentence: str) -> None:
        with pytest.raises(InputError, match=sentence):
            elsewhere.protect(NAMED, 0, top=1, near=near)

    def test_a_plan_for_another_album(self) -> None:
        other = elsewhere.protect(np.vstack([SCORES, SCORES]), 0, top=1)
        with pytest.raises(InputError, match="near is a plan for 8 photos, but there are 4"):
            elsewhere.protect(SCORES, 0, top=1, near=other)

    @pytest.mark.parametrize("withheld", [(999,), (-1,), (1, 1), (2, 1)])
    def test_a_plan_that_lies(self, withheld: tuple[int, ...]) -> None:
        """It may come from a file that somebody changed."""
        lie = replace(elsewhere.protect(SCORES, 0, top=1), withheld=withheld)
        with pytest.raises(InputError, match="near is not a plan"):
            elsewhere.protect(SCORES, 0, top=1, near=lie)


class TestOddButLegal:
    def said(self, plan: Plan) -> tuple[str, tuple[int, ...], int]:
        return plan.status.value, plan.withheld, plan.protected_k

    def test_one_photo(self) -> None:
        assert self.said(elsewhere.protect([[0.0, 1.0]], 0, top=1)) == ("optimal", (), 1)
        assert self.said(elsewhere.protect([[1.0, 0.0]], 0, top=1)) == ("infeasible", (), 0)
        assert self.said(elsewhere.protect([[1.0, 0.0]], 0, budget=1)) == ("optimal", (), 0)

    def test_every_photo_pinned(self) -> None:
        keep = elsewhere.protect(SCORES, 0, top=1, keep=range(4))
        assert self.said(keep) == ("infeasible", (), 0)
        assert self.said(elsewhere.protect(SCORES, 1, top=1, keep=range(4))) == ("optimal", (), 1)
        assert self.said(elsewhere.protect(SCORES, 0, budget=4, keep=range(4)))[0] == "optimal"
        drop = elsewhere.protect(SCORES, 0, top=1, drop=range(4))
        assert self.said(drop) == ("infeasible", (), 0)
        both = elsewhere.protect(SCORES, 0, top=2, keep=[3], drop=[0, 1, 2])
        assert self.said(both) == ("optimal", (0, 1, 2), 2)

    @pytest.mark.parametrize("budget", [3, 4, 5, 1_000_000])
    def test_a_budget_of_all_photos_or_more(self, budget: int) -> None:
        plan = elsewhere.protect(SCORES, 0, budget=budget)
        assert self.said(plan) == ("optimal", (0, 1, 2), 2)

    def test_rivals_that_always_or_never_hold(self) -> None:
        always = [[0.0, 1.0, -INF], [0.0, 2.0, -INF]]
        assert self.said(elsewhere.protect(always, 0, top=1)) == ("optimal", (), 1)
        assert self.said(elsewhere.protect(always, 0, top=2)) == ("infeasible", (), 0)
        assert self.said(elsewhere.protect(always, 0, budget=2)) == ("optimal", (), 1)

    def test_a_truth_that_is_impossible(self) -> None:
        plan = elsewhere.protect([[-INF, 0.0, 0.0], [9.0, 0.0, 0.0]], 0, top=2, keep=[1])
        assert self.said(plan) == ("optimal", (), 2)
        assert plan.rests_on_zero

    def test_nobody_sees_anything(self) -> None:
        # without a photo to add up all cells are equal: a tie, which counts for us
        assert self.said(elsewhere.protect(SCORES, 0, top=2, sees=[])) == ("optimal", (), 2)
        strict = elsewhere.protect(SCORES, 0, top=1, sees=[], strict=True)
        assert self.said(strict) == ("infeasible", (), 0)

    def test_lists_names_float32_and_numpy_numbers(self) -> None:
        expected = elsewhere.protect(SCORES, 0, top=1).withheld
        assert elsewhere.protect(SCORES.tolist(), 0, top=1).withheld == expected
        assert elsewhere.protect(SCORES.astype(np.float32), 0, top=1).withheld == expected
        assert elsewhere.protect(NAMED, np.int16(0), top=np.uint8(1)).withheld == expected  # type: ignore[arg-type]
        assert elsewhere.protect(NAMED, 0, top=1, keep=["w.jpg"]).withheld == expected

    @pytest.mark.parametrize("half", [0.5, "0.5", "1/2", Fraction(1, 2), np.float32(0.5)])
    def test_values_of_any_kind(self, half: Any) -> None:
        plan = elsewhere.protect(SCORES, 0, top=1, values={2: half})
        assert (plan.withheld, plan.cost, plan.bound) == ((2,), Fraction(1, 2), Fraction(1, 2))

    def test_a_list_of_one_attacker_is_several(self) -> None:
        plan = elsewhere.protect([SCORES], 0, top=1)
        assert plan.several
        assert plan.rivals == ((1,),)
        assert isinstance(plan.slack, tuple)


class TestCheck:
    def test_the_plan_s_own_promise_or_yours(self) -> None:
        plan = elsewhere.protect(NAMED, 0, top=1)
        assert elsewhere.check(plan, SCORES)
        assert elsewhere.check(plan, SCORES, 0, top=1)
        assert not elsewhere.check(plan, SCORES, 0, top=2)
        assert not elsewhere.check(plan, SCORES, 0, top=1, keep=[2])

    def test_several_attackers(self) -> None:
        plan = elsewhere.protect([SCORES, SCORES], [0, 2], top=[1, 1])
        assert plan.found
        assert elsewhere.check(plan, [SCORES, SCORES])
        assert elsewhere.check(plan, [SCORES, SCORES], [0, 2], top=1)
        assert not elsewhere.check(plan, SCORES)

    def test_one_clear_sentence(self) -> None:
        plan = elsewhere.protect(SCORES, 0, top=1)
        with pytest.raises(InputError, match="pass the truth too"):
            elsewhere.check(plan, SCORES, top=1)
        with pytest.raises(InputError, match="check needs a plan"):
            elsewhere.check(None, SCORES)  # type: ignore[arg-type]


def test_attackers_that_list_other_photos_are_refused() -> None:
    rows = [[0.0, 1.0], [1.0, 0.0]]
    one, other = elsewhere.Scores(rows, ["a", "b"]), elsewhere.Scores(rows, ["b", "a"])
    with pytest.raises(elsewhere.InputError, match="same photos in the same order: row 0"):
        elsewhere.protect([one, other], 0, top=1)
    assert elsewhere.protect([one, elsewhere.Scores(rows)], 0, top=1).found


def test_a_twin_of_the_truth_never_holds_where_ties_do_not_count() -> None:
    assert elsewhere.protect(np.zeros((14, 30)), 0, top=5, strict=True).status == "infeasible"
    scores, truth = simulator.collection(5, photos=32)
    twins = np.repeat(scores.values[:, [truth]], 5, axis=1)
    plain = elsewhere.protect(scores, truth, top=5, strict=True)
    among = elsewhere.protect(np.hstack([scores.values, twins]), truth, top=5, strict=True)
    assert (among.status, among.cost) == ("optimal", plain.cost)


def test_a_deadline_is_kept_whatever_is_wished(monkeypatch: pytest.MonkeyPatch) -> None:
    scores, truth = simulator.collection(5, photos=800)
    wishes: list[dict[str, Any]] = [{"near": []}, {"near": range(0, 800, 2)}, {"margin": 0.1}]
    monkeypatch.setattr(time, "monotonic", time.thread_time)  # others' work is not our lateness
    for wish in wishes:
        began = time.thread_time()
        plan = elsewhere.protect(scores, truth, top=30, time_limit=0.05, **wish)
        assert time.thread_time() - began < 3
        assert plan.found


def test_a_deadline_is_kept_where_several_places_are_hidden(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world, rng, cells, each = simulator.world("w1", 5), np.random.default_rng(5), (7, 200, 400), 300
    scores = elsewhere.Scores(np.vstack([world.photos(cell, each, rng) for cell in cells]))
    own = [range(n * each, (n + 1) * each) for n in range(len(cells))]
    monkeypatch.setattr(time, "monotonic", time.thread_time)  # others' work is not our lateness
    began = time.thread_time()
    elsewhere.protect(
        [scores] * 6,
        [cell for cell in cells for _ in range(2)],
        top=20,
        time_limit=0.1,
        sees=[photos for one in own for photos in (one, None)],
    )
    assert time.thread_time() - began < 2  # it took nine seconds to make one plan fit all places


def test_thirteen_photos_and_forty_cells_are_no_matter() -> None:
    scores = np.random.default_rng(0).normal(size=(16, 100))
    assert elsewhere.protect(scores, 0, budget=14, work_limit=20_000).status == "optimal"

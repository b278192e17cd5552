"""The simplex and bounds over choices, against HiGHS and against every whole plan."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given

from elsewhere.solver.exact import Instance, choice_search, choice_simplex, objectives, solve
from elsewhere.solver.exact.choice_search import close_state
from elsewhere.solver.exact.choice_simplex import ChoiceTableau, envelope, lift_choices
from elsewhere.solver.exact.choices import Choices
from elsewhere.solver.exact.simplex import INFEASIBLE, SOLVED
from elsewhere.solver.problem import Floats, Ints, Mask, Problem, Versions, plain
from tests.solver.enumeration import every_plan, merit
from tests.solver.exact.linear import optimum
from tests.solver.exact.small import seeds
from tests.solver.examples import examples
from tests.solver.test_versions_brute import drawn


def choices_of_sizes(sizes: Ints) -> Choices:
    """Choices of photos that have so many versions each, being left out one of them."""
    photo_of = np.repeat(np.arange(len(sizes), dtype=np.intp), sizes - 1)
    versions = Versions(photo_of, np.zeros(len(photo_of), np.int64), np.ones(len(photo_of), bool))
    problem = Problem(
        plain(np.zeros((len(photo_of), 2)), 0, 1).attackers,
        photo_of,
        np.ones(len(sizes), np.int64),
        np.zeros(len(sizes), np.int8),
        versions=versions,
    )
    return Choices.of(problem)


class Growing:
    """A tableau that rows are added to and columns ruled out of, and the program written down."""

    def __init__(self, rng: np.random.Generator, sets: int) -> None:
        self.rng = rng
        self.choices = choices_of_sizes(rng.integers(2, 5, sets))
        self.columns = len(self.choices.rows)
        self.weights: Floats = rng.integers(0, 6, self.columns).astype(float)
        self.weights[self.choices.starts] = 0.0
        self.tableau = ChoiceTableau(self.weights, self.choices)
        self.rows: list[Floats] = []
        self.rooms: list[float] = []
        self.allowed: Mask = np.ones(self.columns, bool)

    def add_row(self) -> None:
        row = self.rng.normal(size=self.columns)
        if self.rng.random() < 0.5:
            row = np.round(3 * row)
        room = float(self.choices.least(row).sum() * self.rng.uniform(0.2, 1.05))
        self.rows.append(row)
        self.rooms.append(room)
        self.tableau = self.tableau.with_row(row, room, 0.0)

    def rule_some_out(self) -> None:
        columns = np.flatnonzero(self.allowed & (self.rng.random(self.columns) < 0.25))
        for column in columns.tolist():
            own = self.choices.set_of == self.choices.set_of[column]
            if (own & self.allowed).sum() > 1:
                self.allowed[column] = False
        self.tableau.rule_out(np.flatnonzero(~self.allowed & ~self.tableau.ruled_out))

    def relaxed(self) -> float | None:
        """The optimum by HiGHS, with the sets written as pairs of rows."""
        rows, rooms = list(self.rows), list(self.rooms)
        for s in range(len(self.choices.starts)):
            own = (self.choices.set_of == s).astype(float)
            rows += [own, -own]
            rooms += [1.0, -1.0]
        low, high = np.zeros(self.columns), self.allowed.astype(float)
        return optimum(self.weights, rows, rooms, low, high)

    def least_whole(self) -> float:
        """The lightest choice of one column from each set; inf where none fulfils the rows."""
        sets = [
            np.flatnonzero((self.choices.set_of == s) & self.allowed)
            for s in range(len(self.choices.starts))
        ]
        best = np.inf
        for picked in product(*sets):
            columns = list(picked)
            if all(
                row[columns].sum() <= room + 1e-9
                for row, room in zip(self.rows, self.rooms, strict=True)
            ):
                best = min(best, float(self.weights[columns].sum()))
        return best


@examples(150)
@given(seeds)
def test_the_simplex_against_highs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    growing = Growing(rng, int(rng.integers(1, 7)))
    for _ in range(int(rng.integers(1, 6))):
        growing.add_row()
        if rng.random() < 0.5:
            growing.rule_some_out()
        outcome, _ = growing.tableau.solve(500)
        relaxed = growing.relaxed()
        bound, _ = growing.tableau.bound()
        assert bound <= growing.least_whole() + 1e-9
        if relaxed is None:
            assert outcome == INFEASIBLE or bound > growing.weights.sum()
            return
        if outcome == INFEASIBLE:  # at the edge, by round-off, but then nothing is claimed
            assert not growing.tableau.is_proved_infeasible()
            return
        assert outcome == SOLVED
        assert bound == pytest.approx(relaxed, abs=1e-6)
        x = growing.tableau.values()
        assert np.bincount(growing.choices.set_of, x) == pytest.approx(1.0)
        assert x.min() > -1e-7
        assert x[~growing.allowed] == pytest.approx(0.0, abs=1e-7)
        assert float(growing.weights @ x) == pytest.approx(relaxed, abs=1e-6)


@examples(100)
@given(seeds)
def test_one_more_row_lifts_the_bound_as_far_as_the_simplex(seed: int) -> None:
    rng = np.random.default_rng(seed)
    growing = Growing(rng, int(rng.integers(1, 7)))
    growing.add_row()
    room = np.array([growing.rooms[0]])
    lift = lift_choices(
        growing.choices, growing.weights, growing.rows[0][None], room, np.zeros(1), steps=50
    )
    relaxed = growing.relaxed()
    if relaxed is None:
        assert lift[0] > -1e-9
    else:
        assert lift[0] == pytest.approx(relaxed, abs=1e-6)
        few = lift_choices(
            growing.choices, growing.weights, growing.rows[0][None], room, np.zeros(1), steps=1
        )
        assert few[0] <= lift[0] + 1e-9


@examples(100)
@given(seeds)
def test_the_envelope_takes_what_is_best_at_each_multiplier(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sets = np.sort(rng.integers(0, 4, 10)).astype(np.intp)
    cost, gain = rng.uniform(0, 3, 10), rng.uniform(0.1, 3, 10)
    passed, _ = envelope(cost, gain, sets)
    for multiplier in rng.uniform(0, 5, 20).tolist():
        value = cost - multiplier * gain
        for s in np.unique(sets).tolist():
            own = np.flatnonzero(sets == s)
            least = min(0.0, float(value[own].min()))
            taken = [0.0] + [float(value[i]) for i in passed.tolist() if sets[i] == s]
            assert min(taken) == pytest.approx(least)


def test_a_group_that_is_left_out_has_no_choices() -> None:
    for seed in range(200):
        problem = drawn(seed)
        choices = Choices.of(problem)
        for a, b in choices.links.tolist():
            state = np.full(len(choices.rows), -1, np.int8)
            own = choices.set_of == choices.set_of[a]
            state[own] = 0
            state[a] = -1
            if close_state(choices, state):
                assert state[a] == 1
                assert state[b] == 1


def test_choices_and_rows_are_translated_back_and_forth() -> None:
    for seed in range(60):
        problem = drawn(seed)
        instance = Instance(problem)
        for kept, shared in every_plan(problem):
            taken = instance.plan_of(kept, shared)
            assert (instance.units_kept(taken) == kept).all()
            assert (instance.rows_shared(taken) == shared).all()
            cost = int(instance.weights[taken].sum()) + instance.base_weight
            assert cost == problem.cost(kept, shared)


@pytest.mark.parametrize("fault", ["bound", "excess", "lift"])
def test_planted_faults_are_noticed(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds that are too high must make some optimum wrong: else the tests would see nothing.

    Without heuristics, so that the tree has to find the plans.
    """
    monkeypatch.setattr(objectives, "find_light_choices", lambda *given, **named: None)
    if fault == "bound":
        true_bound = ChoiceTableau.bound

        def too_high(self: ChoiceTableau) -> tuple[float, Floats]:
            bound, cost = true_bound(self)
            return bound + 2.0, cost

        monkeypatch.setattr(ChoiceTableau, "bound", too_high)
    elif fault == "excess":
        monkeypatch.setattr(
            choice_search.ChoiceSearch,
            "_settle",
            lambda self, node, bound, cost: self._rule_out(
                node, (node.state < 0) & (cost > self._choices.least(cost)[self._choices.set_of])
            ),
        )
    else:
        true_lift = choice_simplex.lift_choices
        monkeypatch.setattr(
            "elsewhere.solver.exact.instance.lift_choices",
            lambda *given, **named: 2.0 * true_lift(*given, **named) + 1.0,
        )
    wrong = 0
    for seed in range(120):
        problem = drawn(seed)
        solution = solve(problem)
        merits = [merit(problem, kept, shared) for kept, shared in every_plan(problem)]
        best = max((m for m in merits if m is not None), default=None)
        found = None
        if solution.kept is not None and solution.shared is not None:
            found = merit(problem, solution.kept, solution.shared)
        wrong += found != best
    assert wrong

"""Closing the gap: whatever is hard, nothing false is proved, and more work never hurts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import given, strategies as st

from elsewhere.solver.exact.objectives import MAIN_SEARCH_WORK, close_gap
from elsewhere.solver.exact.search import SearchLimits


@dataclass
class Pretend:
    """Something to be made small whose least value is known; `hard` says how hard to find out."""

    truth: int
    value: int
    hard: int
    asked: list[int] = field(default_factory=list)

    def search(self, cutoff: int, limits: SearchLimits, *, stop_at_first: bool) -> Any:
        self.asked.append(cutoff)
        # the further below the truth a cutoff is, the easier it is to rule out
        takes = 1 + (self.hard >> 4 * max(0, self.truth - cutoff))
        return PretendSearch(self, cutoff, limits, stop_at_first, takes)

    def tighten(self, search: Any) -> None:
        search.cutoff = min(search.cutoff, self.value - 1)


@dataclass
class PretendSearch:
    """Finds a value half-way through its work, and the least at its end."""

    task: Pretend
    cutoff: int
    limits: SearchLimits
    stop_at_first: bool
    takes: int
    worked: int = 0

    def run(self) -> bool:
        if self.limits.exhausted():
            return False
        work = int(min(self.takes - self.worked, self.limits.work - self.limits.done))
        self.limits.done += work
        self.worked += work
        task = self.task
        if self.cutoff >= task.truth and 2 * self.worked >= self.takes:
            task.value = min(task.value, self.cutoff)
            if self.stop_at_first:
                return True
        if self.worked < self.takes:
            return False
        if self.cutoff >= task.truth:
            task.value = task.truth
        return True


numbers = st.integers(0, 40)
works = st.integers(0, 12 * MAIN_SEARCH_WORK)


@given(numbers, numbers, numbers, st.integers(0, 30 * MAIN_SEARCH_WORK))
def test_without_a_limit_the_gap_is_closed_at_the_truth(
    low: int, below: int, above: int, hard: int
) -> None:
    task = Pretend(low + below, low + below + above, hard)
    assert close_gap(task, low, SearchLimits()) == task.value == task.truth


@given(numbers, numbers, numbers, st.integers(0, 10 * MAIN_SEARCH_WORK), works)
def test_stopped_early_both_ends_are_true(
    low: int, below: int, above: int, hard: int, work: int
) -> None:
    task = Pretend(low + below, low + below + above, hard)
    limits = SearchLimits(work=work)
    bound = close_gap(task, low, limits)
    assert low <= bound <= task.truth <= task.value <= low + below + above
    assert limits.done <= work


@given(numbers, numbers, st.integers(0, 10 * MAIN_SEARCH_WORK), st.lists(works, min_size=2))
def test_more_work_never_widens_the_gap(
    below: int, above: int, hard: int, limits: list[int]
) -> None:
    bounds, values = [], []
    for work in sorted(limits):
        task = Pretend(below, below + above, hard)
        bounds.append(close_gap(task, 0, SearchLimits(work=work)))
        values.append(task.value)
    assert bounds == sorted(bounds)
    assert values == sorted(values, reverse=True)


@given(st.integers(0, 6), st.integers(1, 4), st.integers(2, 8), st.integers(0, 40))
def test_where_questions_are_needed_the_bound_comes_up_to_the_truth_and_no_further(
    below: int, above: int, hard: int, work: int
) -> None:
    task = Pretend(below, below + above, hard * MAIN_SEARCH_WORK)
    assert (
        close_gap(task, 0, SearchLimits(work=work * MAIN_SEARCH_WORK // 4)) <= below <= task.value
    )


def test_a_closed_gap_asks_nothing() -> None:
    task = Pretend(4, 4, 10)
    assert close_gap(task, 4, SearchLimits()) == 4
    assert task.asked == []


def test_questions_in_between_are_asked_only_where_the_whole_gap_is_hard() -> None:
    easy = Pretend(3, 9, 10)
    close_gap(easy, 0, SearchLimits())
    assert easy.asked == [8]
    hard = Pretend(30, 60, 100 * MAIN_SEARCH_WORK)
    close_gap(hard, 0, SearchLimits())
    assert hard.asked[0] == 59
    assert len(hard.asked) > 1


def test_a_bound_is_proved_long_before_the_whole_gap_is_searched() -> None:
    task = Pretend(50, 51, 13 * MAIN_SEARCH_WORK)  # the last step alone takes that much
    assert 0 < close_gap(task, 0, SearchLimits(work=10 * MAIN_SEARCH_WORK)) <= 50

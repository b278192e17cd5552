from __future__ import annotations

from typing import Any

from benchmarks.app import scrolling


def found(clock: float, processor: float) -> dict[str, Any]:
    tasks = {"clock ms": clock, "processor ms": processor}
    return {
        "photos": 1000,
        "usable while reading": True,
        "longest tasks while reading": tasks,
        "longest tasks while scrolling": tasks,
        "tasks while scrolling": 100,
        "server grew by MB": 3.0,
    }


def test_tasks_are_judged_by_the_clock_and_both_are_told() -> None:
    """A person waits by the clock, whatever the processor did meanwhile."""
    assert all(holds for _, holds, _ in scrolling.verdicts(found(49.0, 40.0)))
    slow = scrolling.verdicts(found(51.0, 40.0))
    assert [holds for _, holds, _ in slow] == [False, False, True]
    assert all("51.0 ms by the clock, 40.0 ms of the processor" in said for _, _, said in slow[:2])

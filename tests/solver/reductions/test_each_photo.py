from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from elsewhere.solver.problem import IN, OUT
from elsewhere.values.promise import Promise
from elsewhere.values.scores import Scores
from tests.solver.reductions.meaning import SEEDS, alone, assert_same_meaning, first, reduced

# photo 0 alone points at cell 0, photo 1 at cell 1, photo 2 is undecided
ROWS = np.log([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.4, 0.4, 0.2]])


def wish(plain: Promise, full: Promise) -> Promise:
    return first(plain, each_photo=min(1 + full.photos % 2, plain.against[0].cells - 1))


@pytest.mark.parametrize("seed", SEEDS)
def test_it_means_what_was_wished(seed: int) -> None:
    assert_same_meaning(*alone(seed, wish))


def test_revealing_photos_are_fixed_out() -> None:
    fixed = reduced(ROWS, each_photo=1).fixed
    assert fixed.tolist() == [OUT, 0, 0]  # the tie of photo 2 counts for us


def test_a_pinned_one_is_exempt_with_its_group_and_no_other() -> None:
    rows = np.concatenate([ROWS, ROWS])
    assert reduced(rows, each_photo=1, keep=(0,)).fixed.tolist() == [IN, 0, 0, OUT, 0, 0]
    together = reduced(rows, each_photo=1, keep=(1,), groups=[(0, 1)])
    assert together.fixed.tolist() == [IN, 0, OUT, 0, 0]


def test_a_photo_that_an_attacker_does_not_see_reveals_nothing_to_it() -> None:
    assert reduced(ROWS, each_photo=1, strict=True).fixed.tolist() == [OUT, 0, OUT]
    unseen = reduced(ROWS, each_photo=1, strict=True, sees=(1, 2))
    assert unseen.fixed.tolist() == [0, 0, OUT]


def test_pins_and_tops_ask_nothing_anew_of_single_photos(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every click in the app asks again, and for every k that is tried."""
    table, turned = Scores(ROWS), Scores(ROWS[::-1])
    before = reduced(table, margin=0.1, each_photo=1).fixed.tolist()

    def never(*_: object) -> None:
        raise AssertionError("this was not known")

    with monkeypatch.context() as closed:
        closed.setattr("elsewhere.solver.reductions.np.isneginf", never)
        again = reduced(table, margin=0.1, each_photo=1).fixed.tolist()
        assert again == before == [OUT, 0, OUT]
        pinned = reduced(table, margin=0.1, each_photo=2, drop=(1,))
        assert pinned.fixed.tolist() == [OUT] * 3
        others: list[tuple[Scores, int, dict[str, Any]]] = [
            (table, 0, {"margin": 0.2}),
            (table, 0, {"margin": 0.1, "strict": True}),
            (table, 1, {"margin": 0.1}),
            (turned, 0, {"margin": 0.1}),
        ]
        for scores, truth, wishes in others:
            with pytest.raises(AssertionError, match="not known"):
                reduced(scores, truth, each_photo=1, **wishes)
    assert reduced(turned, margin=0.1, each_photo=1).fixed.tolist() == before[::-1]

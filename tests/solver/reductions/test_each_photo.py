from __future__ import annotations

import numpy as np
import pytest

from elsewhere.solver.problem import OUT, plain
from elsewhere.solver.reductions import photos
from elsewhere.solver.reductions.chain import Contradiction, Margin, Places, Strict
from elsewhere.solver.reductions.photos import EachPhoto, Pins
from elsewhere.values.promise import Promise
from elsewhere.values.scores import Scores
from tests.solver.reductions.meaning import SEEDS, alone, assert_same_meaning, first

# photo 0 alone points at cell 0, photo 1 at cell 1, photo 2 is undecided
ROWS = np.log([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.4, 0.4, 0.2]])


def wish(plain: Promise, full: Promise) -> Promise:
    return first(plain, each_photo=min(1 + full.photos % 2, plain.against[0].cells - 1))


@pytest.mark.parametrize("seed", SEEDS)
def test_it_means_what_was_wished(seed: int) -> None:
    assert_same_meaning(*alone(seed, wish))


def test_revealing_photos_are_fixed_out() -> None:
    fixed = EachPhoto((1,)).apply(plain(ROWS, truth=0, need=1)).fixed
    assert fixed.tolist() == [OUT, 0, 0]  # the tie of photo 2 counts for us


def test_a_pinned_one_is_a_contradiction() -> None:
    pinned = Pins((0,), ()).apply(plain(ROWS, truth=0, need=1))
    with pytest.raises(Contradiction, match="kept photo 0 reveals the truth by itself"):
        EachPhoto((1,)).apply(pinned)


def test_a_photo_that_an_attacker_does_not_see_reveals_nothing_to_it() -> None:
    problem = Strict().apply(plain(ROWS, truth=0, need=1))
    assert EachPhoto((1,)).apply(problem).fixed.tolist() == [OUT, 0, OUT]
    elsewhere = Places(((1, 2),)).apply(problem)
    assert EachPhoto((1,)).apply(elsewhere).fixed.tolist() == [0, 0, OUT]


def test_pins_and_tops_ask_nothing_anew_of_single_photos(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every click in the app asks again, and for every k that is tried."""
    table = Scores(ROWS)
    problem = Margin((0.1,)).apply(plain(table.values, truth=0, need=1))
    before = EachPhoto((1,)).apply(problem).fixed.tolist()

    def never(*_: object) -> None:
        raise AssertionError("this was known already")

    with monkeypatch.context() as closed:
        closed.setattr(photos, "Instance", never)
        assert EachPhoto((1,)).apply(problem).fixed.tolist() == before == [OUT, 0, OUT]
        assert EachPhoto((2,)).apply(Pins((), (1,)).apply(problem)).fixed.tolist() == [OUT] * 3
        for other in (
            Margin((0.2,)).apply(problem),
            Strict().apply(problem),
            Margin((0.1,)).apply(plain(table.values, truth=1, need=1)),
            Margin((0.1,)).apply(plain(Scores(ROWS[::-1]).values, truth=0, need=1)),
        ):
            with pytest.raises(AssertionError, match="known already"):
                EachPhoto((1,)).apply(other)
    turned = Margin((0.1,)).apply(plain(Scores(ROWS[::-1]).values, truth=0, need=1))
    assert EachPhoto((1,)).apply(turned).fixed.tolist() == before[::-1]

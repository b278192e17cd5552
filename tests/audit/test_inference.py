"""From scores and a truth to an Audit: every number can be had from the scores by hand."""

from __future__ import annotations

import numpy as np
import pytest

import elsewhere
from elsewhere.audit import Truth, audit
from elsewhere.errors import InputError
from elsewhere.globe import Cells, cell_names, zone
from elsewhere.scorers.protocol import combine_rows, exponent
from elsewhere.values.scores import Scores
from elsewhere_lab import simulator

CELLS = Cells.paper()
EXPONENTS = {1: 1.0, 8: 0.5, 32: 0.2}


@pytest.fixture(scope="module")
def album() -> Scores:
    rows = simulator.collection(21, photos=20).scores.values
    return Scores(rows, [f"{n}.jpg" for n in range(20)], grid=CELLS.fingerprint)


def test_guesses_are_the_calibrated_posterior_by_name(album: Scores) -> None:
    found = audit(album, exponents=EXPONENTS, top=7)
    likely = np.exp(combine_rows(album.values, EXPONENTS))
    best = np.argsort(-likely)[:7].tolist()
    assert [one.cell for one in found.guesses] == best
    assert [one.name for one in found.guesses] == [cell_names(CELLS)[cell] for cell in best]
    assert [one.probability for one in found.guesses] == pytest.approx(likely[best])
    assert all(one.lat is not None and one.lon is not None for one in found.guesses)
    assert found.exponent == exponent(EXPONENTS, 20)
    assert found.truth is None
    assert all(one.rank is None and one.probability is None for one in found.alone)


def test_the_truth_in_numbers(album: Scores) -> None:
    around = zone(CELLS, 51.5, -0.12, 25)
    cells = tuple(around.cells.tolist())
    place = Truth(cells, "London", 51.5, -0.12, ((51.5, -0.12),), "a note")
    truth = audit(album, place, exponents=EXPONENTS).truth
    assert truth is not None
    likely = np.exp(combine_rows(album.values, EXPONENTS))
    assert truth.probability == pytest.approx(likely[around.cells].sum())
    plan = elsewhere.protect(album, cells, budget=0)
    assert truth.rank == plan.protected_k + 1
    for curve in (truth.album_order, truth.worst_order):
        assert curve.ranks[-1] == truth.rank
        assert curve.probabilities[-1] == pytest.approx(truth.probability)
    assert [one.km for one in truth.within] == [25, 200, 750]
    assert truth.within[0].at_most == pytest.approx(truth.probability)
    assert (truth.label, truth.note, truth.lat) == ("London", "a note", 51.5)
    assert truth.best_km is not None


def test_each_photo_by_itself(album: Scores) -> None:
    found = audit(album, truth=[3, 4], exponents=EXPONENTS)
    for row, alone, name in zip(album.values, found.alone, album.ids, strict=True):
        by_itself = audit(row[None], truth=[3, 4]).truth
        assert by_itself is not None
        assert alone.photo == name
        assert alone.rank == by_itself.rank
        assert alone.probability == pytest.approx(np.exp(row[[3, 4]].astype(float)).sum(), rel=1e-4)
        assert alone.guesses[0].cell == int(np.argmax(row))


def test_only_what_is_seen_and_possible_counts(album: Scores) -> None:
    part = audit(album, 9, sees=[4, 2, 2, 11], exponents=EXPONENTS)
    same = audit(Scores(album.values[[2, 4, 11]], ["2.jpg", "4.jpg", "11.jpg"]), 9,
                 exponents=EXPONENTS, cells=CELLS)  # fmt: skip
    assert part == same
    few = audit(album, 9, among=[9, 10, 11], exponents=EXPONENTS)
    assert few.truth is not None
    assert few.truth.rank <= 3
    assert sum(one.probability for one in few.guesses[:3]) == pytest.approx(1.0)


def test_second_opinions_are_of_the_same_photos(album: Scores) -> None:
    other = simulator.collection(22, photos=20).scores
    found = audit(album, 5, sees=[0, 7], opinions={"half": other}, exponents=EXPONENTS)
    (opinion,) = found.opinions
    alone = audit(other.values[[0, 7]], 5, exponents=EXPONENTS)
    assert alone.truth is not None
    assert (opinion.name, opinion.rank) == ("half", alone.truth.rank)
    assert opinion.probability == pytest.approx(alone.truth.probability)
    assert opinion.guess.cell == alone.guesses[0].cell
    assert audit(album, opinions={"half": other}).opinions[0].rank is None


def test_cells_that_nobody_knows_have_numbers_and_no_distances() -> None:
    rows = np.log([[0.6, 0.3, 0.1]])
    found = audit(rows, Truth((1,), "home", 1.0, 2.0, ((1.0, 2.0),)))
    assert found.truth is not None
    assert [one.name for one in found.guesses] == ["cell 0", "cell 1", "cell 2"]
    assert found.guesses[0].lat is None
    assert found.truth.within == ()
    assert found.truth.best_km is None
    named = audit(rows, 1).truth
    assert named is not None
    assert named.label == "cell 1"


@pytest.mark.parametrize(
    ("wishes", "sentence"),
    [
        ({"truth": 3}, "truth must be one or more of the cells 0 to 2"),
        ({"truth": [0, 1, 2]}, "and not all of them"),
        ({"truth": []}, "truth must be one or more"),
        ({"truth": -1}, "truth must be one or more"),
        ({"sees": []}, "sees must name at least one photo"),
        ({"sees": [1]}, "by a number from 0 to 0"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(wishes: dict[str, object], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        audit(np.log([[0.6, 0.3, 0.1]]), **wishes)  # type: ignore[arg-type]

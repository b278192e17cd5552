"""What cannot be is told as early as it is known, in the words of the plan itself."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from elsewhere.album.places import places_of
from elsewhere.errors import InputError, PlaceError
from elsewhere.globe import place
from elsewhere.scorers import ScorerInfo
from elsewhere.service.jobs import EarlyChecks, check_wishes
from elsewhere.service.planning import plan_album
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.values.wishes import Wishes
from tests.service.makers import Stay, trip


@pytest.fixture(scope="module")
def lisbon() -> ScoredAlbum:
    return trip([Stay("Lisbon", 4, 0)], seed=4)


def scorers(seen: ScoredAlbum) -> list[tuple[str, ScorerInfo]]:
    return [(attack.spec, attack.about) for attack in seen.models]


@pytest.mark.parametrize("budget", ["ten", "200%", "-1", "3.5", "", -1])
def test_a_budget_that_is_none(budget: int | str) -> None:
    with pytest.raises(InputError, match="a number of photos or a share such as 10%"):
        check_wishes(Wishes(top=None, budget=budget))


@pytest.mark.parametrize(
    "wishes",
    [
        Wishes(),
        *(Wishes(top=None, budget=budget) for budget in ("0", "4", "10%", "2.5 %", None)),
        Wishes(hide=("ALL",)),
        Wishes(hide=("home ", "Lisbon", "38.7, -9.1", "Portugal", "Lisbon, Portugal (2)")),
        Wishes(time_limit=0, prior="Portugal", margin=0.2),
    ],
    ids=str,
)
def test_what_may_be_is_not_refused(wishes: Wishes) -> None:
    check_wishes(wishes)


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        (Wishes(top=0), "from 1 on, not 0"),
        (Wishes(top=-3), "from 1 on, not -3"),
        (Wishes(time_limit=-1.0), "a number of seconds, not -1"),
        (Wishes(time_limit=math.nan), "a number of seconds, not nan"),
        (Wishes(hide=("all", "Xyzzyx")), "no place is called 'Xyzzyx'"),
        (Wishes(hide=("91, 200",)), "91"),
    ],
)
def test_slips(wishes: Wishes, said: str) -> None:
    with pytest.raises((InputError, PlaceError), match=said):
        check_wishes(wishes)


def test_more_guesses_than_there_are_cells(lisbon: ScoredAlbum) -> None:
    cells = lisbon.models[0].about.cells
    EarlyChecks(Wishes(top=cells - 1)).check_scorers(scorers(lisbon))
    with pytest.raises(InputError, match=f"top {cells} is out of reach"):
        EarlyChecks(Wishes(top=cells)).check_scorers(scorers(lisbon))


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        (Wishes(radius_km=25_000.0), "covers every cell"),
        (Wishes(radius_km=9_000.0, top=400), "top 400 is out of reach: .* only \\d+ cells"),
        (Wishes(prior="Japan"), "does not lie in Japan"),
    ],
    ids=str,
)
def test_what_leaves_too_few_rivals_is_told_with_the_place(
    lisbon: ScoredAlbum, wishes: Wishes, said: str
) -> None:
    """Before reading where the place is told, else when the photos are read: as the plan would."""
    told = EarlyChecks(wishes, [place("Lisbon")])
    with pytest.raises(InputError, match=said):
        told.check_scorers(scorers(lisbon))
    read = EarlyChecks(wishes)
    read.check_scorers(scorers(lisbon))
    with pytest.raises(InputError, match=said):
        read.check_album(replace(lisbon.album, photos=lisbon.photos))
    with pytest.raises(InputError, match=said):
        plan_album(lisbon, places_of(lisbon.photos), wishes)


def test_of_an_album_without_photos_something_else_is_told(lisbon: ScoredAlbum) -> None:
    EarlyChecks(Wishes(hide=("Kyoto",), keep=("x",))).check_album(replace(lisbon.album, photos=()))


def test_what_is_public_must_be_there(tmp_path: Path) -> None:
    check_wishes(Wishes(), [tmp_path])
    with pytest.raises(InputError, match="online does not exist"):
        check_wishes(Wishes(), [tmp_path, tmp_path / "online"])

"""A slip in what was typed is not good news."""

from __future__ import annotations

import numpy as np
import pytest

from elsewhere.album.places import places_of
from elsewhere.globe import Cells, place
from elsewhere.service.planning import plan_album
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.values.wishes import Wishes
from tests.service.makers import attack, photo, seen, texts

STUTTGART = (48.78, 9.18)
WISHES = Wishes(exact_top=True, margin="none")


def streets(sure: float = 3.0, position: tuple[float, float] | None = None) -> ScoredAlbum:
    """Four photos that look like Stuttgart; their files say where they were taken, or nothing."""
    cells = Cells.paper()
    rows = np.zeros((4, cells.count))
    rows[:, cells.locate(*STUTTGART)] = sure
    photos = [photo(f"{n}.jpg", position) for n in range(4)]
    return seen(photos, attack(rows, [one.id for one in photos], "tiny"))


def notes(album: ScoredAlbum, *at: str, wishes: Wishes = WISHES) -> list[str]:
    places = places_of(album.photos, at=[place(one) for one in at] or None)
    made = plan_album(album, places, wishes)
    return [note for note in texts(made.notes) if "is only what you said" in note]


def test_what_only_the_user_says_is_held_against_the_first_guesses() -> None:
    (note,) = notes(streets(), "Atlantis")
    assert note.startswith(
        "that these photos are of Atlantis, South Africa is only what you said (--at): the model "
        "tiny guesses Stuttgart, Germany first (100 %), "
    )
    assert note.endswith("; check that it is right")
    assert notes(streets(sure=0.5), "Atlantis"), "however unsure the model is"
    assert notes(streets(), "Japan"), "a country likewise"


@pytest.mark.parametrize("at", ["Stuttgart, Germany", "Germany"])
def test_a_place_among_the_first_guesses_is_not_doubted(at: str) -> None:
    assert notes(streets(), at) == []


def test_neither_is_what_a_file_says() -> None:
    assert notes(streets(position=(-33.57, 18.48))) == []
    assert notes(streets(position=(-33.57, 18.48)), "Atlantis") == []

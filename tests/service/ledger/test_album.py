"""What an album gives to the ledger, and what the next album finds there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from elsewhere.album import Metadata
from elsewhere.album.places import Places, places_of
from elsewhere.errors import InputError
from elsewhere.scorers import find
from elsewhere.scorers.embedded import EmbeddedScorer
from elsewhere.service.ledger import Ledger, label_of, new_entries, remembered
from elsewhere.service.posted import find_posted
from elsewhere.service.scored_album import ModelScores, ScoredAlbum
from elsewhere.values.scores import Scores
from elsewhere.values.wishes import Wishes
from tests.service.makers import Stay, photo, seen, texts, trip


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path)


def remember(
    ledger: Ledger, album: ScoredAlbum, *shared: int, places: Places | None = None
) -> None:
    given = new_entries(album, places or places_of(album.photos), shared)
    with ledger.recording(given, Path("out")):
        pass


def another(album: ScoredAlbum, name: str = "other") -> ScoredAlbum:
    """The same rows and places under other pictures."""
    photos = [
        photo(f"{name} {one.id}", one.metadata.position, one.metadata.time) for one in album.photos
    ]
    return seen(photos, *(attack.scores.values for attack in album.models))


def found(ledger: Ledger, album: ScoredAlbum, *hide: str, **wishes: object):  # type: ignore[no-untyped-def]
    asked = Wishes(hide=hide or ("all",), **wishes)  # type: ignore[arg-type]
    return remembered(ledger, album, places_of(album.photos), asked)


def test_what_was_shared_of_a_place_counts_when_it_is_hidden_again(ledger: Ledger) -> None:
    first = trip([Stay("Lisbon", 4, 0), Stay("Oslo", 3, 5)], scorers=2)
    remember(ledger, first, 0, 2, 5)
    told = [(label_of(entry), len(entry.photos)) for entry in ledger.entries()]
    assert told == [("Lisbon, Portugal", 2), ("Oslo, Norway", 1)]
    again = another(trip([Stay("Lisbon", 3, 50)], scorers=2, seed=9))
    back = found(ledger, again)
    assert back.ids == ("remembered/1", "remembered/2")
    for number, attack in enumerate(first.models):
        assert np.array_equal(back.rows[number], attack.scores.values[[0, 2]])
    where = places_of(again.photos).places[0].positions[0]
    assert back.metadata == (Metadata(position=where),) * 2
    assert back.already == ()
    assert texts(back.notes) == (
        "2 photos of Lisbon, Portugal that you shared before are counted, too",
    )


def test_what_was_shared_elsewhere_does_not_count(ledger: Ledger) -> None:
    remember(ledger, trip([Stay("Lisbon", 4, 0)]), 0, 1)
    oslo = another(trip([Stay("Oslo", 3, 50)]))
    assert found(ledger, oslo).ids == ()
    both = another(trip([Stay("Lisbon", 2, 50), Stay("Oslo", 3, 60)]))
    assert found(ledger, both, "Oslo").ids == ()
    assert len(found(ledger, both, "Lisbon").ids) == 2
    assert len(found(ledger, another(trip([Stay("Porto", 2, 50)]))).ids) == 0
    country = another(trip([Stay("Porto", 2, 50)]))
    assert len(found(ledger, country, hide_level="country").ids) == 2


def test_a_photo_of_the_album_that_was_shared_before_is_out_already(ledger: Ledger) -> None:
    album = trip([Stay("Lisbon", 4, 0)])
    remember(ledger, album, 1, 3)
    back = found(ledger, album)
    assert (back.already, back.ids) == ((1, 3), ())
    posted = find_posted(album, places_of(album.photos), Wishes(), ledger=ledger)
    assert posted.already == (1, 3)
    assert "IMG_0001.jpg" in texts(posted.notes)[0]


def test_a_photo_that_is_given_as_posted_too_counts_once(ledger: Ledger) -> None:
    first = trip([Stay("Lisbon", 4, 0)])
    remember(ledger, first, 0, 1)
    again = another(first)
    known = [first.photos[0].rendition.digest]
    back = remembered(ledger, again, places_of(again.photos), Wishes(), known=known)
    assert back is not None
    assert np.array_equal(back.rows[0], first.models[0].scores.values[[1]])


def test_shared_twice_counts_once(ledger: Ledger) -> None:
    first = trip([Stay("Lisbon", 4, 0)])
    remember(ledger, first, 0, 1)
    remember(ledger, first, 1, 2)
    assert len(found(ledger, another(first)).ids) == 3


def test_unplaced_photos_count_wherever_the_album_was(ledger: Ledger) -> None:
    first = trip([Stay("Lisbon", 2, 0), Stay("Oslo", 2, 5)], lost=1)
    remember(ledger, first, 0, 4)
    assert [entry.placed for entry in ledger.entries()] == [True, False]
    assert "and elsewhere" in label_of(ledger.entries()[1])
    assert found(ledger, another(trip([Stay("Oslo", 3, 50)]))).metadata == (Metadata(),)
    assert found(ledger, another(trip([Stay("Kyoto", 3, 50)]))).ids == ()


def test_a_model_that_did_not_score_it_is_an_error_not_a_gap(ledger: Ledger) -> None:
    remember(ledger, trip([Stay("Lisbon", 4, 0)]), 0)
    two = another(trip([Stay("Lisbon", 3, 50)], scorers=2))
    with pytest.raises(InputError, match=r"Lisbon, Portugal .*made-up 1.*--posted"):
        found(ledger, two)


def embedded(album: ScoredAlbum, spec: str, seed: int = 0) -> ScoredAlbum:
    """The album as a head of the embedded model sees it, through made-up features."""
    scorer = find(spec)
    assert isinstance(scorer, EmbeddedScorer)
    about, ids = scorer.load(), [one.id for one in album.photos]
    features = np.random.default_rng(seed).normal(size=(len(ids), 512)).astype(np.float32)
    rows = np.stack([scorer.row(row) for row in features])
    scores = Scores(rows, ids, scorer=about.fingerprint, grid=about.grid)
    return seen(album.photos, ModelScores(spec, about, scores, features=features))


def test_features_are_remembered_and_serve_every_head_that_sees_alike(ledger: Ledger) -> None:
    first = embedded(trip([Stay("Lisbon", 4, 0)]), "embedded")
    remember(ledger, first, 1, 2)
    assert ledger.path.stat().st_size < 8_000
    again = trip([Stay("Lisbon", 3, 50)], seed=9)
    back = found(ledger, embedded(another(again), "embedded", seed=1))
    assert np.array_equal(back.rows[0], first.models[0].scores.values[[1, 2]])
    former = found(ledger, embedded(another(again), "embedded:512", seed=1))
    expected = embedded(first, "embedded:512").models[0].scores.values[[1, 2]]
    assert np.array_equal(former.rows[0], expected)


def test_rows_of_the_former_head_count_with_it_and_are_named_otherwise(ledger: Ledger) -> None:
    first = embedded(trip([Stay("Lisbon", 4, 0)]), "embedded:512")
    model = replace(first.models[0], features=None)  # as earlier versions remembered it
    remember(ledger, replace(first, models=(model,)), 1, 2)
    again = another(trip([Stay("Lisbon", 3, 50)], seed=9))
    back = found(ledger, embedded(again, "embedded:512", seed=1))
    assert np.array_equal(back.rows[0], model.scores.values[[1, 2]])
    with pytest.raises(InputError, match=r"--posted, plan with --scorer embedded:512 as before"):
        found(ledger, embedded(again, "embedded", seed=1))


def test_posted_rows_of_both_kinds_stand_together(ledger: Ledger) -> None:
    first = trip([Stay("Lisbon", 4, 0)])
    remember(ledger, first, 0, 3)
    again = another(trip([Stay("Lisbon", 3, 50)], seed=4))
    posted = find_posted(again, places_of(again.photos), Wishes(), ledger=ledger)
    joint = posted.append_to(again.models[0].scores, 0)
    assert joint.ids[-2:] == ("remembered/1", "remembered/2")
    assert np.array_equal(joint.values[-2:], first.models[0].scores.values[[0, 3]])


def test_an_album_without_photos_to_share_gives_nothing(ledger: Ledger) -> None:
    album = trip([Stay("Lisbon", 2, 0)])
    assert new_entries(album, places_of(album.photos), set()) == []
    remember(ledger, album)
    assert not ledger.path.exists()


def test_a_version_whose_original_is_not_known_counts_as_one_more_photo(ledger: Ledger) -> None:
    album = trip([Stay("Lisbon", 4, 0)])
    rows = album.models[0].scores.values.copy()
    rows[0] = rows[0, ::-1]
    edited = seen(
        [replace(album.photos[0], rendition=another(album).photos[0].rendition), *album.photos[1:]],
        rows,
    )
    remember(ledger, edited, 0, 2)
    back = found(ledger, album)
    assert back.already == (2,), "nothing says which photo it is a version of"
    assert np.array_equal(back.rows[0], rows[:1]), "what is public is fixed as it was shared"
    assert found(ledger, edited).already == (0, 2)

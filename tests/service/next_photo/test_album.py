"""One photo of an album at a time: places, posted photos and the secret k with it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import elsewhere
from elsewhere import messages
from elsewhere.album.places import places_of
from elsewhere.errors import InputError
from elsewhere.service.next_photo import NextPhoto, check_next_photo
from elsewhere.service.posted import Posted
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.values.next_photo import Answer
from elsewhere.values.wishes import Wishes
from tests.service.makers import Stay, photo, seen, trip

EXACT = Wishes(exact_top=True, margin="none", top=3, each_photo=False)


def ask(
    album: ScoredAlbum, name: str, out: Collection[int] = (), wishes: Wishes = EXACT
) -> NextPhoto:
    posted = Posted(already=tuple(sorted(out)))
    return check_next_photo(album, places_of(album.photos), wishes, name, posted=posted)


def keeps(album: ScoredAlbum, told: NextPhoto, out: Collection[int]) -> bool:
    """The promise of every watch, by plain sums: rivals at least as far as the best of the zone."""
    top = told.album.plan.promise.against[0].top
    assert top is not None
    for watch in told.album.threats:
        rows = album.models[watch.model].scores.values.astype(np.float64)
        added = [n for n in out if watch.sees is None or n in watch.sees]
        sums = rows[added].sum(axis=0)
        if added and (sums[list(watch.rivals or ())] >= sums[watch.zone.cells].max()).sum() < top:
            return False
    return True


@pytest.mark.parametrize("seed", range(3))
def test_an_album_of_two_places_goes_out_step_by_step(seed: int) -> None:
    album = trip([Stay("Lisbon", 4, 0), Stay("Tokyo", 3, 9)], seed=seed, lost=1)
    out: list[int] = []
    for number in np.random.default_rng(seed).permutation(len(album.photos)).tolist():
        told = ask(album, album.photos[number].id, out)
        assert told.names == (album.photos[number].id,)
        assert (told.decision.answer is Answer.KEEP) == keeps(album, told, [*out, number])
        if told.decision.answer is Answer.KEEP:
            out.append(number)
            assert told.alone is not None
            assert told.alone.plan.kept == tuple(sorted(out))
            tables = [album.models[watch.model].scores for watch in told.album.threats]
            assert elsewhere.check(told.alone.plan, tables)
            assert "A better model may" in messages.verdict(told.alone)
        else:
            assert told.alone is None
    assert out


def test_what_is_out_is_out_and_has_no_plan_of_its_own() -> None:
    album = trip([Stay("Lisbon", 3, 0)])
    told = ask(album, "IMG_0001.jpg", [1])
    assert told.decision.answer is Answer.KEEP
    assert told.alone is None


def test_the_same_question_draws_the_same_k(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    album = trip([Stay("Lisbon", 6, 0)])
    places = places_of(album.photos)
    drawn = replace(EXACT, exact_top=False, top=4)

    def tops(folder: Path) -> set[int | None]:
        monkeypatch.setenv("ELSEWHERE_DATA_DIR", str(folder))
        asked = (check_next_photo(album, places, drawn, "IMG_0000.jpg") for _ in range(3))
        return {told.album.top for told in asked}

    assert len(tops(tmp_path)) == 1
    others = {k for n in range(5) for k in tops(tmp_path / str(n))}
    assert len(others) > 1  # another key, another k


def test_no_k_is_told_but_the_one_asked_for() -> None:
    album = trip([Stay("Lisbon", 6, 0)])
    drawn = replace(EXACT, exact_top=False, top=4)
    for one in album.photos:
        told = ask(album, one.id, wishes=drawn)
        said = messages.next_reason(told.decision) + (
            messages.verdict(told.alone) if told.alone else ""
        )
        if told.album.top != 4:
            assert f"top {told.album.top}" not in said
            assert f"first {told.album.top}" not in said


def test_names_and_paths(tmp_path: Path) -> None:
    album = trip([Stay("Lisbon", 3, 0)])
    with pytest.raises(InputError, match=r"no photo is called 'IMG_9.jpg'; did you mean"):
        ask(album, "IMG_9.jpg")
    with pytest.raises(InputError, match=r"could be IMG_0000.jpg, IMG_0001.jpg and IMG_0002.jpg"):
        ask(album, "IMG_*")
    file = tmp_path / "one.jpg"
    file.write_bytes(b"some file")
    moved = [replace(album.photos[0], path=file), *album.photos[1:]]
    again = seen(moved, *(attack.scores.values for attack in album.models))
    assert ask(again, str(file)).names == ("IMG_0000.jpg",)


def test_a_budget_is_no_promise_for_a_step() -> None:
    with pytest.raises(InputError, match="needs a top"):
        ask(trip([Stay("Lisbon", 2, 0)]), "IMG_0000.jpg", wishes=replace(EXACT, budget=1))


def test_a_burst_is_one_question() -> None:
    rows = trip([Stay("Lisbon", 3, 0)]).models[0].scores.values
    when = trip([Stay("Lisbon", 1, 0)]).photos[0].metadata.time
    photos = [photo(f"{n}.jpg", (38.72, -9.14), when) for n in range(3)]
    told = ask(seen(photos, rows), "1.jpg", wishes=replace(EXACT, bursts=True))
    assert told.names == ("0.jpg", "1.jpg", "2.jpg")

"""Readable names under covers: found, painted over, and read again."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from fractions import Fraction

import pytest

from elsewhere.album.places import places_of
from elsewhere.album.renditions import Rendition, Spool
from elsewhere.album.workers import Workers
from elsewhere.globe import place
from elsewhere.service import text_covers
from elsewhere.service.edited_album import apply_edits
from elsewhere.service.photo_texts import TextReader
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.text_covers import TextRule, cover_of, find_text_covers, read_twice
from elsewhere.values.photo_text import PhotoText, TextBox
from elsewhere.values.versions import MAX_LOSS, Edit, Rectangle
from elsewhere.values.wishes import HideScope
from tests.service.tiny import known_scorers, see_tiny
from tests.text.signs import draw_sheet

NEAR = TextRule(places_of((), at=[place("Tarascon, France")]).places, HideScope())
FAR = TextRule(places_of((), at=[place("Osaka, Japan")]).places, HideScope())


@pytest.fixture(scope="module")
def signs(tmp_path_factory: pytest.TempPathFactory, pool: Workers) -> Iterator[ScoredAlbum]:
    """Photos with a readable name in two sizes."""
    folder = tmp_path_factory.mktemp("signs") / "trip"
    folder.mkdir()
    for seed, condition in enumerate(("plain", "noise")):
        sheet = draw_sheet(
            "Latin", "Avignon", condition, heights=(24, 40), size=(900, 700), seed=seed
        )
        (folder / f"{condition}.jpg").write_bytes(sheet.content)
    with known_scorers(), TextReader() as reader:
        album = see_tiny(folder, workers=pool)
        for photo in album.photos:
            reader(photo)
        yield dataclasses.replace(album, texts=reader.texts)
        album.close()


def find(
    album: ScoredAlbum, pool: Workers, rule: TextRule = NEAR, max_loss: Fraction = MAX_LOSS
) -> dict[int, tuple[Rectangle, ...]]:
    numbers = range(len(album.photos))
    return find_text_covers(album, rule, numbers, max_loss=max_loss, workers=pool)


def test_covered_names_cannot_be_read_any_more(signs: ScoredAlbum, pool: Workers) -> None:
    assert all(NEAR.is_broken([text]) for text in signs.texts.values())
    covers = find(signs, pool)
    assert set(covers) == {0, 1}
    edits = {signs.photos[n].id: Edit(covers=found) for n, found in covers.items()}
    with known_scorers():
        covered = apply_edits(signs, edits, workers=pool)
    with TextReader() as reader:
        for photo in covered.photos:
            texts = read_twice(reader, photo.id, photo.rendition)
            assert not NEAR.is_broken(texts)
            assert not any("avign" in line.text.lower() for text in texts for line in text.lines)


def test_names_far_from_what_is_hidden_are_not_covered(signs: ScoredAlbum, pool: Workers) -> None:
    assert find(signs, pool, FAR) == {}


def test_a_photo_that_would_lose_too_much_is_not_covered(signs: ScoredAlbum, pool: Workers) -> None:
    assert find(signs, pool, max_loss=Fraction(1, 1000)) == {}


@pytest.mark.parametrize("unknown", [{"failed": "time"}, {"more": 1}])
def test_what_is_not_known_cannot_be_covered(
    signs: ScoredAlbum, pool: Workers, unknown: dict[str, object]
) -> None:
    texts = {name: dataclasses.replace(text, **unknown) for name, text in signs.texts.items()}  # type: ignore[arg-type]
    assert find(dataclasses.replace(signs, texts=texts), pool) == {}


def test_what_is_read_after_all_gets_a_cover_or_no_photo(
    signs: ScoredAlbum, pool: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that reads the name whatever is covered never lets the photo pass."""
    first = signs.texts[signs.photos[0].id]

    def still_there(reader: TextReader, name: str, rendition: Rendition) -> list[PhotoText]:
        return [first, first]

    monkeypatch.setattr(text_covers, "read_twice", still_there)
    assert find(signs, pool) == {}


def test_covers_over_names_leave_room_for_those_of_the_search(
    signs: ScoredAlbum, pool: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_covers, "read_twice", lambda reader, name, rendition: [])
    name = signs.photos[0].id
    line = next(line for line in signs.texts[name].lines if line.clues)
    boxes = [
        TextBox(40 * (n % 10), 40 * (n // 10), 40 * (n % 10) + 9, 40 * (n // 10) + 9)
        for n in range(63)
    ]
    for count, found in ((62, 62), (63, 0)):
        lines = tuple(dataclasses.replace(line, box=box) for box in boxes[:count])
        many = dataclasses.replace(signs, texts={**signs.texts, name: PhotoText(name, lines)})
        covers = find_text_covers(many, NEAR, [0], max_loss=Fraction(1), workers=pool)
        assert len(covers.get(0, ())) == found


def test_a_cover_holds_its_line_with_a_border() -> None:
    rendition = Rendition("", 1600, 1200, 0, Spool())
    cover = cover_of(TextBox(400, 300, 800, 340), rendition)
    assert cover == Rectangle(241, 238, 509, 295)
    assert cover_of(TextBox(0, 0, 1600, 1200), rendition) == Rectangle(0, 0, 1000, 1000)
    edge = cover_of(TextBox(1599, 1199, 1600, 1200), rendition)
    assert edge.right == edge.bottom == 1000 and edge.left < 1000

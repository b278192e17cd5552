"""The text of an album's photos: read in workers, cached, and made a rule for plans."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from elsewhere.album import Photo, Recipe, Step
from elsewhere.album.metadata import Metadata
from elsewhere.album.places import places_of
from elsewhere.album.renditions import Spool, accept_rendition, encode_jpeg
from elsewhere.album.workers import Reply
from elsewhere.globe import place
from elsewhere.messages.notes import note as note_text
from elsewhere.scorers import RowCache
from elsewhere.service import photo_texts
from elsewhere.service.photo_texts import TextReader, check_texts
from elsewhere.service.planning import plan_album
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.text import tesseract
from elsewhere.text.understanding import understand
from elsewhere.values.notes import NoteKind
from elsewhere.values.photo_text import PhotoText, TextBox, TextLine
from elsewhere.values.versions import Edit, Rectangle
from elsewhere.values.wishes import Wishes
from tests.service.makers import Stay, trip
from tests.text.signs import draw_sheet

EXACT = Wishes(top=3, exact_top=True, margin="none", each_photo=False)
STAYS = (Stay("Avignon", 5, 0), Stay("Tokyo", 3, 9))


@pytest.fixture(scope="module")
def photo() -> Photo:
    """A rendition with a sign."""
    import io

    from PIL import Image

    sheet = draw_sheet("Latin", "Avignon", heights=(30,), size=(800, 600))
    content = encode_jpeg(Image.open(io.BytesIO(sheet.content)).convert("RGB"))
    rendition = accept_rendition(content, Recipe(), Spool())
    return Photo("sign.jpg", Path("sign.jpg"), rendition, Metadata())


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Reply]]:
    """Workers that give these replies, the last one again and again."""
    replies: list[Reply] = []

    class FalseWorkers:
        def __init__(self, *settings: object) -> None:
            self.asked = 0

        def ask(self, request: dict[str, Any], content: bytes) -> Reply:
            self.asked += 1
            return replies[min(self.asked, len(replies)) - 1]

        def close(self) -> None:
            pass

    monkeypatch.setattr(photo_texts, "Workers", FalseWorkers)
    yield replies


def said(*texts: str) -> PhotoText:
    lines = [
        TextLine(text, 0.99, TextBox(0, 90 * n, 90, 90 * n + 9)) for n, text in enumerate(texts)
    ]
    return understand("a.jpg", lines)


def with_texts(album: ScoredAlbum, texts: Mapping[int, PhotoText]) -> ScoredAlbum:
    return replace(album, texts={album.photos[n].id: text for n, text in texts.items()})


def test_a_photo_is_read_once_and_then_cached(photo: Photo, tmp_path: Path) -> None:
    cache = RowCache(tmp_path)
    with TextReader(cache) as reader:
        reader(photo)
        first = reader.texts["sign.jpg"]
        assert [line.text for line in first.lines if line.is_read] == ["Avignon"]
        assert first.lines[0].clues[0].label == "Avignon, France"
    with TextReader(cache) as reader:
        reader(photo)
        assert reader.texts["sign.jpg"] == first
        assert reader._workers is None, "no worker was needed"


def test_the_cache_does_not_name_what_was_read(photo: Photo, tmp_path: Path) -> None:
    with TextReader(RowCache(tmp_path)) as reader:
        reader(photo)
    names = [path.name for path in tmp_path.rglob("*") if path.is_file()]
    digest = sha256(photo.rendition.content).hexdigest()
    assert not any("Avignon" in name or digest[:8] in name for name in names)
    assert all(path.stat().st_mode & 0o77 == 0 for path in tmp_path.rglob("*"))


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"lines": "no", "more": 0, "crops": []},
        {"lines": [["x" * 3000, 0.9, 0, 0, 1, 1, 1]], "more": 0, "crops": []},
        {"lines": [[7, 0.9, 0, 0, 1, 1, 1]], "more": 0, "crops": []},
        {"lines": [["x"]], "more": 0, "crops": []},
        {"lines": [], "more": 0, "crops": [99]},
        {"lines": [], "more": "many", "crops": []},
        {"lines": [], "more": float("inf"), "crops": []},
    ],
)
def test_a_worker_that_was_taken_over_gives_no_text_but_a_failure(
    photo: Photo, answers: list[Reply], answer: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers.append(Reply(answer, [b"\0" * 48] if answer.get("crops") else []))
    monkeypatch.setattr(tesseract, "read_lines", lambda lines: [("ab", 0.9)] * len(lines))
    reader = TextReader()
    reader(photo)
    assert reader.texts["sign.jpg"].failed == "crash"


def test_rectangles_from_a_worker_stay_inside_the_picture(
    photo: Photo, answers: list[Reply]
) -> None:
    lines = [["\x1b[31mx", 7.0, -5, -5, 10**9, 10**9, 1]] * 1000
    answers.append(Reply({"lines": lines, "more": 0, "crops": []}))
    reader = TextReader()
    reader(photo)
    text = reader.texts["sign.jpg"]
    assert len(text.lines) <= 150
    assert text.lines[0].box == TextBox(0, 0, photo.rendition.width, photo.rendition.height)
    assert (text.lines[0].confidence, text.lines[0].text) == (1.0, "[31mx")


def test_a_failure_is_not_cached(photo: Photo, answers: list[Reply], tmp_path: Path) -> None:
    answers += [Reply(failed="time"), Reply({"lines": [], "more": 0, "crops": []})]
    reader = TextReader(RowCache(tmp_path))
    reader(photo)
    assert reader.texts["sign.jpg"].failed == "time"
    reader(photo)
    assert reader.texts["sign.jpg"] == PhotoText("sign.jpg")


def test_lines_that_are_not_read_go_to_tesseract(
    photo: Photo, answers: list[Reply], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tesseract, "read_lines", lambda lines: [("Москва", 0.95)])
    lines = [["", 0.2, 0, 0, 90, 20, 20], ["Mo", 0.7, 0, 40, 90, 60, 20]]
    answers.append(Reply({"lines": lines, "more": 0, "crops": [1]}, [b"\0" * 48 * 30]))
    reader = TextReader()
    reader(photo)
    text = reader.texts["sign.jpg"]
    assert [(line.text, line.is_read) for line in text.lines] == [("", False), ("Москва", True)]
    assert text.unread == 1


def test_tesseract_takes_no_reading_away(
    photo: Photo, answers: list[Reply], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever is surer, what either of them reads counts."""
    lines = [["AVIGNON", 0.7, 0, 0, 90, 20, 20], ["NIMES", 0.8, 0, 60, 90, 80, 20]]
    answers.append(Reply({"lines": lines, "more": 0, "crops": [0, 1]}, [b"\0" * 48 * 30] * 2))
    monkeypatch.setattr(tesseract, "read_lines", lambda _: [("Москва", 0.9), ("Казань", 0.7)])
    reader = TextReader()
    reader(photo)
    first, second = reader.texts["sign.jpg"].lines
    assert (first.text, first.others) == ("Москва", (("AVIGNON", 0.7),))
    assert (second.text, second.others) == ("NIMES", (("Казань", 0.7),))
    assert {"Avignon, France", "Moscow, Russia"} <= {clue.label for clue in first.clues}
    assert {"Nîmes, France", "Kazan, Russia"} <= {clue.label for clue in second.clues}


def test_each_reading_of_a_line_counts_also_over_two_lines(
    photo: Photo, answers: list[Reply]
) -> None:
    lines = [["Villeneuve lès", 0.99, 0, 0, 90, 20, 20], ["AYIGMON", 0.99, 0, 22, 90, 42, 20]]
    others = [[1, "AVIGNON", 0.9]]
    answers.append(Reply({"lines": lines, "more": 0, "crops": [], "others": others}))
    reader = TextReader()
    reader(photo)
    first, second = reader.texts["sign.jpg"].lines
    assert "Villeneuve-lès-Avignon, France" in {clue.label for clue in first.clues}
    assert "Avignon, France" in {clue.label for clue in second.clues}


@pytest.mark.parametrize("others", [[[0, 7, 0.9]], [[0, "x" * 3000, 0.9]], [["a"]], 7])
def test_odd_further_readings_of_a_worker_are_a_failure(
    photo: Photo, answers: list[Reply], others: object
) -> None:
    lines = [["x", 0.9, 0, 0, 1, 1, 1]]
    answers.append(Reply({"lines": lines, "more": 0, "crops": [], "others": others}))
    reader = TextReader()
    reader(photo)
    assert reader.texts["sign.jpg"].failed == "crash"


def test_a_photo_with_a_telling_name_is_withheld_and_a_kept_one_is_not() -> None:
    album = with_texts(trip(STAYS), {1: said("Rue du Rhône", "AVIGNON"), 6: said("Paris")})
    places = places_of(album.photos)
    planned = plan_album(album, places, EXACT)
    assert 1 in planned.plan.withheld
    assert planned.telling_photos == ("IMG_0001.jpg",)
    kept = plan_album(album, places, replace(EXACT, keep=("IMG_0001.jpg",)))
    assert 1 in kept.plan.kept and kept.telling_photos == ()
    (note,) = [note for note in kept.notes if note.kind == NoteKind.TELLING_TEXT_KEPT]
    assert note.photos == ("IMG_0001.jpg",)
    dropped = plan_album(album, places, replace(EXACT, drop=("IMG_0001.jpg",)))
    assert 1 in dropped.plan.withheld and dropped.telling_photos == ()


@pytest.mark.parametrize("pattern", ["*", "IMG_000?.jpg", "IMG_[0]001.jpg"])
def test_a_pattern_keeps_no_photo_with_a_telling_name(pattern: str) -> None:
    album = with_texts(trip(STAYS), {1: said("AVIGNON"), 6: said("Paris")})
    planned = plan_album(album, places_of(album.photos), replace(EXACT, keep=(pattern,)))
    assert planned.telling_photos == ("IMG_0001.jpg",) and 1 not in planned.plan.promise.keep
    (note,) = [note for note in planned.notes if note.kind == NoteKind.TELLING_TEXT]
    told = note_text(note)
    assert "keep it by its own name as it is (--keep IMG_0001.jpg); no pattern does" in told
    both = plan_album(
        album, places_of(album.photos), replace(EXACT, keep=(pattern, "IMG_0001.jpg"))
    )
    assert both.telling_photos == () and 1 in both.plan.promise.keep


def test_lines_below_a_cover_are_not_counted_as_shared() -> None:
    text = understand("a", [TextLine("", 0.1, TextBox(0, 0, 1, 1))] * 2)
    album = with_texts(trip(STAYS), {1: text})
    plan = plan_album(album, places_of(album.photos), replace(EXACT, budget=0, top=None)).plan
    cover = Edit(covers=(Rectangle(0, 0, 1000, 1000),))
    plain, covered = check_texts(album, (), plan, {}), check_texts(album, (), plan, {1: cover})
    assert plain is not None and covered is not None
    assert (plain.unread, covered.unread) == (2, 0)


def test_only_names_near_what_is_hidden_count() -> None:
    album = with_texts(trip(STAYS), {1: said("AVIGNON"), 6: said("東京")})
    places = places_of(album.photos)
    assert plan_album(album, places, EXACT).telling_photos == ("IMG_0001.jpg", "IMG_0006.jpg")
    tokyo = plan_album(album, places, replace(EXACT, hide=("Tokyo",)))
    assert tokyo.telling_photos == ("IMG_0006.jpg",)


def test_a_hidden_country_hides_its_name_and_every_town_in_it() -> None:
    texts = {0: said("FRANCE"), 1: said("Brest"), 2: said("Lisboa"), 3: said("Boulangerie")}
    album = with_texts(trip(STAYS), texts)
    places = places_of(album.photos)
    wishes = replace(EXACT, hide=("Avignon",), hide_level="country")
    telling = ("IMG_0000.jpg", "IMG_0001.jpg")
    assert plan_album(album, places, wishes).telling_photos == telling
    given = places_of(album.photos, at=[place("France")])
    assert plan_album(album, given, EXACT).telling_photos == telling
    city = plan_album(album, places, replace(EXACT, hide=("Avignon",)))
    assert city.telling_photos == ()


@pytest.mark.parametrize("text", [PhotoText("a", more=3), PhotoText("a", failed="time")])
def test_what_could_not_be_read_at_all_is_withheld(text: PhotoText) -> None:
    album = with_texts(trip(STAYS), {2: text})
    assert plan_album(album, places_of(album.photos), EXACT).telling_photos == ("IMG_0002.jpg",)


def test_lines_that_are_found_and_not_read_withhold_nothing_but_are_counted() -> None:
    text = understand("a", [TextLine("", 0.1, TextBox(0, 0, 9, 9))])
    album = with_texts(trip(STAYS), {2: text})
    assert plan_album(album, places_of(album.photos), EXACT).telling_photos == ()
    assert text.unread == 1


WRONG = ("Tokyo", "Lisboa", "www.bbc.co.uk", "OPEN", "Москва", "Avignon", "Nîmes", "und nicht das")


@settings(max_examples=25, deadline=None)
@given(
    st.dictionaries(st.integers(0, 7), st.lists(st.sampled_from(WRONG), max_size=3), max_size=4),
    st.dictionaries(st.integers(0, 7), st.lists(st.sampled_from(WRONG), max_size=3), max_size=4),
)
def test_a_planted_sign_never_makes_a_plan_share_more(
    true: dict[int, list[str]], planted: dict[int, list[str]]
) -> None:
    album = trip(STAYS)
    places = places_of(album.photos)
    before = with_texts(album, {n: said(*texts) for n, texts in true.items()})
    both = {n: said(*true.get(n, ()), *planted.get(n, ())) for n in {*true, *planted}}
    shared_before = plan_album(before, places, EXACT).newly_shared
    assert plan_album(with_texts(album, both), places, EXACT).newly_shared <= shared_before


def test_the_record_in_the_cache_is_plain_json(photo: Photo, tmp_path: Path) -> None:
    cache = RowCache(tmp_path)
    with TextReader(cache) as reader:
        reader(photo)
        key = cache.key(photo.rendition.content, reader._context)
    stored = cache.get_bytes(key)
    assert stored is not None
    assert set(json.loads(stored)) == {"lines", "more", "failed"}


def test_a_photo_that_is_being_read_does_not_delay_a_stop(
    photo: Photo, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()

    class Slow:
        def __init__(self, *settings: object) -> None:
            pass

        def ask(self, request: dict[str, Any], content: bytes) -> Reply:
            assert ended.wait(60)
            return Reply(failed="crash")

        def close(self) -> None:
            ended.set()

    monkeypatch.setattr(photo_texts, "Workers", Slow)
    told: list[Step] = []

    def progress(step: Step) -> None:
        told.append(step)
        if len(told) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        photo_texts.read_texts([photo, photo], progress=progress)
    assert ended.is_set() and [step.done for step in told] == [0, 0, 0]

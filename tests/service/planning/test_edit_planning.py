"""Which photos are edited instead of withheld, and when the search for edits ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from elsewhere.album.places import places_of
from elsewhere.errors import InputError
from elsewhere.messages.notes import note as note_text
from elsewhere.service import edit_planning
from elsewhere.service.album_audit import Beliefs
from elsewhere.service.edit_planning import confirm_edits, plan_with_edits
from elsewhere.service.planning import AlbumPlan, plan_album, withheld_together
from elsewhere.service.posted import Posted
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.values.notes import NoteKind
from elsewhere.values.photo_text import Clue, PhotoText, Position, TextBox, TextLine
from elsewhere.values.versions import Edit, Rectangle, ScoredVersion
from elsewhere.values.wishes import Wishes
from tests.service.makers import on_leaves
from tests.service.planning.test_versions import ELSEWHERE, EXACT, LISBON, fine_album, versions_of

BOTH = replace(EXACT, edits="both")
FALLS: Mapping[Fraction, float] = {Fraction(1, 10): 2.0, Fraction(3, 10): 5.0}


class PretendedSearch:
    """Finds versions without looking at a pixel, and remembers what it was asked."""

    asked: list[tuple[int, tuple[Rectangle, ...], tuple[Edit, ...]]]
    falls: Mapping[Fraction, float] = FALLS
    together: list[dict[int, Edit | None]]
    telling: list[int | None]
    """What `find_telling_edit` answers, one after the other, and then None."""

    def __init__(self, scored: ScoredAlbum, threats: object, **options: Any) -> None:
        self._scored = scored

    def __enter__(self) -> PretendedSearch:
        return self

    def __exit__(self, *problem: object) -> None:
        pass

    def find_telling_edit(
        self, shared: Mapping[int, Edit | None], threats: object, **_: Any
    ) -> int | None:
        self.together.append({**shared})
        return self.telling.pop(0) if self.telling else None

    def versions(
        self, number: int, *, required: Sequence[Rectangle], wanted: Sequence[Edit], **_: Any
    ) -> tuple[ScoredVersion, ...]:
        self.asked.append((number, tuple(required), tuple(wanted)))
        versions = versions_of(self._scored, number, self.falls)
        if not required:
            return versions
        return tuple(
            replace(version, edit=Edit(covers=tuple(required))) for version in versions[1:]
        )

    workers = None


@pytest.fixture(autouse=True)
def search(monkeypatch: pytest.MonkeyPatch) -> type[PretendedSearch]:
    monkeypatch.setattr(PretendedSearch, "asked", [], raising=False)
    monkeypatch.setattr(PretendedSearch, "falls", FALLS)
    monkeypatch.setattr(PretendedSearch, "together", [], raising=False)
    monkeypatch.setattr(PretendedSearch, "telling", [], raising=False)
    monkeypatch.setattr(edit_planning, "EditSearch", PretendedSearch)
    return PretendedSearch


def by_withholding(album: ScoredAlbum, wishes: Wishes = BOTH) -> AlbumPlan:
    return plan_album(album, places_of(album.photos), wishes)


def searched(search: type[PretendedSearch]) -> list[int]:
    return [number for number, _, _ in search.asked]


def test_only_photos_that_would_be_withheld_are_looked_at(search: type[PretendedSearch]) -> None:
    album = fine_album()
    withheld = by_withholding(album)
    assert withheld.plan.withheld == (0, 1, 2)
    steps: list[tuple[int, int, str]] = []
    better = plan_with_edits(
        album, withheld, progress=lambda step: steps.append((step.done, step.total, step.name))
    )
    assert searched(search) == [0, 1, 2]
    assert steps == [(0, 3, "0.jpg"), (1, 3, "1.jpg"), (2, 3, "2.jpg")]
    assert better.plan.cost < withheld.plan.cost and len(better.edits) == 3


def test_shared_photos_are_edited_where_that_saves_another(search: type[PretendedSearch]) -> None:
    decoys = dict.fromkeys(ELSEWHERE, 6.0)
    heights = (6.3, 6.3, 5.0, 5.0, 5.0)
    album = on_leaves(*((LISBON, {**decoys, LISBON: height}) for height in heights))
    wishes = replace(BOTH, top=5, margin=0.1, each_photo=False)
    withheld = by_withholding(album, wishes)
    assert withheld.plan.withheld == (0, 1) == withheld_together(album, withheld)
    search.falls = {Fraction(1, 10): 0.3}
    better = plan_with_edits(album, withheld)
    assert searched(search) == [0, 1, 2, 3]
    assert better.plan.withheld == () and len(better.edits) == 4


def test_shared_photos_are_tried_where_edits_of_the_withheld_ones_are_not_enough(
    search: type[PretendedSearch], monkeypatch: pytest.MonkeyPatch
) -> None:
    decoys = dict.fromkeys(ELSEWHERE, 6.0)
    heights = (6.6, 6.3, 5.0, 5.0)
    album = on_leaves(*((LISBON, {**decoys, LISBON: height}) for height in heights))
    withheld = by_withholding(album, replace(BOTH, top=5, margin=0.1, each_photo=False))
    assert withheld.plan.withheld == (0, 1)
    search.falls = {Fraction(1, 10): 0.12}
    with monkeypatch.context() as patched:
        patched.setattr(edit_planning, "MAX_ROUNDS", 1)
        assert plan_with_edits(album, withheld) is withheld
    better = plan_with_edits(album, withheld)
    assert better.plan.withheld == (0,) and len(better.edits) == 3


def test_what_is_shared_tells_less_than_before(search: type[PretendedSearch]) -> None:
    album = fine_album()
    better = plan_with_edits(album, by_withholding(album))
    (numbers,) = Beliefs(album, better.threats, better.posted).key_numbers(better).places
    as_they_are = Beliefs(album, better.threats, better.posted).belief(0, better.plan.kept)
    assert as_they_are is not None and numbers.probability_after is not None
    assert numbers.probability_after < as_they_are.probability
    assert numbers.probability_before == as_they_are.probability  # nothing is withheld


def test_without_the_wish_nothing_is_searched(search: type[PretendedSearch]) -> None:
    album = fine_album()
    withheld = by_withholding(album, EXACT)
    assert plan_with_edits(album, withheld) is withheld
    assert search.asked == []


def test_edits_that_do_not_help_change_nothing(search: type[PretendedSearch]) -> None:
    search.falls = {Fraction(1, 10): 0.0}
    album = fine_album()
    withheld = by_withholding(album)
    assert plan_with_edits(album, withheld) is withheld
    assert searched(search) == [0, 1, 2], "once each"


def test_photos_that_the_user_drops_or_shares_as_they_are_are_not_edited(
    search: type[PretendedSearch],
) -> None:
    album = fine_album()
    wishes = replace(BOTH, drop=("0.jpg",), as_is=("1.*",))
    better = plan_with_edits(album, by_withholding(album, wishes))
    assert searched(search) == [2]
    assert set(better.edits) == {"2.jpg"} and {0, 1} <= set(better.plan.withheld)


def test_rectangles_that_the_user_drew_are_tried(search: type[PretendedSearch]) -> None:
    album = fine_album()
    drawn = Edit(covers=(Rectangle(0, 0, 1000, 300),))
    wishes = replace(EXACT, rectangles={"0.jpg": drawn, "[3-4].jpg": drawn})
    plan_with_edits(album, by_withholding(album, wishes))
    asked = {number: wanted for number, _, wanted in search.asked}
    assert asked == {0: (drawn,), 3: (drawn,), 4: (drawn,)}, "no others: no edits are asked for"
    with pytest.raises(InputError, match="as it is and has rectangles"):
        plan_with_edits(album, by_withholding(album, replace(wishes, as_is=("0.jpg",))))
    with pytest.raises(InputError, match=r"rectangles: no photo is called '9.jpg'"):
        plan_with_edits(album, by_withholding(album, replace(wishes, rectangles={"9.jpg": drawn})))


def test_a_stop_keeps_to_the_versions_that_were_found(search: type[PretendedSearch]) -> None:
    album = fine_album()
    plan = by_withholding(album)
    assert len(plan.editable) > 1
    found = plan_with_edits(album, plan, stopped=lambda: len(search.asked) >= 1)
    assert searched(search) == [plan.editable[0]]
    assert found.plan.found and found.plan.cost < plan.plan.cost
    assert list(found.edits) == [album.photos[plan.editable[0]].id]


def test_a_quick_plan_that_is_found_out_is_taken_back(search: type[PretendedSearch]) -> None:
    search.falls = {Fraction(1, 10): 5.0}
    album = fine_album()
    withheld = by_withholding(album)
    search.telling = [0, 1, 2]
    shown: list[AlbumPlan] = []
    found = plan_with_edits(album, withheld, confirm=["second"], publish=shown.append)
    assert shown[0].edits and shown[0].unconfirmed, "shown while the search goes on"
    assert found is withheld and shown[-1] is withheld
    with pytest.raises(InputError, match="another model still finds the place"):
        search.telling = [0]
        confirm_edits(album, shown[0], confirm=["second"])
    assert confirm_edits(album, shown[0], confirm=["second"]).confirmed


def test_the_search_ends_after_so_many_photos_and_says_so(
    search: type[PretendedSearch], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edit_planning, "MAX_PHOTOS", 2)
    album = fine_album()
    better = plan_with_edits(album, by_withholding(album, replace(BOTH, values={"2.jpg": 3})))
    assert searched(search) == [0, 2], "the dearest first"
    (limited,) = (note for note in better.notes if note.kind is NoteKind.EDITS_LIMITED)
    assert (limited.count, limited.photo_count) == (1, 2)
    assert "no edits were looked for of 1 withheld photo" in note_text(limited)


def test_a_stopped_search_confirms_what_it_found(search: type[PretendedSearch]) -> None:
    search.falls = {Fraction(1, 10): 5.0}
    album = fine_album()
    search.telling = [0]
    stopped = plan_with_edits(
        album, by_withholding(album), confirm=["second"], stopped=lambda: len(search.asked) >= 2
    )
    assert list(stopped.edits) == ["1.jpg"] and stopped.confirmed
    assert [set(shared) for shared in search.together] == [{0, 1, 3, 4, 5}, {1, 3, 4, 5}]


def test_a_plan_of_known_versions_is_confirmed_too(search: type[PretendedSearch]) -> None:
    album = fine_album()
    known = {n: versions_of(album, n, {Fraction(1, 10): 5.0}) for n in range(3)}
    clicked = plan_album(album, places_of(album.photos), BOTH, candidates=known)
    assert len(clicked.edits) == 3 and clicked.unconfirmed
    shown: list[AlbumPlan] = []
    same = plan_with_edits(album, clicked, confirm=["second"], known={**known})
    assert same.edits == clicked.edits and same.confirmed and len(search.together) == 1
    search.telling = [1]
    other = plan_with_edits(
        album, clicked, confirm=["second"], known={**known}, publish=shown.append
    )
    assert set(other.edits) == {"0.jpg", "2.jpg"} and other.confirmed
    assert shown[-1] is other and not search.asked


def test_what_is_public_already_is_confirmed_along(search: type[PretendedSearch]) -> None:
    album = fine_album()
    plan = plan_album(album, places_of(album.photos), BOTH, posted=Posted(already=(4,)))
    better = plan_with_edits(album, plan, confirm=["second"])
    assert better.edits and search.together[-1][4] is None


def test_a_drawn_edit_that_is_found_out_is_withheld(search: type[PretendedSearch]) -> None:
    """It is not shared as it is, which nobody wanted."""
    album = fine_album()
    drawn = Edit(covers=(Rectangle(0, 0, 1000, 300),))
    wishes = replace(EXACT, rectangles={"4.jpg": drawn})
    known = {4: (replace(versions_of(album, 4, {Fraction(1, 10): 1.0})[1], edit=drawn),)}
    clicked = plan_album(album, places_of(album.photos), wishes, candidates=known)
    assert clicked.edits == {"4.jpg": drawn}
    search.telling = [4]
    better = plan_with_edits(album, clicked, confirm=["second"], known={**known})
    assert not better.edits and 4 in better.plan.withheld and better.wishes == wishes


LISBON_SIGN = TextLine(
    "Lisboa",
    0.99,
    TextBox(1, 1, 3, 2),
    (Clue("name", "Lisboa", "Lisbon, Portugal", 900.0, (Position(38.72, -9.14),), ("PT",)),),
)


@pytest.mark.parametrize("covers", [(Rectangle(0, 300, 1000, 700),), ()])
def test_a_photo_with_a_readable_name_is_shared_only_with_the_name_covered(
    search: type[PretendedSearch],
    monkeypatch: pytest.MonkeyPatch,
    covers: tuple[Rectangle, ...],
) -> None:
    def find(album: object, rule: object, numbers: Sequence[int], **options: object) -> object:
        assert numbers == [5]
        return {5: covers} if covers else {}

    monkeypatch.setattr(edit_planning, "find_text_covers", find)
    album = replace(fine_album(), texts={"5.jpg": PhotoText("5.jpg", (LISBON_SIGN,))})
    withheld = by_withholding(album)
    assert 5 in withheld.plan.withheld
    better = plan_with_edits(album, withheld)
    assert (5 in searched(search)) == bool(covers)
    assert better.edits.get("5.jpg") == (Edit(covers=covers) if covers else None)
    assert better.text is not None
    assert (better.text.covered, better.text.withheld) == ((1, 0) if covers else (0, 1))
    for kind in ("crop", "none"):  # no cover is allowed
        wishes = replace(BOTH, edits=kind)
        other = plan_with_edits(album, by_withholding(album, wishes))
        assert 5 in other.plan.withheld


ON_SIGN = Edit(covers=(Rectangle(0, 300, 1000, 700),))
BESIDE_SIGN = Edit(covers=(Rectangle(0, 0, 1000, 200),))


@pytest.mark.parametrize("drawn", [ON_SIGN, BESIDE_SIGN])
def test_a_drawn_edit_counts_by_the_names_that_it_leaves_readable(drawn: Edit) -> None:
    album = replace(fine_album(), texts={"5.jpg": PhotoText("5.jpg", (LISBON_SIGN,))})
    version = replace(versions_of(album, 5, FALLS)[1], edit=drawn)
    found = plan_album(album, places_of(album.photos), EXACT, candidates={5: (version,)})
    assert found.text is not None
    if drawn is ON_SIGN:
        assert found.edits == {"5.jpg": drawn} and found.text.covered == 1
    else:
        assert 5 in found.plan.withheld and found.telling_photos == ("5.jpg",)
        assert (found.text.covered, found.text.withheld) == (0, 1)
    # whoever keeps it by its own name shares it with the name
    kept = replace(EXACT, keep=("5.jpg",))
    asked = plan_album(album, places_of(album.photos), kept, candidates={5: (version,)})
    assert asked.edits == {"5.jpg": drawn} and asked.text is not None
    assert (asked.text.covered, asked.text.kept) == ((1, 0) if drawn is ON_SIGN else (0, 1))


def test_where_no_cover_is_found_for_a_name_the_one_that_the_user_drew_is_tried(
    search: type[PretendedSearch], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edit_planning, "find_text_covers", lambda *_, **__: {})

    def only_drawn(
        self: PretendedSearch, number: int, *, wanted: Sequence[Edit], **options: Any
    ) -> tuple[ScoredVersion, ...]:
        self.asked.append((number, (), tuple(wanted)))
        assert options["kind"] == ("none" if number == 5 else None)
        as_it_is, version, *_ = versions_of(album, number, FALLS)
        return (as_it_is, *(replace(version, edit=edit) for edit in wanted))

    monkeypatch.setattr(PretendedSearch, "versions", only_drawn)
    album = replace(fine_album(), texts={"5.jpg": PhotoText("5.jpg", (LISBON_SIGN,))})
    for drawn in (ON_SIGN, BESIDE_SIGN):
        search.asked.clear()
        wishes = replace(BOTH, rectangles={"5.jpg": drawn})
        better = plan_with_edits(album, by_withholding(album, wishes))
        assert (5 in searched(search)) == (drawn is ON_SIGN)
        assert better.edits.get("5.jpg") == (drawn if drawn is ON_SIGN else None)
        assert (5 in better.plan.withheld) == (drawn is BESIDE_SIGN)

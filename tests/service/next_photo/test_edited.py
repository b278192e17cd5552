"""One photo that must be withheld as it is, and may be posted with an edit."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

import elsewhere
from elsewhere import messages
from elsewhere.album.places import places_of
from elsewhere.service import edit_planning
from elsewhere.service.edited_album import with_public_versions
from elsewhere.service.next_photo import check_next_photo, edit_next_photo
from elsewhere.service.posted import Posted
from elsewhere.service.scored_album import PublicVersion
from elsewhere.service.threats import threat_scores
from elsewhere.values.next_photo import Answer, NextReason
from tests.service.planning.test_edit_planning import PretendedSearch
from tests.service.planning.test_versions import EXACT, fine_album, versions_of

WISHES = replace(EXACT, edits="both", each_photo=False)


@pytest.fixture(autouse=True)
def search(monkeypatch: pytest.MonkeyPatch) -> type[PretendedSearch]:
    monkeypatch.setattr(PretendedSearch, "asked", [], raising=False)
    monkeypatch.setattr(edit_planning, "EditSearch", PretendedSearch)
    return PretendedSearch


@pytest.mark.parametrize("public", [(), (1,)])
def test_an_edit_is_offered_and_proved_beside_what_is_public(
    search: type[PretendedSearch], public: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "falls", {Fraction(3, 10): 5.0})
    album = fine_album(telling=2, others=0)
    version = versions_of(album, 1, {Fraction(3, 10): 5.0})[1]
    posted = Posted(
        already=public, versions={n: PublicVersion(version.rows, (None,)) for n in public}
    )
    album = with_public_versions(album, posted.versions)
    places = places_of(album.photos)
    plain = check_next_photo(album, places, WISHES, "0.jpg", posted=posted)
    assert plain.decision.answer is Answer.WITHHOLD and plain.alone is None
    told = edit_next_photo(album, plain)
    assert {number for number, _, _ in search.asked} == {0}
    assert (told.decision.answer, told.decision.why) == (Answer.KEEP, NextReason.EDITED)
    assert told.alone is not None and list(told.alone.edits) == ["0.jpg"]
    assert told.alone.plan.kept == (0, *posted.already)
    tables = threat_scores(album, told.alone.threats, posted, told.alone.versions)
    assert elsewhere.check(told.alone.plan, list(tables))
    assert "Cropped or covered, beside what is public" in messages.next_reason(told.decision)
    assert messages.verdict(told.alone).startswith("With this photo posted beside")


def test_an_edit_by_which_attacks_find_the_place_is_not_offered(
    search: type[PretendedSearch], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "falls", {Fraction(1, 10): 2.0})
    album = fine_album(telling=2, others=0)
    strong = versions_of(album, 1, {Fraction(3, 10): 5.0})[1]
    posted = Posted(already=(1,), versions={1: PublicVersion(strong.rows, (None,))})
    album = with_public_versions(album, posted.versions)
    plain = check_next_photo(album, places_of(album.photos), WISHES, "0.jpg", posted=posted)
    assert plain.decision.answer is Answer.WITHHOLD
    assert edit_next_photo(album, plain) is plain  # half of what is then public would tell


def test_nothing_changes_where_no_edit_helps_or_none_is_needed(
    search: type[PretendedSearch], monkeypatch: pytest.MonkeyPatch
) -> None:
    harmless = fine_album()
    may = check_next_photo(harmless, places_of(harmless.photos), WISHES, "5.jpg")
    assert may.decision.answer is Answer.KEEP and edit_next_photo(harmless, may) is may
    album = fine_album(telling=2, others=0)
    places = places_of(album.photos)
    monkeypatch.setattr(search, "falls", {Fraction(1, 10): 0.0})
    withheld = check_next_photo(album, places, WISHES, "0.jpg")
    assert edit_next_photo(album, withheld) is withheld
    none = check_next_photo(album, places, replace(WISHES, edits="none"), "0.jpg")
    assert edit_next_photo(album, none) is none

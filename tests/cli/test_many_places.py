"""What the terminal says of an album of many places."""

from __future__ import annotations

import re

import pytest

from elsewhere.album.places import places_of
from elsewhere.cli.render.audit import show as show_audit
from elsewhere.cli.render.protect import show
from elsewhere.service import planning
from elsewhere.service.album_audit import Beliefs, audit_album
from elsewhere.service.jobs import ProtectedAlbum
from elsewhere.service.planning import plan_album, price_wishes
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.values.wishes import Wishes
from tests.service.makers import Stay, trip

TOWNS = ("Lisbon", "Tokyo", "Oslo", "Nairobi", "Lima", "Sydney", "Toronto", "Delhi")


def protected(album: ScoredAlbum, wishes: Wishes) -> ProtectedAlbum:
    plan = plan_album(album, places_of(album.photos), wishes)
    assert plan.plan.found
    numbers = Beliefs(album, plan.threats, plan.posted).key_numbers(plan)
    return ProtectedAlbum(album, price_wishes(album, plan, numbers.by_ease), numbers=numbers)


@pytest.fixture(scope="module")
def album() -> ScoredAlbum:
    return trip([Stay(town, 4 + (not day), 3 * day) for day, town in enumerate(TOWNS)], seed=4)


def test_many_places_are_few_lines(album: ScoredAlbum, capsys: pytest.CaptureFixture[str]) -> None:
    done = protected(album, Wishes(top=1, exact_top=True, margin="none"))
    show(done, verbose=False)
    short = capsys.readouterr().out
    assert "hidden    8 places (most easily found: " in short
    assert short.count("\nhidden") == 1 and "any of the 8 hidden places" in short
    assert "home only, Lisbon, Portugal (--hide home): " in short
    assert short.count(" alone (--hide ") == 4 and "3 other places alone: see -v" in short
    assert "all 8 places, as above: " in short
    assert len(short) < 1500 and max(map(len, short.splitlines())) < 230
    show(done, verbose=True)
    long = capsys.readouterr().out
    assert long.count(" alone (--hide ") == 7 and "see -v" not in long
    for town in TOWNS:
        assert f"{town}, " in long


def test_public_places_are_counted_too(
    album: ScoredAlbum, capsys: pytest.CaptureFixture[str]
) -> None:
    done = protected(album, Wishes(top=1, exact_top=True, margin="none", hide=("Tokyo",)))
    show(done, verbose=False)
    short = capsys.readouterr().out
    assert re.search(r"^hidden +Tokyo, Japan", short, re.M)
    assert re.search(r"^public +7 places$", short, re.M)
    assert "to hide" not in short


def test_an_audit_of_many_places_is_short(
    album: ScoredAlbum, capsys: pytest.CaptureFixture[str]
) -> None:
    audited = audit_album(album, places_of(album.photos), Wishes())
    show_audit(audited, False, "trip", verbose=False)
    short = capsys.readouterr().out
    assert "3 other places: see -v" in short and "Photos of" not in short
    assert short.count("The whole album, 33 photos, as seen by the model made-up 0") == 1
    assert "in the zone" not in short and "attacker" not in short
    show_audit(audited, False, "trip", verbose=True)
    long = capsys.readouterr().out
    assert "other places: see -v" not in long
    assert all(f"Photos of {town}, " in long for town in TOWNS)


def test_the_price_list_ends_in_time(
    album: ScoredAlbum, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "PRICE_SECONDS", 0.0)
    show(protected(album, Wishes(top=1, exact_top=True, margin="none")), verbose=False)
    assert "not tried, for that would take too long" in " ".join(capsys.readouterr().out.split())

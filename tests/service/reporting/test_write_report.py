"""From a job to its report: what is known is all there, in a file of its owner's own."""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from elsewhere import messages
from elsewhere.album import Leak
from elsewhere.album.files import SkippedFile
from elsewhere.album.places import Places, places_of
from elsewhere.errors import FileError
from elsewhere.globe import place
from elsewhere.report import page
from elsewhere.report.contents import Contents, PhotoState
from elsewhere.service.album_audit import audit_album, audit_threats
from elsewhere.service.planning import AlbumPlan, plan_album, plan_versions
from elsewhere.service.posted import Posted
from elsewhere.service.report import (
    audit_contents,
    plan_contents,
    save_report,
    write_report,
)
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.values.wishes import Wishes
from tests.report.test_html import HOSTILE, text_of
from tests.report.test_templating import read
from tests.service.makers import Stay, trip
from tests.service.pictures import named, with_pictures
from tests.service.planning.test_versions import EXACT, candidates_for, fine_album


@pytest.fixture(scope="module")
def two_towns() -> ScoredAlbum:
    return with_pictures(
        trip([Stay("Lisbon", 7, 0), Stay("Kyoto", 5, 4)], scorers=2, seed=3, lost=1)
    )


def planned(album: ScoredAlbum, **wishes: object) -> AlbumPlan:
    wish = Wishes(**{"top": 3, **wishes})  # type: ignore[arg-type]
    return plan_album(album, places_of(album.photos), wish, draw=Random(5))


@pytest.fixture(scope="module")
def plan(two_towns: ScoredAlbum) -> AlbumPlan:
    return planned(two_towns)


@pytest.fixture(scope="module")
def made(two_towns: ScoredAlbum, plan: AlbumPlan) -> Contents:
    return plan_contents(two_towns, plan, patience=0.1)


def test_every_watch_is_there_once_with_the_audits_numbers(
    two_towns: ScoredAlbum, plan: AlbumPlan, made: Contents
) -> None:
    shown = [*made.views, *made.other_views]
    assert len(shown) == len(plan.threats)
    assert [scene.before.truth.label for scene in made.views if scene.before.truth] == [
        place.label for place in plan.hidden
    ]
    known = audit_threats(two_towns, plan.threats, plan=plan)
    by_key = {(a.scorer, a.truth.label, len(a.ids)): a for a in known if a.truth}
    for scene in shown:
        truth = scene.before.truth
        assert truth is not None
        same = by_key.pop((scene.before.scorer, truth.label, len(scene.before.ids))).truth
        assert same is not None
        assert (truth.rank, truth.probability, truth.shares) == (
            same.rank,
            same.probability,
            same.shares,
        )
    assert not by_key


@pytest.mark.parametrize(
    ("wishes", "right", "radius"),
    [
        ({}, ["within 25 km", "within 25 km"], 25.0),
        ({"radius_km": 60.0}, ["within 60 km", "within 60 km"], 60.0),
        ({"hide_level": "cell"}, ["in its cell", "in its cell"], None),
        ({"hide_level": "city"}, ["in Lisbon, Portugal", "in Kyoto, Japan"], None),
        ({"hide_level": "country"}, ["in Portugal", "in Japan"], None),
    ],
    ids=str,
)
def test_a_guess_is_right_in_the_words_of_what_is_hidden(
    two_towns: ScoredAlbum, wishes: dict[str, object], right: list[str], radius: float | None
) -> None:
    wish = Wishes(**wishes)  # type: ignore[arg-type]
    found = audit_album(two_towns, places_of(two_towns.photos), wish)
    scenes = audit_contents(two_towns, found).views
    assert [scene.target for scene in scenes] == right
    assert {scene.radius_km for scene in scenes} == {radius}


def test_who_told_only_the_country_hears_of_the_country(two_towns: ScoredAlbum) -> None:
    told = places_of(two_towns.photos, at=[place("Portugal")])
    found = audit_album(two_towns, told, Wishes())
    assert [scene.target for scene in audit_contents(two_towns, found).views] == ["in Portugal"]


def test_after_is_what_the_kept_photos_show(
    two_towns: ScoredAlbum, plan: AlbumPlan, made: Contents
) -> None:
    for scene in made.views:
        assert scene.after is not None
        assert scene.after.truth is not None
        names = {two_towns.photos[n].id for n in plan.plan.kept}
        assert set(scene.after.ids) == names & set(scene.before.ids)
        assert scene.after.truth.rank > 3, "the promise, seen from the report"
        assert len(scene.decoys) == 3
        assert not {decoy.cell for decoy in scene.decoys} & set(scene.after.truth.cells)
    fates = {photo.name: photo.state for photo in made.photos}
    for n, photo in enumerate(two_towns.photos):
        assert fates[photo.id] == (
            PhotoState.WITHHELD if n in plan.plan.withheld else PhotoState.SHARED
        )
    assert made.holds is True
    assert made.verdict == messages.verdict(plan)


def test_shares_of_the_first_scene_add_up(made: Contents) -> None:
    truth = made.views[0].before.truth
    assert truth is not None
    own = set(made.views[0].before.ids)
    shares = [photo.gain for photo in made.photos if photo.name in own]
    assert sum(gain for gain in shares if gain is not None) == pytest.approx(truth.shares.total)
    assert None not in shares


def test_the_file_is_its_owners_alone(
    two_towns: ScoredAlbum, plan: AlbumPlan, tmp_path: Path
) -> None:
    folder = tmp_path / "private"
    file = write_report(two_towns, plan, folder, command="elsewhere protect x", patience=0.1)
    assert file == folder / "report.html"
    html = file.read_text("utf-8")
    assert messages.verdict(plan) in text_of(html)
    assert "elsewhere protect x" in html
    assert list(folder.iterdir()) == [file], "no temporary file is left"
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write anywhere")
def test_where_it_cannot_be_written_there_is_a_sentence(
    two_towns: ScoredAlbum, plan: AlbumPlan, tmp_path: Path
) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(FileError, match="cannot be written"):
        write_report(two_towns, plan, tmp_path, patience=0.1)


def test_a_folder_that_is_a_file_gets_a_sentence(
    two_towns: ScoredAlbum, plan: AlbumPlan, tmp_path: Path
) -> None:
    (tmp_path / "x").write_text("")
    with pytest.raises(FileError, match="cannot be written"):
        write_report(two_towns, plan, tmp_path / "x", patience=0.1)


def test_an_impossible_wish_is_reported_as_such(two_towns: ScoredAlbum) -> None:
    plan = planned(two_towns, top=None, budget=0, drop=(two_towns.photos[0].id,))
    made = plan_contents(two_towns, plan, patience=0.1)
    assert not plan.plan.found
    assert made.holds is False
    assert {photo.state for photo in made.photos} == {PhotoState.AUDITED}
    assert made.explanation is None
    text = text_of(page(made))
    assert "No plan keeps the promise" in text
    assert messages.verdict(plan) in text


def test_a_budget_is_not_called_a_promise(two_towns: ScoredAlbum) -> None:
    made = plan_contents(two_towns, planned(two_towns, top=None, budget=3), patience=0.1)
    assert made.state == "The best found within a budget of 3 photos"
    assert made.frontier is not None
    assert made.frontier.requested_top is None
    assert any("budget" in sentence for sentence in made.limits)
    assert "promise holds" not in text_of(page(made))


def test_what_is_public_already_is_marked(two_towns: ScoredAlbum) -> None:
    posted = Posted(already=(2,))
    plan = plan_album(
        two_towns, places_of(two_towns.photos), Wishes(top=3), posted=posted, draw=Random(5)
    )
    made = plan_contents(two_towns, plan, patience=0.1)
    assert made.photos[2].state == PhotoState.PUBLIC
    assert "1 photo already public was counted" in " ".join(made.limits)


def test_hostile_names_and_metadata_stay_text(two_towns: ScoredAlbum, plan: AlbumPlan) -> None:
    """The same elements and attributes as with calm names, whatever the files are called."""

    def dressed(words: list[str]) -> ScoredAlbum:
        photos = [
            replace(
                named(photo, words[n % len(words)] + str(n)),
                metadata=replace(photo.metadata, leaks=(Leak("comment", words[n % len(words)]),)),
            )
            for n, photo in enumerate(two_towns.photos)
        ]
        out = tuple(SkippedFile(Path("x"), word, "damaged", word) for word in words[:1])
        scores = [
            replace(one, scores=type(one.scores)(one.scores.values, [p.id for p in photos]))
            for one in two_towns.models
        ]
        return replace(two_towns, photos=tuple(photos), models=tuple(scores), skipped=out)

    bad = page(plan_contents(dressed(HOSTILE), plan, command=HOSTILE[0], patience=0.0))
    calm = page(plan_contents(dressed(["calm"] * len(HOSTILE)), plan, command="c", patience=0.0))
    names = [[name for name, _ in read(html).elements] for html in (bad, calm)]
    assert {*names[0]} == {*names[1]}
    assert not {"script", "iframe", "object", "b>"} & {*names[0]}
    assert names[0].count("img") == names[1].count("img")
    assert "onerror" not in [key for _, found in read(bad).elements for key in found]


def test_an_audit_alone(two_towns: ScoredAlbum, tmp_path: Path) -> None:
    audit = audit_album(two_towns, places_of(two_towns.photos), Wishes())
    made = audit_contents(two_towns, audit)
    assert made.holds is None
    assert len(made.views) + len(made.other_views) == len(audit.threats)
    assert {photo.state for photo in made.photos} == {PhotoState.AUDITED}
    html = save_report(made, tmp_path / "audit.html").read_text("utf-8")
    for one in audit.audits:
        assert one.truth is not None
        assert one.truth.label in html


def test_an_audit_without_any_place(two_towns: ScoredAlbum) -> None:
    audit = audit_album(two_towns, Places(()), Wishes())
    made = audit_contents(two_towns, audit)
    assert len(made.views) == 2
    first = audit.audits[0].guesses[0]
    assert first.name in made.verdict
    assert first.name in text_of(page(made))


def test_a_report_tells_of_edits_what_goes_out() -> None:
    album = with_pictures(fine_album())
    withheld = plan_album(album, places_of(album.photos), EXACT)
    better = plan_versions(album, withheld, candidates_for(album, withheld))
    assert better.edits
    goes_out = replace(album, photos=tuple(reversed(album.photos)))  # other pictures
    made = plan_contents(album, better, edited=goes_out, patience=0.1)
    assert made.state == "The promise holds, with the least loss among the versions tried"
    edited = {photo.name: photo.edited for photo in made.photos if photo.edited is not None}
    assert {name: shown.edit for name, shown in edited.items()} == better.edits
    for photo in made.photos:
        assert (photo.state == PhotoState.EDITED) == (photo.name in better.edits)
        if photo.edited is not None:
            assert photo.edited.preview and photo.edited.preview != photo.preview
            assert photo.gain is not None and photo.edited.gain is not None
            assert photo.edited.gain > photo.gain, "the edit hides the place"
    (view,) = made.views
    assert view.after is not None and view.after.truth is not None
    assert view.before.truth is not None
    assert view.after.truth.probability < view.before.truth.probability
    assert plan_contents(album, better, patience=0.1).photos[0].edited is not None

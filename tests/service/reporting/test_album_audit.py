"""An album's audit: one for each watch, equal to what the engine and the scores say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import elsewhere
from elsewhere.album import Metadata
from elsewhere.album.places import places_of
from elsewhere.album.workers import Workers
from elsewhere.scorers import find, tower
from elsewhere.scorers.protocol import Photo as Scored
from elsewhere.service.album_audit import (
    HEADS,
    audit_album,
    audit_threat,
    audit_threats,
    second_opinions,
    with_second_heads,
)
from elsewhere.service.planning import plan_album
from elsewhere.service.posted import Posted
from elsewhere.service.scored_album import ScoredAlbum, score_album
from elsewhere.values.scores import Scores
from elsewhere.values.wishes import Wishes
from tests.album.makers import jpeg
from tests.service.makers import Stay, photo, seen, trip

EXACT = Wishes(top=3, exact_top=True, margin="none")


@pytest.fixture(scope="module")
def two_towns() -> ScoredAlbum:
    return trip([Stay("Lisbon", 9, 0), Stay("Vienna, Austria", 6, 5)], scorers=2, lost=2)


def test_every_watch_is_audited_as_the_engine_sees_it(two_towns: ScoredAlbum) -> None:
    found = audit_album(two_towns, places_of(two_towns.photos), Wishes())
    assert len(found.audits) == len(found.threats) == 8  # 2 scorers × 2 places × 2 scopes
    for watch, one in zip(found.threats, found.audits, strict=True):
        attack = two_towns.models[watch.model]
        assert one.scorer == attack.spec
        assert one.truth is not None
        assert one.truth.label == watch.place.label
        assert one.truth.cells == tuple(watch.zone.cells.tolist())
        assert len(one.ids) == (17 if watch.sees is None else len(watch.sees))
        plan = elsewhere.protect(attack.scores, one.truth.cells, budget=0, sees=watch.sees)
        assert one.truth.rank == plan.protected_k + 1


def test_beside_a_plan_shares_are_against_the_rivals_that_were_asked_for(
    two_towns: ScoredAlbum,
) -> None:
    plan = plan_album(two_towns, places_of(two_towns.photos), EXACT)
    assert plan.plan.found
    audits = audit_threats(two_towns, plan.threats, plan=plan)
    assert len(audits) == len(plan.threats)
    for number, one in enumerate(audits):
        assert one.truth is not None
        shares = one.truth.shares
        assert shares.from_plan
        assert tuple(rival.cell for rival in shares.rivals) == plan.plan.views[number].rivals[:3]
        assert sum(shares.gains) == pytest.approx(shares.total)
        after = audit_threat(two_towns, plan.threats, number, plan=plan, kept=plan.plan.kept)
        assert after is not None
        assert after.truth is not None
        assert after.truth.rank > 3, "the promise holds of what is kept"
        assert after.truth.shares.total >= 0
        assert set(after.ids) <= {two_towns.photos[kept].id for kept in plan.plan.kept}


def test_the_drawn_k_is_not_told(two_towns: ScoredAlbum) -> None:
    plan = plan_album(two_towns, places_of(two_towns.photos), Wishes(top=2, margin="none"), top=4)
    for one in audit_threats(two_towns, plan.threats, plan=plan):
        assert one.truth is not None
        assert len(one.truth.shares.rivals) == 2


def test_a_margin_comes_off_every_gain(two_towns: ScoredAlbum) -> None:
    plan = plan_album(two_towns, places_of(two_towns.photos), Wishes(top=1, margin=0.05))
    assert plan.plan.found
    shares = [
        one.truth.shares for one in audit_threats(two_towns, plan.threats, plan=plan) if one.truth
    ]
    assert {one.margin for one in shares} == {0.05}


def test_what_the_audience_knows_makes_the_world_smaller(two_towns: ScoredAlbum) -> None:
    album = trip([Stay("Lisbon", 6, 0)])
    plan = plan_album(
        album, places_of(album.photos), Wishes(top=1, margin="none", prior="Portugal")
    )
    (one,) = audit_threats(album, plan.threats, plan=plan)
    possible = {*(plan.threats[0].rivals or ()), *plan.threats[0].zone.cells.tolist()}
    assert {guess.cell for guess in one.guesses if guess.probability > 0} <= possible
    assert one.truth is not None
    assert one.truth.rank <= len(plan.threats[0].rivals or ()) + 1


def test_only_the_hidden_places_are_looked_for(two_towns: ScoredAlbum) -> None:
    found = audit_album(two_towns, places_of(two_towns.photos), Wishes(hide=("Vienna",)))
    assert {one.truth.label for one in found.audits if one.truth} == {"Vienna, Austria"}


def test_without_a_place_there_are_guesses(two_towns: ScoredAlbum) -> None:
    nowhere = seen([photo(f"{n}.jpg") for n in range(17)], *two_towns.models)
    found = audit_album(nowhere, places_of(nowhere.photos), Wishes())
    assert found.threats == ()
    assert [one.scorer for one in found.audits] == [one.spec for one in nowhere.models]
    assert all(one.truth is None and len(one.guesses) == 5 for one in found.audits)


def test_what_is_posted_is_added_up() -> None:
    album = trip([Stay("Lisbon", 8, 0)])
    rows = album.models[0].scores
    part = seen(album.photos[:5], rows.values[:5])
    posted = Posted(
        tuple(f"posted/{n}" for n in range(3)),
        (Scores(rows.values[5:], [f"posted/{n}" for n in range(3)],
                scorer=part.models[0].scores.scorer, grid=rows.grid),),
        tuple(Metadata(one.metadata.position, one.metadata.time) for one in album.photos[5:]),
        already=(1,),
    )  # fmt: skip
    (whole,) = audit_album(album, places_of(album.photos), Wishes()).audits
    made = audit_album(part, places_of(part.photos), Wishes(), posted=posted)
    (one,) = made.audits
    assert one.ids[5:] == posted.ids
    assert one.truth is not None
    assert whole.truth is not None
    assert one.truth.rank == whole.truth.rank
    assert one.truth.probability == pytest.approx(whole.truth.probability)
    after = audit_threat(part, made.threats, 0, posted=posted, kept=[0])
    assert after is not None
    assert after.ids == (part.photos[0].id, part.photos[1].id, *posted.ids)


def test_a_watch_that_sees_nothing_any_more_has_no_audit() -> None:
    album = trip([Stay("Lisbon", 3, 0), Stay("Vienna, Austria", 3, 5)])
    made = audit_album(album, places_of(album.photos), Wishes()).threats
    vienna = next(n for n, one in enumerate(made) if one.place.photos == (3, 4, 5) and one.sees)
    assert audit_threat(album, made, vienna, kept=[0, 1]) is None


@pytest.fixture
def real(tmp_path: Path, pool: Workers) -> Iterator[ScoredAlbum]:
    (tmp_path / "album").mkdir()
    for number in range(2):
        (tmp_path / "album" / f"{number}.jpg").write_bytes(jpeg(number + 1))
    album = score_album([tmp_path / "album"], scorers=with_second_heads(["embedded"]), workers=pool)
    yield album
    album.close()


def test_second_opinions_are_the_other_heads_own(real: ScoredAlbum) -> None:
    album, told = second_opinions(real, ["embedded"])
    assert [attack.spec for attack in album.models] == ["embedded"]
    tower.forget_features()
    assert list(told["embedded"].heads) == list(HEADS["embedded"])
    for head, scores in told["embedded"].heads.items():
        scorer = find(head)
        assert scorer.load().fingerprint == scores.scorer
        for row, one in zip(scores.values, real.photos, strict=True):
            alone = scorer.score(Scored(one.id, one.path, one.rendition.content))
            assert np.array_equal(row, alone)
    found = audit_album(album, places_of(album.photos), Wishes(), opinions=told)
    opinions = found.audits[0].opinions
    assert [one.name for one in opinions] == list(HEADS["embedded"])
    assert not any(one.reads for one in opinions)


def test_second_opinions_ask_the_tower_nothing(
    tmp_path: Path, pool: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded, image = [], Scored.image

    def counted(self: Scored, least: tuple[int, int]) -> Image.Image:
        decoded.append(self.name)
        return image(self, least)

    monkeypatch.setattr(Scored, "image", counted)
    (tmp_path / "new.jpg").write_bytes(jpeg(77))
    tower.forget_features()
    score_album(
        [tmp_path], scorers=with_second_heads(["embedded"]), workers=pool, keep=False
    ).close()
    assert decoded == ["new.jpg"]


def test_a_head_that_was_asked_for_by_name_stays_an_attacker() -> None:
    album = trip([Stay("Lisbon", 3, 0)], scorers=3)
    words = ("embedded", *HEADS["embedded"])
    named = [replace(one, spec=word) for one, word in zip(album.models, words, strict=True)]
    own, told = second_opinions(replace(album, models=tuple(named)), words[:2])
    assert [attack.spec for attack in own.models] == list(words[:2])
    assert list(told) == ["embedded"] and list(told["embedded"].heads) == list(words[1:])
    assert with_second_heads(["made-up"]) == ("made-up",)
    assert second_opinions(trip([Stay("Lisbon", 2, 0)]), ["made-up 0"])[1] == {}

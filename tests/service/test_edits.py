"""The search for edits: what it tries, what it returns, and how far a second model is heard."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import elsewhere
from elsewhere.album.places import AlbumPlace
from elsewhere.album.workers import Workers
from elsewhere.errors import InputError
from elsewhere.globe import Cells
from elsewhere.scorers import ScorerInfo
from elsewhere.service import edits as module
from elsewhere.service.edit_planning import without
from elsewhere.service.edited_album import apply_edits
from elsewhere.service.edits import (
    MAX_OWN_COVERS,
    MAX_RUNS,
    MAX_VERSIONS,
    EditSearch,
    HiddenCells,
    discounted_row,
)
from elsewhere.service.scored_album import ScoredAlbum, rescore_album
from elsewhere.service.threats import Threat
from elsewhere.values.promise import HiddenCircles
from elsewhere.values.versions import (
    DEFAULT_WEIGHTS,
    MAX_COVERS,
    MAX_LOSS,
    Edit,
    Rectangle,
    ScoredVersion,
)
from tests.album.makers import encoded
from tests.service.tiny import CELLS, known_scorers, planned, see_tiny

Rows = NDArray[np.float32]


def patches(seed: int) -> bytes:
    """A picture in which each part has a colour of its own."""
    colours = np.random.default_rng(seed).integers(0, 256, (8, 8, 3), dtype=np.uint8)
    picture = Image.fromarray(colours).resize((640, 480), Image.Resampling.NEAREST)
    return encoded(picture, "JPEG", quality=92)


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory, pool: Workers) -> Iterator[ScoredAlbum]:
    folder = tmp_path_factory.mktemp("edits") / "trip"
    folder.mkdir()
    for number in range(6):
        (folder / f"{number}.jpg").write_bytes(patches(number))
    with known_scorers():
        album = see_tiny(folder, workers=pool)
        yield album
        album.close()


def search(
    scored: ScoredAlbum, pool: Workers, number: int = 0, **options: object
) -> tuple[tuple[ScoredVersion, ...], EditSearch]:
    asked = {name: options.pop(name) for name in ("required", "wanted") if name in options}
    threats = options.pop("threats", planned(scored).threats)
    with EditSearch(scored, threats, workers=pool, **options) as found:  # type: ignore[arg-type]
        return found.versions(number, **asked), found  # type: ignore[arg-type]


def edits_of(versions: tuple[ScoredVersion, ...]) -> list[Edit]:
    return [version.edit for version in versions if version.edit is not None]


def test_versions_get_dearer_and_hide_more(scored: ScoredAlbum, pool: Workers) -> None:
    for number in range(6):
        versions, found = search(scored, pool, number)
        assert 2 <= len(versions) <= MAX_VERSIONS
        assert found.runs <= MAX_RUNS
        assert versions[0].edit is None and versions[0].cost == 0
        assert np.array_equal(versions[0].rows[0], scored.models[0].scores.values[number])
        costs = [version.cost for version in versions]
        assert costs == sorted(costs)
        (hidden,) = found.hidden
        unedited = hidden.odds(versions[0].rows[0])
        for version in versions[1:]:
            assert version.edit is not None
            loss = DEFAULT_WEIGHTS.loss(version.edit)
            assert loss <= MAX_LOSS and version.cost > loss
            assert hidden.odds(version.rows[0]) < unedited
        assert hidden.odds(versions[-1].rows[0]) < hidden.odds(versions[1].rows[0])


def test_the_search_takes_the_same_steps_each_time(scored: ScoredAlbum, pool: Workers) -> None:
    first, second = (search(scored, pool)[0] for _ in range(2))
    assert [(v.edit, v.cost) for v in first] == [(v.edit, v.cost) for v in second]
    for one, other in zip(first, second, strict=True):
        assert np.array_equal(one.rows, other.rows)


def test_a_version_is_scored_as_the_bytes_that_would_be_exported(
    scored: ScoredAlbum, pool: Workers
) -> None:
    versions, _ = search(scored, pool)
    name = scored.photos[0].id
    for version in versions[1:]:
        assert version.edit is not None
        edited = apply_edits(scored, {name: version.edit}, workers=pool)
        assert np.array_equal(edited.models[0].scores.values[0], version.scored[0])
        assert np.array_equal(
            edited.models[0].scores.values[1:], scored.models[0].scores.values[1:]
        )
        assert edited.photos[0].rendition.digest != scored.photos[0].rendition.digest
        assert edited.photos[1:] == scored.photos[1:] and edited.edits == {name: version.edit}


def test_only_what_is_allowed_is_done_to_a_photo(scored: ScoredAlbum, pool: Workers) -> None:
    crops = edits_of(search(scored, pool, kind="crop")[0])
    assert crops and all(edit.crop and not edit.covers for edit in crops)
    covers = edits_of(search(scored, pool, kind="cover")[0])
    assert covers and all(not edit.crop and edit.covers for edit in covers)
    assert edits_of(search(scored, pool, kind="none")[0]) == []


def test_no_version_loses_more_than_it_may(scored: ScoredAlbum, pool: Workers) -> None:
    limit = Fraction(7, 100)
    small = edits_of(search(scored, pool, max_loss=limit)[0])
    assert small and all(DEFAULT_WEIGHTS.loss(edit) <= limit for edit in small)
    large = edits_of(search(scored, pool, max_loss=Fraction(9, 10))[0])
    assert max(map(DEFAULT_WEIGHTS.loss, large)) > limit


def test_what_must_be_covered_is_covered_in_every_version(
    scored: ScoredAlbum, pool: Workers
) -> None:
    sign = Rectangle(430, 120, 610, 180)
    versions, _ = search(scored, pool, required=[sign])
    assert len(versions) <= MAX_VERSIONS
    edits = edits_of(versions)
    assert len(edits) == len(versions) and all(sign in edit.covers for edit in edits)
    assert edits[0] == Edit(covers=(sign,)), "covering it alone is a version too"


def test_no_version_has_more_covers_than_an_edit_may(
    scored: ScoredAlbum, pool: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_RUNS", 40)
    signs = [Rectangle(10 * n, 0, 10 * n + 5, 5) for n in range(MAX_COVERS - MAX_OWN_COVERS)]
    drawn = Edit(covers=tuple(Rectangle(0, 10 * n, 5, 10 * n + 5) for n in range(1, 4)))
    versions, _ = search(scored, pool, required=signs, wanted=[drawn])
    edits = edits_of(versions)
    assert edits and all(set(signs) <= set(edit.covers) for edit in edits)


def test_edits_that_the_user_drew_are_always_among_the_versions(
    scored: ScoredAlbum, pool: Workers
) -> None:
    drawn = [
        Edit(Rectangle(0, 0, 990, 990)),
        Edit(covers=(Rectangle(0, 0, 1000, 900),)),  # it loses nearly everything
        *(Edit(covers=(Rectangle(0, 0, 5 + n, 5),)) for n in range(8)),
    ]
    versions, _ = search(scored, pool, wanted=drawn)
    assert set(drawn) <= set(edits_of(versions))
    only, _ = search(scored, pool, wanted=drawn[:1], kind="none")
    assert edits_of(only) == drawn[:1]


def test_an_edit_counts_only_as_far_as_a_second_model_confirms_it(
    scored: ScoredAlbum, pool: Workers
) -> None:
    both = rescore_album(scored, ["tiny", "tiny:seed=2"])
    threats = planned(both).threats
    discounted = 0
    for number in range(6):
        versions, found = search(scored, pool, number, confirm=["tiny:seed=2"], threats=threats)
        first, second = found.hidden
        as_it_is = found.unedited(number)
        assert all(len(version.rows) == 1 for version in versions)
        for version in versions[1:]:
            assert version.edit is not None
            _, ((row, other),) = found_rows(scored, found, pool, number, version.edit)
            assert np.array_equal(row, version.scored[0])
            fall = first.odds(as_it_is[0]) - first.odds(row)
            confirmed = second.odds(as_it_is[1]) - second.odds(other)
            # not among its first places, or no more likely than by guessing blindly
            blind = second.odds(other) <= second.odds(np.zeros(CELLS))
            if blind or second.lead(other, found.first) <= 0:
                confirmed = np.inf
            counted = first.odds(as_it_is[0]) - first.odds(version.rows[0])
            assert 0 < counted <= min(fall, confirmed) + 1e-4
            if confirmed < fall:
                discounted += 1
                assert counted == pytest.approx(confirmed, abs=1e-3)
            else:
                assert np.array_equal(version.rows[0], version.scored[0])
    assert discounted > 3


def found_rows(
    scored: ScoredAlbum, found: EditSearch, pool: Workers, number: int, edit: Edit
) -> tuple[list[Edit], list[tuple[Rows, ...]]]:
    with found:
        return found.score(scored.photos[number], [edit])


@pytest.mark.parametrize("seed", range(40))
def test_a_discounted_row_shows_no_more_than_what_is_confirmed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = 30
    unedited, edited = (normalised(rng.normal(scale=2, size=cells)) for _ in range(2))
    inside = np.sort(rng.choice(cells, 3, replace=False))
    near = np.union1d(inside, rng.choice(cells, 3, replace=False))
    hidden = HiddenCells(inside, near, np.setdiff1d(np.arange(cells), near))
    fall = hidden.odds(unedited) - hidden.odds(edited)
    for confirmed in (0.0, 0.3, 1.0, 5.0):
        row = discounted_row(hidden, unedited, edited, confirmed)
        if fall <= confirmed:
            assert row is edited
            continue
        assert hidden.odds(unedited) - hidden.odds(row) == pytest.approx(confirmed, abs=1e-4)
        others = np.setdiff1d(np.arange(cells), near)
        assert (row[near] >= edited[near]).all() and (row[others] <= edited[others]).all()


def normalised(row: NDArray[np.float64]) -> Rows:
    return np.asarray(row - np.log(np.exp(row).sum()), dtype=np.float32)


def test_a_promise_kept_by_discounted_rows_is_kept_by_the_rows_of_the_bytes() -> None:
    rng = np.random.default_rng(7)
    found = 0
    for _ in range(60):
        cells, photos = 8, 5
        unedited, edited = (
            np.array([normalised(rng.normal(scale=1.5, size=cells)) for _ in range(photos)])
            for _ in range(2)
        )
        unedited[:, 0] += 0.8
        others = np.arange(1, cells)
        hidden = HiddenCells(np.array([0]), np.array([0]), others)
        counted = np.array(
            [
                discounted_row(hidden, first, second, 0.4)
                for first, second in zip(unedited, edited, strict=True)
            ]
        )
        plan = elsewhere.protect(counted, truth=0, top=2)
        if not plan.found:
            continue
        found += 1
        kept = edited[list(plan.kept)].astype(np.float64).sum(axis=0)
        assert (kept[1:] >= kept[0]).sum() >= 2
    assert found > 20


def test_a_photo_that_is_not_there_cannot_be_edited(scored: ScoredAlbum, pool: Workers) -> None:
    edit = Edit(Rectangle(0, 0, 500, 500))
    with pytest.raises(InputError, match=r"no photo elsewhere\.jpg to edit"):
        apply_edits(scored, {"elsewhere.jpg": edit}, workers=pool)
    assert apply_edits(scored, {}, workers=pool) is scored
    nothing = Edit(Rectangle(0, 0, 1, 1))
    with pytest.raises(InputError, match="crop less"):
        apply_edits(scored, {scored.photos[0].id: nothing}, workers=pool)


def test_progress_is_told_and_may_stop_the_search(scored: ScoredAlbum, pool: Workers) -> None:
    steps: list[int] = []

    def stop(runs: int) -> None:
        steps.append(runs)
        if len(steps) == 2:
            raise KeyboardInterrupt

    assert scored.album.spool is not None
    with EditSearch(scored, planned(scored).threats, workers=pool) as found:
        with pytest.raises(KeyboardInterrupt):
            found.versions(0, progress=stop)
        assert 0 < steps[0] < steps[1] <= MAX_RUNS
        assert found.versions(1), "the workers are still there"
    assert scored.photos[0].rendition.content, "the album is as it was"


def test_the_limit_of_runs_holds(
    scored: ScoredAlbum, pool: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_RUNS", 11)
    versions, found = search(scored, pool)
    assert found.runs == 11 and len(versions) > 1


def test_real_edits_of_a_real_photo(pool: Workers) -> None:
    """With the embedded model and circles: the most telling parts are found."""
    folder = Path(elsewhere.__file__).parent / "example" / "album"
    from elsewhere.service.jobs import open_album
    from elsewhere.service.planning import plan_album
    from elsewhere.values.wishes import Wishes

    wishes = Wishes(exact_top=True)
    with open_album([folder / "bridge.jpg"], wishes, read_text=False) as album:
        plan = plan_album(album.scored, album.places, wishes, posted=album.posted, reasons=False)
        with EditSearch(album.scored, plan.threats, workers=pool) as found:
            versions = found.versions(0)
        (hidden,) = found.hidden
        assert hidden.circles is not None and 0 < len(hidden.inside) < len(hidden.near) < 100
        odds = [hidden.odds(version.rows[0]) for version in versions]
        leads = [hidden.lead(version.rows[0]) for version in versions]
        assert min(odds) < odds[0] - 2 and min(leads) < leads[0] - 2


class WatchedSearch(EditSearch):
    """A search whose models see given rows: the second one the photos, the first filled covers."""

    def __init__(self, rows: dict[int, Rows], filled: dict[int, Rows], threat: Threat) -> None:
        self.first = 5
        self.scored = cast(Any, SimpleNamespace(models=(None,), photos=range(len(rows))))
        about = ScorerInfo("second", "second", 36_000, globe=Cells.leaves(), exponents={1: 1.0})
        self._scorers = [cast(Any, SimpleNamespace(load=lambda: about))] * 2
        self.hidden = [HiddenCells.of(about, [threat])] * 2
        self._rows, self._filled_rows = rows, filled
        self._together, self.runs = {}, 0
        self.scorings = 0

    def unedited(self, number: int) -> tuple[Rows, ...]:
        self.scorings += 1
        return np.zeros(36_000, np.float32), self._rows[number]

    def score(self, photo: Any, edits: Any) -> tuple[list[Edit], list[tuple[Rows, ...]]]:
        return list(edits), [self.unedited(photo)]

    def score_filled(self, photo: Any, edit: Edit) -> tuple[Rows, ...]:
        return (self._filled_rows[photo],)


def told(place: tuple[float, float], share: float, decoys: list[tuple[float, float]]) -> Rows:
    """A row with a share of its belief at a place, and six times a twentieth more at others."""
    row = np.full(36_000, 1e-7)
    leaves = Cells.leaves()
    for lat, lon in decoys:
        row[int(leaves.locate(np.array([lat]), np.array([lon]))[0])] = share + 0.05
    row[int(leaves.locate(np.array([place[0]]), np.array([place[1]]))[0])] = share
    return normalised(np.log(row))


def test_edits_that_tell_the_place_together_are_found_out() -> None:
    lisbon = (38.72, -9.14)
    place = AlbumPlace("Lisbon, Portugal", *lisbon, (), (lisbon,))
    threat = Threat(0, place, True, cast(Any, None), None, circles=HiddenCircles((lisbon,), 25.0))
    cities = [
        (48.86, 2.35), (52.52, 13.4), (41.9, 12.5), (59.33, 18.06), (50.08, 14.43), (47.5, 19.04),
        (40.71, -74.0), (35.68, 139.7), (-33.87, 151.2), (19.43, -99.1), (30.04, 31.2), (6.5, 3.4),
    ]  # fmt: skip
    # each alone has the place sixth; both together have it first
    rows = {0: told(lisbon, 0.05, cities[:6]), 1: told(lisbon, 0.08, cities[6:])}
    nothing = dict.fromkeys(rows, np.zeros(36_000, np.float32))
    search = WatchedSearch(rows, nothing, threat)
    edit = Edit(None, (Rectangle(0, 0, 500, 500),))
    assert search.find_telling_edit({0: edit}, [threat]) is None
    assert search.find_telling_edit({1: edit}, [threat]) is None
    assert search.find_telling_edit({0: edit, 1: edit}, [threat]) == 1
    assert search.find_telling_edit({0: edit, 1: None}, [threat]) == 0
    # where the photos that are not edited tell it already, no edit is to blame
    assert search.find_telling_edit({0: None, 1: None}, [threat]) is None
    # somebody who paints covers over finds it by the plan's own model
    painted = WatchedSearch(nothing, {**nothing, 0: told(lisbon, 0.2, cities[:2])}, threat)
    assert painted.find_telling_edit({0: edit, 1: edit}, [threat]) == 0
    # an attacker adds what is public already, as the plan's own models see it
    alone = WatchedSearch(nothing, {**nothing, 0: told(lisbon, 0.05, cities[:6])}, threat)
    out = {2: (told(lisbon, 0.08, cities[6:]),)}
    assert alone.find_telling_edit({0: edit, 1: edit}, [threat]) is None
    assert alone.find_telling_edit({0: edit, 1: edit}, [threat], public=out) is not None
    # nothing is scored twice
    seen = search.scorings
    search.find_telling_edit({0: edit, 1: edit}, [threat])
    assert search.scorings == seen + 2
    assert search.find_telling_edit({0: edit, 1: edit}, [threat]) == 1
    assert search.scorings == seen + 2
    cropped = Edit(Rectangle(0, 0, 800, 800), ())
    assert painted.find_telling_edit({0: cropped, 1: cropped}, [threat]) is None


def test_a_dropped_version_takes_along_those_that_lose_less() -> None:
    def version(cost: int) -> ScoredVersion:
        edit = Edit(None, (Rectangle(0, 0, 100, cost),)) if cost else None
        return ScoredVersion(edit, Fraction(cost, 1000), ())

    versions = tuple(version(cost) for cost in (0, 100, 200, 300))
    edit = versions[2].edit
    assert edit is not None
    assert [v.cost for v in without(versions, edit)] == [0, Fraction(3, 10)]
    last = versions[3].edit
    assert last is not None
    assert without(versions, last) == ()

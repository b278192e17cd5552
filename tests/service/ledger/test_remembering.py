"""An export and its entry in the ledger: one if and only if the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from elsewhere.album import export as album_export
from elsewhere.album.export import rename_new
from elsewhere.album.places import Places
from elsewhere.album.workers import Workers
from elsewhere.errors import FileError
from elsewhere.service.export import export_album
from elsewhere.service.ledger import Ledger
from elsewhere.service.planning import AlbumPlan
from elsewhere.service.scored_album import ScoredAlbum
from tests.service.tiny import known_scorers, planned, see_tiny, write_album


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory, pool: Workers) -> Iterator[ScoredAlbum]:
    with known_scorers():
        album = write_album(tmp_path_factory.mktemp("originals") / "trip", 6)
        found = see_tiny(album, "tiny", "tiny:seed=2", workers=pool)
        yield found
        found.close()


@pytest.fixture(scope="module")
def plan(seen: ScoredAlbum) -> AlbumPlan:
    made = planned(seen)
    place = replace(made.hidden[0], photos=tuple(range(len(seen.photos) - 1)))
    return replace(made, places=Places((place,), (len(seen.photos) - 1,)))


@pytest.fixture(autouse=True)
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.setenv("ELSEWHERE_DATA_DIR", str(tmp_path / "data"))
    return Ledger()


def test_a_copy_that_has_its_name_is_remembered(
    seen: ScoredAlbum, plan: AlbumPlan, ledger: Ledger, tmp_path: Path
) -> None:
    shared = export_album(seen, plan, tmp_path / "out", remember=ledger)
    entries = ledger.entries(refuse_pending=True)
    photos = {photo for entry in entries for photo in entry.photos}
    assert photos == {ledger.named(file.sha256) for file in shared.files}
    for entry in entries:
        mine = [
            n
            for photo in entry.photos
            for n, one in enumerate(seen.photos)
            if ledger.named(one.rendition.digest) == photo
        ]
        for rows, attack in zip(entry.rows, seen.models, strict=True):
            assert np.array_equal(rows.values, attack.scores.values[mine])
            assert rows.scorer == attack.about.fingerprint


def test_nothing_is_remembered_unless_asked_for(
    seen: ScoredAlbum, plan: AlbumPlan, ledger: Ledger, tmp_path: Path
) -> None:
    export_album(seen, plan, tmp_path / "out")
    assert not ledger.path.exists()


def test_at_the_moment_of_naming_it_is_pending(
    seen: ScoredAlbum,
    plan: AlbumPlan,
    ledger: Ledger,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: list[bool] = []

    def looking(old: Path, new: Path) -> None:
        found.extend(entry.pending for entry in ledger.entries())
        rename_new(old, new)

    monkeypatch.setattr(album_export, "rename_new", looking)
    export_album(seen, plan, tmp_path / "out", remember=ledger)
    assert found
    assert all(found)
    assert not any(entry.pending for entry in ledger.entries())


def test_a_copy_that_does_not_get_its_name_is_not_remembered(
    seen: ScoredAlbum,
    plan: AlbumPlan,
    ledger: Ledger,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stopped(old: Path, new: Path) -> None:
        assert ledger.entries()
        raise KeyboardInterrupt

    monkeypatch.setattr(album_export, "rename_new", stopped)
    with pytest.raises(KeyboardInterrupt):
        export_album(seen, plan, tmp_path / "out", remember=ledger)
    assert ledger.entries(refuse_pending=True) == ()
    assert not (tmp_path / "out").exists()


def test_a_damaged_ledger_stops_the_export(
    seen: ScoredAlbum, plan: AlbumPlan, ledger: Ledger, tmp_path: Path
) -> None:
    export_album(seen, plan, tmp_path / "first", remember=ledger)
    ledger.path.write_bytes(ledger.path.read_bytes()[:-9])
    with pytest.raises(FileError, match="cannot be trusted"):
        export_album(seen, plan, tmp_path / "second", remember=ledger)
    assert not (tmp_path / "second").exists()


def test_where_it_cannot_be_confirmed_the_copy_settles_it_later(
    seen: ScoredAlbum,
    plan: AlbumPlan,
    ledger: Ledger,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:

    def then_full(old: Path, new: Path) -> None:
        rename_new(old, new)
        monkeypatch.setattr(Ledger, "_change", full)

    def full(self: Ledger, *_: object, **__: object) -> None:
        raise FileError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(album_export, "rename_new", then_full)
        export_album(seen, plan, tmp_path / "out.zip", remember=ledger)
    monkeypatch.undo()
    monkeypatch.setenv("ELSEWHERE_DATA_DIR", str(tmp_path / "data"))
    assert all(entry.pending for entry in Ledger()._read())
    assert not any(entry.pending for entry in ledger.entries(refuse_pending=True))

from __future__ import annotations

import errno
import os
import stat
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from elsewhere.album import Metadata, Step, export as album_export
from elsewhere.album.places import places_of
from elsewhere.album.renditions import size_if_bare
from elsewhere.album.workers import Workers
from elsewhere.errors import CheckError, ElsewhereError, FileError, InputError
from elsewhere.formats.copy_certificate import Model
from elsewhere.globe import place
from elsewhere.scorers.sessions import Session
from elsewhere.service import export as sharing
from elsewhere.service.export import Export, export_album
from elsewhere.service.planning import AlbumPlan, plan_album
from elsewhere.service.posted import Posted
from elsewhere.service.scored_album import ScoredAlbum, score_album
from elsewhere.service.verify import verify_copy
from elsewhere.values.scores import Scores
from elsewhere.values.wishes import Wishes
from tests.service.tiny import TinyScorer, known_scorers, planned, see_tiny, write_album


@pytest.fixture(scope="module")
def album(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_album(tmp_path_factory.mktemp("originals") / "trip")


@pytest.fixture(scope="module")
def seen(album: Path, pool: Workers) -> Iterator[ScoredAlbum]:
    with known_scorers():
        found = see_tiny(album, "tiny", "tiny:seed=2", workers=pool)
        yield found
        found.close()


@pytest.fixture(scope="module")
def plan(seen: ScoredAlbum) -> AlbumPlan:
    made = planned(seen)
    assert len(made.plan.kept) >= 3 and made.plan.withheld
    return made


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ELSEWHERE_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data" / "elsewhere"


def inside(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def leftovers(folder: Path) -> list[str]:
    return [name for name in inside(folder) if name.startswith(".")]


@pytest.mark.parametrize("name", ["shared", "shared.zip", "SHARED.ZIP"])
def test_a_copy_holds_the_kept_renditions_and_nothing_else(
    name: str, seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path
) -> None:
    steps: list[Step] = []
    shared = export_album(seen, plan, tmp_path / name, progress=steps.append)
    assert [file.name for file in shared.files] == [
        f"{n:03}.jpg" for n in range(1, len(plan.plan.kept) + 1)
    ]
    assert {file.number for file in shared.files} == set(plan.plan.kept)
    if shared.target.is_dir():
        found = {path.name: path.read_bytes() for path in shared.target.iterdir()}
    else:
        with zipfile.ZipFile(shared.target) as archive:
            found = {one: archive.read(one) for one in archive.namelist()}
    assert found == {file.name: seen.photos[file.number].rendition.content for file in shared.files}
    for file in shared.files:
        assert file.photo == seen.photos[file.number].id
        assert file.sha256 == sha256(found[file.name]).hexdigest()
        assert file.size == len(found[file.name])
        assert size_if_bare(found[file.name])
    assert shared.reproved == 4 and shared.notes == ()
    assert leftovers(tmp_path) == []
    assert {step.stage for step in steps} == {"writing", "proving"}
    last = [step for step in steps if step.stage == "proving"][-1]
    assert last.done == last.total == 2 * len(shared.files)
    assert verify_copy(shared.target)


def test_the_order_is_drawn_unless_the_albums_is_asked_for(
    seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path
) -> None:
    kept = list(plan.plan.kept)
    drawn = {
        tuple(f.number for f in export_album(seen, plan, tmp_path / f"{n}").files) for n in range(6)
    }
    assert len(drawn) > 1  # six equal draws of so many photos are not chance
    assert all(sorted(one) == kept for one in drawn)
    shared = export_album(seen, plan, tmp_path / "ordered", order="album")
    assert [file.number for file in shared.files] == kept


def test_names_are_kept_with_a_warning(seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path) -> None:
    shared = export_album(seen, plan, tmp_path / "named", names="keep")
    assert {file.name for file in shared.files} == {seen.photos[n].id for n in plan.plan.kept}
    assert "looks like a date (IMG_20230714_" in shared.notes[0]
    assert verify_copy(shared.target)


def test_the_certificate_is_private(
    seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path, data: Path
) -> None:
    other = export_album(seen, plan, tmp_path / "other", private=tmp_path / "mine")
    assert other.private.parent == tmp_path / "mine"
    assert verify_copy(other.target, private=tmp_path / "mine")
    with pytest.raises(FileError, match="no certificate at"):
        verify_copy(other.target)
    shared = export_album(seen, plan, tmp_path / "shared")
    assert shared.certificate.parent == shared.private == data / shared.private.name
    assert shared.private.name.startswith("shared-")
    assert stat.S_IMODE(shared.private.stat().st_mode) == 0o700
    assert stat.S_IMODE(shared.certificate.stat().st_mode) == 0o600
    assert inside(shared.private) == ["certificate.json"]
    assert "Lisbon" in shared.certificate.read_text()


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o777])
def test_modes_follow_the_umask(
    umask: int, seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path
) -> None:
    before = os.umask(umask)
    try:
        folder = export_album(seen, plan, tmp_path / "shared").target
        archive = export_album(seen, plan, tmp_path / "shared.zip").target
    finally:
        os.umask(before)
    files = {stat.S_IMODE(path.stat().st_mode) for path in [*folder.iterdir(), archive]}
    assert files == {0o644 & ~umask | 0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755 & ~umask | 0o700


def test_one_time_for_all(seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path) -> None:
    folder = export_album(seen, plan, tmp_path / "shared").target
    archive = export_album(seen, plan, tmp_path / "shared.zip").target
    times = {path.stat().st_mtime for path in [folder, *folder.iterdir(), archive]}
    assert times == {album_export.FILE_TIME}


def test_originals_are_not_touched(
    album: Path, seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path
) -> None:
    def state() -> dict[str, tuple[Any, ...]]:
        return {
            path.name: (path.read_bytes(), path.stat().st_mode, path.stat().st_mtime_ns)
            for path in sorted(album.iterdir())
        }

    before, folder = state(), album.stat().st_mtime_ns
    export_album(seen, plan, tmp_path / "shared")
    assert state() == before and album.stat().st_mtime_ns == folder


def test_where_a_copy_may_not_be(
    album: Path, seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path
) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "alias").symlink_to(album)
    refused: dict[Path, str] = {
        tmp_path / "there": "exists already",
        tmp_path / "file": "exists already",
        tmp_path / "link": "exists already",
        tmp_path / "no" / "shared": "does not exist: make it first",
        tmp_path / "file" / "shared": "is not a folder",
        tmp_path / ("x" * 300): "the name is too long",
        tmp_path / "a\0b": "cannot be a name",
        tmp_path / "copy.JPG": "a folder named like a file",
        tmp_path / "copy.tar.gz": "a folder named like a file",
        album / "shared": "among the originals",
        album / "shared.zip": "among the originals",
        tmp_path / "alias" / "shared": "among the originals",
        album.parent: "exists already",
    }
    for target, why in refused.items():
        with pytest.raises(ElsewhereError, match=why) as told:
            export_album(seen, plan, target)
        assert "\n" not in str(told.value)
    assert (tmp_path / "file").read_text() == "mine"
    assert leftovers(tmp_path) == [] and leftovers(album) == []


def test_the_private_folder_is_apart_from_the_copy(
    seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path
) -> None:
    target = tmp_path / "out" / "shared"
    target.parent.mkdir()
    for private in (target, target / "private", target.parent, tmp_path):
        with pytest.raises(InputError, match="must not lie in or around"):
            export_album(seen, plan, target, private=private)
    assert not target.exists() and leftovers(target.parent) == []


def test_a_private_folder_that_cannot_be_written(
    seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(
        FileError, match=r"nothing is exported without a certificate: .*another folder"
    ):
        export_album(seen, plan, tmp_path / "shared", private=tmp_path / "file")
    assert not (tmp_path / "shared").exists()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO])
def test_what_the_disk_refuses_is_said_and_leaves_nothing(
    number: int, seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(handle: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("elsewhere.album.export.os.fsync", refuse)
    with pytest.raises(FileError, match="cannot be written, and nothing was written") as told:
        export_album(seen, plan, tmp_path / "shared")
    monkeypatch.undo()
    if number == errno.ENOSPC:
        assert "the disk is full" in str(told.value)
    assert inside(tmp_path) == ["data"] and not list((tmp_path / "data").rglob("*.json"))


@pytest.mark.parametrize("stage", ["writing", "proving"])
def test_ctrl_c_leaves_nothing(
    stage: str, seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path, data: Path
) -> None:
    def interrupt(step: Step) -> None:
        if step.stage == stage and step.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export_album(seen, plan, tmp_path / "shared", progress=interrupt)
    assert inside(tmp_path) == ["data"] and inside(data) == []


def test_a_name_that_is_taken_at_the_last_moment_is_not_written_over(
    seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path
) -> None:
    target = tmp_path / "shared"

    def take(step: Step) -> None:
        target.mkdir(exist_ok=True)

    with pytest.raises(FileError, match="it exists already"):
        export_album(seen, plan, target, progress=take)
    assert list(target.iterdir()) == [] and leftovers(tmp_path) == []


def test_what_the_disk_garbles_is_not_exported(
    seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def garble(step: Step) -> None:
        if step.stage == "writing":
            file = next(tmp_path.glob(".elsewhere-*/copy/001.jpg"))
            file.write_bytes(file.read_bytes()[:-3] + b"\0\xff\xd9")

    with pytest.raises(CheckError, match=r"001\.jpg is not on the disk as it was written"):
        export_album(seen, plan, tmp_path / "shared", progress=garble)
    assert inside(tmp_path) == ["data"]


def test_a_copy_that_scores_otherwise_is_not_exported(
    seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proof is on the new scores, whatever the plan's were."""

    def keen(word: str, *rest: Any) -> Any:
        return Model(word.replace("tiny", "tiny:keen", 1), *rest)

    monkeypatch.setattr(sharing, "Model", keen)
    with pytest.raises(CheckError, match="Lisbon, Portugal, by the model tiny1 on the whole album"):
        export_album(seen, plan, tmp_path / "shared")
    assert inside(tmp_path) == ["data"]


def test_what_a_killed_export_left_on_another_disk_is_swept(
    seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path, data: Path
) -> None:
    left = tmp_path / "disk" / ".elsewhere-0123456789abcdef"
    (left / "copy").mkdir(parents=True)
    (left / "lock").write_bytes(b"")
    (data / "begun").mkdir(parents=True)
    (data / "begun" / "note").write_text(str(tmp_path / "disk"))
    export_album(seen, plan, tmp_path / "shared")
    assert inside(tmp_path / "disk") == [] and "begun" not in inside(data)


def test_no_row_of_a_cache_is_used(
    seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored = []
    real = TinyScorer.score

    def count(self: TinyScorer, photo: Any) -> Any:
        scored.append(photo.name)
        return real(self, photo)

    monkeypatch.setattr(TinyScorer, "score", count)
    shared = export_album(seen, plan, tmp_path / "shared")
    assert sorted(scored) == sorted(2 * [file.photo for file in shared.files])


def test_the_model_is_run_again_on_the_written_files(
    album: Path, pool: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the rows nor what the tower remembers of the renditions may answer for the copy."""
    runs: list[str] = []
    infer = Session.__call__

    def counted(self: Session, *given: Any) -> Any:
        runs.append(self.name)
        return infer(self, *given)

    monkeypatch.setattr(Session, "__call__", counted)
    seen = score_album([album], workers=pool)
    try:
        photos = len(seen.photos)
        assert len(runs) == photos
        places = places_of(seen.photos, at=[place("Lisbon")])
        plan = plan_album(seen, places, Wishes(top=1, exact_top=True, margin="none"))
        shared = export_album(seen, plan, tmp_path / "copy")
        assert len(runs) == photos + len(shared.files)
    finally:
        seen.close()


def test_no_plan_no_copy(seen: ScoredAlbum, tmp_path: Path) -> None:
    none = planned(seen, top=11, each_photo=True)
    assert not none.plan.found
    with pytest.raises(InputError, match="nothing to share: the plan is infeasible"):
        export_album(seen, none, tmp_path / "shared")
    assert inside(tmp_path) == []


def test_scores_that_are_not_the_plans_are_refused(
    seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path
) -> None:
    with pytest.raises(CheckError, match="not those of the promise"):
        export_album(
            ScoredAlbum(seen.album, seen.photos, seen.models[::-1], seen.skipped),
            plan,
            tmp_path / "x",
        )


def test_what_is_out_already_counts_and_is_not_written_again(
    seen: ScoredAlbum, tmp_path: Path
) -> None:
    rng = np.random.default_rng(4)
    ids = ("posted/a.jpg", "posted/b.jpg")
    rows = tuple(
        Scores(np.log(rng.dirichlet(np.ones(12), 2)), ids, scorer=attack.about.fingerprint)
        for attack in seen.models
    )
    first = planned(seen).plan.kept[0]
    posted = Posted(ids, rows, (Metadata(), Metadata()), already=(first,))
    plan = planned(seen, posted=posted)
    shared = export_album(seen, plan, tmp_path / "shared")
    numbers = {file.number for file in shared.files}
    assert numbers == set(plan.plan.kept) - {first, 10, 11}
    assert verify_copy(shared.target)
    before = planned(seen).plan
    everything = Posted(already=before.kept)
    plan = planned(seen, posted=everything, drop=before.withheld)
    with pytest.raises(InputError, match="public already"):
        export_album(seen, plan, tmp_path / "none")


def test_a_budget_is_a_promise_too(seen: ScoredAlbum, tmp_path: Path) -> None:
    plan = planned(seen, budget=4)
    shared: Export = export_album(seen, plan, tmp_path / "shared")
    assert len(shared.files) >= 6 and verify_copy(shared.target)
    nothing = planned(seen, budget=0)
    assert nothing.empty and not plan.empty
    with pytest.raises(InputError, match="may still be the first guess"):
        export_album(seen, nothing, tmp_path / "none")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(("choice", "value"), [("order", "random"), ("names", "kept")])
def test_an_unknown_choice(
    choice: str, value: str, seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path
) -> None:
    wrong: Any = {choice: value}
    with pytest.raises(InputError, match=value):
        export_album(seen, plan, tmp_path / "shared", **wrong)

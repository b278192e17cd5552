from __future__ import annotations

import json
import re
import shutil
import struct
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from elsewhere.album import Step
from elsewhere.album.copies import Copy, open_copy, write_archive
from elsewhere.album.export import rename_new
from elsewhere.album.workers import Workers
from elsewhere.errors import FileError, InputError, ScorerError
from elsewhere.formats.copy_certificate import read_copy_certificate
from elsewhere.formats.score_files import write_scores
from elsewhere.formats.validation import digest_of
from elsewhere.messages import verification as messages
from elsewhere.service import verify
from elsewhere.service.copy_claims import find_attackers
from elsewhere.service.export import Export, export_album
from elsewhere.service.photo_texts import TextReader, read_each
from elsewhere.service.planning import AlbumPlan
from elsewhere.service.private_files import read_private, write_private
from elsewhere.service.scored_album import ScoredAlbum, score_album
from elsewhere.service.verify import _find_scorer, _public, prove_copy, verify_copy
from elsewhere.text.understanding import understand
from elsewhere.values.photo_text import PhotoText, TextBox, TextLine
from elsewhere.values.problems import PlanProblem, ProblemKind
from elsewhere.values.scores import Scores
from elsewhere.values.verification import CopyProblemKind, Verification
from tests.album.makers import jpeg, segment, with_segments
from tests.service.tiny import TinyScorer, known_scorers, planned, see_tiny, write_album


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory, pool: Workers) -> Iterator[ScoredAlbum]:
    with known_scorers():
        found = see_tiny(write_album(tmp_path_factory.mktemp("verify") / "trip"), workers=pool)
        yield found
        found.close()


@pytest.fixture(scope="module")
def plan(seen: ScoredAlbum) -> AlbumPlan:
    return planned(seen)


@pytest.fixture(scope="module", params=["shared", "shared.zip"])
def original(
    request: pytest.FixtureRequest,
    seen: ScoredAlbum,
    plan: AlbumPlan,
    tmp_path_factory: pytest.TempPathFactory,
) -> Export:
    place = tmp_path_factory.mktemp("original")
    return export_album(seen, plan, place / request.param, private=place / "mine")


@pytest.fixture
def shared(original: Export, tmp_path: Path) -> Path:
    """A copy of the copy, which the test may spoil."""
    target = tmp_path / original.target.name
    if original.target.is_dir():
        shutil.copytree(original.target, target)
    else:
        shutil.copy(original.target, target)
    return target


def problems_of(found: Verification) -> list[str]:
    return [messages.problem_text(problem) for problem in found.problems]


def notes_of(found: Verification) -> list[str]:
    return [messages.note_text(note) for note in found.notes]


def contents(target: Path) -> dict[str, bytes]:
    if target.is_dir():
        return {path.name: path.read_bytes() for path in target.iterdir()}
    with zipfile.ZipFile(target) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def put(target: Path, files: dict[str, bytes]) -> None:
    """The copy anew, with these files."""
    if target.is_dir():
        shutil.rmtree(target)
        target.mkdir()
        for name, content in files.items():
            (target / name).write_bytes(content)
    else:
        with target.open("wb") as file:
            write_archive(file, sorted(files.items()))


Change = Callable[[dict[str, bytes]], object]


def swap(files: dict[str, bytes]) -> None:
    files["001.jpg"], files["002.jpg"] = files["002.jpg"], files["001.jpg"]


def flip(files: dict[str, bytes]) -> None:
    content = bytearray(files["002.jpg"])
    content[-20] ^= 1
    files["002.jpg"] = bytes(content)


def comment(files: dict[str, bytes]) -> None:
    files["001.jpg"] = with_segments(files["001.jpg"], segment(0xFE, b"taken at home"))


CHANGES: dict[str, tuple[Change, str]] = {
    "added": (lambda f: f.update({"099.jpg": jpeg(99)}), "099.jpg was added after the export"),
    "added again": (lambda f: f.update({"x.jpg": f["001.jpg"]}), "a second copy of 001.jpg"),
    "stray": (lambda f: f.update({".DS_Store": b"\0Bud1"}), ".DS_Store was added"),
    "odd name": (lambda f: f.update({"a\nb.txt": b"x"}), r"a\\nb.txt was added"),
    "missing": (lambda f: f.pop("003.jpg"), "003.jpg is missing"),
    "renamed": (lambda f: f.update({"z.jpg": f.pop("001.jpg")}), "001.jpg was renamed to z.jpg"),
    "swapped": (swap, "001.jpg holds the photo of 002.jpg"),
    "edited": (flip, "002.jpg was changed after the export"),
    "with a comment": (comment, "001.jpg was changed after the export"),
    "replaced": (lambda f: f.update({"001.jpg": jpeg(5)}), "001.jpg was changed after the export"),
    "cut short": (lambda f: f.update({"001.jpg": f["001.jpg"][:100]}), "001.jpg was changed"),
    "emptied": (lambda f: f.update({"001.jpg": b""}), "001.jpg was changed"),
}


def test_what_was_shared_is_accepted(original: Export, shared: Path) -> None:
    steps: list[Step] = []
    found = verify_copy(shared, original.certificate, progress=steps.append)
    clause = "Lisbon, Portugal is not among the first 3 guesses of the model tiny1"
    assert (found.problems, found.notes) == ((), ())
    assert (found.files, found.reproved) == (len(original.files), 2)
    assert [messages.claim_text(claim) for claim in found.claims] == [clause]
    assert [step.done for step in steps] == list(range(1, len(original.files) + 1))
    put(shared, contents(shared))  # the spoiling below is of a copy that is accepted otherwise
    assert verify_copy(shared, original.certificate)


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_what_was_changed_is_refused(change: str, original: Export, shared: Path) -> None:
    spoil, why = CHANGES[change]
    files = contents(shared)
    spoil(files)
    put(shared, files)
    found = verify_copy(shared, original.certificate)
    assert not found and found.reproved == 0
    assert re.search(why, "; ".join(problems_of(found)))
    assert len(found.problems) <= 2


def test_things_in_a_folder_that_are_no_files(original: Export, shared: Path) -> None:
    if not shared.is_dir():
        return
    (shared / "more").mkdir()
    (shared / "out.jpg").symlink_to(shared / "001.jpg")
    (shared / "002.jpg").unlink()
    (shared / "002.jpg").symlink_to(original.target / "002.jpg")
    problems = problems_of(verify_copy(shared, original.certificate))
    assert [problem.split(":")[0] for problem in problems] == [
        "002.jpg is not a photo's file",
        "more was added",
        "out.jpg was added",
    ]


def test_what_is_not_there(original: Export, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        verify_copy(tmp_path / "gone", original.certificate)
    (tmp_path / "gone").mkdir()
    with pytest.raises(FileError, match="no certificate at"):
        verify_copy(tmp_path / "gone", tmp_path / "none.json")
    assert "is missing" in problems_of(verify_copy(tmp_path / "gone", original.certificate))[0]


def test_a_copy_that_was_moved_keeps_its_certificate_when_another_takes_its_name(
    seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path
) -> None:
    private, target, away = tmp_path / "mine", tmp_path / "out", tmp_path / "away"
    first = export_album(seen, plan, target, private=private, names="keep")
    (first.private / "report.html").write_text("its report")
    earlier = {file.name: file.read_bytes() for file in first.private.iterdir()}
    first.target.rename(away)
    with pytest.MonkeyPatch.context() as patch:  # what comes to nothing leaves all as it was
        patch.setattr("elsewhere.album.export.rename_new", Mock(side_effect=OSError("full")))
        with pytest.raises((FileError, OSError)):
            export_album(seen, plan, target, private=private)
    assert {file.name: file.read_bytes() for file in first.private.iterdir()} == earlier
    second = export_album(seen, plan, target, private=private)
    assert second.certificate == first.certificate
    assert second.certificate.read_bytes() != earlier["certificate.json"]
    (report,) = first.private.glob("report*.html")
    (certificate,) = first.private.glob("certificate-*.json")
    assert report.name == f"{certificate.stem.replace('certificate', 'report')}.html"
    assert report.read_text() == "its report"
    assert verify_copy(second.target, private=private).notes == ()
    moved = verify_copy(away, private=private)
    assert moved and "its certificate is" in notes_of(moved)[0]
    shutil.rmtree(target)
    away.rename(target)  # and back, where the other one was
    assert verify_copy(target, private=private)


def test_a_copy_that_was_moved_or_unpacked_finds_its_certificate(
    seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path
) -> None:
    private = tmp_path / "mine"
    folder = export_album(seen, plan, tmp_path / "one", private=private, names="keep")
    packed = export_album(seen, plan, tmp_path / "two.zip", private=private, order="album")
    assert verify_copy(packed.target, private=private).notes == ()
    (tmp_path / "away").mkdir()
    folder.target.rename(tmp_path / "away" / "holiday")
    moved = verify_copy(tmp_path / "away" / "holiday", private=private)
    assert moved and "moved or unpacked since" in notes_of(moved)[0]
    with zipfile.ZipFile(packed.target) as archive:
        archive.extractall(tmp_path / "unpacked")
    # both certificates name these photos, but only one of them under these names
    unpacked = verify_copy(tmp_path / "unpacked", private=private)
    assert unpacked and str(packed.certificate) in notes_of(unpacked)[0]
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError, match="no certificate at"):
        verify_copy(tmp_path / "empty", private=private)


@pytest.mark.parametrize("refused", ["second", "first"])
def test_two_exports_to_one_target_keep_certificates_of_their_own(
    refused: str, seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path
) -> None:
    """Each has written its certificate before either has the name."""
    private, target = tmp_path / "mine", tmp_path / "out"
    staged: list[Path] = []
    exports: dict[str, Export] = {}

    def rename(old: Path, new: Path) -> None:
        staged.append(old)
        if len(staged) == 2:
            if refused == "second":
                rename_new(staged[0], new)
            rename_new(old, new)
            return
        try:
            exports["second"] = export_album(seen, plan, target, private=private)
        except FileError:
            return  # the first has its name
        rename_new(old, new)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("elsewhere.album.export.rename_new", rename)
        with suppress(FileError):
            exports["first"] = export_album(seen, plan, target, private=private)
    (export,) = exports.values()
    assert refused not in exports
    assert {*read_private(export.certificate).files} == {*export.files}
    assert [*export.private.iterdir()] == [export.certificate]
    assert verify_copy(target, private=private).notes == ()


def test_a_certificate_that_names_most_files_by_chance_is_not_taken(
    seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path
) -> None:
    """Of two copies with the same photos, whose names differ for two of them only."""
    private, exports = tmp_path / "mine", []
    for name in ("one", "two"):
        with pytest.MonkeyPatch.context() as patch:

            def names(ids: Sequence[str], *way: str, swap: bool = name == "two") -> list[str]:
                given = [f"{number:03}.jpg" for number in range(1, len(ids) + 1)]
                return [*given[:-2], given[-1], given[-2]] if swap and given else given

            patch.setattr("elsewhere.service.export.choose_names", names)
            exports.append(export_album(seen, plan, tmp_path / name, private=private))
    one, two = exports
    assert len(one.files) > 4
    one.target.rename(tmp_path / "away")
    two.target.rename(tmp_path / "one")
    found = verify_copy(tmp_path / "one", private=private)
    assert found and str(two.certificate) in notes_of(found)[0]
    found = verify_copy(tmp_path / "away", private=private)
    assert found and str(one.certificate) in notes_of(found)[0]


def certificate_with(original: Export, place: Path, **changes: Any) -> Path:
    """The certificate with the first model changed, sealed again."""
    document = json.loads(original.certificate.read_text())
    document["models"][0].update(changes)
    document["digest"] = digest_of(document)
    write_private(place / "other.json", json.dumps(document))
    return place / "other.json"


def test_an_edited_certificate_is_refused(original: Export, shared: Path, tmp_path: Path) -> None:
    text = original.certificate.read_text()
    (tmp_path / "edited.json").write_text(text.replace('"top": 4', '"top": 3'))
    with pytest.raises(FileError, match="changed or damaged: its digest is not right"):
        verify_copy(shared, tmp_path / "edited.json")


def test_another_machine_may_differ_in_the_last_bits(
    original: Export, shared: Path, tmp_path: Path
) -> None:
    found = verify_copy(shared, certificate_with(original, tmp_path, word="tiny:bits"))
    assert found and found.reproved == 2
    assert "differ in their last bits from those that the plan was made with" in notes_of(found)[0]


def read_as(text: PhotoText, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every file have this text."""
    monkeypatch.setattr(TextReader, "read", lambda self, name, *more: replace(text, photo=name))


@pytest.mark.parametrize("radius", [25.0, 0.0])
def test_lines_that_are_not_read_are_counted_and_an_unknown_reach_is_said(
    original: Export, shared: Path, radius: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = read_private(original.certificate)
    watches = tuple(replace(watch, radius_km=radius) for watch in known.watches)
    lines = [TextLine("", 0.1, TextBox(0, 0, 9, 9)), TextLine("OPEN", 0.99, TextBox(0, 90, 90, 99))]
    read_as(understand("", lines), monkeypatch)
    known = replace(known, watches=watches)
    found = prove_copy(open_copy(shared), known, read_text=True)
    (note,) = found.notes
    assert note.unread == len(known.files)
    told = messages.note_text(note)
    assert told.endswith(f"; lines found and not read: {len(known.files)}")
    assert ("names no place within 100 km of what is hidden;" in told) is (radius > 0)
    assert ("the certificate does not say how far that reaches" in told) is (radius == 0)


def test_a_file_that_changes_before_its_text_is_read_is_refused(
    original: Export, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*asked: Any, **more: Any) -> list[PhotoText]:
        monkeypatch.setattr(Copy, "read", lambda self, name: jpeg(99))
        return read_each(*asked, **more)

    read_as(PhotoText(""), monkeypatch)
    monkeypatch.setattr(verify, "read_each", late)
    found = verify_copy(shared, original.certificate, read_text=True)
    assert not found and not found.claims
    first = read_private(original.certificate).files[0].name
    assert problems_of(found) == [f"{first} changed while it was checked: verify it again"]


def test_a_model_that_moved_is_found_by_its_fingerprint(
    original: Export, shared: Path, tmp_path: Path
) -> None:
    lost = certificate_with(original, tmp_path, word="onnx:gone.onnx")
    with pytest.raises(ScorerError, match=r"against the model tiny1 .* was not found"):
        verify_copy(shared, lost)
    with pytest.raises(ScorerError, match="another version"):
        verify_copy(shared, certificate_with(original, tmp_path, word="tiny:seed=2"))
    assert verify_copy(shared, lost, scorers=["tiny:seed=2", "tiny"])


def test_scores_that_break_the_promise_are_refused(
    original: Export, shared: Path, tmp_path: Path
) -> None:
    found = verify_copy(shared, certificate_with(original, tmp_path, word="tiny:keen"))
    assert not found
    assert problems_of(found)[0] == (
        "Lisbon, Portugal, by the model tiny1 on the whole album: fewer places come before it than "
        "promised"  # how many they should be is secret
    )


@pytest.mark.parametrize("kind", ProblemKind, ids=lambda kind: kind.name)
def test_no_problem_of_the_check_tells_the_secret_k(original: Export, kind: ProblemKind) -> None:
    secret = 987_654
    certificate = read_private(original.certificate)
    infos = [TinyScorer("").load()]
    problem = PlanProblem(kind, attacker=1, photo=0, found=secret, wanted=secret)
    public = _public(problem, find_attackers(certificate, infos), certificate)
    assert str(secret) not in messages.problem_text(public)
    assert str(secret) not in repr(public)
    assert messages.problem_text(public).count("{") == 0


def text_behind_the_pixels(files: dict[str, bytes]) -> None:
    bare = files["001.jpg"]
    files["001.jpg"] = bare[:-2] + b"GPS 43.9475,4.5350 owner=Alice" + bare[-2:]


@pytest.mark.parametrize("spoil", [comment, text_behind_the_pixels])
def test_files_that_are_no_bare_pictures_are_refused_even_if_certified(
    original: Export,
    shared: Path,
    tmp_path: Path,
    spoil: Callable[[dict[str, bytes]], None],
) -> None:
    files = contents(shared)
    spoil(files)
    put(shared, files)
    document = json.loads(original.certificate.read_text())
    for file in document["files"]:
        if file["name"] == "001.jpg":
            file["sha256"] = sha256(files["001.jpg"]).hexdigest()
            file["size"] = len(files["001.jpg"])
    document["digest"] = digest_of(document)
    write_private(tmp_path / "other.json", json.dumps(document))
    found = verify_copy(shared, tmp_path / "other.json")
    assert "001.jpg is not a bare picture" in problems_of(found)[0]


def lies(content: bytes) -> dict[str, bytes]:
    """Archives that are not what they seem."""
    central = content.index(b"PK\1\2")
    end = content.index(b"PK\5\6")
    bomb = bytearray(content)
    struct.pack_into("<I", bomb, 22, 0xFFFFFFFF)
    encrypted = bytearray(content)
    encrypted[6] |= 1
    deflated = bytearray(content)
    deflated[8] = 8
    traversal = content.replace(b"001.jpg", b"../1.jp")
    hidden = content[:central] + b"a secret" + content[central:]
    count = bytearray(content)
    struct.pack_into("<H", count, end + 10, 1)
    return {
        "a bomb's size": bytes(bomb),
        "encrypted": bytes(encrypted),
        "deflated": bytes(deflated),
        "a path that leads out": traversal,
        "data between": hidden,
        "data before": b"#!/bin/sh\n" + content,
        "data behind": content + b"more",
        "a comment": content[:-2] + b"\4\0home",
        "a wrong count": bytes(count),
        "cut short": content[:-30],
        "empty": b"",
        "no zip": b"GIF89a" * 100,
        "only an end": content[end:],
        "a wrong checksum": content[:14] + b"\0\0\0\0" + content[18:],
        "a changed name in the list only": content[:central]
        + content[central:].replace(b"001.jpg", b"009.jpg"),
    }


LIES = [
    "a bomb's size", "encrypted", "deflated", "a path that leads out", "data between",
    "data before", "data behind", "a comment", "a wrong count", "cut short", "empty", "no zip",
    "only an end", "a wrong checksum", "a changed name in the list only",
]  # fmt: skip


@pytest.mark.parametrize("lie", LIES)
def test_an_archive_that_lies_is_refused(
    lie: str, seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path
) -> None:
    shared = export_album(seen, plan, tmp_path / "a.zip", private=tmp_path / "mine")
    told = lies(shared.target.read_bytes())
    assert list(told) == LIES
    shared.target.write_bytes(told[lie])
    found = verify_copy(shared.target, private=tmp_path / "mine")
    assert not found and "\n" not in problems_of(found)[0]


def test_an_archive_that_another_program_packed_is_refused(
    seen: ScoredAlbum, plan: AlbumPlan, tmp_path: Path
) -> None:
    shared = export_album(seen, plan, tmp_path / "a.zip", private=tmp_path / "mine")
    files = contents(shared.target)
    with zipfile.ZipFile(shared.target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    found = verify_copy(shared.target, private=tmp_path / "mine")
    assert "not a zip as elsewhere writes them" in problems_of(found)[0]


def test_scores_that_are_looked_up_are_said_to_be(
    seen: ScoredAlbum, pool: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a scorer's file is found again from anywhere."""
    monkeypatch.chdir(tmp_path)
    album = write_album(tmp_path / "trip", 6)
    ids = [path.name for path in sorted(album.iterdir())]
    table = np.log(np.random.default_rng(3).dirichlet(np.ones(12), len(ids)))
    write_scores(Path("rows.npz"), Scores(table.astype(np.float32), ids))
    looked = score_album([album], scorers=["table:rows.npz"], workers=pool)
    shared = export_album(
        looked, planned(looked, top=2), tmp_path / "out", private=tmp_path / "mine"
    )
    assert "looks scores up by a photo's name" in shared.notes[0]
    (tmp_path / "away").mkdir()
    monkeypatch.chdir(tmp_path / "away")
    assert verify_copy(shared.target, private=tmp_path / "mine")
    document = json.loads(shared.certificate.read_text("utf-8"))
    document["models"][0]["word"] = "embedded"  # whatever a certificate says of it
    document["digest"] = digest_of(document)
    Path("theirs.json").write_text(json.dumps(document), "utf-8")
    rows = f"table:{tmp_path / 'rows.npz'}"
    other = verify_copy(shared.target, Path("theirs.json"), own=False, scorers=[rows])
    assert "looks scores up by a photo's name" in " ".join(notes_of(other))
    looked.close()


def test_a_budget_that_buys_nothing_is_kept_and_said_to_be_empty(
    seen: ScoredAlbum, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = planned(seen, budget=0)
    assert plan.empty
    monkeypatch.setattr(type(plan), "empty", False)  # as somebody else's program may share it
    copy = export_album(seen, plan, tmp_path / "shared", private=tmp_path / "mine")
    found = verify_copy(copy.target, copy.certificate)
    assert found
    first = messages.headline(found, "shared")
    assert "keeps its promise only because nothing is promised of Lisbon, Portugal" in first
    other = verify_copy(copy.target, copy.certificate, own=False, scorers=["tiny"])
    assert [problem.kind for problem in other.problems] == [CopyProblemKind.NOTHING_PROMISED]


@pytest.mark.parametrize("own", [True, False])
def test_a_certificate_of_earlier_versions_finds_the_former_head(own: bool) -> None:
    data = Path(__file__).parents[2] / "formats" / "data" / "copy-certificate.json"
    (model,) = read_copy_certificate(data.read_text("utf-8")).models
    assert model.word == "embedded"
    about = _find_scorer(model, (), own).load()
    assert (about.name, about.fingerprint) == ("embedded:512", model.fingerprint)

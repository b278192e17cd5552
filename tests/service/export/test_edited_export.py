"""Edited photos in a copy: what is covered is in no byte, and the certificate has the edits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import elsewhere
from elsewhere.album.renditions import Rendition
from elsewhere.album.workers import Workers
from elsewhere.errors import CheckError, InputError
from elsewhere.formats.copy_certificate import EDITS_FORMAT, read_copy_certificate
from elsewhere.formats.validation import digest_of
from elsewhere.service import export as export_module
from elsewhere.service.edited_album import apply_edits
from elsewhere.service.edits import EditSearch
from elsewhere.service.export import export_album
from elsewhere.service.jobs import ProtectedAlbum, export_with_report
from elsewhere.service.photo_texts import TextReader
from elsewhere.service.planning import AlbumPlan
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.verify import verify_copy
from elsewhere.values.photo_text import Clue, PhotoText, Position, TextBox, TextCheck, TextLine
from elsewhere.values.scores import Scores
from elsewhere.values.versions import Edit, Rectangle, ScoredVersion
from tests.album.makers import encoded
from tests.service.export.test_copy_certificate import VALIDATOR, edited as changed_at
from tests.service.tiny import known_scorers, planned, see_tiny

COVER = Edit(covers=(Rectangle(250, 250, 600, 700), Rectangle(700, 0, 800, 1000)))
CROP = Edit(Rectangle(0, 200, 1000, 1000))


def write_photos(folder: Path, seed_below_cover: int = 0) -> Path:
    folder.mkdir()
    for number in range(8):
        colours = np.random.default_rng(number).integers(0, 256, (8, 8, 3), dtype=np.uint8)
        picture = Image.fromarray(colours).resize((480, 320), Image.Resampling.NEAREST)
        secret = np.random.default_rng(seed_below_cover).integers(0, 256, (144, 168, 3), np.uint8)
        picture.paste(Image.fromarray(secret), (120, 80))
        content = encoded(picture, "JPEG", quality=90) if number else encoded(picture, "PNG")
        (folder / f"{number}.{'jpg' if number else 'png'}").write_bytes(content)
    return folder


@pytest.fixture
def scored(tmp_path: Path, pool: Workers) -> Iterator[ScoredAlbum]:
    with known_scorers():
        album = see_tiny(write_photos(tmp_path / "trip"), workers=pool)
        yield album
        album.close()


def covered_everywhere(scored: ScoredAlbum, pool: Workers) -> ScoredAlbum:
    return apply_edits(scored, {photo.id: COVER for photo in scored.photos}, workers=pool)


def test_an_edited_copy_is_proved_by_its_bytes(
    scored: ScoredAlbum, tmp_path: Path, pool: Workers
) -> None:
    asked = {photo.id: (COVER, CROP)[n % 2] for n, photo in enumerate(scored.photos[:6])}
    edited = apply_edits(scored, asked, workers=pool)
    shared = export_album(
        edited, planned(edited, top=1), tmp_path / "shared", private=tmp_path / "mine"
    )
    assert shared.notes == ()
    document = shared.certificate.read_text()
    VALIDATOR.validate(json.loads(document))
    certificate = read_copy_certificate(document)
    assert certificate.format == EDITS_FORMAT
    assert {COVER, CROP} <= {file.edit for file in certificate.files}
    for file in certificate.files:
        assert file.edit == asked.get(file.photo)
        with Image.open(tmp_path / "shared" / file.name) as picture:
            height = picture.size[1]
            assert 230 <= height < 256 if file.edit == CROP else height == 320
            if file.edit == COVER:
                assert np.abs(np.asarray(picture)[100:200, 140:260].astype(int) - 128).max() <= 1
    verdict = verify_copy(tmp_path / "shared", private=tmp_path / "mine")
    assert not verdict.problems and not verdict.notes
    first = certificate.files[0]
    as_it_is = scored.photos[first.number].rendition.content
    (tmp_path / "shared" / first.name).write_bytes(as_it_is)
    assert verify_copy(tmp_path / "shared", private=tmp_path / "mine").problems


def test_covered_pixels_are_in_no_byte_of_a_copy(tmp_path: Path, pool: Workers) -> None:
    copies = []
    with known_scorers():
        for seed in (1, 2):
            album = see_tiny(write_photos(tmp_path / f"trip{seed}", seed), workers=pool)
            assert album.photos[0].rendition.content
            edited = covered_everywhere(album, pool)
            target = tmp_path / f"shared{seed}.zip"
            export_album(
                edited, planned(edited, top=2), target, private=tmp_path / "mine", order="album"
            )
            copies.append(target.read_bytes())
            album.close()
    assert copies[0] == copies[1]


def test_a_certificate_without_edits_is_of_the_version_that_it_was(
    scored: ScoredAlbum, tmp_path: Path
) -> None:
    shared = export_album(scored, planned(scored), tmp_path / "a", private=tmp_path / "mine")
    document = json.loads(shared.certificate.read_text())
    assert document["format"] == "elsewhere-copy-certificate/1"
    assert all("edit" not in file for file in document["files"])


@pytest.fixture
def document(scored: ScoredAlbum, tmp_path: Path, pool: Workers) -> str:
    edited = covered_everywhere(scored, pool)
    shared = export_album(
        edited, planned(edited, top=2), tmp_path / "shared", private=tmp_path / "mine"
    )
    return shared.certificate.read_text()


def test_edits_that_mean_nothing_are_refused(document: str) -> None:
    def resealed(path: tuple[Any, ...], value: Any) -> str:
        told = changed_at(document, path, value)
        told["digest"] = digest_of(told)
        return json.dumps(told)

    edit = ("files", 0, "edit")
    assert read_copy_certificate(resealed((*edit, "covers", 0, "left"), 0))
    for path, value in [
        (edit, {}),
        (edit, {"crop": None, "covers": []}),
        (edit, []),
        ((*edit, "more"), 1),
        ((*edit, "crop"), 5),
        ((*edit, "crop"), {"left": 0, "top": 0, "right": 0, "bottom": 5}),
        ((*edit, "covers"), None),
        ((*edit, "covers", 0, "right"), 1001),
        ((*edit, "covers", 0, "right"), 0.5),
        ((*edit, "covers", 0, "left"), -1),
        ((*edit, "covers", 0, "left"), True),
        (("format",), "elsewhere-copy-certificate/2"),
        (("format",), "elsewhere-copy-certificate/4"),
    ]:
        with pytest.raises(InputError):
            read_copy_certificate(resealed(path, value))
        with pytest.raises(InputError, match=r"digest|format"):
            read_copy_certificate(json.dumps(changed_at(document, path, value)))


def planned_with_versions(
    scored: ScoredAlbum, versions: list[tuple[ScoredVersion, ...]], top: int = 3
) -> tuple[AlbumPlan, list[Scores]]:
    """The plan of `planned` where each photo has versions, and the table that it was made with."""
    plan = planned(scored, top=2)
    rows = [version.rows[0] for group in versions for version in group]
    model = scored.models[0]
    table = Scores(np.array(rows), scorer=model.about.fingerprint)
    numbered = [(n, version.cost) for n, group in enumerate(versions) for version in group]
    tables = [table for _ in plan.threats]
    found = elsewhere.protect(
        tables,
        [threat.zone.cells.tolist() for threat in plan.threats],
        sees=[threat.sees for threat in plan.threats],
        top=top,
        versions=numbered,
    )
    return replace(plan, plan=found, top=top, wishes=replace(plan.wishes, top=2)), tables


def test_a_plan_that_chooses_versions_is_exported_and_proved(
    scored: ScoredAlbum, tmp_path: Path, pool: Workers
) -> None:
    with EditSearch(scored, planned(scored).threats, workers=pool) as search:
        versions = [search.versions(number) for number in range(len(scored.photos))]
    plan, tables = planned_with_versions(scored, versions)
    assert plan.plan.found
    all_versions = [version for group in versions for version in group]
    chosen = {
        scored.photos[photo].id: edit
        for photo, row in zip(plan.plan.kept, plan.plan.choices, strict=True)
        if (edit := all_versions[row].edit) is not None
    }
    assert chosen, "the plan edits something"
    edited = apply_edits(scored, chosen, workers=pool)
    target, mine = tmp_path / "shared", tmp_path / "mine"
    with pytest.raises(CheckError):  # the plan is not about these rows
        export_album(edited, plan, target, private=mine)
    assert not target.exists()
    shared = export_album(edited, plan, target, private=mine, planned_on=tables)
    document = shared.certificate.read_text()
    VALIDATOR.validate(json.loads(document))
    certificate = read_copy_certificate(document)
    assert {file.photo: file.edit for file in certificate.files if file.edit} == chosen
    verdict = verify_copy(target, private=mine)
    assert not verdict.problems and not verdict.notes


def test_a_copy_in_other_versions_than_the_plan_chose_is_not_exported(
    scored: ScoredAlbum, tmp_path: Path, pool: Workers
) -> None:
    with EditSearch(scored, planned(scored).threats, workers=pool) as search:
        versions = [search.versions(number) for number in range(len(scored.photos))]
    plan, tables = planned_with_versions(scored, versions, top=8)
    assert plan.plan.found and plan.plan.cost > len(plan.plan.withheld)
    target = tmp_path / "shared"
    with pytest.raises(CheckError, match="did not keep the promise"):
        export_album(scored, plan, target, private=tmp_path / "mine", planned_on=tables)
    assert not target.exists() and not list((tmp_path / "mine").glob("*/*"))


def test_an_edited_photo_with_a_telling_name_is_not_exported(
    scored: ScoredAlbum, tmp_path: Path, pool: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Edited photos are read again, twice; a name near what is hidden stops the copy."""
    edited = covered_everywhere(scored, pool)
    plan = planned(edited, top=1)
    lat, lon = plan.hidden[0].positions[0]
    clue = Clue("name", "Here", "Here", 100.0, (Position(lat, lon),))
    read = []

    def find_name(reader: TextReader, name: str, rendition: Rendition) -> list[PhotoText]:
        read.append((name, rendition))
        lines = (TextLine("Here", 0.99, TextBox(0, 0, 9, 9), (clue,)),)
        return [PhotoText(name), PhotoText(name, lines)]

    monkeypatch.setattr(export_module, "read_twice", find_name)
    target, mine = tmp_path / "shared", tmp_path / "mine"
    assert export_album(edited, plan, tmp_path / "unread", private=mine) and not read
    texts = {photo.id: PhotoText(photo.id) for photo in edited.photos}
    with pytest.raises(CheckError, match="can still be read in the edited"):
        export_album(replace(edited, texts=texts), plan, target, private=mine)
    assert not target.exists() and len(read) == 1
    renditions = {photo.id: photo.rendition for photo in edited.photos}
    assert renditions[read[0][0]] == read[0][1], "what is read is what would be shared"


def test_a_photo_that_is_not_edited_is_held_to_the_rule_unless_it_is_named(
    scored: ScoredAlbum, tmp_path: Path
) -> None:
    plan = planned(scored, top=1)
    lat, lon = plan.hidden[0].positions[0]
    clue = Clue("name", "Here", "Here", 100.0, (Position(lat, lon),))
    name = scored.photos[plan.plan.kept[0]].id
    lines = (TextLine("Here", 0.99, TextBox(0, 0, 9, 9), (clue,)),)
    telling, mine = replace(scored, texts={name: PhotoText(name, lines)}), tmp_path / "mine"
    for keep in ((), ("*",)):
        asked = replace(plan, wishes=replace(plan.wishes, keep=keep))
        with pytest.raises(CheckError, match=rf"can still be read in {name}: .* and its name"):
            export_album(telling, asked, tmp_path / "a", private=mine)
    asked = replace(plan, wishes=replace(plan.wishes, keep=(name,)))
    assert export_album(telling, asked, tmp_path / "a", private=mine)


def test_protect_and_verify_count_the_same_lines_that_are_not_read(
    scored: ScoredAlbum, tmp_path: Path, pool: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An edited photo counts as it is shared, whatever was found on it before."""
    unread = TextLine("", 0.1, TextBox(0, 0, 9, 9))
    edited = covered_everywhere(scored, pool)
    texts = {photo.id: PhotoText(photo.id, (unread,) * 5) for photo in edited.photos}
    monkeypatch.setattr(
        TextReader, "read", lambda self, name, *more: PhotoText(name, (unread,) * 2)
    )
    plan = replace(planned(edited, top=1), text=TextCheck((), unread=40))
    album = ProtectedAlbum(replace(edited, texts=texts), plan)
    done = export_with_report(album, tmp_path / "shared", private=tmp_path / "mine")
    assert done.export is not None and done.plan.text is not None
    verdict = verify_copy(tmp_path / "shared", private=tmp_path / "mine", read_text=True)
    (note,) = verdict.notes
    assert done.plan.text.unread == note.unread == 2 * len(done.export.files)


def test_a_plan_that_counts_texts_is_proved_by_the_models_scores(
    scored: ScoredAlbum, tmp_path: Path
) -> None:
    """What texts say lowers rivals in the plan's tables; the files' own scores hold even more."""
    plan, model = planned(scored, top=2), scored.models[0]
    values = model.scores.values.copy()
    rivals = [cell for cell in range(values.shape[1]) if cell not in plan.threats[0].zone.cells]
    values[np.ix_([0, 1], rivals)] -= 0.3
    table = Scores(values, model.scores.ids, scorer=model.scores.scorer)
    tables = [table for _ in plan.threats]
    found = elsewhere.protect(
        tables,
        [threat.zone.cells.tolist() for threat in plan.threats],
        sees=[threat.sees for threat in plan.threats],
        top=2,
    )
    counting, mine = replace(plan, plan=found), tmp_path / "mine"
    shared = export_album(scored, counting, tmp_path / "a", private=mine, planned_on=tables)
    told = json.loads(shared.certificate.read_text())
    VALIDATOR.validate(told)
    assert told["texts"] is True and told["format"] == EDITS_FORMAT
    verdict = verify_copy(tmp_path / "a", private=mine)
    assert not verdict.problems and not verdict.notes
    plain = export_album(scored, plan, tmp_path / "b", private=mine)
    assert "texts" not in json.loads(plain.certificate.read_text())

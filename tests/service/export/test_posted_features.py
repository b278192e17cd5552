"""Photos that are out already are in a certificate by their features, which are small."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from elsewhere.album.copies import open_copy
from elsewhere.album.places import places_of
from elsewhere.album.workers import Workers
from elsewhere.formats.copy_certificate import CIRCLES_FORMAT, read_copy_certificate
from elsewhere.formats.validation import digest_of
from elsewhere.globe import place
from elsewhere.messages import verification as messages
from elsewhere.scorers import Photo, Row, ScorerInfo, protocol
from elsewhere.scorers.protocol import FeatureInfo, Features
from elsewhere.service.export import Export, export_album
from elsewhere.service.ledger import Ledger
from elsewhere.service.planning import plan_album
from elsewhere.service.posted import find_posted
from elsewhere.service.scored_album import ScoredAlbum, score_album
from elsewhere.service.verify import prove_copy, verify_copy
from elsewhere.values.verification import ConditionKind, CopyNoteKind, CopyProblemKind
from elsewhere.values.wishes import Wishes
from tests.service.export.test_copy_certificate import VALIDATOR
from tests.service.export.test_forged_circles import INFO, CircledScorer
from tests.service.tiny import write_album

WIDTH = 48
WISHES = Wishes(top=3, exact_top=True, each_photo=True)


class SeeingScorer(CircledScorer):
    """The same in two steps."""

    def load(self) -> ScorerInfo:
        return replace(INFO, name="seeing", features=FeatureInfo("e" * 64, WIDTH))

    def features(self, photo: Photo) -> Features:
        small = np.asarray(photo.image((8, 8)).resize((4, 4)), dtype=np.float32)
        return small.reshape(-1)

    def row(self, features: Features) -> Row:
        return self.row_of(features.astype(np.int64))

    def score(self, photo: Photo) -> Row:
        return self.row(self.features(photo))


def make(spec: str) -> SeeingScorer:
    return SeeingScorer()


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory, pool: Workers) -> Iterator[ScoredAlbum]:
    with pytest.MonkeyPatch.context() as patch:
        own = protocol.BuiltIn("tests.service.export.test_posted_features", "seeing")
        patch.setitem(protocol.BUILT_IN, "seeing", own)
        album = write_album(tmp_path_factory.mktemp("seeing") / "trip", 8)
        found = score_album([album], scorers=("seeing",), workers=pool)
        yield found
        found.close()


def export_with(
    seen: ScoredAlbum, folder: Path, paths: list[Path], ledger: Ledger | None = None
) -> Export:
    places = places_of(seen.photos, at=[place("Lisbon, Portugal")])
    posted = find_posted(seen, places, WISHES, paths, ledger=ledger)
    plan = plan_album(seen, places, WISHES, posted=posted)
    assert plan.plan.found, plan.plan.explanation
    return export_album(seen, plan, folder / "out", private=folder / "mine", remember=ledger)


@pytest.fixture(scope="module")
def shared(seen: ScoredAlbum, tmp_path_factory: pytest.TempPathFactory) -> Export:
    folder = tmp_path_factory.mktemp("shared")
    posted = write_album(folder / "posted", 2, first=20)
    return export_with(seen, folder, [posted])


def test_features_are_in_the_certificate_instead_of_rows(shared: Export) -> None:
    text = shared.certificate.read_text("utf-8")
    document = json.loads(text)
    VALIDATOR.validate(document)
    assert document["format"] == CIRCLES_FORMAT
    certificate = read_copy_certificate(text)
    assert len(certificate.posted) == 2
    for photo in certificate.posted:
        assert photo.rows == ((),)
        assert photo.features is not None and len(photo.features[0]) == WIDTH


@pytest.mark.parametrize("own", [True, False])
def test_rows_are_made_again_from_features(shared: Export, own: bool) -> None:
    found = verify_copy(shared.target, shared.certificate, scorers=["seeing"], own=own)
    assert found, [messages.problem_text(problem) for problem in found.problems]
    assert CopyNoteKind.OTHER_BITS not in {note.kind for note in found.notes}
    assert ConditionKind.POSTED in {each.kind for each in found.conditions}


def altered(shared: Export, features: list[Any], rows: list[Any]) -> str:
    document = json.loads(shared.certificate.read_text("utf-8"))
    document["posted"][0].update(features=[features], rows=[rows])
    document["digest"] = digest_of(document)
    return json.dumps(document)


def test_features_that_no_model_makes_are_refused(shared: Export) -> None:
    copy = open_copy(shared.target)
    for features in ([0.0] * (WIDTH - 1), [1e300] * WIDTH):
        certificate = read_copy_certificate(altered(shared, features, []))
        found = prove_copy(copy, certificate, scorers=["seeing"])
        assert [problem.kind for problem in found.problems] == [CopyProblemKind.NOT_SCORED]


def test_other_features_are_noticed(shared: Export) -> None:
    certificate = read_copy_certificate(altered(shared, [7.0] * WIDTH, []))
    found = prove_copy(open_copy(shared.target), certificate, scorers=["seeing"])
    assert not found or CopyNoteKind.OTHER_BITS in {note.kind for note in found.notes}


def test_what_the_ledger_remembers_is_there_by_its_features(
    seen: ScoredAlbum, tmp_path: Path, pool: Workers
) -> None:
    ledger = Ledger(tmp_path / "ledger")
    (tmp_path / "first").mkdir()
    album = write_album(tmp_path / "earlier", 8, first=40)
    earlier = score_album([album], scorers=("seeing",), workers=pool)
    export_with(earlier, tmp_path / "first", [], ledger)
    earlier.close()
    (tmp_path / "second").mkdir()
    second = export_with(seen, tmp_path / "second", [], ledger)
    certificate = read_copy_certificate(second.certificate.read_text("utf-8"))
    assert certificate.posted
    assert all(photo.features and photo.rows == ((),) for photo in certificate.posted)
    assert verify_copy(second.target, second.certificate)

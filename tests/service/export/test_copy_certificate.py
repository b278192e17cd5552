from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from elsewhere.album import Metadata, Recipe
from elsewhere.album.workers import Workers
from elsewhere.checker.proof import prove_kept
from elsewhere.errors import CheckError, FileError, InputError
from elsewhere.formats.copy_certificate import CopyCertificate, read_copy_certificate
from elsewhere.formats.validation import digest_of
from elsewhere.service.export import export_album
from elsewhere.service.posted import Posted
from elsewhere.service.private_files import private_folder, read_private
from elsewhere.service.verify import with_posted
from elsewhere.values.scores import Scores
from tests.service.tiny import TinyScorer, known_scorers, planned, see_tiny, write_album


def schema(name: str) -> Any:
    return json.loads((files("elsewhere.formats") / "schemas" / f"{name}.json").read_text("utf-8"))


REGISTRY: Registry[Any] = Registry().with_resources(
    [
        ("urn:elsewhere:schema:plan:1", Resource.from_contents(schema("plan"))),
        (
            "urn:elsewhere:schema:certificate:1",
            Resource.from_contents(schema("certificate")),
        ),
    ]
)
SCHEMA = schema("copy-certificate")
VALIDATOR = Draft202012Validator(SCHEMA, registry=REGISTRY)


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory, pool: Workers) -> Iterator[str]:
    """A real certificate, with a photo that is out already and one of the album that is."""
    place = tmp_path_factory.mktemp("certificate")
    with known_scorers():
        seen = see_tiny(write_album(place / "trip"), workers=pool)
        row = seen.models[0].scores.values[:1]
        scores = Scores(row, ["posted/a.jpg"], scorer=seen.models[0].about.fingerprint)
        already = planned(seen).plan.kept[:1]
        posted = Posted(("posted/a.jpg",), (scores,), (Metadata(),), already)
        plan = planned(seen, posted=posted)
        shared = export_album(seen, plan, place / "shared", private=place / "mine")
        yield shared.certificate.read_text()
        seen.close()


def test_it_fits_its_schema(document: str) -> None:
    Draft202012Validator.check_schema(SCHEMA)
    VALIDATOR.validate(json.loads(document))


def test_it_says_what_is_promised_of_what(document: str) -> None:
    certificate = read_copy_certificate(document)
    assert [place.label for place in certificate.hidden] == ["Lisbon, Portugal"]
    assert certificate.top == 3 and certificate.plan.plan.promise.against[0].top == 4
    assert [watch.whole for watch in certificate.watches] == [True, False]
    assert certificate.models[0].word == "tiny"
    assert [one.number for one in certificate.posted][-1] == 10 and len(certificate.posted) == 2
    assert certificate.recipe == str(Recipe())
    assert {"onnxruntime", "pillow"} <= set(json.loads(document)["versions"])
    assert {"elsewhere", "numpy"} <= set(dict(certificate.plan.versions))


def test_the_digest_is_what_the_docs_say(document: str) -> None:
    told = json.loads(document)
    digest = told.pop("digest")
    text = json.dumps(told, sort_keys=True, separators=(",", ":"))
    assert hashlib.sha256(text.encode()).hexdigest() == digest


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every value in a document that is no list and no object, and every list and object too."""
    yield path, value
    items = value.items() if isinstance(value, dict) else ()
    for key, inner in items or (enumerate(value) if isinstance(value, list) else ()):
        yield from leaves(inner, (*path, key))


def changed(value: Any) -> Any:
    """Another value of the same kind."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return value[:-1] + ("0" if value[-1:] != "0" else "1")
        case None:
            return 1
        case list():
            return value[1:] if value else [1]
        case _:
            return {**value, "more": 1}


def edited(document: str, path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    copy = json.loads(document)
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    assert isinstance(copy, dict)
    return copy


def test_every_edit_is_noticed(document: str) -> None:
    """Each value in turn: changed, made null, taken out."""
    tried = 0
    for path, value in leaves(json.loads(document)):
        row = path[:1] == ("posted",) and len(path) > 1
        if not path or (row and path[-1] not in (0, "number")):
            continue  # of a row's many numbers the first will do
        for other in (changed(value), None if value is not None else 0):
            with pytest.raises(InputError):
                read_copy_certificate(json.dumps(edited(document, path, other)))
            tried += 1
    assert tried > 300


def resealed(document: dict[str, Any]) -> str:
    """Someone who changes a certificate and seals it again, inside and out."""
    if isinstance(document.get("plan"), dict):
        document["plan"]["digest"] = digest_of(document["plan"])
    document["digest"] = digest_of(document)
    return json.dumps(document)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("files",), []),
        (("files", 0, "number"), 0),
        (("files", 0, "number"), 99),
        (("files", 0, "name"), "another of theirs"),
        (("files", 0, "name"), ""),
        (("files", 0, "photo"), "another.jpg"),
        (("files", 0, "sha256"), "AB"),
        (("files", 0, "size"), "12"),
        (("photos",), ["a"]),
        (("posted",), []),
        (("posted", 0, "rows"), []),
        (("posted", 0, "rows", 0), [0.5]),
        (("posted", 0, "rows", 0, 0), "-inf"),
        (("posted", 0, "number"), 3.5),
        (("watches",), []),
        (("watches", 0, "attack"), 1),
        (("watches", 0, "place"), -1),
        (("models", 0, "fingerprint"), "other"),
        (("models", 0, "cells"), 13),
        (("models",), []),
        (("hidden",), []),
        (("hidden", 0, "lat"), "north"),
        (("hidden", 0, "lon"), "inf"),
        (("watches", 0, "radius_km"), "nan"),
        (("versions",), []),
        (("versions",), {"numpy": 2}),
        (("notes",), 5),
        (("plan",), {}),
        (("plan",), 5),
        (("plan", "plan", "kept"), [0]),
        (("plan", "plan", "status"), "infeasible!"),
        (("plan", "attackers"), []),
        (("more",), 1),
        (("format",), "elsewhere-copy-certificate/2"),
    ],
)
def test_one_that_was_sealed_again_must_still_agree_with_itself(
    document: str, path: tuple[Any, ...], value: Any
) -> None:
    if value == "another of theirs":  # the names are shuffled
        value = json.loads(document)["files"][1]["name"]
    with pytest.raises(InputError) as told:
        read_copy_certificate(resealed(edited(document, path, value)))
    assert "\n" not in str(told.value)


VALUES: list[Any] = [
    None, True, -1, 0, 3, 0.5, 1e308, 10**30, "", "x", "1/0", "3/2", "inf", "nan",
    [], [0], [[]], [-1], ["a"], {}, {"a": 1},
]  # fmt: skip


@given(data=st.data())
@settings(max_examples=150)
def test_nonsense_that_was_sealed_is_read_or_refused_and_nothing_else(
    data: st.DataObject, document: str
) -> None:
    """No edit of any value makes the reader or the proof stumble."""
    paths = [path for path, _ in leaves(json.loads(document)) if path]
    text = resealed(
        edited(document, data.draw(st.sampled_from(paths)), data.draw(st.sampled_from(VALUES)))
    )
    try:
        certificate = read_copy_certificate(text)
    except InputError:
        return
    rows = np.zeros((len(certificate.files), certificate.models[0].cells))
    scorers = [TinyScorer("") for _ in certificate.models]
    try:
        tables, _ = with_posted(certificate, [Scores(rows) for _ in certificate.models], scorers)
    except CheckError:
        return
    scores = [tables[watch.attack] for watch in certificate.watches]
    prove_kept(certificate.plan.plan, scores, unchanged=True)


def test_sealing_again_what_was_not_changed_gives_the_same(document: str) -> None:
    """Or the test above would pass for a wrong reason."""
    again = read_copy_certificate(resealed(json.loads(document)))
    assert isinstance(again, CopyCertificate) and again == read_copy_certificate(document)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not JSON"),
        (b"[]", "must be of the format"),
        (b"\xff\xfe", "it is not text"),
        (b'{"format": "elsewhere-certificate/1"}', "must be of the format"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"format": 1, "format": 2}', "comes twice"),
    ],
)
def test_a_file_that_is_no_certificate(content: bytes, why: str, tmp_path: Path) -> None:
    file = tmp_path / "certificate.json"
    file.write_bytes(content)
    with pytest.raises(FileError, match=why) as told:
        read_private(file)
    assert str(file) in str(told.value) and "\n" not in str(told.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no certificate at"):
        read_private(tmp_path / "none")
    with pytest.raises(FileError, match="cannot be read"):
        read_private(tmp_path)


def test_each_target_has_a_private_folder_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ELSEWHERE_DATA_DIR", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to("real")
    one = private_folder(tmp_path / "real" / "trip")
    assert one == private_folder(tmp_path / "alias" / "trip")
    assert one == private_folder(tmp_path / "real" / "x" / ".." / "trip")
    assert one != private_folder(tmp_path / "real" / "trip.zip")
    assert one.parent.name == "elsewhere" and one.name.startswith("trip-")
    odd = private_folder(tmp_path / "Ελλάδα\n../…")
    assert odd.parent == one.parent and odd.name.isascii() and odd.name.isprintable()
    monkeypatch.chdir(tmp_path / "real")
    assert private_folder(Path("trip")) == one

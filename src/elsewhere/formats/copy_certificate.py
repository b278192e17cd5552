"""The certificate of a copy: what was promised of which files, against whom, and the proof's data.

It holds the plan's certificate, the files by digest, the models by fingerprint, the places by name,
and the score rows or features of posted photos. Version 2 is for promises about circles, features,
and attacks that were tried, version 3 for photos that were edited, plans that choose among versions
and plans that count what texts say; where there are none, it is version 1.

Like the plan's certificate it has no clock time and a digest against accident, not against forgery.
It names the place and the secret k, so it is never stored with the copy. Its schema is
schemas/copy-certificate.json.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from elsewhere.errors import InputError
from elsewhere.formats.plan_certificate import (
    Certificate,
    certificate_from_record,
    installed_version,
)
from elsewhere.formats.validation import (
    Kind,
    Sha256,
    check_sealed,
    digest_of,
    parse,
    record,
    to_text,
)
from elsewhere.values.problems import Attack
from elsewhere.values.promise import NOT_COVERED
from elsewhere.values.versions import Edit

FORMAT = "elsewhere-copy-certificate/1"
CIRCLES_FORMAT = "elsewhere-copy-certificate/2"
EDITS_FORMAT = "elsewhere-copy-certificate/3"
NOTES = (
    "This file names the place that is hidden: keep it to yourself.",
    "The files were read again from the disk and scored again, and the promise was proved on "
    "those scores, before the copy had its name.",
    f"What no promise here covers: better models, {NOT_COVERED}.",
)
MAX_PLACES = 1_000
"""No promise is about more places of an attacker than this."""
LIBRARIES = ("onnxruntime", "pillow", "torch")
"""Libraries that may change a score's last bits, besides those that the plan's names."""


@dataclass(frozen=True)
class SharedFile:
    """One file of a copy."""

    name: str
    """Its name in the copy."""
    photo: str
    """The id of the photo whose rendition it is."""
    sha256: Sha256
    size: int
    """In bytes."""
    number: int
    """The photo's number in the plan."""
    edit: Edit | None = field(default=None, metadata={"optional": True})
    """How the photo was edited; None: it is as it is."""


@dataclass(frozen=True)
class HiddenPlace:
    """A place that the promise hides."""

    label: str
    lat: float
    lon: float


@dataclass(frozen=True)
class CertifiedThreat:
    """Which model, place and photos one attacker of the promise stands for."""

    attack: int
    """Which of the models."""
    place: int
    """Which of the hidden places."""
    whole: bool
    """Whether it adds up the whole album or the place's own photos."""
    radius_km: float


@dataclass(frozen=True)
class Model:
    """A scorer that the promise is against."""

    word: str
    """How to find it: the word that was typed, its file in full."""
    name: str
    fingerprint: str
    grid: str
    cells: int
    rows: Sha256
    """Digest of the plan's own rows of the files, in the order of `files`, and then of the posted
    photos whose features are here."""


@dataclass(frozen=True)
class PostedPhoto:
    """A photo that is kept but not in the copy, because it is out already: its rows count."""

    number: int
    rows: tuple[tuple[float, ...], ...]
    """One for each model, exactly; empty where its features are here."""
    features: tuple[tuple[float, ...], ...] | None = field(
        default=None, metadata={"optional": True}
    )
    """One for each model, from which it makes the row; empty where the row is here."""


@dataclass(frozen=True)
class CertifiedAttacks:
    """What was tried on the kept photos with one model that no promise is about."""

    attack: int
    """Which of the models."""
    radius_km: float
    places: int
    """How many of an attack's first places count; the excluder strikes out as many."""
    tried: tuple[Attack, ...]
    hits: tuple[Attack, ...]
    """Those that have something hidden among these places."""


@dataclass(frozen=True)
class CopyCertificate:
    """The contents of a certificate."""

    top: int | None
    """The k that was asked for; the one really used is in the promise."""
    verdict: str
    hidden: tuple[HiddenPlace, ...]
    watches: tuple[CertifiedThreat, ...]
    models: tuple[Model, ...]
    recipe: str
    photos: tuple[str, ...]
    """The ids of all photos of the plan, in its order."""
    files: tuple[SharedFile, ...]
    """By number, ascending."""
    posted: tuple[PostedPhoto, ...]
    """By number, ascending."""
    plan: Certificate
    """Of the plan whose promise the copy keeps."""
    tried: tuple[CertifiedAttacks, ...] | None = field(default=None, metadata={"optional": True})
    """What was tried beside the promise, where it is about circles."""
    texts: bool | None = field(default=None, metadata={"optional": True})
    """True where what the photos' texts say counts in the plan, beside the models' scores: the
    files' own scores are then at least as good as the plan's."""

    @property
    def format(self) -> str:
        """The first version that knows all that is in it."""
        edited = any(file.edit for file in self.files)
        if self.plan.plan.promise.versions is not None or edited or self.texts is not None:
            return EDITS_FORMAT
        circles = any(against.circles is not None for against in self.plan.plan.promise.against)
        features = any(photo.features is not None for photo in self.posted)
        return CIRCLES_FORMAT if circles or features or self.tried is not None else FORMAT


_MAX_LABEL = 200  # characters of a place's name

_COPY = record(
    CopyCertificate, "the certificate", plan=Kind(lambda plan: None, certificate_from_record)
)


def seal(certificate: CopyCertificate, plan: dict[str, Any]) -> str:
    """The certificate as the text of its file; `plan` is the record of the plan's certificate."""
    versions = {name: version for name in LIBRARIES if (version := installed_version(name))}
    document = {
        "format": certificate.format,
        "notes": list(NOTES),
        **_COPY.write(certificate),
        "plan": plan,
        "versions": versions,
    }
    document["digest"] = digest_of(document)
    return to_text(document)


def read_copy_certificate(document: str) -> CopyCertificate:
    """The certificate in a JSON text, if it is whole and agrees with itself; else InputError."""
    values = parse(document)
    names = list(CopyCertificate.__dataclass_fields__)
    check_sealed(values, [FORMAT, CIRCLES_FORMAT, EDITS_FORMAT], names, {"tried", "texts"})
    present = {name: values[name] for name in names if name in values}
    certificate: CopyCertificate = _COPY.read(present, "")
    if values["format"] != certificate.format:
        raise InputError(f"the certificate must be of the format {certificate.format}")
    for problem in _contradictions(certificate):
        raise InputError(f"the certificate does not agree with itself: {problem}")
    return certificate


def _contradictions(certificate: CopyCertificate) -> Iterator[str]:
    """Where files, models and places are not those of the plan and its promise."""
    plan, files, posted = certificate.plan.plan, certificate.files, certificate.posted
    promise, top, watches = plan.promise, certificate.top, certificate.watches
    if len(certificate.photos) != promise.photos:
        yield "its photos are not as many as the plan's"
        return
    if not files:
        yield "it names no file"
    numbers = [file.number for file in files], [photo.number for photo in posted]
    if any(each != sorted(set(each)) for each in numbers):
        yield "its files or posted photos are not in order"
    if sorted(numbers[0] + numbers[1]) != list(plan.kept):
        yield "its files are not the photos that the plan keeps"
    elif any(certificate.photos[file.number] != file.photo for file in files):
        yield "a file is said to be another photo than the plan's"
    names = {file.name for file in files}
    if len(names) < len(files) or "" in names:
        yield "two files have one name"
    if len(watches) != len(promise.against):
        yield "its watches are not as many as the promise's attackers"
        return
    models = certificate.models
    if len(plan.views) != len(watches):
        yield "its views are not as many as the promise's attackers"
        return
    for watch, against, attacker, view in zip(
        watches, promise.against, certificate.plan.attackers, plan.views, strict=True
    ):
        if not (0 <= watch.attack < len(models) and 0 <= watch.place < len(certificate.hidden)):
            yield "a watch is of a model or place that is not named"
            return
        model = models[watch.attack]
        named = (model.fingerprint, model.cells, model.grid)
        if named != (against.scorer, against.cells, attacker.grid):
            yield "a model is not the one that the promise is against"
        if watch.whole and against.sees is not None:
            yield "an attacker is said to see the whole album, and sees a part of it"
        if against.circles is not None:
            if watch.radius_km != against.circles.radius_km:
                yield "the radius of a place is not that of the promise"
            wanted = view.protected_k if against.top is None else against.top
            if max(wanted, view.protected_k, against.each_photo or 0, top or 0) > MAX_PLACES:
                yield f"it promises more than {MAX_PLACES} places"
    where = [x for place in certificate.hidden for x in (place.lat, place.lon)]
    if not all(map(math.isfinite, [*where, *(watch.radius_km for watch in watches)])):
        yield "a place or its radius is not finite"
    for photo in posted:
        features = photo.features or ((),) * len(photo.rows)
        if not len(photo.rows) == len(features) == len(models):
            yield "a posted photo does not have one row for each model"
            return
        for model, row, seen in zip(models, photo.rows, features, strict=True):
            if len(row) != (0 if seen else model.cells):
                yield "a posted photo does not have one row for each model"
        if not all(math.isfinite(x) for row in (*photo.rows, *features) for x in row):
            yield "a posted photo has scores that are not finite"
    for attacks in certificate.tried or ():
        if not 0 <= attacks.attack < len(models) or not set(attacks.hits) <= set(attacks.tried):
            yield "what was tried is of a model that is not named, or found what was not tried"
    if any(len(place.label) > _MAX_LABEL for place in certificate.hidden):
        yield f"it has a name of more than {_MAX_LABEL} characters"
    if (top is None) != (promise.budget is not None) or (top is not None and top < 1):
        yield "its top is not what was asked for"
    elif top is not None and any(each.top is None or each.top < top for each in promise.against):
        yield "its top is larger than the one that is promised"

"""Certificates about circles are somebody's word too: a changed one makes `verify` say less."""

from __future__ import annotations

import copy as copying
import json
import random
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from elsewhere.album.copies import Copy, open_copy
from elsewhere.album.places import places_of
from elsewhere.album.workers import Workers
from elsewhere.checker.circles import chord_of, directions, meeting_points
from elsewhere.errors import ElsewhereError
from elsewhere.formats.copy_certificate import (
    CIRCLES_FORMAT,
    EDITS_FORMAT,
    CopyCertificate,
    read_copy_certificate,
)
from elsewhere.globe import Cells, place
from elsewhere.globe.coordinates import EARTH_KM
from elsewhere.messages import verification as messages
from elsewhere.scorers import Photo, Row, ScorerInfo, protocol
from elsewhere.scorers.protocol import exponent, normalise_row
from elsewhere.service.attacks import MAX_ANYWHERE_KM, first_places
from elsewhere.service.edited_album import apply_edits
from elsewhere.service.export import export_album
from elsewhere.service.photo_texts import TextReader
from elsewhere.service.planning import plan_album
from elsewhere.service.scored_album import ScoredAlbum, score_album
from elsewhere.service.verify import prove_copy
from elsewhere.text.understanding import understand
from elsewhere.values.photo_text import TextBox, TextLine
from elsewhere.values.verification import ConditionKind, CopyNoteKind, CopyProblemKind, Verification
from elsewhere.values.wishes import Wishes
from tests.service.export.test_edited_export import COVER, CROP
from tests.service.export.test_forged_certificates import Document, sealed
from tests.service.tiny import write_album

TOP = 3
RADIUS = 25.0
TOWNS = [
    "Lisbon", "Tokyo", "Rome", "Oslo", "Lima", "Cairo", "Delhi", "Sydney", "Toronto", "Nairobi",
    "Seoul", "Quito",
]  # fmt: skip
LISBON = place("Lisbon, Portugal")
SPREAD = [(0.0, 0.0), (0.12, 0.05), (-0.1, 0.13), (0.05, -0.2), (0.15, 0.12)]


def small_globe() -> Cells:
    """Strips from pole to pole, whose points huddle around towns: only these matter."""
    towns = [place(name) for name in TOWNS]
    points = [(town.lat + north, town.lon + east) for town in towns for north, east in SPREAD]
    edges = np.linspace(-180, 180, len(points) + 1)
    boxes = [(-90.0, west, 90.0, east) for west, east in pairwise(edges)]
    return Cells(boxes, parents=np.zeros(len(points)), points=points)


GLOBE = small_globe()
UNIT = directions(*GLOBE.points)
ANGLE = RADIUS / EARTH_KM
CENTRES = np.concatenate((UNIT, meeting_points(UNIT, UNIT, ANGLE, ANGLE)))
HELD = np.linalg.norm(CENTRES[:, None] - UNIT, axis=2) <= chord_of(RADIUS)
INFO = ScorerInfo(
    "circled", "c" * 64, GLOBE.count, GLOBE.fingerprint, GLOBE, exponents={1: 1.0, 8: 0.4}
)


class CircledScorer:
    """Looks at sixteen colours of a photo; some photos are of Lisbon for it."""

    def load(self) -> ScorerInfo:
        return INFO

    def score(self, photo: Photo) -> Row:
        small = np.asarray(photo.image((8, 8)).resize((4, 4)), dtype=np.int64)
        return self.row_of(small.reshape(-1))

    def row_of(self, small: NDArray[np.int64]) -> Row:
        weights = np.random.default_rng(1).normal(size=(len(TOWNS), small.size))
        towns = weights @ small / 400
        order = np.sort(towns[1:])
        telling = small.sum() % 2 == 0
        towns[0] = order[-1] + 2.0 if telling else order[-5] - 0.7
        spread = np.random.default_rng(2).normal(scale=0.3, size=GLOBE.count)
        return normalise_row(np.repeat(towns, len(SPREAD)) + spread)


def make(spec: str) -> CircledScorer:
    return CircledScorer()


class Base:
    """A copy, its certificate, and the rows of its files."""

    def __init__(self, seen: ScoredAlbum, folder: Path, town: str, **wishes: Any) -> None:
        places = places_of(seen.photos, at=[place(town)])
        asked = Wishes(**{"top": TOP, "exact_top": True, "each_photo": True, **wishes})
        plan = plan_album(seen, places, asked)
        assert plan.plan.found, plan.plan.explanation
        folder.mkdir(exist_ok=True)
        shared = export_album(seen, plan, folder / "out", private=folder / "mine")
        self.document: Document = json.loads(shared.certificate.read_text("utf-8"))
        self.copy: Copy = open_copy(shared.target)
        self.withheld = plan.plan.withheld
        numbers = [file["number"] for file in self.document["files"]]
        self.rows = seen.models[0].scores.values[numbers].astype(np.float64)

    def verify(self, document: Document, *, own: bool = False) -> Verification:
        certificate = read_copy_certificate(json.dumps(document))
        return prove_copy(self.copy, certificate, own=own, scorers=["circled"])


def finds(
    rows: NDArray[np.float64], power: float, where: tuple[float, float], km: float, first: int
) -> bool:
    """Whether an attacker who tries a few thousand centres has the position among his first."""
    centres, held = CENTRES, HELD
    if km != RADIUS:
        angle = km / EARTH_KM
        centres = np.concatenate((UNIT, meeting_points(UNIT, UNIT, angle, angle)))
        held = np.linalg.norm(centres[:, None] - UNIT, axis=2) <= chord_of(km)
    total = power * rows.sum(axis=0)
    masses = held @ np.exp(total - total.max())
    (unit,) = directions(*where)
    for _ in range(first):
        best = int(masses.argmax())
        if masses[best] <= 0:
            return False
        if np.linalg.norm(centres[best] - unit) <= chord_of(km - 0.001):
            return True
        masses[np.linalg.norm(centres - centres[best], axis=1) <= chord_of(2 * km)] = 0.0
    return False


def against(document: Document) -> Document:
    found: Document = document["plan"]["promise"]["against"][0]
    return found


def hide(document: Document, lat: float, lon: float, km: float = RADIUS) -> None:
    """As if this position had been hidden all along."""
    document["hidden"][0].update(label="Lisbon, Portugal", lat=lat, lon=lon)
    for watch in document["watches"]:
        watch["radius_km"] = km
    for one in document["plan"]["promise"]["against"]:
        one["circles"].update(positions=[[lat, lon]], radius_km=km)


def invent_posted(document: Document, low: float = -1e4) -> None:
    """A photo that nobody has seen, and that speaks against Lisbon."""
    plan, promise = document["plan"]["plan"], document["plan"]["promise"]
    number = promise["photos"]
    promise["photos"] += 1
    promise["keep"].append(number)
    if promise["values"] is not None:
        promise["values"].append("1")
    plan["kept"].append(number)
    document["photos"].append(f"posted/{number}.jpg")
    row = [low if cell < len(SPREAD) else 0.0 for cell in range(GLOBE.count)]
    document["posted"].append({"number": number, "rows": [row]})


def changed(document: Document, *changes: Callable[[Document], object]) -> Document:
    other = copying.deepcopy(document)
    other["models"][0]["rows"] = "0" * 64  # as if made on another machine
    for change in changes:
        change(other)
    return sealed(other)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory, pool: Workers) -> Iterator[ScoredAlbum]:
    with pytest.MonkeyPatch.context() as patch:
        own = protocol.BuiltIn("tests.service.export.test_forged_circles", "circled")
        patch.setitem(protocol.BUILT_IN, "circled", own)
        album = write_album(tmp_path_factory.mktemp("circled") / "trip", 8)
        found = score_album([album], scorers=("circled",), workers=pool)
        yield found
        found.close()


@pytest.fixture(scope="module")
def good(seen: ScoredAlbum, tmp_path_factory: pytest.TempPathFactory) -> Base:
    """What protect would share."""
    base = Base(seen, tmp_path_factory.mktemp("good"), "Lisbon, Portugal")
    assert 0 < len(base.withheld) < len(seen.photos)
    return base


@pytest.fixture(scope="module")
def bad(seen: ScoredAlbum, tmp_path_factory: pytest.TempPathFactory) -> Base:
    """Every photo, and Lisbon is found in them; what was hidden is Lima."""
    base = Base(seen, tmp_path_factory.mktemp("bad"), "Lima, Peru")
    assert not base.withheld
    assert finds(base.rows, 0.4, (LISBON.lat, LISBON.lon), RADIUS, TOP)
    return base


def test_what_protect_shares_is_kept_without_any_only(good: Base) -> None:
    for own in (True, False):
        found = good.verify(good.document, own=own)
        assert found and not [each for each in found.conditions if each.weakens]
        assert not found.guesses[0].found
        (claim,) = found.claims
        assert (claim.first, claim.radius_km) == (TOP, RADIUS)
        (tried,) = found.attacks
        assert len(tried.tried) == 7 and tried.places == TOP


def lisbon(document: Document) -> None:
    hide(document, LISBON.lat, LISBON.lon)
    for one in document["plan"]["promise"]["against"]:
        one["each_photo"] = None


def pinned(document: Document) -> None:
    """Every photo had to stay: none is promised to hide the place alone."""
    promise = document["plan"]["promise"]
    promise["keep"] = list(range(promise["photos"]))
    against(document)["each_photo"] = TOP


FORGERIES: dict[str, tuple[Callable[[Document], object], CopyProblemKind]] = {
    "nothing else": (lambda d: None, CopyProblemKind.TOO_FEW),
    "posted": (invent_posted, CopyProblemKind.GIVEN_AWAY),
    "positions elsewhere": (
        lambda d: against(d)["circles"].update(positions=[[0.0, 0.0]]),
        CopyProblemKind.OTHER_PLACES,
    ),
    "a position beside it": (
        lambda d: against(d)["circles"].update(positions=[[LISBON.lat + 0.2, LISBON.lon]]),
        CopyProblemKind.OTHER_PLACES,
    ),
    "Lisbon is impossible": (
        lambda d: against(d).update(rivals=list(range(len(SPREAD), GLOBE.count))),
        CopyProblemKind.OTHER_PLACES,
    ),
    "only Lisbon's last point is possible": (
        lambda d: against(d).update(rivals=list(range(4, GLOBE.count))),
        CopyProblemKind.GIVEN_AWAY,
    ),
    "sees nothing": (
        lambda d: (against(d).update(sees=[]), d["watches"][0].update(whole=False)),
        CopyProblemKind.GIVEN_AWAY,
    ),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_certificate_is_refused(bad: Base, forgery: str) -> None:
    change, kind = FORGERIES[forgery]
    found = bad.verify(changed(bad.document, lisbon, change))
    assert not found and kind in {problem.kind for problem in found.problems}
    for problem in found.problems:
        assert messages.problem_text(problem)


def promise_nothing(document: Document) -> None:
    """A budget that was too small to hide anything."""
    document["top"] = None
    document["plan"]["promise"]["budget"] = 10**400
    for one in document["plan"]["promise"]["against"]:
        one["top"] = None
    for view in document["plan"]["plan"]["views"]:
        view.update(protected_k=0, rivals=[], slack="inf")


def test_a_promise_of_nothing_is_not_called_kept(bad: Base) -> None:
    document = changed(bad.document, lisbon, promise_nothing)
    refused = bad.verify(document)
    assert [problem.kind for problem in refused.problems] == [CopyProblemKind.NOTHING_PROMISED]
    own = bad.verify(document, own=True)
    assert "keeps its promise only because nothing is promised" in messages.headline(own, "out")
    assert "at most 8 photos withheld" in messages.conditions_text(own)


@pytest.mark.parametrize("name", ["Peru", "South America", "L\u0456ma, Peru"])
def test_a_place_that_is_called_by_a_name_of_more_is_named_first(bad: Base, name: str) -> None:
    """Of a country one town is hidden; or the name only looks like the town's."""
    document = changed(bad.document, lambda d: d["hidden"][0].update(label=name))
    found = bad.verify(document)
    assert ConditionKind.LABEL in {each.kind for each in found.conditions if each.weakens}
    only = f'keeps its promise only for what the certificate calls "{name}", which lies near Lima,'
    assert only in messages.headline(found, "out")


@pytest.mark.parametrize("km", [30, 45])
def test_a_place_beside_the_town_that_it_is_called_by_is_named_first(good: Base, km: int) -> None:
    """The town itself may be the first guess."""
    beside = changed(good.document, lambda d: hide(d, LISBON.lat - km / 111.2, LISBON.lon))
    only = 'keeps its promise only for what the certificate calls "Lisbon, Portugal", which lies'
    assert only in messages.headline(good.verify(beside), "out")


def test_a_radius_that_is_not_the_promises_is_refused(good: Base) -> None:
    document = changed(good.document, lambda d: d["watches"][0].update(radius_km=1.0))
    with pytest.raises(ElsewhereError, match="the radius of a place is not that of the promise"):
        good.verify(document)


def test_a_tiny_radius_is_named_first_and_does_not_hide_the_town(bad: Base) -> None:
    document = changed(bad.document, lisbon, lambda d: hide(d, LISBON.lat, LISBON.lon, 1.0))
    found = bad.verify(document)
    assert found and [guess.radius_km for guess in found.guesses] == [1.0, RADIUS]
    assert [guess.found for guess in found.guesses] == [False, True]
    assert "keeps its promise only for places of 1 km" in messages.headline(found, "out")


def test_large_places_are_held_against_the_files_alone_too(good: Base, bad: Base) -> None:
    """So large that not all circles are tried: what is not proved of the files is refused."""
    wide = changed(good.document, lambda d: hide(d, LISBON.lat, LISBON.lon, 100.0))
    found = good.verify(wide)
    assert found and not found.attacks and not found.guesses[0].found
    posted = changed(
        bad.document, lisbon, lambda d: hide(d, LISBON.lat, LISBON.lon, 100.0), invent_posted
    )
    assert bad.verify(posted, own=True)
    refused = bad.verify(posted)
    assert [problem.kind for problem in refused.problems] == [CopyProblemKind.GIVEN_AWAY]


def test_small_places_are_named_first(good: Base) -> None:
    found = good.verify(changed(good.document, lambda d: hide(d, LISBON.lat, LISBON.lon, 5.0)))
    assert found and ConditionKind.SMALL_PLACES in {each.kind for each in found.conditions}
    assert "keeps its promise only for places of 5 km" in messages.headline(found, "out")


def test_photos_that_had_to_stay_and_tell_the_place_are_named(
    seen: ScoredAlbum, good: Base, tmp_path: Path
) -> None:
    telling = [seen.photos[number].id for number in good.withheld]
    for photo in telling:
        try:
            base = Base(seen, tmp_path / photo, "Lisbon, Portugal", keep=(photo,))
        except AssertionError:  # together with it nothing can be shared
            continue
        number = seen.models[0].scores.index(photo)
        row = seen.models[0].scores.values[[number]].astype(np.float64)
        if finds(row, 1.0, (LISBON.lat, LISBON.lon), RADIUS, TOP):
            break
    else:
        raise AssertionError("no photo tells the place alone")
    (file,) = [file["name"] for file in base.document["files"] if file["number"] == number]
    for own in (True, False):
        found = base.verify(base.document, own=own)
        assert found
        (exempt,) = [each for each in found.conditions if each.kind == ConditionKind.EXEMPT]
        assert exempt.weakens and exempt.detail == file
        (alone,) = [each for each in found.conditions if each.kind == ConditionKind.EACH_PHOTO]
        assert alone.count == found.files - 1
        assert f"only where nobody looks at {file} alone" in messages.headline(found, "out")


def test_what_was_tried_is_compared(good: Base) -> None:
    def lie(document: Document) -> None:
        (tried,) = document["tried"]
        tried["hits"] = [] if tried["hits"] else ["halves"]

    found = good.verify(changed(good.document, lie))
    texts = [messages.note_text(note) for note in found.notes]
    assert found and any("came out otherwise than the certificate says" in text for text in texts)


CHANGES = 150
MANY_CHANGES = 10_000


def numbers(rng: random.Random, end: int) -> list[int]:
    return sorted(rng.sample(range(end), rng.randrange(end + 1)))


def alter(rng: random.Random, document: Document) -> None:
    """One condition of the promise, changed in one of the ways that the schema allows."""
    promise, plan = document["plan"]["promise"], document["plan"]["plan"]
    one = rng.choice(promise["against"])
    circles = one.get("circles") or {"positions": [[0.0, 0.0]], "radius_km": 25.0, "exponent": 1.0}
    watch, where = rng.choice(document["watches"]), document["hidden"][0]
    cells, photos = GLOBE.count, promise["photos"]
    lat, lon = LISBON.lat, LISBON.lon
    near = [lat + rng.gauss(0, 0.3), lon + rng.gauss(0, 0.3)]
    km: Any = rng.choice([0.5, 1.0, 5.0, 25.0, 60.0, 500.0, 501.0, 1e300, "nan"])

    def everywhere(km: float) -> None:
        for each in document["watches"]:
            each["radius_km"] = km
        for each in promise["against"]:
            if each.get("circles"):
                each["circles"]["radius_km"] = km

    options: list[Callable[[], object]] = [
        lambda: circles.update(positions=[]),
        lambda: circles.update(positions=[[lat, lon], near]),
        lambda: circles.update(positions=[*circles["positions"], near]),
        lambda: circles.update(positions=[near]),
        lambda: circles.update(positions=[rng.choice([[91.0, 0.0], [1e300, 0.0], ["nan", 0.0]])]),
        lambda: (circles.update(positions=[near]), where.update(lat=near[0], lon=near[1])),
        lambda: hide(document, lat, lon) if one.get("circles") else None,
        lambda: circles.update(radius_km=km),
        lambda: watch.update(radius_km=km),
        lambda: everywhere(km),
        lambda: everywhere(rng.choice([1.0, 10.0, 40.0])),
        lambda: circles.update(exponent=rng.choice([0.0, 0.01, 0.5, 1.0, 2.0, -1.0])),
        lambda: one.pop("circles", None),
        lambda: (one.pop("circles", None), one.update(truth=numbers(rng, cells))),
        lambda: one.update(truth=numbers(rng, cells)),
        lambda: one.update(prior=[0.0] * cells),
        lambda: one.update(sees=rng.choice([None, [], numbers(rng, photos)])),
        lambda: watch.update(whole=not watch["whole"]),
        lambda: one.update(top=rng.choice([None, 0, 1, 2, TOP, 7, 10**9])),
        lambda: document.update(top=rng.choice([None, -1, 0, 1, 2, TOP, 9, 10**9])),
        lambda: one.update(margin=rng.choice([0.0, 0.1, 5.0, -1.0, "inf"])),
        lambda: one.update(lead=rng.choice([0.0, 0.1])),
        lambda: one.update(rivals=rng.choice([None, [], numbers(rng, cells)])),
        lambda: one.update(rivals=sorted({*numbers(rng, cells), *range(len(SPREAD))})),
        lambda: one.update(each_photo=rng.choice([None, 0, 1, TOP, 40])),
        lambda: promise.update(budget=rng.choice([None, 0, 1, photos])),
        lambda: promise.update(keep=numbers(rng, photos)),
        lambda: promise.update(keep=list(plan["kept"])),
        lambda: promise.update(groups=rng.choice([[], [[0, 1]], [numbers(rng, photos)]])),
        lambda: where.update(label=rng.choice(["Paris, France", "home", "", "Lisboa"])),
        lambda: where.update(lat=rng.choice([lat, -lat, lat + 0.1, 91.0, 1e300])),
        lambda: where.update(lon=rng.choice([lon, 2.35, lon + 360, -1e300])),
        lambda: invent_posted(document, rng.choice([-1e4, -1.0, 0.0, 3.0])),
        lambda: plan.update(bound=rng.choice([0, 1, "3/2", plan["cost"]])),
        lambda: plan.update(status=rng.choice(["optimal", "feasible", "infeasible"])),
        lambda: plan["views"][0].update(protected_k=rng.choice([0, 1, TOP, 31, 10**9])),
        lambda: plan["views"][0].update(rivals=rng.choice([numbers(rng, cells), [10**30] * TOP])),
        lambda: document.update(tried=[]),
        lambda: document.pop("tried", None),
    ]
    rng.choice(options)()


def judge(base: Base, certificate: CopyCertificate, found: Verification, *, own: bool) -> None:
    """Whether what was found is no stronger than what the rows of the files show."""
    promise, kinds = certificate.plan.plan.promise, {each.kind for each in found.conditions}
    weaker = [each for each in found.conditions if each.weakens]
    if not found:
        assert not found.claims and "does not keep" in messages.headline(found, "out")
        return
    count = len(base.rows)
    for claim in found.claims:
        if not claim.radius_km:
            assert ConditionKind.FINE_CELLS in kinds
            continue
        (hidden,) = certificate.hidden
        assert claim.position == (hidden.lat, hidden.lon) and claim.model == "the model circled"
        where, km = claim.position, claim.radius_km
        if not weaker:
            for power in (1 / count, exponent(INFO.exponents, count), 1.0):
                assert not finds(base.rows, power, where, km, claim.first)
        if not own and km <= MAX_ANYWHERE_KM:
            centres = first_places(INFO, base.rows, km, claim.first)
            apart = np.linalg.norm(centres - directions(*where), axis=1)
            assert (apart > chord_of(km)).all()
        tops = [each.top for each in promise.against if each.top is not None]
        assert claim.first <= min(tops, default=claim.first)
        assert (ConditionKind.SMALL_PLACES in kinds) == (km < RADIUS)
        for each in found.conditions:
            if each.kind == ConditionKind.EACH_PHOTO:
                alone = [not finds(row[None], 1.0, where, km, claim.first) for row in base.rows]
                assert sum(alone) >= each.count > 0
    circles = [each for each in promise.against if each.circles is not None]
    possible = [each for each in circles if each.rivals and len(each.rivals) < GLOBE.count]
    assert (ConditionKind.POSSIBLE in kinds) == bool(possible)
    assert (ConditionKind.POSTED in kinds) == bool(certificate.posted)
    assert ConditionKind.PART in kinds or any(each.sees is None for each in promise.against)
    assert (ConditionKind.MARGIN in kinds) == any(each.margin for each in promise.against)
    assert (ConditionKind.BUDGET in kinds) == (promise.budget is not None)
    assert bool(weaker) == (" only " in messages.headline(found, "out"))


def run_changes(
    bases: list[Base], count: int, seed: int, *, versions: bool = False
) -> dict[str, int]:
    """Verify so many changed certificates; how often each outcome came about."""
    rng = random.Random(seed)
    outcomes = {"error": 0, "refused": 0, "kept": 0}
    for _ in range(count):
        base, own = rng.choice(bases), rng.random() < 0.3
        document = copying.deepcopy(base.document)
        if rng.random() < 0.8:
            document["models"][0]["rows"] = "0" * 64
        if base is bases[1] and rng.random() < 0.5:
            lisbon(document)
        for _ in range(rng.choice([1, 1, 2, 3])):
            alter(rng, document)
        for _ in range(rng.choice([1, 1, 2]) if versions else 0):
            alter_versions(rng, document)
        try:
            certificate = read_copy_certificate(json.dumps(sealed(document)))
            found = prove_copy(base.copy, certificate, own=own, scorers=["circled"])
        except ElsewhereError:
            outcomes["error"] += 1
            continue
        outcomes["kept" if found else "refused"] += 1
        judge(base, certificate, found, own=own)
    return outcomes


def test_no_changed_certificate_says_more_than_the_files_show(good: Base, bad: Base) -> None:
    outcomes = run_changes([good, bad], CHANGES, seed=1)
    assert min(outcomes.values()) > CHANGES // 20


@pytest.mark.long
@pytest.mark.timeout(2 * 3600)
def test_none_of_ten_thousand_changed_certificates_says_more(good: Base, bad: Base) -> None:
    outcomes = run_changes([good, bad], MANY_CHANGES, seed=2)
    assert min(outcomes.values()) > MANY_CHANGES // 20


def add_versions(document: Document) -> None:
    """As if the plan had chosen among versions: each photo as it is in the copy, and a second."""
    promise, plan = document["plan"]["promise"], document["plan"]["plan"]
    photos = range(promise["photos"])
    promise["versions"] = [
        {"photo": photo, "cost": cost} for photo in photos for cost in ("0", "1/2")
    ]
    plan["choices"] = [2 * photo for photo in plan["kept"]]


def alter_versions(rng: random.Random, document: Document) -> None:
    """What version 3 adds: edits of files, versions of photos, and those that were chosen."""
    promise, plan, file = (
        document["plan"]["promise"],
        document["plan"]["plan"],
        rng.choice(document["files"]),
    )
    versions, choices = promise.get("versions"), plan.get("choices")
    some = [0, 1, 250, 999, 1000, 1001, -1]
    rectangle = {side: rng.choice(some) for side in ("left", "top", "right", "bottom")}
    whole = {"left": 0, "top": 0, "right": 1000, "bottom": 1000}
    cost = rng.choice(["0", "1/3", "1/2", "1", "-1", "10"])
    options: list[Callable[[], object]] = [
        lambda: file.pop("edit", None),
        lambda: file.update(edit={"crop": rectangle, "covers": []}),
        lambda: file.update(edit={"crop": whole, "covers": []}),
        lambda: file.update(edit={"crop": None, "covers": [whole, rectangle]}),
        lambda: file.update(edit=copying.deepcopy(document["files"][0].get("edit"))),
        lambda: [one.pop("edit", None) for one in document["files"]],
        lambda: (promise.pop("versions", None), plan.pop("choices", None)),
        lambda: add_versions(document),
        lambda: versions and rng.choice(versions).update(cost=cost),
        lambda: versions and [one.update(cost="0") for one in versions],
        lambda: versions and versions.pop(rng.randrange(len(versions))),
        lambda: versions and versions.append({"photo": len(document["photos"]) - 1, "cost": cost}),
        lambda: versions and rng.choice(versions).update(photo=rng.randrange(9)),
        lambda: choices and choices.pop(),
        lambda: choices and choices.append(choices[-1] + 1),
        lambda: plan.update(choices=[row + 1 for row in choices or ()]),
        lambda: plan.update(choices=numbers(rng, 2 * promise["photos"])),
        lambda: plan.update(cost=cost, bound=cost),
        lambda: promise.update(budget=rng.choice([None, "1/2", 0, 8])),
    ]
    rng.choice(options)()
    new = promise.get("versions") is not None or any(one.get("edit") for one in document["files"])
    document["format"] = EDITS_FORMAT if new else CIRCLES_FORMAT


@pytest.fixture(scope="module")
def edited(
    seen: ScoredAlbum, tmp_path_factory: pytest.TempPathFactory, pool: Workers
) -> list[Base]:
    """A good copy and a bad one, with some photos edited in both."""
    edits = {photo.id: (COVER, CROP)[n % 2] for n, photo in enumerate(seen.photos[1:6])}
    album = apply_edits(seen, edits, workers=pool)
    good = Base(album, tmp_path_factory.mktemp("edited"), "Lisbon, Portugal")
    bad = Base(album, tmp_path_factory.mktemp("all edited"), "Lima, Peru")
    assert finds(bad.rows, 0.4, (LISBON.lat, LISBON.lon), RADIUS, TOP)
    for base in (good, bad):
        assert any(file.get("edit") for file in base.document["files"])
        assert base.document["format"] == EDITS_FORMAT
    return [good, bad]


def test_edits_and_versions_are_kept_without_any_only(edited: list[Base]) -> None:
    good = edited[0]
    for change in (lambda document: None, add_versions):
        for own in (True, False):
            found = good.verify(changed(good.document, change), own=own)
            assert found and not [each for each in found.conditions if each.weakens]
            assert found.claims == good.verify(good.document).claims


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_certificate_with_versions_is_forged_in_vain(edited: list[Base], forgery: str) -> None:
    change, kind = FORGERIES[forgery]

    def forged(document: Document) -> None:
        lisbon(document)
        change(document)
        add_versions(document)

    found = edited[1].verify(changed(edited[1].document, forged))
    assert not found and kind in {problem.kind for problem in found.problems}


def test_no_changed_edit_or_version_says_more_than_the_files_show(edited: list[Base]) -> None:
    outcomes = run_changes(edited, CHANGES, seed=3, versions=True)
    assert min(outcomes.values()) > CHANGES // 20


@pytest.mark.long
@pytest.mark.timeout(2 * 3600)
def test_none_of_ten_thousand_changed_edits_and_versions_says_more(edited: list[Base]) -> None:
    outcomes = run_changes(edited, MANY_CHANGES, seed=4, versions=True)
    assert min(outcomes.values()) > MANY_CHANGES // 20


def test_a_country_is_named_where_all_of_it_is_hidden(seen: ScoredAlbum, tmp_path: Path) -> None:
    base = Base(seen, tmp_path / "country", "Lisbon", hide_level="country", top=1)
    kept = base.verify(base.document, own=True)
    assert kept and {claim.place for claim in kept.claims} == {"Portugal"}
    assert all(claim.whole for claim in kept.claims)
    assert all(guess.place == "Portugal" and guess.whole for guess in kept.guesses)

    def show_one(document: Document) -> None:
        for one in document["plan"]["promise"]["against"]:
            own = [document["hidden"][0]["lat"], document["hidden"][0]["lon"]]
            points = [point for point in one["circles"]["positions"] if point != own]
            one["circles"]["positions"] = [own, *points[1:]]

    less = base.verify(changed(base.document, show_one), own=True)
    assert "Portugal" not in {claim.place for claim in less.claims}


@pytest.mark.parametrize(("level", "telling"), [("country", True), ("city", False)])
def test_names_in_a_hidden_country_are_noted_wherever_they_are(
    seen: ScoredAlbum, tmp_path: Path, level: str, telling: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The country itself has no position, and Sapporo is far from every hidden one."""
    base = Base(seen, tmp_path / "out", "Tokyo", hide_level=level, top=1)
    known = read_copy_certificate(json.dumps(base.document))
    for said in ("JAPAN", "Sapporo"):
        text = understand("", [TextLine(said, 0.99, TextBox(0, 0, 90, 9))])
        monkeypatch.setattr(TextReader, "read", lambda self, name, *more: text)  # noqa: B023
        found = prove_copy(base.copy, known, read_text=True)
        kinds = {note.kind for note in found.notes}
        assert found and (CopyNoteKind.TELLING_TEXT in kinds) is telling
        assert (CopyNoteKind.NO_TELLING_TEXT in kinds) is not telling


def test_one_file_alone_is_not_told_apart_from_all_together(
    seen: ScoredAlbum, tmp_path: Path
) -> None:
    kept = Base(seen, tmp_path / "all", "Lisbon")
    files = kept.document["files"]
    names = [seen.photos[file["number"]].id for file in files[1:]]
    wishes = {"drop": tuple(names), "keep": (seen.photos[files[0]["number"]].id,)}
    single = Base(seen, tmp_path / "one", "Lisbon", **wishes)
    kinds = {c.kind for c in single.verify(single.document, own=True).conditions}
    alone = {ConditionKind.EACH_PHOTO, ConditionKind.NOT_EACH_PHOTO, ConditionKind.PINNED}
    assert not kinds & alone
    assert {c.kind for c in kept.verify(kept.document, own=True).conditions} & alone

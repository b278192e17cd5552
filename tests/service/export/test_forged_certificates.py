"""A certificate is somebody's word: a changed one makes `verify` say less, never more."""

from __future__ import annotations

import copy as copying
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import elsewhere
from elsewhere.album.copies import Copy, open_copy
from elsewhere.album.places import AlbumPlace, Places
from elsewhere.album.workers import Workers
from elsewhere.errors import ElsewhereError, InputError
from elsewhere.formats.copy_certificate import CopyCertificate, read_copy_certificate
from elsewhere.formats.validation import digest_of
from elsewhere.globe import Cells, place_label, zone
from elsewhere.messages import verification as messages
from elsewhere.scorers import Photo, Row, ScorerInfo, protocol
from elsewhere.scorers.protocol import normalise_row
from elsewhere.service.copy_claims import find_attackers, find_conditions
from elsewhere.service.export import export_album
from elsewhere.service.planning import AlbumPlan
from elsewhere.service.scored_album import ScoredAlbum, score_album
from elsewhere.service.threats import Threat
from elsewhere.service.verify import prove_copy
from elsewhere.values.verification import ConditionKind, CopyProblemKind, Verification
from elsewhere.values.wishes import Wishes
from tests.service.tiny import write_album

TOP = 3
GLOBE = Cells.paper().coarsen(32)
LISBON = (38.72, -9.14)
TRUTH = tuple(zone(GLOBE, *LISBON, 25.0).cells.tolist())
Document = dict[str, Any]


class MappedScorer:
    """Looks at sixteen colours of a photo; it has a map, and finds Lisbon in all of them."""

    def load(self) -> ScorerInfo:
        return ScorerInfo("mapped", "f" * 64, GLOBE.count, "g" * 64, GLOBE)

    def score(self, photo: Photo) -> Row:
        small = np.asarray(photo.image((8, 8)).resize((4, 4)), dtype=np.float64).reshape(-1)
        logits = np.random.default_rng(1).normal(size=(GLOBE.count, small.size)) @ (small / 255)
        logits[list(TRUTH)] = logits.max() - 1.0 + 2.5 * np.tanh(small.mean() - 127)
        return normalise_row(logits)


def make(spec: str) -> MappedScorer:
    return MappedScorer()


class Base:
    """A copy, its certificate, and the exact sums of its files' scores."""

    def __init__(self, seen: ScoredAlbum, folder: Path, **wishes: Any) -> None:
        place = AlbumPlace("Lisbon, Portugal", *LISBON, (), (LISBON,))
        sees = wishes.get("sees")
        hidden = zone(GLOBE, *LISBON, 25.0)
        threats = [
            Threat(0, place, part is None, hidden, part, hidden_name=place.label)
            for part in (sees or [None])
        ]
        count = len(threats)
        plan = elsewhere.protect(
            [seen.models[0].scores] * count, [TRUTH] * count, **{"top": TOP, **wishes}
        )
        assert plan.found, plan.explanation
        album_plan = AlbumPlan(
            plan=plan,
            threats=tuple(threats),
            hidden=(place,),
            public=(),
            places=Places((place,)),
            wishes=Wishes(top=TOP),
            top=TOP,
            hidden_names=(place.label,),
            models=("mapped",),
            ids=seen.models[0].scores.ids,
            photos=len(seen.photos),
            newly_shared=len(plan.kept),
        )
        shared = export_album(seen, album_plan, folder / "out", private=folder / "mine")
        self.document: Document = json.loads(shared.certificate.read_text("utf-8"))
        self.copy: Copy = open_copy(shared.target)
        numbers = [file["number"] for file in self.document["files"]]
        rows = seen.models[0].scores.values[numbers]
        self.rows = [list(map(Fraction, row)) for row in rows.tolist()]
        self.totals = [sum(column, Fraction(0)) for column in zip(*self.rows, strict=True)]

    def hides(self, cells: tuple[int, ...], first: int, row: list[Fraction] | None = None) -> bool:
        """Whether so many other cells come before these or level with them: in the plain sums of
        all files, or in one file's row."""
        totals = self.totals if row is None else row
        bar = max(totals[cell] for cell in cells)
        others = [total for cell, total in enumerate(totals) if cell not in cells]
        return len([total for total in others if total >= bar]) >= first

    def verify(self, document: Document, *, own: bool = False) -> Verification:
        certificate = read_copy_certificate(json.dumps(document))
        return prove_copy(self.copy, certificate, own=own, scorers=["mapped"])


def sealed(document: Document) -> Document:
    """With digests that are right again, and attackers that are those of the promise."""
    plan = document["plan"]
    for attacker, against in zip(plan["attackers"], plan["promise"]["against"], strict=False):
        attacker.update({name: against[name] for name in ("scores", "scorer", "cells")})
        versions = plan["promise"].get("versions")
        attacker["photos"] = len(versions) if versions else plan["promise"]["photos"]
    plan["bound"] = plan["plan"]["bound"]
    plan["digest"] = digest_of(plan)
    document["digest"] = digest_of(document)
    return document


def changed(document: Document, *changes: Callable[[Document], object]) -> Document:
    other = copying.deepcopy(document)
    other["models"][0]["rows"] = "0" * 64  # as if made on another machine
    for change in changes:
        change(other)
    return sealed(other)


def against(document: Document) -> Document:
    found: Document = document["plan"]["promise"]["against"][0]
    return found


def invent_posted(document: Document, low: float = -1e4) -> None:
    """A photo that nobody has seen, and that speaks against the truth."""
    plan, promise = document["plan"]["plan"], document["plan"]["promise"]
    number = promise["photos"]
    promise["photos"] += 1
    promise["keep"].append(number)
    if promise["values"] is not None:
        promise["values"].append("1")
    plan["kept"].append(number)
    document["photos"].append(f"posted/{number}.jpg")
    row = [low if cell in TRUTH else 0.0 for cell in range(GLOBE.count)]
    document["posted"].append({"number": number, "rows": [row]})


def only_posted(document: Document) -> None:
    against(document).update(prior=None)
    invent_posted(document)


def believe(low: float | str) -> Callable[[Document], None]:
    prior = [low if cell in TRUTH else 0.0 for cell in range(GLOBE.count)]
    return lambda document: against(document).update(prior=prior)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory, pool: Workers) -> Iterator[ScoredAlbum]:
    with pytest.MonkeyPatch.context() as patch:
        own = protocol.BuiltIn("tests.service.export.test_forged_certificates", "mapped")
        patch.setitem(protocol.BUILT_IN, "mapped", own)
        album = write_album(tmp_path_factory.mktemp("forged") / "trip", 8)
        found = score_album([album], scorers=("mapped",), workers=pool)
        yield found
        found.close()


@pytest.fixture(scope="module")
def good(seen: ScoredAlbum, tmp_path_factory: pytest.TempPathFactory) -> Base:
    """What protect would share."""
    return Base(seen, tmp_path_factory.mktemp("good"), each_photo=True)


@pytest.fixture(scope="module")
def bad(seen: ScoredAlbum, tmp_path_factory: pytest.TempPathFactory) -> Base:
    """Every photo, with a promise that holds only for somebody who rules the place out."""
    prior = np.where(np.isin(np.arange(GLOBE.count), TRUTH), -1e4, 0.0)
    base = Base(seen, tmp_path_factory.mktemp("bad"), prior=prior)
    assert len(base.document["files"]) == len(seen.photos) and not base.hides(TRUTH, TOP)
    return base


FORGERIES: dict[str, tuple[Callable[[Document], object], ConditionKind | None]] = {
    "an invented posted row": (only_posted, ConditionKind.POSTED),
    "a prior": (believe(-1e4), ConditionKind.PRIOR),
    "a prior of zero": (believe("-inf"), ConditionKind.PRIOR),
    "sees nothing": (lambda d: against(d).update(prior=None, sees=[]), None),
    "sees one photo": (lambda d: against(d).update(prior=None, sees=[1]), None),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_certificate_is_refused_or_told_first(bad: Base, forgery: str) -> None:
    change, condition = FORGERIES[forgery]
    document = changed(bad.document, change)
    if condition is None:
        with pytest.raises(InputError, match="sees a part of it"):
            bad.verify(document)
        for watch in document["watches"]:
            watch["whole"] = False  # it agrees with itself now
        condition = ConditionKind.PART
    refused = bad.verify(sealed(document))
    assert not refused
    assert refused.problems[-1].kind == CopyProblemKind.GIVEN_AWAY
    assert refused.guesses[0].found
    own = bad.verify(sealed(document), own=True)
    if own:  # the owner is told in the first line
        assert condition in {each.kind for each in own.conditions}
        assert " keeps its promise only " in messages.headline(own, "out")
        assert own.guesses[0].found


def test_without_a_change_the_bad_copy_is_refused(bad: Base) -> None:
    plain = changed(bad.document, lambda d: against(d).update(prior=None))
    assert bad.verify(plain, own=True).problems[0].kind == CopyProblemKind.TOO_FEW


def test_what_protect_shares_is_kept_without_any_only(good: Base) -> None:
    for own in (True, False):
        found = good.verify(good.document, own=own)
        assert found and not [each for each in found.conditions if each.weakens]
        assert "only" not in messages.headline(found, "out")
        assert not found.guesses[0].found


def test_cells_beside_a_place_that_are_not_hidden_are_named_first(good: Base) -> None:
    """The place lies at the edge of its cell, and only that cell is hidden."""
    inside = np.arange(LISBON[0], 90, 0.01)
    lat = float(inside[GLOBE.locate(inside, np.full(len(inside), LISBON[1])) == TRUTH[0]][-1])
    label = place_label(lat, LISBON[1])

    def at_the_edge(document: Document) -> None:
        document["hidden"][0].update(label=label, lat=lat)
        for watch in document["watches"]:
            watch.update(radius_km=0.0)

    found = good.verify(changed(good.document, at_the_edge))
    beside = f"only for 1 of the cells of the model mapped within 25 km of {label}: it may guess"
    assert f"keeps its promise {beside}" in messages.headline(found, "out")


@pytest.mark.parametrize("name", ["Portugal", "Beja, Portugal", "Europe"])
def test_a_country_of_which_not_all_cells_are_hidden_is_named_first(good: Base, name: str) -> None:
    found = good.verify(changed(good.document, lambda d: d["hidden"][0].update(label=name)))
    only = f'keeps its promise only for what the certificate calls "{name}", which lies near Lisbon'
    assert only in messages.headline(found, "out")


@pytest.mark.parametrize(("name", "told"), [("embedded:512", True), ("embedded", False)])
def test_a_promise_against_a_weaker_head_is_named_first(good: Base, name: str, told: bool) -> None:
    """It is loaded for whoever has a certificate of an earlier version."""
    certificate = read_copy_certificate(json.dumps(good.document))
    info = replace(MappedScorer().load(), name=name)
    attackers = find_attackers(certificate, [info])
    conditions = find_conditions(certificate, attackers, [frozenset()], own=False)
    weaker = [each for each in conditions if each.weakens]
    assert [each.kind for each in weaker] == [ConditionKind.WEAKER_MODEL] * told
    for each in weaker:
        assert messages.condition_text(each).startswith("only against the model embedded:512")


def test_honest_posted_photos_make_the_sentence_weaker(good: Base) -> None:
    found = good.verify(changed(good.document, lambda d: invent_posted(d, -1.0)))
    assert found
    headline = messages.headline(found, "out")
    assert headline.startswith("out keeps its promise only together with 1 photo not in the copy")


CHANGES = 300
MANY_CHANGES = 10_000


def numbers(rng: random.Random, end: int) -> list[int]:
    return sorted(rng.sample(range(end), rng.randrange(end + 1)))


def alter(rng: random.Random, document: Document) -> None:
    """One condition of the promise, changed in one of the ways that the schema allows."""
    promise, plan = document["plan"]["promise"], document["plan"]["plan"]
    one = rng.choice(promise["against"])
    watch, place = rng.choice(document["watches"]), document["hidden"][0]
    cells, photos = GLOBE.count, promise["photos"]
    low = rng.choice([-1e4, -3.0, "-inf", 0.0, 5.0])
    prior = [low if c in TRUTH else rng.choice([0.0, rng.gauss(0, 2)]) for c in range(cells)]
    options: list[Callable[[], object]] = [
        lambda: one.update(prior=rng.choice([None, prior])),
        lambda: one.update(sees=rng.choice([None, [], numbers(rng, photos)])),
        lambda: watch.update(whole=not watch["whole"]),
        lambda: watch.update(radius_km=rng.choice([0.0, -1.0, 25.0, 900.0, 1e300])),
        lambda: one.update(truth=numbers(rng, cells) or [0]),
        lambda: one.update(truth=sorted({*TRUTH, *numbers(rng, cells)})),
        lambda: one.update(truth=list(TRUTH)[:1]),
        lambda: one.update(top=rng.choice([None, 0, 1, 2, TOP, 7, 10**9])),
        lambda: document.update(top=rng.choice([None, -1, 0, 1, 2, TOP, 9])),
        lambda: one.update(margin=rng.choice([0.0, 0.1, 5.0, -1.0, "inf"])),
        lambda: one.update(lead=rng.choice([0.0, 0.1, 5.0, -1.0, "-inf"])),
        lambda: one.update(rivals=rng.choice([None, [], numbers(rng, cells)])),
        lambda: one.update(rivals=[c for c in range(cells) if c not in one["truth"]]),
        lambda: one.update(each_photo=rng.choice([None, 0, 1, TOP, 40])),
        lambda: promise.update(strict=not promise["strict"]),
        lambda: promise.update(budget=rng.choice([None, 0, 1, photos])),
        lambda: promise.update(keep=numbers(rng, photos)),
        lambda: promise.update(drop=numbers(rng, photos)),
        lambda: promise.update(values=rng.choice([None, ["1"] * photos, ["2/3"] * photos])),
        lambda: promise.update(groups=rng.choice([[], [[0, 1]], [numbers(rng, photos)]])),
        lambda: place.update(label=rng.choice(["Paris, France", "home", "", "\x1b[2J", "Lisboa"])),
        lambda: place.update(lat=rng.choice([38.72, -38.72, 48.85, 91.0, 1e300])),
        lambda: place.update(lon=rng.choice([-9.14, 2.35, 350.86, 181.0, -1e300])),
        lambda: invent_posted(document, rng.choice([-1e4, -1.0, 0.0, 3.0])),
        lambda: document["models"][0].update(name=rng.choice(["embedded", "", "the best"])),
        lambda: plan.update(bound=rng.choice([0, 1, "3/2", plan["cost"]])),
        lambda: plan.update(cost=rng.choice([0, 1, "3/2", plan["cost"]])),
        lambda: plan.update(status=rng.choice(["optimal", "feasible", "infeasible", "unknown"])),
        lambda: plan["views"][0].update(protected_k=rng.choice([0, 1, TOP, 31])),
        lambda: document.update(verdict="Nobody will ever find it."),
    ]
    rng.choice(options)()


def judge(base: Base, certificate: CopyCertificate, found: Verification, *, own: bool) -> None:
    """Whether what was found is no stronger than what the scores of the files show."""
    promise, kinds = certificate.plan.plan.promise, {each.kind for each in found.conditions}
    weaker = [each for each in found.conditions if each.weakens]
    headline = messages.headline(found, "out")
    for guess in found.guesses:
        truth = {c for each in promise.against for c in each.truth}
        assert guess.found != base.hides(tuple(truth), guess.first)
    if not found:
        assert not found.claims and "does not keep" in headline
        return
    for claim in found.claims:
        hidden = [place for place in certificate.hidden if place.label == claim.place]
        located = {int(GLOBE.locate(place.lat, place.lon)) for place in hidden}
        assert located & set(claim.cells)
        assert claim.model == "the model mapped"
        if not own or not weaker:
            assert base.hides(claim.cells, claim.first)
        tops = [each.top for each in promise.against if each.top is not None]
        assert claim.first <= min(tops, default=claim.first)
    assert (ConditionKind.POSTED in kinds) == bool(certificate.posted)
    assert (ConditionKind.PRIOR in kinds) == any(each.prior for each in promise.against)
    partial = [each.sees is not None for each in promise.against]
    assert (ConditionKind.PART in kinds) == all(partial)
    assert (ConditionKind.OWN_PHOTOS in kinds) == (any(partial) and not all(partial))
    for kind, there in (
        (ConditionKind.MARGIN, any(each.margin for each in promise.against)),
        (ConditionKind.LEAD, any(each.lead for each in promise.against)),
        (ConditionKind.STRICT, promise.strict),
        (ConditionKind.BUDGET, promise.budget is not None),
        (ConditionKind.DROPPED, bool(promise.drop)),
        (ConditionKind.GROUPS, bool(promise.groups)),
        (ConditionKind.VALUES, promise.values is not None),
    ):
        assert (kind in kinds) == there, kind
    for each in found.conditions:
        if each.kind == ConditionKind.EACH_PHOTO:
            (claim,) = found.claims
            alone = [base.hides(claim.cells, claim.first, row) for row in base.rows]
            assert sum(alone) >= each.count > 0
    if not own and certificate.hidden[0].label not in ("Lisbon, Portugal", "Lisboa"):
        assert ConditionKind.LABEL in kinds or not found.claims
    assert bool(weaker) == (" only " in headline)


def run_changes(bases: list[Base], count: int, seed: int) -> dict[str, int]:
    """Verify so many changed certificates; how often each outcome came about."""
    rng = random.Random(seed)
    outcomes = {"error": 0, "refused": 0, "kept": 0}
    for _ in range(count):
        base, own = rng.choice(bases), rng.random() < 0.3
        document = copying.deepcopy(base.document)
        if rng.random() < 0.8:
            document["models"][0]["rows"] = "0" * 64
        for _ in range(rng.choice([1, 1, 2, 3])):
            alter(rng, document)
        try:
            certificate = read_copy_certificate(json.dumps(sealed(document)))
            found = prove_copy(base.copy, certificate, own=own, scorers=["mapped"])
        except ElsewhereError:
            outcomes["error"] += 1
            continue
        outcomes["kept" if found else "refused"] += 1
        judge(base, certificate, found, own=own)
    return outcomes


@pytest.fixture(scope="module")
def bases(
    seen: ScoredAlbum, good: Base, bad: Base, tmp_path_factory: pytest.TempPathFactory
) -> list[Base]:
    even = tuple(range(0, len(seen.photos), 2))
    both = Base(seen, tmp_path_factory.mktemp("both"), sees=[None, even])
    part = Base(seen, tmp_path_factory.mktemp("part"), sees=[even])
    return [good, bad, both, part]


def test_no_changed_certificate_says_more_than_the_files_show(bases: list[Base]) -> None:
    outcomes = run_changes(bases, CHANGES, seed=1)
    assert min(outcomes.values()) > CHANGES // 20


@pytest.mark.long
@pytest.mark.timeout(2 * 3600)
def test_none_of_ten_thousand_changed_certificates_says_more(bases: list[Base]) -> None:
    outcomes = run_changes(bases, MANY_CHANGES, seed=2)
    assert min(outcomes.values()) > MANY_CHANGES // 20

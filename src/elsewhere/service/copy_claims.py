"""What a certificate promises of a copy: the claims, what they rest on, and what the files tell.

Whatever a certificate adds to the files (rows of photos that are not here, a prior, a part of the
photos) is a condition that is named, beside what the models guess from the files alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from elsewhere.checker.circles import directions, with_nearest
from elsewhere.checker.proof import count_ahead, keeps_away
from elsewhere.errors import PlaceError
from elsewhere.formats.copy_certificate import CopyCertificate, HiddenPlace, SharedFile
from elsewhere.globe import (
    Place,
    between_km,
    cell_names,
    ground,
    place as place_called,
    place_label,
    zone,
    zone_of_place,
)
from elsewhere.globe.places import FAR_KM
from elsewhere.scorers import ScorerInfo
from elsewhere.service.attacks import Floats, comes_near, first_places, points_of
from elsewhere.service.scored_album import model_name
from elsewhere.service.selection import area_name
from elsewhere.values.promise import Against
from elsewhere.values.scores import Scores
from elsewhere.values.verification import Claim, Condition, ConditionKind, CopyGuess
from elsewhere.values.wishes import CITY_KM
from elsewhere.values.wording import listed

BUILT_IN = "embedded"
"""The model that promises are usually about; its name begins those of its other heads."""
GUESSES = 3
"""So many guesses from the files alone are told."""
SAME_POSITION_KM = 0.01
"""Within this distance two positions are one."""
_DIGITS = 6
"""Decimal places in which a hidden position is a cell's point."""
MAX_FILES = 3
"""Files that are named."""


@dataclass(frozen=True)
class CopyAttacker:
    """One attacker of a certificate's promise, with what is known of it here and now."""

    place: HiddenPlace
    attack: int
    """Which of the models."""
    info: ScorerInfo
    """The model as it was found, whatever the certificate says of it."""
    in_place: bool
    """Whether what is hidden is the place: a position of it, or the cells around it."""
    against: Against
    files: tuple[SharedFile, ...]
    """Those that it adds up."""
    first: int
    """How many guesses are said to come before the place: the k asked for, never a secret one."""
    protected: int
    """How many the plan says that there are."""
    areas: tuple[Place, ...] = ()
    """The regions or countries that are hidden as a whole; empty where only places are."""

    @property
    def hidden_name(self) -> str:
        """What is hidden: the areas, or the place as the certificate calls it."""
        return listed([area_name(area) for area in self.areas]) or self.place.label

    @property
    def model(self) -> str:
        """The model's name in a sentence."""
        return model_name(self.info.name)

    @property
    def subject(self) -> tuple[object, ...]:
        """What is hidden from which model: attackers that share it make one claim."""
        circles = self.against.circles
        hidden = () if circles is None else (circles.positions, circles.radius_km)
        return (self.place, self.attack, *hidden)


def find_attackers(certificate: CopyCertificate, infos: Sequence[ScorerInfo]) -> list[CopyAttacker]:
    """All attackers of a certificate's promise; `infos` are of its models as they were found."""
    plan, top = certificate.plan.plan, certificate.top
    attackers = []
    for watch, against, view in zip(
        certificate.watches, plan.promise.against, plan.views, strict=True
    ):
        info, place = infos[watch.attack], certificate.hidden[watch.place]
        if against.circles is not None:
            in_place = _hides_position(against, place, info)
        else:
            around: set[int] = set()
            if info.globe is not None:
                around = {int(info.globe.locate(place.lat, place.lon))}
                if watch.radius_km > 0:
                    near = zone(info.globe, place.lat, place.lon, watch.radius_km)
                    around.update(near.cells.tolist())
            in_place = around.issubset(against.truth)
        sees = range(plan.promise.photos) if against.sees is None else {*against.sees}
        attackers.append(
            CopyAttacker(
                place=place,
                attack=watch.attack,
                info=info,
                in_place=in_place,
                against=against,
                files=tuple(file for file in certificate.files if file.number in sees),
                first=view.protected_k if top is None else top,
                protected=view.protected_k,
                areas=_hidden_areas(against, place, info) if in_place else (),
            )
        )
    return attackers


def _hides_position(against: Against, place: HiddenPlace, info: ScorerInfo) -> bool:
    """Whether the place is one of the positions, at which the model can see anything at all.

    It cannot where nothing near is possible for it beforehand.
    """
    assert against.circles is not None
    positions = [(a, b) for a, b in against.circles.positions if abs(a) <= 90 and abs(b) <= 180]
    if not positions or info.points is None or info.globe is None:
        return False
    lats, lons = np.array(positions).T
    if not (between_km(place.lat, place.lon, lats, lons) <= SAME_POSITION_KM).any():
        return False
    if against.rivals is None:
        return True
    points = points_of(info.globe)
    (unit,) = directions(place.lat, place.lon)
    near = [
        points.near(each, 2 * against.circles.radius_km)
        for each in with_nearest(points, unit, against.circles.radius_km)
    ]
    return not set(against.rivals).isdisjoint(np.concatenate(near).tolist())


def _hidden_areas(against: Against, place: HiddenPlace, info: ScorerInfo) -> tuple[Place, ...]:
    """The region or country of the place, and others, where all the model knows there is hidden."""
    globe = info.globe
    if against.circles is None or globe is None:
        return ()
    hidden = set(map(tuple, np.round(against.circles.positions, _DIGITS).tolist()))
    points = np.stack(globe.points, axis=1).round(_DIGITS)
    photos = hidden.difference(map(tuple, points.tolist()))

    def is_hidden(area: Place) -> bool:
        inside = points[zone_of_place(globe, area).cells]
        return hidden.issuperset(map(tuple, inside.tolist()))

    for kind in ("country", "region"):
        (own,) = ground(place.lat, place.lon, kind)
        if is_hidden(own):
            lats, lons = np.array([(place.lat, place.lon), *sorted(photos)]).T
            areas = dict.fromkeys(ground(lats, lons, kind))
            return tuple(area for area in areas if is_hidden(area))
    return ()


def claims_and_guesses(
    attackers: Sequence[CopyAttacker], scores: Sequence[Scores], top: int | None, *, proved: bool
) -> tuple[tuple[Claim, ...], tuple[CopyGuess, ...], list[Condition]]:
    """What is promised of each place against each model, beside what the files alone give away.

    No k is told but the one asked for, which is not above any that is proved. A claim is about the
    cells that all attackers of one model share, or about circles; a guess is right in any of their
    cells, or near any position. Where it must be `proved` that places are missed, doubt counts as
    found.
    """
    claims, guesses, ties = [], [], []
    groups: dict[object, list[CopyAttacker]] = {}
    for attacker in attackers:
        groups.setdefault(attacker.subject, []).append(attacker)
    for group in groups.values():
        place, model, globe = group[0].place, group[0].model, group[0].info.globe
        label, whole = group[0].hidden_name, bool(group[0].areas)
        table, circles = scores[group[0].attack], group[0].against.circles
        first = min(member.first for member in group)
        if circles is not None:
            radius, others = circles.radius_km, len(circles.positions) - 1
            if first:
                where = (place.lat, place.lon)
                asked = top is not None
                claims.append(
                    Claim(label, model, (), (), first, asked, radius, where, others, whole)
                )
            first = max(first, 1)
            # what is promised of smaller places than a town says nothing about towns
            for km in dict.fromkeys((radius, max(radius, CITY_KM))):
                wide = replace(circles, radius_km=km)
                centres = first_places(group[0].info, table.values, km, GUESSES)
                towns = dict.fromkeys(
                    _name_of(centre, None if whole else place, km) for centre in centres
                )
                found = comes_near(group[0].info, table, wide, first)
                if proved and km == radius and not found:
                    found = not keeps_away(table, wide, first)
                guesses.append(CopyGuess(label, model, tuple(towns), first, found, km, whole))
            continue
        truths = [set(member.against.truth) for member in group]
        names = [f"cell {n}" for n in range(table.cells)] if globe is None else cell_names(globe)
        cells = tuple(sorted(set.intersection(*truths)))
        if first and cells:
            called = () if globe is None else tuple(names[cell] for cell in cells)
            claims.append(Claim(place.label, model, cells, called, first, top is not None))
        anywhere, first = sorted(set.union(*truths)), max(first, 1)
        found = count_ahead(table, anywhere) < first
        totals = table.values.astype(np.float64).sum(axis=0)
        best = tuple(names[cell] for cell in np.argsort(-totals, kind="stable")[:GUESSES])
        guesses.append(CopyGuess(place.label, model, best, first, found))
        if not found and count_ahead(table, anywhere, strict=True) < first:
            ties.append(Condition(ConditionKind.TIES, place.label, model))
    # several places of one country make one claim
    return tuple(dict.fromkeys(claims)), tuple(dict.fromkeys(guesses)), ties


def _name_of(unit: Floats, hidden: HiddenPlace | None, radius_km: float) -> str:
    """What an audit calls a circle, given by its centre as a unit vector."""
    lat = math.degrees(math.asin(max(-1.0, min(1.0, float(unit[2])))))
    lon = math.degrees(math.atan2(float(unit[1]), float(unit[0])))
    if hidden is not None and between_km(lat, lon, hidden.lat, hidden.lon) <= radius_km:
        return hidden.label
    return place_label(lat, lon, radius_km)


def find_conditions(
    certificate: CopyCertificate,
    attackers: Sequence[CopyAttacker],
    exempt: Sequence[frozenset[int]],
    *,
    own: bool,
) -> Iterator[Condition]:
    """All that the promise rests on; `exempt` are what `find_exempt` found for each attacker."""
    promise, posted = certificate.plan.plan.promise, {p.number for p in certificate.posted}
    if posted:
        yield Condition(ConditionKind.POSTED, count=len(posted))
    if promise.strict:
        yield Condition(ConditionKind.STRICT)
    if promise.budget is not None and promise.versions is not None:
        worth = sum(promise.values or [Fraction(1)] * promise.photos, Fraction(0))
        cost = min(Fraction(promise.budget), worth)
        yield Condition(ConditionKind.COST, detail=f"{float(cost):.3g}")
    elif promise.budget is not None:
        budget = min(int(promise.budget), promise.photos)
        yield Condition(ConditionKind.BUDGET, count=budget)
    kept = {file.number for file in certificate.files}
    pinned = {*promise.keep} - posted
    for kind, items in (
        (ConditionKind.PINNED, () if pinned == kept else pinned),
        (ConditionKind.DROPPED, promise.drop),
        (ConditionKind.GROUPS, promise.groups),
        (ConditionKind.VALUES, promise.values or ()),
    ):
        if items:
            yield Condition(kind, count=len(items))
    everywhere = {a.subject for a in attackers if a.against.sees is None}
    alone: dict[object, int] = {}
    for attacker, telling in zip(attackers, exempt, strict=True):
        against, label, model = attacker.against, attacker.hidden_name, attacker.model
        names = [file.name for file in attacker.files if file.number in telling]
        if names:
            detail = listed(names, MAX_FILES)
            yield Condition(ConditionKind.EXEMPT, label, model, len(names), detail=detail)
        limited = against.prior is not None or (against.circles is not None and against.rivals)
        if (against.each_photo or 0) >= attacker.first > 0 and not limited:
            alone[attacker.subject] = len(attacker.files) - len(names)
    current = {a.place for a in attackers if a.info.name == BUILT_IN}
    for attacker in attackers:
        against, label, model = attacker.against, attacker.hidden_name, attacker.model
        if not attacker.protected:
            yield Condition(ConditionKind.NOTHING_PROMISED, label, model)
        if attacker.info.name.startswith(f"{BUILT_IN}:") and attacker.place not in current:
            yield Condition(ConditionKind.WEAKER_MODEL, model=model)
        if against.prior is not None:
            yield Condition(ConditionKind.PRIOR, label, model)
        if against.sees is not None:
            whole = attacker.subject in everywhere
            kind = ConditionKind.OWN_PHOTOS if whole else ConditionKind.PART
            count = len(attacker.files)
            yield Condition(kind, label, model, count, len(certificate.files))
        if attacker.info.globe is None:
            yield Condition(ConditionKind.NO_MAP, label, model)
        elif not own and (town := _other_name(attacker)):
            yield Condition(ConditionKind.LABEL, label, detail=town)
        yield from _conditions_of_hidden(attacker)
        if against.margin:
            yield Condition(ConditionKind.MARGIN, label, model, against.margin)
        if against.lead:
            yield Condition(ConditionKind.LEAD, label, model, against.lead)
        if len(kept) == 1 and not posted:
            continue  # alone and together are the same
        if alone.get(attacker.subject):
            yield Condition(ConditionKind.EACH_PHOTO, label, model, alone[attacker.subject])
        else:
            yield Condition(ConditionKind.NOT_EACH_PHOTO, label, model)


def _conditions_of_hidden(attacker: CopyAttacker) -> Iterator[Condition]:
    """What is hidden of a place, where that is less than what a model can tell apart."""
    against, label, model = attacker.against, attacker.hidden_name, attacker.model
    rivals, circles, globe = against.rivals, against.circles, attacker.info.globe
    if circles is None:
        others = against.cells - len(against.truth)
        if rivals is not None and len(rivals) < others:
            yield Condition(ConditionKind.RIVALS, label, model, len(rivals), others)
        if globe is not None and globe.fine:
            yield Condition(ConditionKind.FINE_CELLS, label, model, len(against.truth))
        elif globe is not None:
            place = attacker.place
            near = set(zone(globe, place.lat, place.lon, CITY_KM).cells.tolist())
            count = len(near & set(against.truth))
            if count < len(near):
                yield Condition(ConditionKind.CELLS_BESIDE, label, model, count, CITY_KM)
        return
    if rivals is not None and len(rivals) < against.cells:
        yield Condition(ConditionKind.POSSIBLE, label, model, len(rivals), against.cells)
    if circles.radius_km < CITY_KM:
        yield Condition(ConditionKind.SMALL_PLACES, label, model, circles.radius_km, CITY_KM)
    if globe is not None:
        apart = float(between_km(attacker.place.lat, attacker.place.lon, *globe.points).min())
        if apart > circles.radius_km:
            yield Condition(ConditionKind.COARSE, label, model, round(apart), circles.radius_km)


def _other_name(attacker: CopyAttacker) -> str:
    """The town near a place, where the certificate calls the place by a name of something else.

    A region or country may be named where all of its cells are hidden; where circles hide all of
    it, it has its name from them.
    """
    place, globe = attacker.place, attacker.info.globe
    town = place_label(place.lat, place.lon)
    if attacker.areas or place.label == town:
        return ""
    try:
        named = place_called(place.label)
    except PlaceError:
        return town
    if named.kind in {"region", "country"}:
        ground = () if globe is None else zone_of_place(globe, named).cells.tolist()
        return "" if ground and {*ground}.issubset(attacker.against.truth) else town
    return "" if between_km(place.lat, place.lon, named.lat, named.lon) <= FAR_KM else town

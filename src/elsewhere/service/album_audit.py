"""An album's audit: what every attacker infers of every place, and what the files tell besides.

One audit for each attacker, place and set of photos, in the order of the plan's threats; where no
place is known, one for each attacker.

Metadata and file names are not in a shared copy, which has bare renditions under names of their
own. They are shown because whoever posts the originals somewhere else gives them away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from elsewhere.album import Photo
from elsewhere.album.places import Places
from elsewhere.audit import Audit, Leaking, Truth, audit
from elsewhere.audit.inference import TOP
from elsewhere.audit.name_hints import places_in
from elsewhere.messages import coarse_cells
from elsewhere.service.notes import plan_independent_notes
from elsewhere.service.places import select_places
from elsewhere.service.planning import AlbumPlan
from elsewhere.service.posted import NOTHING_POSTED, Posted
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.threats import Threat, find_threats
from elsewhere.values.notes import Note, NoteKind
from elsewhere.values.scores import Scores
from elsewhere.values.wishes import Wishes

FILE_NAME = "file name"
_FIRST_KINDS = (
    *("position", "location", "city", "region", "country", FILE_NAME, "time zone"),
    *("serial number", "owner", "people", "image id", "caption", "description", "title", "comment"),
    *("keywords", "text", "thumbnail", "further pictures", "motion photo", "time", "camera"),
)
"""What tells the place or the person most comes first; the rest follows by its name."""
_MAX_EXAMPLES = 3


def metadata_leaks(photos: Sequence[Photo]) -> tuple[Leaking, ...]:
    """Every kind of thing that these photos' files tell, the most telling first."""
    found: dict[str, dict[str, list[str]]] = {}
    for photo in photos:
        for kind, text in photo_leaks(photo):
            found.setdefault(kind, {}).setdefault(photo.id, []).append(text)
    order = {kind: number for number, kind in enumerate(_FIRST_KINDS)}
    leaks = []
    for kind in sorted(found, key=lambda kind: (order.get(kind, len(order)), kind)):
        distinct = dict.fromkeys(texts[0] for texts in found[kind].values())  # one a photo
        leaks.append(Leaking(kind, tuple(found[kind]), tuple(distinct)[:_MAX_EXAMPLES]))
    return tuple(leaks)


def photo_leaks(photo: Photo) -> list[tuple[str, str]]:
    """What one file tells, as kind and text: places that its name may mean, and its metadata."""
    named = [(FILE_NAME, f"{place} in {photo.id}") for place in places_in(photo.id)]
    return [*named, *((leak.kind, leak.text) for leak in photo.metadata.leaks)]


HEADS = {"embedded": ("embedded:half_a", "embedded:half_b")}
"""Scorers with other heads for the same features, which give a second opinion."""


@dataclass(frozen=True)
class AlbumAudit:
    """What an album gives away."""

    audits: tuple[Audit, ...]
    """One for each threat, in their order; without a known place one for each attacker, and then
    no audit has a truth."""
    threats: tuple[Threat, ...]
    """Which attacker, place and photos each audit is of; empty without a known place."""
    leaks: tuple[Leaking, ...]
    """What the original files tell beside their pictures; nothing of it is in a shared copy."""
    notes: tuple[Note, ...] = ()


Opinions = Mapping[str, Mapping[str, Scores]]
"""By scorer as typed, then by the other head: the same photos as that head scores them."""


def audit_album(
    seen: ScoredAlbum,
    places: Places,
    wishes: Wishes,
    *,
    posted: Posted = NOTHING_POSTED,
    opinions: Opinions | None = None,
) -> AlbumAudit:
    """What the album gives away of the places that are to be hidden; no plan is needed."""
    if not places:
        found = tuple(
            audit_attack(seen, number, posted=posted, opinions=opinions)
            for number in range(len(seen.models))
        )
        return AlbumAudit(found, (), metadata_leaks(seen.photos), (*places.notes, *posted.notes))
    chosen = select_places(places, seen.photos, wishes.hide)
    threats = find_threats(seen, places, chosen.hidden, wishes.width, posted=posted)
    audits = audit_threats(seen, threats, posted=posted, opinions=opinions)
    notes = plan_independent_notes(
        seen, places, chosen, threats, wishes=replace(wishes, prior=None), posted=posted
    )
    # each audit's truth says how coarse its cells are
    notes = tuple(note for note in notes if note.kind != NoteKind.COARSE_CELLS)
    return AlbumAudit(audits, threats, metadata_leaks(seen.photos), notes)


def audit_threats(
    seen: ScoredAlbum,
    threats: Sequence[Threat],
    *,
    posted: Posted = NOTHING_POSTED,
    opinions: Opinions | None = None,
    plan: AlbumPlan | None = None,
) -> tuple[Audit, ...]:
    """One audit for each threat, of all photos that it adds up."""
    found = (
        audit_threat(seen, threats, number, posted=posted, opinions=opinions, plan=plan)
        for number in range(len(threats))
    )
    return tuple(audit for audit in found if audit is not None)


def audit_threat(
    seen: ScoredAlbum,
    threats: Sequence[Threat],
    number: int,
    *,
    posted: Posted = NOTHING_POSTED,
    opinions: Opinions | None = None,
    plan: AlbumPlan | None = None,
    kept: Sequence[int] | None = None,
    top: int = TOP,
) -> Audit | None:
    """What one threat infers, its `top` first guesses named; with `kept`, of those photos and the
    posted ones alone.

    None where it then sees no photo at all. With a plan, shares are measured against the rivals
    that hold in it: as many of the foremost as were asked for, so that the secret k stays secret.
    """
    threat = threats[number]
    photos: Sequence[int] = range(len(seen.photos) + len(posted.ids))
    if threat.sees is not None:
        photos = threat.sees
    if kept is not None:
        public = {*kept, *posted.already}
        photos = [photo for photo in photos if photo >= len(seen.photos) or photo in public]
    if not photos:
        return None
    rivals, margin = None, 0.0
    if plan is not None and plan.plan.views:
        named = plan.plan.views[number].rivals
        rivals = named[: plan.wishes.top] if plan.wishes.top is not None else named
        margin = plan.plan.promise.against[number].margin
    return audit_attack(
        seen,
        threat.model,
        posted=posted,
        opinions=opinions,
        truth=Truth(
            tuple(threat.zone.cells.tolist()),
            threat.hidden_name,
            threat.place.lat,
            threat.place.lon,
            threat.place.positions,
            coarse_cells(threat.zone.widest_cell_km, threat.zone.radius_km),
        ),
        sees=photos,
        among=possible_cells(threats, threat),
        rivals=rivals or None,
        margin=margin,
        top=top,
    )


def audit_attack(
    seen: ScoredAlbum,
    number: int,
    *,
    posted: Posted = NOTHING_POSTED,
    opinions: Opinions | None = None,
    truth: Truth | None = None,
    sees: Sequence[int] | None = None,
    among: Sequence[int] | None = None,
    rivals: Sequence[int] | None = None,
    margin: float = 0.0,
    top: int = TOP,
) -> Audit:
    """What one attacker infers from some of the album's photos and what is posted already."""
    attack = seen.models[number]
    return audit(
        posted.append_to(attack.scores, number),
        truth,
        exponents=attack.about.exponents,
        cells=attack.about.globe,
        sees=sees,
        among=among,
        rivals=rivals,
        margin=margin,
        # the heads have not seen what was posted, and half an album would be another question
        opinions=None if posted.ids else (opinions or {}).get(attack.spec),
        scorer=attack.spec,
        top=top,
    )


def with_second_heads(specs: Sequence[str]) -> tuple[str, ...]:
    """The scorers, then the other heads that give a second opinion, for `score_album`.

    The heads use the features that the scorer computes, so they cost next to nothing.

    >>> with_second_heads(["embedded"])
    ('embedded', 'embedded:half_a', 'embedded:half_b')
    """
    heads = (head for spec in specs for head in HEADS.get(spec, ()))
    return tuple(dict.fromkeys((*specs, *heads)))


def second_opinions(seen: ScoredAlbum, specs: Sequence[str]) -> tuple[ScoredAlbum, Opinions]:
    """An album scored `with_second_heads`: as the scorers see it, and as the other heads do."""
    scores = {attack.spec: attack.scores for attack in seen.models}
    own = tuple(attack for attack in seen.models if attack.spec in specs)
    opinions = {
        spec: {head: scores[head] for head in HEADS[spec]} for spec in specs if spec in HEADS
    }
    return replace(seen, models=own), opinions


def possible_cells(threats: Sequence[Threat], threat: Threat) -> Sequence[int] | None:
    """The cells that are possible at all, where what the audience knows makes the world smaller."""
    same = [other for other in threats if other.model == threat.model]
    possible = {*threat.rivals, *(cell for other in same for cell in other.zone.cells.tolist())}
    everything = len(threat.zone.cells) + len(threat.zone.decoys)
    return sorted(possible) if threat.rivals and len(possible) < everything else None

"""What attackers infer from an album, and what its files tell besides.

An audit is for one attacker, place and set of photos, in the order of the plan's threats; where no
place is known, there is one for each attacker. `Beliefs` has only the parts that change with every
click, for a whole audit takes longer.

Metadata and file names are not in a shared copy. They are shown because whoever posts the
originals somewhere else gives them away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from elsewhere.album import Photo
from elsewhere.album.places import Places
from elsewhere.audit import Audit, Guess, Leaking, Truth, audit
from elsewhere.audit.inference import TOP, Floats, basis, gains, own_ranks, rank
from elsewhere.audit.name_hints import places_in
from elsewhere.globe import Cells, cell_names, cell_towns
from elsewhere.messages import coarse_cells, threat_name
from elsewhere.scorers.protocol import combine_rows, exponent, log_softmax
from elsewhere.service.advice import plan_independent_notes
from elsewhere.service.planning import AlbumPlan
from elsewhere.service.posted import NOTHING_POSTED, Posted
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.selection import select_places
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
    scored: ScoredAlbum,
    places: Places,
    wishes: Wishes,
    *,
    posted: Posted = NOTHING_POSTED,
    opinions: Opinions | None = None,
) -> AlbumAudit:
    """What the album gives away of the places that are to be hidden; no plan is needed."""
    if not places:
        found = tuple(
            audit_model(scored, number, posted=posted, opinions=opinions)
            for number in range(len(scored.models))
        )
        return AlbumAudit(found, (), metadata_leaks(scored.photos), (*places.notes, *posted.notes))
    chosen = select_places(places, scored.photos, wishes.hide)
    wishes = replace(wishes, prior=None, top=None)
    threats = find_threats(scored, places, chosen.hidden, wishes, posted)
    audits = audit_threats(scored, threats, posted=posted, opinions=opinions)
    notes = plan_independent_notes(scored, places, chosen, threats, wishes=wishes, posted=posted)
    # each audit's truth says how coarse its cells are
    shown = tuple(note for note in notes if note.kind != NoteKind.COARSE_CELLS)
    return AlbumAudit(audits, threats, metadata_leaks(scored.photos), shown)


def audit_threats(
    scored: ScoredAlbum,
    threats: Sequence[Threat],
    *,
    posted: Posted = NOTHING_POSTED,
    opinions: Opinions | None = None,
    plan: AlbumPlan | None = None,
) -> tuple[Audit, ...]:
    """One audit for each threat, of all photos that it adds up."""
    found = (
        audit_threat(scored, threats, number, posted=posted, opinions=opinions, plan=plan)
        for number in range(len(threats))
    )
    return tuple(audit for audit in found if audit is not None)


def audit_threat(
    scored: ScoredAlbum,
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
    photos: Sequence[int] = range(len(scored.photos) + len(posted.ids))
    if threat.sees is not None:
        photos = threat.sees
    if kept is not None:
        public = {*kept, *posted.already}
        photos = [photo for photo in photos if photo >= len(scored.photos) or photo in public]
    if not photos:
        return None
    rivals, margin = _decoys(plan, number)
    model = scored.models[threat.model]
    return audit(
        posted.append_to(model.scores, threat.model),
        Truth(
            tuple(threat.zone.cells.tolist()),
            threat.hidden_name,
            threat.place.lat,
            threat.place.lon,
            threat.place.positions,
            coarse_cells(threat.zone.widest_cell_km, threat.zone.radius_km),
        ),
        exponents=model.about.exponents,
        cells=model.about.globe,
        sees=photos,
        among=possible_cells(threats, threat),
        rivals=rivals,
        margin=margin,
        # the heads have not seen what was posted, and half an album would be another question
        opinions=None if posted.ids else (opinions or {}).get(model.spec),
        scorer=model.spec,
        top=top,
    )


def _decoys(plan: AlbumPlan | None, number: int) -> tuple[Sequence[int] | None, float]:
    """The rivals of a threat that a plan names, as many as were asked for, and the margin."""
    if plan is None or not plan.plan.views:
        return None, 0.0
    rivals = plan.plan.views[number].rivals[: plan.wishes.top]
    return rivals or None, plan.plan.promise.against[number].margin


def audit_model(
    scored: ScoredAlbum,
    number: int,
    *,
    posted: Posted = NOTHING_POSTED,
    opinions: Opinions | None = None,
    top: int = TOP,
) -> Audit:
    """What one model guesses from all photos, where no place is known."""
    model = scored.models[number]
    return audit(
        posted.append_to(model.scores, number),
        exponents=model.about.exponents,
        cells=model.about.globe,
        opinions=None if posted.ids else (opinions or {}).get(model.spec),
        scorer=model.spec,
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


def second_opinions(scored: ScoredAlbum, specs: Sequence[str]) -> tuple[ScoredAlbum, Opinions]:
    """An album scored `with_second_heads`: as the scorers see it, and as the other heads do."""
    scores = {attack.spec: attack.scores for attack in scored.models}
    own = tuple(attack for attack in scored.models if attack.spec in specs)
    opinions = {
        spec: {head: scores[head] for head in HEADS[spec]} for spec in specs if spec in HEADS
    }
    return replace(scored, models=own), opinions


def possible_cells(threats: Sequence[Threat], threat: Threat) -> Sequence[int] | None:
    """The cells that are possible at all, where what the audience knows makes the world smaller."""
    same = [other for other in threats if other.model == threat.model]
    possible = {*threat.rivals, *(cell for other in same for cell in other.zone.cells.tolist())}
    everything = len(threat.zone.cells) + len(threat.zone.decoys)
    return sorted(possible) if threat.rivals and len(possible) < everything else None


ScoreCache = dict[tuple[str, tuple[str, ...]], Floats]
"""Scores by model, and by what is posted beside the album's own photos."""
GUESS_COUNT = 5
"""Guesses that are named in a belief."""


@dataclass(frozen=True)
class Belief:
    """What one attacker believes of one hidden place, from some photos."""

    threat: Threat
    scorer: str
    photos: int
    cells: int
    rank: int
    probability: float
    guesses: tuple[Guess, ...]


class Beliefs:
    """The threats of one choice of places, each over any set of shared photos."""

    def __init__(
        self,
        scored: ScoredAlbum,
        threats: Sequence[Threat],
        posted: Posted,
        cache: ScoreCache | None = None,
    ) -> None:
        """`cache` is shared by all beliefs about one album, for it is large."""
        self.scored, self.threats, self.posted = scored, tuple(threats), posted
        self._photos = len(scored.photos)
        self._cache: ScoreCache = {} if cache is None else cache

    @cached_property
    def before(self) -> tuple[Belief, ...]:
        """Every belief from the album as it is."""
        return self.after(None)

    def after(self, kept: Sequence[int] | None) -> tuple[Belief, ...]:
        """Every belief from what would be shared; threats that see no photo are left out."""
        beliefs = (self.belief(number, kept) for number in range(len(self.threats)))
        return tuple(belief for belief in beliefs if belief is not None)

    @cached_property
    def names(self) -> list[str]:
        """The threats for people."""
        several = len(self.scored.models) > 1
        models = [model.spec if several else "" for model in self.scored.models]
        return [threat_name(t.hidden_name, t.own, models[t.model]) for t in self.threats]

    @cached_property
    def own_ranks(self) -> list[int | None]:
        """For each photo, the rank of its place by that photo alone, for the first model."""
        ranks: list[int | None] = [None] * self._photos
        for number in self._first_threats:
            by_photo = own_ranks(self._rows(number), self.threats[number].zone.cells)
            for photo in self._visible(number):
                if photo < self._photos and ranks[photo] is None:
                    ranks[photo] = int(by_photo[photo])
        return ranks

    def shares(self, plan: AlbumPlan | None) -> list[float | None]:
        """What each photo does against the plan's decoys, by the first threat that sees it."""
        shares: list[float | None] = [None] * self._photos
        for number in self._first_threats:
            visible = self._visible(number)
            rivals, margin = _decoys(plan, number)
            measured = basis(self._rows(number, visible), self.threats[number].zone.cells, rivals)
            for photo, gain in zip(visible, gains(measured, margin).tolist(), strict=True):
                if photo < self._photos and shares[photo] is None:
                    shares[photo] = round(gain, 4)
        return shares

    def belief(self, number: int, kept: Sequence[int] | None) -> Belief | None:
        """What one threat believes; None where it sees no photo at all."""
        probabilities = self.probabilities(number, kept)
        if probabilities is None:
            return None
        threat, photos = self.threats[number], self._shared(number, kept)
        attack = self.scored.models[threat.model]
        return Belief(
            threat=threat,
            scorer=attack.spec,
            photos=len(photos),
            cells=attack.about.cells,
            rank=rank(self._rows(number, photos), threat.zone.cells),
            probability=min(1.0, float(probabilities[threat.zone.cells].sum())),
            guesses=likeliest_cells(probabilities, attack.about.globe, GUESS_COUNT),
        )

    def probabilities(self, number: int, kept: Sequence[int] | None) -> Floats | None:
        """How probable one threat finds every cell; None where it sees no photo at all."""
        photos = self._shared(number, kept)
        if not photos:
            return None
        about = self.scored.models[self.threats[number].model].about
        probabilities: Floats = np.exp(combine_rows(self._rows(number, photos), about.exponents))
        return probabilities

    def first_model_threats(self, photo: int) -> list[int]:
        """The first model's threats that see a photo, by number."""
        return [
            number
            for number, threat in enumerate(self.threats)
            if threat.model == 0 and (threat.sees is None or photo in threat.sees)
        ]

    @cached_property
    def _first_threats(self) -> list[int]:
        """The first model's threat over each place's own photos."""
        first: dict[str, int] = {}
        for number, threat in enumerate(self.threats):
            if threat.model == 0:
                first.setdefault(threat.place.label, number)
        return list(first.values())

    def _visible(self, number: int) -> list[int]:
        visible = self.threats[number].sees
        return list(range(self._photos + len(self.posted.ids)) if visible is None else visible)

    def _shared(self, number: int, kept: Sequence[int] | None) -> list[int]:
        visible = self._visible(number)
        if kept is None:
            return visible
        public = {*kept, *self.posted.already}
        return [photo for photo in visible if photo >= self._photos or photo in public]

    def _rows(self, number: int, photos: list[int] | None = None) -> Floats:
        """The rows of some photos, or of all, without the cells that the audience rules out."""
        attack = self.threats[number].model
        key = self.scored.models[attack].spec, self.posted.ids
        if key not in self._cache:
            scores = self.posted.append_to(self.scored.models[attack].scores, attack)
            self._cache[key] = scores.values.astype(np.float64)
        rows = self._cache[key]
        if photos is not None and len(photos) < len(rows):
            rows = rows[photos]
        possible = self._possible[attack]
        return rows if possible is None else np.where(possible, rows, -np.inf)

    @cached_property
    def _possible(self) -> dict[int, NDArray[np.bool_] | None]:
        """By model: the cells that are possible at all; None where every cell is."""
        masks: dict[int, NDArray[np.bool_] | None] = {}
        for threat in self.threats:
            if threat.model in masks:
                continue
            masks[threat.model] = None
            cells = possible_cells(self.threats, threat)
            if cells is not None:
                mask = np.zeros(self.scored.models[threat.model].about.cells, dtype=bool)
                mask[list(cells)] = True
                masks[threat.model] = mask
        return masks


def album_guesses(scored: ScoredAlbum, count: int) -> tuple[Guess, ...]:
    """What the first model thinks of the whole album."""
    attack = scored.models[0]
    probabilities = np.exp(combine_rows(attack.scores.values, attack.about.exponents))
    return likeliest_cells(probabilities, attack.about.globe, count)


def photo_probabilities(scored: ScoredAlbum, photo: int) -> Floats:
    """How probable the first model finds every cell by one photo alone."""
    attack = scored.models[0]
    row = attack.scores.values[photo].astype(np.float64)
    probabilities: Floats = np.exp(log_softmax(exponent(attack.about.exponents, 1) * row))
    return probabilities


def likeliest_cells(probabilities: Floats, cells: Cells | None, count: int) -> tuple[Guess, ...]:
    """The likeliest cells, by name."""
    first = np.argsort(-probabilities, kind="stable")[:count].tolist()
    return tuple(named_cell(cell, cells, float(probabilities[cell])) for cell in first)


def named_cell(cell: int, cells: Cells | None, probability: float = 0.0) -> Guess:
    """A cell by its name."""
    probability = min(1.0, max(0.0, probability))
    if cells is None:
        return Guess(cell, f"cell {cell}", None, None, probability)
    lat, lon = cell_towns(cells)
    return Guess(cell, cell_names(cells)[cell], float(lat[cell]), float(lon[cell]), probability)

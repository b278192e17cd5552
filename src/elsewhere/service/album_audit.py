"""What attackers infer from an album, and what its files tell besides.

An audit is for one attacker, place and set of photos, in the order of the plan's threats; where no
place is known, there is one for each attacker. `Beliefs` has only the parts that change with every
click, for a whole audit takes longer.

Metadata and file names are not in a shared copy. They are shown because whoever posts the
originals somewhere else gives them away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from elsewhere.album import Photo
from elsewhere.album.places import AlbumPlace, Places, Position
from elsewhere.audit import Audit, Guess, Leaking, Truth, audit
from elsewhere.audit.inference import RIVALS, TOP, Floats, Ints, basis, gains, own_ranks, rank
from elsewhere.audit.name_hints import places_in
from elsewhere.audit.places import (
    MAX_RANK,
    PlaceGuesses,
    place_guesses,
    probabilities_of,
    total_of,
)
from elsewhere.globe import Cells, across_km, cell_names, cell_towns
from elsewhere.messages import coarse_cells, threat_name
from elsewhere.scorers.protocol import DEFAULT, exponent
from elsewhere.service.advice import plan_independent_notes
from elsewhere.service.edited_album import with_chosen_rows
from elsewhere.service.photo_texts import telling_text
from elsewhere.service.planning import AlbumPlan
from elsewhere.service.posted import NOTHING_POSTED, Posted
from elsewhere.service.scored_album import ScoredAlbum, model_name
from elsewhere.service.selection import hidden_positions, select_places
from elsewhere.service.text_rows import read_and_seen
from elsewhere.service.threats import Threat, find_threats
from elsewhere.values.notes import Note, NoteKind
from elsewhere.values.outcome import KeyNumbers, PlaceNumbers, measured_trips
from elsewhere.values.photo_text import Clue, PhotoText, TextLine
from elsewhere.values.scores import FloatMatrix, Scores
from elsewhere.values.wishes import CITY_KM, Wishes

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
    texts: tuple[AuditedText, ...] = ()
    """The photos on which text was found, in the album's order."""
    numbers: KeyNumbers | None = None
    """What is said first; None without a known place."""


@dataclass(frozen=True)
class AuditedText:
    """The text of one photo, and what of it names a place near what is hidden."""

    text: PhotoText
    telling: tuple[tuple[TextLine, Clue], ...] = ()


@dataclass(frozen=True)
class SecondOpinions:
    """The photos as others than the scorer score them."""

    heads: Mapping[str, Scores] = field(default_factory=dict)
    """Other heads, by name."""
    reader: Scores | None = None
    """Somebody who sees what the scorer sees and reads the text, where it says something."""


Opinions = Mapping[str, SecondOpinions]
"""By scorer as typed."""


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
        radius = wishes.width.radius_km
        found = tuple(
            audit_model(scored, number, posted=posted, opinions=opinions, radius_km=radius)
            for number in range(len(scored.models))
        )
        notes = (*places.notes, *posted.notes)
        texts = audited_texts(scored, (), wishes)
        return AlbumAudit(found, (), metadata_leaks(scored.photos), notes, texts)
    chosen = select_places(places, scored.photos, wishes.hide)
    wishes = replace(wishes, prior=None, top=None)
    threats = find_threats(scored, places, chosen.hidden, wishes, posted)
    audits = audit_threats(scored, threats, posted=posted, opinions=opinions)
    found_notes = plan_independent_notes(
        scored, places, chosen, threats, wishes=wishes, posted=posted
    )
    # each audit's truth says how coarse its cells are
    shown = tuple(note for note in found_notes if note.kind != NoteKind.COARSE_CELLS)
    texts = audited_texts(scored, chosen.hidden, wishes)
    numbers = Beliefs(scored, threats, posted).key_numbers()
    return AlbumAudit(audits, threats, metadata_leaks(scored.photos), shown, texts, numbers)


def audited_texts(
    scored: ScoredAlbum, hidden: Sequence[AlbumPlace], wishes: Wishes
) -> tuple[AuditedText, ...]:
    """The text of every photo that has some, with what gives the hidden places away."""
    found = []
    for photo in scored.photos:
        text = scored.texts.get(photo.id)
        if text is not None and (text.lines or text.more or text.failed):
            found.append(AuditedText(text, telling_text(text, hidden, wishes.width)))
    return tuple(found)


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
    model, zone = scored.models[threat.model], threat.zone
    second = _second(opinions, model.spec, posted)
    return audit(
        posted.append_to(model.scores, threat.model),
        Truth(
            tuple(zone.cells.tolist()),
            threat.hidden_name,
            threat.place.lat,
            threat.place.lon,
            threat.place.positions if threat.circles is None else own_positions(scored, threat),
            "" if threat.circles else coarse_cells(zone.widest_cell_km, zone.radius_km),
            threat.circles,
            threat.resolution_km,
            threat.whole_area,
        ),
        exponents=model.about.exponents,
        cells=model.about.globe,
        sees=photos,
        among=possible_cells(threats, threat),
        rivals=rivals,
        margin=margin,
        opinions=second.heads,
        reader=second.reader,
        scorer=model.spec,
        top=top,
    )


def own_positions(scored: ScoredAlbum, threat: Threat) -> tuple[Position, ...]:
    """What is hidden of a threat's own place by circles."""
    cells = scored.models[threat.model].about.globe
    assert cells is not None
    return tuple(sorted(set(hidden_positions(cells, threat.place, threat.width))))


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
    radius_km: float = CITY_KM,
) -> Audit:
    """What one model guesses from all photos, where no place is known."""
    model = scored.models[number]
    second = _second(opinions, model.spec, posted)
    return audit(
        posted.append_to(model.scores, number),
        exponents=model.about.exponents,
        cells=model.about.globe,
        opinions=second.heads,
        reader=second.reader,
        scorer=model.spec,
        top=top,
        radius_km=radius_km,
    )


def _second(opinions: Opinions | None, spec: str, posted: Posted) -> SecondOpinions:
    """The second opinions beside a scorer; none of them has seen what was posted, and half an
    album would be another question."""
    given = opinions if opinions is not None and not posted.ids else {}
    return given.get(spec, SecondOpinions())


def with_second_heads(specs: Sequence[str]) -> tuple[str, ...]:
    """The scorers, then the other heads that give a second opinion, for `score_album`.

    The heads use the features that the scorer computes, so they cost next to nothing.

    >>> with_second_heads(["embedded"])
    ('embedded', 'embedded:half_a', 'embedded:half_b')
    """
    heads = (head for spec in specs for head in HEADS.get(spec, ()))
    return tuple(dict.fromkeys((*specs, *heads)))


def second_opinions(scored: ScoredAlbum, specs: Sequence[str]) -> tuple[ScoredAlbum, Opinions]:
    """An album scored `with_second_heads`: as the scorers see it, and as the other heads do.

    Where the photos' texts say something, so does somebody who reads them beside the scorer.
    """
    scores = {attack.spec: attack.scores for attack in scored.models}
    own = tuple(attack for attack in scored.models if attack.spec in specs)
    scored, opinions = replace(scored, models=own), {}
    for number, attack in enumerate(own):
        heads = {head: scores[head] for head in HEADS.get(attack.spec, ())}
        reader = read_and_seen(scored, number)
        if heads or reader is not None:
            opinions[attack.spec] = SecondOpinions(heads, reader)
    return scored, opinions


def possible_cells(threats: Sequence[Threat], threat: Threat) -> Sequence[int] | None:
    """The cells that are possible at all, where what the audience knows makes the world smaller."""
    if threat.rivals is None:
        return None
    same = [other for other in threats if other.model == threat.model]
    possible = {*threat.rivals, *(cell for other in same for cell in other.zone.cells.tolist())}
    everything = len(threat.zone.cells) + len(threat.zone.decoys)
    return sorted(possible) if len(possible) < everything else None


GUESS_COUNT = 5
"""Guesses that are named in a belief."""
MAX_KNOWN = 512
"""Beliefs that are kept: a click changes what few threats see."""
RANK_LIMIT = MAX_RANK
"""A place that comes later among places has no rank."""


@dataclass(frozen=True)
class Belief:
    """What one attacker believes of one hidden place, from some photos."""

    threat: Threat
    scorer: str
    photos: int
    cells: int
    rank: int
    """Above `MAX_RANK` of places: it is not among so many."""
    probability: float
    """Within the radius of the photos; of coarse cells, of all cells of the zone."""
    guesses: tuple[Guess, ...]


class Beliefs:
    """The threats of one choice of places, each over any set of shared photos."""

    def __init__(self, scored: ScoredAlbum, threats: Sequence[Threat], posted: Posted) -> None:
        self.scored, self.threats, self.posted = scored, tuple(threats), posted
        self._photos = len(scored.photos)
        self._guesses: dict[int, PlaceGuesses] = {}
        self._centres: dict[int, tuple[int, list[int]]] = {}
        self._scores: dict[int, Scores] = {}
        self._known: dict[tuple[int, tuple[int, ...]], Belief | None] = {}

    @cached_property
    def before(self) -> tuple[Belief, ...]:
        """Every belief from the album as it is."""
        return tuple(self._before)

    @cached_property
    def _before(self) -> list[Belief]:
        """By the threats' numbers; each sees at least one photo of the whole album."""
        beliefs = (self.belief(number, None) for number in range(len(self.threats)))
        return [belief for belief in beliefs if belief is not None]

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
    def finest_km(self) -> float:
        """How wide the narrowest cell is that holds something hidden, for the first model.

        0 where that model guesses no places. A radius below half of it is finer than its cells.
        """
        cells = self.scored.models[0].about.globe
        spots = [
            spot
            for threat in self.threats
            if threat.model == 0 and threat.circles is not None
            for spot in threat.place.positions
        ]
        if cells is None or not spots:
            return 0.0
        return float(across_km(cells)[cells.locate(*np.array(spots).T)].min())

    @cached_property
    def own_ranks(self) -> list[int | None]:
        """For each photo, the rank of its place by that photo alone, for the first model."""
        ranks: list[int | None] = [None] * self._photos
        for number in self._first_threats:
            for photo in self._visible(number):
                if photo < self._photos and ranks[photo] is None:
                    ranks[photo] = self.alone(number, photo)
        return ranks

    def alone(self, number: int, photo: int) -> int:
        """The rank of a threat's place by one photo alone."""
        places = self._places(number)
        if places is None:
            row = self._possible_rows(number, [photo])
            return int(own_ranks(row, self.threats[number].zone.cells)[0])
        row = self._values(number)[photo].astype(np.float64)
        return places.rank(places.first(self._probabilities(number, row, 1), MAX_RANK)[0])

    def gains(self, number: int, photo: int, rivals: Sequence[int]) -> Floats:
        """How much more one photo speaks for each rival than for the place, in nats."""
        places, zone = self._places(number), self.threats[number].zone.cells
        if places is None:
            row = self._possible_rows(number, [photo])[0]
            return np.asarray(row[list(rivals)] - row[zone].max())
        table = places.table(self._values(number), [photo], self._columns(number, rivals))
        return np.asarray(table[0, 1:] - table[0, 0])

    def shares(self, plan: AlbumPlan | None) -> list[float | None]:
        """What each photo does against the plan's decoys, by the first threat that sees it."""
        shares: list[float | None] = [None] * self._photos
        for number in self._first_threats:
            visible, places = self._visible(number), self._places(number)
            rivals, margin = _decoys(plan, number)
            if places is None:
                rows, zone = self._possible_rows(number, visible), self.threats[number].zone.cells
                measured = basis(rows, zone, rivals)
            else:
                columns = self._columns(number, rivals)
                table = places.table(self._values(number), visible, columns)
                measured = basis(table, np.array([0]), range(1, len(columns)))
            for photo, gain in zip(visible, gains(measured, margin).tolist(), strict=True):
                if photo < self._photos and shares[photo] is None:
                    shares[photo] = round(gain, 4)
        return shares

    def belief(self, number: int, kept: Sequence[int] | None) -> Belief | None:
        """What one threat believes; None where it sees no photo at all."""
        key = number, tuple(self._shared(number, kept))
        if len(self._known) >= MAX_KNOWN:
            self._known = {}
        known = self._known
        if key not in known:
            known[key] = self._belief(number, kept)
        return known[key]

    def _belief(self, number: int, kept: Sequence[int] | None) -> Belief | None:
        probabilities = self.probabilities(number, kept)
        if probabilities is None:
            return None
        threat, photos = self.threats[number], self._shared(number, kept)
        attack, places = self.scored.models[threat.model], self._places(number)
        if places is None:
            place_rank = rank(self._possible_rows(number, photos), threat.zone.cells)
            probability = min(1.0, float(probabilities[threat.zone.cells].sum()))
            guesses = likeliest_cells(probabilities, attack.about.globe, GUESS_COUNT)
        else:
            centres, masses = places.first(probabilities, MAX_RANK)
            place_rank, probability = places.rank(centres), places.within(probabilities)
            hidden = None if threat.whole_area else (threat.hidden_name, probability)
            guesses = places.guesses(centres, masses, GUESS_COUNT, hidden)
        return Belief(
            threat=threat,
            scorer=attack.spec,
            photos=len(photos),
            cells=attack.about.cells,
            rank=place_rank,
            probability=probability,
            guesses=guesses,
        )

    def key_numbers(self, plan: AlbumPlan | None = None) -> KeyNumbers:
        """The numbers that every surface leads with: each model's of each place's own photos."""
        first: dict[tuple[int, str], int] = {}
        for number, threat in enumerate(self.threats):
            first.setdefault((threat.model, threat.hidden_name), number)
        kept = plan.plan.kept if plan is not None and plan.plan.found else None
        places, before = [], self._before
        shared = self
        if plan is not None and plan.versions is not None:  # what is edited tells less
            shared = Beliefs(with_chosen_rows(self.scored, plan), self.threats, self.posted)
        for number in first.values():
            threat = self.threats[number]
            after = None if kept is None else shared.belief(number, kept)
            places.append(
                PlaceNumbers(
                    place=threat.hidden_name,
                    model=model_name(self.scored.models[threat.model].spec),
                    radius_km=None if threat.circles is None else threat.circles.radius_km,
                    probability_before=before[number].probability,
                    probability_after=None if after is None else after.probability,
                    rank_before=before[number].rank,
                    rank_limit=MAX_RANK if threat.circles else None,
                    whole=threat.whole_area,
                    resolution_km=threat.resolution_km,
                )
            )
        measured, place = None, self.threats[0]
        # a trip is all of one place, and was seen by one model
        if len(self.threats) == 1 and self.scored.models[0].spec == DEFAULT:
            wishes = plan.wishes if plan is not None else None
            other = (NoteKind.TOGETHER_ONLY, NoteKind.TIGHTENED, NoteKind.FOUND_BY_ATTACKS)
            usual = plan is None or (
                plan.plan.found
                and not (plan.telling or plan.posted_count)
                and not any(note.kind in other for note in plan.notes)
            )
            if place.circles is not None and place.width.level is None and not place.place.area:
                radius = place.circles.radius_km
                measured = measured_trips(radius, self._photos, wishes, usual=usual)
        promised = plan is not None and plan.plan.found and not plan.empty
        top = plan.wishes.top or plan.plan.protected_k if plan is not None and promised else None
        chosen = 0 if plan is None else len({*plan.plan.withheld} - {*plan.plan.promise.drop})
        return KeyNumbers(tuple(places), measured, top, chosen)

    def probabilities(self, number: int, kept: Sequence[int] | None) -> Floats | None:
        """How probable one threat finds every cell; None where it sees no photo at all."""
        photos = self._shared(number, kept)
        if not photos:
            return None
        total = total_of(self._values(number), photos)
        return self._probabilities(number, total, len(photos))

    def likeliest(
        self, number: int, probabilities: Floats, count: int = GUESS_COUNT
    ) -> tuple[Guess, ...]:
        """The first places, or the likeliest cells, by what one threat finds probable."""
        places, threat = self._places(number), self.threats[number]
        if places is None:
            globe = self.scored.models[threat.model].about.globe
            return likeliest_cells(probabilities, globe, count)
        hidden = (threat.hidden_name, places.within(probabilities))
        first = places.first(probabilities, 2 * count)  # some may be one place
        return places.guesses(*first, count, None if threat.whole_area else hidden)

    def rivals(
        self, number: int, cells: Sequence[int], probabilities: Floats | None = None
    ) -> tuple[Guess, ...]:
        """Rivals that a plan names, with how probable one threat finds them."""
        places, threat = self._places(number), self.threats[number]
        if places is None:
            globe = self.scored.models[threat.model].about.globe
            return tuple(
                named_cell(
                    cell, globe, 0.0 if probabilities is None else float(probabilities[cell])
                )
                for cell in cells
            )
        centres = np.array(cells, dtype=np.int64)
        masses = np.zeros(len(centres))
        if probabilities is not None:
            masses = places.masses(probabilities)[centres]
        return places.guesses(centres, masses)

    def likely_cells(
        self, number: int, probabilities: Floats, count: int
    ) -> list[tuple[float, float, float]]:
        """The likeliest cells of a threat's model: latitude, longitude, probability."""
        cells = self.scored.models[self.threats[number].model].about.globe
        if cells is None:
            return []
        lat, lon = cell_towns(cells)
        first = np.argsort(-probabilities, kind="stable")[:count]
        found = np.column_stack((lat[first], lon[first], probabilities[first].clip(0.0, 1.0)))
        return [(float(one), float(two), float(p)) for one, two, p in found]

    def near(self, number: int, probabilities: Floats) -> float:
        """The probability of a threat's place: within the radius, or of its cells."""
        places = self._places(number)
        if places is not None:
            return places.within(probabilities)
        return min(1.0, float(probabilities[self.threats[number].zone.cells].sum()))

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

    def _places(self, number: int) -> PlaceGuesses | None:
        """The places that a threat guesses; None where it guesses cells."""
        threat = self.threats[number]
        if threat.circles is None:
            return None
        if number not in self._guesses:
            cells = self.scored.models[threat.model].about.globe
            assert cells is not None
            positions = own_positions(self.scored, threat)
            self._guesses[number] = place_guesses(cells, threat.circles.radius_km, positions)
        return self._guesses[number]

    def _columns(self, number: int, rivals: Sequence[int] | None) -> list[int]:
        """The centre of the hidden place that all photos make likeliest, then those of rivals."""
        places, threat = self._places(number), self.threats[number]
        assert places is not None and threat.circles is not None
        if number not in self._centres:
            probabilities = self.probabilities(number, None)
            assert probabilities is not None
            own = int(np.where(places.near, places.masses(probabilities), -1.0).argmax())
            foremost = places.first(probabilities, MAX_RANK)[0]
            others = places.rivals(foremost, threat.circles.positions)[:RIVALS]
            self._centres[number] = own, others.tolist()
        hidden, foremost_rivals = self._centres[number]
        return [hidden, *(foremost_rivals if rivals is None else rivals)]

    def _visible(self, number: int) -> list[int]:
        visible = self.threats[number].sees
        return list(range(self._photos + len(self.posted.ids)) if visible is None else visible)

    def _shared(self, number: int, kept: Sequence[int] | None) -> list[int]:
        visible = self._visible(number)
        if kept is None:
            return visible
        public = {*kept, *self.posted.already}
        return [photo for photo in visible if photo >= self._photos or photo in public]

    def _values(self, number: int) -> FloatMatrix:
        """The rows of all photos, with those that are posted behind them."""
        model = self.threats[number].model
        if model not in self._scores:
            self._scores[model] = self.posted.append_to(self.scored.models[model].scores, model)
        return self._scores[model].values

    def _probabilities(self, number: int, total: Floats, photos: int) -> Floats:
        about = self.scored.models[self.threats[number].model].about
        possible = self._possible[self.threats[number].model]
        return probabilities_of(total, exponent(about.exponents, photos), possible)

    def _possible_rows(self, number: int, photos: Sequence[int]) -> Floats:
        """The rows of some photos without the cells that the audience rules out."""
        rows = self._values(number)[list(photos)].astype(np.float64)
        possible = self._possible[self.threats[number].model]
        if possible is not None:
            rows[:, np.setdiff1d(np.arange(rows.shape[1]), possible)] = -np.inf
        return rows

    @cached_property
    def _possible(self) -> dict[int, Ints | None]:
        """By model: the cells that are possible at all; None where every cell is."""
        found: dict[int, Ints | None] = {}
        for threat in self.threats:
            if threat.model not in found:
                cells = possible_cells(self.threats, threat)
                found[threat.model] = None if cells is None else np.array(cells, dtype=np.int64)
        return found


def album_guesses(scored: ScoredAlbum, count: int) -> tuple[Guess, ...]:
    """What the first model thinks of the whole album."""
    attack = scored.models[0]
    values = attack.scores.values
    power = exponent(attack.about.exponents, len(values))
    probabilities = probabilities_of(total_of(values, range(len(values))), power)
    return first_guesses(probabilities, attack.about.globe, count)


def photo_probabilities(scored: ScoredAlbum, photo: int) -> Floats:
    """How probable the first model finds every cell by one photo alone."""
    attack = scored.models[0]
    row = attack.scores.values[photo].astype(np.float64)
    return probabilities_of(row, exponent(attack.about.exponents, 1))


def first_guesses(
    probabilities: Floats, cells: Cells | None, count: int, radius_km: float = CITY_KM
) -> tuple[Guess, ...]:
    """The first places, or where cells are coarse the likeliest cells, by name."""
    if cells is None or not cells.fine:
        return likeliest_cells(probabilities, cells, count)
    places = place_guesses(cells, radius_km)
    return places.guesses(*places.first(probabilities, count))


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

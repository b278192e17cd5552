"""What every surface leads with: measured, believed and proved, in places and kilometres."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from elsewhere import messages
from elsewhere.album.places import places_of
from elsewhere.audit.places import MAX_RANK
from elsewhere.globe import place
from elsewhere.service.album_audit import Beliefs, audit_album, audit_threats
from elsewhere.service.planning import AlbumPlan, plan_album
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.values.notes import NoteKind
from elsewhere.values.outcome import MEASURED, measured_trips
from elsewhere.values.wishes import Wishes
from tests.service.makers import on_leaves

LISBON, PARIS, ROME, BERLIN, OSLO, VIENNA, CAIRO = (
    (place(name).lat, place(name).lon)
    for name in ("Lisbon", "Paris", "Rome", "Berlin", "Oslo", "Vienna, Austria", "Cairo")
)
ELSEWHERE = {PARIS: 9.0, ROME: 8.9, BERLIN: 8.8, OSLO: 8.7, VIENNA: 8.6, CAIRO: 8.5}
EXACT = Wishes(exact_top=True, margin="none")
RESULTS = Path(__file__).parents[3] / "docs" / "results.md"


@pytest.fixture(scope="module")
def album() -> ScoredAlbum:
    telling = (LISBON, {LISBON: 12.0, PARIS: 4.0})
    return on_leaves(telling, (LISBON, ELSEWHERE), (LISBON, ELSEWHERE), (LISBON, ELSEWHERE))


@pytest.fixture(scope="module")
def trip() -> ScoredAlbum:
    telling = (LISBON, {LISBON: 60.0, PARIS: 4.0})
    return on_leaves(telling, *((LISBON, ELSEWHERE) for _ in range(5)))


def plan(album: ScoredAlbum, wishes: Wishes = EXACT) -> AlbumPlan:
    return plan_album(album, places_of(album.photos), wishes)


def test_measured_numbers_are_those_of_the_results_page() -> None:
    default = "secret k, each photo 5, θ = .1"
    tables: dict[str, dict[str, dict[str, int]]] = {}
    title, head = "", list[str]()
    for line in RESULTS.read_text().splitlines():
        fields = [field.strip() for field in line.strip("|").split("|")]
        if line.startswith("**"):
            title, head = line.strip("*"), []
        elif line.startswith("| ") and not head:
            head = fields
        elif line.startswith("| ") and title:
            counts = {
                name: int(field.split()[0])
                for name, field in zip(head, fields, strict=True)
                if re.match(r"\d+( \(|$)", field)
            }
            tables.setdefault(title, {})[fields[0]] = counts
    every = tables["All trips, by attackers who add up"]
    lost = tables["The same attackers, where a plan was found and photos were lost"][default]
    for measured in MEASURED:
        radius = "" if measured.radius_km == 25 else f", R = {measured.radius_km:g} km"
        before = every[f"everything shared{radius}"]
        assert measured.before == {name: before[name] for name in measured.before}
        assert measured.trips == before["collections"]
        if measured.after is not None:
            assert measured.after == {name: every[default][name] for name in measured.after}
            names = ("trained on plans", "no photos at all, on leaves", "collections")
            assert measured.knowing == tuple(lost[name] for name in names)


def test_only_what_was_measured_is_said() -> None:
    assert measured_trips(30.0, 12) is None
    everything = measured_trips(25.0, 12)
    assert everything is not None and everything.after is None
    usual = measured_trips(25.0, 12, Wishes())
    assert usual is not None and usual.after == {"embedded": 0, "DINOv2": 2, "look-up": 5}
    assert measured_trips(25.0, 12, Wishes(), usual=False) == everything
    for other in (Wishes(top=3), Wishes(margin="none"), Wishes(each_photo=False), EXACT):
        assert measured_trips(25.0, 12, other) is None
    assert measured_trips(50.0, 12, Wishes(radius_km=50.0)) is None
    for photos in (5, 36):
        assert measured_trips(25.0, photos) is None, "no trip had so many"


def test_albums_unlike_the_trips_are_not_compared_to_them(trip: ScoredAlbum) -> None:
    def measured(album: ScoredAlbum, wishes: Wishes) -> bool:
        numbers = audit_album(album, places_of(album.photos), wishes).numbers
        return numbers is not None and numbers.measured is not None

    assert measured(trip, Wishes())
    assert not measured(trip, Wishes(hide_level="country"))
    assert not measured(trip, Wishes(radius_km=30.0))
    two = on_leaves(*((LISBON, ELSEWHERE) for _ in range(6)), (PARIS, ELSEWHERE))
    assert not measured(two, Wishes()) and not measured(two, Wishes(hide=("Lisbon",)))


def test_a_plan_in_places_and_kilometres(album: ScoredAlbum) -> None:
    planned = plan(album)
    assert planned.plan.withheld == (0,)
    assert messages.verdict(planned) == (
        "With 1 of 4 photos withheld, none of the built-in model's first 5 guesses is within 25 km "
        "of Lisbon, Portugal. No smaller set of photos is enough; a better model may find the "
        "place."
    )
    region = messages.verdict(plan(album, replace(EXACT, hide_level="country")))
    assert "first 5 guesses is in Portugal" in region
    one = messages.verdict(plan(album, replace(EXACT, top=1)))
    assert "the built-in model's first guess is not within 25 km of Lisbon, Portugal" in one
    for text in (messages.verdict(planned), region, one):
        assert "cell" not in text and "safe" not in text


def test_where_fewer_may_do_that_is_said(album: ScoredAlbum) -> None:
    planned = plan(album)
    feasible = replace(planned.plan, status=planned.plan.status.FEASIBLE, bound=0)
    text = messages.verdict(replace(planned, plan=feasible))
    assert "At least 0 photos must go, and fewer than this may be enough; a better model" in text
    unknown = replace(planned.plan, status=planned.plan.status.UNKNOWN, kept=(), withheld=())
    assert "was found or ruled out; ask for less" in messages.verdict(
        replace(planned, plan=unknown)
    )


def test_the_numbers_before_and_after(trip: ScoredAlbum) -> None:
    album = trip
    planned = plan(album, Wishes(exact_top=False))
    beliefs = Beliefs(album, planned.threats, planned.posted)
    numbers = beliefs.key_numbers(planned)
    (lisbon,) = numbers.places
    assert (lisbon.place, lisbon.radius_km, numbers.proved_top) == ("Lisbon, Portugal", 25.0, 5)
    before, after = beliefs.before[0], beliefs.after(planned.plan.kept)[0]
    assert lisbon.rank_before == before.rank
    assert lisbon.rank_before < after.rank > 5
    assert lisbon.probability_before == before.probability > after.probability
    assert numbers.measured is not None and numbers.measured.after is not None
    texts = dict(messages.key_numbers(numbers))
    assert texts["measured"] == (
        "Of 100 such albums 40 have one of the model's first 5 guesses within 25 km with "
        "everything shared, and 0 with a plan like this; of models that the plan does not ask, "
        "DINOv2 2 instead of 16 and a look-up of like photos 4 instead of 25 (measured on 129 real "
        "trips). Where such a plan withholds photos, somebody who learned from many such plans "
        "finds 25 of 100, and 6 without any photo."
    )
    assert texts["model's chance"].startswith("The built-in model gives the 25 km around Lisbon")
    audited = audit_album(album, places_of(album.photos), Wishes()).numbers
    assert audited is not None and audited.proved_top is None
    assert audited.places[0].probability_after is None
    assert audited.measured is not None and audited.measured.after is None


def test_beliefs_and_audit_agree(album: ScoredAlbum) -> None:
    planned = plan(album)
    beliefs = Beliefs(album, planned.threats, planned.posted)
    (audit,) = audit_threats(album, planned.threats, plan=planned)
    assert audit.truth is not None
    assert beliefs.before[0].rank == audit.truth.rank
    assert beliefs.before[0].probability == pytest.approx(audit.truth.probability)
    assert beliefs.before[0].guesses == audit.guesses
    assert beliefs.own_ranks == [alone.rank for alone in audit.alone]
    assert beliefs.shares(planned) == pytest.approx(audit.truth.shares.gains, abs=1e-3)
    assert 0 < beliefs.finest_km < 50, "a town's cell is narrower than a circle of 25 km"
    probabilities = beliefs.probabilities(0, None)
    assert probabilities is not None
    cells = beliefs.likely_cells(0, probabilities, 40)
    assert len(cells) == 40 and cells == sorted(cells, key=lambda cell: -cell[2])
    assert cells[0][:2] == pytest.approx(PARIS, abs=0.5)
    rivals = beliefs.rivals(0, planned.plan.views[0].rivals)
    names = [guess.name for guess in audit.truth.shares.rivals]
    assert [guess.name for guess in rivals[:5]] == names


def test_a_pinned_photo_that_tells_the_place_is_named(album: ScoredAlbum) -> None:
    wishes = replace(EXACT, top=1, keep=("0.jpg",))
    tells = on_leaves((LISBON, {LISBON: 7.0, PARIS: 4.0}), *((LISBON, ELSEWHERE) for _ in range(4)))
    planned = plan(tells, wishes)
    assert planned.plan.found and planned.telling == (0,)
    assert messages.verdict(planned).endswith(
        " Kept or public as you said, 0.jpg tells the place alone: no plan can hide it."
    )
    assert plan(album, replace(EXACT, top=1)).telling == ()


def test_where_places_cannot_be_told_apart_that_comes_first() -> None:
    desert = (23.4, 25.0)
    sahara = on_leaves((desert, ELSEWHERE), (desert, ELSEWHERE))
    planned = plan(sahara)
    note = planned.notes[0]
    assert note.kind == NoteKind.COARSE_PLACES and note.km > 50
    assert Beliefs(sahara, planned.threats, planned.posted).finest_km == pytest.approx(note.km)
    text = messages.notes(planned)[0]
    assert re.match(
        r"around .* the built-in model tells apart places no nearer than \d+ km: nothing said of "
        "25 km is finer than that",
        text,
    )
    audited = audit_album(sahara, places_of(sahara.photos), Wishes())
    assert audited.notes[0] == note
    truth = audited.audits[0].truth
    assert truth is not None and truth.resolution_km == note.km and truth.rank == MAX_RANK + 1
    numbers = Beliefs(sahara, planned.threats, planned.posted).key_numbers(planned)
    assert numbers.places[0].resolution_km == note.km
    assert "not among its first 100" in dict(messages.key_numbers(numbers))["model's chance"]


def test_one_place_has_one_number() -> None:
    """Photos that lie apart make several circles near; they are one place all the same."""
    cascais = (38.70, -9.42)
    apart = on_leaves(
        (LISBON, {LISBON: 9.0, cascais: 8.9, PARIS: 8.0}), (cascais, {LISBON: 9.0, PARIS: 8.0})
    )
    audited = audit_album(apart, places_of(apart.photos), Wishes())
    (audit,) = audited.audits
    assert audit.truth is not None and audited.numbers is not None
    (numbers,) = audited.numbers.places
    named = [guess for guess in audit.guesses if guess.name == audit.truth.label]
    assert [guess.probability for guess in named] == [numbers.probability_before]
    assert numbers.probability_before == audit.truth.probability == audit.truth.within[0].chance
    for alone in audit.alone:
        own = [guess.probability for guess in alone.guesses if guess.name == audit.truth.label]
        assert own == [alone.probability]


def test_guesses_in_a_hidden_country_are_named_by_town(trip: ScoredAlbum) -> None:
    album = trip
    wishes = replace(EXACT, hide_level="country")
    (audit,) = audit_album(album, places_of(album.photos), wishes).audits
    assert audit.truth is not None and audit.truth.whole and audit.truth.label == "Portugal"
    assert audit.guesses[0].name == "Lisbon, Portugal"
    planned = plan(album, wishes)
    belief = Beliefs(album, planned.threats, planned.posted).before[0]
    assert belief.guesses == audit.guesses


def test_a_place_beyond_all_guesses_may_still_cost_photos(trip: ScoredAlbum) -> None:
    planned = plan(trip, Wishes())
    numbers = Beliefs(trip, planned.threats, planned.posted).key_numbers(planned)
    assert numbers.withheld == len(planned.plan.withheld) > 0
    assert "why withheld" not in dict(messages.key_numbers(numbers))
    beyond = replace(numbers.places[0], rank_before=MAX_RANK + 1)
    texts = dict(messages.key_numbers(replace(numbers, places=(beyond,))))
    assert "within 25 km of a photo may hold a city up to 50 km away" in texts["why withheld"]
    none = replace(numbers, places=(beyond,), withheld=0)
    assert "why withheld" not in dict(messages.key_numbers(none))


def test_a_place_that_is_only_said_is_compared_to_what_the_model_guesses() -> None:
    def notes(beliefs: dict[tuple[float, float], float], *positions: None) -> list[str]:
        said = on_leaves(*((position, beliefs) for position in positions))
        places = places_of(said.photos, at=[place("Lisbon")])
        audited = audit_album(said, places, Wishes())
        return [messages.note(n) for n in audited.notes if n.kind == NoteKind.OTHER_PLACE]

    (note,) = notes(ELSEWHERE, None, None)
    assert note.startswith("that these photos are of Lisbon, Portugal is only what you said (--at)")
    assert re.search(r"guesses Paris, France first \(\d+ %\), 1,4\d\d km away", note)
    assert "nothing near Lisbon, Portugal among its first 5 guesses" in note
    assert notes({LISBON: 20.0, **ELSEWHERE}, None, None) == []
    located = on_leaves((LISBON, ELSEWHERE), (None, ELSEWHERE))
    audited = audit_album(located, places_of(located.photos, at=[place("Lisbon")]), Wishes())
    assert NoteKind.OTHER_PLACE not in {note.kind for note in audited.notes}


def test_where_every_choice_was_tried_that_is_said() -> None:
    telling = on_leaves(*((LISBON, {LISBON: 30.0 + n, PARIS: 4.0}) for n in range(3)))
    planned = plan(telling)
    if planned.plan.status is planned.plan.status.UNKNOWN:
        assert planned.refuted == 7
    unknown = replace(planned.plan, status=planned.plan.status.UNKNOWN, kept=(), withheld=())
    text = messages.verdict(replace(planned, plan=unknown, refuted=7))
    assert text == (
        "Nothing can be shared: whichever of these photos are shared, one of the first 5 guesses "
        "of the built-in model is within 25 km of Lisbon, Portugal (all 7 choices were tried)."
    )

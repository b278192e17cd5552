"""What the page says: by the name of what is hidden, and never more than was proved."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from elsewhere.album.files import SkipKind, SkippedFile
from elsewhere.app.api import models
from elsewhere.app.sessions import planning, presenter
from elsewhere.app.sessions.planning import PlannedAnswer, PlanningSession
from elsewhere.errors import NoPhotoError
from elsewhere.messages import page
from elsewhere.service import ScoredAlbum
from elsewhere.service.posted import Posted
from elsewhere.values.notes import Note, NoteKind
from elsewhere.values.outcome import Advice, Alternative, Change
from elsewhere.values.plan import Status
from tests.service.makers import Stay, trip
from tests.service.planning.test_verdict import LISBON, PARIS, pointing

SEED = b"the same draws in every run of the tests"


@pytest.fixture(scope="module")
def lisbon() -> ScoredAlbum:
    return trip([Stay("Lisbon", 12, 0)], seed=4)


@pytest.fixture(scope="module")
def both() -> ScoredAlbum:
    return trip([Stay("Lisbon", 10, 0), Stay("Porto", 6, 3)], seed=4)


def asked(seen: ScoredAlbum, **more: object) -> PlannedAnswer:
    return PlanningSession(seen, SEED).wish(
        models.WishesModel.model_validate({"scorers": ["made-up 0"], **more}), 10.0
    )


def with_status(entry: PlannedAnswer, status: Status) -> PlannedAnswer:
    assert entry.plan is not None
    return replace(entry, plan=replace(entry.plan, plan=replace(entry.plan.plan, status=status)))


def shown(entry: PlannedAnswer) -> models.PlanModel:
    plan = presenter.plan_model(entry)
    assert plan is not None
    return plan


def headline(entry: PlannedAnswer) -> str:
    return shown(entry).headline


def proof(entry: PlannedAnswer) -> str:
    return shown(entry).proof


def against(entry: PlannedAnswer) -> str:
    return shown(entry).against


def test_the_headline_says_what_is_found_and_what_to_withhold(lisbon: ScoredAlbum) -> None:
    entry = asked(lisbon)
    assert entry.plan is not None and entry.plan.plan.withheld
    out, k = len(entry.plan.plan.withheld), entry.plan.plan.protected_k
    assert k >= 5
    assert headline(entry) == (
        "From these 12 photos the model made-up 0 finds Lisbon, Portugal 4th of 512 cells; "
        f"withhold {out} of 12 photos and it is not among the first {k}."
    )


@pytest.mark.parametrize(
    ("level", "named", "verb"),
    [
        (None, ["Lisbon, Portugal", "Porto, Portugal"], "none is"),
        (
            "region",
            ["Setúbal region, Portugal and Lisbon region, Portugal", "Porto region, Portugal"],
            "none is",
        ),
        ("country", ["Portugal"], "it is not"),
    ],
)
def test_places_are_called_by_what_is_hidden(
    both: ScoredAlbum, level: str | None, named: list[str], verb: str
) -> None:
    entry = asked(both, hide_level=level, top=1, exact_top=True, margin="none", each_photo=False)
    said = headline(entry)
    found = re.sub(r" \d+(st|nd|rd|th)\b", "", said)
    assert f"finds {' and '.join(named)} of 512 cells" in found, said
    assert entry.plan is not None
    k = entry.plan.plan.protected_k
    among = "the first guess" if k == 1 else f"among the first {k}"
    assert said.endswith(f"{verb} {among}.")
    belief = presenter.belief_model(entry, 0)
    assert belief.place == "Lisbon, Portugal" and belief.hides == named[0]
    assert {view.hides for view in presenter.audit_model(entry).views} == set(named)


def test_nothing_is_promised_where_nothing_is(lisbon: ScoredAlbum, both: ScoredAlbum) -> None:
    entry = asked(lisbon)
    stuck = with_status(entry, Status.INFEASIBLE)
    assert headline(stuck).endswith("; no plan hides that.")
    assert stuck.plan is not None
    kept = replace(stuck.plan.wishes, keep=("a",))
    pinned = replace(stuck, plan=replace(stuck.plan, wishes=kept))
    assert headline(pinned).endswith("; with these pins, no plan hides that.")
    public = replace(stuck, posted=Posted(already=(0,)))
    assert "with what is public already" in headline(public)
    assert headline(with_status(entry, Status.UNKNOWN)).endswith("being looked for.")
    poor = asked(both, top=None, budget=0, each_photo=False)
    assert "withholding nothing does not hide them all" in headline(poor)
    assert proof(poor) == "0 photos withheld: too few to hide it"
    assert shown(poor).uncovered == []
    assert entry.plan is not None
    gone = replace(entry, plan=replace(entry.plan, newly_shared=0))
    assert "every photo that may be kept is public already" in headline(gone)


def test_a_rule_that_cannot_be_kept_is_said_with_the_verdict(lisbon: ScoredAlbum) -> None:
    entry = asked(lisbon)
    assert shown(entry).exempt == ""
    assert entry.plan is not None
    pinned = replace(entry.plan, notes=(Note(NoteKind.TELLS_ALONE, photos=("7.jpg",)),))
    said = shown(replace(entry, plan=pinned))
    assert said.exempt.startswith("7.jpg tells the place alone") and said.notes == []
    for ruled_out, none in ((True, "no plan could"), (False, "no plan was found that would")):
        together = Note(NoteKind.TOGETHER_ONLY, ruled_out=ruled_out)
        said = shown(replace(entry, plan=replace(entry.plan, notes=(together,))))
        assert said.exempt.startswith("the promise covers the shared photos together")
        assert none in said.exempt and none in said.verdict and said.notes == []


def test_doubts_about_the_place_come_first(lisbon: ScoredAlbum) -> None:
    entry = asked(lisbon)
    assert entry.plan is not None
    other = Note(NoteKind.OTHER_PLACE, places=("Prague", "Lisbon"), model="it", km=2000, count=5)
    coarse = Note(NoteKind.COARSE_PLACES, places=("Lisbon",), model="it", km=80, radius_km=25)
    drop = Note(NoteKind.TIGHTENED)
    said = shown(replace(entry, plan=replace(entry.plan, notes=(drop, other, coarse))))
    assert [words.partition(":")[0] for words in said.first] == [
        "That these photos are of Lisbon is only what you said",
        "Around Lisbon it tells apart places no nearer than 80 km",
    ]
    assert len(said.notes) == 1 and said.exempt == ""


def test_no_plan_is_called_proved_that_is_not(
    lisbon: ScoredAlbum, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = asked(lisbon)
    proved = "withheld: proved the fewest for"
    secret = "5 guesses or more (how many, up to 12, stays secret)"
    assert proof(entry).endswith(f"{proved} {secret}")
    assert proof(asked(lisbon, exact_top=True)).endswith(f"{proved} 5 guesses")
    open_ = with_status(entry, Status.FEASIBLE)
    assert "proved" not in proof(open_) and "at least" in proof(open_)
    assert open_.plan is not None
    unbound = replace(open_.plan, plan=replace(open_.plan.plan, bound=0))
    assert "at least" not in proof(replace(open_, plan=unbound))
    assert "proved" not in proof(with_status(entry, Status.UNKNOWN))
    # a budget may be spent in vain: these are not the fewest
    within = asked(lisbon, top=None, budget=3, each_photo=False)
    assert proof(within).endswith("proved the best for this budget")
    monkeypatch.setattr(planning, "RETRY_FACTOR", 0)
    starred = asked(lisbon, stars=True)
    assert starred.plan is not None
    if starred.plan.plan.promise.values is not None:
        assert "fewest" not in proof(starred)


def test_one_photo_is_told_by_what_is_hidden(both: ScoredAlbum) -> None:
    entry = asked(both, hide_level="country", top=1, exact_top=True, margin="none")
    assert entry.beliefs is not None
    hidden = entry.beliefs.threats[0].hidden_name
    assert page.photo_alone(hidden, 3, 0.041).replace("\u00a0", " ") == (
        "Alone it puts Portugal 3rd (4.1 %)."
    )
    for now, then in ((1, 3), (3, 1), (1, 1), (1, None)):
        assert "Portugal" in page.photo_effect(hidden, now, then, shared=True, own=True)


def test_a_place_that_is_far_down_is_not_called_found(
    lisbon: ScoredAlbum, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "MAX_FOUND_RANK", 1)
    said = headline(asked(lisbon))
    assert "made-up 0 does not find Lisbon, Portugal (4th of 512); withhold" in said


def test_several_places_found_first_are_each_found_from_their_own() -> None:
    said = presenter.audit_model(asked(pointing(LISBON, PARIS), scorers=["tiny"])).verdict
    assert said.endswith("Lisbon, Portugal and Paris, France, each 1st, from its own photos.")


def test_dropped_photos_are_counted_apart(lisbon: ScoredAlbum) -> None:
    entry = asked(lisbon, drop=[lisbon.photos[0].id])
    assert entry.plan is not None
    rest = len(entry.plan.plan.withheld) - 1
    assert proof(entry).startswith(f"{rest} withheld and 1 dropped: ")
    # a photo that goes for its text was dropped by nobody
    text = Note(NoteKind.TELLING_TEXT, photos=(lisbon.photos[0].id,), km=100.0)
    read = replace(entry, plan=replace(entry.plan, notes=(text,)))
    assert proof(read).startswith(f"{rest + 1} photos withheld: ")


def test_whom_it_is_against_is_never_left_out(lisbon: ScoredAlbum, both: ScoredAlbum) -> None:
    said = against(asked(lisbon))
    assert said == "Against the model made-up 0; a better one may find it."
    assert against(asked(both)).endswith("; a better one may find them.")


def test_the_page_is_told_what_no_promise_covers_and_no_option(lisbon: ScoredAlbum) -> None:
    for wishes in ({}, {"keep": [one.id for one in lisbon.photos]}, {"top": None, "budget": 11}):
        plan = presenter.plan_model(asked(lisbon, **wishes))
        assert plan is not None
        assert "--" not in plan.model_dump_json()
        if plan.protected_k:
            said = " ".join(plan.uncovered)
            for word in ("better model", "text and signs", "image search", "accounts"):
                assert word in said
    assert "reverse image search" in presenter.choices_model().not_covered


@pytest.mark.parametrize(
    ("kinds", "own", "title", "said"),
    [
        ([], False, "no photo here", "There is no file in trip."),
        (["hidden"], False, "no photo here", "There is no file in trip (except 1 hidden file)."),
        (["video"], False, "no photo here", "There is 1 file in trip, and it is not a photo."),
        (["video", "foreign", "hidden"], False, "no photo here",
         "There are 2 files in trip (except 1 hidden file), and none of them is a photo."),
        (["damaged"], True, "could be read",
         "There is 1 file in what you dropped, and it cannot be read."),
        (["damaged", "video"], False, "could be read",
         "There are 2 files in trip, and no photo among them can be read."),
    ],
)  # fmt: skip
def test_a_folder_without_a_photo_is_told_by_what_is_in_it(
    tmp_path: Path, kinds: list[SkipKind], own: bool, title: str, said: str
) -> None:
    (tmp_path / "trip").mkdir()
    files = [SkippedFile(tmp_path / f"{n}.txt", f"{n}.txt", kind) for n, kind in enumerate(kinds)]
    told = presenter.no_photos_model([tmp_path / "trip"], NoPhotoError("none", files), uploaded=own)
    assert title in told.title and told.sentence == said
    assert [one.kind for one in told.files] == kinds


def test_advice_is_told_apart_where_nearly_all_photos_go(lisbon: ScoredAlbum) -> None:
    entry = asked(lisbon)
    assert entry.plan is not None
    advice = Advice((Alternative(Change.TOP, top=2),))
    made = replace(entry.plan, advice=advice, notes=(Note(NoteKind.PRIOR, places=("Spain",)),))
    told = presenter.plan_model(replace(entry, plan=made))
    assert told is not None and len(told.notes) == 1 and "Spain" in told.notes[0]
    assert told.advice == (
        "Nearly all photos are withheld; to share more, ask for less: counting only the first 2 "
        "guesses"
    )
    none = replace(made, plan=replace(made.plan, status=Status.INFEASIBLE, kept=()))
    stuck = presenter.plan_model(replace(entry, plan=none))
    assert stuck is not None and stuck.advice == "", "there, buttons say it"


def test_no_advice_where_most_are_shared(lisbon: ScoredAlbum) -> None:
    told = presenter.plan_model(asked(lisbon))
    assert told is not None and told.advice == ""


def test_the_map_opens_on_a_view_of_what_would_be_shared(both: ScoredAlbum) -> None:
    own = presenter.place_models(asked(both))[0].photos
    entry = asked(both, drop=[both.photos[n].id for n in own], each_photo=False)
    first = presenter.belief_model(entry, 0)
    assert first.before and not first.after, "none of its photos is shared"
    shown = presenter.belief_model(entry, None)
    assert shown.after and shown.watch > 0
    assert presenter.belief_model(asked(both), None).watch == 0


def test_places_and_kilometres_where_a_model_guesses_circles() -> None:
    found = page.nearby({"Arles": 1}, radius_km=25.0, limit=100)
    assert found == "The first guess lands within 25 km of Arles"
    far = page.nearby({"Arles": 101}, radius_km=5.0, limit=100)
    assert far == "None of the first 100 guesses lands within 5 km of Arles"
    one = page.nearby({"Arles": 2, "Porto": 101}, radius_km=25.0, limit=100)
    assert one == "The 2nd guess lands within 25 km of Arles"
    both = page.nearby({"Arles": 2, "Porto": 1}, radius_km=25.0, limit=100)
    assert both == "The 2nd guess lands within 25 km of Arles, the 1st within 25 km of Porto"
    many = page.nearby(dict.fromkeys("abc", 7), radius_km=25.0, limit=100)
    assert many == "The first 100 guesses come within 25 km of 3 of your 3 places"
    assert "km around Arles" in page.photo_alone("Arles", 3, 0.5, 25.0, 100)
    said = page.photo_effect("Arles", 101, 2, shared=True, own=False, limit=100)
    assert (
        said == "Without it, Arles comes 2nd from the shared photos, now not among the first 100."
    )


def test_an_album_without_a_place_is_asked_for_it_first() -> None:
    said = page.model_guess("Lisbon, Portugal")
    assert said.startswith("No photo says where it was taken: say where, and it can be hidden")
    assert said.endswith("(the first guess from the pictures is Lisbon, Portugal)")

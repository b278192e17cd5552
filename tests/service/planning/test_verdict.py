"""One honest sentence, and what has to be said where there is no plan."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from elsewhere.album.places import places_of
from elsewhere.errors import InputError
from elsewhere.globe import Cells, place
from elsewhere.messages import advice, verdict
from elsewhere.service.planning import AlbumPlan, plan_album
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.selection import NowhereError
from elsewhere.solver.infeasibility import Inquiry
from elsewhere.values.margins import MARGINS, margin
from elsewhere.values.notes import Note, NoteKind
from elsewhere.values.wishes import Wishes
from tests.service.makers import Stay, attack, photo, seen, trip

LISBON, PARIS = (38.72, -9.14), (48.8566, 2.3522)
EXACT = Wishes(exact_top=True, margin="none", each_photo=False)
ACCURACY = {"": {25: 0.12, 750: 0.46}, "Europe": {25: 0.17, 750: 0.73}}


def plan(album: ScoredAlbum, wishes: Wishes) -> AlbumPlan:
    return plan_album(album, places_of(album.photos), wishes)


def pointing(*towns: tuple[float, float] | None, at: float = 5.0, **about: object) -> ScoredAlbum:
    """One photo a town, each pointing there; None points nowhere."""
    cells = Cells.paper()
    rows = np.zeros((len(towns), cells.count))
    for n, town in enumerate(towns):
        if town is not None:
            rows[n, cells.locate(*town)] = at
    photos = [photo(f"{n}.jpg", town or LISBON) for n, town in enumerate(towns)]
    return seen(photos, attack(rows, [one.id for one in photos], "tiny", **about))


def test_nothing_to_withhold_speaks_of_the_model() -> None:
    album = pointing(None, None, accuracy=ACCURACY)
    assert verdict(plan(album, EXACT)) == (
        "Nothing needs withholding: from these photos the model tiny does not have Lisbon, "
        "Portugal among its first 5 guesses. The model tiny is right within 25 km for 17 % of "
        "single photos in Europe. A better model may find the place."
    )
    country = verdict(plan(album, replace(EXACT, hide_level="country")))
    assert "right about the country, within 750 km, for 73 % of single photos in Europe" in country
    assert "does not have Portugal among its first 5 guesses" in country
    told = places_of(album.photos, at=[place("Portugal")])
    assert "right about the country, within 750 km," in verdict(plan_album(album, told, EXACT))
    wide = verdict(plan_album(album, told, replace(EXACT, radius_km=800.0)))
    assert "right within 750 km for 73 %" in wide
    city = verdict(plan(album, replace(EXACT, hide_level="city")))
    assert "right about the city, within 25 km, for 17 % of single photos in Europe" in city
    dropped = verdict(plan(album, replace(EXACT, drop=("0.jpg",))))
    assert dropped.startswith("Nothing needs withholding beyond what you drop: from these")


def test_a_plan_names_the_attacker_and_that_a_better_one_may_exist() -> None:
    album = pointing(LISBON, None)
    assert verdict(plan(album, EXACT)) == (
        "With 1 of 2 photos withheld, the model tiny does not have Lisbon, Portugal among its "
        "first 5 guesses. No smaller set of photos is enough; a better model may find the place."
    )
    drawn = verdict(plan(album, replace(EXACT, exact_top=False)))
    secret = "for 5 guesses or more (how many, up to 12, stays secret)"
    assert f"No smaller set of photos is enough {secret}; a better" in drawn


def test_its_sentences_are_short_whatever_there_is_to_say() -> None:
    album = pointing(LISBON, None, PARIS, accuracy=ACCURACY)
    for wishes in (EXACT, Wishes(), replace(EXACT, budget=2), replace(EXACT, budget=0)):
        for made in (plan(album, wishes), plan(album, replace(wishes, hide=("Lisbon",)))):
            said = verdict(made)
            for sentence in re.split(r"(?<=[.!?]) ", said):
                assert len(sentence.split()) <= 30, sentence
            assert said.count("right within 25 km") == made.plan.found
            assert not re.search(r"first (\d+ )?places?", said), "they are called guesses"
    several = plan(album, EXACT)
    names = tuple(f"Place {number}" for number in range(6))
    many = verdict(replace(several, hidden_names=names))
    assert "any of the 6 hidden places among its first 5 guesses" in many


def test_what_was_dropped_is_not_counted_as_needed() -> None:
    album = pointing(LISBON, None, None)
    found = verdict(plan(album, replace(EXACT, drop=("1.jpg",))))
    assert found.startswith("With 1 of 3 photos withheld beyond the 1 that you drop, the model")


def test_a_budget_says_how_far_it_reaches() -> None:
    album = pointing(LISBON, LISBON, None)
    assert verdict(plan(album, replace(EXACT, budget=0))) == (
        "Withholding at most 0 of 3 photos cannot hide Lisbon, Portugal: the first guess of the "
        "model tiny may be right. Raise the budget."
    )
    best = "No plan within the budget does better; a better model may find"
    assert best in verdict(plan(album, replace(EXACT, budget=2)))


def test_no_verdict_ever_says_safe() -> None:
    for album in (pointing(None), pointing(LISBON, None)):
        for wishes in (EXACT, replace(EXACT, budget=1), replace(EXACT, keep=("0.jpg",))):
            assert "safe" not in verdict(plan(album, wishes)).lower()


def test_a_rule_that_no_plan_keeps_is_in_the_verdict() -> None:
    planned = plan(pointing(None, None), EXACT)
    assert "together" not in verdict(planned)
    dropped = replace(planned, notes=(Note(NoteKind.TOGETHER_ONLY),))
    assert verdict(dropped) == (
        f"{verdict(planned)} The promise covers the shared photos together: no plan could also "
        "keep each of them from giving the place away alone."
    )


class TestNoPlan:
    """Which photo is in the way, what can be had, what to give up."""

    def test_a_kept_photo_is_named_and_enough_to_give_up(self) -> None:
        album = pointing(LISBON, None, None)
        planned = plan(album, replace(EXACT, keep=("0.jpg", "1.jpg")))
        assert planned.plan.status == "infeasible"
        assert verdict(planned) == (
            "Nothing can be shared: Lisbon, Portugal cannot be kept from the first 5 guesses of "
            "the model tiny."
        )
        assert planned.plan.explanation == (
            "No plan can do this. Kept photo 0.jpg is in the way: it is enough to give it up. "
            "It cannot even be kept from being the first guess."
        )

    def test_what_was_not_found_out_is_not_claimed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Inquiry, "enough_to_give_up", lambda *asked: ((), False))
        why = plan(pointing(LISBON, None, None), replace(EXACT, keep=("0.jpg",))).plan.explanation
        assert "Kept photo 0.jpg is in the way: give it up, which may not be enough." in why
        monkeypatch.setattr(Inquiry, "pins_in_the_way", lambda *asked: None)
        why = plan(pointing(LISBON, None, None), replace(EXACT, keep=("0.jpg",))).plan.explanation
        assert "Whether the kept photos are the reason was not found out in time." in why

    def test_two_photos_in_the_way(self) -> None:
        album = pointing(LISBON, LISBON, None)
        why = plan(album, replace(EXACT, keep=("0.jpg", "1.jpg"))).plan.explanation
        assert "0.jpg" in why or "1.jpg" in why
        assert "giving it up alone is not enough" in why

    def test_the_watch_that_blocks_has_a_name(self) -> None:
        album = pointing(LISBON, None, PARIS)
        planned = plan(album, replace(EXACT, hide=("Lisbon",), keep=("0.jpg", "1.jpg")))
        assert "even alone: Lisbon, Portugal from its own photos" in planned.plan.explanation
        assert "ttacker" not in planned.plan.explanation

    def test_a_hidden_country_is_what_is_named(self) -> None:
        wishes = replace(EXACT, hide=("Lisbon",), hide_level="country", keep=("0.jpg", "1.jpg"))
        planned = plan(pointing(LISBON, None, PARIS), wishes)
        assert verdict(planned) == (
            "Nothing can be shared: Portugal cannot be kept from the first 5 guesses of the model "
            "tiny."
        )
        assert "even alone: Portugal from its own photos" in planned.plan.explanation
        assert {watch.hidden_name for watch in planned.threats} == {"Portugal"}

    def test_time_that_ran_out_is_unknown(self) -> None:
        album = trip([Stay("Lisbon", 60, 0), Stay("Porto", 60, 3)], seed=1)
        planned = plan(album, replace(EXACT, top=40, time_limit=0.0))
        assert planned.plan.status in {"unknown", "feasible"}
        assert "time ran out" in verdict(planned) or "stopped early" in verdict(planned)

    def test_nothing_known_at_all_brings_the_guesses(self) -> None:
        cells = Cells.paper()
        rows = np.zeros((2, cells.count))
        rows[:, cells.locate(*PARIS)] = 9.0
        photos = [photo("a"), photo("b")]
        with pytest.raises(NowhereError, match="say it with --at") as told:
            plan_album(seen(photos, rows), places_of(photos), EXACT)
        first, *others = told.value.guesses
        assert first.place.startswith("Paris")
        assert first.share > 0.9
        assert len(others) == 4


def test_margins_by_name_and_number() -> None:
    assert [one.theta for one in MARGINS.values()] == sorted(one.theta for one in MARGINS.values())
    assert margin("Paranoid") == MARGINS["paranoid"]
    assert margin(0.3).theta == margin(" 0.3 ").theta == 0.3
    for bad in ("bold", -1, float("nan"), "inf", True):
        with pytest.raises(InputError, match="a margin is none, careful, paranoid or a number"):
            margin(bad)


def test_an_album_is_told_in_words_that_everybody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    """No "top", and of one guess no number, whether there is a plan or not."""
    album, told = pointing(LISBON, None, None), []
    for top in (1, 5):
        for keep in ((), ("0.jpg", "1.jpg")):
            made = plan(album, replace(EXACT, top=top, keep=keep))
            told += [verdict(made), made.plan.explanation if keep else "", advice(made)]
    for best, known in ((2, True), (1, False), (None, False)):
        monkeypatch.setattr(Inquiry, "best_top", lambda *asked, b=best, k=known: (b, k))
        told.append(plan(album, replace(EXACT, keep=("0.jpg",))).plan.explanation)
    assert "does not guess Lisbon, Portugal first" in told[0]
    assert "It could be kept from the first 2 guesses, and from no more." in told[-3]
    assert "It could be kept from the first guess or more." in told[-2]
    assert "How many guesses it could be kept from was not found out in time." in told[-1]
    for said in told:
        assert not re.search(r"(?<!-)\btop\b|first 1 ", said), said

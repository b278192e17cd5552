"""Wishes and plans without a server: quick answers, proofs that replace them, undo."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from elsewhere.app.api import models
from elsewhere.app.sessions import planning
from elsewhere.app.sessions.planning import OvertakenError, PlannedAnswer, PlanningSession
from elsewhere.service import ScoredAlbum
from elsewhere.service.album_audit import Beliefs, audit_threats
from elsewhere.values.plan import Status
from tests.service.makers import Stay, trip

SEED = b"5"


@pytest.fixture(scope="module")
def seen() -> ScoredAlbum:
    return trip([Stay("Lisbon", 10, 0), Stay("Porto", 6, 3)], seed=4)


@pytest.fixture(scope="module")
def large() -> ScoredAlbum:
    """One whose plan takes a while to be proved."""
    return trip([Stay("London", 96, 0)], seed=0)


def wishes(**more: object) -> models.WishesModel:
    return models.WishesModel.model_validate({"scorers": ["made-up 0"], **more})


HARD = wishes(each_photo=False, margin="none")
"""Where single photos may tell the place, there is more to choose from."""


def withheld(entry: PlannedAnswer) -> set[int]:
    assert entry.plan is not None
    return set(entry.plan.plan.withheld)


def test_undo_gives_back_the_very_plan(seen: ScoredAlbum) -> None:
    session = PlanningSession(seen, SEED)
    first = session.wish(wishes(), 5.0)
    second = session.wish(wishes(drop=[seen.photos[3].id]), 5.0)
    assert 3 in withheld(second)
    back = session.step(-1)
    assert back.plan is first.plan and back.version > second.version
    assert session.step(-1).plan is first.plan
    assert session.step(1).plan is second.plan
    session.step(-1)
    session.wish(wishes(top=3), 5.0)
    assert not session.undo_state.can_redo, "a new wish ends what was undone"


def test_the_same_wish_twice_is_one_wish(seen: ScoredAlbum) -> None:
    session = PlanningSession(seen, SEED)
    assert session.wish(wishes(), 5.0) is session.wish(wishes(), 5.0)
    assert not session.undo_state.can_undo


def test_a_plan_that_was_not_proved_in_time_is_replaced(
    large: ScoredAlbum, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "RETRY_FACTOR", 0)
    session = PlanningSession(large, SEED)
    quick = session.wish(HARD, 0.0)
    assert not quick.proved
    told: list[PlannedAnswer] = []
    session.prove(quick, lambda: False, told.append)
    assert told[-1].proved and session.current is told[-1]
    assert told[-1].version > quick.version
    proved = PlanningSession(large, SEED).wish(HARD, 30.0)
    assert len(withheld(told[-1])) == len(withheld(proved))


def test_a_proof_that_comes_too_late_changes_nothing_on_the_screen(
    large: ScoredAlbum, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It passed the last look at the clock, and then somebody clicked."""
    monkeypatch.setattr(planning, "RETRY_FACTOR", 0)
    session = PlanningSession(large, SEED)
    quick = session.wish(HARD, 0.0)
    clicked = HARD.model_copy(update={"top": 1, "exact_top": True})
    solve = session._solve

    def solved(*args: object, **more: object) -> object:
        found = solve(*args, **more)  # type: ignore[arg-type]
        session._solve = solve  # type: ignore[method-assign]
        session.wish(clicked, 30.0)
        return found

    session._solve = solved  # type: ignore[assignment, method-assign]
    session.prove(quick, lambda: False, lambda entry: pytest.fail("another wish counts"))
    assert session.current.wishes == clicked
    nearest = session._nearest
    assert nearest is not None and nearest is session.current.plan
    assert session.step(-1).proved, "it is kept for whoever undoes"


def test_a_proof_of_the_same_plan_is_no_other_plan(large: ScoredAlbum) -> None:
    session = PlanningSession(large, SEED)
    entry = session.wish(HARD, 30.0)
    assert entry.plan is not None and entry.proved
    still_open = replace(entry.plan.plan, status=Status.FEASIBLE)
    session._answers[0] = replace(entry, plan=replace(entry.plan, plan=still_open))
    told: list[PlannedAnswer] = []
    session.prove(session.current, lambda: False, told.append)
    assert [one.version for one in told] == [entry.version]
    assert session.expect_version(entry.version) is told[0]
    with pytest.raises(OvertakenError):
        session.expect_version(entry.version + 1)


def test_nobody_waits_for_a_proof_that_nobody_wants(
    large: ScoredAlbum, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "RETRY_FACTOR", 0)
    session = PlanningSession(large, SEED)
    quick = session.wish(HARD, 0.0)
    solve, found = session._solve, []

    def solved(*args: object, **more: object) -> object:
        found.append(solve(*args, **more))  # type: ignore[arg-type]
        return found[-1]

    session._solve = solved  # type: ignore[assignment, method-assign]
    session.prove(quick, lambda: True, lambda entry: pytest.fail("nobody wants to hear it"))
    [plan] = found
    assert plan.plan.status == Status.FEASIBLE, "it was left as it was"


def test_draws_are_the_same_for_one_session_and_not_for_another(seen: ScoredAlbum) -> None:
    ks = {}
    for seed in (SEED, b"a second", b"a third", b"a fourth", b"a fifth"):
        session = PlanningSession(seen, seed)
        one = session.wish(wishes(top=4), 5.0).plan
        session.wish(wishes(top=3), 5.0)
        again = session.wish(wishes(top=4, drop=[seen.photos[0].id]), 5.0).plan
        assert one is not None and again is not None
        assert one.plan.status == Status.OPTIMAL
        ks[seed] = one.top
        if again.plan.found and one.top is not None and again.top is not None:
            assert again.top <= one.top
    assert len(set(ks.values())) > 1


def test_no_more_is_kept_than_anybody_comes_back_to(
    seen: ScoredAlbum, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "MAX_CACHED", 3)
    session = PlanningSession(seen, SEED)
    for km in range(5, 12):
        session.wish(wishes(radius_km=float(km), top=1), 0.5)
    assert len(session._beliefs) == 3


def test_looks_say_what_the_audit_says(seen: ScoredAlbum) -> None:
    session = PlanningSession(seen, SEED)
    entry = session.wish(wishes(), 5.0)
    assert entry.plan is not None and entry.beliefs is not None
    audits = audit_threats(seen, entry.plan.threats, plan=entry.plan)
    for view, audit in zip(entry.beliefs.before, audits, strict=True):
        assert audit.truth is not None
        assert view.rank == audit.truth.rank
        assert view.probability == pytest.approx(audit.truth.probability)
        assert [guess.cell for guess in view.guesses] == [guess.cell for guess in audit.guesses]
    shares = entry.beliefs.shares(entry.plan)
    first = audits[0]
    assert first.truth is not None
    for name, gain in zip(first.ids, first.truth.shares.gains, strict=True):
        number = [photo.id for photo in seen.photos].index(name)
        assert shares[number] == pytest.approx(gain, abs=1e-3)


def test_what_an_audience_knows_rules_cells_out(seen: ScoredAlbum) -> None:
    session = PlanningSession(seen, SEED)
    everywhere = session.wish(wishes(), 5.0)
    there = session.wish(wishes(prior="Portugal", top=1), 5.0)
    assert isinstance(everywhere.beliefs, Beliefs) and isinstance(there.beliefs, Beliefs)
    few, all_of_them = (
        there.beliefs.probabilities(0, None),
        everywhere.beliefs.probabilities(0, None),
    )
    assert few is not None and all_of_them is not None
    assert np.count_nonzero(few) < 20 and np.count_nonzero(all_of_them) == 512

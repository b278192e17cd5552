"""One album, one answer: runs, a dry run and the app agree, whatever the files are called."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from elsewhere.album.workers import Workers
from elsewhere.app.api.models import WishesModel
from elsewhere.app.sessions.planning import PlanningSession
from elsewhere.globe import place
from elsewhere.service.jobs import protect_album
from elsewhere.service.next_photo import check_next_photo
from elsewhere.service.planning import AlbumPlan, plan_album
from elsewhere.service.scored_album import ScoredAlbum, score_album
from elsewhere.service.stages import find_places
from elsewhere.values.wishes import Wishes
from tests.service.tiny import write_album

LISBON = "Lisbon, Portugal"


def answer(plan: AlbumPlan, seen: ScoredAlbum) -> tuple[int | None, frozenset[str]]:
    """The secret k, and the contents of what is withheld."""
    return plan.top, frozenset(seen.photos[n].original for n in plan.plan.withheld)


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELSEWHERE_DATA_DIR", str(tmp_path / "data"))


def test_three_runs_a_dry_run_and_the_app_give_one_answer(tmp_path: Path, pool: Workers) -> None:
    album, at = write_album(tmp_path / "trip", 7), [place(LISBON)]
    answers = []
    for target in (tmp_path / "one", tmp_path / "two", tmp_path / "three", None):
        job = protect_album([album], target, Wishes(), at=at)
        answers.append(answer(job.plan, job.scored))
    renamed = tmp_path / "renamed"
    renamed.mkdir()
    for number, file in enumerate(sorted(album.iterdir(), reverse=True)):
        shutil.copy(file, renamed / f"a{number}.jpg")
    job = protect_album([renamed], None, Wishes(), at=at)
    answers.append(answer(job.plan, job.scored))
    seen = score_album([album], workers=pool)
    shown = PlanningSession(seen, None).wish(WishesModel(at=[LISBON]), 20.0).plan
    assert shown is not None
    answers.append(answer(shown, seen))
    assert len(set(answers)) == 1
    k = answers[0][0]
    # other wishes have the same k, and a photo that is asked about, too
    places = find_places(seen.photos, (LISBON,))
    assert plan_album(seen, places, Wishes(margin="none")).top == k
    told = check_next_photo(seen, places, Wishes(each_photo=False), seen.photos[0].id)
    assert told.album.top == k
    seen.close()


def test_another_key_or_another_photo_has_a_draw_of_its_own(
    tmp_path: Path, pool: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = score_album([write_album(tmp_path / "trip", 3)], workers=pool)
    places = find_places(seen.photos, (LISBON,))
    ks = set()
    for number in range(8):
        monkeypatch.setenv("ELSEWHERE_DATA_DIR", str(tmp_path / str(number)))
        ks.add(plan_album(seen, places, Wishes()).top)
    assert len(ks) > 1
    seen.close()

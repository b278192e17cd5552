"""Places in the report: circles on the maps, and words in kilometres."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from elsewhere.audit import Guess
from elsewhere.report.html import page
from elsewhere.report.worldmap import MapContents, circle_path, world_map
from elsewhere.service import report
from elsewhere.values.wishes import Wishes
from tests.service.makers import on_leaves
from tests.service.reporting.test_key_numbers import ELSEWHERE, LISBON, PARIS, plan


def points_of(path: str) -> np.ndarray:
    return np.array([[float(x) for x in pair.split(",")] for pair in path[1:-1].split()])


@pytest.mark.parametrize("lat", [0.0, 43.8, -52.0])
def test_a_circle_on_the_map_keeps_its_area(lat: float) -> None:
    """Equal Earth keeps areas, so every circle of 25 km is as large as any other."""
    x, y = points_of(circle_path(lat, 4.6, 25.0)).T
    area = abs(float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))) / 2
    x, y = points_of(circle_path(0.0, 0.0, 25.0)).T
    same = abs(float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))) / 2
    assert area == pytest.approx(same, rel=0.02)


def test_circles_are_drawn_in_the_surroundings_only() -> None:
    guess = Guess(1, "Lisbon, Portugal", *LISBON, 0.5)
    contents = MapContents([guess], LISBON, [1], positions=[LISBON], radius_km=25.0)
    near, far = (str(world_map("m", contents, closer=closer)) for closer in (True, False))
    assert near.count(circle_path(*LISBON, 25.0)) == 2  # what is hidden, and the guess
    assert far.count(circle_path(*LISBON, 25.0)) == 1
    coarse = replace(contents, positions=(), radius_km=None)
    assert circle_path(*LISBON, 25.0) not in str(world_map("m", coarse, closer=True))


def test_a_report_of_places_never_speaks_of_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "previews", lambda photos: tuple(b"" for _ in photos))
    telling = (LISBON, {LISBON: 12.0, PARIS: 4.0})
    album = on_leaves(telling, *((LISBON, ELSEWHERE) for _ in range(5)))
    planned = plan(album, Wishes())
    contents = report.plan_contents(album, planned, command="elsewhere protect trip")
    assert contents.measured is not None and len(contents.numbers) == 2
    (view,) = contents.views
    assert view.positions and not view.zone
    assert contents.explanation is not None
    text = " ".join(re.sub(r"<[^>]*>", " ", re.sub(r"<(style|title).*?</\1>", "", page(contents),
                                                  flags=re.S)).split())  # fmt: skip
    assert not re.search(r"\bcells?\b|\bzone\b|36.?000", text)
    assert "none of the built-in model&#39;s first 5 guesses is within 25 km of Lisbon" in text
    assert "of 100, measured" in text and "first guess within 25 km of Lisbon, Portugal" in text

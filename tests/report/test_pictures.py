"""Pictures say what they were given: every mark is counted, measured and found where it belongs."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from markupsafe import Markup

from elsewhere.audit import Curve, Guess
from elsewhere.globe import Cells, countries
from elsewhere.report.charts import (
    MAX_BARS,
    frontier_chart,
    shares_chart,
    sharpening_chart,
    ticks,
)
from elsewhere.report.contents import FrontierStep, FrontierSteps, PhotoPicture, PhotoState
from elsewhere.report.worldmap import (
    HEIGHT,
    WIDTH,
    MapContents,
    land,
    outline_edges,
    project,
    simplify,
    world_map,
)


def parts(picture: Markup, tag: str) -> list[ET.Element]:
    return [node for node in ET.fromstring(str(picture)).iter() if node.tag == tag]


def words(picture: Markup) -> list[str]:
    return [node.text or "" for node in parts(picture, "text")]


def test_the_map_keeps_areas() -> None:
    """A degree east times a degree north is on the map what it is on the globe, everywhere."""
    lat = np.linspace(-58, 82, 141)
    step = 1e-4
    east = project(lat, np.full_like(lat, 100.0))[0] - project(lat, np.full_like(lat, 40.0))[0]
    north = project(lat - step, 0.0 * lat)[1] - project(lat + step, 0.0 * lat)[1]
    size = east * north / np.cos(np.radians(lat))
    assert np.ptp(size) / size.mean() < 1e-6
    assert (east > 0).all()
    assert (north > 0).all()


def test_all_of_the_earth_is_on_the_map() -> None:
    lat, lon = np.meshgrid(np.linspace(-90, 90, 41), np.linspace(-180, 180, 41))
    x, y = project(lat, lon)
    assert ((x >= 0) & (x <= WIDTH) & (y >= 0) & (y <= HEIGHT)).all()


def test_land_is_drawn_once_and_small() -> None:
    drawn = land()
    assert 60_000 < len(drawn) < 110_000
    assert drawn.count("M") > 150
    assert re.fullmatch(r"[MlhvzA0-9 .,\-]+", drawn)


def test_simplifying_stays_within_the_tolerance() -> None:
    ring = countries()["PT"].rings[0]
    x, y = project(ring[:, 0], ring[:, 1])
    points = np.stack((x, y), axis=1)
    few = simplify(points, 0.15)
    assert len(few) < len(points)
    for point in points:
        a, b = few[:-1], few[1:]
        step = b - a
        t = np.clip(((point - a) * step).sum(1) / np.maximum((step**2).sum(1), 1e-12), 0, 1)
        assert np.linalg.norm(a + t[:, None] * step - point, axis=1).min() <= 0.1500001


def test_the_line_around_boxes_has_no_line_between_them() -> None:
    lines = outline_edges([(0, 0, 2, 1), (1, 1, 2, 3)])
    assert sum(n - s + e - w for s, w, n, e in lines) == 10.0
    assert (1.0, 1.0, 2.0, 1.0) not in lines
    assert outline_edges([]) == []


def test_a_disc_is_as_large_as_the_belief() -> None:
    guesses = [Guess(7, "a", 10.0, 20.0, 0.64), Guess(8, "b", -30.0, 50.0, 0.16)]
    drawn = world_map("m", MapContents(guesses, zone_cells=[8]))
    first, second = parts(drawn, "circle")
    assert float(first.attrib["r"]) / float(second.attrib["r"]) == pytest.approx(2, abs=0.01)
    assert first.attrib["fill"] == "var(--kept)"
    assert second.attrib["fill"] == "var(--truth)"
    x, y = project(10.0, 20.0)
    assert float(first.attrib["cx"]) == pytest.approx(float(x), abs=0.01)
    assert float(first.attrib["cy"]) == pytest.approx(float(y), abs=0.01)


def test_decoys_are_numbered_diamonds_and_the_place_is_ringed() -> None:
    decoys = [Guess(n, f"d{n}", 10.0 * n, 15.0 * n, 0.1) for n in range(4)]
    box = tuple(float(v) for v in Cells.paper().boxes_of(3)[0])
    assert len(box) == 4
    seen = MapContents([], (38.7, -9.1), (3,), [box], decoys)
    for drawn in (world_map("m", seen), world_map("c", seen, closer=True)):
        assert drawn is not None
        diamonds = [p for p in parts(drawn, "path") if p.attrib.get("fill") == "var(--decoy)"]
        assert len(diamonds) == 4
        assert [d.find("title").text for d in diamonds] == ["d0", "d1", "d2", "d3"]  # type: ignore[union-attr]
        assert any(c.attrib.get("stroke") == "var(--truth)" for c in parts(drawn, "circle"))
    assert words(world_map("m", seen)) == ["1", "2", "3", "4"]


def test_without_a_place_there_is_nothing_to_look_at_closer() -> None:
    assert not world_map("c", MapContents([]), closer=True)
    assert world_map("m", MapContents([Guess(1, "cell 1", None, None, 1.0)])) is not None


def test_proved_points_are_solid_and_open_ones_hollow() -> None:
    steps = (FrontierStep(0, 0, 0), FrontierStep(1, 3, 3), FrontierStep(2, 5, 9))
    drawn = frontier_chart(FrontierSteps(steps, ((0, 0), (1, 1)), (1, 3), 3))
    circles = parts(drawn, "circle")
    assert sum(c.attrib["fill"] == "var(--kept)" for c in circles) == 2
    assert sum(c.attrib["fill"] == "var(--ground)" for c in circles) == 1
    assert sum(c.attrib.get("stroke") == "var(--withheld)" for c in circles) == 1
    told = words(drawn)
    assert "asked for: 3" in told
    assert "this plan: 1 withheld" in told
    assert "2 of 3 points" in parts(drawn, "title")[0].text  # type: ignore[operator]


def test_of_many_steps_only_the_corners_are_marked() -> None:
    steps = tuple(FrontierStep(n, n // 50, n // 50 + (n >= 150)) for n in range(200))
    drawn = frontier_chart(FrontierSteps(steps, tuple((n, 0) for n in range(200))))
    marks = [c.attrib["fill"] for c in parts(drawn, "circle")]
    assert marks.count("var(--kept)") == 3
    assert marks.count("var(--ground)") == 2
    bands = [p for p in parts(drawn, "path") if p.attrib.get("fill-opacity") == ".13"]
    assert len(bands) == 1


@pytest.mark.parametrize("photos", [1, 2, 7])
def test_the_curves_have_a_point_for_each_photo(photos: int) -> None:
    album = Curve(tuple(range(photos)), tuple(range(photos, 0, -1)), (0.5,) * photos)
    drawn = sharpening_chart(album, album, 512)
    line = next(p for p in parts(drawn, "path") if p.attrib.get("stroke") == "var(--withheld)")
    assert line.attrib["d"].count(",") == max(photos, 2)
    assert parts(drawn, "title")[0].text.endswith("at the end it is 1")  # type: ignore[union-attr]


def test_bars_pull_the_way_the_photo_does() -> None:
    photos = [
        PhotoPicture("away", PhotoState.WITHHELD, gain=-4.0),
        PhotoPicture("hides", PhotoState.SHARED, gain=2.0),
    ]
    drawn = shares_chart([*photos, PhotoPicture("unknown", PhotoState.SHARED)], {})
    assert drawn is not None
    away, hides = parts(drawn, "rect")
    assert float(away.attrib["width"]) == 2 * float(hides.attrib["width"])
    assert float(away.attrib["x"]) == float(hides.attrib["x"]) + float(hides.attrib["width"])
    assert shares_chart([PhotoPicture("unknown", PhotoState.SHARED)], {}) is None


def test_only_the_largest_shares_are_drawn() -> None:
    photos = [PhotoPicture(str(n), PhotoState.SHARED, gain=float(n)) for n in range(3 * MAX_BARS)]
    drawn = shares_chart(photos, {})
    assert drawn is not None
    assert len(parts(drawn, "rect")) == MAX_BARS
    assert str(3 * MAX_BARS - 1) in words(drawn)


@pytest.mark.parametrize("high", [0, 1, 3, 24, 399, 511])
def test_ticks_are_few_and_in_range(high: int) -> None:
    assert ticks(high)[0] == ticks(high, log=True)[0] == 0
    assert max(ticks(high)) <= high
    assert len(ticks(high)) <= 9
    assert max(ticks(high, log=True)) <= max(high, 1)

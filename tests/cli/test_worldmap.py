"""The map in the terminal."""

from __future__ import annotations

import pytest

from elsewhere.cli.render.worldmap import draw


def lines(marks: list[tuple[float, float]], columns: int = 72, braille: bool = True) -> list[str]:
    return draw(marks, columns, braille=braille).plain.split("\n")


def test_land_is_where_it_is() -> None:
    plain = lines([])
    assert {len(line) for line in plain} == {72}

    def at(lat: float, lon: float) -> str:
        return plain[int((80 - lat) / 136 * len(plain))][int((lon + 180) / 5)]

    for lat, lon in [(40, -100), (-10, -55), (10, 20), (60, 100), (-25, 135)]:
        assert at(lat, lon) == "⣿", (lat, lon)
    assert at(68, 178) != " ", "land on both sides of the date line"
    for lat, lon in [(0, -140), (30, -45), (-40, 80), (-45, 0)]:
        assert at(lat, lon) == " ", (lat, lon)


def test_marks_stand_at_their_places_and_the_first_wins() -> None:
    marked = lines([(38.7, -9.1), (38.6, -9.0), (-33.9, 151.2)])
    assert sum(line.count("1") for line in marked) == 1
    assert sum(line.count("2") for line in marked) == 0
    (row,) = [line for line in marked if "1" in line]
    assert row.index("1") == int((180 - 9.1) / 5)
    (south,) = [line for line in marked if "3" in line]
    assert marked.index(south) > marked.index(row)


def test_the_truth_is_a_cross_over_whatever_stands_there() -> None:
    there = draw([(38.7, -9.1), (-33.9, 151.2)], 72, truth=(38.7, -9.1))
    assert there.plain.count("×") == 1
    assert "1" not in there.plain
    assert "2" in there.plain
    at = there.plain.index("×")
    styles = [str(span.style) for span in there.spans if span.start == at]
    assert styles[-1] == "bold white on blue"
    plain = draw([], 72, braille=False, truth=(0, 0)).plain
    assert plain.count("x") == 1
    assert plain.isascii()


@pytest.mark.parametrize("place", [(90, 0), (-90, 180), (0, -180), (0, 179.999)])
def test_a_mark_beyond_the_edge_stands_at_the_edge(place: tuple[float, float]) -> None:
    assert any("1" in line for line in lines([place]))


def test_the_tenth_mark_has_no_digit_left() -> None:
    assert any("+" in line for line in lines([(0, 30 * n - 180) for n in range(11)]))


def test_without_braille_it_is_plain_ascii() -> None:
    assert all(line.isascii() for line in lines([(0, 0)], 60, braille=False))
    assert any("...." in line for line in lines([], 60, braille=False))

"""The benchmark of edits, in small: what it counts, and the attacks that know of covers."""

from __future__ import annotations

import tarfile
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from benchmarks.edits.__main__ import attack_table, curve_table, distance_table, table
from benchmarks.edits.held_out import Known
from benchmarks.edits.measure import ATTACKERS, FILLED, PLAIN, Outcome
from benchmarks.edits.trips import make_listed, placed
from PIL import Image

from elsewhere.album import read_album
from elsewhere.album.filled_covers import fill_covers
from elsewhere.globe import Cells
from elsewhere.values.versions import Edit, Rectangle

NOBODY = dict.fromkeys(ATTACKERS, False)


def picture(covered: tuple[int, int, int, int] | None = None) -> bytes:
    image = Image.new("RGB", (200, 100), (200, 40, 40))
    if covered:
        image.paste((128, 128, 128), covered)
    out = BytesIO()
    image.save(out, "JPEG", quality=95)
    return out.getvalue()


def test_a_withheld_photo_is_lost_whole() -> None:
    outcome = Outcome("edits", 10, True, 6, (0.25, 0.5))
    assert outcome.withheld == 2
    assert outcome.lost == 2.75


def test_albums_are_added_up() -> None:
    hits = {PLAIN: NOBODY}
    found = {**NOBODY, "dino": True}
    outcomes = [
        Outcome("edits", 10, True, 6, (0.25, 0.5), 4, 12, 320, 40.0, {**hits, FILLED: found}),
        Outcome("edits", 10, False, 0, hits=hits),
    ]
    row = table(outcomes).splitlines()[2].split(" | ")
    assert row[1:4] == ["2", "1", "20"]
    assert row[6].startswith("12 (")
    assert row[7:10] == ["0.64", "0.38", "0.50"]
    assert row[10:] == ["12", "80", "5.0 |"]
    as_shared, filled = (line.split(" | ") for line in attack_table(outcomes).splitlines()[2:])
    assert as_shared[3].startswith("0 (")
    assert filled[1] == FILLED
    assert filled[3].startswith("1 (")


def test_what_is_lost_stands_beside_who_finds_the_place() -> None:
    def outcome(way: str, as_is: int, *finders: str) -> Outcome:
        hits = {PLAIN: {spec: spec in finders for spec in ATTACKERS}}
        return Outcome(way, 4, True, as_is, hits=hits)

    outcomes = [
        outcome("everything shared", 4, *ATTACKERS),
        outcome("withholding", 1, "dino"),
        outcome("edits, confirmed by dino", 3, "embedded:half_a"),
    ]
    rows = curve_table(outcomes).splitlines()[2:]
    assert rows == [
        "| everything shared | 0.00 | 1 | 1 | 1 | 1 |",
        "| edits, confirmed by dino | 0.25 | (0) | (0) | 1 | 0 |",
        "| withholding | 0.75 | (0) | 1 | 0 | 0 |",
    ]


def test_first_guesses_are_counted_by_distance() -> None:
    near, far = {"embedded": 3.0}, {"embedded": 800.0}
    hits = {PLAIN: {"embedded": False}}
    outcomes = [
        Outcome("withholding", 10, True, 6, hits=hits, first_km=near),
        Outcome("withholding", 10, True, 6, hits=hits, first_km=far),
        Outcome("withholding", 10, False, 0, hits=hits),  # nothing is shared: no guess
    ]
    row = distance_table(outcomes).splitlines()[2].split(" | ")
    assert [cell.split(" ")[0] for cell in row[2:-1]] == ["0", "1", "1", "1", "2"]


def test_a_photo_is_looked_up_where_what_it_resembles_was_taken() -> None:
    rng = np.random.default_rng(1)
    embeds = rng.normal(size=(64, 16)).astype(np.float32)
    position = np.tile([43.3, 5.4], (64, 1))
    position[7] = 59.33, 18.06
    row = Known.of(embeds, position).row(embeds[7])
    assert row.dtype == np.float32
    assert np.exp(row, dtype=np.float64).sum() == pytest.approx(1, abs=1e-4)
    lat, lon = (float(axis[row.argmax()]) for axis in Cells.leaves().points)
    assert (lat, lon) == pytest.approx((59.33, 18.06), abs=0.5)


def test_trips_of_a_list_become_albums_with_positions(tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    (photos / "trips").mkdir(parents=True)
    for tar, names in (("a.tar", ["a/1.jpg", "a/2.jpg"]), ("trips/trips.tar", ["trips/1.jpg"])):
        with tarfile.open(photos / tar, "w") as out:
            for name in names:
                content = picture()
                member = tarfile.TarInfo(name)
                member.size = len(content)
                out.addfile(member, BytesIO(content))
    (photos / "manifest.csv").write_text(
        "shard,name,lat,lon\na.tar,a/1.jpg,48.1,11.5\na.tar,a/2.jpg,48.2,11.5\n"
    )
    (photos / "trips" / "trips.csv").write_text("name,lat,lon\ntrips/1.jpg,-33.9,151.2\n")
    listed = tmp_path / "list.csv"
    listed.write_text("trip,source,photo\n0,a,a/1.jpg\n0,a,a/2.jpg\n1,own,trips/1.jpg\n")
    (tmp_path / "made").mkdir()
    made = dict(make_listed(photos, listed, tmp_path / "made", most=5))
    assert {folder.name: source for folder, source in made.items()} == {"0": "a", "1": "own"}
    (photo,) = read_album([tmp_path / "made" / "1"]).photos
    assert photo.metadata.position == pytest.approx((-33.9, 151.2), abs=1e-4)


@pytest.mark.parametrize("crop", [None, Rectangle(0, 0, 800, 1000)])
def test_covers_are_filled_in_by_what_is_around_them(crop: Rectangle | None) -> None:
    width = 200 if crop is None else 160
    image = Image.open(BytesIO(picture((50, 25, 100, 75)))).crop((0, 0, width, 100))
    out = BytesIO()
    image.save(out, "JPEG", quality=95)
    filled = fill_covers(out.getvalue(), Edit(crop, (Rectangle(250, 250, 500, 750),)))
    pixels = np.asarray(Image.open(BytesIO(filled)), dtype=np.float64)
    assert pixels.shape == (100, width, 3)
    assert np.abs(pixels - (200, 40, 40)).max() < 40


def test_a_position_is_written_before_a_picture(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(placed(picture(), -33.87, 151.21))
    album = read_album([tmp_path])
    position = album.photos[0].metadata.position
    album.close()
    assert position == pytest.approx((-33.87, 151.21), abs=1e-4)

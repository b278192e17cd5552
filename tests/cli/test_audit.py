"""`elsewhere audit`, as it is typed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import Result

import elsewhere
from elsewhere.globe import Cells, place, zone_of_place
from elsewhere.scorers.protocol import combine_rows
from elsewhere.service import score_album
from tests.album.makers import GPS, exif, jpeg
from tests.cli.keyboard import SCORER, typed


def run(*arguments: str) -> Result:
    return typed("audit", "-v", *arguments)


def told(*arguments: str, code: int = 0) -> dict[str, Any]:
    result = run(*arguments, *SCORER, "--json")
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.usefixtures("home")
def test_the_numbers_are_the_apis() -> None:
    (one,) = told("album", "--at", "Lisbon")["audits"]
    seen = score_album(["album"], scorers=[SCORER[1]])
    scores = seen.models[0].scores
    zone = zone_of_place(Cells.paper(), place("Lisbon"), 25).cells.tolist()
    api = elsewhere.audit(scores, zone, cells=Cells.paper())
    assert api.truth is not None
    assert one["truth"]["cells"] == zone
    assert one["truth"]["rank"] == api.truth.rank
    assert one["truth"]["rank"] == elsewhere.protect(scores, zone, budget=0).protected_k + 1
    assert one["truth"]["probability"] == api.truth.probability
    likely = np.exp(combine_rows(scores.values, {}))
    assert [guess["cell"] for guess in one["guesses"]] == np.argsort(-likely)[:5].tolist()
    assert [guess["probability"] for guess in one["guesses"]] == pytest.approx(
        np.sort(likely)[::-1][:5]
    )
    for order in ("album_order", "worst_order"):
        assert tuple(one["truth"][order]["ranks"]) == getattr(api.truth, order).ranks
    shares = one["truth"]["shares"]
    assert tuple(shares["gains"]) == api.truth.shares.gains
    assert sum(shares["gains"]) == pytest.approx(shares["total"])
    assert [alone["photo"] for alone in one["alone"]] == [f"IMG_{n}.jpg" for n in range(6)]
    assert one["calibrated"] is False
    seen.close()


@pytest.mark.usefixtures("home")
def test_for_people() -> None:
    result = run("album", "--at", "Lisbon", *SCORER)
    assert result.exit_code == 0, result.output
    text = result.stdout
    assert text.startswith("That these photos are of Lisbon, Portugal is only what you said (--at)")
    assert "\nThe whole album, 6 photos, as seen by the model onnx:tiny.onnx\n" in text
    assert "Lisbon, Portugal is the " in text
    assert f"protect album --at Lisbon --scorer {SCORER[1]} -o NEW-FOLDER" in text
    assert "a guess within" in text
    assert "worst order" in text
    assert "all together" in text
    assert "This is what the model onnx:tiny.onnx sees in the pictures; a better model" in text
    assert "overconfident" in text, "this model is not calibrated"
    assert all(line == line.rstrip() for line in text.splitlines())
    assert "\x1b" not in text
    assert "⣿⣿⣿" not in text
    drawn = run("album", "--at", "Lisbon", "--map", *SCORER).stdout
    assert "⣿⣿⣿" in drawn
    assert "× the true place" in drawn


@pytest.mark.usefixtures("home")
def test_without_a_place_it_shows_guesses_and_says_how_to_go_on() -> None:
    result = run("album", *SCORER)
    assert result.exit_code == 0, result.output
    assert "Give the place with --at" in result.stdout
    assert "gives away" not in result.stdout
    (one,) = told("album")["audits"]
    assert one["truth"] is None
    assert len(one["guesses"]) == 5


def test_the_place_is_read_from_the_files(home: Path) -> None:
    (home / "album" / "IMG_7.jpg").write_bytes(jpeg(9, exif=exif(GPS)))
    found = told("album")
    assert found["audits"][0]["truth"]["label"] == "Lisbon, Portugal"
    assert found["leaks"][0]["kind"] == "position"
    assert found["leaks"][0]["photos"] == ["IMG_7.jpg"]
    text = run("album", *SCORER).stdout
    assert "Metadata that reveals more" in text
    assert "38.7223" in text


def test_a_name_tells(home: Path) -> None:
    (home / "album" / "IMG_0.jpg").rename(home / "album" / "Lisbon 2023-07-14.jpg")
    (leak,) = told("album")["leaks"]
    assert leak["kind"] == "file name"
    assert "Lisbon, Portugal" in leak["examples"][0]


def test_posted_photos_are_counted(home: Path) -> None:
    (home / "online").mkdir()
    (home / "online" / "x.jpg").write_bytes(jpeg(50))
    alone = told("album", "--at", "Lisbon")["audits"][0]
    found = told("album", "--at", "Lisbon", "--posted", "online")
    assert len(found["audits"][0]["ids"]) == 7
    assert found["audits"][0]["ids"][6].startswith("posted/")
    assert found["audits"][0]["truth"]["probability"] != alone["truth"]["probability"]
    assert "1 posted photo from outside the album counted" in found["notes"]


def test_a_bad_photo_is_told_and_the_others_are_looked_at(home: Path) -> None:
    (home / "album" / "IMG_2.jpg").write_bytes(jpeg(3)[:700])
    result = run("album", "--at", "Lisbon", *SCORER)
    assert result.exit_code == 1
    assert result.stderr.startswith("elsewhere: IMG_2.jpg: ")
    assert "5 photos" in result.stdout
    assert [one["file"] for one in told("album", code=1)["left"]] == ["IMG_2.jpg"]


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("nowhere", *SCORER), 2, "nowhere does not exist"),
        (("album", "--at", "Atlantis-on-Sea", *SCORER), 2, "no place is called 'Atlantis-on-Sea'"),
        (("album", "--at", "Lisbon", "--hide", "Oslo", *SCORER), 2, "is not one of the album's"),
        (("album", "--at", "Lisbon", "--radius", "-1", *SCORER), 2, "a radius is 1 km or more"),
        (("album", "--at", "Lisbon", "--hide-level", "street", *SCORER), 2, "not by 'street'"),
        (("album", "--scorer", "gps"), 1, 'there is no scorer "gps"'),
    ],
)
def test_bad_input_is_one_sentence(arguments: tuple[str, ...], code: int, sentence: str) -> None:
    result = run(*arguments)
    assert result.exit_code == code, result.output
    assert sentence in result.stderr
    assert result.stderr.startswith("elsewhere: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_no_cache_leaves_no_trace(home: Path) -> None:
    assert run("album", "--at", "Lisbon", "--no-cache", *SCORER).exit_code == 0
    assert not (home / "cache").exists()
    assert not (home / "data").exists()


def test_many_photos_fit_on_a_screen_and_still_add_up(home: Path) -> None:
    for number in range(6, 30):
        (home / "album" / f"IMG_{number}.jpg").write_bytes(jpeg(number + 1))
    text = run("album", "--at", "Lisbon", *SCORER).stdout
    assert "15 others" in text
    lines = text.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("photo "))
    end = next(n for n, line in enumerate(lines) if line.startswith("all together"))
    told = [float(line.replace("−", "-").split()[1]) for line in lines[start + 1 : end - 1]]
    told.append(float(lines[end - 1].replace("−", "-").split()[2]))
    assert sum(told) == pytest.approx(float(lines[end].replace("−", "-").split()[2]), abs=1.0)


def test_a_name_cannot_steer_the_terminal(home: Path) -> None:
    (home / "album" / "a\x1b[2J.jpg").write_bytes(jpeg(77))
    result = run("album", "--at", "Lisbon", *SCORER)
    assert "\x1b" not in result.stdout + result.stderr


def test_two_places_are_told_one_by_one(home: Path) -> None:
    for number, at in enumerate([GPS, (48.2, 16.37)]):
        for shot in range(2):
            content = jpeg(20 + 2 * number + shot, exif=exif(at))
            (home / "album" / f"P{number}{shot}.jpg").write_bytes(content)
    found = told("album")["audits"]
    assert len(found) == 4
    assert {one["truth"]["label"] for one in found} == {"Lisbon, Portugal", "Vienna, Austria"}
    assert {one["photos"] for one in found} == {"all", "of the place"}
    assert len(told("album", "--hide", "Vienna")["audits"]) == 2
    text = run("album", *SCORER).stdout
    assert "Photos of Lisbon, Portugal, 8 photos" in text  # two there, six that say nothing
    first, last = text.splitlines()[:3], text.splitlines()[-1]
    assert " ".join(first[0].split()) == "place from its own photos from the whole album"
    assert first[1].startswith("Vienna, Austria  "), "the most easily found is first"
    assert first[2].startswith("Lisbon, Portugal  ")
    assert first[1].count(" guess, ") == 2
    assert last.endswith(f"elsewhere protect album --scorer {SCORER[1]} -o NEW-FOLDER")
    # of the whole album the guesses stand there once, of each place's own photos for each
    assert len(re.findall(r"^ *1  +[<>\d]", text, re.M)) == 3


def test_a_page_for_ones_own_eyes(home: Path) -> None:
    result = run("album", *SCORER, "--at", "Lisbon", "--report", "mine.html")
    assert result.exit_code == 0, result.output
    html = (home / "mine.html").read_text("utf-8")
    assert html.count("<img") == 6
    for word in ("PRIVATE", "Lisbon, Portugal", "IMG_3.jpg"):
        assert word in html
    assert "mine.html" in result.stderr
    again = run("album", *SCORER, "--at", "Lisbon", "--report", "mine.html")
    assert again.exit_code == 2
    assert "exists already" in again.stderr


def test_table_page_and_gains_mean_the_same_by_their_sign(home: Path) -> None:
    """Above zero gives the place away, wherever people look; a gain has the house's sign."""
    shown = run("album", *SCORER, "--at", "Lisbon", "--report", "mine.html").stdout
    table = dict(re.findall(r"^(IMG_\d\.jpg) +([+−]?[\d.]+) ", shown, re.M))
    (total,) = re.findall(r"^all together +([+−]?[\d.]+)", shown, re.M)
    page = (home / "mine.html").read_text("utf-8")
    shares = told("album", "--at", "Lisbon")["audits"][0]["truth"]["shares"]
    assert len(table) == 6 and len({*table.values()}) > 1
    for number, gain in enumerate(shares["gains"]):
        given = table[f"IMG_{number}.jpg"]
        assert float(given.replace("−", "-")) == pytest.approx(-gain, abs=0.06)
        assert f"gives away {given}<" in page
    assert f"{total} in all" in page


def test_what_is_piped_in_is_the_place(home: Path) -> None:
    result = typed("audit", "album", "--json", "--at", "-", *SCORER, input="Lisbon; Porto\n")
    assert result.exit_code == 0, result.output
    labels = {audit["truth"]["label"] for audit in json.loads(result.stdout)["audits"]}
    assert labels == {"Lisbon, Portugal", "Porto, Portugal"}


@pytest.mark.parametrize("place", ["album/mine.html", "album/IMG_0.jpg", "nowhere/mine.html"])
def test_no_page_goes_among_the_originals(home: Path, place: str) -> None:
    before = sorted(path.name for path in (home / "album").iterdir())
    content = (home / "album" / "IMG_0.jpg").read_bytes()
    assert run("album", *SCORER, "--report", place).exit_code == 2
    assert sorted(path.name for path in (home / "album").iterdir()) == before
    assert (home / "album" / "IMG_0.jpg").read_bytes() == content


def test_a_trip_is_told_once_and_its_photos_without_a_place_are(home: Path) -> None:
    """Two places and a photo that nobody can place: one map, zones by name, and the note."""
    for number, where in enumerate([GPS, (41.15, -8.61)]):
        for shot in range(3):
            file = home / "album" / f"T{number}{shot}.jpg"
            file.write_bytes(jpeg(30 + 3 * number + shot, exif=exif(where)))
    result = run("album", "--map", "--radius", "900", *SCORER)
    assert result.exit_code == 0, result.output
    assert result.stdout.count("the true place, 1 to") == 1
    assert "the truth" not in result.stdout and "in the zone" not in result.stdout
    found = told("album", "--radius", "900")
    assert any("count in every hidden place" in note for note in found["notes"])
    assert "count in every hidden place" in result.stdout


def test_every_file_that_is_left_out_is_named(home: Path) -> None:
    content = (home / "album" / "IMG_0.jpg").read_bytes()
    (home / "album" / "twin.jpg").write_bytes(content)
    (home / "album" / "notes.txt").write_text("no photo", "utf-8")
    (home / "album" / "link.jpg").symlink_to(home / "album" / "IMG_1.jpg")
    result = typed("audit", "album", "--at=Lisbon", *SCORER)
    assert result.exit_code == 0, result.output
    for name in ("twin.jpg", "notes.txt", "link.jpg"):
        assert name in result.stdout


def test_a_folder_without_photos_says_what_is_in_it(home: Path) -> None:
    folder = home / "texts"
    folder.mkdir()
    for number in range(7):
        (folder / f"{number}.txt").write_text("no photo", "utf-8")
    result = typed("audit", "texts", *SCORER)
    assert result.exit_code == 1
    assert "only 0.txt, 1.txt, 2.txt and 4 more" in result.stderr

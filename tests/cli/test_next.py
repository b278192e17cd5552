"""`elsewhere next`, and what `protect` counts as public, as they are typed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from elsewhere.globe import Cells, cell_towns
from elsewhere.service import score_album
from elsewhere.service.ledger import Ledger
from tests.album.makers import jpeg
from tests.cli.keyboard import SCORER, typed

PHOTOS = 6


@pytest.fixture
def where(home: Path) -> str:
    """The model's sixth guess for the photos, as coordinates."""
    seen = score_album([home / "album"], scorers=[SCORER[1]])
    cell = int(seen.models[0].scores.values.sum(axis=0).argsort()[-6])
    seen.close()
    lat, lon = cell_towns(Cells.paper())
    return f"{lat[cell]:.4f},{lon[cell]:.4f}"


def run(command: str, *arguments: str) -> Result:
    return typed(command, *arguments, *SCORER)


def asked(where: str, photo: str, *arguments: str) -> tuple[dict[str, Any], int]:
    told = run(
        "next", "album", photo, "--at", where, "--exact-top", "--margin", "none", "--json",
        *arguments,
    )  # fmt: skip
    assert told.exit_code in {0, 3, 4}, told.output
    return json.loads(told.stdout), told.exit_code


def test_an_album_goes_out_photo_by_photo_and_each_copy_is_proved(where: str) -> None:
    """The whole way: ask, write the clean copy, remember, ask for the next."""
    out: list[int] = []
    for number in range(PHOTOS):
        told, code = asked(where, f"IMG_{number}.jpg", "-o", f"post-{number}", "--remember")
        assert code == {"keep": 0, "withhold": 3, "wait": 4}[told["answer"]]
        assert told["public"] == len(out)
        assert Path(f"post-{number}").exists() == (code == 0)
        if code == 0:
            out.append(number)
            assert told["files"] == ["001.jpg"]
            verified = run("verify", f"post-{number}")
            assert verified.exit_code == 0, verified.output
    assert 0 < len(out) < PHOTOS
    assert sum(len(entry.photos) for entry in Ledger().entries(refuse_pending=True)) == len(out)
    again, code = asked(where, f"IMG_{out[0]}.jpg")
    assert (again["answer"], again["reason"], code) == ("keep", "It is public already.", 0)
    planned = run("protect", "album", "--at", where, "--exact-top", "-n", "--json")
    notes = " ".join(json.loads(planned.stdout)["notes"])
    assert "public already: counted, and not exported again" in notes


def test_it_is_said_for_people(where: str) -> None:
    told = run("next", "album", "IMG_1.jpg", "--at", where, "--exact-top")
    first, second = told.stdout.splitlines()[:2]
    answer = {0: "keep", 3: "withhold", 4: "wait"}[told.exit_code]
    assert first == f"{answer}  IMG_1.jpg"
    assert second.endswith(".")


def test_what_was_written_is_named_and_what_was_not_is_said(where: str) -> None:
    codes = set()
    for number in range(PHOTOS):
        told = run(
            "next", "album", f"IMG_{number}.jpg", "--at", where, "--exact-top",
            "--remember", "-o", f"copy-{number}",
        )  # fmt: skip
        codes.add(told.exit_code == 0)
        assert ("Nothing was written." in told.stdout) == (told.exit_code != 0)
        assert ("certificate: " in told.stdout) == (told.exit_code == 0)
    assert codes == {True, False}


def test_a_photo_beside_the_album_is_counted_in(where: str) -> None:
    Path("new.jpg").write_bytes(jpeg(99))
    told, _ = asked(where, "new.jpg")
    assert told["photos"] == ["new.jpg"]


def test_posted_photos_count(where: str) -> None:
    Path("online").mkdir()
    shutil.copy("album/IMG_0.jpg", "online/renamed.jpg")
    (Path("online") / "theirs.jpg").write_bytes(jpeg(50))
    told, _ = asked(where, "IMG_2.jpg", "--posted", "online")
    assert told["public"] == 2
    assert any("IMG_0.jpg" in note for note in told["notes"])


def test_a_second_album_of_the_place_counts_the_first_and_its_certificate_proves_it(
    where: str,
) -> None:
    Path("later").mkdir()
    for number in range(4):
        (Path("later") / f"{number}.jpg").write_bytes(jpeg(40 + number))
    exact = ("--at", where, "--exact-top", "--margin", "none")
    first = run("protect", "album", *exact, "-o", "one", "--remember", "--json")
    shared = len(json.loads(first.stdout)["files"])
    second = run("protect", "later", *exact, "-o", "two.zip", "--json")
    assert second.exit_code == 0, second.output
    told = json.loads(second.stdout)
    before = [note for note in told["notes"] if "that you shared before" in note]
    assert before and before[0].startswith(f"{shared} photos of ")
    certificate = json.loads(Path(told["certificate"]).read_text("utf-8"))
    assert len(certificate["posted"]) == shared
    assert run("verify", "two.zip").exit_code == 0
    Ledger().forget_all()
    assert run("verify", "two.zip").exit_code == 0  # the rows are in the certificate


def test_a_damaged_ledger_stops_everything(where: str) -> None:
    ledger = Ledger()
    asked_once = run("protect", "album", "--at", where, "--exact-top", "-o", "one", "--remember")
    assert asked_once.exit_code == 0, asked_once.output
    ledger.path.write_bytes(ledger.path.read_bytes()[:-20])
    for command in (["protect", "album", "-n"], ["next", "album", "IMG_0.jpg"]):
        told = run(*command, "--at", where)
        assert told.exit_code == 1
        assert "cannot be trusted" in told.stderr
        assert told.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("IMG_1.jpg", "--remember"), "--remember goes with -o"),
        (("IMG_77.jpg",), "no photo is called 'IMG_77.jpg'"),
        (("IMG_1.jpg", "-o", "album"), "exists already"),
        (("IMG_1.jpg", "--top", "0"), "top"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(
    where: str, arguments: tuple[str, ...], sentence: str
) -> None:
    told = run("next", "album", *arguments, "--at", where)
    assert told.exit_code == 2
    assert sentence in told.stderr
    assert told.stdout == ""


def test_without_a_place_there_is_nothing_to_hide(where: str) -> None:
    told = run("next", "album", "IMG_1.jpg")
    assert told.exit_code == 2
    assert "--at" in told.stderr

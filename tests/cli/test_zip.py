"""A zip of photos, as Takeout writes them, is an album like a folder for every command."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from pathlib import Path

from tests.cli.keyboard import SCORER, typed


def test_every_command_reads_a_zip_as_it_is(home: Path) -> None:
    note = {"title": "IMG_0.jpg", "geoData": {"latitude": 38.72, "longitude": -9.14}}
    (home / "album" / "IMG_0.jpg.json").write_text(json.dumps(note))
    shutil.make_archive("trip", "zip", home, "album")
    before = sha256((home / "trip.zip").read_bytes()).digest()
    shutil.rmtree("album")
    audit = typed("audit", "trip.zip", "--json", *SCORER)
    assert audit.exit_code == 0, audit.output
    assert "Lisbon, Portugal" in audit.stdout
    protect = typed("protect", "trip.zip", "--top=1", "-o", "out", "--remember", *SCORER)
    assert protect.exit_code == 0, protect.output
    assert typed("verify", "out", *SCORER).exit_code == 0
    assert typed("clean", "trip.zip", "-o", "bare.zip").exit_code == 0
    scored = typed("score", "trip.zip", "-o", "trip.npz", *SCORER)
    assert scored.exit_code == 0, scored.output
    following = typed("next", "trip.zip", "IMG_3.jpg", "--at=Lisbon", "--at-anyway", *SCORER)
    assert following.exit_code in (0, 3), following.output
    assert typed("clean", "trip.zip", "-o", "trip.zip").exit_code == 2
    assert sha256((home / "trip.zip").read_bytes()).digest() == before


def test_a_zip_without_photos_or_no_zip_at_all(home: Path) -> None:
    (home / "no.zip").write_bytes(b"PK\x03\x04 cut short")
    result = typed("clean", "no.zip", "-o", "out")
    assert result.exit_code == 1 and "damaged, or no zip" in result.stderr
    assert not (home / "out").exists()

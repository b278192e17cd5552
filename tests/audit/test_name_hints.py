"""Names that need no model, and names that only look like it."""

from __future__ import annotations

import pytest

from elsewhere.audit.name_hints import places_in


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("Lisbon 2023-07-14.jpg", ("Lisbon, Portugal",)),
        ("lisboa_017.JPG", ("Lisbon, Portugal",)),
        ("LisbonBeach.jpg", ("Lisbon, Portugal",)),
        ("Holiday in Rome/IMG_1.jpg", ("Rome, Italy",)),
        ("2019 Japan Tokyo.jpg", ("Japan", "Tokyo, Japan")),
        ("Rio de Janeiro-3.heic", ("Rio de Janeiro, Brazil",)),
        ("東京.jpg", ("Tokyo, Japan",)),
        ("IMG_2041.jpg", ()),
        ("PXL_20230714_153000123.MP.jpg", ()),
        ("Screenshot_20230714-101010_WhatsApp.png", ()),
        ("a nice day at the beach.jpg", ()),
        ("old town.jpg", ()),
        ("birthday party (2).jpg", ()),
        ("3f9c2a7be1.jpg", ()),
        (".jpg", ()),
        ("", ()),
    ],
)
def test_places_in_file_names(name: str, places: tuple[str, ...]) -> None:
    assert places_in(name) == places

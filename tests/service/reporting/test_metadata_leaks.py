"""What the originals tell beside their pictures, the most telling first."""

from __future__ import annotations

from dataclasses import replace

from elsewhere.album import Leak, Metadata
from elsewhere.service.album_audit import metadata_leaks
from tests.service.makers import photo


def test_kinds_are_gathered_over_the_photos() -> None:
    one = photo("a.jpg")
    told = (Leak("camera", "Canon"), Leak("serial number", "123"), Leak("position", "38.7, -9.1"))
    other = replace(photo("b.jpg"), metadata=Metadata(leaks=(Leak("position", "38.8, -9.2"),)))
    last = replace(photo("c.jpg"), metadata=Metadata(leaks=(Leak("a new thing", "x"),)))
    found = metadata_leaks([replace(one, metadata=Metadata(leaks=told)), other, last])
    assert [leak.kind for leak in found] == ["position", "serial number", "camera", "a new thing"]
    assert found[0].photos == ("a.jpg", "b.jpg")
    assert found[0].examples == ("38.7, -9.1", "38.8, -9.2")
    assert found[1].photos == ("a.jpg",)


def test_names_that_tell_a_place_come_before_those_that_tell_a_day() -> None:
    day = Metadata(leaks=(Leak("file name", "2023-07-15 in PXL_20230715_153000123.jpg"),))
    photos = [photo("Lisbon.jpg"), photo("IMG_2041.jpg"), replace(photo("P.jpg"), metadata=day)]
    (found,) = metadata_leaks([photos[1], replace(photos[0], metadata=day), photos[2]])
    assert found.kind == "file name"
    assert found.photos == ("Lisbon.jpg", "P.jpg")
    assert found.examples == (
        "Lisbon, Portugal in Lisbon.jpg",
        "2023-07-15 in PXL_20230715_153000123.jpg",
    )


def test_equal_examples_are_told_once_and_few_of_them() -> None:
    photos = [
        replace(photo(f"{n}.jpg"), metadata=Metadata(leaks=(Leak("camera", f"C{n % 5}"),)))
        for n in range(20)
    ]
    (found,) = metadata_leaks(photos)
    assert len(found.photos) == 20
    assert found.examples == ("C0", "C1", "C2")


def test_nothing_is_told_where_nothing_is() -> None:
    assert metadata_leaks([photo("a.jpg")]) == ()

"""What the commands leave waiting on the disk meanwhile: no more than they have to."""

from __future__ import annotations

from pathlib import Path

import pytest

from elsewhere.album.renditions import Spool
from tests.album.makers import jpeg
from tests.cli.keyboard import SCORER, typed

PHOTOS = 40
AT_ONCE = 8
"""So many renditions may wait, as these tests set it: two threads, two ahead of each."""


class Watched:
    """All files that renditions wait in, and all that was put into them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sizes: dict[int, int] = {}
        self.largest = self.all = 0
        watched = self

        class Spooled(Spool):
            def put(self, content: bytes) -> int:
                start = super().put(content)
                watched.sizes[id(self)] = self.size
                watched.largest = max(watched.largest, len(content))
                watched.all += len(content)
                return start

        monkeypatch.setattr("elsewhere.album.album.Spool", Spooled)
        monkeypatch.setattr("elsewhere.service.scored_album._AHEAD", 2)
        monkeypatch.setattr("elsewhere.service.scored_album.cores", lambda: 2)

    @property
    def peak(self) -> int:
        """A file never shrinks, so this is the most that ever lay on the disk."""
        return sum(self.sizes.values())


def run(asked: str) -> None:
    result = typed(*asked.split(), "--at=Lisbon", "--no-cache", *SCORER)
    assert result.exit_code in {0, 3, 4}, result.output


@pytest.fixture
def watched(bare_home: Path, monkeypatch: pytest.MonkeyPatch) -> Watched:
    for number in range(PHOTOS):
        (bare_home / "album" / f"{number:02}.jpg").write_bytes(jpeg(number + 1))
    (bare_home / "online").mkdir()
    for number in range(PHOTOS):
        (bare_home / "online" / f"{number:02}.jpg").write_bytes(jpeg(number + 101))
    return Watched(monkeypatch)


@pytest.mark.parametrize(
    "asked", ["protect album --dry-run --top 1", "audit album", "next album 00.jpg --top 1"]
)
def test_renditions_that_are_not_exported_do_not_pile_up(watched: Watched, asked: str) -> None:
    run(asked)
    assert len(watched.sizes) == 1
    assert watched.peak <= AT_ONCE * watched.largest < watched.all / 3


@pytest.mark.parametrize("asked", ["protect album -n --top 1", "audit album"])
def test_nor_do_those_of_photos_that_are_public(watched: Watched, asked: str) -> None:
    run(f"{asked} --posted online")
    assert len(watched.sizes) == 2, "the album, and what is public"
    assert watched.peak <= 2 * AT_ONCE * watched.largest < watched.all / 3


def test_those_of_a_copy_wait_until_it_is_written(watched: Watched) -> None:
    run("protect album -o out --top 1 --no-report")
    assert watched.peak == watched.all
    assert list(Path("out").iterdir())

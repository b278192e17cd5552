"""An album that kills all of a run, driver and workers at once, as a container without memory does.

Whoever goes on with the run dies over it again; but each time a little more is known, and in the
end that album has a dead letter and all others have their rows.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from elsewhere.batch.columns import photos_in
from elsewhere.batch.crash_blame import ISOLATE_AFTER, MAX_RUN_DEATHS
from elsewhere.batch.settings import Settings
from tests.album.makers import jpeg
from tests.batch.makers import HIDDEN, albums_in, dead_in, model, write

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]

SCORER = '''
import os, signal
from pathlib import Path
from elsewhere.scorers import find

class Fatal:
    """A scorer that kills its whole container over one photo, or itself over another."""
    def __init__(self, word):
        self._real = find(word)
    def load(self):
        return self._real.load()
    def score(self, photo):
        if photo.name == "fatal.jpg":
            container()
        if photo.name == "deadly.jpg":
            os.kill(os.getpid(), signal.SIGKILL)
        return self._real.score(photo)

def container():
    """End all that was started with us, whatever group or session it is in by now."""
    mark = f"ELSEWHERE_CONTAINER={os.environ['ELSEWHERE_CONTAINER']}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes() and int(folder.name) != os.getpid():
                os.kill(int(folder.name), signal.SIGKILL)
        except OSError:
            pass
    os.killpg(0, signal.SIGKILL)

def make(word):
    return Fatal(word)
'''
"""Another package's scorer, found by its entry point."""

DRIVER = """
import sys
from elsewhere.batch.runner import Engine, run
from elsewhere.batch.settings import Settings

if __name__ == "__main__":
    run(Settings.from_json(sys.argv[1]), Engine(sys.argv[2], 2))
"""


def fatal_in(folder: Path) -> dict[str, str]:
    """The environment in which there is a scorer called fatal."""
    told = folder / "packages" / "fatal-1.dist-info"
    told.mkdir(parents=True)
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: fatal\nVersion: 1\n")
    (told / "entry_points.txt").write_text("[elsewhere.scorers]\nfatal = fatal_scorer:make\n")
    (told.parent / "fatal_scorer.py").write_text(SCORER)
    return {
        **os.environ,
        "PYTHONPATH": str(told.parent),
        "ELSEWHERE_CONTAINER": str(folder),
    }


def albums(many: int, photos: int = 2, **named: int) -> Any:
    """Albums of tiny photos; `fatal` and `deadly` are those with a photo that is called so."""
    bad = {(album, 1): f"{name}.jpg" for name, album in named.items()}
    rows = [
        {
            "album": f"album-{album}",
            "photo": bad.get((album, n), f"{album}-{n}.jpg"),
            "content": jpeg(album * 97 + n, 32, 24),
            "lat": 38.72,
            "lon": -9.14,
            "wishes": HIDDEN,
        }
        for album in range(many)
        for n in range(photos)
    ]
    return pa.Table.from_pylist(rows, photos_in())


@dataclass
class House:
    """A folder with a dataset, from which runs are started as programs of their own."""

    folder: Path
    engine: str
    environment: dict[str, str]

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def run(self) -> int:
        """Start the run once more; its exit code."""
        word = f"fatal:onnx:{self.folder / 'tiny.onnx'}"
        given = Settings(str(self.folder / "in"), str(self.out), (word,), key="k", block=16)
        process = subprocess.run(
            [sys.executable, str(self.folder / "driver.py"), given.to_json(), self.engine],
            start_new_session=True,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert process.returncode in {0, -signal.SIGKILL}, process.stderr
        return process.returncode


@pytest.fixture(params=["local", "ray"])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> House:
    if request.param == "ray":
        pytest.importorskip("ray")
    assert model(tmp_path) == f"onnx:{tmp_path / 'tiny.onnx'}"
    (tmp_path / "driver.py").write_text(DRIVER)
    return House(tmp_path, request.param, fatal_in(tmp_path))


@pytest.mark.long
@pytest.mark.timeout(900)
def test_an_album_that_kills_the_whole_run(house: House) -> None:
    write(albums(16, fatal=5), house.folder / "in" / "a.parquet", group=8)
    deaths = 0
    while house.run():
        deaths += 1
        assert deaths <= ISOLATE_AFTER + 1 + MAX_RUN_DEATHS, "it kills for ever"
        if deaths > ISOLATE_AFTER + 1:  # the rest is not held up: the other block is written
            others = {row["album"] for row in albums_in(house.out)}
            assert others >= {f"album-{n}" for n in range(8, 16)}
    assert deaths == ISOLATE_AFTER + 1 + MAX_RUN_DEATHS
    rows = {row["album"]: row for row in albums_in(house.out)}
    assert len(rows) == 16
    assert rows.pop("album-5")["status"] == "broken"
    assert {row["status"] for row in rows.values()} == {"optimal"}
    (letter,) = dead_in(house.out)
    assert (letter["album"], letter["photo"], letter["kind"]) == ("album-5", None, "crash")
    assert letter["reason"].startswith("the whole run was killed, 3 times, while it worked on")
    assert not (house.out / "_work").exists()


@pytest.mark.long
@pytest.mark.timeout(900)
def test_an_album_that_kills_whoever_looks_at_it_costs_no_other(house: House) -> None:
    """The run itself lives on: one start is enough."""
    write(albums(8, deadly=3), house.folder / "in" / "a.parquet", group=8)
    assert house.run() == 0
    rows = {row["album"]: row["status"] for row in albums_in(house.out)}
    assert len(rows) == 8 and rows.pop("album-3") == "broken"
    assert set(rows.values()) == {"optimal"}
    assert {one["album"] for one in dead_in(house.out)} == {"album-3"}
    assert any("died, 2 times" in one["reason"] for one in dead_in(house.out))

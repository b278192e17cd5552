"""A real Ray cluster of two nodes on this machine, one of which is killed while it works.

2,000 albums of photos, 20 of which are broken, and two albums for which there is no plan: what
comes out must be what the engine without Ray writes, and what could not be used is named. The same
from scores. Only with `--long`; a small run on one node is in tests/batch/test_ray_engine.py.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest

from elsewhere.batch.runner import Engine, run
from elsewhere.batch.settings import Settings
from tests.batch.makers import albums_in, dead_in, model, pixels, scored, write

pytest.importorskip("ray")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
    pytest.mark.filterwarnings("ignore"),  # Ray's own: it opens sockets and files and leaves them
]
STORE = 80 << 20
"""Bytes of shared memory for each node: blocks are small."""
PATIENCE = 300.0


@dataclass
class TwoNodes:
    """A head with one core, and one more node with one core that can be killed."""

    cluster: Any
    node: Any

    def processes(self) -> set[int]:
        """The workers of the second node."""
        raylet = self.node.all_processes["raylet"][0].process.pid
        return {pid for pid, parent in processes() if parent == raylet}

    def kill(self) -> None:
        """The second node and all that runs on it, at once."""
        theirs = self.processes()
        self.cluster.remove_node(self.node, allow_graceful=False)
        for pid in theirs:
            ended(pid)
        end = time.monotonic() + PATIENCE
        while alive := theirs & {pid for pid, _ in processes()}:
            assert time.monotonic() < end, f"processes of the killed node live on: {alive}"
            time.sleep(0.02)

    def replace(self) -> None:
        """Another node in its place."""
        self.node = self.cluster.add_node(num_cpus=1, object_store_memory=STORE)
        self.cluster.wait_for_nodes()


@dataclass(eq=False)
class Killer(threading.Thread):
    """Kills the second node while a process of it is at a job, when so many files are written.

    The process is stopped first, so that it cannot finish its job between the look and the kill.
    """

    nodes: TwoNodes
    output: Path
    first: int
    lost: list[str] = field(default_factory=list)
    """The jobs that the node was at."""
    written: int = 0
    """Files of albums that were there when it died."""
    over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        super().__init__(name="killer", daemon=True)

    def run(self) -> None:
        while not self.over.wait(0.02):
            if self._written() < self.first:
                continue
            for process in self.nodes.processes() & set(self._at_work().values()):
                os.kill(process, signal.SIGSTOP)
                stopped_at = [job for job, who in self._at_work().items() if who == process]
                if not stopped_at:  # it had just finished
                    os.kill(process, signal.SIGCONT)
                    continue
                self.written = self._written()
                self.nodes.kill()
                self.lost = stopped_at
                return

    def _written(self) -> int:
        return len(list((self.output / "_work" / "blocks").glob("*.parquet")))

    def _at_work(self) -> dict[str, int]:
        """Jobs that somebody has begun and not ended, and who: a note is taken back at the end."""
        found = {}
        for note in (self.output / "_work" / "tries").rglob("[0-9a-f]*"):
            try:
                found[note.parent.name] = int(json.loads(note.read_text())["process"])
            except (OSError, ValueError):
                continue  # a folder, or just taken back
        return found


def processes() -> Iterator[tuple[int, int]]:
    """Every process that lives: its number, and its parent's."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue  # it has just ended
        if state != "Z":
            yield int(folder.name), int(parent)


def ended(pid: int) -> None:
    """End a process, if it has not ended by itself."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def warm() -> str:
    """What a worker imports before its first block."""
    from elsewhere.batch import ray_engine

    return ray_engine.__name__


@pytest.fixture(scope="module")
def two_nodes() -> Iterator[TwoNodes]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Ray's own, about its dependencies
        ray: Any = import_module("ray")
        cluster_of: Any = import_module("ray.cluster_utils").Cluster

        head = {"num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False}
        cluster = cluster_of(initialize_head=True, head_node_args=head)
        node = cluster.add_node(num_cpus=1, object_store_memory=STORE)
        ray.init(address=cluster.address, logging_level="ERROR", log_to_driver=False)
        task = ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(warm)
        ray.get([task.remote() for _ in range(4)])
        yield TwoNodes(cluster, node)
        ray.shutdown()
        cluster.shutdown()


def compared(
    folder: Path, nodes: TwoNodes, blocks: int, block: int, word: str = "embedded"
) -> None:
    """Run a dataset on both engines, kill a node under one of them, and compare."""
    outputs = {name: folder / name for name in ("ray", "local")}
    settings = {
        name: Settings(str(folder / "in"), str(out), (word,), key="the same", block=block)
        for name, out in outputs.items()
    }
    killer = Killer(nodes, outputs["ray"], first=blocks // 5)
    killer.start()
    try:
        run(settings["ray"], Engine("ray"))
    finally:
        killer.over.set()
        killer.join(PATIENCE)
    assert killer.lost, "no job came to the second node, so that nothing was killed at work"
    assert blocks // 5 <= killer.written < blocks, "it was over when the node was killed"
    nodes.replace()
    run(settings["local"], Engine("local", 2))
    assert albums_in(outputs["ray"]) == albums_in(outputs["local"])
    assert dead_in(outputs["ray"]) == dead_in(outputs["local"])


def ids(albums: int) -> list[str]:
    return [f"album-{number:06}" for number in range(albums)]


def test_photos_looked_at(tmp_path: Path, two_nodes: TwoNodes) -> None:
    albums, photos, block = 2000, 2, 32
    draw = Random(1)
    bad = sorted(draw.sample([(a, p) for a in range(albums) for p in range(photos)], 20))
    whole = [album for album in range(albums) if album not in {album for album, _ in bad}]
    impossible = sorted(draw.sample(whole, 2))
    table = pixels(albums, photos=photos, broken=bad, impossible=impossible)
    write(table, tmp_path / "in" / "a.parquet", group=64)
    compared(tmp_path, two_nodes, albums * photos // block, block, model(tmp_path))
    rows = albums_in(tmp_path / "ray")
    assert [row["album"] for row in rows] == ids(albums)
    letters = {(one["album"], one["photo"]): one["kind"] for one in dead_in(tmp_path / "ray")}
    named = {(f"album-{a:06}", f"{p:04}.jpg"): "damaged" for a, p in bad}
    empty = {a for a, _ in bad if sum(a == b for b, _ in bad) == photos}
    none = {(f"album-{a:06}", None): "infeasible" for a in impossible}
    assert letters == named | none | {(f"album-{a:06}", None): "album" for a in empty}
    for album, _ in bad:
        assert rows[album]["left"] == sum(album == other for other, _ in bad)
    assert [row["album"] for row in rows if row["withheld"] is None] == sorted(
        f"album-{a:06}" for a in {*impossible, *empty}
    )


def test_plans_from_scores(tmp_path: Path, two_nodes: TwoNodes) -> None:
    albums, block = 1200, 64
    table = scored(albums, impossible=[600, 601])
    write(table, tmp_path / "in" / "a.parquet")
    compared(tmp_path, two_nodes, table.num_rows // block, block)
    rows = albums_in(tmp_path / "ray")
    assert [row["album"] for row in rows] == ids(albums)
    letters = [(one["album"], one["photo"], one["kind"]) for one in dead_in(tmp_path / "ray")]
    assert {(f"album-{n:06}", None, "infeasible") for n in (600, 601)} <= set(letters)
    # of so many, chance makes one or two that cannot be hidden either
    assert letters == [(r["album"], None, r["status"]) for r in rows if r["withheld"] is None]
    assert len(letters) <= 2 + albums // 500

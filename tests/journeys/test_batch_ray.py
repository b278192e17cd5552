"""A real Ray cluster of two nodes on this machine, one of which is killed while it works.

What comes out must be what the engine without Ray writes, and what could not be used is named.
Only with `--long`: 2,000 albums, 1,940 of scores and 60 of photos, and a small run before them.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest

from elsewhere.batch.running import Engine, Step, Watch, run
from elsewhere.batch.settings import Settings
from tests.batch.makers import albums_in, dead_in, model, pixels, scored, write

pytest.importorskip("ray")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
STORE = 80 << 20
"""Bytes of shared memory for each node: blocks are small."""
PATIENCE = 120.0


@dataclass
class TwoNodes:
    """A head with one core, and one more node with one core that can be killed."""

    cluster: Any
    node: Any

    def working(self, output: Path) -> set[str]:
        """The jobs that a process of the second node has begun and not finished."""
        raylet = self.node.all_processes["raylet"][0].process.pid
        ours = {pid for pid, parent in processes() if parent == raylet}
        found = set()
        for note in (output / "_work" / "tries").glob("*/[0-9a-f]*"):
            job = note.parent.name.removesuffix("-look")
            done = (output / "albums" / f"{job}.parquet").exists()
            if json.loads(note.read_text())["process"] in ours and not done:
                found.add(job)
        return found

    def kill(self, output: Path) -> set[str]:
        """Wait until the node works, and kill it with all its processes; what it was at."""
        end = time.monotonic() + PATIENCE
        raylet = self.node.all_processes["raylet"][0].process.pid
        while not (jobs := self.working(output)):
            assert time.monotonic() < end, "no job came to the second node"
            time.sleep(0.01)
        theirs = {pid for pid, parent in processes() if parent == raylet}
        self.cluster.remove_node(self.node, allow_graceful=False)
        while alive := theirs & {pid for pid, _ in processes()}:
            assert time.monotonic() < end, f"processes of the killed node live on: {alive}"
            time.sleep(0.02)
        return {job for job in jobs if not (output / "albums" / f"{job}.parquet").exists()}

    def replace(self) -> None:
        """Another node in its place."""
        self.node = self.cluster.add_node(num_cpus=1, object_store_memory=STORE)
        self.cluster.wait_for_nodes()


def processes() -> Iterator[tuple[int, int]]:
    """Every process that lives: its number, and its parent's."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue  # it has just ended
        if state != "Z":
            yield int(folder.name), int(parent)


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
        yield TwoNodes(cluster, node)
        ray.shutdown()
        cluster.shutdown()


def killing(nodes: TwoNodes, output: Path, first: int) -> tuple[Watch, list[str]]:
    """A watch that kills the second node at work, when so many albums are done; what it was at."""
    lost: list[str] = []

    def watch(step: Step) -> None:
        if step.stage == "working" and step.albums >= first and step.photos and not lost:
            while not lost:  # a job may have been finished in the very moment
                assert step.albums < step.total, "it was over before the node was killed"
                lost.extend(nodes.kill(output))
                if not lost:
                    nodes.replace()

    return watch, lost


def compared(
    folder: Path, nodes: TwoNodes, first: int, block: int, word: str = "embedded"
) -> list[str]:
    """Run a dataset on both engines, kill a node under one of them, and compare; what was lost."""
    outputs = {name: folder / name for name in ("ray", "local")}
    settings = {
        name: Settings(str(folder / "in"), str(out), (word,), key="the same", block=block)
        for name, out in outputs.items()
    }
    watch, lost = killing(nodes, outputs["ray"], first)
    run(settings["ray"], Engine("ray"), watch)
    nodes.replace()
    run(settings["local"], Engine("local", 2))
    assert albums_in(outputs["ray"]) == albums_in(outputs["local"])
    assert dead_in(outputs["ray"]) == dead_in(outputs["local"])
    return lost


def ids(albums: int) -> list[str]:
    return [f"album-{number:06}" for number in range(albums)]


@pytest.mark.long  # a cluster on two busy cores takes its time, and may keep its jobs on one node
@pytest.mark.filterwarnings("ignore")  # Ray's own: it opens sockets and files and leaves them
@pytest.mark.parametrize(("albums", "block"), [(150, 8), (1940, 64)])
def test_plans_from_scores(albums: int, block: int, tmp_path: Path, two_nodes: TwoNodes) -> None:
    write(scored(albums, impossible=[albums // 2]), tmp_path / "in" / "a.parquet")
    lost = compared(tmp_path, two_nodes, albums // 5, block)
    assert lost, "the node was at nothing when it was killed"
    rows = albums_in(tmp_path / "ray")
    assert [row["album"] for row in rows] == ids(albums)
    letters = [(one["album"], one["photo"], one["kind"]) for one in dead_in(tmp_path / "ray")]
    assert (f"album-{albums // 2:06}", None, "infeasible") in letters
    # of so many, chance makes one or two that cannot be hidden either
    assert letters == [(r["album"], None, r["status"]) for r in rows if r["withheld"] is None]
    assert len(letters) <= 1 + albums // 500


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_photos_looked_at(tmp_path: Path, two_nodes: TwoNodes) -> None:
    albums = 60
    bad = sorted(Random(1).sample([(a, p) for a in range(albums) for p in range(3)], 20))
    impossible = next(a for a in range(albums) if a not in {album for album, _ in bad})
    table = pixels(albums, broken=bad, impossible=[impossible])
    write(table, tmp_path / "in" / "a.parquet", group=8)
    lost = compared(tmp_path, two_nodes, albums // 5, 8, model(tmp_path))
    assert lost, "the node was at nothing when it was killed"
    assert [row["album"] for row in albums_in(tmp_path / "ray")] == ids(albums)
    letters = {(one["album"], one["photo"]): one["kind"] for one in dead_in(tmp_path / "ray")}
    named = {(f"album-{a:06}", f"{p:04}.jpg"): "damaged" for a, p in bad}
    assert letters == named | {(f"album-{impossible:06}", None): "infeasible"}

"""A real Ray cluster of two nodes on this machine, one of which is killed while it works.

What comes out must be what the engine without Ray writes, and what could not be used is named.
The small run is everybody's; `--long` runs 2,000 albums.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from elsewhere.batch.running import Engine, Step, run
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

    def busy(self) -> list[int]:
        """The processes of the second node that are at a task of ours this moment.

        Ray names a process after what it is doing: ray::MapBatches(…), or ray::IDLE.
        """
        raylet = self.node.all_processes["raylet"][0].process.pid
        named = {pid: words for pid, parent, words in processes() if parent == raylet}
        return [pid for pid, words in named.items() if "ray::" in words and "Map" in words]

    def kill(self) -> list[int]:
        """Wait until the node works, and kill it with all its processes; who died at work."""
        end = time.monotonic() + PATIENCE
        while not (working := self.busy()):
            assert time.monotonic() < end, "no task came to the second node"
            time.sleep(0.02)
        self.cluster.remove_node(self.node, allow_graceful=False)
        while alive := {pid for pid, *_ in processes()} & set(working):
            assert time.monotonic() < end, f"processes of the killed node live on: {alive}"
            time.sleep(0.02)
        return working

    def replace(self) -> None:
        """Another node in its place."""
        self.node = self.cluster.add_node(num_cpus=1, object_store_memory=STORE)
        self.cluster.wait_for_nodes()


def processes() -> Iterator[tuple[int, int, str]]:
    """Every process that lives: its number, its parent's, and what it calls itself."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue  # it has just ended
        if state != "Z":
            yield int(folder.name), int(parent), words


@pytest.fixture(scope="module")
def two_nodes() -> Iterator[TwoNodes]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Ray's own, about its dependencies
        import ray
        from ray.cluster_utils import Cluster

        head = {"num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False}
        cluster = Cluster(initialize_head=True, head_node_args=head)
        node = cluster.add_node(num_cpus=1, object_store_memory=STORE)
        ray.init(address=cluster.address, logging_level="ERROR", log_to_driver=False)
        yield TwoNodes(cluster, node)
        ray.shutdown()
        cluster.shutdown()


def at(albums: int, do: Callable[[], Any]) -> Callable[[Step], None]:
    """A watch that does something once, when so many albums are done."""
    done: list[Any] = []

    def watch(step: Step) -> None:
        if step.stage == "working" and step.albums >= albums and not done:
            done.append(do())
            assert step.albums < step.total, "it was over before the node was killed"

    return watch


@pytest.mark.filterwarnings("ignore")  # Ray's own: it opens sockets and files and leaves them
@pytest.mark.parametrize(
    ("many", "looked_at", "broken", "block"),
    [
        pytest.param(150, 12, 5, 32, id="small"),
        pytest.param(1940, 60, 20, 64, id="2000 albums", marks=[pytest.mark.long]),
    ],
)
def test_a_node_killed_at_work(
    many: int, looked_at: int, broken: int, block: int, tmp_path: Path, two_nodes: TwoNodes
) -> None:
    draw = Random(many)
    write(scored(many, impossible=[many // 2]), tmp_path / "scores" / "a.parquet")
    bad = sorted(draw.sample([(a, p) for a in range(looked_at) for p in range(3)], broken))
    impossible = next(a for a in range(looked_at) if a not in {album for album, _ in bad})
    table = pixels(looked_at, broken=bad, impossible=[impossible], first=0)
    write(table, tmp_path / "photos" / "a.parquet", group=8)
    word = model(tmp_path)

    def settings(kind: str, engine: str) -> Settings:
        size = block if kind == "scores" else 8
        return Settings(
            str(tmp_path / kind),
            str(tmp_path / f"{kind}-{engine}"),
            scorers=(word,),
            key="the same for both",
            block=size,
        )

    for kind, first in (("scores", many // 5), ("photos", looked_at // 4)):
        killed: list[Any] = []
        watch = at(first, lambda killed=killed: killed.extend(two_nodes.kill()))  # type: ignore[misc]
        run(settings(kind, "ray"), Engine("ray"), watch)
        assert killed, "nobody was killed at work"
        run(settings(kind, "local"), Engine("local", 2))
        ours, theirs = (tmp_path / f"{kind}-{engine}" for engine in ("local", "ray"))
        assert albums_in(ours) == albums_in(theirs)
        assert dead_in(ours) == dead_in(theirs)
        two_nodes.replace()
    out = tmp_path / "scores-ray"
    assert [row["album"] for row in albums_in(out)] == [f"album-{n:06}" for n in range(many)]
    assert [(d["album"], d["kind"]) for d in dead_in(out)] == [
        (f"album-{many // 2:06}", "infeasible")
    ]
    out = tmp_path / "photos-ray"
    assert [row["album"] for row in albums_in(out)] == [f"album-{n:06}" for n in range(looked_at)]
    letters = {(d["album"], d["photo"]): d["kind"] for d in dead_in(out)}
    named = {(f"album-{a:06}", f"{p:04}.jpg"): "damaged" for a, p in bad}
    assert letters == named | {(f"album-{impossible:06}", None): "infeasible"}

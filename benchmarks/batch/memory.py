"""Peak memory of a whole run, driver and workers together, as the dataset grows.

Counted is what the processes have for themselves (anonymous pages): a dataset that is mapped lies
in the system's own cache, which takes what is free and gives it back. With Ray its own processes
are counted too, and told apart from those that do our work; its store is shared memory and is not.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

RUN = """
import sys
from elsewhere.batch.runner import Engine, run
from elsewhere.batch.settings import Settings

if __name__ == "__main__":
    dataset, out, engine, block = sys.argv[1:]
    given = dict(key="k", block=int(block), wishes={"top": 1, "exact_top": True, "margin": "none"})
    run(Settings(dataset, out, **given), Engine(engine, 2))
"""


def peak(dataset: Path, out: Path, engine: str = "local", block: int = 256) -> dict[str, float]:
    """A run in a process of its own, watched until it ends: MiB at the most, and seconds."""
    script = out.with_suffix(".py")
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(RUN)
    start = time.perf_counter()
    words = [sys.executable, str(script), str(dataset), str(out), engine, str(block)]
    process = subprocess.Popen(words)
    most = driver = ours = 0.0
    while process.poll() is None:
        own = _anonymous(process.pid)
        others = {pid: _anonymous(pid) for pid in children(process.pid)}
        working = own + sum(size for pid, size in others.items() if _works_for_us(pid))
        driver, ours = max(driver, own), max(ours, working)
        most = max(most, own + sum(others.values()))
        time.sleep(0.05)
    assert process.returncode == 0
    seconds = time.perf_counter() - start
    return {
        "MiB in all": most,
        "MiB of driver and workers": ours,
        "MiB of the driver": driver,
        "seconds": seconds,
    }


def _works_for_us(pid: int) -> bool:
    """Not one of Ray's own: those are called after what they are for."""
    try:
        words = (
            Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        )
    except OSError:
        return False  # it has just ended
    own = ("raylet/raylet", "gcs_server", "ray/dashboard", "ray/_private/", "ray/autoscaler")
    agents = ("Agent", "_StatsActor", "_AutoscalingCoordinator")
    if words.startswith("ray::"):
        return not any(name in words for name in agents)
    return not any(name in words for name in own)


def _anonymous(pid: int) -> float:
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass  # it has just ended
    return 0.0


def children(pid: int) -> list[int]:
    """All processes that it has started, and those that these have."""
    found: list[int] = []
    for folder in Path(f"/proc/{pid}/task").glob("*"):
        try:
            direct = [int(word) for word in (folder / "children").read_text().split()]
        except OSError:
            continue
        for one in direct:
            found += [one, *children(one)]
    return found

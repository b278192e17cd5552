"""Peak memory of a whole run, driver and workers together, as the dataset grows.

Counted is what the processes have for themselves (anonymous pages): a dataset that is mapped lies
in the system's own cache, which takes what is free and gives it back.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

RUN = """
import sys
from elsewhere.batch.running import Engine, run
from elsewhere.batch.settings import Settings

if __name__ == "__main__":
    given = dict(key="k", block=256, wishes={"top": 1, "exact_top": True, "margin": "none"})
    run(Settings(sys.argv[1], sys.argv[2], **given), Engine("local", 2))
"""


def peak(dataset: Path, out: Path) -> dict[str, float]:
    """A run in a process of its own, watched until it ends: MiB at the most, and seconds."""
    script = out.with_suffix(".py")
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(RUN)
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, str(script), str(dataset), str(out)])
    most = driver = 0.0
    while process.poll() is None:
        own = _anonymous(process.pid)
        most = max(most, own + sum(_anonymous(pid) for pid in _children(process.pid)))
        driver = max(driver, own)
        time.sleep(0.05)
    assert process.returncode == 0
    seconds = time.perf_counter() - start
    return {"MiB in all": most, "MiB of the driver": driver, "seconds": seconds}


def _anonymous(pid: int) -> float:
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass  # it has just ended
    return 0.0


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for folder in Path(f"/proc/{pid}/task").glob("*"):
        try:
            direct = [int(word) for word in (folder / "children").read_text().split()]
        except OSError:
            continue
        for one in direct:
            found += [one, *_children(one)]
    return found

"""Plants known faults, one at a time, in a copy of the tree and shows that the tests catch each.

    python tools/faults.py                 # all of them
    python tools/faults.py --only NAME     # one; may be given several times
    python tools/faults.py --list          # what there is, and whether it can still be planted

The tests of a fault are run twice in the same copy: as it is, where they must pass, and with the
fault, where one must fail. The real tree is only read. When files move, the paths below move too.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NEEDED = ("src", "lab", "tests", "benchmarks", "docs", "pyproject.toml", "README.md")
"""What the copy holds of the tree."""
LARGE_BYTES = 1 << 20
"""Larger files are linked and not copied: model weights, pictures, tables."""
TIME_LIMIT = 300
"""Seconds that one run of tests may take."""
MOST_AT_ONCE = 2
PASSED, FAILED = 0, 1
"""Exit statuses of pytest; all others are no verdict of a test."""


@dataclass(frozen=True)
class Fault:
    """One fault, and the tests that catch it."""

    name: str
    about: str
    file: str
    old: str
    """Occurs exactly once in the file."""
    new: str
    tests: tuple[str, ...]
    """Arguments for pytest."""


@dataclass(frozen=True)
class Result:
    """What came of planting a fault."""

    fault: Fault
    verdict: str
    detail: str
    seconds: float

    @property
    def caught(self) -> bool:
        """Whether the tests passed without the fault and failed with it."""
        return self.verdict == "caught"


FAULTS = (
    Fault(
        "solver-gain-sign",
        "The solver's row of gains has its sign turned",
        "src/elsewhere/solver/exact/instance.py",
        "self.unit_scores[rival] - self.unit_scores[zone_row]",
        "self.unit_scores[zone_row] - self.unit_scores[rival]",
        ("tests/solver/exact/test_search.py",),
    ),
    Fault(
        "checker-rounding-sign",
        "The check subtracts a rounding error that it must add",
        "src/elsewhere/checker/arithmetic.py",
        "(block - (high - back)) + (known - back)",
        "(block - (high - back)) - (known - back)",
        ("tests/checker/test_arithmetic.py",),
    ),
    Fault(
        "margin-sign",
        "The check takes the margin off the bar that rivals must pass",
        "src/elsewhere/checker/facts.py",
        "+ len(seen) * units(against.margin)",
        "- len(seen) * units(against.margin)",
        ("tests/checker/test_proof.py", "-k", "margin"),
    ),
    Fault(
        "prior-per-photo",
        "What is known beforehand counts once for every photo",
        "src/elsewhere/solver/reductions.py",
        "np.array(against.prior, np.float64)",
        "np.array(against.prior, np.float64) * promise.photos",
        ("tests/solver/reductions/test_thresholds.py",),
    ),
    Fault(
        "empty-plan",
        "The check accepts a plan that keeps no photo",
        "src/elsewhere/checker/proof.py",
        "if not plan.kept:",
        "if plan.kept is None:",
        ("tests/checker/test_proof.py", "-k", "empty"),
    ),
    Fault(
        "zone-unit",
        "The radius of a zone is taken for metres",
        "src/elsewhere/globe/areas.py",
        "km <= radius_km",
        "km * 1000 <= radius_km",
        ("tests/globe/test_zones.py",),
    ),
    Fault(
        "posted-not-counted",
        "Posted photos beyond the album are not counted as public",
        "src/elsewhere/service/posted.py",
        "(*self.already, *range(photos, photos + len(self.ids)))",
        "self.already",
        ("tests/service/posted/test_values.py",),
    ),
    Fault(
        "export-unproved",
        "A copy whose proof fails is exported all the same",
        "src/elsewhere/service/export.py",
        "if verdict.problems:",
        "if verdict is None:",
        ("tests/service/export/test_export_album.py", "-k", "scores_otherwise"),
    ),
    Fault(
        "verify-digests",
        "Verifying compares the sizes of files and not their digests",
        "src/elsewhere/service/verify.py",
        "digest != expected.sha256 or ",
        "",
        ("tests/service/export/test_verify.py", "-k", "changed"),
    ),
    Fault(
        "jpeg-trailing-data",
        "Data after the end of a JPEG is not refused",
        "src/elsewhere/album/renditions.py",
        "content[end.start() :] != _END",
        "content[end.start() :][:2] != _END",
        ("tests/album/test_renditions.py",),
    ),
    Fault(
        "remedy-lost",
        "A sentence says that the target exists, and not what to do about it",
        "src/elsewhere/album/export.py",
        "choose a new name or remove it first",
        "nothing was written",
        ("tests/album/test_export.py", "-k", "target"),
    ),
    Fault(
        "exif-kept",
        "The EXIF block of an original, with its position, goes into its rendition",
        "src/elsewhere/album/renditions.py",
        'exif=b""',
        "exif=image.getexif()",
        ("tests/album/test_renditions.py",),
    ),
    Fault(
        "name-kept",
        "Files keep their names though neutral ones were asked for",
        "src/elsewhere/album/export.py",
        'if names == "neutral":',
        "if not names:",
        ("tests/album/test_export_names.py",),
    ),
    Fault(
        "secret-told",
        "A message about a broken promise tells the secret k",
        "src/elsewhere/service/verify.py",
        "photo,\n        place=attacker.place.label,",
        'photo,\n        place=f"{attacker.place.label} (top {problem.wanted})",',
        ("tests/service/export/test_verify.py", "-k", "secret"),
    ),
    Fault(
        "ledger-after-failure",
        "An export that failed is written down as shared",
        "src/elsewhere/service/ledger.py",
        "self.settle(export)",
        "self.settle(export, shared=True)",
        ("tests/service/ledger/test_entries.py", "-k", "fails"),
    ),
    Fault(
        "cache-other-bytes",
        "The cache tells photos apart by their first bytes alone",
        "src/elsewhere/scorers/cached_scorer.py",
        'hmac.new(secret, content, "sha256")',
        'hmac.new(secret, content[:512], "sha256")',
        ("tests/scorers/test_cache.py",),
    ),
    Fault(
        "guard-host",
        "The app answers to foreign host names",
        "src/elsewhere/app/security/guard.py",
        'request.headers.get("host", "") not in self._hosts',
        'not request.headers.get("host", "")',
        ("tests/app/test_guard.py",),
    ),
    Fault(
        "guard-secret",
        "The app does not ask for the session's secret",
        "src/elsewhere/app/security/guard.py",
        'self._keys.admits(request.headers.get(SECRET_HEADER, ""))',
        "request.path",
        ("tests/app/test_guard.py",),
    ),
    Fault(
        "batch-row-lost",
        "An album that a batch gave up has no row in the output",
        "src/elsewhere/batch/blocks.py",
        "rows.append(row)",
        "rows += [] if reason else [row]",
        ("tests/batch/test_runner.py", "-k", "kills"),
    ),
    Fault(
        "batch-row-twice",
        "A batch that goes on writes albums again under other names",
        "src/elsewhere/batch/blocks.py",
        'storage.write(f"{ALBUMS}/{job.name}.parquet"',
        'storage.write(f"{ALBUMS}/{job.name}-{settings.run}.parquet"',
        ("tests/batch/test_state.py", "-k", "killed"),
    ),
)


def copy_tree(target: Path) -> None:
    """A copy of what the tests need; large files are links to the real ones."""

    def copy_file(source: str, destination: str) -> str:
        if Path(source).stat().st_size > LARGE_BYTES:
            Path(destination).symlink_to(Path(source).resolve())
            return destination
        return str(shutil.copy2(source, destination))

    ignore = shutil.ignore_patterns("__pycache__", ".hypothesis", "*.egg-info", "node_modules")
    for name in NEEDED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name, copy_function=copy_file, ignore=ignore)
        elif source.exists():
            copy_file(str(source), str(target / name))


def occurrences(fault: Fault) -> int:
    """How often the text that the fault replaces is in its file."""
    path = ROOT / fault.file
    return path.read_text("utf-8").count(fault.old) if path.is_file() else 0


def plant(fault: Fault, tree: Path) -> None:
    """Put the fault into a copy."""
    path = tree / fault.file
    path.write_text(path.read_text("utf-8").replace(fault.old, fault.new), "utf-8")


def run_tests(fault: Fault, tree: Path) -> tuple[int | None, str]:
    """The status of pytest, None where it took too long, and what it printed."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *fault.tests]
    environment = os.environ | {
        "PYTHONPATH": str(tree / "src"),
        "CI": "1",  # so that hypothesis draws the same examples each time
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    process = subprocess.Popen(
        command,
        cwd=tree,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # with the workers that tests started
        output, _ = process.communicate()
        return None, output
    return process.returncode, output


def last_line(output: str) -> str:
    """The last line that says anything."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "nothing was printed"


def first_failure(output: str) -> str:
    """The test that failed, without its error."""
    found = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", output, re.MULTILINE)
    return found[1] if found else last_line(output)


def judge(fault: Fault, tree: Path) -> tuple[str, str]:
    """The verdict on one fault in a fresh copy, and its evidence."""
    if (count := occurrences(fault)) != 1:
        return "cannot be planted", f"its text occurs {count} times in {fault.file}"
    copy_tree(tree)
    status, output = run_tests(fault, tree)
    if status != PASSED:
        return "fails without the fault", first_failure(output)
    plant(fault, tree)
    status, output = run_tests(fault, tree)
    if status is None:
        return "timed out", f"after {TIME_LIMIT} s"
    if status == FAILED:
        return "caught", first_failure(output)
    return "not caught" if status == PASSED else "no verdict", last_line(output)


def tried(fault: Fault) -> Result:
    """Plant one fault in a copy of its own, which is gone afterwards."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="faults-", ignore_cleanup_errors=True) as folder:
        verdict, detail = judge(fault, Path(folder))
    result = Result(fault, verdict, detail, time.monotonic() - began)
    print(f"{verdict:<10}  {fault.name:<21} {result.seconds:4.0f} s  {detail}", flush=True)
    return result


def show(faults: Sequence[Fault]) -> bool:
    """List the faults; whether all can be planted."""
    for fault in faults:
        count = occurrences(fault)
        stale = "" if count == 1 else f"  [its text occurs {count} times]"
        print(f"{fault.name:<21} {fault.about}\n{'':<21} {fault.file}{stale}")
    return all(occurrences(fault) == 1 for fault in faults)


def main() -> int:
    """The command line; the exit status is 0 where all faults are caught."""
    names = [fault.name for fault in FAULTS]
    parser = argparse.ArgumentParser(description="Plant faults and show that tests catch them.")
    parser.add_argument("--only", metavar="NAME", action="append", choices=names)
    parser.add_argument("--list", action="store_true", help="name the faults and plant none")
    parser.add_argument("--jobs", type=int, choices=range(1, MOST_AT_ONCE + 1), default=1)
    options = parser.parse_args()
    chosen = [fault for fault in FAULTS if options.only is None or fault.name in options.only]
    if options.list:
        return 0 if show(chosen) else 1
    began = time.monotonic()
    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(tried, chosen))
    caught = sum(result.caught for result in results)
    print(f"{caught} of {len(results)} faults caught in {time.monotonic() - began:.0f} s")
    return 0 if caught == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())

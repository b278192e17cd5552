"""`python -m benchmarks.app`: how quickly the page answers, and how smoothly it scrolls.

    python -m benchmarks.app                    both, a few minutes
    python -m benchmarks.app --photos 0         only the clicks
    python -m benchmarks.app --check            and fail where a claim does not hold

Measured in Debian's chromium, on the real server. A click is timed from its event to the frame
that shows the new plan. While 1,000 photos are scrolled, every main-thread task over 50 ms counts.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.app import clicks, scrolling
from benchmarks.machine import machine


def main() -> int:
    """Run what was asked for."""
    asked = _arguments().parse_args()
    document: dict[str, Any] = {"machine": machine()}
    print(f"{document['machine']}", flush=True)
    verdicts: list[tuple[str, bool, str]] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        if asked.clicks:
            document["clicks"] = clicks.measure(Path(folder) / "clicks", asked.clicks)
            verdicts += clicks.verdicts(document["clicks"])
        if asked.photos:
            document["scrolling"] = scrolling.measure(Path(folder) / "scrolling", asked.photos)
            verdicts += scrolling.verdicts(document["scrolling"])
    for claim, holds, measured in verdicts:
        print(f"{'pass' if holds else 'FAIL'}  {claim}: {measured}")
    document["claims"] = {claim: holds for claim, holds, _ in verdicts}
    if asked.out:
        asked.out.write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    return int(asked.check and not all(holds for _, holds, _ in verdicts))


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.app",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--clicks", type=int, default=60, help="clicks in each of two albums")
    parser.add_argument("--photos", type=int, default=1000, help="photos to scroll through")
    parser.add_argument("--out", type=Path, help="write everything to this file as JSON")
    parser.add_argument("--check", action="store_true", help="fail where a claim does not hold")
    return parser


if __name__ == "__main__":
    sys.exit(main())

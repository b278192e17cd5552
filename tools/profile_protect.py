#!/usr/bin/env python3
"""Count the modules and functions that `elsewhere protect` runs on the example album.

Lambdas, comprehensions, class bodies and compiled templates are not counted; decode workers are
processes of their own and not counted either. `--list` names the functions.
"""

from __future__ import annotations

import inspect
import os
import runpy
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

SOURCE = Path(__file__).parents[1] / "src" / "elsewhere"


def main() -> None:
    """Run the command under a profile, and print the counts."""
    found: set[tuple[str, str]] = set()

    def called(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        file = code.co_filename
        if event != "call" or not file.startswith(str(SOURCE)) or not file.endswith(".py"):
            return
        if code.co_flags & inspect.CO_OPTIMIZED and not code.co_name.startswith("<"):
            found.add((os.path.relpath(file, SOURCE), code.co_qualname))

    listed = "--list" in sys.argv
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"HOME": folder, "XDG_DATA_HOME": folder, "XDG_CACHE_HOME": folder}
        album, copy = str(SOURCE / "example" / "album"), str(Path(folder, "copy"))
        sys.argv = ["elsewhere", "protect", album, "-o", copy, "--exact-top"]
        threading.setprofile(called)
        sys.setprofile(called)
        try:
            runpy.run_module("elsewhere", run_name="__main__")
        except SystemExit as end:
            code = end.code
        sys.setprofile(None)
        threading.setprofile(None)
    if listed:
        print(*(f"{module}: {name}" for module, name in sorted(found)), sep="\n")
    packages = Counter(Path(module).parts[0] for module, _ in found)
    print(", ".join(f"{package} {count}" for package, count in packages.most_common()))
    print(f"exit {code}: {len({module for module, _ in found})} modules, {len(found)} functions")


if __name__ == "__main__":
    main()

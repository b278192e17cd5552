"""`python -m elsewhere`, with a note of the error class that the last sentence came from.

    python launcher.py LOG ARGUMENTS ...

Classes are told by the nearest public name, so that a subclass that moves is no difference.
"""

from __future__ import annotations

import contextlib
import importlib
import runpy
import sys
from pathlib import Path
from typing import Any

import surfaces


def watch(log: Path) -> None:
    """Write down the public class of every error that is made on purpose, the last one staying."""
    package = importlib.import_module(surfaces.PUBLIC)
    root: Any = package.ElsewhereError
    public = {getattr(package, name): name for name in package.__all__ if name.endswith("Error")}
    base = root.__init__

    def noted(self: Any, *given: Any, **named: Any) -> None:
        base(self, *given, **named)
        log.write_text(next(public[kind] for kind in type(self).__mro__ if kind in public), "utf-8")

    root.__init__ = noted


def main() -> None:
    """Run the program as `-m` does: the current folder first on the path, not this one."""
    sys.path[0] = str(Path.cwd())
    with contextlib.suppress(AttributeError, TypeError):
        watch(Path(sys.argv[1]))
    sys.argv[1:] = sys.argv[2:]
    runpy.run_module(surfaces.PUBLIC, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()

"""The command line: thin doors, each opened only when somebody knocks.

Every command has a module of its own, which is imported when the command is named: a plan takes
milliseconds, and importing what it does not need would take longer than finding it.
"""

from __future__ import annotations

import io
import sys


def main() -> None:
    """Run the command line (the `elsewhere` program)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ─ or ≥ gets a ?
    try:
        from elsewhere.cli.program import program

        program(sys.argv[1:])()
    except KeyboardInterrupt:
        print("elsewhere: stopped", file=sys.stderr)
        sys.exit(130)


__all__ = ["main"]

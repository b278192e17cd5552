"""The command line: parse options, call `service`, print the result.

program         the commands, exit codes and errors; help shapes what `--help` shows
options         options that several commands share
parse           typed text and small files as values; plan_options for `elsewhere plan`
score_photos    score photos with one scorer, for `guess` and `score`
commands/       one module a command, imported only when that command runs
render/         results for the terminal and as JSON
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

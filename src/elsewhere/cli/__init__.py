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
import signal
import sys
import threading
import time
from _thread import interrupt_main, start_new_thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs


def main() -> None:
    """Run the command line (the `elsewhere` program)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ─ or ≥ gets a ?
    sys.unraisablehook = _repeat_ignored_interrupt
    try:
        from elsewhere.cli.program import program

        program(sys.argv[1:])()
    except KeyboardInterrupt:
        print("elsewhere: stopped", file=sys.stderr)
        sys.exit(130)
    finally:
        # After a Ctrl-C within exec() of a string, as when a dataclass is made, `python -m` kills
        # itself by that signal at its end, although we handled it. The next exec() clears this.
        exec("")


def _repeat_ignored_interrupt(ignored: UnraisableHookArgs) -> None:
    """Send a Ctrl-C again that Python ignored, as it does in finalizers and weakref callbacks.

    Imports and thread pools run such callbacks, so that without this a Ctrl-C is sometimes lost.
    """
    if not isinstance(ignored.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(ignored)
        return

    def send() -> None:
        time.sleep(0.01)  # until the callback has ended
        if hasattr(signal, "pthread_kill"):  # interrupts a call that waits, too
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:
            interrupt_main()

    start_new_thread(send, ())  # does not wait for it, as Thread.start() does without an end


__all__ = ["main"]

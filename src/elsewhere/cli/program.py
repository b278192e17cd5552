"""The program: its commands, its exit codes, and what it prints when something fails."""

from __future__ import annotations

import errno
import os
import shlex
import sys
from importlib import import_module
from typing import Annotated, Any

import typer

from elsewhere.cli.help import Command, Group
from elsewhere.errors import ElsewhereError, InputError
from elsewhere.values.wording import printable

PANELS = {
    "Your photos": {
        "audit": "Show what an album gives away.",
        "protect": "Write a clean copy that hides the place.",
        "clean": "Write a copy without metadata; the place is not hidden.",
        "verify": "Check that a copy keeps its promise.",
        "app": "Decide photo by photo, in your browser.",
        "desktop": "Put it into the menus of your desktop.",
        "next": "Decide whether a photo may be posted now.",
        "guess": "Guess where photos were taken.",
        "demo": "Protect the bundled example album.",
    },
    "Stored data": {
        "ledger": "List or delete what you have shared.",
        "cache": "Show or delete cached scores.",
    },
    "Scores from any model": {
        "score": "Score the photos of a folder.",
        "plan": "Find the fewest photos to withhold.",
        "check": "Check a saved plan.",
    },
    "Many albums": {
        "batch": "Plan every album of a dataset.",
    },
}
"""The commands with their summaries, under the headings of the help."""
COMMANDS = {name: panel for panel, commands in PANELS.items() for name in commands}
"""The heading of each command."""

BARE = ("app", "demo")
"""Commands that need no argument."""

KEPT, ERROR, MISUNDERSTOOD, INFEASIBLE, UNKNOWN, STOPPED = 0, 1, 2, 3, 4, 130
"""Exit codes."""
CODES = {"optimal": KEPT, "feasible": KEPT, "infeasible": INFEASIBLE, "unknown": UNKNOWN}
"""The exit code of each status of a plan."""

COMMAND_LINE = shlex.join(["elsewhere", *sys.argv[1:]])
"""What was typed, quoted for a shell."""

_OUTPUT_LOST = (errno.EPIPE, errno.ENOSPC, errno.EIO)


class _Program(Group):
    """The program; a command line that cannot be parsed gets one sentence and no box."""

    def main(self, *args: Any, **settings: Any) -> Any:
        """Run it; ends with SystemExit unless `standalone_mode` is off."""
        standalone = settings.pop("standalone_mode", True)
        try:
            code = super().main(*args, **(settings | {"standalone_mode": False}))
        except Exception as error:
            # Typer carries Click under changing names: its errors are known by this method
            format_message = getattr(error, "format_message", None)
            if format_message is None or not standalone:
                raise
            if type(error).__name__ != "NoArgsIsHelpError":  # the help is printed already
                message = " ".join(str(format_message()).split()).rstrip(".")
                context = getattr(error, "ctx", None)
                path = context.command_path if context is not None else "elsewhere"
                end = " See" if message.endswith("?") else "; see"
                typer.echo(
                    f"elsewhere: {printable(message[:1].lower() + message[1:])}{end} {path} --help",
                    err=True,
                )
            sys.exit(getattr(error, "exit_code", MISUNDERSTOOD))
        if not standalone:
            return code
        sys.exit(code if isinstance(code, int) else KEPT)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; the exit code. An expected error is one sentence on stderr."""
        try:
            code = super().invoke(ctx)
            sys.stdout.flush()  # report a full disk or a closed pipe here, not at exit
            return code
        except ElsewhereError as error:
            sentence, code = str(error), MISUNDERSTOOD if isinstance(error, InputError) else ERROR
        except MemoryError:
            sentence, code = (
                "not enough memory: close other programs, or give less",
                ERROR,
            )
        except ImportError as error:  # such as one that memory is too short to map
            sentence, code = (
                f"a library cannot be loaded ({error}): free some memory, or install it again",
                ERROR,
            )
        except KeyboardInterrupt:
            sentence, code = "stopped", STOPPED
        except OSError as error:
            code = ERROR
            if error.filename is not None:  # such as a folder without permission
                sentence = f"{error.filename} cannot be used: {error.strerror or error}"
            elif error.errno in _OUTPUT_LOST:
                # Python flushes again at exit: that output goes nowhere
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                if error.errno == errno.EPIPE:  # the reader closed the pipe
                    return code
                sentence = f"the output cannot be written: {error.strerror}"
            else:
                raise  # file errors have sentences of their own, so this is a bug
        typer.echo(f"elsewhere: {printable(sentence)}", err=True)
        return code


def program(arguments: list[str]) -> typer.Typer:
    """The program with the command that is named, or with all commands for the help."""
    if arguments[:1] == ["lab"]:
        typer.echo(
            "elsewhere: the lab is a program of its own, elsewhere-lab; install it with "
            "pip install ./lab in a clone of elsewhere",
            err=True,
        )
        sys.exit(MISUNDERSTOOD)
    app = typer.Typer(
        name="elsewhere",
        epilog="Help on a command: elsewhere protect --help",
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
        cls=_Program,
    )
    app.callback(invoke_without_command=True)(_options)
    named = [name for name in arguments[:1] if name in COMMANDS]
    for name in named or COMMANDS:
        command = import_module(f"elsewhere.cli.commands.{name}").command
        app.command(
            name,
            cls=Command,
            short_help=PANELS[COMMANDS[name]][name],
            no_args_is_help=name not in BARE,
            rich_help_panel=COMMANDS[name],
        )(command)
    return app


def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Share the photos, not the place.

    One photo rarely gives a place away. Twenty together do, even without metadata. elsewhere finds
    the fewest photos to withhold so that the place is not among an attacker's first guesses, and
    proves it. Everything runs on this machine. Originals are never changed.

    To begin:

    - `elsewhere demo`
      (protect the bundled example album)
    - `elsewhere audit ~/Pictures/trip`
      (see what an album gives away)
    - `elsewhere protect ~/Pictures/trip -o ~/Pictures/trip-to-share`
      (write a clean copy that hides the place)
    """
    if version:
        from importlib.metadata import version as installed_version

        typer.echo(f"elsewhere {installed_version('elsewhere')}")
        raise typer.Exit

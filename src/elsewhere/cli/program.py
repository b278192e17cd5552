"""The program as a whole: which commands there are, and what happens when one goes wrong."""

from __future__ import annotations

import errno
import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from elsewhere.cli.help import Command, Group, help_text
from elsewhere.errors import ElsewhereError, InputError
from elsewhere.values.wording import printable

PANELS = {
    "Your photos": {
        "audit": "See what an album gives away.",
        "protect": "Write a clean copy that does not give the place away.",
        "verify": "Prove again that a copy keeps its promise.",
        "app": "Decide photo by photo, in your browser.",
        "next": "Say whether one photo may be posted now.",
        "guess": "See where photos look as if they were taken.",
        "demo": "See it work on the album that comes along.",
    },
    "What is remembered": {
        "ledger": "Show or forget what you have shared so far.",
        "cache": "Show or delete the scores that are kept between runs.",
    },
    "Scores of any model": {
        "score": "Score the photos of a folder.",
        "plan": "Find the fewest photos to withhold.",
        "check": "Prove a saved plan again.",
    },
    "Many albums": {
        "batch": "Do the same for a dataset of albums.",
    },
}
"""What there is, for whom, with the first thing to know about each."""
COMMANDS = {name: panel for panel, commands in PANELS.items() for name in commands}
"""By command, the panel that it stands in."""

BARE = ("app", "demo")
"""Commands that make sense without any argument."""

KEPT, ERROR, MISUNDERSTOOD, INFEASIBLE, UNKNOWN, STOPPED = 0, 1, 2, 3, 4, 130
"""Exit codes."""
CODES = {"optimal": KEPT, "feasible": KEPT, "infeasible": INFEASIBLE, "unknown": UNKNOWN}
"""By what became of a plan."""

_OUTPUT_LOST = (errno.EPIPE, errno.ENOSPC, errno.EIO)


class _Program(Group):
    """The program; a command line that cannot be parsed gets one sentence and no box."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run it; ends with SystemExit unless `standalone_mode` is off."""
        given = args, prog_name, complete_var, False, windows_expand_args
        if not standalone_mode:
            return super().main(*given, **extra)
        try:
            code = super().main(*given, **extra)
        except Exception as error:
            # Typer carries Click under changing names: its errors are known by this method
            format_message = getattr(error, "format_message", None)
            if format_message is None:
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
        sys.exit(code if isinstance(code, int) else KEPT)


def program(arguments: list[str]) -> typer.Typer:
    """The program with the one command that is asked for, or with all of them for the help."""
    if arguments[:1] == ["lab"]:
        typer.echo(
            "elsewhere: the lab is a program of its own, elsewhere-lab; install it with "
            "pip install ./lab in a clone of elsewhere",
            err=True,
        )
        sys.exit(MISUNDERSTOOD)
    app = typer.Typer(
        name="elsewhere",
        help=help_text(_options),
        epilog="Each command explains itself: elsewhere protect --help",
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
        cls=_Program,
    )
    app.callback()(_options)
    asked = [name for name in arguments[:1] if name in COMMANDS]
    for name in asked or COMMANDS:
        command = import_module(f"elsewhere.cli.commands.{name}").command
        app.command(
            name,
            cls=Command,
            help=help_text(command),
            short_help=PANELS[COMMANDS[name]][name],
            no_args_is_help=name not in BARE,
            rich_help_panel=COMMANDS[name],
        )(command)
    return app


@contextmanager
def one_sentence(misunderstood: int = MISUNDERSTOOD) -> Iterator[None]:
    """Within, whatever goes wrong on purpose ends the program with one sentence on stderr.

    `misunderstood` is the exit code for what was asked and makes no sense.
    """
    try:
        yield
        sys.stdout.flush()  # a full disk or a reader who left is met here, not at Python's end
    except ElsewhereError as wrong:
        code = misunderstood if isinstance(wrong, InputError) else ERROR
        raise _ended(printable(str(wrong)), code) from None
    except MemoryError:
        raise _ended("there is not enough memory for these scores", ERROR) from None
    except KeyboardInterrupt:
        raise _ended("stopped", STOPPED) from None
    except OSError as wrong:
        if wrong.filename is not None:  # a folder that may not be searched, for instance
            said = printable(f"{wrong.filename} cannot be used: {wrong.strerror or wrong}")
            raise _ended(said, ERROR) from None
        if wrong.errno not in _OUTPUT_LOST:
            raise  # files have sentences of their own, so this is a bug
        # Python would complain once more when it flushes at its end: let that go nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if wrong.errno == errno.EPIPE:  # whoever read the output has had enough
            raise typer.Exit(ERROR) from None
        raise _ended(f"the output cannot be written: {wrong.strerror}", ERROR) from None


def _ended(sentence: str, code: int) -> typer.Exit:
    """Tell it; what is then to be raised."""
    typer.echo(f"elsewhere: {sentence}", err=True)
    return typer.Exit(code)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"elsewhere {version('elsewhere')}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Share the photos, not the place.

    One photo rarely gives a place away; twenty together do, even without metadata. elsewhere
    withholds the fewest photos that keep the place out of an attacker's first guesses, and proves
    it. Everything happens on this machine, and no original is ever changed.

    To begin:

    - `elsewhere demo`
      (see it work on the album that comes along)

    - `elsewhere audit ~/Pictures/trip`
      (what an album of yours gives away)

    - `elsewhere protect ~/Pictures/trip -o ~/Pictures/trip-to-share`
      (a clean copy that does not)
    """


def typed_command() -> str:
    """What was typed, as it can be typed again."""
    return shlex.join(["elsewhere", *sys.argv[1:]])


def program_name() -> str:
    """How the program is called from here: by its name where the shell knows it."""
    if shutil.which("elsewhere"):
        return "elsewhere"
    program = Path(sys.argv[0])
    return str(program) if program.name == "elsewhere" else "python -m elsewhere"

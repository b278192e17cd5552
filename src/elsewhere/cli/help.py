"""What `--help` shows: no types, ranges or braces, which mean something to Python only.

Typer may change the names that are set here. Then the help shows more, and nothing breaks.
"""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperCommand, TyperGroup

_EXAMPLE_END = re.compile(r"`\n(\s*\()")
"""The end of an example's command, before the line that explains it."""


class _PlainHelp:
    """A command whose help is for people."""

    help: str | None

    def format_help(self: Any, ctx: Any, formatter: Any) -> None:
        """Remove what Typer adds to the parameters, and keep explanations below their examples."""
        self.help = _EXAMPLE_END.sub("`  \n\\1", self.help or "")
        for param in self.get_params(ctx):
            if param.param_type_name == "argument":
                name = str(param.metavar or param.name)
                usage = name if param.required else f"[{name}]"
                usage += "" if param.nargs == 1 else "..."
                param.display_type_rich = lambda *_, **__: ""
                param._usage_display_name = lambda *_, usage=usage, **__: usage
            elif getattr(param, "is_flag", False) and param.metavar is None:
                param.metavar = ""
            param._get_number_range_help_str = lambda *_, **__: None
            if isinstance(default := getattr(param, "show_default", None), str):
                param._get_default_string = lambda *_, default=default, **__: default
        super().format_help(ctx, formatter)  # type: ignore[misc]


class Command(_PlainHelp, TyperCommand):
    """A command with plain help."""


class Group(_PlainHelp, TyperGroup):
    """The program with plain help."""

"""What `--help` shows: no types, ranges or braces, which mean something to Python only.

Typer may change the names that are set here. Then the help shows more, and nothing breaks.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

from typer.core import TyperCommand, TyperGroup

_EXAMPLE_END = re.compile(r"`\n(\s*\()")
"""The end of an example's command, before the line that explains it."""


class _PlainHelp:
    """Parameters as people read them."""

    def get_params(self, ctx: Any) -> Any:
        """The parameters, without what Typer adds to their help."""
        params = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
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
        return params


class Command(_PlainHelp, TyperCommand):
    """A command with plain help."""


class Group(_PlainHelp, TyperGroup):
    """The program with plain help."""


def help_text(command: Callable[..., int | None]) -> str:
    """A command's docstring as Markdown; the line that explains an example stays below it.

    >>> def command() -> None:
    ...     '''Audit.
    ...
    ...     - `elsewhere audit trip`
    ...       (what it gives away)
    ...     '''
    >>> print(help_text(command).replace("  \\n", "<br>\\n"))
    Audit.
    <BLANKLINE>
    - `elsewhere audit trip`<br>
      (what it gives away)
    """
    return _EXAMPLE_END.sub("`  \n\\1", inspect.cleandoc(command.__doc__ or ""))

"""How `--help` is shown: what a person needs to know, and nothing that means something to Python.

Typer writes types, ranges and braces around what has a name already. All of it is taken away here,
through names that Typer may change: then there is more to read, and nothing else is wrong.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

_EXPLAINED = re.compile(r"`\n(\s*\()")
"""The end of an example's command, before the line that says what it is for."""


def as_shown(params: Any) -> Any:
    """The parameters of a command as they are shown in its help."""
    for param in params:
        if param.param_type_name == "argument":
            param.display_type_rich = _always("")
            param._usage_display_name = _always(_usage(param))
        elif getattr(param, "is_flag", False) and param.metavar is None:
            param.metavar = ""
        param._get_number_range_help_str = _always(None)
        if isinstance(getattr(param, "show_default", None), str):
            param._get_default_string = _always(param.show_default)
    return params


def taught(command: Callable[..., None]) -> str:
    """A command's docstring as its help: what an example is for stands below it.

    >>> def command() -> None:
    ...     '''Look.
    ...
    ...     - `elsewhere audit trip`
    ...       (what it gives away)
    ...     '''
    >>> print(taught(command).replace("  \\n", "<br>\\n"))
    Look.
    <BLANKLINE>
    - `elsewhere audit trip`<br>
      (what it gives away)
    """
    return _EXPLAINED.sub("`  \n\\1", inspect.cleandoc(command.__doc__ or ""))


def _usage(param: Any) -> str:
    """An argument in the usage line: in brackets where it may be left out."""
    name = str(param.metavar or param.name)
    return (name if param.required else f"[{name}]") + ("" if param.nargs == 1 else "...")


def _always(told: Any) -> Callable[..., Any]:
    return lambda *_, **__: told

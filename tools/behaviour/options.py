"""Every command with its options, from the program itself; run by itself.

    python options.py MODULE:FUNCTION > RECORD.json

The entry point is called with nothing to do, and the Typer program that it would run is looked at
instead of run.
"""

from __future__ import annotations

import enum
import importlib
import inspect
import json
import sys
from typing import Any, NoReturn

import typer
import typer.core
import typer.main

from values import plain


class Caught(BaseException):
    """The program, on its way to whoever looks at it."""

    def __init__(self, program: Any) -> None:
        super().__init__()
        self.program = program


def caught(program: Any, *given: Any, **named: Any) -> NoReturn:
    """Hand the program over instead of running it."""
    raise Caught(program)


def program_of(entry: str) -> Any:
    """The program behind an entry point, as the tree of commands that it is."""
    module, _, name = entry.partition(":")
    for runner in (typer.Typer, typer.core.TyperGroup):
        setattr(runner, "__call__", caught)  # noqa: B010 - types would rightly object
    sys.argv[1:] = []
    try:
        getattr(importlib.import_module(module), name)()
    except Caught as found:
        program = found.program
    return typer.main.get_command(program) if isinstance(program, typer.Typer) else program


def walk(command: Any, name: str, found: dict[str, Any], sentences: dict[str, Any]) -> None:
    """A command and those below it."""
    context = command.context_class(command, info_name=name)
    told = {}
    for one in command.get_params(context):
        option = one.param_type_name == "option"
        key = one.opts[0] if option else str(one.metavar or one.name)
        told[key] = {
            "kind": one.param_type_name,
            "names": sorted(one.opts) if option else [],
            "off": sorted(one.secondary_opts),
            "type": _type(one),
            "range": plain([getattr(one, "min", None), getattr(one, "max", None)]),
            "required": one.required,
            "default": None if callable(one.default) else plain(one.default),
            "many": bool(getattr(one, "multiple", False)) or one.nargs != 1,
            "flag": bool(getattr(one, "is_flag", False)),
            "environment": plain(one.envvar),
            "hidden": bool(getattr(one, "hidden", False)),
        }
        sentences[f"{name} {key}"] = getattr(one, "help", None)
    found[name] = told
    sentences[name] = command.help
    for below, other in getattr(command, "commands", {}).items():
        walk(other, f"{name} {below}", found, sentences)


def _type(one: Any) -> str:
    """What may be typed: choices one by one, other types by name."""
    described = getattr(one, "type_descriptor", None)
    kind = one.type if described is None else described.annotation
    inner = (getattr(kind, "__args__", None) or (kind,))[0]
    if inspect.isclass(inner) and issubclass(inner, enum.Enum):
        return "|".join(str(member.value) for member in inner)
    choices = getattr(kind, "choices", None)
    return "|".join(map(str, choices)) if choices else getattr(inner, "__name__", str(inner))


def main() -> None:
    """Record all commands."""
    found: dict[str, Any] = {}
    sentences: dict[str, Any] = {}
    walk(program_of(sys.argv[1]), "elsewhere", found, sentences)
    json.dump({"record": found, "sentences": sentences}, sys.stdout)


if __name__ == "__main__":
    main()

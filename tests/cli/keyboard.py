"""How commands are typed in the tests: by their words, and with a model that is quick to ask."""

from __future__ import annotations

from typing import Any

from typer.testing import CliRunner, Result

from elsewhere.cli.program import program

SCORER = ("--scorer", "onnx:model/tiny.onnx")
"""The model of the fixture `bare_home`."""


def typed(*arguments: str, **more: Any) -> Result:
    """What comes of a command line; `more` is for Typer's runner: input, env."""
    given = list(arguments)
    return CliRunner().invoke(program(given), given, **more)

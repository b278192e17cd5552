"""Every command and option explains itself, and stands in docs/command-line.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from elsewhere.cli.program import COMMANDS, printable, program

PAGE = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text("utf-8")
ALL: Any = typer.main.get_command(program([]))


def commands(group: Any, path: str = "") -> dict[str, Any]:
    """All commands by their full names, those within commands included."""
    found = {}
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            found.update(commands(command, f"{path}{name} "))
        else:
            found[f"{path}{name}"] = command
    return found


def test_every_command_is_there() -> None:
    assert set(ALL.commands) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_only_the_command_that_is_asked_for_is_loaded(name: str) -> None:
    app: Any = typer.main.get_command(program([name, "--help"]))
    assert list(app.commands) == [name]


@pytest.mark.parametrize("name", commands(ALL))
def test_every_option_is_explained_and_documented(name: str) -> None:
    command = commands(ALL)[name]
    assert command.help, f"elsewhere {name} says nothing of itself"
    assert f"elsewhere {name}" in PAGE, f"docs/command-line.md lacks elsewhere {name}"
    for parameter in command.params:
        assert parameter.help, f"{name} {parameter.name} has no help"
        if parameter.param_type_name == "option" and parameter.name != "help":
            assert f"`{parameter.opts[0]}" in PAGE, (
                f"docs/command-line.md lacks {parameter.opts[0]}"
            )


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_has_no_words_of_python_and_no_glued_colons(name: str) -> None:
    arguments = [name, "--help"] if name else ["--help"]
    told = CliRunner().invoke(program(arguments), arguments)
    assert told.exit_code == 0
    for word in ("<bool>", "list[", "<path>", "...}", "None"):
        assert word not in told.stdout
    for line in told.stdout.splitlines():
        assert not ("• elsewhere" in line and ":" in line.partition("(")[0].replace("onnx:", ""))


def test_a_slip_is_asked_about_as_a_question() -> None:
    told = CliRunner().invoke(program(["protct"]), ["protct"])
    assert told.exit_code == 2
    assert told.stderr.endswith("Did you mean 'protect'? See elsewhere --help\n")


def test_names_are_made_printable() -> None:
    assert printable("a\x1b[31mb\n\u202ec") == "a�[31mb��c"
    assert printable("Zürich 東京 🏖") == "Zürich 東京 🏖"

"""Every command and option explains itself, and stands in docs/command-line.md."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import typer.main

from elsewhere.cli.program import COMMANDS, program
from elsewhere.values.wording import printable
from tests.cli.keyboard import typed

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


def section(name: str) -> str:
    """What docs/command-line.md says of a command."""
    (found,) = re.findall(rf"^## elsewhere {name}\b.*?(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


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
            for option in (*parameter.opts, *parameter.secondary_opts):
                assert re.search(rf"`{option}\b", section(name)), (
                    f"docs/command-line.md lacks {option} under elsewhere {name}"
                )


@pytest.mark.parametrize("name", commands(ALL))
def test_no_option_is_documented_that_is_not_there(name: str) -> None:
    known = {
        option
        for parameter in commands(ALL)[name].params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    tables = re.findall(r"^(?:\| |- )(`-.*?)(?: \| |: )", section(name), re.MULTILINE)
    told = re.findall(r"`(--?[a-z][a-z-]*)", " ".join(tables))
    assert set(told) <= known


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_how_it_is_typed_and_how_it_ends(name: str) -> None:
    """At 80 columns: each example alone on its line, and below it what it is for."""
    told = typed(name, "--help", env={"COLUMNS": "80"})
    lines = [line.strip() for line in told.stdout.splitlines()]
    examples = [n for n, line in enumerate(lines) if line.startswith("• ")]
    assert any(lines[n].startswith(f"• elsewhere {name}") for n in examples)
    for n in examples:
        assert "(" not in lines[n], "what an example is for is not part of what is typed"
        assert any(line.startswith("(") for line in lines[n + 1 : n + 3])
    assert any(line.startswith("Exit codes: 0 ") for line in lines)


@pytest.mark.parametrize("name", commands(ALL))
def test_defaults_are_shown_alike(name: str) -> None:
    told = typed(name, "--help", env={"COLUMNS": "200"})
    assert "[default: (" not in told.stdout
    for parameter in commands(ALL)[name].params:
        assert "unless told" not in parameter.help, f"say it as the default of {parameter.name}"
        unsaid = parameter.default in {None, ()} or isinstance(parameter.default, bool)
        assert unsaid or parameter.show_default, f"{name} {parameter.name} hides its default"


@pytest.mark.parametrize(
    ("name", "usage"),
    [
        ("protect", "elsewhere protect [OPTIONS] ALBUM..."),
        ("next", "elsewhere next [OPTIONS] ALBUM PHOTO"),
        ("app", "elsewhere app [OPTIONS] [ALBUM]..."),
        ("ledger", "elsewhere ledger [OPTIONS] list|forget|confirm [PLACE|NUMBER]..."),
    ],
)
def test_the_usage_line_is_what_is_typed(name: str, usage: str) -> None:
    told = typed(name, "--help", env={"COLUMNS": "80"})
    assert told.stdout.splitlines()[1].strip() == f"Usage: {usage}"


def test_options_of_one_name_mean_the_same_wherever_an_album_is_meant() -> None:
    """They are declared once; `plan` and `verify` have their own, for what they take differs."""
    texts: dict[str, set[str]] = {}
    for name in ("protect", "audit", "next", "app", "batch"):
        for parameter in commands(ALL)[name].params:
            if parameter.name in {
                "scorer",
                "at",
                "hide",
                "posted",
                "margin",
                "exact_top",
                "radius",
            }:
                texts.setdefault(parameter.name, set()).add(parameter.help)
    assert len(texts) == 7
    assert {name for name, told in texts.items() if len(told) > 1} == set()


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_has_no_words_of_python_and_no_glued_colons(name: str) -> None:
    told = typed(*[name] * bool(name), "--help")
    assert told.exit_code == 0
    for word in ("<bool>", "list[", "<path>", "...}", "None"):
        assert word not in told.stdout
    for line in told.stdout.splitlines():
        assert not ("• elsewhere" in line and ":" in line.partition("(")[0].replace("onnx:", ""))


def test_a_slip_is_asked_about_as_a_question() -> None:
    told = typed("protct")
    assert told.exit_code == 2
    assert told.stderr.endswith("Did you mean 'protect'? See elsewhere --help\n")


def test_the_lab_is_another_program(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        program(["lab", "list"])
    assert ended.value.code == 2
    (sentence,) = capsys.readouterr().err.splitlines()
    assert "elsewhere-lab" in sentence and "pip install ./lab" in sentence


def test_names_are_made_printable() -> None:
    assert printable("a\x1b[31mb\n\u202ec") == r"a\x1b[31mb\n\u202ec"
    assert printable("Zürich 東京 🏖") == "Zürich 東京 🏖"

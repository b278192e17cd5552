"""The options of `elsewhere plan` as the arguments that the engine takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from elsewhere.cli.parse import cells, one_or_each, photo, read_prior, read_values
from elsewhere.cli.plan_files import read_plan
from elsewhere.errors import FileError, InputError
from elsewhere.values.scores import Scores
from elsewhere.values.wording import counted


def wishes_of(given: dict[str, Any], tables: Sequence[Scores]) -> dict[str, Any]:
    """What was asked for besides the truth, from the options that were given by name."""
    first = tables[0]
    _refuse_other_albums(given, tables)
    for option in ("truth", "top", "margin", "lead", "prior", "rivals"):
        many = len(given.get(option, ()))
        if many > 1 and many != len(tables):
            raise InputError(
                f"--{option} is given {many} times for {counted(len(tables), 'attacker')}: give it "
                "once, or once for each score file"
            )
    wishes: dict[str, Any] = {
        name: given[name]
        for name in ("budget", "each_photo", "strict", "time_limit", "work_limit")
        if name in given
    }
    for name in ("top", "margin", "lead"):
        if name in given:
            wishes[name] = one_or_each(given[name])
    if "prior" in given:
        files = given["prior"] if len(given["prior"]) > 1 else given["prior"] * len(tables)
        pairs = zip(files, tables, strict=True)
        wishes["prior"] = one_or_each([read_prior(file, table.cells) for file, table in pairs])
    if "rivals" in given:
        wishes["rivals"] = one_or_each([cells(text, "--rivals") for text in given["rivals"]])
    for name in ("keep", "drop"):
        wishes[name] = [photo(text, first) for text in given.get(name, ())]
    wishes["groups"] = [
        [photo(name.strip(), first) for name in text.split(",")] for text in given.get("group", ())
    ]
    if "values" in given:
        wishes["values"] = read_values(given["values"], first)
    if "near" in given:
        wishes["near"] = near = read_plan(given["near"])
        if near.promise.photos != first.photos:
            raise FileError(
                f"{given['near']} is a plan for {counted(near.promise.photos, 'photo')}, but "
                f"{given['scores'][0]} has {first.photos}"
            )
    return wishes


def _refuse_other_albums(given: dict[str, Any], tables: Sequence[Scores]) -> None:
    """All attackers must score the same photos."""
    for file, table in zip(given["scores"], tables, strict=True):
        if table.photos != tables[0].photos:
            raise FileError(
                f"{given['scores'][0]} scores {counted(tables[0].photos, 'photo')} but {file} "
                f"{table.photos}: all attackers must score the same photos"
            )

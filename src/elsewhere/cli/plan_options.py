"""The options of `elsewhere plan`, and the files that it reads and writes."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from elsewhere.cli.parse import (
    one_or_each,
    parse_cells,
    parse_photo,
    read_prior,
    read_text,
    read_values,
)
from elsewhere.errors import FileError, InputError
from elsewhere.platform.files import write_whole
from elsewhere.service import refuse_unless_plain
from elsewhere.values.scores import Scores
from elsewhere.values.wording import counted

if TYPE_CHECKING:
    from elsewhere.values.plan import Plan, Status
    from elsewhere.values.proof import Proof

_PLAN_FORMATS = (b'"elsewhere-plan/', b'"elsewhere-certificate/')
_PROOF_FORMATS = (b'"elsewhere-proof/',)
_COPY_FORMAT = '"elsewhere-copy-certificate/'
_STDOUT = ("-", "/dev/stdout")
_BEGINNING = 200
"""Bytes within which every plan and certificate names its format."""


def read_plan(file: Path) -> Plan:
    """The plan in a plan file or in a certificate; FileError with a sentence when there is none."""
    from elsewhere.service import read_plan_text

    text = read_text(file)
    if _COPY_FORMAT in text[:_BEGINNING]:
        raise FileError(
            f"{file} is the certificate of a copy, not of a plan: elsewhere verify COPY "
            f"--certificate {file}"
        )
    try:
        return read_plan_text(text)
    except InputError as error:
        raise FileError(f"{file} is not a plan that can be read: {error}") from None


def guard(outputs: Mapping[str, Path | None], inputs: Iterable[Path | None]) -> None:
    """Refuse outputs, by option, that would overwrite an input, another output or no plain file."""
    written: dict[str, Path] = {}
    read = [file for file in inputs if file is not None]
    for option, file in outputs.items():
        if file is None:
            continue
        if str(file) in _STDOUT:
            raise InputError(f"{option} needs a file name, not {file}: plan --json prints a plan")
        refuse_unless_plain(file)
        if any(_same(file, other) for other in read):
            raise InputError(
                f"{option} {file} is one of the inputs, which are never overwritten: "
                "choose another name"
            )
        for earlier, other in written.items():
            if _same(file, other):
                raise InputError(f"{earlier} and {option} are both {file}: choose another name")
        written[option] = file


def refuse_foreign(file: Path | None, *, proof: bool = False) -> None:
    """Refuse to write a plan, or a proof, over a file that holds something else."""
    try:
        if file is None or not file.exists():
            return
        with file.open("rb") as stream:
            beginning = stream.read(_BEGINNING)
    except OSError as error:
        raise FileError(f"{file} cannot be written: {error.strerror or error}") from None
    with suppress(zlib.error):
        beginning = zlib.decompressobj(wbits=31).decompress(beginning)
    kind, formats = ("proof", _PROOF_FORMATS) if proof else ("plan", _PLAN_FORMATS)
    if beginning and not any(name in beginning for name in formats):
        raise FileError(
            f"{file} exists and is not a {kind}, so it is not overwritten: choose another name"
        )


def read_proof(file: Path) -> Proof:
    """The proof in a file; FileError with a sentence when there is none."""
    from elsewhere.service import proof_from_bytes

    try:
        refuse_unless_plain(file)
        return proof_from_bytes(file.read_bytes())
    except OSError as error:
        raise FileError(f"{file} cannot be read: {error.strerror or error}") from None
    except InputError as error:
        raise FileError(f"{file} is not a proof that can be read: {error}") from None


def save(file: Path, document: str | bytes) -> None:
    """Write `document` to `file`, all at once or not at all."""
    refuse_unless_plain(file)
    content = document.encode("utf-8") if isinstance(document, str) else document
    try:
        write_whole(file, content, private=True)
    except OSError as error:
        raise FileError(f"{file} cannot be written: {error.strerror or error}") from None


def save_proof(file: Path, proof: Proof | None, status: Status) -> None:
    """Write the proof that no plan is better, or say why there is none."""
    from elsewhere.service import proof_to_bytes

    if proof is not None:
        save(file, proof_to_bytes(proof, packed=file.suffix == ".gz"))
    elif status == "unknown":
        typer.echo("elsewhere: no proof, because the plan is unknown", err=True)
    else:
        typer.echo("elsewhere: no proof, because it would be too long", err=True)


def _same(file: Path, other: Path) -> bool:
    """Whether two paths are the same file, or would be if both existed."""
    with suppress(OSError):
        if file.samefile(other):
            return True
    return os.path.realpath(file) == os.path.realpath(other)


def read_wishes(given: dict[str, Any], tables: Sequence[Scores]) -> dict[str, Any]:
    """The arguments of `protect` besides the truth, from the options that were given."""
    first = tables[0]
    for file, table in zip(given["scores"], tables, strict=True):
        if table.photos != first.photos:
            raise FileError(
                f"{given['scores'][0]} scores {counted(first.photos, 'photo')} but {file} "
                f"{table.photos}: all attackers must score the same photos"
            )
    for option in ("truth", "top", "margin", "lead", "prior", "rivals"):
        count = len(given.get(option, ()))
        if count > 1 and count != len(tables):
            raise InputError(
                f"--{option} is given {count} times for {counted(len(tables), 'attacker')}: give "
                "it once, or once for each score file"
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
        wishes["rivals"] = one_or_each([parse_cells(text, "--rivals") for text in given["rivals"]])
    for name in ("keep", "drop"):
        wishes[name] = [parse_photo(text, first) for text in given.get(name, ())]
    wishes["groups"] = [
        [parse_photo(name.strip(), first) for name in text.split(",")]
        for text in given.get("group", ())
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

"""Plans and certificates on disk: read with care, written all at once or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from elsewhere.cli.arguments import read_text
from elsewhere.errors import FileError, InputError

if TYPE_CHECKING:
    from elsewhere.protect.plan import Plan


def read_plan(file: Path) -> Plan:
    """The plan in a plan file or in a certificate; FileError with a sentence when there is none."""
    from elsewhere.protect.certificate import FORMAT, read_certificate
    from elsewhere.protect.plan_json import plan_from_json

    text = read_text(file)
    try:
        if f'"{FORMAT}"' in text:
            return read_certificate(text).plan
        return plan_from_json(text)
    except InputError as wrong:
        raise FileError(f"{file} is not a plan that can be read: {wrong}") from None


def save(file: Path, document: str) -> None:
    """Write `document` to `file`, all at once or not at all."""
    part = ""
    try:
        handle, part = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(document)
        Path(part).replace(file)
    except OSError as wrong:
        raise FileError(f"{file} cannot be written: {wrong.strerror or wrong}") from None
    finally:
        if part:
            Path(part).unlink(missing_ok=True)

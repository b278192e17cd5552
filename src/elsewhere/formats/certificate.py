"""The certificate: what was promised, against whom, and that it was proved again.

Certificates are compared and kept, so the same plan always gives the same one: no clock time is
in it, and its digest is taken over the canonical JSON of everything else. The digest tells a
damaged or edited certificate from a whole one. It guards against accident, not against forgery:
whoever changes the certificate can make a new digest too.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from elsewhere.errors import InputError
from elsewhere.formats.plan_file import plan_from_record, plan_record
from elsewhere.formats.validation import (
    canonical,
    exact,
    expect,
    many,
    parse,
    record,
    text,
    whole,
)
from elsewhere.values.plan import Plan
from elsewhere.values.scores import Scores

FORMAT = "elsewhere-certificate/1"

NOTES = (
    "The promise is against the attackers named here; a better one may exist.",
    "That the promise holds and that every number but the bound is right was proved in exact "
    "arithmetic, by code that shares nothing with the solver.",
    "That no plan is better than the bound is the solver's proof, not the check's.",
    "The digest guards against accident, not against forgery.",
)


@dataclass(frozen=True)
class Fingerprint:
    """Which scores, of which model, over which cells, an attacker was."""

    scores: str
    scorer: str
    grid: str
    photos: int
    cells: int


@dataclass(frozen=True)
class Certificate:
    """A certificate that was read and found whole."""

    plan: Plan
    attackers: tuple[Fingerprint, ...]
    versions: tuple[tuple[str, str], ...]
    """Pairs of a program's name and its version, sorted."""
    digest: str


_FINGERPRINT = record(
    Fingerprint,
    {"scores": text, "scorer": text, "grid": text, "photos": whole, "cells": whole},
)
_NAMES = {"format", "notes", "promise", "attackers", "plan", "bound", "versions", "digest"}


def certificate_record(
    plan: Plan, scores: Sequence[Scores], *, libraries: bool = True
) -> dict[str, Any]:
    """The certificate of a plan that was just proved, as plain JSON values.

    Without `libraries` it names this program's version and none beneath it: the digest is then
    the same wherever the same plan is made.
    """
    body = plan_record(plan)
    document: dict[str, Any] = {
        "format": FORMAT,
        "notes": list(NOTES),
        "promise": body.pop("promise"),
        "attackers": [
            _FINGERPRINT.write(Fingerprint(t.digest, t.scorer, t.grid, t.photos, t.cells))
            for t in scores
        ],
        "plan": body,
        "bound": exact.write(plan.bound),
        "versions": {
            name: of for name, of in _versions().items() if libraries or name == "elsewhere"
        },
    }
    document["digest"] = digest_of(document)
    return document


def to_text(document: dict[str, Any]) -> str:
    """A sealed document as a file has it."""
    return json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def read_certificate(document: str) -> Certificate:
    """The certificate in a JSON text, if its digest is right; InputError otherwise.

    A right digest says that the text is as it was written. Prove the plan again with `check` to
    know that it is true.
    """
    return certificate_from_record(parse(document))


def certificate_from_record(found: Any) -> Certificate:
    """The certificate of plain JSON values, read with the same care."""
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InputError(f"the certificate must be of the format {FORMAT}")
    expect(found, "the certificate", _NAMES)
    if found["digest"] != digest_of(found):
        raise InputError("the certificate was changed or damaged: its digest is not right")
    body, versions = found["plan"], found["versions"]
    if not isinstance(body, dict) or not isinstance(versions, dict):
        raise InputError("the certificate's plan and versions must be objects")
    if body.get("bound") != found["bound"]:
        raise InputError("the certificate states two different bounds")
    plan = plan_from_record({**body, "promise": found["promise"]})
    attackers = many(_FINGERPRINT).read(found["attackers"], "attackers")
    promised = [(a.scores, a.scorer, plan.promise.photos, a.cells) for a in plan.promise.against]
    if promised != [(a.scores, a.scorer, a.photos, a.cells) for a in attackers]:
        raise InputError("the certificate's attackers are not those of its promise")
    pairs = sorted((name, text.read(of, f"versions.{name}")) for name, of in versions.items())
    return Certificate(plan, attackers, tuple(pairs), found["digest"])


def digest_of(document: dict[str, Any]) -> str:
    """SHA-256, in hexadecimal, of the canonical JSON of all but the digest itself."""
    body = {name: value for name, value in document.items() if name != "digest"}
    return hashlib.sha256(canonical(body).encode("ascii")).hexdigest()


@cache
def _versions() -> dict[str, str]:
    from importlib.metadata import version  # only here: it is slow to import

    import numpy as np

    return {
        "elsewhere": version("elsewhere"),
        "numpy": np.__version__,
        "python": platform.python_version(),
    }

"""The certificate: what was promised, against whom, and that it was proved again.

The same plan always gives the same certificate: it has no clock time. Its digest is that of the
canonical JSON of everything else. It guards against accident, not against forgery: whoever changes
the certificate can compute a new digest.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from elsewhere.errors import InputError
from elsewhere.formats.plan_file import PLAN
from elsewhere.formats.validation import check_sealed, digest_of, kind_of, parse
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


def certificate_record(
    plan: Plan, scores: Sequence[Scores], *, libraries: bool = True
) -> dict[str, Any]:
    """The certificate of a plan that was just proved, as plain JSON values.

    Without `libraries` it names only this program's version, so that the digest is the same on
    every machine.
    """
    body = PLAN.write(plan)
    attackers = tuple(Fingerprint(t.digest, t.scorer, t.grid, t.photos, t.cells) for t in scores)
    versions = {"elsewhere": installed_version("elsewhere")}
    if libraries:
        versions |= {"numpy": installed_version("numpy"), "python": platform.python_version()}
    document: dict[str, Any] = {
        "format": FORMAT,
        "notes": list(NOTES),
        "promise": body.pop("promise"),
        "attackers": kind_of(tuple[Fingerprint, ...]).write(attackers),
        "plan": body,
        "bound": body["bound"],
        "versions": versions,
    }
    document["digest"] = digest_of(document)
    return document


def read_certificate(document: str) -> Certificate:
    """The certificate in a JSON text, if its digest is right; InputError otherwise.

    A right digest says that the text is as it was written. Prove the plan again with `check` to
    know that it is true.
    """
    return certificate_from_record(parse(document))


def certificate_from_record(values: Any, where: str = "") -> Certificate:
    """The certificate of plain JSON values, with the same checks."""
    check_sealed(values, [FORMAT], ["promise", "attackers", "plan", "bound"])
    body = values["plan"]
    if not isinstance(body, dict):
        raise InputError("the certificate's plan and versions must be objects")
    if body.get("bound") != values["bound"]:
        raise InputError("the certificate states two different bounds")
    plan: Plan = PLAN.read({**body, "promise": values["promise"]}, "")
    attackers = kind_of(tuple[Fingerprint, ...]).read(values["attackers"], "attackers")
    promised = [(a.scores, a.scorer, plan.promise.rows, a.cells) for a in plan.promise.against]
    if promised != [(a.scores, a.scorer, a.photos, a.cells) for a in attackers]:
        raise InputError("the certificate's attackers are not those of its promise")
    versions = tuple(sorted(values["versions"].items()))
    return Certificate(plan, attackers, versions, values["digest"])


@cache
def installed_version(library: str) -> str:
    """The version of a library that is installed here; empty where it is not."""
    from importlib.metadata import PackageNotFoundError, version  # only here: slow to import

    try:
        return version(library)
    except PackageNotFoundError:
        return ""

"""elsewhere: share the photos, not the place.

Given what an attacker's model says of each photo, `protect` finds the provably smallest set of
photos to withhold so that the true place is not among the attacker's top guesses, `frontier` shows
what each number of withheld photos buys, `check` re-proves a plan independently, and `audit` says
what the attacker infers from the photos as they are.

The public names are loaded when they are first used. So no command waits for what it does not use,
and Ctrl-C ends the program cleanly from its first moment on.
"""

import importlib as _importlib
import sys as _sys
import types as _types
import typing as _typing

from elsewhere.platform import telemetry as _telemetry  # noqa: F401 - it silences libraries

if _typing.TYPE_CHECKING:
    from elsewhere.audit import Audit, audit
    from elsewhere.checker.proof import Verdict
    from elsewhere.errors import (
        CheckError,
        ElsewhereError,
        FileError,
        InputError,
        NoPhotoError,
        PlaceError,
        ScorerError,
    )
    from elsewhere.formats.score_files import read_scores, write_scores
    from elsewhere.service.scores import check, frontier, protect, prove
    from elsewhere.values.plan import Frontier, Plan, Point, Status, View
    from elsewhere.values.promise import Against, Promise
    from elsewhere.values.proof import Proof
    from elsewhere.values.scores import Scores

__version__ = "0.1.0"

__all__ = [
    "Against",
    "Audit",
    "CheckError",
    "ElsewhereError",
    "FileError",
    "Frontier",
    "InputError",
    "NoPhotoError",
    "PlaceError",
    "Plan",
    "Point",
    "Promise",
    "Proof",
    "ScorerError",
    "Scores",
    "Status",
    "Verdict",
    "View",
    "audit",
    "check",
    "frontier",
    "protect",
    "prove",
    "read_scores",
    "write_scores",
]

_HOMES = {
    "audit": "Audit audit",
    "errors": "CheckError ElsewhereError FileError InputError NoPhotoError PlaceError ScorerError",
    "checker.proof": "Verdict",
    "formats.score_files": "read_scores write_scores",
    "service.scores": "check frontier protect prove",
    "values.plan": "Frontier Plan Point Status View",
    "values.promise": "Against Promise",
    "values.proof": "Proof",
    "values.scores": "Scores",
}


class _Package(_types.ModuleType):
    """This package: loads a public name from its home when it is first used.

    `audit` is a package as well. The import system assigns it here when it is imported; ignoring
    that keeps the function in its place.
    """

    def __getattr__(self, name: str) -> object:
        for home, names in _HOMES.items():
            if name in names.split():
                return getattr(_importlib.import_module(f"{__name__}.{home}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __setattr__(self, name: str, value: object) -> None:
        if name not in __all__:
            super().__setattr__(name, value)
        elif not isinstance(value, _types.ModuleType):
            raise AttributeError(f"elsewhere.{name} cannot be replaced: patch it where it is used")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *__all__})


_sys.modules[__name__].__class__ = _Package

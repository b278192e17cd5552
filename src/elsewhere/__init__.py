"""elsewhere: share the photos, not the place.

Given what an attacker's model says of each photo, `protect` finds the provably smallest set of
photos to withhold so that the true place is not among the attacker's top guesses, `frontier` shows
what each number of withheld photos buys, `check` re-proves a plan independently, and `audit` says
what the attacker infers from the photos as they are.

These names are imported when somebody first asks for them: `elsewhere` the program can then say
that it was stopped from its first moment on, and no command waits for what it does not use.
"""

import importlib as _importlib
import sys as _sys
import types as _types
import typing as _typing

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
    from elsewhere.service.scores import check, frontier, protect
    from elsewhere.values.plan import Frontier, Plan, Point, Status, View
    from elsewhere.values.promise import Against, Promise
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
    "ScorerError",
    "Scores",
    "Status",
    "Verdict",
    "View",
    "audit",
    "check",
    "frontier",
    "protect",
    "read_scores",
    "write_scores",
]

_HOMES = {
    "audit": "Audit audit",
    "errors": "CheckError ElsewhereError FileError InputError NoPhotoError PlaceError ScorerError",
    "checker.proof": "Verdict",
    "formats.score_files": "read_scores write_scores",
    "service.scores": "check frontier protect",
    "values.plan": "Frontier Plan Point Status View",
    "values.promise": "Against Promise",
    "values.scores": "Scores",
}


class _Names(_types.ModuleType):
    """This package, with its names as properties.

    A module's `__getattr__` would not do: `audit` and `protect` are rooms as well, and whoever
    imports from a room would find it in the function's place.
    """

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *__all__})


def _imported(home: str, name: str) -> property:
    """A name from where it lives; the room of the same name never takes its place."""

    def keep(package: _types.ModuleType, room: object) -> None:
        # the import system hands every room over when it is imported; anybody else is told
        if not isinstance(room, _types.ModuleType):
            raise AttributeError(f"elsewhere.{name} cannot be replaced: patch it where it is used")

    return property(
        lambda package: getattr(_importlib.import_module(f"{__name__}.{home}"), name), keep
    )


for _home, _of_it in _HOMES.items():
    for _name in _of_it.split():
        setattr(_Names, _name, _imported(_home, _name))
_sys.modules[__name__].__class__ = _Names

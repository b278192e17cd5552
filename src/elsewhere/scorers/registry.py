"""From the specification that a user types to a scorer.

A specification is a name, and behind a colon what the scorer works on: `embedded`, `geoclip`,
`onnx:streets.onnx`, `table:scores.npz`. Other packages can add scorers: an entry point in the group
`elsewhere.scorers` is found by its name. It must lead to something that is called with the text
behind the colon ("" for none) and returns an object with the two methods of `protocol.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import NamedTuple, cast

import numpy as np

from elsewhere.errors import ElsewhereError, ScorerError
from elsewhere.scorers.protocol import Photo, Row, Scorer, ScorerInfo
from elsewhere.values.wording import installed_by

GROUP = "elsewhere.scorers"
"""The entry-point group of scorers from other packages."""
DEFAULT = "embedded"

Maker = Callable[[str], Scorer]


class BuiltIn(NamedTuple):
    """One of our scorers: its module, how it is typed, and what to install for it."""

    module: str
    usage: str
    install: str = ""


BUILT_IN = {
    "embedded": BuiltIn("elsewhere.scorers.embedded", "embedded"),
    "geoclip": BuiltIn("elsewhere.scorers.geoclip", "geoclip", installed_by("geoclip")),
    "onnx": BuiltIn("elsewhere.scorers.onnx_scorer", "onnx:MODEL.onnx"),
    "table": BuiltIn("elsewhere.scorers.table", "table:SCORES.npz"),
}


def available() -> dict[str, str]:
    """Every scorer by name, and how it is typed; ours first."""
    known = {name: own.usage for name, own in BUILT_IN.items()}
    return known | {name: name for name in sorted(_plugins())}


def find(spec: str) -> Scorer:
    """The scorer that `spec` names, not yet loaded.

    >>> find("planet")
    Traceback (most recent call last):
    elsewhere.errors.ScorerError: there is no scorer "planet": choose embedded, \
geoclip (pip install '.[geoclip]' in a clone of elsewhere), onnx:MODEL.onnx or table:SCORES.npz
    """
    name, _, about = spec.partition(":")
    if name in BUILT_IN:
        return cast(Maker, import_module(BUILT_IN[name].module).make)(about)
    entry = _plugins().get(name)
    if entry is not None:
        return PluginScorer(name, entry, about)
    choices = available()
    for other, own in BUILT_IN.items():
        if own.install:
            choices[other] += f" ({own.install})"
    *first, last = choices.values()
    raise ScorerError(f'there is no scorer "{name}": choose {", ".join(first)} or {last}')


class PluginScorer:
    """A scorer from another package: its errors name the package."""

    def __init__(self, name: str, entry: EntryPoint, about: str) -> None:
        self._title = f'the scorer "{name}" ({entry.value})'
        with self._blame("cannot be used"):
            self._scorer = cast(Maker, entry.load())(about)
        for method in ("load", "score"):
            if not callable(getattr(self._scorer, method, None)):
                raise ScorerError(
                    f"{self._title} has no {method} method: "
                    "update or remove the package that brings it"
                )

    def load(self) -> ScorerInfo:
        """Load the plug-in."""
        with self._blame("cannot be loaded"):
            return self._scorer.load()

    def score(self, photo: Photo) -> Row:
        """Score by the plug-in."""
        with self._blame(f"failed on {photo.name}"):
            return np.asarray(self._scorer.score(photo), dtype=np.float32)

    @contextmanager
    def _blame(self, what: str) -> Iterator[None]:
        try:
            yield
        except ElsewhereError:
            raise
        except Exception as problem:  # other packages may fail in any way
            reason = " ".join(str(problem).split()) or type(problem).__name__
            raise ScorerError(
                f"{self._title} {what} ({reason}): update or remove the package that brings it"
            ) from problem


def _plugins() -> dict[str, EntryPoint]:
    """Scorers from other packages; they cannot take a name of ours."""
    return {entry.name: entry for entry in entry_points(group=GROUP) if entry.name not in BUILT_IN}

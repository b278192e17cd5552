"""The experiments, found by name; `docs/lab.md` says how to add one."""

import tomllib
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from importlib.resources import files
from typing import Any

from elsewhere.errors import InputError
from elsewhere_lab.statistics import findings_by_kind
from elsewhere_lab.values import Experiment

_ENTRIES: dict[str, dict[str, Any]] = tomllib.loads(
    (files(__package__) / "experiments.toml").read_text("utf-8")
)
NAMES = tuple(_ENTRIES)
"""In the order of the results page: the paper's first, then the studies beyond it."""


def find(name: str) -> Experiment:
    """The experiment of that name.

    >>> find("accuracy").title
    'Table 1: single photos against collections'
    """
    if name not in NAMES:
        raise InputError(f"no experiment is called {name!r}: it is one of {', '.join(NAMES)}")
    entry: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in _ENTRIES[name].items()
    }
    module = import_module(f"{__package__}.{entry.pop('module')}")
    for step in ("parts", "measure", "summarise", "findings"):
        entry[step] = _listed(getattr(module, f"{step}_{name}", None))
    entry["draw"] = getattr(module, f"draw_{name}")
    if finding := entry.pop("finding", None):
        advice = getattr(module, f"advice_{name}")
        entry["findings"] = partial(findings_by_kind, finding, advice)
    return Experiment(name, **entry)


def _listed(function: Callable[..., Iterable[Any]] | None) -> Callable[..., list[Any]] | None:
    """The function with its results in a list; most are generators."""
    return None if function is None else lambda *given: list(function(*given))

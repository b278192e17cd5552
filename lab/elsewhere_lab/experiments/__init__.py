"""The experiments: one module each, found by name.

A module has the functions `parts`, `measure`, `summarise`, `draw` and `findings` of an
`elsewhere_lab.values.Experiment`; its title, description and requirements are in
`experiments.toml`. To add one, write the module and its entry there.
"""

from __future__ import annotations

import tomllib
from importlib import import_module
from importlib.resources import files
from typing import Any

from elsewhere.errors import InputError
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
    module = import_module(f"elsewhere_lab.experiments.{name}")
    functions = ("parts", "measure", "summarise", "draw", "findings")
    entry: dict[str, Any] = {function: getattr(module, function, None) for function in functions}
    for key, value in _ENTRIES[name].items():
        entry[key] = tuple(value) if isinstance(value, list) else value
    return Experiment(name, **entry)

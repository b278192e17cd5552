"""The experiments: one small module each, found by name.

A module holds `EXPERIMENT`, an `elsewhere_lab.values.Experiment`. To add one, write the module and
add its name below, where it appears in `elsewhere-lab list` and in the results page.
"""

from __future__ import annotations

from importlib import import_module

from elsewhere.errors import InputError
from elsewhere_lab.values import Experiment

NAMES = (
    "teaser",
    "accuracy",
    "fewest",
    "budget",
    "nesting",
    "pins",
    "margin",
    "time",
    "worst",
    "hardness",
    "constant",
    "defaults",
    "adaptive",
    "radius",
    "transfer",
    "recompress",
    "correlated",
    "subset",
    "online",
    "values",
    "calibration",
)
"""In the order of the results page: the paper's first, then what it left open."""


def find(name: str) -> Experiment:
    """The experiment of that name.

    >>> find("accuracy").title
    'Table 1: single photos against collections'
    """
    if name not in NAMES:
        raise InputError(f"no experiment is called {name!r}: it is one of {', '.join(NAMES)}")
    experiment: Experiment = import_module(f"elsewhere_lab.experiments.{name}").EXPERIMENT
    return experiment

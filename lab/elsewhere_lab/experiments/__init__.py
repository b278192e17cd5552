"""The experiments, found by name; `docs/lab.md` says how to add one."""

import tomllib
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from importlib.resources import files
from typing import Any

from elsewhere.errors import InputError
from elsewhere_lab.statistics import findings_by_kind
from elsewhere_lab.values import Experiment, Part

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
        if key != "texts"
    }
    module = import_module(f"{__package__}.{entry.pop('module')}")
    finding, remarks = entry.pop("finding", None), list(entry.pop("remarks", ()))
    findings = getattr(module, f"findings_{name}", lambda rows, numbers: ())
    if finding:
        findings = partial(findings_by_kind, finding, getattr(module, f"advice_{name}"))
    entry["findings"] = lambda rows, numbers: [*remarks, *findings(rows, numbers)]
    # one table without a title, unless the experiment has its own
    entry["tables"] = _listed(getattr(module, f"tables_{name}", lambda numbers: [("", numbers)]))
    entry["parts"] = getattr(module, f"parts_{name}", lambda source, scale: [Part("all")])
    for step in ("measure", "summarise"):
        entry[step] = _listed(getattr(module, f"{step}_{name}", None))
    return Experiment(name, draw=getattr(module, f"draw_{name}"), **entry)


def say(experiment: str, text: str, /, **fields: Any) -> str:
    """One of an experiment's texts, filled in; `values.Number` says how numbers are formatted."""
    filled: str = _ENTRIES[experiment]["texts"][text].format(**fields)
    return filled


def _listed(function: Callable[..., Iterable[Any]] | None) -> Callable[..., list[Any]] | None:
    """The function with its results in a list; most are generators."""
    return None if function is None else lambda *given: list(function(*given))

"""From what a person passed to a Promise: every argument read, every doubt a sentence.

The same reading serves `protect`, `frontier` and `check`, so that a wish means the same to all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from elsewhere.errors import InputError
from elsewhere.solver.arguments import (
    amount,
    decimal,
    dimensions,
    each,
    is_collection,
    photo,
    photos,
    shown,
    tables,
    whole,
    yes_or_no,
)
from elsewhere.values.promise import Against, Promise
from elsewhere.values.scores import Scores

WISHES = (
    "top", "budget", "keep", "drop", "margin", "lead", "prior", "values", "groups", "rivals",
    "sees", "each_photo", "strict",
)  # fmt: skip
"""Every wish that makes up a promise, as `protect` names it."""


def known_wishes(wishes: dict[str, Any], *but: str) -> dict[str, Any]:
    """The same wishes; InputError where one is not known or not asked for here."""
    for wish in wishes:
        if wish in but or wish not in WISHES:
            known = ", ".join(name for name in WISHES if name not in but)
            raise InputError(f"there is no wish called {wish} here: choose among {known}")
    return wishes


@dataclass(frozen=True)
class Request:
    """A promise, the scores it speaks of, and whether they came as a list."""

    promise: Promise
    scores: tuple[Scores, ...]
    several: bool


def read_request(
    scores: Any,
    truth: Any,
    *,
    top: Any = None,
    budget: Any = None,
    keep: Any = (),
    drop: Any = (),
    margin: Any = 0.0,
    lead: Any = 0.0,
    prior: Any = None,
    values: Any = None,
    groups: Any = (),
    rivals: Any = None,
    sees: Any = None,
    each_photo: Any = False,
    strict: Any = False,
) -> Request:
    """The promise that these arguments ask for; InputError with a sentence where they don't."""
    matrices, several = _attackers(scores)
    first = matrices[0]
    for other in matrices[1:]:
        if other.photos != first.photos:
            raise InputError(
                f"all attackers must score the same photos, but one has {first.photos} "
                f"and another {other.photos}"
            )
        _same_photos(first, other)
    count = len(matrices)
    if (top is None) == (budget is None):
        raise InputError("ask for either top=k (fewest withheld) or budget=n (furthest down)")
    truths = _truths(truth, matrices, several)
    tops = each(top, count, several, "top")
    margins = each(margin, count, several, "margin")
    leads = each(lead, count, several, "lead")
    priors = tables(prior, count, several, "prior")
    allowed = tables(rivals, count, several, "rivals")
    seen = tables(sees, count, several, "sees")
    alone = each(each_photo, count, several, "each_photo")
    against = []
    for i, matrix in enumerate(matrices):
        zone = _zone(truths[i], matrix)
        decoys = _rivals(allowed[i], zone, matrix)
        available = matrix.cells - len(zone) if decoys is None else len(decoys)
        k = None if top is None else _top(tops[i], available)
        against.append(
            Against(
                scores=matrix.digest,
                scorer=matrix.scorer,
                cells=matrix.cells,
                truth=zone,
                top=k,
                margin=amount(margins[i], "margin"),
                lead=amount(leads[i], "lead"),
                prior=_prior(priors[i], matrix),
                rivals=decoys,
                sees=None if seen[i] is None else photos(seen[i], matrix, "sees"),
                each_photo=_alone(alone[i], k, available),
            )
        )
    kept, dropped = photos(keep, first, "keep"), photos(drop, first, "drop")
    both = sorted({*kept} & {*dropped})
    if both:
        raise InputError(f"photo {first.ids[both[0]]} cannot be both kept and dropped")
    promise = Promise(
        photos=first.photos,
        against=tuple(against),
        budget=None if budget is None else whole(budget, "budget", least=0),
        keep=kept,
        drop=dropped,
        values=_values(values, first),
        groups=_groups(groups, first),
        strict=yes_or_no(strict, "strict"),
    )
    return Request(promise, matrices, several)


def _same_photos(first: Scores, other: Scores) -> None:
    """Rows are joined by their order, so names, where both have them, must be in the same one."""
    unnamed = tuple(map(str, range(first.photos)))
    if first.ids == other.ids or unnamed in (first.ids, other.ids):
        return
    at = next(i for i, (a, b) in enumerate(zip(first.ids, other.ids, strict=True)) if a != b)
    raise InputError(
        f"the attackers do not list the same photos in the same order: row {at} is "
        f"{shown(first.ids[at])} for one and {shown(other.ids[at])} for another"
    )


def _attackers(scores: Any) -> tuple[tuple[Scores, ...], bool]:
    if isinstance(scores, Scores):
        return (scores,), False
    if isinstance(scores, (list, tuple)) and any(
        isinstance(s, Scores) or dimensions(s) not in (0, 1) for s in scores
    ):
        return tuple(s if isinstance(s, Scores) else Scores(s) for s in scores), True
    if isinstance(scores, (list, tuple)) and not scores:
        raise InputError("scores hold no photo: give at least one row")
    return (Scores(scores),), False


def _truths(truth: Any, matrices: Sequence[Scores], several: bool) -> list[Any]:
    if several and isinstance(truth, (list, tuple)):
        if len(truth) != len(matrices):
            raise InputError(
                f"{len(matrices)} attackers need one truth for all or a list of "
                f"{len(matrices)}, not of {len(truth)}"
            )
        return list(truth)
    widths = {matrix.cells for matrix in matrices}
    if len(widths) > 1:
        raise InputError(
            f"the attackers have {' and '.join(map(str, sorted(widths)))} cells: one truth "
            "cannot mean the same place in all of them, give a list with one each"
        )
    return [truth] * len(matrices)


def _zone(truth: Any, matrix: Scores) -> tuple[int, ...]:
    cells = truth if is_collection(truth) else [truth]
    zone = sorted({whole(cell, "truth") for cell in cells})
    if not zone:
        raise InputError("truth is empty: give at least one cell to hide")
    for cell in zone:
        if not 0 <= cell < matrix.cells:
            raise InputError(
                f"truth {shown(cell)} is not a cell: there are {matrix.cells}, numbered from 0"
            )
    if len(zone) == matrix.cells:
        raise InputError("the truth covers every cell: no rival is left to hide behind")
    return tuple(zone)


def _rivals(given: Any, zone: tuple[int, ...], matrix: Scores) -> tuple[int, ...] | None:
    if given is None:
        return None
    if not is_collection(given):
        raise InputError("rivals must be a collection of cells")
    cells = sorted({whole(cell, "rivals") for cell in given})
    for cell in cells:
        if not 0 <= cell < matrix.cells:
            raise InputError(
                f"rival {shown(cell)} is not a cell: there are {matrix.cells}, numbered from 0"
            )
        if cell in zone:
            raise InputError(f"rival {cell} belongs to the truth and cannot be its own rival")
    if not cells:
        raise InputError("rivals is empty: no rival is left to hide behind")
    return tuple(cells)


def _top(given: Any, available: int, wish: str = "top") -> int:
    k = whole(given, wish, least=1)
    if k > available:
        there = "is only 1 rival" if available == 1 else f"are only {available} rivals"
        raise InputError(f"{wish} {shown(k)} is out of reach: there {there}")
    return k


def _alone(given: Any, top: int | None, available: int) -> int | None:
    if given is None or given is False:
        return None
    if given is True:
        if top is None:
            raise InputError("with a budget, say which top each photo must avoid: each_photo=5")
        return top
    return _top(given, available, "each_photo")


def _prior(given: Any, matrix: Scores) -> tuple[float, ...] | None:
    if given is None:
        return None
    try:
        table = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError("prior must be one number for each cell") from None
    if table.shape != (matrix.cells,):
        raise InputError(f"prior must have one number for each of the {matrix.cells} cells")
    if not (table < np.inf).all():
        raise InputError("prior must be finite or −inf: a log-probability for each cell")
    return tuple(table.tolist())


def _values(given: Any, matrix: Scores) -> tuple[Fraction, ...] | None:
    if given is None:
        return None
    if isinstance(given, Mapping):
        listed: list[Any] = [1] * matrix.photos
        for which, value in given.items():
            listed[photo(which, matrix, "values")] = value
    elif not is_collection(given):
        raise InputError(
            f"values must be one number for each photo, or a mapping, not {shown(given)}"
        )
    else:
        listed = list(given)
    if len(listed) != matrix.photos:
        raise InputError(f"{matrix.photos} photos need {matrix.photos} values, not {len(listed)}")
    values = tuple(decimal(value) for value in listed)
    for i, value in enumerate(values):
        if value <= 0:
            raise InputError(f"the value of photo {matrix.ids[i]} must be above zero")
    return None if all(value == values[0] == 1 for value in values) else values


def _groups(given: Any, matrix: Scores) -> tuple[tuple[int, ...], ...]:
    groups: list[tuple[int, ...]] = []
    seen: set[int] = set()
    listed = [] if given is None else given
    for group in listed if is_collection(listed) else [listed]:
        if not is_collection(group):
            raise InputError(f"groups must be a list of lists of photos, but one is {shown(group)}")
        together = photos(group, matrix, "groups")
        for one in together:
            if one in seen:
                raise InputError(f"photo {matrix.ids[one]} is in two groups")
        seen.update(together)
        if len(together) > 1:
            groups.append(together)
    return tuple(sorted(groups))

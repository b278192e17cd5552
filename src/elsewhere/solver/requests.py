"""From what a person passed to a Promise: every argument read, every mistake refused.

The same reading serves `protect`, `frontier` and `check`. What cannot be understood is an
InputError that names the wish. True is not the number 1 here, and a name is not a list of letters.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import numpy as np

from elsewhere.errors import InputError
from elsewhere.values.promise import (
    MAX_RADIUS_KM,
    MIN_RADIUS_KM,
    Against,
    HiddenCircles,
    Promise,
    Version,
)
from elsewhere.values.scores import Scores

MAX_EXPONENT = 400
"""Powers of ten beyond which a value is refused: floats end before."""
MAX_PREVIEW = 60
"""Characters of an argument that a sentence repeats."""
WISHES = (
    "top", "budget", "keep", "drop", "margin", "lead", "prior", "values", "groups", "rivals",
    "sees", "each_photo", "strict", "versions",
)  # fmt: skip
"""Every wish that makes up a promise, as `protect` names it."""


@dataclass(frozen=True)
class Request:
    """A promise and the scores that it is about."""

    promise: Promise
    scores: tuple[Scores, ...]
    several: bool
    """Whether the scores were given as a list of attackers."""


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
    versions: Any = None,
    **unknown: Any,
) -> Request:
    """The promise that these arguments ask for; InputError where they are not understood."""
    if unknown:
        wish = next(iter(unknown))
        raise InputError(f"there is no wish called {wish} here: choose among {', '.join(WISHES)}")
    tables, truths, several = _read_attackers(scores, truth)
    first, count = tables[0], len(tables)
    rows = None if versions is None else _read_versions(versions, first)
    first = first_rows(first, rows)
    if (top is None) == (budget is None):
        raise InputError("ask for either top=k (fewest withheld) or budget=n (furthest down)")
    tops = per_attacker(top, count, several, "top")
    margins = per_attacker(margin, count, several, "margin")
    leads = per_attacker(lead, count, several, "lead")
    priors = per_attacker(prior, count, several, "prior", collections=True)
    allowed = per_attacker(rivals, count, several, "rivals", collections=True)
    seen = per_attacker(sees, count, several, "sees", collections=True)
    alone = per_attacker(each_photo, count, several, "each_photo")
    against = []
    for i, table in enumerate(tables):
        circles = truths[i] if isinstance(truths[i], HiddenCircles) else None
        if circles is not None:
            _check_circles(circles, table, leads[i], priors[i])
        zone = () if circles is not None else _read_cells(truths[i], table.cells)
        if len(zone) == table.cells:
            raise InputError("the truth covers every cell: no rival is left to hide behind")
        cells = None if allowed[i] is None else _read_cells(allowed[i], table.cells, zone)
        available = table.cells - len(zone) if cells is None else len(cells)
        k = None if top is None else read_integer(tops[i], "top", 1)
        each = k if alone[i] is True else None
        if alone[i] is True and k is None:
            raise InputError("with a budget, say which top each photo must avoid: each_photo=5")
        if not (alone[i] is None or alone[i] is True or alone[i] is False):
            each = read_integer(alone[i], "each_photo", 1)
        for wish, wanted in (("top", k), ("each_photo", each)):
            if wanted is not None and wanted > available:
                limit = "is only 1 rival" if available == 1 else f"are only {available} rivals"
                raise InputError(f"{preview(wanted)} is out of reach: there {limit}", wish)
        against.append(
            Against(
                scores=table.digest,
                scorer=table.scorer,
                cells=table.cells,
                truth=zone,
                top=k,
                margin=read_nats(margins[i], "margin"),
                lead=read_nats(leads[i], "lead"),
                prior=None if priors[i] is None else _read_prior(priors[i], table.cells),
                rivals=cells,
                sees=None if seen[i] is None else read_photos(seen[i], first, "sees"),
                each_photo=each,
                circles=circles,
            )
        )
    kept, dropped = read_photos(keep, first, "keep"), read_photos(drop, first, "drop")
    both = sorted({*kept} & {*dropped})
    if both:
        raise InputError(f"photo {first.ids[both[0]]} cannot be both kept and dropped")
    if budget is not None:
        budget = read_integer(budget, "budget", 0) if rows is None else read_cost(budget)
    costs = None if values is None else _read_values(values, first)
    together = _read_groups(groups, first)
    if not isinstance(strict, (bool, np.bool_)):
        raise InputError(f"strict must be True or False, not {preview(strict)}")
    for row in rows or ():
        if row.cost >= (1 if costs is None else costs[row.photo]):
            name = first.ids[row.photo]
            raise InputError(f"a version of photo {name} must cost less than withholding it")
    promise = Promise(
        first.photos, tuple(against), budget, kept, dropped, costs, together, bool(strict), rows
    )
    return Request(promise, tables, several)


def first_rows(scores: Scores, versions: tuple[Version, ...] | None) -> Scores:
    """The first version of each photo: photos go by its name."""
    if versions is None:
        return scores
    rows = [i for i, row in enumerate(versions) if i == 0 or versions[i - 1].photo != row.photo]
    return Scores(scores.values[rows], [scores.ids[row] for row in rows])


def preview(given: Any) -> str:
    """An argument on one line, and not too long, for a sentence about it.

    >>> preview("5"), preview(np.zeros((2, 1)))
    ("'5'", 'array([[0.], [0.]])')
    """
    try:
        line = " ".join(repr(given).split())
    except ValueError:  # Python does not write out a whole number of thousands of digits
        line = f"this {type(given).__name__}"
    return line if len(line) <= MAX_PREVIEW else f"{line[: MAX_PREVIEW - 1]}…"


def read_integer(given: Any, wish: str, least: int | None = None) -> int:
    """A whole number, Python's or NumPy's.

    >>> read_integer(np.int8(3), "top")
    3
    """
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)):
        raise InputError(f"must be a whole number, not {preview(given)}", wish)
    if least is not None and given < least:
        raise InputError(f"must be {least} or more, not {preview(given)}", wish)
    return int(given)


def read_nats(given: Any, wish: str) -> float:
    """A number of nats, finite and not negative."""
    try:
        if isinstance(given, (bool, np.bool_)):
            raise TypeError
        number = float(given)
    except (TypeError, ValueError):
        raise InputError(f"{wish} must be a number, not {preview(given)}") from None
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or number < 0:
        raise InputError(f"{wish} must be finite and not negative, not {preview(given)}")
    return number


def read_value(value: Any) -> Fraction:
    """A photo's value; a float means the decimal that it is written as.

    >>> read_value(0.1), read_value("2.5"), read_value("1/3")
    (Fraction(1, 10), Fraction(5, 2), Fraction(1, 3))
    """
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        if isinstance(value, np.integer):
            return Fraction(int(value))
        if isinstance(value, (float, np.floating)):
            return Fraction(repr(float(value)))
        if isinstance(value, (str, Decimal)) and "/" not in str(value):
            number = Decimal(value)
            if number.is_finite() and abs(number.adjusted()) > MAX_EXPONENT:
                raise ValueError
            return Fraction(number)
        return Fraction(value)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError, InvalidOperation):
        raise InputError(
            f"a photo's value must be a positive number, not {preview(value)}"
        ) from None


def read_cost(given: Any) -> Fraction:
    """A cost in the photos' values, from 0 up."""
    cost = read_value(given)
    if cost < 0:
        raise InputError(f"a cost must not be negative, but one is {preview(given)}")
    return cost


def read_photo(given: Any, scores: Scores, wish: str) -> int:
    """A photo by name or number."""
    if isinstance(given, str):
        return scores.index(given)
    number = read_integer(given, wish)
    if not 0 <= number < scores.photos:
        raise InputError(
            f"{wish}: there is no photo {preview(number)}; "
            f"the {scores.photos} photos are numbered from 0"
        )
    return number


def read_photos(given: Any, scores: Scores, wish: str) -> tuple[int, ...]:
    """Photos by name or number, one or a collection, ascending."""
    if given is None:
        return ()
    photos = given if is_collection(given) else [given]
    return tuple(sorted({read_photo(photo, scores, wish) for photo in photos}))


def is_collection(given: Any) -> bool:
    """Whether several things were given: neither a string nor a NumPy scalar."""
    if isinstance(given, np.ndarray):
        return given.ndim > 0
    return isinstance(given, Iterable) and not isinstance(given, (str, bytes))


def per_attacker(
    given: Any, count: int, several: bool, wish: str, *, collections: bool = False
) -> list[Any]:
    """One for all attackers, or a list with one each.

    Where the wish itself is one of `collections`, only a list of collections is one each.
    """
    listed = isinstance(given, (list, tuple)) or (isinstance(given, np.ndarray) and given.ndim == 1)
    if listed and collections:
        nested = any(item is None or is_collection(item) for item in given)
        listed = nested and not isinstance(given, np.ndarray)
    elif listed:
        listed = not any(is_collection(item) for item in given)
    if not several or not listed:
        return [given] * count
    if len(given) != count:
        raise InputError(f"{wish}: {count} attackers need one or {count}, not {len(given)}")
    return list(given)


def _dimensions(given: Any) -> int:
    """NumPy's number of dimensions; −1 for a ragged sequence."""
    try:
        return int(np.ndim(given))
    except ValueError:
        return -1


def _read_attackers(scores: Any, truth: Any) -> tuple[tuple[Scores, ...], list[Any], bool]:
    """A table and a truth for each attacker, over the same photos; whether several were given."""
    is_list = isinstance(scores, (list, tuple))
    if is_list and not scores:
        raise InputError("scores hold no photo: give at least one row")
    if not is_list or not any(
        isinstance(s, Scores) or _dimensions(s) not in (0, 1) for s in scores
    ):
        return (scores if isinstance(scores, Scores) else Scores(scores),), [truth], False
    tables = tuple(s if isinstance(s, Scores) else Scores(s) for s in scores)
    first, count = tables[0], len(tables)
    unnamed = tuple(map(str, range(first.photos)))
    for other in tables[1:]:
        if other.photos != first.photos:
            raise InputError(
                f"all attackers must score the same photos, but one has {first.photos} "
                f"and another {other.photos}"
            )
        if first.ids == other.ids or unnamed in (first.ids, other.ids):
            continue
        # rows are joined by their order, so names must be in the same one
        pairs = enumerate(zip(first.ids, other.ids, strict=True))
        row = next(i for i, (a, b) in pairs if a != b)
        raise InputError(
            f"the attackers do not list the same photos in the same order: row {row} is "
            f"{preview(first.ids[row])} for one and {preview(other.ids[row])} for another"
        )
    if isinstance(truth, (list, tuple)):
        if len(truth) != count:
            raise InputError(
                f"{count} attackers need one truth for all or a list of {count}, "
                f"not of {len(truth)}"
            )
        return tables, list(truth), True
    widths = sorted({table.cells for table in tables})
    if len(widths) > 1:
        raise InputError(
            f"the attackers have {' and '.join(map(str, widths))} cells: one truth "
            "cannot mean the same place in all of them, give a list with one each"
        )
    return tables, [truth] * count, True


def _read_cells(given: Any, count: int, zone: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """The cells of the truth or, where its `zone` is given, of the rivals; ascending."""
    wish, cell_name, remedy = "truth", "truth", "give at least one cell to hide"
    if zone is not None:
        wish, cell_name, remedy = "rivals", "rival", "no rival is left to hide behind"
        if not is_collection(given):
            raise InputError("rivals must be a collection of cells")
    numbers = given if is_collection(given) else [given]
    cells = sorted({read_integer(number, wish) for number in numbers})
    if not cells:
        raise InputError(f"{wish} is empty: {remedy}")
    for cell in cells:
        if not 0 <= cell < count:
            raise InputError(
                f"{cell_name} {preview(cell)} is not a cell: there are {count}, numbered from 0"
            )
        if zone is not None and cell in zone:
            raise InputError(f"rival {cell} belongs to the truth and cannot be its own rival")
    return tuple(cells)


def _check_circles(circles: HiddenCircles, table: Scores, lead: Any, prior: Any) -> None:
    """Refuse places that cannot be hidden from these scores."""
    if table.points is None:
        raise InputError(
            "places can be hidden only where scores say where their cells lie: give points"
        )
    if lead or prior is not None:
        raise InputError("places take neither a lead nor a prior: leave them out")
    if not circles.positions:
        raise InputError("truth is empty: give at least one position to hide")
    if not MIN_RADIUS_KM <= circles.radius_km <= MAX_RADIUS_KM:
        raise InputError(
            f"places are hidden by circles of {MIN_RADIUS_KM:g} to {MAX_RADIUS_KM:g} km, not of "
            f"{circles.radius_km:g} km"
        )


def _read_prior(given: Any, cells: int) -> tuple[float, ...]:
    try:
        prior = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError("prior must be one number for each cell") from None
    if prior.shape != (cells,):
        raise InputError(f"prior must have one number for each of the {cells} cells")
    if not (prior < np.inf).all():
        raise InputError("prior must be finite or −inf: a log-probability for each cell")
    return tuple(prior.tolist())


def _read_values(given: Any, scores: Scores) -> tuple[Fraction, ...] | None:
    """One value for each photo; None where all are 1."""
    if isinstance(given, Mapping):
        listed: list[Any] = [1] * scores.photos
        for photo, value in given.items():
            listed[read_photo(photo, scores, "values")] = value
    elif not is_collection(given):
        raise InputError(
            f"values must be one number for each photo, or a mapping, not {preview(given)}"
        )
    else:
        listed = list(given)
    if len(listed) != scores.photos:
        raise InputError(f"{scores.photos} photos need {scores.photos} values, not {len(listed)}")
    values = tuple(read_value(value) for value in listed)
    for i, value in enumerate(values):
        if value <= 0:
            raise InputError(f"the value of photo {scores.ids[i]} must be above zero")
    return None if all(value == 1 for value in values) else values


def _read_versions(given: Any, scores: Scores) -> tuple[Version, ...]:
    """The version that each row of the scores is."""
    pairs = list(given) if is_collection(given) else []
    if len(pairs) != scores.photos or not all(is_collection(pair) for pair in pairs):
        raise InputError(f"versions must be {scores.photos} pairs of a photo and a cost")
    versions: list[Version] = []
    for pair in pairs:
        photo, cost = pair if len(pair) == 2 else (None, None)
        versions.append(Version(read_integer(photo, "versions", 0), read_cost(cost)))
    photos = [version.photo for version in versions]
    if photos != sorted(photos) or set(photos) != set(range(photos[-1] + 1)):
        raise InputError("versions must name every photo from 0 up, in order")
    return tuple(versions)


def _read_groups(given: Any, scores: Scores) -> tuple[tuple[int, ...], ...]:
    groups: list[tuple[int, ...]] = []
    grouped: set[int] = set()
    given = [] if given is None else given
    for group in given if is_collection(given) else [given]:
        if not is_collection(group):
            raise InputError(
                f"groups must be a list of lists of photos, but one is {preview(group)}"
            )
        photos = read_photos(group, scores, "groups")
        for photo in photos:
            if photo in grouped:
                raise InputError(f"photo {scores.ids[photo]} is in two groups")
        grouped.update(photos)
        if len(photos) > 1:
            groups.append(photos)
    return tuple(sorted(groups))

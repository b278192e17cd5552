"""Reading one argument at a time: numbers, photos, one for all or one each.

What cannot be understood is an InputError that names the wish; nothing is guessed. True is not the
number 1 here, and a name is not a list of letters: who passes them by mistake should hear of it.

From what a person passed to a Promise: every argument read, every doubt a sentence.

The same reading serves `protect`, `frontier` and `check`, so that a wish means the same to all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import numpy as np

from elsewhere.errors import InputError
from elsewhere.values.promise import Against, Promise
from elsewhere.values.scores import Scores

MAX_EXPONENT = 400
"""Powers of ten beyond which a value is not worth writing out in full: floats end before."""


MAX_PREVIEW = 60
"""Letters of what was given that a sentence repeats."""


def preview(given: Any) -> str:
    """What was given, on one line and not too long, for a sentence about it.

    >>> preview("5"), preview(np.zeros((2, 1)))
    ("'5'", 'array([[0.], [0.]])')
    """
    try:
        line = " ".join(repr(given).split())
    except ValueError:  # Python will not write out a whole number of thousands of digits
        line = f"this {type(given).__name__}"
    return line if len(line) <= MAX_PREVIEW else f"{line[: MAX_PREVIEW - 1]}…"


def read_integer(given: Any, wish: str, least: int | None = None) -> int:
    """A whole number, Python's or NumPy's.

    >>> read_integer(np.int8(3), "top")
    3
    """
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)):
        raise InputError(f"{wish} must be a whole number, not {preview(given)}")
    if least is not None and given < least:
        raise InputError(f"{wish} must be {least} or more, not {preview(given)}")
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


def read_bool(given: Any, wish: str) -> bool:
    """True or False, and nothing that could be taken for either."""
    if not isinstance(given, (bool, np.bool_)):
        raise InputError(f"{wish} must be True or False, not {preview(given)}")
    return bool(given)


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


def is_collection(given: Any) -> bool:
    """Whether several things were given: neither a name nor a number in NumPy's clothes."""
    if isinstance(given, np.ndarray):
        return given.ndim > 0
    return isinstance(given, Iterable) and not isinstance(given, (str, bytes))


def dimensions(given: Any) -> int:
    """NumPy's number of dimensions; −1 for what is no rectangle."""
    try:
        return int(np.ndim(given))
    except ValueError:
        return -1


def read_photo(given: Any, matrix: Scores, wish: str) -> int:
    """A photo by name or number."""
    if isinstance(given, str):
        return matrix.index(given)
    number = read_integer(given, wish)
    if not 0 <= number < matrix.photos:
        raise InputError(
            f"{wish}: there is no photo {preview(number)}; "
            f"the {matrix.photos} photos are numbered from 0"
        )
    return number


def read_photos(given: Any, matrix: Scores, wish: str) -> tuple[int, ...]:
    """Photos by name or number, one or a collection, ascending."""
    if given is None:
        return ()
    listed = given if is_collection(given) else [given]
    return tuple(sorted({read_photo(one, matrix, wish) for one in listed}))


def one_per_attacker(given: Any, count: int, several: bool, wish: str) -> list[Any]:
    """One for all, or a list with one each."""
    if several and isinstance(given, (list, tuple, np.ndarray)) and dimensions(given) == 1:
        return _as_many(list(given), count, wish)
    return [given] * count


def collection_per_attacker(given: Any, count: int, several: bool, wish: str) -> list[Any]:
    """Like `each` for what is itself a collection: a list of collections is one each."""
    nested = (
        several
        and isinstance(given, (list, tuple))
        and any(item is None or is_collection(item) for item in given)
    )
    return _as_many(list(given), count, wish) if nested else [given] * count


def _as_many(given: list[Any], count: int, wish: str) -> list[Any]:
    if len(given) != count:
        raise InputError(f"{wish}: {count} attackers need one or {count}, not {len(given)}")
    return given


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
    tops = one_per_attacker(top, count, several, "top")
    margins = one_per_attacker(margin, count, several, "margin")
    leads = one_per_attacker(lead, count, several, "lead")
    priors = collection_per_attacker(prior, count, several, "prior")
    allowed = collection_per_attacker(rivals, count, several, "rivals")
    seen = collection_per_attacker(sees, count, several, "sees")
    alone = one_per_attacker(each_photo, count, several, "each_photo")
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
                margin=read_nats(margins[i], "margin"),
                lead=read_nats(leads[i], "lead"),
                prior=_prior(priors[i], matrix),
                rivals=decoys,
                sees=None if seen[i] is None else read_photos(seen[i], matrix, "sees"),
                each_photo=_alone(alone[i], k, available),
            )
        )
    kept, dropped = read_photos(keep, first, "keep"), read_photos(drop, first, "drop")
    both = sorted({*kept} & {*dropped})
    if both:
        raise InputError(f"photo {first.ids[both[0]]} cannot be both kept and dropped")
    promise = Promise(
        photos=first.photos,
        against=tuple(against),
        budget=None if budget is None else read_integer(budget, "budget", least=0),
        keep=kept,
        drop=dropped,
        values=_values(values, first),
        groups=_groups(groups, first),
        strict=read_bool(strict, "strict"),
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
        f"{preview(first.ids[at])} for one and {preview(other.ids[at])} for another"
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
    zone = sorted({read_integer(cell, "truth") for cell in cells})
    if not zone:
        raise InputError("truth is empty: give at least one cell to hide")
    for cell in zone:
        if not 0 <= cell < matrix.cells:
            raise InputError(
                f"truth {preview(cell)} is not a cell: there are {matrix.cells}, numbered from 0"
            )
    if len(zone) == matrix.cells:
        raise InputError("the truth covers every cell: no rival is left to hide behind")
    return tuple(zone)


def _rivals(given: Any, zone: tuple[int, ...], matrix: Scores) -> tuple[int, ...] | None:
    if given is None:
        return None
    if not is_collection(given):
        raise InputError("rivals must be a collection of cells")
    cells = sorted({read_integer(cell, "rivals") for cell in given})
    for cell in cells:
        if not 0 <= cell < matrix.cells:
            raise InputError(
                f"rival {preview(cell)} is not a cell: there are {matrix.cells}, numbered from 0"
            )
        if cell in zone:
            raise InputError(f"rival {cell} belongs to the truth and cannot be its own rival")
    if not cells:
        raise InputError("rivals is empty: no rival is left to hide behind")
    return tuple(cells)


def _top(given: Any, available: int, wish: str = "top") -> int:
    k = read_integer(given, wish, least=1)
    if k > available:
        there = "is only 1 rival" if available == 1 else f"are only {available} rivals"
        raise InputError(f"{wish} {preview(k)} is out of reach: there {there}")
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
            listed[read_photo(which, matrix, "values")] = value
    elif not is_collection(given):
        raise InputError(
            f"values must be one number for each photo, or a mapping, not {preview(given)}"
        )
    else:
        listed = list(given)
    if len(listed) != matrix.photos:
        raise InputError(f"{matrix.photos} photos need {matrix.photos} values, not {len(listed)}")
    values = tuple(read_value(value) for value in listed)
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
            raise InputError(
                f"groups must be a list of lists of photos, but one is {preview(group)}"
            )
        together = read_photos(group, matrix, "groups")
        for one in together:
            if one in seen:
                raise InputError(f"photo {matrix.ids[one]} is in two groups")
        seen.update(together)
        if len(together) > 1:
            groups.append(together)
    return tuple(sorted(groups))

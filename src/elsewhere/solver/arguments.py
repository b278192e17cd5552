"""Reading one argument at a time: numbers, photos, one for all or one each.

What cannot be understood is an InputError that names the wish; nothing is guessed. True is not the
number 1 here, and a name is not a list of letters: who passes them by mistake should hear of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import numpy as np

from elsewhere.errors import InputError
from elsewhere.values.scores import Scores

FURTHEST = 400
"""Powers of ten beyond which a value is not worth writing out in full: floats end before."""


LONGEST = 60
"""Letters of what was given that a sentence repeats."""


def shown(given: Any) -> str:
    """What was given, on one line and not too long, for a sentence about it.

    >>> shown("5"), shown(np.zeros((2, 1)))
    ("'5'", 'array([[0.], [0.]])')
    """
    try:
        line = " ".join(repr(given).split())
    except ValueError:  # Python will not write out a whole number of thousands of digits
        line = f"this {type(given).__name__}"
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def whole(given: Any, wish: str, least: int | None = None) -> int:
    """A whole number, Python's or NumPy's.

    >>> whole(np.int8(3), "top")
    3
    """
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)):
        raise InputError(f"{wish} must be a whole number, not {shown(given)}")
    if least is not None and given < least:
        raise InputError(f"{wish} must be {least} or more, not {shown(given)}")
    return int(given)


def amount(given: Any, wish: str) -> float:
    """A number of nats, finite and not negative."""
    try:
        if isinstance(given, (bool, np.bool_)):
            raise TypeError
        number = float(given)
    except (TypeError, ValueError):
        raise InputError(f"{wish} must be a number, not {shown(given)}") from None
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or number < 0:
        raise InputError(f"{wish} must be finite and not negative, not {shown(given)}")
    return number


def yes_or_no(given: Any, wish: str) -> bool:
    """True or False, and nothing that could be taken for either."""
    if not isinstance(given, (bool, np.bool_)):
        raise InputError(f"{wish} must be True or False, not {shown(given)}")
    return bool(given)


def decimal(value: Any) -> Fraction:
    """A photo's value; a float means the decimal that it is written as.

    >>> decimal(0.1), decimal("2.5"), decimal("1/3")
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
            if number.is_finite() and abs(number.adjusted()) > FURTHEST:
                raise ValueError
            return Fraction(number)
        return Fraction(value)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError, InvalidOperation):
        raise InputError(f"a photo's value must be a positive number, not {shown(value)}") from None


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


def photo(given: Any, matrix: Scores, wish: str) -> int:
    """A photo by name or number."""
    if isinstance(given, str):
        return matrix.index(given)
    number = whole(given, wish)
    if not 0 <= number < matrix.photos:
        raise InputError(
            f"{wish}: there is no photo {shown(number)}; "
            f"the {matrix.photos} photos are numbered from 0"
        )
    return number


def photos(given: Any, matrix: Scores, wish: str) -> tuple[int, ...]:
    """Photos by name or number, one or a collection, ascending."""
    if given is None:
        return ()
    listed = given if is_collection(given) else [given]
    return tuple(sorted({photo(one, matrix, wish) for one in listed}))


def each(given: Any, count: int, several: bool, wish: str) -> list[Any]:
    """One for all, or a list with one each."""
    if several and isinstance(given, (list, tuple, np.ndarray)) and dimensions(given) == 1:
        return _as_many(list(given), count, wish)
    return [given] * count


def tables(given: Any, count: int, several: bool, wish: str) -> list[Any]:
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

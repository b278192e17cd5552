"""Values to JSON and back, without loss and without trust.

JSON has no fractions, no infinities and no types worth the name. So a fraction is written as the
text "3/2", an infinite number as "-inf" or "inf", and what is read must be of the very kind that
is expected; anything else is refused in one sentence that says where it stands.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from elsewhere.errors import InputError

_FRACTION = re.compile(r"-?[0-9]{1,4000}(/[0-9]{1,4000})?")
_UNBOUNDED = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


class Kind(NamedTuple):
    """How one kind of value is written, and how it is read back from a place in a document."""

    write: Callable[[Any], Any]
    read: Callable[[Any, str], Any]


def wrong(where: str, wanted: str) -> InputError:
    """The sentence for a value that is not what belongs there."""
    return InputError(f"{where} must be {wanted}")


def _read_text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise wrong(where, "text")
    return value


def _read_flag(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise wrong(where, "true or false")
    return value


def _read_whole(value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise wrong(where, "a whole number")
    return value


def _write_real(value: float) -> float | str:
    if math.isfinite(value):
        return float(value)
    return next(name for name, same in _UNBOUNDED.items() if str(same) == str(float(value)))


def _read_real(value: Any, where: str) -> float:
    if isinstance(value, str) and value in _UNBOUNDED:
        return _UNBOUNDED[value]
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise wrong(where, 'a number, "inf" or "-inf"')
    try:
        return float(value)
    except OverflowError:
        raise wrong(where, "a number that fits 64 bits") from None


def _write_exact(value: int | Fraction) -> int | str:
    return str(value) if isinstance(value, Fraction) else int(value)


def _read_exact(value: Any, where: str) -> int | Fraction:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _FRACTION.fullmatch(value):
        try:
            return Fraction(value)
        except ZeroDivisionError:
            pass
    raise wrong(where, 'a whole number or a fraction such as "3/2"')


text = Kind(str, _read_text)
flag = Kind(bool, _read_flag)
whole = Kind(int, _read_whole)
real = Kind(_write_real, _read_real)
exact = Kind(_write_exact, _read_exact)
fraction = Kind(
    lambda value: str(Fraction(value)), lambda value, where: Fraction(_read_exact(value, where))
)


def many(kind: Kind) -> Kind:
    """A tuple of values of one kind."""

    def read(value: Any, where: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise wrong(where, "a list")
        return tuple(kind.read(item, f"{where}[{i}]") for i, item in enumerate(value))

    return Kind(lambda value: [kind.write(item) for item in value], read)


def maybe(kind: Kind) -> Kind:
    """A value of one kind, or none at all (null)."""
    return Kind(
        lambda value: None if value is None else kind.write(value),
        lambda value, where: None if value is None else kind.read(value, where),
    )


def record(make: Callable[..., Any], fields: Mapping[str, Kind]) -> Kind:
    """A dataclass: all of its fields, by name, no more and no fewer."""

    def write(value: Any) -> dict[str, Any]:
        return {name: kind.write(getattr(value, name)) for name, kind in fields.items()}

    def read(value: Any, where: str) -> Any:
        expect(value, where, fields)
        return make(
            **{name: kind.read(value[name], f"{where}.{name}") for name, kind in fields.items()}
        )

    return Kind(write, read)


def expect(value: Any, where: str, names: Mapping[str, Any] | set[str]) -> None:
    """Raise unless `value` is an object with exactly these names."""
    if not isinstance(value, dict):
        raise wrong(where, "an object")
    for name in names:
        if name not in value:
            raise InputError(f"{where} lacks {name!r}")
    for name in value:
        if name not in names:
            raise InputError(f"{where} has {name!r}, which is unknown to this version")


def parse(document: str) -> Any:
    """The value of a JSON text; names that come twice, NaN and Infinity are refused."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise InputError("a name comes twice in the same object")
        return found

    def refuse(word: str) -> Any:
        raise InputError(f"{word} is not JSON")

    try:
        return json.loads(document, object_pairs_hook=once, parse_constant=refuse)
    except RecursionError:
        raise InputError("it is nested too deeply") from None
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"it is not JSON ({error})") from None


def canonical(value: Any) -> str:
    """The one JSON text of a value: names sorted, no spaces, ASCII only, no NaN."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )

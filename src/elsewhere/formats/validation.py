"""Values to JSON and back, without loss and without trust.

How a dataclass is written follows from its type annotations. A fraction is written as the text
"3/2", an infinite number as "-inf" or "inf". What is read must be of exactly the annotated type,
with all fields and no others; anything else is refused in one sentence that says where it is.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import math
import operator
import re
import types
from collections.abc import Callable, Collection, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from elsewhere.errors import InputError

FRACTION = re.compile(r"-?[0-9]{1,4000}(/[0-9]{1,4000})?")
Sha256 = Annotated[str, re.compile(r"[0-9a-f]{64}"), "a SHA-256 in hexadecimal"]


class Kind(NamedTuple):
    """How values of one type are written, and how they are read from a place in a document."""

    write: Callable[[Any], Any]
    read: Callable[[Any, str], Any]


def wrong(where: str, wanted: str) -> InputError:
    """The sentence for a value that is not what belongs there."""
    return InputError(f"{where} must be {wanted}")


def _scalar(
    write: Callable[[Any], Any],
    types: tuple[type, ...],
    wanted: str,
    make: Callable[[Any], Any] | None = None,
    pattern: re.Pattern[str] | None = None,
) -> Kind:
    """Values that JSON knows, of exactly these types; a text must match the pattern."""

    def read(value: Any, where: str) -> Any:
        fits = type(value) in types
        if fits and pattern and type(value) is str:
            fits = pattern.fullmatch(value) is not None
        if not fits:
            raise wrong(where, wanted)
        try:
            return make(value) if make else value
        except (OverflowError, ZeroDivisionError):  # float(10**400), Fraction("1/0")
            raise wrong(where, wanted) from None

    return Kind(write, read)


_EXACT = 'a whole number or a fraction such as "3/2"'
_SCALARS: dict[Any, Kind] = {
    str: _scalar(str, (str,), "text"),
    bool: _scalar(bool, (bool,), "true or false"),
    int: _scalar(int, (int,), "a whole number"),
    float: _scalar(
        lambda x: float(x) if math.isfinite(x) else str(float(x)),
        (int, float, str),
        'a number that fits 64 bits, "inf" or "-inf"',
        float,
        re.compile("-?inf|nan"),
    ),
    int | Fraction: _scalar(
        lambda x: str(x) if isinstance(x, Fraction) else int(x),
        (int, str),
        _EXACT,
        lambda x: x if isinstance(x, int) else Fraction(x),
        FRACTION,
    ),
    Fraction: _scalar(lambda x: str(Fraction(x)), (int, str), _EXACT, Fraction, FRACTION),
}


@functools.cache
def kind_of(annotation: Any) -> Kind:
    """How values with this annotation are written and read."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    if origin is Annotated:
        pattern, wanted = annotation.__metadata__
        return _scalar(str, (str,), wanted, pattern=pattern)
    if origin in (Union, types.UnionType):
        given = [each for each in arguments if each is not types.NoneType]
        present = kind_of(functools.reduce(operator.or_, given))
        return Kind(
            lambda value: None if value is None else present.write(value),
            lambda value, where: None if value is None else present.read(value, where),
        )
    if origin is tuple:
        item = kind_of(arguments[0])

        def read(value: Any, where: str) -> tuple[Any, ...]:
            if not isinstance(value, list):
                raise wrong(where, "a list")
            return tuple(item.read(each, f"{where}[{i}]") for i, each in enumerate(value))

        return Kind(lambda value: [item.write(each) for each in value], read)
    if issubclass(annotation, StrEnum):
        names = [member.value for member in annotation]
        pattern = re.compile("|".join(names))
        return _scalar(str, (str,), f"one of {', '.join(names)}", annotation, pattern)
    return record(annotation)


def record(make: type, title: str = "", **others: Kind) -> Kind:
    """A dataclass: exactly its fields, by name; `others` are read otherwise than annotated.

    A field whose metadata call it "optional" came with a later version: it is written only where it
    does not have its default. Errors at the top of a document call it by its `title`.
    """
    hints = get_type_hints(make, include_extras=True)
    names = [field.name for field in dataclasses.fields(make)]
    optional = {f.name: f.default for f in dataclasses.fields(make) if f.metadata.get("optional")}
    fields = {name: others.get(name) or kind_of(hints[name]) for name in names}

    def write(value: Any) -> dict[str, Any]:
        found = {name: getattr(value, name) for name in names}
        return {
            name: fields[name].write(each)
            for name, each in found.items()
            if name not in optional or each != optional[name]
        }

    def read(value: Any, where: str) -> Any:
        expect(value, where or title, names, optional)
        path = f"{where}." if where else ""
        return make(**{name: fields[name].read(value[name], path + name) for name in value})

    return Kind(write, read)


def expect(
    value: Any, where: str, names: list[str], optional: Collection[str] = frozenset()
) -> None:
    """Raise unless `value` is an object with exactly these names, of which some may be missing."""
    if not isinstance(value, dict):
        raise wrong(where, "an object")
    for name in names:
        if name not in value and name not in optional:
            raise InputError(f"{where} lacks {name!r}")
    for name in value:
        if name not in names:
            raise InputError(f"{where} has {name!r}, which is unknown to this version")


def parse(document: str | bytes) -> Any:
    """The value of a JSON text; names that come twice, NaN and Infinity are refused."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(values := dict(pairs)) < len(pairs):
            raise InputError("a name comes twice in the same object")
        return values

    def refuse(name: str) -> Any:
        raise InputError(f"{name} is not JSON")

    try:
        return json.loads(document, object_pairs_hook=unique, parse_constant=refuse)
    except RecursionError:
        raise InputError("it is nested too deeply") from None
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"it is not JSON ({error})") from None


def to_text(document: dict[str, Any]) -> str:
    """A document as its file has it."""
    return json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def digest_of(document: dict[str, Any]) -> str:
    """SHA-256 of the canonical JSON (sorted, no spaces, ASCII) of all but the digest itself."""
    body = {name: value for name, value in document.items() if name != "digest"}
    text = json.dumps(
        body, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def check_sealed(
    values: Any,
    formats: Sequence[str],
    names: list[str],
    optional: Collection[str] = frozenset(),
) -> None:
    """Raise unless `values` are a certificate of one of these formats, whole and sealed rightly."""
    if not isinstance(values, dict) or values.get("format") not in formats:
        raise InputError(f"the certificate must be of the format {' or '.join(formats)}")
    known = ["format", "notes", "versions", "digest", *names]
    expect(values, "the certificate", known, optional)
    if values["digest"] != digest_of(values):
        raise InputError("the certificate was changed or damaged: its digest is not right")
    kind_of(tuple[str, ...]).read(values["notes"], "notes")
    if not isinstance(values["versions"], dict):
        raise wrong("versions", "an object")
    for name, version in values["versions"].items():
        kind_of(str).read(version, f"versions.{name}")

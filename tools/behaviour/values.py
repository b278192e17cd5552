"""Values as JSON can hold them and two recordings can compare them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from typing import Any

DIGITS = 9
"""Significant digits of a float: sums may be added up in another order."""


def plain(value: Any) -> Any:
    """The value in JSON's terms; floats rounded, infinities and fractions as text."""
    if value is None or isinstance(value, bool | str):
        return str(value) if isinstance(value, Enum) else value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Fraction):
        return str(value)
    if hasattr(value, "tolist"):  # NumPy's
        return plain(value.tolist())
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(plain(one) for one in value)
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return repr(value)

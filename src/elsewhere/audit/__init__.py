"""What an attacker infers from a set of photos: a value that is shown, saved and tested by itself.

values      the value Audit and its parts
"""

from elsewhere.audit.values import (
    Alone,
    Audit,
    Curve,
    Exposure,
    Guess,
    Leaking,
    Opinion,
    Shares,
    Within,
)

__all__ = [
    "Alone",
    "Audit",
    "Curve",
    "Exposure",
    "Guess",
    "Leaking",
    "Opinion",
    "Shares",
    "Within",
]

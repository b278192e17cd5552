"""What an attacker infers from a set of photos.

values      the value Audit and its parts
inference   from scores and a truth to an Audit: ranks, shares, curves, distances
name_hints  places that the names of files mention
"""

from elsewhere.audit.inference import Truth, audit
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
    "Truth",
    "Within",
    "audit",
]

"""What an attacker infers from a set of photos: a value that is shown, saved and tested by itself.

values      the value Audit and its parts
auditing    from scores and a truth to an Audit
ranks       where the truth stands · sharpening (photo by photo) · nearness (in km)
shares      what each photo does for and against it
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

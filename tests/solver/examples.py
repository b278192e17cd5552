"""How many examples a property is tried on: a few in CI, twenty times as many in the long run."""

from __future__ import annotations

from hypothesis import settings

USUAL = 100
"""What hypothesis does where nothing else is said."""


def examples(count: int) -> settings:
    """`count` examples, more where conftest's profile asks for more."""
    default = settings.default
    long = default is not None and default.max_examples > USUAL
    return settings(max_examples=20 * count if long else count)

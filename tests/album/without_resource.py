"""The tasks of misbehaving.py, on a system that knows no limits, as Windows does not."""

import sys

from tests.album.misbehaving import act

sys.modules["resource"] = None  # type: ignore[assignment]
__all__ = ["act"]

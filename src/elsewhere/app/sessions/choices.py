"""What a person can choose from: scorers, margins, levels."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from elsewhere.app.api import models
from elsewhere.example import ALBUM
from elsewhere.scorers.registry import available
from elsewhere.values.promise import NOT_COVERED
from elsewhere.values.wishes import LEVELS, MARGINS


@cache
def choices() -> models.ChoicesModel:
    """All of it; it does not change while the server runs."""
    return models.ChoicesModel(
        scorers=list(available().values()),
        margins={one.name: one.stands_for for one in MARGINS.values()},
        levels=list(LEVELS),
        home=str(Path.home()),
        example=str(ALBUM),
        not_covered=NOT_COVERED,
    )

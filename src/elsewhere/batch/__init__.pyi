"""What the command `elsewhere batch` calls."""

from .runner import BatchStep as BatchStep, Engine as Engine, run as run
from .settings import (
    DEFAULT_BLOCK as DEFAULT_BLOCK,
    DEFAULT_WORK as DEFAULT_WORK,
    Settings as Settings,
)
from .summary import Summary as Summary

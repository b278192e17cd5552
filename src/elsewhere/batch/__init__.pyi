"""What the command `elsewhere batch` calls."""

from .limits import NO_LOST_FILES as NO_LOST_FILES, Limit as Limit
from .runner import BatchStep as BatchStep, Engine as Engine, run as run
from .settings import (
    DEFAULT_WORK as DEFAULT_WORK,
    Settings as Settings,
)
from .summary import Summary as Summary

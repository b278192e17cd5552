"""What the command `elsewhere batch` calls."""

from .runner import Engine as Engine, Step as Step, run as run
from .settings import BLOCK as BLOCK, WORK as WORK, Settings as Settings
from .summary import Summary as Summary

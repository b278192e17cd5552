"""What the command `elsewhere app` calls."""

from .api.server import serve as serve

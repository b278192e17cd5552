"""What the recorder relies on besides `import elsewhere`, `python -m elsewhere` and file formats.

This is the one table to edit when something here moves. Nothing in this folder imports a module of
elsewhere below the top; tests are imported only to write the hostile files.
"""

from __future__ import annotations

PUBLIC = "elsewhere"
"""The package: its `__all__` is the public interface, `python -m` of it the program."""
HOSTILE_FILES = (("tests.album.nasty", "make_all"),)
"""Who writes the hostile files, `function(folder)`; the first that can be imported is taken."""
EXAMPLE_PHOTO = "pont-du-gard.jpg"
"""A file of the example album: whichever folder of the source tree holds it is the album."""
PROGRAM = "elsewhere"
"""The name of the program among the scripts of pyproject.toml."""
ENVIRONMENT = r"ELSEWHERE_[A-Z][A-Z_]*"
"""How environment variables of ours are spelt in the source."""
DESCRIPTION = "/api/openapi.json"
"""Where the app describes itself."""
SECRET_HEADER = "x-elsewhere-session"
"""In which header the page sends its secret."""

"""Scores on disk: `.npz`, CSV and Parquet, as written down in docs/files.md.

A score file may come from a stranger. So nothing is ever unpickled, sizes in headers are compared
with the size of the file before memory is allocated, and every error is one sentence that names
the file. What is written reads back bit for bit.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from elsewhere.errors import FileError, InputError
from elsewhere.formats.score_files.limits import refuse_long_name, refuse_unless_plain
from elsewhere.globe import Cells
from elsewhere.platform.files import open_whole
from elsewhere.values.scores import Scores

_FORMATS = {".npz": "npz", ".csv": "csv", ".parquet": "parquet"}
"""The module for each ending, imported when needed."""


def read_scores(path: str | os.PathLike[str]) -> Scores:
    """The scores in a `.npz`, `.csv` or `.parquet` file; `FileError` when they cannot be had.

    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = pathlib.Path(folder.name, "album.csv")
    >>> _ = file.write_text("photo,0,1\\nbeach.jpg,-0.1,-2.4\\ntower.jpg,-1.2,-0.4\\n")
    >>> read_scores(file).ids
    ('beach.jpg', 'tower.jpg')
    >>> folder.cleanup()
    """
    file = Path(path)
    format_ = _format(file)
    try:
        if not file.exists():
            raise FileError(f"{file} does not exist: check the name of the score file")
        if not file.is_file():
            raise FileError(f"{file} is not a plain file: name a .npz, .csv or .parquet file")
        scores: Scores = format_.read(file)
        refuse_long_name(file, max(map(len, scores.ids)))
        cells = Cells.known(scores.grid)
        if cells is not None and cells.fine and cells.count == scores.cells:
            return scores.with_points(cells.points)
        return scores
    except InputError as error:
        raise FileError(f"{file} cannot be used: {error}") from None
    except OSError as error:
        raise FileError(f"{file} cannot be read: {error.strerror or error}") from None


def write_scores(path: str | os.PathLike[str], scores: Scores) -> None:
    """Write `scores` to a `.npz`, `.csv` or `.parquet` file, all at once or not at all.

    A plain file of that name is written over; a link, a folder or a device is refused.

    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = pathlib.Path(folder.name, "album.npz")
    >>> scores = Scores([[-0.1, -2.4], [-1.2, -0.4]], ids=["beach.jpg", "tower.jpg"])
    >>> write_scores(file, scores)
    >>> read_scores(file) == scores
    True
    >>> folder.cleanup()
    """
    file = Path(path)
    format_ = _format(file)
    refuse_unless_plain(file)
    try:
        with open_whole(file, private=True) as stream:
            format_.write(stream, scores)
    except InputError as error:
        raise FileError(f"{file} cannot be written: {error}") from None
    except OSError as error:
        raise FileError(f"{file} cannot be written: {error.strerror or error}") from None


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a file that `write_scores` could not write, before the long work."""
    file = Path(path)
    format_ = _format(file)
    if hasattr(format_, "ready"):
        format_.ready(file)
    refuse_unless_plain(file)
    if not file.parent.is_dir():
        raise FileError(f"{file} cannot be written: there is no folder {file.parent}")


def _format(file: Path) -> Any:
    """The module for files with this ending."""
    suffix = file.suffix.lower()
    if suffix not in _FORMATS:
        raise FileError(f"{file} is not a score file: its name must end in .npz, .csv or .parquet")
    return import_module(f"elsewhere.formats.score_files.{_FORMATS[suffix]}")


__all__ = ["check_writable", "read_scores", "write_scores"]

"""The built page: read once, as a fixed list of files. What is not on the list does not exist.

No path of a request is ever joined to a folder, so there is nothing to climb out of.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "page"
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}
_NOT_BUILT = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>elsewhere</title>"
    "<p>The page is not built in this checkout: run <code>make web</code>."
)


@dataclass(frozen=True)
class PageFile:
    """One file of the page."""

    content: bytes
    kind: str


def page_files(folder: Path = FOLDER) -> dict[str, PageFile]:
    """Every file of the page by the path at which it is asked for."""
    found = {
        f"/{path.relative_to(folder).as_posix()}": PageFile(path.read_bytes(), TYPES[path.suffix])
        for path in sorted(folder.rglob("*"))
        if path.suffix in TYPES and path.is_file() and not path.is_symlink()
    }
    index = found.get("/index.html")
    return {**found, "/": index or PageFile(_NOT_BUILT.encode(), TYPES[".html"])}

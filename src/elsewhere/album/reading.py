"""Inside a worker: all that is done with one file, from its path to its rendition.

This is the task that `album.py` gives to the workers. The file is read once; what it carries and
what lies beside it is read too; its picture is rendered. What comes back is plain JSON and the
bytes of a bare JPEG.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from elsewhere.album import decode, takeout, xmp
from elsewhere.album.encoding import encoded
from elsewhere.album.exif import carried
from elsewhere.album.file_names import printable
from elsewhere.album.file_types import HEAD, PHOTOS, kind_of
from elsewhere.album.files import NotPlainError, whole
from elsewhere.album.metadata import Metadata, leaks, time_in_name, to_json

warm_up = decode.warm_up

_MAX_SIDECARS = 8


def read(request: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
    """Render one photo and tell what is known about it, or the word for why not."""
    try:
        return _read(Path(request["path"]), request)
    except decode.RefusedError as refusal:
        return {"failed": refusal.kind, "detail": str(refusal)}, []


def _read(path: Path, request: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
    content = _bytes(path, request.get("content"))
    kind = kind_of(content[:HEAD], path.suffix)
    if kind not in PHOTOS:  # it is another file than the one that was found
        raise decode.RefusedError("foreign")
    try:
        image = decode.opened(content, kind)
        picture = decode.pixels(image, request["max_side"], request["pixels"])
    except (MemoryError, decode.RefusedError):
        raise
    except Exception as problem:  # a decoder may raise anything at all on a damaged file
        raise _refusal(problem) from None
    value = carried(image, content)  # before it is encoded, which takes its notes away
    for note in request["sidecars"][:_MAX_SIDECARS]:
        value = value.completed_by(_note(Path(note)))
    value = value.completed_by(_name(path.name))
    return {"metadata": to_json(value)}, [encoded(picture)]


def _bytes(path: Path, given: bytes | None) -> bytes:
    """What is in a file; or what was given in its place, for a path that is only a name then."""
    try:
        content = whole(path) if given is None else given
    except NotPlainError:
        raise decode.RefusedError("special") from None
    except OSError as problem:
        reason = f"it cannot be read ({problem.strerror}): check it and its permissions"
        raise decode.RefusedError("unreadable", reason) from None
    if content is None:
        raise decode.RefusedError("large")
    if not content:
        raise decode.RefusedError("empty")
    return content


def _refusal(problem: Exception) -> decode.RefusedError:
    """The right word for what a decoder complained about."""
    said = " ".join(str(problem).split()) or type(problem).__name__
    if "memory" in said.lower() and "security limit" not in said.lower():
        return decode.RefusedError("memory")
    if "truncated" in said.lower():
        return decode.RefusedError("damaged", "it is cut short: copy it anew")
    return decode.RefusedError(
        "damaged", f"it is damaged ({said[:200]}): leave it out or copy it anew"
    )


def _note(path: Path) -> Metadata:
    """What a sidecar says; one that cannot be read says nothing, and costs nothing."""
    value = Metadata()
    with suppress(OSError, ValueError):
        if path.suffix.lower() == ".xmp":
            value = xmp.read_xmp(whole(path, xmp.MAX_BYTES) or b"")
        else:
            value = takeout.read_takeout(whole(path, takeout.MAX_BYTES) or b"")
    return value.completed_by(Metadata(leaks=leaks([("sidecar", printable(path.name))])))


def _name(name: str) -> Metadata:
    when = time_in_name(name)
    if when is None:
        return Metadata()
    return Metadata(time=when, leaks=leaks([("file name", f"{when:%Y-%m-%d} in {name}")]))

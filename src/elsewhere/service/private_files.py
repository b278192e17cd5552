"""Where a job keeps what names the place: a folder of the user's own, away from what is shared.

The certificate and the report say what was hidden, so they never lie in or around the copy. Each
target has a folder in the user's data directory, found again from the target's path alone. Where a
copy was moved away and another takes its name, the earlier certificate and report are set aside.
A certificate has a name of its own until its copy has one, so that of two exports to one target
neither can touch the other's.

An export sweeps the folder that it works in. One that is killed may be followed by one on another
disk, so the folder is noted in the user's data directory for as long as the export runs. Where no
note can be written, nothing fails.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from elsewhere.album.copies import Copy
from elsewhere.album.export import sweep
from elsewhere.album.files import file_digest, read_file
from elsewhere.errors import FileError, InputError
from elsewhere.formats.copy_certificate import CopyCertificate, read_copy_certificate
from elsewhere.platform.files import erase, open_to_owner, write_whole
from elsewhere.platform.machine import user_folder
from elsewhere.scorers.cached_scorer import clear, disk_usage

CERTIFICATE = "certificate.json"
"""The certificate's name inside the private folder."""
REPORT = "report.html"
"""The report's."""
ALL_CERTIFICATES = "certificate*.json"
"""The certificate, and those of earlier copies of the same name."""
ALL_REPORTS = "report*.html"
"""The report, and those of earlier copies."""
RECENT = "recent.json"
"""The albums that the app opened last, in the user's data directory."""
FOLDER = "begun"
"""Where notes of exports that were begun lie, in the user's data directory."""
MAX_NAME_LENGTH = 40
_MARK_LENGTH = 16  # digits of a private folder's name that stand for the target's path
MAX_BYTES = 512 * 1024 * 1024
MAX_NOTE_BYTES = 1 << 16
DRAW_KEY = "draw.key"
"""The key that secret k are drawn with, in the user's data directory."""


def private_folder(target: Path, base: Path | None = None) -> Path:
    """The private folder of the copy at `target`: the same one each time, and not made here.

    It lies in `base`, or in the user's data directory.
    """
    path = os.path.realpath(target)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(path).name).strip(".-")[:MAX_NAME_LENGTH]
    where = hashlib.sha256(os.fsencode(path)).hexdigest()[:_MARK_LENGTH]
    return (base or user_folder("data")) / f"{name or 'copy'}-{where}"


def find_certificate(copy: Copy, target: Path, base: Path | None = None) -> Path:
    """The certificate that names the files of a copy best: where it usually lies, else any.

    Copies are moved, and others come to lie where they were. Another copy of the same album has
    the same photos, some of them by chance under the same names. Where no certificate names most
    of its files in the copy, the path at which it would be.
    """
    usual = private_folder(target, base) / CERTIFICATE
    digests = {}
    for name in copy.names:
        with suppress(FileError):
            digests[name] = hashlib.sha256(copy.read(name)).hexdigest()
    others = (base or user_folder("data")).glob(f"*/{ALL_CERTIFICATES}")
    # those of copies with the same name before those of others
    ordered = sorted(others, key=lambda file: (file.parent != usual.parent, file))
    best, best_share = usual, 0.0
    for file in (usual, *(other for other in ordered if other != usual)):
        with suppress(FileError):
            named = read_private(file).files
            same = sum(digests.get(shared.name) == shared.sha256 for shared in named)
            share = same / (len(named) + len(digests) - same)
            if 2 * same > len(named) and share > best_share:
                best, best_share = file, share
        if best_share == 1:
            break
    return best


def own_certificates() -> list[Path]:
    """The certificates in the user's data directory, the latest first."""
    found: list[tuple[float, Path]] = []
    for file in user_folder("data").glob(f"*/{ALL_CERTIFICATES}"):
        with suppress(OSError):
            found.append((file.stat().st_mtime, file))
    return [file for _, file in sorted(found, reverse=True)]


def recent_file() -> Path:
    """Where the albums that were opened last are noted."""
    return user_folder("data") / RECENT


def is_own(certificate: Path, base: Path | None = None) -> bool:
    """Whether a certificate was written by this user's own exports, by where it lies."""
    homes = [user_folder("data"), *([] if base is None else [base])]
    return any(certificate.resolve().is_relative_to(home.resolve()) for home in homes)


def new_certificate(folder: Path) -> Path:
    """A path for the certificate of a copy that has no name yet."""
    return folder / f"certificate-{secrets.token_hex(6)}.json"


def give_usual_name(certificate: Path) -> Path:
    """Name the certificate of a copy that got its name as usual; its path, also where that fails.

    What an earlier copy of the same name has there is set aside.
    """
    usual = certificate.with_name(CERTIFICATE)
    try:
        back_up(certificate.parent)
        return certificate.replace(usual)
    except (FileError, OSError):
        return certificate  # it is found by what it says


def back_up(folder: Path) -> None:
    """Give the certificate and the report of an earlier copy names of their own.

    Both are named by the digest of the certificate, so that it is seen which belong together.
    Whoever is killed meanwhile loses nothing: a copy's certificate is found by what it says, and
    the report goes first, to a name that is the same when it is tried again.
    """
    certificate, report = folder / CERTIFICATE, folder / REPORT
    moved: list[tuple[Path, Path]] = []
    try:
        there = [file for file in (certificate, report) if file.exists()]
        if there:
            mark = file_digest(there[0])[:12]
            for file in reversed(there):
                aside = file.with_name(f"{file.stem}-{mark}{file.suffix}")
                file.replace(aside)
                moved.append((file, aside))
    except OSError as problem:
        with suppress(OSError):
            for before, now in reversed(moved):
                now.replace(before)
        raise unwritable(certificate, problem) from None


def make_private(folder: Path) -> None:
    """Make a folder that only this user can look into."""
    try:
        missing = [path for path in (folder, *folder.parents) if not path.exists()]
        for path in reversed(missing):
            path.mkdir(mode=0o700, exist_ok=True)
            open_to_owner(path, 0o700)
        folder.chmod(0o700)
    except OSError as problem:
        raise unwritable(folder, problem) from None


def write_private(file: Path, document: str) -> None:
    """Write what only this user may read: on the disk, all at once or not at all."""
    try:
        write_whole(file, document.encode("utf-8", "surrogateescape"), private=True)
    except OSError as problem:
        raise unwritable(file, problem) from None


def read_private(file: Path) -> CopyCertificate:
    """The certificate in a file; FileError with one sentence where there is none to be had."""
    try:
        content = read_file(file, MAX_BYTES)
    except FileNotFoundError:
        raise FileError(
            f"there is no certificate at {file}: give the copy that protect wrote, or name its "
            "certificate with --certificate"
        ) from None
    except OSError as problem:
        raise FileError(f"{file} cannot be read ({problem.strerror or problem})") from None
    if content is None:
        raise FileError(f"{file} is too large to be a certificate")
    try:
        return read_copy_certificate(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise FileError(f"{file} is not a certificate: it is not text") from None
    except InputError as problem:
        raise FileError(f"{file} is not a certificate that can be trusted: {problem}") from None


def unwritable(path: Path, problem: OSError) -> FileError:
    """The error where a private file or folder cannot be written."""
    return FileError(
        f"{path} cannot be written ({problem.strerror or problem}): make room there, or choose "
        "another folder for what names the place (--private DIR)"
    )


@contextmanager
def record_staging(beside: Path) -> Iterator[None]:
    """Sweep what earlier exports left, and note where this one works for as long as it does."""
    notes = user_folder("data") / FOLDER
    _sweep_noted(notes)
    note = notes / secrets.token_hex(8)
    with suppress(FileError):
        make_private(notes)
        write_private(note, str(beside.absolute()))
    try:
        yield
    finally:
        with suppress(OSError):
            note.unlink(missing_ok=True)
            notes.rmdir()


def _sweep_noted(notes: Path) -> None:
    """Sweep where exports were begun, and drop the notes of those that left nothing."""
    with suppress(OSError):
        for earlier in sorted(notes.iterdir()):
            with suppress(OSError, ValueError):
                content = read_file(earlier, MAX_NOTE_BYTES) or b""
                if not sweep(Path(content.decode("utf-8", "surrogateescape"))):
                    earlier.unlink(missing_ok=True)


class PrivateData(NamedTuple):
    """How much that names places is kept besides the ledger."""

    certificates: int
    reports: int
    rows: int
    """Cached scores, each of one photo."""
    albums: bool = False
    """Whether the app notes which albums were opened, and what was decided of them."""


def private_data() -> PrivateData:
    """What is kept in the user's own folders. What `--private` names is the user's own affair."""
    documents = [file.name for file in _documents()]
    certificates = sum(name.startswith("certificate") for name in documents)
    reports = sum(name.startswith("report") for name in documents)
    return PrivateData(certificates, reports, disk_usage()[0], recent_file().exists())


def delete_private_data() -> PrivateData:
    """Delete certificates, reports, recent albums, what killed exports left, and the cache.

    Only files that exports make are touched, and no link is followed.
    """
    deleted = private_data()
    notes = user_folder("data") / FOLDER
    _sweep_noted(notes)
    sweep(Path(tempfile.gettempdir()))  # photos that were dropped on an app that was killed
    try:
        for name in (DRAW_KEY, RECENT):  # whole or half-written
            for pattern in (f"{name}*", f".{name}.*"):
                for file in user_folder("data").glob(pattern):
                    erase(file)
        for file in _documents():
            erase(file)
            with suppress(OSError):  # not empty: something in it is not ours
                file.parent.rmdir()
        with suppress(OSError):
            notes.rmdir()
    except OSError as problem:
        raise FileError(
            f"{problem.filename or user_folder('data')} cannot be deleted "
            f"({problem.strerror or problem}): check its permissions"
        ) from None
    clear()
    return deleted


def _documents() -> list[Path]:
    """Certificates and reports of all copies, whole or half-written."""
    found: list[Path] = []
    for folder in sorted(user_folder("data").glob(f"*-{'[0-9a-f]' * _MARK_LENGTH}")):
        if not folder.is_symlink():
            for pattern in (ALL_CERTIFICATES, ALL_REPORTS):
                found += [*sorted(folder.glob(pattern)), *sorted(folder.glob(f".{pattern}.*"))]
    return found

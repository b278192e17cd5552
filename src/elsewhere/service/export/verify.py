"""A copy held against its certificate, as a stranger would: without the solver, from its bytes.

The files are compared by name and digest, proved to be bare pictures, scored again, and the
promise's inequalities checked on the new scores. Another processor may differ in the last bits of
a score: that is a note, not a refusal, as long as the inequalities hold. An export is proved by
this very code before it has its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from elsewhere.album.copies import Copy, open_copy
from elsewhere.album.decode import MAX_PIXELS
from elsewhere.album.file_names import printable
from elsewhere.album.jpeg import NotJpegError, size_if_bare
from elsewhere.album.jpeg_trailing import reject_trailing_data
from elsewhere.checker.copies import prove_kept
from elsewhere.errors import CheckError, FileError, InputError
from elsewhere.formats.copy_certificate import CopyCertificate, SharedFile
from elsewhere.service.export.private_files import (
    CERTIFICATE,
    find_certificate,
    private_folder,
    read_private,
)
from elsewhere.service.export.promise_text import describe_promise, find_mismatches
from elsewhere.service.export.rescoring import load_scorers, rescore, with_posted
from elsewhere.service.scored_album import Step

_LOOKED_UP = "table:"
_SECRET = {
    r"\d+ rivals hold, too few for a top of \d+": "fewer places come before it than was promised",
    r"\d+ rivals hold, not \d+": "other places come before it than was certified",
}
"""Clauses of the check with a number that tells the secret k, and what is said instead."""


@dataclass(frozen=True)
class Verification:
    """What came of it: true when the copy keeps the certificate's promise."""

    problems: tuple[str, ...]
    """One sentence for each thing that is wrong; empty when all is right."""
    notes: tuple[str, ...] = ()
    """What is not wrong but has to be said."""
    files: int = 0
    """How many files the certificate names."""
    reproved: int = 0
    """Against how many views the promise was proved: models × hidden places × scopes."""
    promised: tuple[str, ...] = ()
    """What was proved, a clause for each hidden place; empty where something is wrong."""

    def __bool__(self) -> bool:
        return not self.problems


def verify(
    target: Path,
    certificate: Path | None = None,
    *,
    private: Path | None = None,
    scorers: Sequence[str] = (),
    own: bool = True,
    progress: Callable[[Step], None] = lambda step: None,
) -> Verification:
    """Prove again that the copy at `target` keeps the promise of its certificate.

    Without `certificate`, the one in the target's private folder (below `private`, where the
    export was told so), or the one that names its files. `scorers` are words that are tried
    before the certificate's own, for a model that has moved since; those of a certificate that is
    not one's `own` are not tried at all, for they name files to open and models to fetch. A
    certificate that cannot be read, or was changed, is an error; a copy that does not keep it is a
    verdict.
    """
    target = Path(target)
    if not target.exists():
        raise InputError(f"{target} does not exist: give the folder or zip that was exported")
    try:
        copy = open_copy(target)
    except FileError as problem:
        known = read_private(certificate or private_folder(target, private) / CERTIFICATE)
        return Verification((str(problem),), files=len(known.files))
    given = certificate or find_certificate(copy, target, private)
    found = prove_copy(copy, read_private(given), scorers, progress, own=own)
    if certificate is None and given.parent != private_folder(target, private):
        note = f"the copy was moved or unpacked since: its certificate is {given}"
        found = replace(found, notes=(note, *found.notes))
    return found


def prove_copy(
    copy: Copy,
    certificate: CopyCertificate,
    scorers: Sequence[str] = (),
    progress: Callable[[Step], None] = lambda step: None,
    *,
    own: bool = True,
) -> Verification:
    """Everything that the certificate says of a copy, held against the copy."""
    count = len(certificate.files)
    problems = tuple(_other_files(copy, certificate.files))
    if problems:  # what is not ours is never decoded
        return Verification(problems, files=count)
    loaded = load_scorers(certificate, scorers, own=own)
    globes = [scorer.load().globe for scorer in loaded]
    problems = tuple(dict.fromkeys(find_mismatches(certificate, globes)))
    if problems:
        return Verification(problems, files=count)
    try:
        scores = rescore(copy, certificate, loaded, progress)
    except CheckError as problem:
        return Verification((str(problem),), files=count)
    models = certificate.models
    pairs = zip(scores, models, strict=True)
    other = [model.name for table, model in pairs if table.digest != model.rows]
    verdict = prove_kept(
        certificate.promised, with_posted(certificate, scores), unchanged=not other
    )
    if not verdict:
        named = tuple(_named(problem, certificate) for problem in verdict.problems)
        return Verification(named, files=count)
    notes = [
        f"the scores by {name} are not to the last bit those that the plan was made with, as may "
        "be on another machine: the promise was checked on the new ones, and holds; that no "
        "smaller set would do was proved on the old ones"
        for name in other
    ]
    notes += [
        f"{model.name} looks scores up by a photo's name: they were not worked out from the files"
        for model in models
        if model.word.startswith(_LOOKED_UP)
    ]
    notes += _empty(certificate)
    views = len(certificate.watches)
    return Verification((), tuple(notes), count, views, describe_promise(certificate, globes))


def _empty(certificate: CopyCertificate) -> Iterator[str]:
    """What a budget too small for any promise leaves: kept to the letter, and worth nothing."""
    views = zip(certificate.watches, certificate.promised.views, strict=True)
    open_to_all = [certificate.hidden[w.place].label for w, view in views if not view.protected_k]
    for label in dict.fromkeys(open_to_all):
        yield (
            f"nothing is promised of {label}, which may be the first guess: the budget was too "
            "small to hide it"
        )


def _other_files(copy: Copy, files: Sequence[SharedFile]) -> Iterator[str]:
    """What was added, is missing, was renamed, swapped or changed, or is no bare picture."""
    by_name = {file.name: file for file in files}
    by_digest = {file.sha256: file.name for file in files}
    there = set(copy.names)
    moved = set()
    for name in copy.names:
        try:
            content = copy.read(name)
        except FileError as problem:
            added = "" if name in by_name else f"{printable(name)} was added: "
            yield added + str(problem)
            continue
        digest = sha256(content).hexdigest()
        known, shown = by_digest.get(digest), printable(name)
        if name not in by_name:
            if known and known not in there:
                moved.add(known)
                yield f"{known} was renamed to {shown}: rename it back"
            elif known:
                yield f"{shown} was added, a second copy of {known}: take it out"
            else:
                yield f"{shown} was added after the export: take it out"
        elif digest != by_name[name].sha256 or len(content) != by_name[name].size:
            what = f"holds the photo of {known}" if known else "was changed after the export"
            yield f"{shown} {what}: the promise is not about it, so export again"
        else:
            yield from _more_than_a_picture(shown, content)
    for name in by_name:
        if name not in there and name not in moved:
            yield f"{name} is missing: the promise is about all the files together"


def _more_than_a_picture(name: str, content: bytes) -> Iterator[str]:
    try:
        width, height = size_if_bare(content)
        if width * height > MAX_PIXELS:
            yield f"{name} claims to be larger than any photo"
            return
        reject_trailing_data(content, (width, height))
    except NotJpegError as problem:
        yield f"{name} is not a bare picture: {problem}"


def _named(problem: str, certificate: CopyCertificate) -> str:
    """A check's clause with the numbers of attacker and photo put into words.

    How many rivals hold, and how many should, is not told: it would tell the secret k.
    """

    def words(found: re.Match[str]) -> str:
        watch = certificate.watches[int(found[1])]
        scope = "the whole album" if watch.whole else "its own photos"
        place = certificate.hidden[watch.place].label
        return f"{place}, by {certificate.models[watch.attack].name} on {scope}"

    def photo(found: re.Match[str]) -> str:
        return f"{certificate.photos[certificate.promised.kept[int(found[1])]]} alone"

    for clause, said in _SECRET.items():
        problem = re.sub(clause, said, problem)
    return re.sub(r"attacker (\d+)", words, re.sub(r"photo (\d+) alone", photo, problem))

"""The files of a copy scored anew, from their bytes on the disk; no row that was kept is used.

Models are found by fingerprint: a promise against one model says nothing about another, however
alike their names are.

What a copy's certificate says for people, held against what is proved of its numbers.

The proof is about cells, tops and margins; a person reads a place and a number of guesses. Nothing
but these lines joins the two, so whoever verifies a copy is told the promise from what was proved,
and a certificate that names another place, or a larger top, is refused.

A copy held against its certificate, as a stranger would: without the solver, from its bytes.

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

import numpy as np

from elsewhere.album.copies import Copy, open_copy
from elsewhere.album.decode import MAX_PIXELS
from elsewhere.album.jpeg import NotJpegError, reject_trailing_data, size_if_bare
from elsewhere.checker.copies import prove_kept
from elsewhere.errors import CheckError, ElsewhereError, FileError, InputError, ScorerError
from elsewhere.formats.copy_certificate import CopyCertificate, Model, SharedFile
from elsewhere.globe import Cells, zone
from elsewhere.globe.names import cell_names
from elsewhere.scorers import Photo, Scorer, each, find
from elsewhere.scorers.embedded import forget_features
from elsewhere.service.private_files import (
    CERTIFICATE,
    find_certificate,
    private_folder,
    read_private,
)
from elsewhere.service.scored_album import Step, model_name
from elsewhere.values.scores import Scores
from elsewhere.values.wording import counted, listed, printable, shortened

EMBEDDED = "embedded"
"""The scorer that comes along."""


def rescore(
    copy: Copy,
    certificate: CopyCertificate,
    scorers: Sequence[Scorer],
    progress: Callable[[Step], None] = lambda step: None,
) -> list[Scores]:
    """Each model's scores of the files, in the certificate's order, by its scorer."""
    forget_features()  # features of the bytes before export prove nothing
    files, done = certificate.files, 0
    total = len(files) * len(certificate.models)
    result = []
    for scorer, model in zip(scorers, certificate.models, strict=True):
        rows = np.empty((len(files), model.cells), dtype=np.float32)
        for number, outcome in enumerate(each(scorer, _photos(copy, files))):
            name = files[number].name
            if outcome.row is None:
                raise CheckError(f"{name} cannot be scored again: {outcome.problem}")
            rows[number] = outcome.row
            done += 1
            progress(Step("proving", done, total, name))
        result.append(Scores(rows, [f.photo for f in files], scorer=model.fingerprint))
    return result


def load_scorers(
    certificate: CopyCertificate, words: Sequence[str] = (), *, own: bool = True
) -> list[Scorer]:
    """The models' scorers, loaded; `words` are tried before the certificate's own.

    Of a certificate that is not one's `own`, nothing is opened or fetched that it names: only what
    comes along, and what is among the `words`.
    """
    return [_scorer(model, words, own) for model in certificate.models]


def with_posted(certificate: CopyCertificate, scores: Sequence[Scores]) -> list[Scores]:
    """For each attacker of the promise, the rows of all kept photos in the plan's order.

    What is kept but not in the copy is out already; its rows are in the certificate.
    """
    order = {file.number: row for row, file in enumerate(certificate.files)}
    for row, one in enumerate(certificate.posted, len(order)):
        order[one.number] = row
    places = [order[number] for number in certificate.promised.kept]
    tables = []
    for number, own in enumerate(scores):
        known = [one.rows[number] for one in certificate.posted]
        rows = np.concatenate([own.values, np.array(known).reshape(-1, own.cells)])
        tables.append(Scores(rows[places], scorer=own.scorer))
    return [tables[watch.attack] for watch in certificate.watches]


def _photos(copy: Copy, files: Sequence[SharedFile]) -> Iterator[Photo]:
    """The files as scorers take them: the very bytes whose digest is certified."""
    for file in files:
        content = copy.read(file.name)
        if sha256(content).hexdigest() != file.sha256:
            raise CheckError(f"{file.name} changed while it was looked at")
        yield Photo(file.photo, copy.path / file.name, content)


def _scorer(model: Model, words: Sequence[str], own: bool) -> Scorer:
    """The scorer with the model's fingerprint, loaded; one sentence where there is none."""
    why = "what is there now is another version of it"
    named = own or model.word == EMBEDDED
    if not named and not words:
        why = f"if you trust it, name it with --scorer (the certificate says {model.word})"
    for word in (*words, *[model.word] * named):
        try:
            scorer = find(word)
            about = scorer.load()
        except ElsewhereError as problem:
            why = str(problem)
            continue
        if (about.fingerprint, about.cells) == (model.fingerprint, model.cells):
            return scorer
    raise ScorerError(
        f"the promise is against the model {model.name} ({model.fingerprint[:12]}…), which is "
        f"needed to prove it again and was not found: {why}"
    )


_SHOWN = 3


def find_mismatches(certificate: CopyCertificate, globes: Sequence[Cells | None]) -> Iterator[str]:
    """Where a place that is named does not lie in the cells that are hidden for it.

    `globes` are the models' maps, as they are now; a model without one says nothing of places.
    What is hidden reaches at least so far around where the place is said to be, whatever else
    belongs to it.
    """
    against = certificate.promised.promise.against
    for watch, one in zip(certificate.watches, against, strict=True):
        cells, place = globes[watch.attack], certificate.hidden[watch.place]
        if cells is None:
            continue
        here = {int(cells.locate(place.lat, place.lon))}
        if watch.radius_km > 0:
            here |= set(zone(cells, place.lat, place.lon, watch.radius_km).cells.tolist())
        if not here <= set(one.truth):
            name = certificate.models[watch.attack].name
            yield (
                f"the certificate says that {place.label} is hidden from {name}, but what it "
                "promises is about other cells"
            )


def describe_promise(
    certificate: CopyCertificate, globes: Sequence[Cells | None]
) -> tuple[str, ...]:
    """What is promised, a clause for each hidden place, from the numbers that are proved.

    No k is told but the one asked for, which is not above any that is proved. Under a budget it is
    how far down the place was pushed.
    """
    told = []
    views = certificate.promised.views
    for number, place in enumerate(certificate.hidden):
        watching = [n for n, watch in enumerate(certificate.watches) if watch.place == number]
        attacks = list(dict.fromkeys(certificate.watches[n].attack for n in watching))
        if not attacks:
            continue
        who = listed([model_name(certificate.models[attack].name) for attack in attacks])
        where = _where(certificate, globes, watching[0])
        if certificate.top is not None:
            told.append(
                f"{place.label}{where} is not among the first {certificate.top} guesses of {who}"
            )
        elif least := min(views[n].protected_k for n in watching):
            told.append(
                f"{counted(least, 'other place')} or more come before {place.label}{where} for "
                f"{who}"
            )
    return tuple(told)


def _where(certificate: CopyCertificate, globes: Sequence[Cells | None], watch: int) -> str:
    """Which cells that is, by name, where there is a map: as the promise has them."""
    cells = globes[certificate.watches[watch].attack]
    if cells is None:
        return ""
    names, truth = cell_names(cells), certificate.promised.promise.against[watch].truth
    many = "the cell of" if len(truth) == 1 else f"{len(truth)} cells:"
    return f" ({many} {shortened([names[cell] for cell in truth], _SHOWN)})"


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


def verify_copy(
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

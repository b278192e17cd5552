"""The files of a copy scored anew, from their bytes on the disk; no row that was kept is used.

Models are found by fingerprint: a promise against one model says nothing about another, however
alike their names are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256

import numpy as np

from elsewhere.album.copies import Copy
from elsewhere.errors import CheckError, ElsewhereError, ScorerError
from elsewhere.formats.copy_certificate import CopyCertificate, Model, SharedFile
from elsewhere.scorers import Photo, Scorer, each, find
from elsewhere.scorers.features import forget
from elsewhere.service.scored_album import Step
from elsewhere.values.scores import Scores

EMBEDDED = "embedded"
"""The scorer that comes along."""


def rescore(
    copy: Copy,
    certificate: CopyCertificate,
    scorers: Sequence[Scorer],
    progress: Callable[[Step], None] = lambda step: None,
) -> list[Scores]:
    """Each model's scores of the files, in the certificate's order, by its scorer."""
    forget()  # what the model said of these bytes before the copy was written proves nothing
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

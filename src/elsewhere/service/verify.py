"""A copy held against its certificate, as a stranger would: from its bytes, without the solver.

The files are compared by name and digest, proved to be bare pictures, scored again, and the
promise's inequalities checked on the new scores. Another processor may differ in the last bits of
a score: that is a note as long as the inequalities hold. An export is proved by this very code.

Whatever a certificate adds to the files (rows of photos that are not here, a prior, a part of the
photos) is a condition that is named first, beside what the models guess from the files alone. Of a
certificate that is not one's own the files alone must keep the promise too. So a stranger can make
`verify` say less, never more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import numpy as np

from elsewhere.album import Step
from elsewhere.album.copies import Copy, open_copy
from elsewhere.album.decode import MAX_PIXELS
from elsewhere.album.renditions import NotJpegError, reject_trailing_data, size_if_bare
from elsewhere.checker.proof import count_ahead, prove_kept
from elsewhere.errors import (
    CheckError,
    ElsewhereError,
    FileError,
    InputError,
    PlaceError,
    ScorerError,
)
from elsewhere.formats.copy_certificate import CopyCertificate, HiddenPlace, Model, SharedFile
from elsewhere.globe import Cells, between_km, cell_names, chief_town, place as place_called, zone
from elsewhere.scorers import Photo, Scorer, ScorerInfo, each, find
from elsewhere.scorers.embedded import forget_features
from elsewhere.service.private_files import (
    CERTIFICATE,
    find_certificate,
    private_folder,
    read_private,
)
from elsewhere.service.scored_album import model_name
from elsewhere.values.problems import PlanProblem, ProblemKind
from elsewhere.values.promise import Against
from elsewhere.values.scores import Scores
from elsewhere.values.verification import (
    Claim,
    Condition,
    ConditionKind,
    CopyGuess,
    CopyNote,
    CopyNoteKind,
    CopyProblem,
    CopyProblemKind,
    Verification,
)
from elsewhere.values.wording import printable

EMBEDDED = "embedded"
"""The scorer that comes along."""
LOOKED_UP = "table:"
"""How the name of a scorer begins that looks scores up by a photo's name."""
GUESSES = 3
"""So many guesses from the files alone are told."""
NEAR_KM = 50.0
"""Within this distance a place may go by a town's name."""
PUBLIC_KINDS = {
    ProblemKind.TOO_FEW: CopyProblemKind.TOO_FEW,
    ProblemKind.OTHER_COUNT: CopyProblemKind.OTHER_RIVALS,
    ProblemKind.FALSE_RIVAL: CopyProblemKind.OTHER_RIVALS,
    ProblemKind.MISSING_RIVAL: CopyProblemKind.OTHER_RIVALS,
    ProblemKind.RIVAL_ORDER: CopyProblemKind.OTHER_RIVALS,
    ProblemKind.SLACK: CopyProblemKind.OTHER_RIVALS,
    ProblemKind.ALONE: CopyProblemKind.ALONE,
}
"""What strangers are told of a problem of the check; any other is about the plan's own words."""


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
    export was told so), or the one that names its files. `scorers` are tried before those that the
    certificate names, for a model that has moved since. A certificate that is not one's `own` may
    not name files to open or models to fetch, and its promise must hold by the files alone. A
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
        problems = (CopyProblem(CopyProblemKind.NOT_A_COPY, detail=str(problem)),)
        return Verification(problems, files=len(known.files))
    given = certificate or find_certificate(copy, target, private)
    found = prove_copy(copy, read_private(given), scorers, progress, own=own)
    if certificate is None and given.parent != private_folder(target, private):
        found = replace(found, notes=(CopyNote(CopyNoteKind.MOVED, str(given)), *found.notes))
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
    count, models = len(certificate.files), certificate.models
    problems = [*_file_problems(copy, certificate.files)]
    if problems:  # what is not ours is never decoded
        return Verification(tuple(problems), files=count)
    loaded = [_find_scorer(model, scorers, own) for model in models]
    attackers = _attackers(certificate, [scorer.load() for scorer in loaded])
    problems = [
        CopyProblem(CopyProblemKind.OTHER_CELLS, place=attacker.place.label, model=attacker.model)
        for attacker in attackers
        if not attacker.around.issubset(attacker.against.truth)
    ]
    if not problems:
        try:
            scores = rescore(copy, certificate, loaded, progress)
        except CheckError as problem:
            problems = [CopyProblem(CopyProblemKind.NOT_SCORED, detail=str(problem))]
    if problems:
        return Verification(tuple(dict.fromkeys(problems)), files=count)
    other = [m.name for table, m in zip(scores, models, strict=True) if table.digest != m.rows]
    rows = with_posted(certificate, scores)
    verdict = prove_kept(certificate.plan.plan, rows, unchanged=not other)
    problems = [_public(problem, attackers, certificate) for problem in verdict.problems]
    if problems and any(problem.plan is not None for problem in problems):
        return Verification(tuple(dict.fromkeys(problems)), files=count)
    claims, guesses, ties = _claims(attackers, scores, certificate.top)
    if not own:
        problems += [
            CopyProblem(
                CopyProblemKind.GIVEN_AWAY, place=guess.place, model=guess.model, first=guess.first
            )
            for guess in guesses
            if guess.found and any((guess.place, guess.model) == (c.place, c.model) for c in claims)
        ]
    if problems:
        return Verification(tuple(dict.fromkeys(problems)), guesses=guesses, files=count)
    notes = [CopyNote(CopyNoteKind.OTHER_BITS, name) for name in other]
    notes += [
        CopyNote(CopyNoteKind.LOOKED_UP, m.name) for m in models if m.word.startswith(LOOKED_UP)
    ]
    empty = [attacker.place.label for attacker in attackers if not attacker.protected]
    notes += [CopyNote(CopyNoteKind.NOTHING_PROMISED, label) for label in dict.fromkeys(empty)]
    conditions = [*_conditions(certificate, attackers, own=own), *ties]
    return Verification(
        notes=tuple(notes),
        conditions=tuple(dict.fromkeys(conditions)),
        claims=claims,
        guesses=guesses,
        files=count,
        reproved=len(attackers),
    )


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

    def photos() -> Iterator[Photo]:
        for file in files:
            content = copy.read(file.name)
            if sha256(content).hexdigest() != file.sha256:
                raise CheckError(f"{file.name} changed while it was checked: verify it again")
            yield Photo(file.photo, copy.path / file.name, content)

    result = []
    for scorer, model in zip(scorers, certificate.models, strict=True):
        rows = np.empty((len(files), model.cells), dtype=np.float32)
        for number, outcome in enumerate(each(scorer, photos())):
            name = files[number].name
            if outcome.row is None:
                raise CheckError(f"{name} cannot be scored again: {outcome.problem}")
            rows[number] = outcome.row
            done += 1
            progress(Step("proving", done, total, name))
        result.append(Scores(rows, [f.photo for f in files], scorer=model.fingerprint))
    return result


def with_posted(certificate: CopyCertificate, scores: Sequence[Scores]) -> list[Scores]:
    """For each attacker of the promise, the rows of all kept photos in the plan's order.

    What is kept but not in the copy is out already; its rows are in the certificate.
    """
    order = {file.number: row for row, file in enumerate(certificate.files)}
    for row, photo in enumerate(certificate.posted, len(order)):
        order[photo.number] = row
    places = [order[number] for number in certificate.plan.plan.kept]
    tables = []
    for number, own in enumerate(scores):
        known = [photo.rows[number] for photo in certificate.posted]
        rows = np.concatenate([own.values, np.array(known).reshape(-1, own.cells)])
        tables.append(Scores(rows[places], scorer=own.scorer))
    return [tables[watch.attack] for watch in certificate.watches]


def _find_scorer(model: Model, specs: Sequence[str], own: bool) -> Scorer:
    """The scorer with the model's fingerprint, loaded; one sentence where there is none.

    A promise against one model says nothing about another, however alike their names are. Of a
    certificate that is not one's `own`, nothing is opened or fetched that it names.
    """
    why = "what is there now is another version of it"
    named = own or model.word == EMBEDDED
    if not named and not specs:
        why = f"if you trust it, name it with --scorer (the certificate says {model.word})"
    for spec in (*specs, *[model.word] * named):
        try:
            scorer = find(spec)
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


@dataclass(frozen=True)
class _Attacker:
    """One attacker of a certificate's promise, with what is known of it here and now."""

    place: HiddenPlace
    attack: int
    """Which of the models."""
    model: str
    """The name of the model as it was found, whatever the certificate calls it."""
    globe: Cells | None
    """The model's map, as it is now; None where it has none."""
    around: frozenset[int]
    """The cells around where the place is said to be; empty without a map."""
    against: Against
    files: int
    """How many of the files it adds up."""
    first: int
    """How many guesses are said to come before the place: the k asked for, never a secret one."""
    protected: int
    """How many the plan says that there are."""


def _attackers(certificate: CopyCertificate, infos: Sequence[ScorerInfo]) -> list[_Attacker]:
    plan, top = certificate.plan.plan, certificate.top
    numbers = {file.number for file in certificate.files}
    attackers = []
    for watch, against, view in zip(
        certificate.watches, plan.promise.against, plan.views, strict=True
    ):
        info, place = infos[watch.attack], certificate.hidden[watch.place]
        around: set[int] = set()
        if info.globe is not None:
            around = {int(info.globe.locate(place.lat, place.lon))}
            if watch.radius_km > 0:
                near = zone(info.globe, place.lat, place.lon, watch.radius_km)
                around.update(near.cells.tolist())
        sees = numbers if against.sees is None else numbers.intersection(against.sees)
        attackers.append(
            _Attacker(
                place=place,
                attack=watch.attack,
                model=model_name(info.name),
                globe=info.globe,
                around=frozenset(around),
                against=against,
                files=len(sees),
                first=view.protected_k if top is None else top,
                protected=view.protected_k,
            )
        )
    return attackers


def _claims(
    attackers: Sequence[_Attacker], scores: Sequence[Scores], top: int | None
) -> tuple[tuple[Claim, ...], tuple[CopyGuess, ...], list[Condition]]:
    """What is promised of each place against each model, beside what the files alone give away.

    No k is told but the one asked for, which is not above any that is proved. A claim is about the
    cells that all attackers of one model share; a guess is right in any of their cells.
    """
    claims, guesses, ties = [], [], []
    pairs = dict.fromkeys((attacker.place, attacker.attack) for attacker in attackers)
    for place, attack in pairs:
        group = [a for a in attackers if (a.place, a.attack) == (place, attack)]
        model, globe, table = group[0].model, group[0].globe, scores[attack]
        truths = [set(member.against.truth) for member in group]
        names = [f"cell {n}" for n in range(table.cells)] if globe is None else cell_names(globe)
        cells = tuple(sorted(set.intersection(*truths)))
        first = min(member.first for member in group)
        if first and cells:
            called = () if globe is None else tuple(names[cell] for cell in cells)
            claims.append(Claim(place.label, model, cells, called, first, top is not None))
        anywhere, first = sorted(set.union(*truths)), max(first, 1)
        found = count_ahead(table, anywhere) < first
        totals = table.values.astype(np.float64).sum(axis=0)
        best = tuple(names[cell] for cell in np.argsort(-totals, kind="stable")[:GUESSES])
        guesses.append(CopyGuess(place.label, model, best, first, found))
        if not found and count_ahead(table, anywhere, strict=True) < first:
            ties.append(Condition(ConditionKind.TIES, place.label, model))
    return tuple(claims), tuple(guesses), ties


def _conditions(
    certificate: CopyCertificate, attackers: Sequence[_Attacker], *, own: bool
) -> Iterator[Condition]:
    """All that the promise rests on."""
    promise, posted = certificate.plan.plan.promise, {p.number for p in certificate.posted}
    if posted:
        yield Condition(ConditionKind.POSTED, count=len(posted))
    if promise.strict:
        yield Condition(ConditionKind.STRICT)
    if promise.budget is not None:
        yield Condition(ConditionKind.BUDGET, count=promise.budget)
    for kind, items in (
        (ConditionKind.PINNED, {*promise.keep} - posted),
        (ConditionKind.DROPPED, promise.drop),
        (ConditionKind.GROUPS, promise.groups),
        (ConditionKind.VALUES, promise.values or ()),
    ):
        if items:
            yield Condition(kind, count=len(items))
    everywhere = {(a.place, a.attack) for a in attackers if a.against.sees is None}
    alone = {
        (attacker.place, attacker.attack): attacker.files
        for attacker in attackers
        if attacker.files
        and attacker.against.prior is None
        and (attacker.against.each_photo or 0) >= attacker.first > 0
    }
    for attacker in attackers:
        against, label, model = attacker.against, attacker.place.label, attacker.model
        pair = (attacker.place, attacker.attack)
        if against.prior is not None:
            yield Condition(ConditionKind.PRIOR, label, model)
        if against.sees is not None:
            kind = ConditionKind.OWN_PHOTOS if pair in everywhere else ConditionKind.PART
            yield Condition(kind, label, model, attacker.files, len(certificate.files))
        if attacker.globe is None:
            yield Condition(ConditionKind.NO_MAP, label, model)
        elif not own and (town := _other_name(attacker.place)):
            yield Condition(ConditionKind.LABEL, label, detail=town)
        others = against.cells - len(against.truth)
        if against.rivals is not None and len(against.rivals) < others:
            yield Condition(ConditionKind.RIVALS, label, model, len(against.rivals), others)
        if against.margin:
            yield Condition(ConditionKind.MARGIN, label, model, against.margin)
        if against.lead:
            yield Condition(ConditionKind.LEAD, label, model, against.lead)
        if pair in alone:
            yield Condition(ConditionKind.EACH_PHOTO, label, model, alone[pair])
        else:
            yield Condition(ConditionKind.NOT_EACH_PHOTO, label, model)


def _other_name(place: HiddenPlace) -> str:
    """The town near a place, where the place is called by a name that does not mean it."""
    town = str(chief_town(place.lat, place.lon)[0])
    if place.label == town:
        return ""
    try:
        named = place_called(place.label)
    except PlaceError:
        return town
    return "" if between_km(place.lat, place.lon, named.lat, named.lon) <= NEAR_KM else town


def _public(
    problem: PlanProblem, attackers: Sequence[_Attacker], certificate: CopyCertificate
) -> CopyProblem:
    """A problem of the check without its numbers: how many rivals hold would tell the secret k."""
    kind = PUBLIC_KINDS.get(problem.kind)
    if kind is None or problem.attacker is None:
        return CopyProblem(CopyProblemKind.FALSE_PLAN, plan=problem.kind)
    attacker, photo = attackers[problem.attacker], ""
    if problem.photo is not None:
        photo = certificate.photos[certificate.plan.plan.kept[problem.photo]]
    return CopyProblem(
        kind,
        photo,
        place=attacker.place.label,
        model=attacker.model,
        whole=attacker.against.sees is None,
    )


def _file_problems(copy: Copy, files: Sequence[SharedFile]) -> Iterator[CopyProblem]:
    """What was added, is missing, was renamed, swapped or changed, or is no bare picture."""
    by_name = {file.name: file for file in files}
    by_digest = {file.sha256: file.name for file in files}
    there, moved = set(copy.names), set()
    for name in copy.names:
        shown, expected = printable(name), by_name.get(name)
        try:
            content = copy.read(name)
        except FileError as problem:
            added = expected is None
            kind = CopyProblemKind.ADDED_UNREADABLE if added else CopyProblemKind.UNREADABLE
            yield CopyProblem(kind, shown, detail=str(problem))
            continue
        digest = sha256(content).hexdigest()
        known = by_digest.get(digest, "")
        if expected is None:
            if known and known not in there:
                moved.add(known)
                yield CopyProblem(CopyProblemKind.RENAMED, shown, known)
            elif known:
                yield CopyProblem(CopyProblemKind.ADDED_TWICE, shown, known)
            else:
                yield CopyProblem(CopyProblemKind.ADDED, shown)
        elif digest != expected.sha256 or len(content) != expected.size:
            kind = CopyProblemKind.SWAPPED if known else CopyProblemKind.CHANGED
            yield CopyProblem(kind, shown, known)
        else:
            try:
                width, height = size_if_bare(content)
                if width * height > MAX_PIXELS:
                    yield CopyProblem(CopyProblemKind.TOO_LARGE, shown)
                else:
                    reject_trailing_data(content, (width, height))
            except NotJpegError as problem:
                yield CopyProblem(CopyProblemKind.NOT_BARE, shown, detail=str(problem))
    for name in by_name:
        if name not in there and name not in moved:
            yield CopyProblem(CopyProblemKind.MISSING, name)

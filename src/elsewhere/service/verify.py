"""A copy held against its certificate, as a stranger would: from its bytes, without the solver.

The files are compared by name and digest, proved to be bare pictures, scored again, and the
promise's inequalities checked on the new scores. Another processor may differ in the last bits of
a score: that is a note as long as the inequalities hold. An export is proved by this very code.

Whatever a certificate adds to the files (rows of photos that are not here, a prior, a part of the
photos) is a condition that is named first, beside what the models guess from the files alone. Of a
certificate that is not one's own the files alone must keep the promise too. So a stranger can make
`verify` say less, never more.

That no plan is better can be checked only from the scores of all photos, the withheld ones
included, which whoever made the copy has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import cast

import numpy as np

from elsewhere.album import Recipe, Step
from elsewhere.album.copies import Copy, open_copy
from elsewhere.album.decode import MAX_PIXELS
from elsewhere.album.places import AlbumPlace
from elsewhere.album.renditions import (
    NotJpegError,
    Spool,
    accept_rendition,
    reject_trailing_data,
    size_if_bare,
)
from elsewhere.checker.optimality import prove_optimal
from elsewhere.checker.proof import find_exempt, prove_kept
from elsewhere.errors import (
    CheckError,
    ElsewhereError,
    FileError,
    InputError,
    ScorerError,
)
from elsewhere.formats.copy_certificate import (
    CertifiedAttacks,
    CopyCertificate,
    Model,
    SharedFile,
)
from elsewhere.platform.machine import worker_count
from elsewhere.scorers import Photo, Row, Scorer, ScorerInfo, each, find
from elsewhere.scorers.protocol import FeatureScorer, check_row
from elsewhere.scorers.tower import forget_features
from elsewhere.service.attacks import MAX_ANYWHERE_KM, find_hits
from elsewhere.service.copy_claims import (
    CopyAttacker,
    claims_and_guesses,
    find_attackers,
    find_conditions,
)
from elsewhere.service.photo_texts import (
    TextReader,
    known_scripts,
    read_each,
    telling_text,
)
from elsewhere.service.private_files import (
    CERTIFICATE,
    find_certificate,
    private_folder,
    read_private,
)
from elsewhere.service.scored_album import model_name
from elsewhere.service.scores import prove_plan
from elsewhere.text.evidence import RULE_KM
from elsewhere.values.photo_text import PhotoText
from elsewhere.values.plan import Plan
from elsewhere.values.problems import Attack, PlanProblem, ProblemKind
from elsewhere.values.proof import Proof
from elsewhere.values.scores import Scores
from elsewhere.values.verification import (
    CopyNote,
    CopyNoteKind,
    CopyProblem,
    CopyProblemKind,
    TriedAttacks,
    Verification,
)
from elsewhere.values.wishes import CITY_KM, HideScope
from elsewhere.values.wording import printable

EMBEDDED = ("embedded", "embedded:512")
"""The scorer that comes along."""
LOOKED_UP = "table:"
"""How the name of a scorer begins that looks scores up by a photo's name."""
MAX_FEATURE = float(np.finfo(np.float32).max)
PUBLIC_KINDS = {
    ProblemKind.TOO_FEW: CopyProblemKind.TOO_FEW,
    ProblemKind.OTHER_COUNT: CopyProblemKind.OTHER_RIVALS,
    ProblemKind.FALSE_RIVAL: CopyProblemKind.OTHER_RIVALS,
    ProblemKind.MISSING_RIVAL: CopyProblemKind.OTHER_RIVALS,
    ProblemKind.RIVAL_ORDER: CopyProblemKind.OTHER_RIVALS,
    ProblemKind.SLACK: CopyProblemKind.OTHER_RIVALS,
    ProblemKind.RIVALS_NEAR: CopyProblemKind.OTHER_RIVALS,
    ProblemKind.ALONE: CopyProblemKind.ALONE,
    ProblemKind.CIRCLES: CopyProblemKind.TOO_FEW,
    ProblemKind.CIRCLE_SUMS: CopyProblemKind.TOO_FEW,
    ProblemKind.CIRCLES_ALONE: CopyProblemKind.ALONE,
}
"""What strangers are told of a problem of the check; any other is about the plan's own words."""


def verify_copy(
    target: Path,
    certificate: Path | None = None,
    *,
    private: Path | None = None,
    scorers: Sequence[str] = (),
    own: bool = True,
    scores: Sequence[Scores] = (),
    proof: Proof | None = None,
    read_text: bool = False,
    progress: Callable[[Step], None] = lambda step: None,
) -> Verification:
    """Prove again that the copy at `target` keeps the promise of its certificate.

    Without `certificate`, the one in the target's private folder (below `private`, where the
    export was told so), or the one that names its files. `scorers` are tried before those that the
    certificate names, for a model that has moved since. A certificate that is not one's `own` may
    not name files to open or models to fetch, and its promise must hold by the files alone. A
    certificate that cannot be read, or was changed, is an error; a copy that does not keep it is a
    verdict.

    With the `scores` of all photos of the plan, one for each model, it is also checked that no
    plan is better, by a `proof` or by one made here. With `read_text` the text on the files is
    read, and names near what is hidden are noted; no promise is about them.
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
    if certificate is None and not given.exists():
        raise _uncertified(copy, given)
    known = read_private(given)
    found = prove_copy(copy, known, scorers, progress, own=own, read_text=read_text)
    if found and (scores or proof is not None):
        found = _with_optimality(found, known.plan.plan, scores, proof)
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
    read_text: bool = False,
) -> Verification:
    """Everything that the certificate says of a copy, held against the copy."""
    count, models = len(certificate.files), certificate.models
    problems = [*_file_problems(copy, certificate.files)]
    if problems:  # what is not ours is never decoded
        return Verification(tuple(problems), files=count)
    loaded = [_find_scorer(model, scorers, own) for model in models]
    infos = [scorer.load() for scorer in loaded]
    attackers = find_attackers(certificate, infos)
    for attacker in attackers:
        if not attacker.in_place:
            circles = attacker.against.circles is not None
            kind = CopyProblemKind.OTHER_PLACES if circles else CopyProblemKind.OTHER_CELLS
            problems.append(CopyProblem(kind, place=attacker.hidden_name, model=attacker.model))
    if not problems:
        try:
            scores = rescore(copy, certificate, loaded, progress)
            kept, other = with_posted(certificate, scores, loaded)
        except CheckError as problem:
            problems = [CopyProblem(CopyProblemKind.NOT_SCORED, detail=str(problem))]
    if problems:
        return Verification(tuple(dict.fromkeys(problems)), files=count)
    rows = [kept[watch.attack] for watch in certificate.watches]
    # versions and texts may make photos count less in a plan than their bytes show
    lowered = certificate.plan.plan.promise.versions is not None or bool(certificate.texts)
    unchanged = not (other or lowered)
    verdict = prove_kept(certificate.plan.plan, rows, unchanged=unchanged)
    problems = [_public(problem, attackers, certificate) for problem in verdict.problems]
    if problems and any(problem.plan is not None for problem in problems):
        return Verification(tuple(dict.fromkeys(problems)), files=count)
    claims, guesses, ties = claims_and_guesses(
        attackers, scores, certificate.top, proved=not own and bool(certificate.posted)
    )
    if not own:
        promised = {(claim.place, claim.model, claim.radius_km) for claim in claims}
        problems += [
            CopyProblem(
                CopyProblemKind.GIVEN_AWAY,
                place=guess.place,
                model=guess.model,
                first=guess.first,
                radius_km=guess.radius_km,
            )
            for guess in guesses
            if guess.found and (guess.place, guess.model, guess.radius_km) in promised
        ]
        if not claims:
            problems.append(CopyProblem(CopyProblemKind.NOTHING_PROMISED))
    if problems:
        return Verification(tuple(dict.fromkeys(problems)), guesses=guesses, files=count)
    notes = [CopyNote(CopyNoteKind.OTHER_BITS, name) for name in other]
    notes += [
        CopyNote(CopyNoteKind.LOOKED_UP, i.name) for i in infos if i.name.startswith(LOOKED_UP)
    ]
    tried = tuple(certified_attacks(certificate, infos, kept))
    attacks = tuple(
        TriedAttacks(model_name(infos[t.attack].name), t.radius_km, t.places, t.tried, t.hits)
        for t in tried
    )
    notes += [CopyNote(CopyNoteKind.FOUND, t.model, t) for t in attacks if t.hits]
    if certificate.tried not in (None, tried):
        names = dict.fromkeys(t.model for t in attacks)
        notes += [CopyNote(CopyNoteKind.OTHER_HITS, name) for name in names]
    if read_text:
        try:
            notes += _text_notes(copy, certificate, attackers, progress)
        except CheckError as problem:
            problems = [CopyProblem(CopyProblemKind.NOT_SCORED, detail=str(problem))]
            return Verification(tuple(problems), files=count)
    exempt = find_exempt(certificate.plan.plan, rows)
    conditions = [*find_conditions(certificate, attackers, exempt, own=own), *ties]
    return Verification(
        notes=tuple(notes),
        conditions=tuple(dict.fromkeys(conditions)),
        claims=claims,
        guesses=guesses,
        attacks=attacks,
        files=count,
        reproved=len(attackers),
    )


def _with_optimality(
    found: Verification, plan: Plan, scores: Sequence[Scores], proof: Proof | None
) -> Verification:
    """The same, and whether no plan is better than this one; it holds."""
    tables = {table.digest: table for table in scores}
    wanted = [against.scores for against in plan.promise.against]
    if not set(wanted) <= set(tables):
        raise InputError(
            "the score files are not those that the plan was made from: give one for each model, "
            "of all photos of the album"
        )
    rows = [tables[digest] for digest in wanted]
    places = any(against.circles is not None for against in plan.promise.against)
    if places and any(table.points is None for table in rows):
        raise InputError("the score files do not say where their cells lie: save them with score")
    if proof is None:
        return replace(found, none_better=prove_plan(plan, rows) is not None, plan=plan)
    wrong = [
        CopyProblem(CopyProblemKind.FALSE_PLAN, plan=problem.kind)
        for problem in prove_optimal(plan, proof, rows)
    ]
    if wrong:
        return Verification(tuple(dict.fromkeys(wrong)), files=found.files, none_better=False)
    return replace(found, none_better=True, plan=plan)


def _text_notes(
    copy: Copy,
    certificate: CopyCertificate,
    attackers: Sequence[CopyAttacker],
    progress: Callable[[Step], None],
) -> list[CopyNote]:
    """Which files name a place in or near what is hidden, or that what was read names none.

    The rule is the export's. It is about every hidden position, the points of whole regions and
    countries included; the export knows which are photos, and asks for names near those.
    """
    hidden: dict[tuple[AlbumPlace, HideScope], None] = {}
    certain = True
    for watch, attacker in zip(certificate.watches, attackers, strict=True):
        place, circles = attacker.place, attacker.against.circles
        positions = ((place.lat, place.lon),) if circles is None else circles.positions
        width = HideScope(max(CITY_KM, watch.radius_km))
        for area in attacker.areas or (None,):
            known = AlbumPlace(place.label, place.lat, place.lon, (), positions, area=area)
            hidden[known, width] = None
        # cells without a radius may be those of a country
        certain &= circles is not None or watch.radius_km > 0
    spool, notes, unread = Spool(), [], 0

    def read(reader: TextReader, file: SharedFile) -> PhotoText:
        rendition = accept_rendition(_unchanged(copy, file), Recipe(max_side=None), spool)
        text = reader.read(file.name, rendition)
        rendition.forget()
        return text

    for text in read_each(read, certificate.files, worker_count(), progress=progress):
        telling = (telling_text(text, [place], width) for place, width in hidden)
        line = next((lines[0] for lines in telling if lines), None)
        if line is not None:
            kind = CopyNoteKind.TELLING_TEXT
            notes.append(CopyNote(kind, text.photo, clue=line[1], km=RULE_KM))
        elif text.failed or text.more:
            notes.append(CopyNote(CopyNoteKind.TEXT_NOT_READ, text.photo))
        unread += text.unread
    none = CopyNoteKind.NO_TELLING_TEXT if certain else CopyNoteKind.NO_TEXT_NEAR
    return notes or [CopyNote(none, ", ".join(known_scripts()), km=RULE_KM, unread=unread)]


def _unchanged(copy: Copy, file: SharedFile) -> bytes:
    """The bytes of a file, which are still those of the certificate."""
    content = copy.read(file.name)
    if sha256(content).hexdigest() != file.sha256:
        raise CheckError(f"{file.name} changed while it was checked: verify it again")
    return content


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
            yield Photo(file.photo, copy.path / file.name, _unchanged(copy, file))

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
        about = scorer.load()
        names = [file.photo for file in files]
        result.append(Scores(rows, names, scorer=model.fingerprint, points=about.points))
    return result


def with_posted(
    certificate: CopyCertificate, scores: Sequence[Scores], scorers: Sequence[Scorer]
) -> tuple[list[Scores], list[str]]:
    """Each model's rows of all kept photos in the plan's order; models whose rows are other ones.

    What is kept but not in the copy is out already; its rows, or the features that they are made
    from, are in the certificate.
    """
    files, posted = certificate.files, certificate.posted
    numbers = [file.number for file in files] + [photo.number for photo in posted]
    order = {number: row for row, number in enumerate(numbers)}
    places = [order[number] for number in certificate.plan.plan.kept]
    tables, other = [], []
    for number, (own, scorer) in enumerate(zip(scores, scorers, strict=True)):
        known, made = [], []
        for photo in posted:
            seen = photo.features[number] if photo.features else ()
            if seen:
                made.append(_row_of(scorer, seen, certificate.photos[photo.number]))
            known.append(made[-1] if seen else np.array(photo.rows[number]))
        rows = np.concatenate([own.values, np.array(known).reshape(-1, own.cells)])
        tables.append(Scores(rows[places], scorer=own.scorer, points=own.points))
        certified = own if not made else Scores(np.concatenate([own.values, made]))
        model = certificate.models[number]
        if certified.digest != model.rows:
            other.append(model.name)
    return tables, other


def _row_of(scorer: Scorer, features: Sequence[float], photo: str) -> Row:
    """The row that a scorer makes of a posted photo's features; CheckError where it cannot."""
    about = scorer.load()
    known = about.features is not None and about.features.width == len(features)
    if not known or max(map(abs, features)) > MAX_FEATURE:
        raise CheckError(
            f"the features of {photo} in the certificate are not those of {about.name}"
        )
    try:
        row = cast(FeatureScorer, scorer).row(np.array(features, dtype=np.float32))
        return check_row(row, about.cells, about.name, photo)
    except ElsewhereError as problem:
        raise CheckError(f"{photo} cannot be scored again: {problem}") from None


def certified_attacks(
    certificate: CopyCertificate, infos: Sequence[ScorerInfo], tables: Sequence[Scores]
) -> Iterator[CertifiedAttacks]:
    """The attacks that no promise is about, tried on each model's rows of all kept photos."""
    promise, views = certificate.plan.plan.promise, certificate.plan.plan.views
    done = set()
    for watch, against, view in zip(certificate.watches, promise.against, views, strict=True):
        circles = against.circles
        key = circles and (watch.attack, circles.positions, circles.radius_km, against.rivals)
        if circles is None or circles.radius_km > MAX_ANYWHERE_KM or key in done:
            continue
        done.add(key)
        asked = view.protected_k if certificate.top is None else certificate.top
        places = max(asked, 1)
        rows = tables[watch.attack].values
        hits = find_hits(infos[watch.attack], rows, circles, places, against.rivals)
        yield CertifiedAttacks(watch.attack, circles.radius_km, places, tuple(Attack), hits)


def _find_scorer(model: Model, specs: Sequence[str], own: bool) -> Scorer:
    """The scorer with the model's fingerprint, loaded; one sentence where there is none.

    A promise against one model says nothing about another, however alike their names are. Of a
    certificate that is not one's `own`, nothing is opened or fetched that it names.
    """
    why = "what is there now is another version of it"
    named = own or model.word in EMBEDDED
    if not named and not specs:
        why = f"if you trust it, name it with --scorer (the certificate says {model.word})"
    # a certificate of earlier versions says embedded and means the head on 512 cells
    words = (model.word, *EMBEDDED) if model.word in EMBEDDED else (model.word,)
    for spec in dict.fromkeys((*specs, *words * named)):
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


def _public(
    problem: PlanProblem, attackers: Sequence[CopyAttacker], certificate: CopyCertificate
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
        place=attacker.hidden_name,
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
        except FileError as error:
            added = expected is None
            kind = CopyProblemKind.ADDED_UNREADABLE if added else CopyProblemKind.UNREADABLE
            yield CopyProblem(kind, shown, detail=str(error))
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
        elif problem := bare_problem(name, content):
            yield problem
    for name in by_name:
        if name not in there and name not in moved:
            yield CopyProblem(CopyProblemKind.MISSING, name)


def bare_problem(name: str, content: bytes) -> CopyProblem | None:
    """What a file of a copy holds beside a picture; None where it holds nothing else."""
    shown = printable(name)
    try:
        width, height = size_if_bare(content)
        if width * height > MAX_PIXELS:
            return CopyProblem(CopyProblemKind.TOO_LARGE, shown)
        reject_trailing_data(content, (width, height))
    except NotJpegError as problem:
        return CopyProblem(CopyProblemKind.NOT_BARE, shown, detail=str(problem))
    return None


def _uncertified(copy: Copy, certificate: Path) -> FileError:
    """That a copy has no certificate, so that nothing is promised, and what its files hold."""
    problems = [problem for name in copy.names if (problem := bare_problem(name, copy.read(name)))]
    count = len(copy.names)
    files = f"{'its file is a' if count == 1 else f'all {count} files are'} bare picture"
    files += f"{'' if count == 1 else 's'} without metadata"
    if problems:
        files = f"{len(problems)} of {count} files hold more than a picture"
    return FileError(
        f"there is no certificate at {certificate}: nothing is promised about where the photos in "
        f"{copy.path} were taken ({files}); give a copy that protect wrote, or name its "
        "certificate with --certificate"
    )

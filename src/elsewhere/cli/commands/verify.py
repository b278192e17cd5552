"""`elsewhere verify`: check that a copy keeps its certificate's promise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from elsewhere.cli import options
from elsewhere.cli.program import ERROR, KEPT
from elsewhere.values.wording import printable

if TYPE_CHECKING:
    from elsewhere.values.verification import Verification


_TARGET = typer.Argument(metavar="TARGET", help="The folder or .zip that protect wrote.")
_CERTIFICATE = typer.Option(
    metavar="FILE",
    help="The copy's certificate. By default, verify looks in --private for one that matches the "
    "copy's path or files.",
)
_PRIVATE = typer.Option(
    metavar="DIR",
    help="The folder given to protect with --private.",
    show_default="your data directory",
)
_SCORER = typer.Option(
    metavar="SCORER",
    help="A scorer to try before those of the certificate, such as onnx:MODEL.onnx. Use it "
    "if a model has moved, or if the certificate is not yours: then only the embedded model is "
    "loaded by default. Repeatable.",
)


_SCORES = typer.Option(
    metavar="FILE",
    help="The scores of all photos of the album, as score saves them, for each model: with them it "
    "is also checked that no plan is better. Repeatable.",
)
_PROOF = typer.Option(
    metavar="FILE",
    help="A proof that no plan is better, to check instead of one made here.",
)


def command(  # noqa: PLR0917 - Typer makes options of them; nobody calls it by position
    target: Annotated[Path, _TARGET],
    certificate: Annotated[Path | None, _CERTIFICATE] = None,
    private: Annotated[Path | None, _PRIVATE] = None,
    scorer: Annotated[list[str] | None, _SCORER] = None,
    scores: Annotated[list[Path] | None, _SCORES] = None,
    proof: Annotated[Path | None, _PROOF] = None,
    text: Annotated[bool, options.TEXT] = True,
    as_json: Annotated[bool, options.JSON] = False,
) -> int:
    """Check from its bytes, without the solver, that a copy keeps its promise.

    Each file must match the certificate and contain nothing but a picture. Then the files are
    scored again, and the promise is checked on the new scores. That no plan is better is checked
    only with --scores, by a proof. Readable names near what is hidden are reported; the promise is
    not about them.

    Examples:

    - `elsewhere verify ~/Pictures/trip-to-share`
      (a copy that protect wrote)
    - `elsewhere verify trip.zip --certificate backup/certificate.json`
      (with a certificate from another folder)
    - `elsewhere verify trip.zip --scores trip.npz`
      (check too that no plan is better)

    Exit codes: 0 the promise is kept, 1 it is not kept or a file cannot be read, 2 invalid usage.
    """
    from elsewhere.cli.plan_options import read_proof
    from elsewhere.cli.render.progress import stages
    from elsewhere.service import is_own, read_scores, verify_copy

    with stages() as progress:
        result = verify_copy(
            target,
            certificate,
            private=private,
            scorers=tuple(scorer or ()),
            own=certificate is None or is_own(certificate, private),
            scores=[read_scores(file) for file in scores or ()],
            proof=None if proof is None else read_proof(proof),
            read_text=text,
            progress=progress,
        )
    if as_json:
        _print_json(result)
    else:
        _show(target, result)
    return KEPT if result else ERROR


def _show(target: Path, result: Verification) -> None:
    from rich.text import Text

    from elsewhere.cli.render.printing import printed
    from elsewhere.messages import verification as texts
    from elsewhere.values.promise import NOT_COVERED

    with printed() as console:
        color = "green" if result else "red"
        console.print(Text(printable(texts.headline(result, str(target))), f"bold {color}"))
        for problem in result.problems:
            console.print(Text(f"- {printable(texts.problem_text(problem))}"))
        for claim in result.claims:
            console.print(Text(f"- {printable(texts.claim_text(claim))}"))
        for guess in result.guesses:
            style = "bold red" if guess.found else "dim"
            console.print(Text(printable(texts.guess_text(guess)), style))
        for tried in result.attacks:
            console.print(Text(printable(texts.attacks_text(tried)), "dim"))
        if result:
            console.print(Text(texts.checked_text(result)))
            conditions = printable(texts.conditions_text(result))
            console.print(Text(f"conditions: {conditions}", "dim"))
            console.print(Text(f"not covered: better models, {NOT_COVERED}", "dim"))
        for note in result.notes:
            console.print(Text(f"note: {printable(texts.note_text(note))}", "dim"))


def _print_json(result: Verification) -> None:
    from elsewhere.cli.render.printing import print_json
    from elsewhere.messages import verification as texts

    print_json(
        {
            "kept": bool(result),
            "none_better": bool(result.none_better),
            "promised": [texts.claim_text(claim) for claim in result.claims],
            "problems": [texts.problem_text(problem) for problem in result.problems],
            "notes": [texts.note_text(note) for note in result.notes],
            "conditions": [texts.condition_text(condition) for condition in result.conditions],
            "guesses": [texts.guess_text(guess) for guess in result.guesses],
            "attacks": [texts.attacks_text(tried) for tried in result.attacks],
            "files": result.files,
            "views": result.reproved,
        }
    )

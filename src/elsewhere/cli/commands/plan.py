"""`elsewhere plan`: which photos to withhold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elsewhere.cli import options
from elsewhere.cli.plan_options import guard, refuse_foreign, save
from elsewhere.cli.program import CODES

if TYPE_CHECKING:
    from elsewhere.cli.parse import HiddenCells
    from elsewhere.values.plan import Plan
    from elsewhere.values.scores import Scores

_WISHES = "Wishes"
_LIMITS = "Limits"
_FILES = "Output"

_SCORES = typer.Argument(
    metavar="SCORES", help="Score files (.npz, .csv or .parquet), one for each attacker."
)
_TRUTH = typer.Option(
    metavar="PLACE|CELLS",
    help="What to hide: a place, such as Lisbon or 38.72,-9.14, if the score file has the default "
    "cells; otherwise cells, such as 17 or 17,18,20-25. Repeat it for each attacker if their cells "
    "differ.",
)
_TOP = typer.Option(
    metavar="K",
    help="Keep the truth out of the first K guesses and withhold as little as possible. "
    "Give it once, or once for each attacker. Either this or --budget is required.",
)
_RADIUS = typer.Option(
    metavar="KM",
    help="Radius around a --truth that is a town or a coordinate, in kilometres.",
    show_default="25",
)
_BUDGET = typer.Option(
    metavar="PHOTOS",
    help="Instead of --top: withhold at most this many photos, and push the truth as "
    "far down the list of guesses as possible.",
)
_KEEP = typer.Option(metavar="PHOTO", help="A photo that must stay, by name or number. Repeatable.")
_DROP = typer.Option(metavar="PHOTO", help="A photo that must go, by name or number. Repeatable.")
_GROUP = typer.Option(metavar="PHOTOS", help="Photos that stay or go together: A,B,C.")
_VALUES = typer.Option(
    metavar="FILE",
    help="What withholding each photo costs: a file with a number per line, or lines "
    "such as beach.jpg,2.5 (others cost 1).",
)
_MARGIN = typer.Option(
    metavar="NATS",
    help="Each kept photo counts this many nats (natural-log units) more for the truth.",
)
_LEAD = typer.Option(
    metavar="NATS",
    help="A rival counts only if it is ahead of the truth by this many nats in total.",
)
_PRIOR = typer.Option(
    metavar="FILE",
    help="What the attacker knows beforehand: a file with one natural-log probability per cell.",
)
_RIVALS = typer.Option(metavar="CELLS", help="Only these cells count as rivals: 3,4,10-20.")
_EACH_PHOTO = typer.Option(
    metavar="K", help="Each kept photo, seen alone, must keep the truth out of its first K guesses."
)
_STRICT = typer.Option("--strict", help="A rival that only ties with the truth does not count.")
_NEAR = typer.Option(
    metavar="FILE", help="Among the best plans, choose the one nearest to this earlier plan (JSON)."
)
_JSON = typer.Option("--json", help="Print the plan as JSON.")
_OUTPUT = typer.Option(
    "--output",
    "-o",
    metavar="FILE",
    help="Save the plan as JSON; an earlier plan of that name is replaced.",
)
_CERTIFICATE = typer.Option(
    metavar="FILE",
    help="Save a certificate: the promise, the plan and the proven bound; an earlier "
    "one of that name is replaced.",
)
_PROOF = typer.Option(
    metavar="FILE",
    help="Save a proof that no plan is better, for elsewhere check and tools/check_proof.py; "
    "packed if the name ends in .gz. An earlier proof of that name is replaced.",
)


def command(  # noqa: PLR0917 - Typer makes options of them; nobody calls it by position
    scores: Annotated[list[Path], _SCORES],
    truth: Annotated[list[str], _TRUTH],
    top: Annotated[list[int] | None, _TOP] = None,
    radius: Annotated[float | None, _RADIUS] = None,
    budget: Annotated[int | None, _BUDGET] = None,
    keep: Annotated[list[str] | None, options.under(_WISHES, _KEEP)] = None,
    drop: Annotated[list[str] | None, options.under(_WISHES, _DROP)] = None,
    group: Annotated[list[str] | None, options.under(_WISHES, _GROUP)] = None,
    values: Annotated[Path | None, options.under(_WISHES, _VALUES)] = None,
    margin: Annotated[list[float] | None, options.under(_WISHES, _MARGIN)] = None,
    lead: Annotated[list[float] | None, options.under(_WISHES, _LEAD)] = None,
    prior: Annotated[list[Path] | None, options.under(_WISHES, _PRIOR)] = None,
    rivals: Annotated[list[str] | None, options.under(_WISHES, _RIVALS)] = None,
    each_photo: Annotated[int | None, options.under(_WISHES, _EACH_PHOTO)] = None,
    strict: Annotated[bool, options.under(_WISHES, _STRICT)] = False,
    near: Annotated[Path | None, options.under(_WISHES, _NEAR)] = None,
    time_limit: Annotated[float | None, options.under(_LIMITS, options.TIME_LIMIT)] = None,
    work_limit: Annotated[int | None, options.under(_LIMITS, options.WORK_LIMIT)] = None,
    as_json: Annotated[bool, options.under(_FILES, _JSON)] = False,
    output: Annotated[Path | None, options.under(_FILES, _OUTPUT)] = None,
    certificate: Annotated[Path | None, options.under(_FILES, _CERTIFICATE)] = None,
    proof: Annotated[Path | None, options.under(_FILES, _PROOF)] = None,
) -> int:
    """Find the fewest photos to withhold so that a place is not among the first guesses.

    Score files come from `elsewhere score` or from any model: a row for each photo, with a
    natural-log probability for each cell (docs/files.md). The truth is the place to hide; a rival
    is any cell outside it.

    Examples:

    - `elsewhere plan album.npz --truth Lisbon --top 5`
      (fewest withheld, Lisbon not in the top 5)
    - `elsewhere plan album.npz --truth 17 --top 5`
      (the same for cell 17, if the cells have no names)
    - `elsewhere plan album.npz --truth 17,18,40-44 --top 5 --keep wedding.jpg`
      (hide a zone, and always keep one photo)
    - `elsewhere plan album.npz --truth 17 --budget 4`
      (at most 4 withheld, cell 17 as far down as possible)
    - `elsewhere plan a.npz b.npz --truth 17 --truth 3,4 --top 5 -o plan.json`
      (two attackers with different cells; save the plan)

    Exit codes: 0 the promise is kept, 1 an error, 2 invalid usage,
    3 no plan can keep the promise, 4 stopped with neither a plan nor a proof.
    """
    given = {name: value for name, value in locals().items() if value is not None}
    inputs = [*scores, *(prior or ()), values, near]
    guard({"-o": output, "--certificate": certificate, "--proof": proof}, inputs)
    for file in (output, certificate):
        refuse_foreign(file)
    refuse_foreign(proof, proof=True)
    tables, plan, truths = _plan(given)
    names = tables[0].ids
    if output is not None or as_json:
        from elsewhere.service import plan_to_json

        document = plan_to_json(plan, names)
        if output is not None:
            save(output, document)
        if as_json:
            typer.echo(document, nl=False)
    if not as_json:
        from elsewhere.cli.render.plan import show_plan

        show_plan(plan, tables, scores, truths)
    if certificate is not None and plan.found:
        from elsewhere.service import certify

        save(certificate, certify(plan, tables))
    elif certificate is not None:
        typer.echo(f"elsewhere: no certificate, because the plan is {plan.status}", err=True)
    if proof is not None:
        _save_proof(proof, plan, tables)
    return CODES[plan.status]


def _save_proof(file: Path, plan: Plan, tables: list[Scores]) -> None:
    """Write the proof that no plan is better, or say why there is none."""
    import elsewhere
    from elsewhere.cli.plan_options import save_proof

    save_proof(file, elsewhere.prove(plan, tables if plan.several else tables[0]), plan.status)


def _plan(given: dict[str, Any]) -> tuple[list[Scores], Plan, list[HiddenCells]]:
    """Read the files, and plan."""
    import elsewhere
    from elsewhere.cli.parse import parse_truths
    from elsewhere.cli.plan_options import read_wishes
    from elsewhere.errors import InputError
    from elsewhere.service import read_scores

    if ("top" in given) == ("budget" in given):
        raise InputError(
            "give either --top K (withhold the fewest) or --budget PHOTOS (push the truth down "
            "furthest)"
        )
    tables = [read_scores(file) for file in given["scores"]]
    wishes = read_wishes(given, tables)
    truths = parse_truths(given["truth"], tables, given["scores"], given.get("radius"))
    truth = [set(hidden.cells) for hidden in truths]
    try:
        plan = elsewhere.protect(
            tables if len(tables) > 1 else tables[0],
            truth if len(tables) > 1 else truth[0],
            **wishes,
        )
    except InputError as error:
        if not error.argument:
            raise
        raise InputError(error.problem, f"--{error.argument.replace('_', '-')}") from None
    return tables, plan, truths

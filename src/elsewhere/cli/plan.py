"""`elsewhere plan`: which photos to withhold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elsewhere.cli.program import INFEASIBLE, KEPT, UNKNOWN, one_sentence

if TYPE_CHECKING:
    from elsewhere.protect.plan import Plan
    from elsewhere.scores import Scores

_EXIT = {"optimal": KEPT, "feasible": KEPT, "infeasible": INFEASIBLE, "unknown": UNKNOWN}
_WISHES = "Wishes"
_LIMITS = "Limits"
_OUTPUT = "Output"


def command(  # noqa: PLR0917 - Typer makes options of them; nobody calls it by position
    scores: Annotated[
        list[Path],
        typer.Argument(
            metavar="SCORES",
            help="Score files (.npz, .csv or .parquet), one for each attacker.",
            show_default=False,
        ),
    ],
    truth: Annotated[
        list[str],
        typer.Option(
            metavar="CELLS",
            help="The cell to hide, or a zone: 17 or 17,18,20-25. Repeat it, once for each "
            "attacker, where their cells differ.",
        ),
    ],
    top: Annotated[
        list[int] | None,
        typer.Option(
            metavar="K",
            help="Keep the truth out of the top k, withholding as little as can be. One number, "
            "or one for each attacker.",
        ),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(
            metavar="PHOTOS",
            help="Withhold at most this many photos, and push the truth down furthest.",
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PHOTO",
            help="A photo that must stay, by name or number.",
            rich_help_panel=_WISHES,
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PHOTO",
            help="A photo that must go, by name or number.",
            rich_help_panel=_WISHES,
        ),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PHOTOS",
            help="Photos that stay or go together: A,B,C.",
            rich_help_panel=_WISHES,
        ),
    ] = None,
    values: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What withholding each photo costs: a file with a number per line, or lines "
            "such as beach.jpg,2.5 (others cost 1).",
            rich_help_panel=_WISHES,
        ),
    ] = None,
    margin: Annotated[
        list[float] | None,
        typer.Option(
            metavar="NATS",
            help="Each kept photo counts this much (nats) more for the truth.",
            rich_help_panel=_WISHES,
        ),
    ] = None,
    lead: Annotated[
        list[float] | None,
        typer.Option(
            metavar="NATS",
            help="A rival must be ahead by this much (nats) in total.",
            rich_help_panel=_WISHES,
        ),
    ] = None,
    prior: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="What the attacker knows beforehand: a file with one log-probability per cell.",
            rich_help_panel=_WISHES,
        ),
    ] = None,
    rivals: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CELLS",
            help="Only these cells count as rivals: 3,4,10-20.",
            rich_help_panel=_WISHES,
        ),
    ] = None,
    each_photo: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            help="Each kept photo alone must keep the truth out of this top, too.",
            rich_help_panel=_WISHES,
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Ties count against us.", rich_help_panel=_WISHES),
    ] = False,
    near: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Of the best plans, the one nearest to this earlier one (JSON).",
            rich_help_panel=_WISHES,
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", help="Stop after so many seconds.", rich_help_panel=_LIMITS
        ),
    ] = None,
    work_limit: Annotated[
        int | None,
        typer.Option(
            metavar="WORK",
            help="Stop after so much work: a count, the same on every machine.",
            rich_help_panel=_LIMITS,
        ),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the plan as JSON.", rich_help_panel=_OUTPUT),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Save the plan as JSON.", rich_help_panel=_OUTPUT
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Save a certificate: the promise, the plan and the proof's bound.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
) -> None:
    """Find the fewest photos to withhold so that the truth is not in an attacker's top k.

    Examples:

    - `elsewhere plan album.npz --truth 17 --top 5`:
      fewest withheld, cell 17 not in the top 5

    - `elsewhere plan album.npz --truth 17,18,40-44 --top 5 --keep wedding.jpg`:
      hide a whole zone, and keep one photo whatever happens

    - `elsewhere plan album.npz --truth 17 --budget 4`:
      at most 4 withheld, cell 17 as far down as can be

    - `elsewhere plan a.npz b.npz --truth 17 --truth 3,4 --top 5 -o plan.json`:
      two attackers with cells of their own; save the plan

    Exit codes: 0 the promise is kept, 1 an error, 2 a command line that cannot be understood,
    3 no plan can keep the promise, 4 stopped before a plan or a proof was found.
    """
    given = {name: value for name, value in locals().items() if value is not None}
    with one_sentence():
        tables, plan = _plan(given)
        names = tables[0].ids
        if output is not None or as_json:
            from elsewhere.protect.plan_json import plan_to_json

            document = plan_to_json(plan, names)
            if output is not None:
                _save(output, document)
            if as_json:
                typer.echo(document, nl=False)
        if not as_json:
            from elsewhere.cli.show import show_plan

            show_plan(plan, tables, scores)
        if certificate is not None:
            _certify(certificate, plan, tables)
    raise typer.Exit(_EXIT[plan.status])


def _plan(given: dict[str, Any]) -> tuple[list[Scores], Plan]:
    """Read the files, ask the engine."""
    import elsewhere
    from elsewhere.cli.arguments import cells, one_or_each, photo, read_prior, read_values
    from elsewhere.errors import InputError
    from elsewhere.score_files import read_scores

    tables = [read_scores(file) for file in given["scores"]]
    first = tables[0]
    for option in ("truth", "top", "margin", "lead", "prior", "rivals"):
        many = len(given.get(option, ()))
        if many > 1 and many != len(tables):
            raise InputError(
                f"--{option} is given {many} times for {len(tables)} attackers: give it once, or "
                "once for each score file"
            )
    wishes: dict[str, Any] = {
        name: given[name]
        for name in ("budget", "each_photo", "strict", "time_limit", "work_limit")
        if name in given
    }
    for name in ("top", "margin", "lead"):
        if name in given:
            wishes[name] = one_or_each(given[name])
    if "prior" in given:
        wishes["prior"] = one_or_each([read_prior(file) for file in given["prior"]])
    if "rivals" in given:
        wishes["rivals"] = one_or_each([cells(text, "--rivals") for text in given["rivals"]])
    for name in ("keep", "drop"):
        wishes[name] = [photo(text, first) for text in given.get(name, ())]
    wishes["groups"] = [
        [photo(name.strip(), first) for name in text.split(",")] for text in given.get("group", ())
    ]
    if "values" in given:
        wishes["values"] = read_values(given["values"], first)
    if "near" in given:
        from elsewhere.cli.saved import read_plan

        wishes["near"] = read_plan(given["near"])
    truth = one_or_each([set(cells(text, "--truth")) for text in given["truth"]])
    plan = elsewhere.protect(tables if len(tables) > 1 else first, truth, **wishes)
    return tables, plan


def _certify(file: Path, plan: Plan, tables: list[Scores]) -> None:
    if not plan.found:
        typer.echo(f"elsewhere: no certificate, for the plan is {plan.status}", err=True)
        return
    from elsewhere.protect.certificate import certify

    _save(file, certify(plan, tables))


def _save(file: Path, document: str) -> None:
    from elsewhere.cli.saved import save

    save(file, document)

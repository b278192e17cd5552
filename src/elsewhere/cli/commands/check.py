"""`elsewhere check`: check a saved plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from elsewhere.cli.program import ERROR, KEPT
from elsewhere.errors import InputError
from elsewhere.values.wording import counted, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

NO_PLAN = {
    "infeasible": "There is no plan, so there is nothing to share. Everything else was checked; "
    "the solver was asked again and found none.",
    "unknown": "No plan was found and none was ruled out, so there is nothing to share. What "
    "can be checked was checked.",
}


_PLAN = typer.Argument(metavar="PLAN", help="A plan or certificate (JSON).")
_SCORES = typer.Argument(
    metavar="SCORES", help="The plan's score files, in the same order as for plan."
)
_PROOF = typer.Option(
    metavar="FILE",
    help="Also check the proof that no plan is better, as plan --proof saved it.",
)


def command(
    plan: Annotated[Path, _PLAN],
    scores: Annotated[list[Path], _SCORES],
    proof: Annotated[Path | None, _PROOF] = None,
) -> int:
    """Check a saved plan exactly, with code that shares nothing with the solver.

    That no smaller set suffices is checked only with --proof. Where a file says that there is no
    plan and no proof of that is given, the solver is asked again.

    Examples:

    - `elsewhere plan album.npz --truth 17 --top 5 -o plan.json`
      (find a plan and save it)
    - `elsewhere check plan.json album.npz`
      (check it later, anywhere)
    - `elsewhere check plan.json album.npz --proof proof.json.gz`
      (check too that no plan is better)

    Exit codes: 0 the plan is right, 1 it is wrong or a file cannot be read, 2 invalid usage.
    """
    import elsewhere
    from elsewhere.cli.plan_options import read_plan, read_proof
    from elsewhere.cli.render.plan import promise_lines
    from elsewhere.service import plan_despite, read_scores

    saved = read_plan(plan)
    given = None if proof is None else read_proof(proof)
    tables = [read_scores(file) for file in scores]
    against = saved.promise.against
    if len(tables) != len(against):
        raise InputError(
            f"{plan} is against {counted(len(against), 'attacker')}, but "
            f"{counted(len(tables), 'score file')} {'was' if len(tables) == 1 else 'were'} "
            "given: name one for each"
        )
    for line in promise_lines(saved.promise, tables):
        typer.echo(printable(line))
    expected, digests = [a.scores for a in against], [table.digest for table in tables]
    if digests != expected:  # nothing can be said of the plan
        typer.echo(printable(_other_scores(expected, digests, scores)))
        return ERROR
    verdict = elsewhere.check(saved, tables if saved.several else tables[0], proof=given)
    if verdict and saved.status == "infeasible" and not verdict.none_better:
        found = plan_despite(saved, tables)
        if found is not None:
            photos = counted(len(found.withheld), "photo")
            typer.echo(f"The plan does not hold: withholding {photos} is a plan. Make it again.")
            return ERROR
    if verdict and saved.found:
        names = [printable(tables[0].ids[photo]) for photo in saved.withheld]
        typer.echo(f"Withheld: {', '.join(names) or 'nothing'}")
    if verdict and not saved.found and not verdict.none_better:
        typer.echo(NO_PLAN[saved.status])
    else:
        typer.echo(printable(str(verdict)))
    return KEPT if verdict else ERROR


def _other_scores(expected: Sequence[str], digests: Sequence[str], files: Sequence[Path]) -> str:
    """The sentence for scores that the plan was not made from."""
    if sorted(digests) == sorted(expected):
        return (
            "The score files are those of the plan, but in another order: name them in its order."
        )
    pairs = zip(files, digests, expected, strict=True)
    wrong = ", ".join(str(file) for file, digest, right in pairs if digest != right)
    return (
        f"These are not the scores that the plan was made from ({wrong}): nothing was proved. "
        "Name the score files that it was made from."
    )

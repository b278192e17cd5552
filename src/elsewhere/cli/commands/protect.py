"""`elsewhere protect`: from a folder of photos to a clean copy that keeps its promise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from elsewhere.cli import options
from elsewhere.cli.program import CODES, COMMAND_LINE, INFEASIBLE, UNKNOWN
from elsewhere.errors import InputError
from elsewhere.values.plan import Status

if TYPE_CHECKING:
    from elsewhere.service import Names, Order
    from elsewhere.values.wishes import EditKind

_PLACES = "What is hidden"
_WISHES = "Which photos to share"
_ATTACKERS = "Against whom"
_COPY = "The copy"
_LIMITS = "Limits and output"

_DRY_RUN = typer.Option(
    "--dry-run",
    "-n",
    help="Show what would be withheld; write no copy, certificate or report. The export then makes "
    "the same plan.",
)
_KEEP = typer.Option(
    metavar="PHOTO",
    help="A photo that must stay: a name, or a pattern such as 'IMG_20*'. Repeatable.",
)
_VALUE = typer.Option(
    metavar="FILE|stars",
    help="What withholding a photo costs: a file of lines such as beach.jpg,2.5 (others "
    "cost 1), or stars (1 + the stars it is rated with).",
)
_EDITS = typer.Option(
    "--edits",
    metavar="HOW",
    help="Edit photos that would be withheld, where that loses less: crop, cover, both or none. "
    "No pixel that is cropped off or covered is in the copy.",
)
_NO_EDITS = typer.Option("--no-edits", help="Share photos as they are: the same as --edits none.")
_MAX_LOSS = typer.Option(
    "--max-loss",
    metavar="SHARE",
    help="With --edits, the most of a photo that an edit may take out, such as 0.3 or 30%; the "
    "middle of a picture counts more than its edges. Your own --rectangles may take out more.",
    show_default="50%",
)
_RECTANGLES = typer.Option(
    "--rectangles",
    metavar="FILE",
    help='Edits that you drew, tried too: JSON such as {"beach.jpg": [[0, 0, 1000, 90]]}, each '
    "cover as left, top, right, bottom in thousandths of the picture.",
)
_AS_IS = typer.Option(
    "--as-is",
    metavar="PHOTO",
    help="With --edits, a photo that is never edited, by name or pattern. Repeatable.",
)
_BURSTS = typer.Option(
    "--bursts", help="Keep or withhold photos of one burst together: at most 2 seconds apart."
)
_EACH_PHOTO = typer.Option(
    "--each-photo/--no-each-photo",
    help="Each kept photo of a hidden place, seen alone, must hide it too.",
    show_default="if possible",
)
_PRIOR = typer.Option(
    metavar="PLACE",
    help="What the audience already knows: the country, region or town of the photos. "
    "Then only other places there can come before the hidden one.",
)
_TEXT_HELP = (
    "Read the text on the photos, and withhold those that name a place within 100 km of a hidden "
    "one. Share one all the same with --keep."
)
_REMEMBER = typer.Option(
    "--remember",
    help="Record privately what this copy gives away, so that later albums of the "
    "place count it. Earlier records always count.",
)
_PRIVATE = typer.Option(
    metavar="DIR",
    help="Folder for the certificate and the report, which name the place.",
    show_default="your data directory",
)
_PROOF = typer.Option(
    metavar="FILE",
    help="Save a proof that no plan is better, for verify --scores --proof; packed if the name "
    "ends in .gz. It is private: it names the place. An earlier proof of that name is replaced.",
)
_REPORT = typer.Option(
    "--report/--no-report", help="Write a report with the certificate: what was withheld and why."
)


def command(  # noqa: PLR0917 - Typer makes options of them; nobody calls it by position
    album: Annotated[list[Path], options.ALBUM],
    output: Annotated[Path | None, options.OUTPUT] = None,
    dry_run: Annotated[bool, _DRY_RUN] = False,
    top: Annotated[int | None, options.TOP] = None,
    budget: Annotated[str | None, options.BUDGET] = None,
    at: Annotated[list[str] | None, options.under(_PLACES, options.AT)] = None,
    at_anyway: Annotated[bool, options.under(_PLACES, options.AT_ANYWAY)] = False,
    hide: Annotated[list[str] | None, options.under(_PLACES, options.HIDE)] = None,
    hide_level: Annotated[str | None, options.under(_PLACES, options.HIDE_LEVEL)] = None,
    radius: Annotated[float, options.under(_PLACES, options.RADIUS)] = 25.0,
    keep: Annotated[list[str] | None, options.under(_WISHES, _KEEP)] = None,
    drop: Annotated[list[str] | None, options.under(_WISHES, options.DROP)] = None,
    value: Annotated[str | None, options.under(_WISHES, _VALUE)] = None,
    edits: Annotated[str, options.under(_WISHES, _EDITS)] = "none",
    no_edits: Annotated[bool, options.under(_WISHES, _NO_EDITS)] = False,
    max_loss: Annotated[str | None, options.under(_WISHES, _MAX_LOSS)] = None,
    rectangles: Annotated[Path | None, options.under(_WISHES, _RECTANGLES)] = None,
    as_is: Annotated[list[str] | None, options.under(_WISHES, _AS_IS)] = None,
    bursts: Annotated[bool, options.under(_WISHES, _BURSTS)] = False,
    each_photo: Annotated[bool | None, options.under(_WISHES, _EACH_PHOTO)] = None,
    scorer: Annotated[list[str] | None, options.under(_ATTACKERS, options.SCORERS)] = None,
    margin: Annotated[str, options.under(_ATTACKERS, options.MARGIN)] = "careful",
    prior: Annotated[str | None, options.under(_ATTACKERS, _PRIOR)] = None,
    posted: Annotated[list[Path] | None, options.under(_ATTACKERS, options.POSTED)] = None,
    remember: Annotated[bool, options.under(_ATTACKERS, _REMEMBER)] = False,
    exact_top: Annotated[bool, options.under(_ATTACKERS, options.EXACT_TOP)] = False,
    max_side: Annotated[int | None, options.under(_COPY, options.MAX_SIDE)] = None,
    full: Annotated[bool, options.under(_COPY, options.FULL)] = False,
    order: Annotated[str, options.under(_COPY, options.ORDER)] = "shuffled",
    names: Annotated[str, options.under(_COPY, options.NAMES)] = "neutral",
    private: Annotated[Path | None, options.under(_COPY, _PRIVATE)] = None,
    report: Annotated[bool, options.under(_COPY, _REPORT)] = True,
    proof: Annotated[Path | None, options.under(_COPY, _PROOF)] = None,
    time_limit: Annotated[float | None, options.under(_LIMITS, options.TIME_LIMIT)] = None,
    verbose: Annotated[bool, options.under(_LIMITS, options.VERBOSE)] = False,
    as_json: Annotated[bool, options.under(_LIMITS, options.JSON)] = False,
    text: Annotated[bool, options.under(_ATTACKERS, options.TEXT, help=_TEXT_HELP)] = True,
    cache: Annotated[bool, options.under(_LIMITS, options.CACHE)] = True,
) -> int:
    """Write a clean copy of an album that hides its place.

    Photos are read, never changed, and nothing leaves this machine. The plan withholds as few
    photos as it can so that none of the given attackers' first places is within --radius of the
    photos. The others are copied without metadata. The copy is read back, scored again and proved
    before it appears.

    Examples:

    - `elsewhere protect ~/Pictures/trip --top 5 -o ~/Pictures/trip-to-share`
      (hide every place in it)
    - `elsewhere protect trip --hide home --hide Lisbon -o trip.zip`
      (hide two of its places; the others are public)
    - `elsewhere protect trip --at - --hide-level country --margin paranoid -o to-share`
      (ask for the place, and hide the whole country)
    - `elsewhere protect trip --budget 10% --keep 'wedding*' --dry-run`
      (see how well withholding a tenth hides it)

    Exit codes: 0 the promise is kept, 1 an error, 2 invalid usage,
    3 no plan keeps the promise, nothing new can be shared, or the budget is too small to hide the
    place (nothing is written), 4 stopped before a plan was found. Where there is no plan,
    `elsewhere clean` writes a copy that hides nothing. If only the report cannot be written, the
    copy stays and a warning is printed.
    """
    from elsewhere.cli.commands.clean import clean_command
    from elsewhere.cli.parse import parse_places, parse_share, read_drawn_edits, read_named_values
    from elsewhere.cli.plan_options import guard, refuse_foreign, save_proof
    from elsewhere.cli.render.audit import show_guesses
    from elsewhere.cli.render.progress import EnoughEdits, stages
    from elsewhere.cli.render.protect import show
    from elsewhere.service import MAX_SIDE, Ledger, NowhereError, Recipe, protect_album
    from elsewhere.values.versions import MAX_LOSS
    from elsewhere.values.wishes import Wishes

    if output is None and not dry_run:
        raise InputError("name the clean copy with -o TARGET, or use --dry-run")
    if top is not None and budget is not None:
        raise InputError(
            "give either --top K (withhold the fewest) or --budget (push it down furthest)"
        )
    if no_edits and edits != "none":
        raise InputError("give either --edits or --no-edits")
    if no_edits and rectangles is not None:
        raise InputError("give either --rectangles or --no-edits")
    if edits == "none":
        idle = {"--max-loss": max_loss is not None, "--as-is": bool(as_is)}
        for option in (option for option, given in idle.items() if given):
            raise InputError(
                f"{option} is for photos that are edited: add --edits both, or leave it out"
            )
    if max_side is not None and full:
        raise InputError("give either --max-side PIXELS or --full")
    if top is None and budget is None:
        top = 5
    if proof is not None:
        if output is not None and proof.resolve().is_relative_to(output.resolve()):
            raise InputError(f"--proof {proof} names the place: choose a name outside the copy")
        guard({"--proof": proof}, ())
        refuse_foreign(proof, proof=True)
    recipe = Recipe(MAX_SIDE if max_side is None and not full else max_side)
    wishes = Wishes(
        top=top,
        budget=budget,
        hide=tuple(hide or ("all",)),
        hide_level=hide_level,
        radius_km=radius,
        keep=tuple(keep or ()),
        drop=tuple(drop or ()),
        values=None if value is None or value == "stars" else read_named_values(Path(value)),
        stars=value == "stars",
        margin=margin,
        each_photo=each_photo,
        edits=cast("EditKind", "none" if no_edits else edits),
        max_loss=MAX_LOSS if max_loss is None else parse_share(max_loss, "--max-loss"),
        rectangles={} if rectangles is None else read_drawn_edits(rectangles),
        as_is=tuple(as_is or ()),
        bursts=bursts,
        prior=prior,
        exact_top=exact_top,
        time_limit=time_limit,
    )
    places = parse_places(at) if at else None  # before the bars: they would overwrite the question
    try:
        with stages() as progress, EnoughEdits(progress) as watched:
            done = protect_album(
                album,
                None if dry_run else output,
                wishes,
                at=places,
                at_anyway=at_anyway,
                scorers=tuple(scorer or ("embedded",)),
                recipe=recipe,
                cache=cache,
                posted=tuple(posted or ()),
                ledger=Ledger(),
                remember=remember,
                private=private,
                order=cast("Order", order),
                names=cast("Names", names),
                command=COMMAND_LINE if report else None,
                read_text=text,
                prove=proof is not None,
                enough=watched.enough,
                progress=watched,
            )
    except NowhereError as nowhere:
        show_guesses(nowhere.guesses, clean_command(album, output), as_json=as_json)
        raise
    offer = clean_command(album, output)
    show(done, as_json, clean=offer, private=private, verbose=verbose)
    plan = done.plan.plan
    if proof is not None:
        save_proof(proof, done.proof, plan.status)
    if plan.found and not done.kept:  # nothing may be shared
        return INFEASIBLE if plan.status == Status.OPTIMAL else UNKNOWN
    return CODES[plan.status]

"""The JSON of the API, as Pydantic models: what the page sends and what it receives.

`web/src/lib/contract.ts` is generated from them.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Text = Annotated[str, Field(max_length=300)]
ShortText = Annotated[str, Field(max_length=20)]
PathText = Annotated[str, Field(min_length=1, max_length=4096)]
Name = Annotated[str, Field(max_length=4096)]  # a photo's id, or a path
PhotoIds = Annotated[list[Name], Field(max_length=20_000)]
Scorers = Annotated[list[Text], Field(min_length=1, max_length=8)]
Chance = Annotated[float, Field(ge=0, le=1)]
PhotoState = Literal["seen", "shared", "edited", "withheld", "kept", "dropped", "posted"]
EditKind = Literal["both", "crop", "cover", "none"]
ReadingState = Literal["off", "reading", "read", "failed"]
Side = Annotated[int, Field(ge=0, le=1000)]
SidesList = Annotated[list[Side], Field(min_length=4, max_length=4)]
Sides = tuple[Side, Side, Side, Side]  # left, top, right, bottom in thousandths of the picture
Level = Literal["cell", "city", "region", "country"]
Order = Literal["shuffled", "album"]
Names = Literal["neutral", "keep"]


class ResponseModel(BaseModel):
    """What the server sends."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class RequestModel(BaseModel):
    """What the page sends; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ProblemModel(ResponseModel):
    """What went wrong, in one sentence."""

    error: str
    field: str | None = None  # the field that is wrong, where that is known
    choices: list[str] = []  # names of places that may have been meant


class PlaceModel(ResponseModel):
    """A place of the album."""

    label: str
    lat: float
    lon: float
    photos: list[int]
    by_time: list[int]
    hidden: bool
    rank: int | None = None  # which guess is the first to find it, as the album is; null: unknown
    # the likely home, because the user hid it alone before or by photos on the most days
    home: Literal["said", "days"] | None = None


class EditModel(ResponseModel):
    """How a photo is edited, and its picture as it would go out."""

    n: int
    crop: Sides | None  # what stays; null: all of it
    covers: list[Sides]
    drawn: bool  # by the user
    lost: Chance  # the share of the picture that is covered or cropped off
    thumb: str  # as the links of photos
    picture: str


class PhotoModel(ResponseModel):
    """One photo of the album."""

    n: int
    id: str
    width: int
    height: int
    thumb: str  # a link that works for ten minutes; GET /api/photos gives fresh ones
    share: float | None = None  # nats: negative gives the place away, positive hides it
    own_rank: int | None = None  # where the place stands by this photo alone
    place: str | None = None
    posted: bool = False
    state: PhotoState = "seen"


class SkippedFileModel(ResponseModel):
    """A file that was left out, and why."""

    name: str
    kind: str
    reason: str
    lost: bool  # whether the user may miss it


class NoPhotosModel(ResponseModel):
    """What was found instead of photos."""

    title: str
    sentence: str
    files: list[SkippedFileModel]  # every file, with its reason


class ScorerModel(ResponseModel):
    """An attacker."""

    word: str
    cells: int


class AlbumModel(ResponseModel):
    """The open album."""

    name: str
    copy_name: str = ""  # what a copy's folder may be called; empty where the name tells nothing
    photos: list[PhotoModel]
    left: list[SkippedFileModel]
    scorers: list[ScorerModel]


class GuessModel(ResponseModel):
    """A place that an attacker guesses, by its middle; of coarse models, a cell."""

    cell: int  # the cell that it is, or that is in its middle
    name: str
    lat: float | None
    lon: float | None
    p: Chance


class TextLineModel(ResponseModel):
    """A line of text on a photo."""

    words: str  # in quotes, or that it was not read
    meaning: str  # what it may mean; empty where it says nothing
    telling: bool  # whether it names a place near what is hidden
    box: Sides | None  # in thousandths; null where it is about several lines


class PhotoDetailsModel(ResponseModel):
    """One photo in detail."""

    photo: PhotoModel
    picture: str  # a link to a larger rendition
    proposal: EditModel | None  # how it would be edited: by the plan, or else by the search
    guesses: list[GuessModel]  # its own likeliest places
    own_p: Chance | None
    alone: str  # where it alone puts what is hidden; empty where nothing is
    changes: list[str]  # what changes if it is shared or withheld instead
    leaks: list[tuple[str, str]]
    texts: list[TextLineModel]  # what is written on it, what names a hidden place first
    time: str | None
    rating: int | None


class FoldersModel(ResponseModel):
    """A folder and what can be opened in it."""

    path: str
    parent: str | None
    folders: list[str]
    archives: list[str]  # zip files
    photos: int  # how many files in it have a photo's suffix


class LinkModel(ResponseModel):
    """A link that works for ten minutes."""

    url: str


class ChoicesModel(ResponseModel):
    """What can be chosen from."""

    scorers: list[str]
    margins: dict[str, str]  # by name, what each stands for
    levels: list[str]
    home: str  # where the folder chooser begins
    example: str  # the folder of the example album
    not_covered: str  # what no promise covers, in one line
    not_hidden: str  # what is said of a clean copy that hides no place


class SessionModel(ResponseModel):
    """The secret of a session."""

    secret: str
    version: str


class ProofModel(ResponseModel):
    """HMAC-SHA-256 of the nonce, by the session's secret."""

    proof: str


class ViewModel(ResponseModel):
    """What one attacker believes of one hidden place, from some photos."""

    scorer: str
    hides: str  # what is hidden, by name: the place, or the region or country that it lies in
    whole: bool  # from the whole album, or from the place's own photos
    photos: int
    cells: int
    radius_km: float | None  # how near a guess must be; null where the model guesses coarse cells
    rank: int
    rank_limit: int | None  # a rank above it is none
    p: Chance
    guesses: list[GuessModel]  # the first five


class LeakModel(ResponseModel):
    """What the original files tell beside their pictures; a copy holds none of it."""

    kind: str
    photos: int
    examples: list[str]


class AuditModel(ResponseModel):
    """What the album gives away as it is."""

    verdict: str  # one sentence
    views: list[ViewModel]
    leaks: list[LeakModel]
    guesses: list[GuessModel] = []  # by the first scorer, where no place is known


class KeyNumberModel(ResponseModel):
    """One of the few numbers that every surface leads with."""

    name: str  # what kind of number it is: measured, or the model's own
    words: str


class AlternativeModel(ResponseModel):
    """Something that could be asked for instead, where there is no plan."""

    words: str  # the text of a button
    wishes: WishesModel


class PlanModel(ResponseModel):
    """What to withhold."""

    version: int  # grows with every plan; a plan with a lower version is old
    status: Literal["optimal", "feasible", "infeasible", "unknown"]
    proved: bool
    withheld: list[int]
    kept: list[int]
    cost: float
    bound: float
    loss: float | None  # where photos have versions, what is lost, in photos; else null
    verdict: str
    explanation: str  # why there is no plan, where there is none; else empty
    notes: list[str]
    advice: str  # where nearly all photos go: what to ask for instead; else empty
    ways: list[AlternativeModel]  # what could be asked for instead, the nearest first
    uncovered: list[str]  # what the promise does not cover; empty where nothing is promised
    # the place is not among so many first guesses: at least the secret top; 0 if it may come first
    protected_k: int
    rivals: list[GuessModel]  # decoys: the places that come before the first hidden place
    headline: str  # what the album gives away, and what the plan does about it: one sentence
    proof: str  # how sure the plan is: a few words
    numbers: list[KeyNumberModel]  # how often such albums are found, and what the model believes
    radius_km: float | None  # of the places that are promised to be wrong; null for coarse cells
    finest_km: float  # how wide the model's cells are around what is hidden; 0: unknown
    first: list[str]  # doubts that come before everything else: about the place, or the model
    exempt: str  # which rule the plan does not keep, and for which photos; else empty
    counts: str  # how many photos are shared, edited and withheld; empty where none is edited
    against: str  # whom the promise is against, how good they are, and that a better one may exist


class UndoModel(ResponseModel):
    """Whether the wishes can be undone or redone."""

    can_undo: bool
    can_redo: bool
    turn: int = 0  # changes with every wish, undo and redo; a request with an old turn is refused


class PointModel(ResponseModel):
    """One point of the frontier."""

    withheld: int
    protected_k: int
    bound: int
    proved: bool
    greedy_k: int | None = None
    # where photos have versions, what is lost at most: in photos, as a budget counts; else null
    loss: float | None = None


class BeliefModel(ResponseModel):
    """What one attacker believes, before and after."""

    watch: int
    watches: list[str]  # all threats, by name: place, scope, scorer
    place: str | None  # the album's place, by its label
    hides: str | None  # what is hidden of it, by name
    before: list[GuessModel]
    after: list[GuessModel]
    rank_before: int | None
    rank_after: int | None
    rank_limit: int | None  # a rank above it is none
    radius_km: float | None  # of places; null where the model guesses coarse cells
    hidden: list[tuple[float, float]]  # middles of the hidden circles, with a radius
    zone: list[tuple[float, float, float, float]]  # without: boxes of south, west, north, east
    rivals: list[GuessModel]
    # where the belief is: latitude, longitude and probability of the likeliest cells
    heat_before: list[tuple[float, float, Chance]]
    heat_after: list[tuple[float, float, Chance]]


class RecentAlbumModel(ResponseModel):
    """An album that was opened before."""

    paths: list[str]
    name: str
    photos: int
    day: str


class PriceModel(ResponseModel):
    """What it costs to hide one place alone."""

    place: str
    withheld: int | None  # null where it cannot be hidden, or was not found out in time


class OpenSessionModel(RequestModel):
    """The token that opens a session."""

    token: Annotated[str, Field(max_length=200)]


class NonceModel(RequestModel):
    """A random number to which the server answers with a proof."""

    nonce: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class OpenAlbumModel(RequestModel):
    """Folders and photos to open."""

    paths: Annotated[list[Name], Field(min_length=1, max_length=100)]
    scorers: Scorers | None = None  # by default those that the server was started with


class ReadTextModel(RequestModel):
    """Whether the text on the photos is to be read, where that failed."""

    wanted: bool


class ForgetModel(RequestModel):
    """Recent albums to forget."""

    paths: Annotated[list[Name], Field(min_length=1, max_length=100)] | None = None  # null: all


class DrawnEditModel(RequestModel):
    """An edit that the user drew."""

    crop: SidesList | None = None
    covers: Annotated[list[SidesList], Field(max_length=64)] = []


class WishesModel(RequestModel):
    """All that the user wants; the same as the options of `elsewhere protect`."""

    # keep the place out of so many first guesses; null where a budget is given
    top: Annotated[int, Field(ge=1, le=100_000)] | None = 5
    # instead of a top: withhold at most so many photos, or "10%"
    budget: Annotated[int, Field(ge=0, le=1_000_000)] | ShortText | None = None
    # where the album was taken, where its files do not say
    at: Annotated[list[Text], Field(max_length=20)] = []
    hide: Annotated[list[Text], Field(min_length=1, max_length=100)] = ["all"]
    hide_level: Level | None = None
    radius_km: Annotated[float, Field(ge=0, le=20_040, allow_inf_nan=False)] = 25.0
    margin: ShortText = "careful"  # none, careful, paranoid, or nats per photo as text
    each_photo: bool = True  # where that is possible; the plan says so where it is not
    bursts: bool = False
    prior: Text | None = None
    stars: bool = False
    exact_top: bool = False
    keep: PhotoIds = []  # pinned photos, by id
    drop: PhotoIds = []
    posted: PhotoIds = []  # public already: counted, never withheld, not written again
    edits: EditKind = "none"  # how photos may be edited instead of withheld
    # edits that the user drew, by id: such a photo is shared in this version or withheld
    rectangles: Annotated[dict[Name, DrawnEditModel], Field(max_length=1000)] = {}
    as_is: PhotoIds = []  # never edited
    scorers: Scorers = ["embedded"]  # new ones score the photos first, in a job


class ExportRequestModel(RequestModel):
    """Where the copy goes."""

    version: Annotated[int, Field(ge=0)]  # of the plan that the user saw: no other is written
    target: PathText
    private: PathText | None = None
    order: Order = "shuffled"
    names: Names = "neutral"
    remember: bool = False
    # nothing is hidden or promised: every photo but the dropped ones, whatever the plan
    clean: bool = False
    # of the decisions that the user saw: where another window decided since, nothing is written
    turn: int | None = None


class JobModel(ResponseModel):
    """Work that takes long."""

    id: str
    kind: Literal["reading", "scoring", "text", "proof", "frontier", "prices", "export", "verify"]
    state: Literal["running", "done", "failed", "cancelled"]


class JobStartedModel(ResponseModel):
    """Its events are at /api/jobs/{id}/events."""

    job: JobModel


class AnswerModel(ResponseModel):
    """The answer to a wish: the best plan so far, at once."""

    wishes: WishesModel
    plan: PlanModel | None  # null where no place is known, or where it is still looked for
    pending: bool = False  # whether the first plan is still being looked for: a job brings it
    places: list[PlaceModel]
    states: list[PhotoState]  # for each photo
    shares: list[float | None]
    edits: list[EditModel]  # of the photos that would go out edited
    audit_after: list[ViewModel]  # of what would be shared; views of no photo are left out
    job: JobModel | None = None  # the proof that goes on, or the scoring by another model
    undo: UndoModel


class ExportedModel(ResponseModel):
    """A copy that has its name: proved, or a clean one that promises nothing."""

    target: str
    files: list[str]
    certificate: str | None  # null where nothing is promised
    report: str | None  # where the private report lies; GET /api/report gives a link to it
    reproved: int
    notes: list[str]


class VerifiedModel(ResponseModel):
    """A copy verified against its certificate."""

    holds: bool
    problems: list[str]
    notes: list[str]
    files: int
    reproved: int


class WorkspaceModel(ResponseModel):
    """The whole state."""

    stage: Literal["empty", "reading", "ready", "failed"]
    error: str | None = None
    nothing: NoPhotosModel | None = None  # where there was no photo to read
    album: AlbumModel | None = None
    places: list[PlaceModel] = []
    edits: list[EditModel] = []
    wishes: WishesModel = WishesModel()
    plan: PlanModel | None = None
    pending: bool = False  # whether the first plan is still being looked for
    audit: AuditModel | None = None
    audit_after: list[ViewModel] = []
    jobs: list[JobModel] = []  # the running ones, except the frontier
    exported: ExportedModel | None = None
    recent: list[RecentAlbumModel] = []  # where no album is open
    restored: str = ""  # the day of the decisions that were brought back; else empty
    reading: ReadingState = "off"  # of the text on the photos
    reading_problem: str = ""  # where it failed: why, and what can be done
    remembered: bool = False  # whether what is decided comes back when the album is opened again
    undo: UndoModel = UndoModel(can_undo=False, can_redo=False)
    choices: ChoicesModel


class EventModel(ResponseModel):
    """One line of a stream. The last one has `done` or `error`."""

    stage: (
        Literal["reading", "scoring", "text", "planning", "writing", "proving", "telling"] | None
    ) = None
    count: int = 0
    total: int = 0
    name: str = ""
    per_second: float | None = None
    left_s: float | None = None
    photo: PhotoModel | None = None  # the photo that was just read
    left: list[SkippedFileModel] = []
    # a better plan, or the same one proved; after scoring, the first with the new models
    answer: AnswerModel | None = None
    point: PointModel | None = None
    price: PriceModel | None = None
    greedy: int | None = None  # frontier: how many photos greedy withholds for the wishes
    exactly: int | None = None  # frontier: how many photos the top needs without a secret one
    exported: ExportedModel | None = None
    verified: VerifiedModel | None = None
    done: bool = False
    error: str | None = None
    stopped: bool = False  # beside `error`: the user stopped the job, or another one replaced it

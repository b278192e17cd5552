"""The public names of the service. `elsewhere.service` loads them when they are first used."""

from .album_audit import (
    AlbumAudit as AlbumAudit,
    audit_album as audit_album,
    metadata_leaks as metadata_leaks,
    photo_leaks as photo_leaks,
    possible_cells as possible_cells,
    second_opinions as second_opinions,
    with_second_heads as with_second_heads,
)
from .beliefs import (
    Belief as Belief,
    Beliefs as Beliefs,
    ScoreCache as ScoreCache,
    album_guesses as album_guesses,
    likeliest_cells as likeliest_cells,
    named_cell as named_cell,
    photo_probabilities as photo_probabilities,
)
from .early_checks import (
    EarlyChecks as EarlyChecks,
    check_paths as check_paths,
    check_wishes as check_wishes,
)
from .export import (
    Export as Export,
    check_copy_target as check_copy_target,
    export_album as export_album,
)
from .frontier import (
    greedy_frontier as greedy_frontier,
    greedy_needs as greedy_needs,
    greedy_withholds as greedy_withholds,
    steps as steps,
    tables as tables,
)
from .geography import (
    Cells as Cells,
    Place as Place,
    cell_names as cell_names,
    cell_towns as cell_towns,
    countries as countries,
    place as place,
    zone_of_place as zone_of_place,
)
from .jobs import (
    OpenedAlbum as OpenedAlbum,
    ProtectedAlbum as ProtectedAlbum,
    export_with_report as export_with_report,
    open_album as open_album,
    protect_album as protect_album,
)
from .ledger import Ledger as Ledger
from .ledger_album import entries_at as entries_at, label_of as label_of
from .next_photo import NextPhoto as NextPhoto, check_next_photo as check_next_photo
from .photo_scoring import (
    MAX_BYTES as MAX_BYTES,
    AttackerInfo as AttackerInfo,
    Device as Device,
    PhotoOutcome as PhotoOutcome,
    PhotoScorer as PhotoScorer,
    ScorerInfo as ScorerInfo,
)
from .photo_selection import (
    budget_of as budget_of,
    matching as matching,
    select_pinned as select_pinned,
)
from .places import (
    Guess as Guess,
    NowhereError as NowhereError,
    guesses as guesses,
    hidden_name as hidden_name,
    hidden_names as hidden_names,
)
from .planning import (
    AlbumPlan as AlbumPlan,
    evaluate_alternatives as evaluate_alternatives,
    plan_album as plan_album,
)
from .posted import NOTHING_POSTED as NOTHING_POSTED, Posted as Posted
from .posted_photos import Sketches as Sketches, find_posted as find_posted
from .private_files import is_own as is_own
from .report import (
    album_name as album_name,
    audit_contents as audit_contents,
    limitations as limitations,
    save_report as save_report,
    write_report as write_report,
)
from .scored_album import (
    ModelScores as ModelScores,
    ScoredAlbum as ScoredAlbum,
    Step as Step,
    rescore_album as rescore_album,
    score_album as score_album,
)
from .scores import (
    certify as certify,
    check_writable as check_writable,
    plan_to_json as plan_to_json,
    proved_record as proved_record,
    read_plan_text as read_plan_text,
    read_scores as read_scores,
    refuse_unless_plain as refuse_unless_plain,
    write_scores as write_scores,
)
from .secret_top import (
    candidate_tops as candidate_tops,
    solve_with_secret_top as solve_with_secret_top,
)
from .stages import (
    EXAMPLE_ALBUM as EXAMPLE_ALBUM,
    MAX_SIDE as MAX_SIDE,
    PHOTO_SUFFIXES as PHOTO_SUFFIXES,
    REASONS as REASONS,
    Audit as Audit,
    CellGuess as CellGuess,
    Entry as Entry,
    Exposure as Exposure,
    Leaking as Leaking,
    Metadata as Metadata,
    Names as Names,
    Order as Order,
    Photo as Photo,
    Places as Places,
    Recipe as Recipe,
    Rendition as Rendition,
    RowCache as RowCache,
    SkippedFile as SkippedFile,
    Staging as Staging,
    bar_chart as bar_chart,
    cells_of_grid as cells_of_grid,
    check_target as check_target,
    clear_cache as clear_cache,
    combine_rows as combine_rows,
    describe_scorer as describe_scorer,
    disk_usage as disk_usage,
    find_places as find_places,
    has_cuda_build as has_cuda_build,
    known_kind as known_kind,
    load_scorer as load_scorer,
    natural_key as natural_key,
    read_metadata as read_metadata,
    render as render,
    scorer_names as scorer_names,
    similar_places as similar_places,
    sweep_staging as sweep_staging,
)
from .threats import Threat as Threat
from .unread_albums import (
    AuditNumbers as AuditNumbers,
    UnreadPhoto as UnreadPhoto,
    audit_cells as audit_cells,
    plan_cells as plan_cells,
    plan_unread_album as plan_unread_album,
)
from .verify import verify_copy as verify_copy

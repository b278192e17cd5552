"""The public names of the service. `elsewhere.service` loads them when they are first used."""

from .album_audit import (
    RANK_LIMIT as RANK_LIMIT,
    AlbumAudit as AlbumAudit,
    AuditedText as AuditedText,
    Belief as Belief,
    Beliefs as Beliefs,
    album_guesses as album_guesses,
    audit_album as audit_album,
    first_guesses as first_guesses,
    likeliest_cells as likeliest_cells,
    metadata_leaks as metadata_leaks,
    named_cell as named_cell,
    photo_leaks as photo_leaks,
    photo_probabilities as photo_probabilities,
    possible_cells as possible_cells,
    second_opinions as second_opinions,
    with_second_heads as with_second_heads,
)
from .bulk import (
    AttackerInfo as AttackerInfo,
    AuditNumbers as AuditNumbers,
    PhotoOutcome as PhotoOutcome,
    PhotoScorer as PhotoScorer,
    UnreadPhoto as UnreadPhoto,
    audit_cells as audit_cells,
    plan_cells as plan_cells,
    plan_unread_album as plan_unread_album,
    require_gpu as require_gpu,
    rows_of_features as rows_of_features,
    shared_versions as shared_versions,
    with_versions as with_versions,
)
from .clean import (
    CleanCopy as CleanCopy,
    clean_album as clean_album,
    export_clean as export_clean,
)
from .desktop import (
    ACTION as ACTION,
    Notices as Notices,
    install_desktop as install_desktop,
    remove_desktop as remove_desktop,
)
from .edit_planning import plan_with_edits as plan_with_edits
from .edited_album import (
    apply_edits as apply_edits,
    with_chosen_rows as with_chosen_rows,
    with_public_versions as with_public_versions,
)
from .edits import EditSearch as EditSearch
from .export import (
    Export as Export,
    check_copy_target as check_copy_target,
    export_album as export_album,
)
from .files import (
    DELTA_BYTE_ARRAY as DELTA_BYTE_ARRAY,
    LARGEST as LARGEST,
    arrow_sizes as arrow_sizes,
    check_writable as check_writable,
    chunk_size as chunk_size,
    footer_chunks as footer_chunks,
    plan_to_json as plan_to_json,
    plausible_bytes as plausible_bytes,
    proof_from_bytes as proof_from_bytes,
    proof_to_bytes as proof_to_bytes,
    read_edits as read_edits,
    read_scores as read_scores,
    refuse_unless_plain as refuse_unless_plain,
    write_scores as write_scores,
)
from .frontier import (
    greedy_frontier as greedy_frontier,
    greedy_needs as greedy_needs,
    greedy_reach as greedy_reach,
    greedy_withholds as greedy_withholds,
    loss_in_photos as loss_in_photos,
    steps as steps,
)
from .jobs import (
    EarlyChecks as EarlyChecks,
    OpenedAlbum as OpenedAlbum,
    ProtectedAlbum as ProtectedAlbum,
    check_wishes as check_wishes,
    confirming as confirming,
    export_with_report as export_with_report,
    open_album as open_album,
    protect_album as protect_album,
)
from .ledger import Ledger as Ledger, entries_at as entries_at, label_of as label_of
from .next_photo import (
    NextPhoto as NextPhoto,
    check_next_photo as check_next_photo,
    edit_next_photo as edit_next_photo,
)
from .photo_texts import read_texts as read_texts, telling_text as telling_text
from .planning import (
    AlbumPlan as AlbumPlan,
    evaluate_alternatives as evaluate_alternatives,
    keep_with_text as keep_with_text,
    plan_album as plan_album,
    plan_versions as plan_versions,
    price_wishes as price_wishes,
    shared_by_telling as shared_by_telling,
)
from .posted import (
    NOTHING_POSTED as NOTHING_POSTED,
    Posted as Posted,
    Sketches as Sketches,
    find_posted as find_posted,
)
from .private_files import (
    PrivateData as PrivateData,
    delete_private_data as delete_private_data,
    is_own as is_own,
    private_data as private_data,
)
from .processor_rows import (
    ProcessorRows as ProcessorRows,
    holds_on as holds_on,
    processor_form as processor_form,
)
from .recent_albums import (
    RecentAlbum as RecentAlbum,
    forget_album as forget_album,
    recent_albums as recent_albums,
    remember_album as remember_album,
    said_home as said_home,
)
from .report import (
    album_name as album_name,
    audit_contents as audit_contents,
    save_report as save_report,
    write_report as write_report,
)
from .scored_album import (
    ModelScores as ModelScores,
    ScoredAlbum as ScoredAlbum,
    model_name as model_name,
    rescore_album as rescore_album,
    score_album as score_album,
)
from .scores import (
    certify as certify,
    plan_despite as plan_despite,
    proved_record as proved_record,
    read_plan_text as read_plan_text,
    solve_with_secret_top as solve_with_secret_top,
)
from .secret_top import album_draw as album_draw, secret_draw as secret_draw
from .selection import (
    ModelGuess as ModelGuess,
    NowhereError as NowhereError,
    budget_of as budget_of,
    guesses as guesses,
    hidden_name as hidden_name,
    matching as matching,
    select_edits as select_edits,
    select_pinned as select_pinned,
    select_places as select_places,
    suggested_home as suggested_home,
)
from .stages import (
    ARCHIVE_SUFFIX as ARCHIVE_SUFFIX,
    EXAMPLE_ALBUM as EXAMPLE_ALBUM,
    MAX_BYTES as MAX_BYTES,
    MAX_SIDE as MAX_SIDE,
    PHOTO_SUFFIXES as PHOTO_SUFFIXES,
    REASONS as REASONS,
    Audit as Audit,
    Cells as Cells,
    Device as Device,
    Entry as Entry,
    Exposure as Exposure,
    Guess as Guess,
    Leaking as Leaking,
    Metadata as Metadata,
    Names as Names,
    Opinion as Opinion,
    Order as Order,
    Photo as Photo,
    Place as Place,
    Places as Places,
    Recipe as Recipe,
    Rendition as Rendition,
    RowCache as RowCache,
    ScorerInfo as ScorerInfo,
    SkippedFile as SkippedFile,
    Staging as Staging,
    Step as Step,
    Workers as Workers,
    album_workers as album_workers,
    bar_chart as bar_chart,
    cell_names as cell_names,
    cell_towns as cell_towns,
    cells_of_grid as cells_of_grid,
    check_target as check_target,
    clear_cache as clear_cache,
    combine_rows as combine_rows,
    countries as countries,
    describe_scorer as describe_scorer,
    disk_usage as disk_usage,
    find_places as find_places,
    is_archive as is_archive,
    known_kind as known_kind,
    natural_key as natural_key,
    place as place,
    read_metadata as read_metadata,
    render as render,
    render_versions as render_versions,
    scorer_names as scorer_names,
    sidecars_in_folder as sidecars_in_folder,
    similar_places as similar_places,
    sweep_staging as sweep_staging,
    zone_of_place as zone_of_place,
)
from .text_rows import rectangle_around as rectangle_around
from .threats import Threat as Threat, check_top as check_top, threat_scores as threat_scores
from .verify import verify_copy as verify_copy

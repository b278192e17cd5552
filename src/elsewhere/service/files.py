"""Files of scores, plans and edits, as callers of the service read and write them.

A module of its own, because a command that plans from scores needs no photos.
"""

from elsewhere.formats.arrow_file import arrow_sizes
from elsewhere.formats.edits_file import read_edits
from elsewhere.formats.plan_file import plan_to_json
from elsewhere.formats.proof_file import proof_from_bytes, proof_to_bytes
from elsewhere.formats.score_files import check_writable, read_scores, write_scores
from elsewhere.formats.score_files.limits import LARGEST, plausible_bytes, refuse_unless_plain
from elsewhere.formats.score_files.pages import DELTA_BYTE_ARRAY, chunk_size, footer_chunks

__all__ = [
    "DELTA_BYTE_ARRAY",
    "LARGEST",
    "arrow_sizes",
    "check_writable",
    "chunk_size",
    "footer_chunks",
    "plan_to_json",
    "plausible_bytes",
    "proof_from_bytes",
    "proof_to_bytes",
    "read_edits",
    "read_scores",
    "refuse_unless_plain",
    "write_scores",
]

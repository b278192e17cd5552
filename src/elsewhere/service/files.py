"""Files of scores and plans, as callers of the service read and write them.

A module of its own, because a command that plans from scores needs no photos.
"""

from elsewhere.formats.plan_file import plan_to_json
from elsewhere.formats.score_files import check_writable, read_scores, write_scores
from elsewhere.formats.score_files.limits import refuse_unless_plain

__all__ = ["check_writable", "plan_to_json", "read_scores", "refuse_unless_plain", "write_scores"]

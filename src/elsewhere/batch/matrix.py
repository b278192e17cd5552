"""A column of lists as one table of numbers, and which of its rows are no scores.

Scores that were made elsewhere come as they are: a row may be missing, cut short, or hold what is
no number. That costs its photo and not the album, so all of it is looked for here, row by row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from elsewhere.errors import InputError
from elsewhere.values.scores import FloatMatrix


def matrix_of(column: Any) -> tuple[FloatMatrix, dict[int, str]]:
    """One row a photo, and by number why a row is not to be used; it is zeros there.

    The numbers stay where they are, mapped, where the column is a single piece without fault.
    """
    from pyarrow import compute

    whole = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if hasattr(whole, "chunks"):  # an empty or still divided column
        whole = whole.chunk(0)
    lengths = np.asarray(compute.fill_null(compute.list_value_length(whole), -1))
    if whole.null_count:  # a fixed size counts for what is missing, too
        lengths = np.where(np.asarray(whole.is_null()), -1, lengths)
    width = _usual(lengths)
    wrong = {int(n): "it has no scores: give it some" for n in np.flatnonzero(lengths < 1)}
    for n in np.flatnonzero((lengths >= 1) & (lengths != width)).tolist():
        wrong[n] = f"it has scores over {lengths[n]} cells, and other photos over {width}"
    if wrong:
        good = np.flatnonzero(lengths == width)
        flat = whole.take(good).flatten().to_numpy(zero_copy_only=False)
        matrix: FloatMatrix = np.zeros((len(whole), width), dtype=flat.dtype)
        matrix[good] = flat.reshape(len(good), width)
    else:
        matrix = whole.flatten().to_numpy(zero_copy_only=False).reshape(len(whole), width)
    odd = np.flatnonzero(~(matrix < np.inf).all(axis=1)).tolist()
    if odd:
        matrix = matrix.copy()
        matrix[odd] = 0
        wrong.update(dict.fromkeys(odd, "one of its scores is NaN, null or infinite"))
    return matrix, wrong


def _usual(lengths: Any) -> int:
    """How many cells most photos have scores for; of two the more."""
    found, many = np.unique(lengths[lengths > 0], return_counts=True)
    if not len(found):
        raise InputError("none of its photos has scores: give them some")
    return int(found[len(many) - 1 - int(np.argmax(many[::-1]))])

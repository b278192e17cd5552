"""Numbers as Markdown: ours, and the paper's beside it.

A number that is further from the paper's than wanted is marked with †; the sentences below the
table say why.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from elsewhere_lab.values import Number

MARK = "†"


def markdown(numbers: Sequence[Number], decimals: int = 2) -> str:
    """One line for each line, one column for each column, `ours (paper)` in each field.

    >>> print(markdown([Number("R-16", "top-1", 0.974, 0.001, 9, 0.97, 0.02)]))
    | | top-1 | collections |
    |---|---:|---:|
    | R-16 | 0.97 (0.97) | 9 |
    """
    lines = list(dict.fromkeys(number.line for number in numbers))
    columns = list(dict.fromkeys(number.column for number in numbers))
    at = {(number.line, number.column): number for number in numbers}
    counts = any(number.count for number in numbers)
    head = [*columns, *(["collections"] if counts else [])]
    text = [f"| | {' | '.join(head)} |", "|---|" + "---:|" * len(head)]
    for line in lines:
        fields = [shown(at.get((line, column)), decimals) for column in columns]
        if counts:
            fields.append(_range([n.count for n in numbers if n.line == line and n.count]))
        text.append(f"| {line} | {' | '.join(fields)} |")
    return "\n".join(text)


def shown(number: Number | None, decimals: int) -> str:
    """One field.

    >>> shown(Number("a", "b", 0.5, paper=0.9, within=0.1), 2)
    '0.50 (0.90)†'
    """
    if number is None:
        return ""
    if math.isnan(number.ours):
        return "–"
    text = f"{number.ours:.{decimals}f}"
    if number.paper is not None:
        text += f" ({number.paper:.{decimals}f})"
    return text + (MARK if number.differs else "")


def _range(counts: Sequence[int]) -> str:
    if not counts:
        return ""
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"

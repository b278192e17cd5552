"""Two recordings side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any

MISSING = "(nothing)"
WIDEST = 160


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every plain value with the way to it; lists of plain values are values themselves."""
    if isinstance(value, dict) and value:
        for key, one in value.items():
            yield from leaves(one, (*path, str(key)))
    elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
        for number, one in enumerate(value):
            yield from leaves(one, (*path, f"[{number}]"))
    else:
        yield path, value


def differences(
    old: dict[str, Any], new: dict[str, Any], ignored: Sequence[str]
) -> dict[str, list[str]]:
    """Each difference as a line, by the section and field that it is in."""
    before, after = dict(leaves(old)), dict(leaves(new))
    groups: dict[str, list[str]] = {}
    for path in [*before, *(path for path in after if path not in before)]:
        was, now = before.get(path, MISSING), after.get(path, MISSING)
        where = " / ".join(path)
        if was == now or any(_matches(path, where, pattern) for pattern in ignored):
            continue
        groups.setdefault(_group(path), []).append(f"{where}: {_short(was)} → {_short(now)}")
    return groups


def _matches(path: tuple[str, ...], where: str, pattern: str) -> bool:
    return path[0] == pattern or fnmatchcase(where, pattern)


def _group(path: tuple[str, ...]) -> str:
    """A section and the last field that has a name of its own."""
    field = next((part for part in reversed(path) if not part.startswith("[")), "")
    return path[0] if len(path) < 3 else f"{path[0]}: {field}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= WIDEST else f"{text[:WIDEST]}… ({len(text)} characters)"


def show(groups: dict[str, list[str]], most: int | None) -> None:
    """Print the groups, the largest first, each with its first few differences."""
    for group, lines in sorted(groups.items(), key=lambda item: -len(item[1])):
        print(f"{group}  ({len(lines)})")
        for line in lines[:most]:
            print(f"  {line}")
        if most is not None and len(lines) > most:
            print(f"  … and {len(lines) - most} more")

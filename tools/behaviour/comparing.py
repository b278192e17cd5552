"""Two recordings side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any

MISSING = object()
WIDEST = 160
LONG = 12
Way = tuple[str, ...]


def walk(old: Any, new: Any, way: Way = ()) -> Iterator[tuple[Way, Any, Any]]:
    """Every difference as near to the leaves as both sides go, with the way to it."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            yield from walk(old.get(key, MISSING), new.get(key, MISSING), (*way, key))
    elif _records(old) and _records(new) and len(old) == len(new):
        for number, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from walk(one, other, (*way, f"[{number}]"))
    elif old != new:
        yield way, old, new


def _records(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(one, dict) for one in value)


def differences(
    old: dict[str, Any], new: dict[str, Any], only: Sequence[str], ignored: Sequence[str]
) -> dict[str, list[str]]:
    """Each difference as a line, by the section and field that it is in."""
    groups: dict[str, list[str]] = {}
    for way, was, now in walk(old, new):
        where = " / ".join(way)
        section = way[1] if way[0] == "sentences" and len(way) > 1 else way[0]
        if only and section not in only:
            continue
        if any(pattern in way[:2] or fnmatchcase(where, pattern) for pattern in ignored):
            continue
        gone, come = _unlike(was, now)
        groups.setdefault(_group(way), []).append(f"{where}: {_short(gone)} → {_short(come)}")
    return groups


def _group(way: Way) -> str:
    """A section and the last field that has a name of its own."""
    field = next((part for part in reversed(way[2:]) if not part.startswith("[")), "")
    return f"{way[0]}: {field}" if field else way[0]


def _unlike(was: Any, now: Any) -> tuple[Any, Any]:
    """Of two long lists, what is only in one of them."""
    if not isinstance(was, list) or not isinstance(now, list) or max(map(len, (was, now))) < LONG:
        return was, now
    gone, new = [one for one in was if one not in now], [one for one in now if one not in was]
    return (gone, new) if gone or new else (was, now)


def _short(value: Any) -> str:
    if value is MISSING:
        return "(nothing)"
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

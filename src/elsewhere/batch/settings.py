"""What a run was asked for, as every worker gets it: plain values that travel as JSON.

The key is what each album's secret k is drawn from. It is made once and kept beside the output, so
that whoever goes on with a run, on whichever engine, draws the same; who has it can draw them too.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from importlib.metadata import version
from random import Random
from typing import Any

from elsewhere.errors import InputError
from elsewhere.service import MAX_SIDE, Device
from elsewhere.values.margins import margin
from elsewhere.values.wishes import Wishes

WORK = 20_000
"""How much work one plan may take: a count, the same on every machine; seconds to a minute."""
BLOCK = 1024
"""Photos in a block: what one worker holds, does again if it is killed, and writes at once."""
_MOST = 2**31 - 1
"""No album has more photos or cells, and no column holds more."""
_NOT_HERE = {"time_limit", "work_limit"}
"""A row must not depend on a clock; the limit on work is the run's."""


@dataclass(frozen=True)
class Settings:
    """All that decides which rows come out."""

    input: str
    output: str
    scorers: tuple[str, ...] = ("embedded",)
    wishes: Mapping[str, Any] = field(default_factory=dict)
    """Fields of `Wishes` for every album; an album's own wishes come first."""
    work_limit: int = WORK
    block: int = BLOCK
    max_side: int | None = MAX_SIDE
    device: Device = "auto"
    """Where scorers run that can use a GPU; last bits of a score depend on it."""
    certificates: bool = False
    key: str = ""
    run: str = ""
    """Which start of the run it is: nothing that comes out depends on it."""

    def __post_init__(self) -> None:
        if self.block < 1:
            raise InputError(f"a block holds one photo or more, not {self.block}")
        if self.max_side is not None and self.max_side < 1:
            raise InputError(f"a rendition is one pixel wide or more, not {self.max_side}")
        wishes_of(self.wishes)
        if self.device == "cuda" and not self.can_use_gpu:
            raise InputError(
                f"{' and '.join(self.scorers)} cannot run on a GPU: of ours only models given as "
                "onnx:MODEL.onnx can; use the device auto"
            )

    @property
    def can_use_gpu(self) -> bool:
        """Whether a scorer is among those given that we can put on a GPU."""
        return any(word.startswith("onnx:") for word in self.scorers)

    def to_json(self) -> str:
        """As text."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Settings:
        """From text."""
        told = json.loads(text)
        return cls(**{**told, "scorers": tuple(told["scorers"])})

    def seal(self) -> str:
        """What must be the same where a run is gone on with: all but where it is and the key.

        The program's version is part of it: half a run by another solver would be no run.
        """
        same = replace(self, input="", output="", key="", run="")
        told = {**asdict(same), "by": version("elsewhere")}
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()

    def draw(self, album: str) -> Random:
        """What this album's secret k is drawn from: the same at every try, on every engine."""
        sealed = hmac.new(self.key.encode(), album.encode("utf-8", "replace"), hashlib.sha256)
        return Random(sealed.digest())


def wishes_of(*given: Mapping[str, Any]) -> Wishes:
    """Wishes from plain values, the later ones first; InputError where one makes no sense."""
    known = {one.name for one in fields(Wishes)} - _NOT_HERE
    found: dict[str, Any] = {}
    for wishes in given:
        for name, value in wishes.items():
            if name not in known:
                choices = ", ".join(sorted(known))
                raise InputError(f"there is no wish called {name!r}: choose among {choices}")
            found[name] = _read(name, value)
        if wishes.get("budget") is not None and wishes.get("top") is not None:
            raise InputError("there are wishes for both top and budget: give one of them")
        if wishes.get("budget") is not None:
            found["top"] = None
        elif wishes.get("top") is not None:
            found["budget"] = None
    return Wishes(**found)


def _read(name: str, value: Any) -> Any:
    """One wish, of the type that it has."""
    right: dict[str, Callable[[Any], Any]] = {
        **dict.fromkeys(("hide", "keep", "drop"), _words),
        **dict.fromkeys(("stars", "each_photo", "bursts", "exact_top", "strict"), _flag),
        **dict.fromkeys(("hide_level", "prior"), _text),
        "values": lambda given: given if isinstance(given, dict) else None,
        "top": _whole,
        "budget": lambda given: _whole(given) if isinstance(given, int) else _short(given),
        "margin": lambda given: given if isinstance(given, str) else _number(given),
        "radius_km": _number,
    }
    if value is None and name in {"top", "budget", "hide_level", "prior", "values", "each_photo"}:
        return None
    read = None if isinstance(value, bool) and right[name] is not _flag else right[name](value)
    if read is None:
        raise InputError(f"the wish {name} cannot be {repr(value)[:80]}")
    if name == "margin":
        margin(read)  # says what a margin is, where it is none
    return read


def _words(given: Any) -> tuple[str, ...] | None:
    listed = [given] if isinstance(given, str) else given
    if isinstance(listed, list | tuple) and all(isinstance(one, str) for one in listed):
        return tuple(listed)
    return None


def _flag(given: Any) -> bool | None:
    return given if isinstance(given, bool) else None


def _text(given: Any) -> str | None:
    return given if isinstance(given, str) else None


def _whole(given: Any) -> int | None:
    return given if isinstance(given, int) and 0 <= given <= _MOST else None


def _number(given: Any) -> float | None:
    """A number that can be reckoned with: JSON has larger ones, and infinity."""
    try:
        found = float(given) if isinstance(given, int | float) else math.inf
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def _short(given: Any) -> str | None:
    """A budget in words: a share, or a number as it is typed."""
    return given if isinstance(given, str) and len(given) <= len(str(_MOST)) else None

"""The settings of a run, as every worker gets them: plain values that travel as JSON.

Each album's secret k is drawn from the key. It is made once and kept beside the output, so that a
run that is continued, on either engine, draws the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from importlib.metadata import version
from random import Random
from typing import Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from elsewhere.batch.columns import albums_out
from elsewhere.errors import InputError
from elsewhere.service import MAX_SIDE, Device, secret_draw
from elsewhere.values.margins import margin
from elsewhere.values.wishes import Wishes

DEFAULT_WORK = 20_000  # the work limit of one plan: the same on every machine, seconds to a minute
_MAX_COUNT = 2**31 - 1  # the largest number that a column holds
_OPTIONS = {
    "scorers": "--scorer",
    "work_limit": "--work-limit",
    "block": "--block",
    "max_side": "--max-side",
    "device": "--device",
    "certificates": "--certificates",
    "carry": "--carry",
    "partition_by": "--partition-by",
    "top": "--top",
    "budget": "--budget",
    "radius_km": "--radius",
    "margin": "--margin",
    "exact_top": "--exact-top",
}
"""By field of `Settings` or `Wishes`: its option."""
_RUN_FIELDS = {"time_limit", "work_limit"}
"""Limits that are no album's own: a row must not depend on a clock."""
_EDIT_FIELDS = {"edits", "max_loss", "rectangles", "as_is"}
"""How photos are edited: a batch edits none."""


@dataclass(frozen=True)
class Settings:
    """All that decides the rows of the output."""

    input: str
    output: str
    scorers: tuple[str, ...] = ("embedded",)
    wishes: Mapping[str, Any] = field(default_factory=dict)
    """Fields of `Wishes` for every album; an album's own wishes come first."""
    work_limit: int = DEFAULT_WORK
    block: int | None = None
    """Photos in a block, which one worker holds and writes at once; None: chosen from the data."""
    max_side: int | None = MAX_SIDE
    device: Device = "auto"
    """Where the embedded model runs; all other scorers run on the processor."""
    gpu: bool = False
    """Whether the embedded model runs on a GPU, as the driver found for the whole run."""
    decoders: int = 2
    """Processes that decode photos for each worker that scores; no output depends on it."""
    certificates: bool = False
    carry: tuple[str, ...] = ()
    """Columns of the input that go to the output as they are."""
    partition_by: tuple[str, ...] = ()
    """Columns whose values become folders of the output, such as `country=FR`."""
    schema: str = ""  # of the dataset, as the driver found it; workers need not look again
    basis: str = ""  # all that the plan of every album depends on: models, wishes, version
    update: bool = False
    """Whether an output of other data or wishes is brought up to date."""
    key: str = ""
    run: str = ""  # the id of this start of the run; no output depends on it

    def __post_init__(self) -> None:
        if self.block is not None and self.block < 1:
            raise InputError(f"a block holds one photo or more, not {self.block}")
        if self.max_side is not None and self.max_side < 1:
            raise InputError(f"a rendition is one pixel wide or more, not {self.max_side}")
        for name in (*self.carry, *self.partition_by):
            if name in albums_out().names:
                raise InputError(
                    f"{name} cannot be carried, for the output has a column of that name: "
                    "rename it in the input"
                )
        for name in self.partition_by:
            if name[:1] in {"", ".", "_"}:
                raise InputError(
                    f"{name} cannot be the name of folders, for folders whose names begin with . "
                    "or _ are not read: carry it, or rename it in the input"
                )
        merge_wishes(self.wishes)
        if self.device == "cuda" and not self.has_embedded:
            raise InputError(
                f"{' and '.join(self.scorers)} cannot run on a GPU, for only embedded has a form "
                "whose plans are proved again on the processor: use the device auto"
            )

    @property
    def carried(self) -> tuple[str, ...]:
        """All columns of the input that go to the output."""
        return tuple(dict.fromkeys((*self.carry, *self.partition_by)))

    @property
    def has_embedded(self) -> bool:
        """Whether one of the scorers is the embedded model, with any of its heads."""
        return any(spec.partition(":")[0] == "embedded" for spec in self.scorers)

    def to_json(self) -> str:
        """As text."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Settings:
        """From text."""
        record = json.loads(text)
        lists = {name: tuple(record[name]) for name in ("scorers", "carry", "partition_by")}
        return cls(**{**record, **lists})

    def fingerprint(self, models: Mapping[str, str], dataset: str) -> str:
        """All that the plan of every album depends on.

        `models` are the fingerprints of the scorers, `dataset` describes scores made elsewhere. The
        program's version is part of it: another solver may plan differently.
        """
        values = asdict(self)
        names = ("scorers", "wishes", "work_limit", "max_side", "device", "certificates")
        record = {name: values[name] for name in names}
        record |= {"models": dict(models), "dataset": dataset, "by": version("elsewhere")}
        return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()

    def options(self) -> dict[str, Any]:
        """What must be the same to continue a run, by the names of options."""
        values = asdict(self)
        wishes = {_OPTIONS.get(name, name): value for name, value in self.wishes.items()}
        options = {option: values[name] for name, option in _OPTIONS.items() if name in values}
        options |= {"the version of elsewhere": version("elsewhere")}
        plain: dict[str, Any] = json.loads(json.dumps(wishes | options))
        return plain

    def draw(self, album: str, digests: Sequence[str] = ()) -> Random:
        """The source of this album's secret k: the same at every attempt, on every engine.

        It depends on the photos' digests, or on the album's name where none are known.
        """
        return secret_draw(self.key.encode(), digests or [album])


def merge_wishes(*layers: Mapping[str, Any]) -> Wishes:
    """Wishes from plain values, of which the last count; InputError for a wrong one."""
    allowed = {wish.name for wish in fields(Wishes)} - _RUN_FIELDS - _EDIT_FIELDS
    merged: dict[str, Any] = {}
    for wishes in layers:
        for name, value in wishes.items():
            if name not in allowed:
                choices = ", ".join(sorted(allowed))
                raise InputError(f"there is no wish called {name!r}: choose among {choices}")
            merged[name] = _parse_wish(name, value)
        if wishes.get("budget") is not None and wishes.get("top") is not None:
            raise InputError("there are wishes for both top and budget: give one of them")
        if wishes.get("budget") is not None:
            merged["top"] = None
        elif wishes.get("top") is not None:
            merged["budget"] = None
    return Wishes(**merged)


@cache
def _validators() -> dict[str, TypeAdapter[Any]]:
    """By wish, the values that it can have."""
    count = Annotated[int, Field(ge=0, le=_MAX_COUNT)]
    number = Annotated[float, Field(allow_inf_nan=False)]
    short_text = Annotated[str, Field(max_length=len(str(_MAX_COUNT)))]
    kinds: dict[str, Any] = {
        **dict.fromkeys(("hide", "keep", "drop"), str | list[str] | tuple[str, ...]),
        **dict.fromkeys(("stars", "bursts", "exact_top", "strict"), bool),
        **dict.fromkeys(("hide_level", "prior"), str | None),
        "each_photo": bool | None,
        "values": dict[Any, Any] | None,
        "top": count | None,
        "budget": count | short_text | None,  # a number, or a share such as "10%"
        "margin": str | number,
        "radius_km": number,
    }
    strict = ConfigDict(strict=True)
    return {name: TypeAdapter(kind, config=strict) for name, kind in kinds.items()}


def _parse_wish(name: str, value: Any) -> Any:
    """One wish, in its type."""
    try:
        parsed = _validators()[name].validate_python(value)
    except ValidationError:
        raise InputError(f"the wish {name} cannot be {repr(value)[:80]}") from None
    if name == "margin":
        margin(parsed)  # refuses what is none
    if name in {"hide", "keep", "drop"}:
        return (parsed,) if isinstance(parsed, str) else tuple(parsed)
    return parsed

"""What all messages between server and page have in common."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Text = Annotated[str, Field(max_length=300)]
Name = Annotated[str, Field(max_length=4096)]
"""A photo's id, or a path: as long as a system allows."""
Chance = Annotated[float, Field(ge=0, le=1)]
PhotoState = Literal["seen", "shared", "withheld", "kept", "dropped", "posted"]
Level = Literal["cell", "city", "region", "country"]
Order = Literal["shuffled", "album"]
Names = Literal["neutral", "keep"]


class Told(BaseModel):
    """Whatever goes out."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Asked(BaseModel):
    """Whatever comes in: nothing that nobody asked for is taken."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Problem(Told):
    """What went wrong, in one sentence."""

    error: str
    field: str | None = None
    """What was typed wrongly, where that is known: an error is shown where it was made."""
    choices: list[str] = []
    """What may have been meant: names of places, each of which would be understood."""

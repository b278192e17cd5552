"""What the album adds to inference, taken apart: processor time of one photo, stage by stage.

Each stage is the job's own function, called in this process on one thread. The least of a few
turns counts for each photo, because whatever else the machine does can only add to it.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from elsewhere.album import Recipe
from elsewhere.album.decode import open_image, render_pixels
from elsewhere.album.renditions import encode_jpeg
from elsewhere.scorers.sessions import open_session
from elsewhere.scorers.tower import DRAFT_SIDE, WEIGHTS, preprocess, preprocess_file, read_record

LESS = 1920
"""A longest side that no fraction of a camera's photo comes near: it takes one resampling more."""


def measure(paths: Sequence[Path], recipe: Recipe, rounds: int) -> dict[str, float]:
    """Milliseconds of processor time a photo for each stage, the mean over the photos."""
    told = read_record()["tower"]
    run = open_session(WEIGHTS / told["file"], told["sha256"])
    ends = told["input"], told["output"]
    least: dict[tuple[str, Path], float] = {}

    def timed(stage: str, path: Path, work: Callable[..., Any], *given: Any) -> Any:
        start = time.thread_time()
        made = work(*given)
        spent = time.thread_time() - start
        least[stage, path] = min(spent, least.get((stage, path), spent))
        return made

    for _ in range(rounds):
        for path in paths:
            content = path.read_bytes()
            image = timed("decode", path, _picture, content, recipe.max_side)
            timed(f"decode to {LESS} px", path, _picture, content, LESS)
            rendition = timed("encode", path, encode_jpeg, image)
            small = timed("decode again", path, _decoded, rendition)
            timed("tensor", path, preprocess, small)
            tensor = preprocess_file(io.BytesIO(rendition))[None]
            timed("tower", path, run, tensor, *ends)
    stages = dict.fromkeys(stage for stage, _ in least)
    return {
        stage: round(1000 * mean(v for (name, _), v in least.items() if name == stage), 1)
        for stage in stages
    }


def _picture(content: bytes, side: int | None) -> Any:
    return render_pixels(open_image(content, "jpeg"), side)


def _decoded(rendition: bytes) -> Any:
    """The rendition as the model's view begins with it: no larger than it needs to be."""
    from PIL import Image

    image = Image.open(io.BytesIO(rendition), formats=["JPEG"])
    image.draft("RGB", (DRAFT_SIDE, DRAFT_SIDE))
    image.load()
    return image

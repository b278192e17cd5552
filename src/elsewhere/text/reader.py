"""Find and read the text of one picture: the PP-OCR detector and recogniser, under ONNX Runtime.

The detector looks three times: at the whole picture made smaller, for large letters; at the picture
as it is, for small ones; and enlarged, for the smallest, around what may be a small line, or was
not read for certain. The second and the third look are in tiles, whose maps are joined before lines
are searched, so that no line is cut; tiles without any contrast are left out. Each line is turned
upright and read. Where two looks read a line differently, both readings count.

The recogniser knows Latin letters with their accents, Greek, Chinese and Japanese. Of other scripts
it makes nothing, or nonsense with little confidence: such lines are reported as unread, never as no
text. What is read is limited by numbers, not by time, so that a picture always gives the same
lines.

This module runs in a worker process: `warm_up` loads the models before the cage closes.
"""

from __future__ import annotations

import hashlib
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import FileError
from elsewhere.platform import telemetry
from elsewhere.text.regions import MIN_SCORE, Floats, Region, find_regions
from elsewhere.values.photo_text import READ

if TYPE_CHECKING:
    from PIL import Image

Pixels = NDArray[np.uint8]

MODELS = Path(__file__).parent / "models"
_DETECTOR, _RECOGNISER = "PP-OCRv6_det_small.half.onnx", "PP-OCRv6_rec_small.half.onnx"
DIGESTS = {
    _DETECTOR: "b97fec9d98ff09c356fced24a8666068a64b1ca046bf0a02514983154bc83f0b",
    _RECOGNISER: "c56aabc30ae20b7e155b3141c50d758ef832f1bd305dbc3402edb75039604ba6",
}
SCRIPTS = ("Latin", "Greek", "Chinese", "Japanese")
"""What the recogniser knows."""
VERSION = 3
"""Counts up when the reading changes on purpose: what is cached is then read again."""
MAX_PIXELS = 16_000_000
"""Larger pictures are made smaller first."""
MAX_LINES = 150
"""Lines of a picture that are read, the largest first; more are only counted."""
GUESSED = 0.6
"""The least mean probability of its letters for a line's text to be mentioned at all; to count as
read it takes `READ`. Measured on drawn signs: nine in ten lines of known scripts have above 0.92,
and nine in ten of other scripts below 0.9."""

_COARSE_SIDE = 640
"""The longest side at the first look."""
_FINE_SIDE, _FINE_SCALE = 2_048, 0.75
"""Pictures above this size are searched at this scale: letters of 8 pixels are still found."""
_ENLARGED = 1.5
"""How many times its size a picture is searched at in the third look."""
_SUSPECTED = 0.35
"""The least score of a region around which the third look is; a line has more. Measured: drawn
letters of 4 to 6 pixels that can be read when enlarged have at least 0.45 before, and leaves and
waves seldom 0.4."""
_CERTAIN = 0.97
"""What is read with this confidence is not looked at again."""
_PART, _MARGIN, _MAX_PARTS = 128, 16, 4
"""The third look is in rows of at most so many parts of this side, with what lies around them."""
_SMALLEST = 24
"""Higher lines are left to the other looks."""
_TILE, _OVERLAP = 640, 32
_SMALL = 96
"""Higher letters are left to the first look: in a tile of its own, an object may pass for one."""
_MIN_HEIGHT, _MAX_HEIGHT = 7, 0.6
"""Lower lines, in pixels, cannot be read; higher ones, as a share of the picture, are lines only
where something can be read in them."""
_STEP = 32
"""Sides of the detector's input are multiples of this."""
_BLOCK, _MIN_CONTRAST, _MIN_BLOCKS = 16, 28, 3
"""A tile is looked at when so many of its blocks have this range of brightness."""
LINE_HEIGHT, _MAX_WIDTH = 48, 1_600
"""Of a line as the recogniser sees it."""
_BATCH_COLUMNS = 1_920
_SAME = 0.6
"""Rectangles that overlap by this share of their union are one line."""


def warm_up() -> None:
    """Load the models and every module that reading needs; later no file can be opened."""
    from PIL import Image

    file = io.BytesIO()
    # large enough for the second look
    Image.effect_noise((2 * _COARSE_SIDE, _STEP), 64).convert("RGB").save(file, "JPEG")
    read({"contents": [file.getvalue()]})
    marked = np.zeros((64, 64), np.float32)
    marked[20:30, 8:56] = 1
    lines, _ = find_regions(marked)
    picture = Image.new("RGB", (64, 64))
    crops = [_crop(picture, line) for line in lines]
    _read_lines(crops)
    _grey(crops[0])
    find_small_lines(picture, lines)


def read(request: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
    """The task of a worker: the lines of one JPEG, and the unread ones as pictures on request.

    A line is [text, confidence, left, top, right, bottom, height], in pixels of the picture; the
    text is empty where it could not be read. `others`, where it is there, has further readings of
    lines: the number of the line, text, confidence. With `crops`, as many unread lines, the largest
    first, come along as grey pixels, `LINE_HEIGHT` rows each: whoever gets them needs no decoder.
    With `enlarged`, all of the picture is read at so many times its size.
    """
    from PIL.JpegImagePlugin import JpegImageFile

    image: Image.Image = JpegImageFile(io.BytesIO(request["contents"][0])).convert("RGB")
    size = image.size
    scale = max(1 / request.get("enlarged", 1), math.sqrt(size[0] * size[1] / MAX_PIXELS))
    if scale != 1:
        image = image.resize((round(size[0] / scale), round(size[1] / scale)))
    found, more = _read_all(image, enlarge=scale >= 1)
    lines: list[list[Any]] = []
    unread: list[int] = []
    others: list[tuple[int, str, float]] = []
    for number, line in enumerate(found):
        corners = line.region.corners() * scale
        left, top = np.clip(np.floor(corners.min(axis=0)), 0, size).astype(int).tolist()
        right, bottom = np.clip(np.ceil(corners.max(axis=0)), 0, size).astype(int).tolist()
        (text, confidence), *further = line.readings
        lines.append(
            [
                text if _is_guessed(text, confidence) else "",
                round(confidence, 4),
                *(left, top, right, bottom),
                round(line.region.height * scale, 1),
            ]
        )
        others += [(number, other, round(sure, 4)) for other, sure in further]
        if confidence < READ:
            unread.append(number)
    wanted = unread[: int(request.get("crops", 0))]
    blobs = [_grey(found[number].crop) for number in wanted]
    answer: dict[str, Any] = {"lines": lines, "more": more, "crops": wanted}
    return answer | ({"others": others} if others else {}), blobs


@dataclass
class _FoundLine:
    """A line of text in a picture, with what it may say: the surest reading first."""

    region: Region
    crop: Pixels
    readings: list[tuple[str, float]]

    @property
    def is_guessed(self) -> bool:
        return _is_guessed(*self.readings[0])

    @property
    def is_certain(self) -> bool:
        """Whether another look has nothing to add."""
        return self.is_guessed and self.readings[0][1] >= _CERTAIN

    def add(self, text: str, confidence: float) -> None:
        """Another reading, where it says something else."""
        if _is_guessed(text, confidence) and all(text != known for known, _ in self.readings):
            known = [reading for reading in self.readings if _is_guessed(*reading)]
            self.readings = sorted([*known, (text, confidence)], key=lambda one: -one[1])


def _is_guessed(text: str, confidence: float) -> bool:
    return confidence >= GUESSED and bool(text.strip())


def _read_all(image: Image.Image, *, enlarge: bool) -> tuple[list[_FoundLine], int]:
    """The lines of a picture, those of the third look last, and how many more there are."""
    first = find_lines(image)
    regions = sorted(first.lines, key=lambda region: -region.height * region.width)
    tallest = _MAX_HEIGHT * min(image.size)
    read_first = _read_regions(image, regions[:MAX_LINES])
    found = [line for line in read_first if line.region.height <= tallest or line.is_guessed]
    unsure = [line.region for line in found if not line.is_certain]
    small, more = find_small_lines(image, first.suspected + unsure) if enlarge else ([], 0)
    more += first.more + max(0, len(regions) - MAX_LINES)
    held = _held(small, [line.region for line in found])
    again = [
        (found[number], region)
        for number, region in zip(held, small, strict=True)
        if number is not None and not found[number].is_certain
    ][:MAX_LINES]
    for (line, _), other in zip(again, _read_regions(image, [r for _, r in again]), strict=True):
        line.add(*other.readings[0])
    new = [region for number, region in zip(held, small, strict=True) if number is None]
    room = MAX_LINES - len(found)
    return found + _read_regions(image, new[:room]), more + max(0, len(new) - room)


def _read_regions(image: Image.Image, regions: list[Region]) -> list[_FoundLine]:
    crops = [_crop(image, region) for region in regions]
    return [
        _FoundLine(region, crop, [reading])
        for region, crop, reading in zip(regions, crops, _read_lines(crops), strict=True)
    ]


@dataclass(frozen=True)
class FirstLooks:
    """What the first two looks at a picture found."""

    lines: list[Region]
    suspected: list[Region]
    """What may be a line that is too small for these looks."""
    more: int
    """Lines beyond those that can be measured."""


def find_lines(image: Image.Image) -> FirstLooks:
    """The lines of text in a picture, as it is and made smaller."""
    fine_factor = 1 / _FINE_SCALE if max(image.size) > _FINE_SIDE else 1.0
    coarse_factor = max(1.0, max(image.size) / _COARSE_SIDE)
    coarse, more = find_regions(_detect(_reduced(image, coarse_factor)), _SUSPECTED)
    lines, suspected = _split([line.scaled(coarse_factor) for line in coarse])
    if coarse_factor > fine_factor:
        marks = _detect_tiles(_reduced(image, fine_factor))
        all_fine, more_fine = find_regions(marks, _SUSPECTED)
        fine, suspected = _split(all_fine)
        small = [line.scaled(fine_factor) for line in fine if line.height <= _SMALL]
        lines = small + [
            line for line in lines if not any(_overlap(line, other) > _SAME for other in small)
        ]
        more = max(more, more_fine)
        suspected = [line.scaled(fine_factor) for line in suspected]
    suspected += [line for line in lines if line.height < _MIN_HEIGHT]
    lines = [line for line in lines if line.height >= _MIN_HEIGHT]
    return FirstLooks(lines, suspected, more)


def _split(regions: list[Region]) -> tuple[list[Region], list[Region]]:
    """The lines among some regions, and the others."""
    lines = [region for region in regions if region.score >= MIN_SCORE]
    return lines, [region for region in regions if region.score < MIN_SCORE]


def find_small_lines(image: Image.Image, around: list[Region]) -> tuple[list[Region], int]:
    """The small lines around some regions of a picture, enlarged; regions of large ones do not
    count. Returned are the longest first, and how many more there are than can be measured."""
    parts = np.zeros((-(-image.height // _PART), -(-image.width // _PART)), bool)
    for region in around:
        if region.height <= _SMALLEST:
            low, high = _upright(region)
            left, top = (np.maximum(low, 0) // _PART).astype(int).tolist()
            right, bottom = (np.maximum(high, 0) // _PART).astype(int).tolist()
            parts[top : bottom + 1, left : right + 1] = True
    if not parts.any():
        return [], 0
    zoom = min(_ENLARGED, math.sqrt(MAX_PIXELS / (image.width * image.height)))
    marks = np.zeros((round(image.height * zoom), round(image.width * zoom)), np.float32)
    for row, start, end in _runs(parts):
        left, top = max(0, start * _PART - _MARGIN), max(0, row * _PART - _MARGIN)
        right = min(image.width, end * _PART + _MARGIN)
        bottom = min(image.height, (row + 1) * _PART + _MARGIN)
        x0, y0, x1, y1 = (round(edge * zoom) for edge in (left, top, right, bottom))
        part = image.crop((left, top, right, bottom)).resize((x1 - x0, y1 - y0))
        target = marks[y0:y1, x0:x1]
        np.maximum(target, _detect(np.asarray(part)), out=target)
    lines, more = find_regions(marks)
    small = [
        line.scaled(1 / zoom)
        for line in lines
        if line.height >= _MIN_HEIGHT and line.height <= _SMALLEST * zoom
    ]
    return sorted(small, key=lambda line: -line.width), more


def _runs(parts: NDArray[np.bool_]) -> Iterator[tuple[int, int, int]]:
    """Marked parts that lie in a row: the row, the first, and the one after the last."""
    for row, marked in enumerate(parts.tolist()):
        start = 0
        for end in range(1, len(marked) + 1):
            is_last = end == len(marked) or not marked[end] or end - start == _MAX_PARTS
            if not marked[end - 1]:
                start = end
            elif is_last:
                yield row, start, end
                start = end


def _reduced(image: Image.Image, factor: float) -> Pixels:
    if factor == 1:
        return np.asarray(image)
    size = max(1, round(image.width / factor)), max(1, round(image.height / factor))
    return np.asarray(image.resize(size, reducing_gap=2.0))


def _detect(pixels: Pixels) -> NDArray[np.float32]:
    """The probability of text at each pixel."""
    height, width = pixels.shape[:2]
    padding = ((0, -height % _STEP), (0, -width % _STEP), (0, 0))
    padded = np.pad(pixels, padding, mode="edge")[:, :, ::-1]  # the models know BGR
    tensor = np.ascontiguousarray(padded.transpose(2, 0, 1)[None], np.float32)
    tensor /= 127.5
    tensor -= 1.0
    probabilities: NDArray[np.float32] = _session(_DETECTOR).run(None, {"x": tensor})[0][0, 0]
    return probabilities[:height, :width]


def _detect_tiles(pixels: Pixels) -> NDArray[np.float32]:
    """The same, tile by tile; tiles overlap, and the higher probability counts."""
    height, width = pixels.shape[:2]
    result = np.zeros((height, width), np.float32)
    contrast = _contrast(pixels)
    tops = np.linspace(0, height, -(-height // _TILE) + 1).astype(int).tolist()
    lefts = np.linspace(0, width, -(-width // _TILE) + 1).astype(int).tolist()
    for top, end in pairwise(tops):
        for left, right_end in pairwise(lefts):
            y, x = max(0, top - _OVERLAP), max(0, left - _OVERLAP)
            bottom, right = min(height, end + _OVERLAP), min(width, right_end + _OVERLAP)
            blocks = contrast[y // _BLOCK : -(-bottom // _BLOCK), x // _BLOCK : -(-right // _BLOCK)]
            if (blocks >= _MIN_CONTRAST).sum() < _MIN_BLOCKS:
                continue
            target = result[y:bottom, x:right]
            np.maximum(target, _detect(pixels[y:bottom, x:right]), out=target)
    return result


def _contrast(pixels: Pixels) -> Pixels:
    """The range of brightness in each block of a picture."""
    grey = pixels[:, :, 1]  # green is most of the brightness, and no work
    height, width = grey.shape
    padded = np.pad(grey, ((0, -height % _BLOCK), (0, -width % _BLOCK)), mode="edge")
    blocks = padded.reshape(len(padded) // _BLOCK, _BLOCK, -1, _BLOCK)
    spread: Pixels = blocks.max(axis=(1, 3)) - blocks.min(axis=(1, 3))
    return spread


def _overlap(a: Region, b: Region) -> float:
    """The share of the union of two lines' upright rectangles that both cover."""
    (low_a, high_a), (low_b, high_b) = _upright(a), _upright(b)
    both = np.prod(np.maximum(0, np.minimum(high_a, high_b) - np.maximum(low_a, low_b)))
    union = np.prod(high_a - low_a) + np.prod(high_b - low_b) - both
    return float(both / union)


def _upright(line: Region) -> tuple[Floats, Floats]:
    """The upper left and the lower right corner of the upright rectangle around a line."""
    corners = line.corners()
    return corners.min(axis=0), corners.max(axis=0)


def _held(lines: list[Region], others: list[Region]) -> list[int | None]:
    """For each line the number of that of the others which holds most of it, if any does."""
    if not lines or not others:
        return [None] * len(lines)
    low, high = (np.array(edges) for edges in zip(*map(_upright, others), strict=True))
    held: list[int | None] = []
    for line in lines:
        top_left, bottom_right = _upright(line)
        both = np.maximum(0, np.minimum(high, bottom_right) - np.maximum(low, top_left))
        shares = both.prod(axis=1) / np.prod(bottom_right - top_left)
        best = int(shares.argmax())
        held.append(best if shares[best] > _SAME else None)
    return held


def _crop(image: Image.Image, region: Region) -> Pixels:
    """One line, upright, as high as the recogniser wants it."""
    from PIL import Image as Pillow

    width = max(1, min(_MAX_WIDTH, round(LINE_HEIGHT * region.width / max(region.height, 1e-6))))
    corners = region.corners()
    margin = 2
    low = np.maximum(np.floor(corners.min(axis=0)) - margin, 0).astype(int)
    high = np.minimum(np.ceil(corners.max(axis=0)) + margin, image.size).astype(int)
    if (high <= low).any():
        return np.zeros((LINE_HEIGHT, width, 3), np.uint8)
    reduction = max(1, int(region.height // (2 * LINE_HEIGHT)))
    part = image.crop((*low.tolist(), *high.tolist()))
    if reduction > 1:
        part = part.reduce(reduction)
    upper_left, upper_right, _, lower_left = (corners - low) / reduction
    along, down = (upper_right - upper_left) / width, (lower_left - upper_left) / LINE_HEIGHT
    matrix = (along[0], down[0], upper_left[0], along[1], down[1], upper_left[1])
    line = part.transform(
        (width, LINE_HEIGHT), Pillow.Transform.AFFINE, matrix, Pillow.Resampling.BICUBIC
    )
    return np.asarray(line)


def _read_lines(crops: list[Pixels]) -> list[tuple[str, float]]:
    """The text of each line and its confidence; a line that makes no sense is read upside down."""
    results = _recognise(crops)
    doubtful = [n for n, (_, confidence) in enumerate(results) if confidence < READ]
    turned = _recognise([crops[n][::-1, ::-1] for n in doubtful])
    for number, other in zip(doubtful, turned, strict=True):
        # a nonsense line of another script must not become text by being tried twice
        if other[1] >= READ:
            results[number] = other
    return results


def _recognise(crops: list[Pixels]) -> list[tuple[str, float]]:
    """The text of each line and the mean probability of its letters."""
    results: list[tuple[str, float]] = [("", 0.0)] * len(crops)
    order = sorted(range(len(crops)), key=lambda n: crops[n].shape[1])
    letters = _letters()
    while order:
        width = max(LINE_HEIGHT, crops[order[-1]].shape[1])
        batch = order[-max(1, _BATCH_COLUMNS // width) :]
        del order[-len(batch) :]
        tensor = np.zeros((len(batch), 3, LINE_HEIGHT, width), np.float32)
        for row, number in enumerate(batch):
            pixels = crops[number][:, :, ::-1].transpose(2, 0, 1)
            tensor[row, :, :, : pixels.shape[2]] = pixels / np.float32(127.5) - np.float32(1)
        output = _session(_RECOGNISER).run(None, {"x": tensor})[0]
        best, probability = output.argmax(axis=2), output.max(axis=2)
        for row, number in enumerate(batch):
            # one column a letter: neither blank nor a repetition of the column before
            new = (best[row] > 0) & (np.diff(best[row], prepend=0) != 0)
            text = "".join(letters[index] for index in best[row][new].tolist())
            confidence = float(probability[row][new].mean()) if new.any() else 0.0
            results[number] = text, confidence
    return results


def _grey(crop: Pixels) -> bytes:
    from PIL import Image as Pillow

    return Pillow.fromarray(crop).convert("L").tobytes()


@cache
def _letters() -> list[str]:
    """What the recogniser's classes stand for; 0 is none."""
    known = _session(_RECOGNISER).get_modelmeta().custom_metadata_map["character"]
    return ["", *known.split("\n"), " "]


@cache
def _session(name: str) -> Any:
    """One model on one thread, verified."""
    if telemetry.ONNX_RUNTIME_REPORTS:
        raise FileError("onnxruntime was imported before elsewhere: import elsewhere first")
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    try:
        content = (MODELS / name).read_bytes()
    except OSError:
        content = b""
    if hashlib.sha256(content).hexdigest() != DIGESTS[name]:
        raise FileError(f"the text model {name} is missing or damaged: install elsewhere again")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])

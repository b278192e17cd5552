"""Find and read the text of one picture: the PP-OCR detector and recogniser, under ONNX Runtime.

The detector looks twice: at the whole picture made smaller, for large letters, and at the picture
as it is, for small ones. The second look is in tiles, whose maps are joined before lines are
searched, so that no line is cut; tiles without any contrast are left out. Each line is turned
upright and read.

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
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import FileError
from elsewhere.platform import telemetry
from elsewhere.text.regions import Region, find_regions
from elsewhere.values.photo_text import READ

if TYPE_CHECKING:
    from PIL import Image

Pixels = NDArray[np.uint8]

MODELS = Path(__file__).parent / "models"
_DETECTOR, _RECOGNISER = "PP-OCRv6_det_small.half.onnx", "PP-OCRv6_rec_small.half.onnx"
DIGESTS = {
    _DETECTOR: "91322f70f093c4ba81c486074198b0b3718cf7badf2934d187aea4fa579b1d29",
    _RECOGNISER: "6294734097702a024a64c4d8c3cbefdedf212884cc59180fc8d6e029c18ebe56",
}
SCRIPTS = ("Latin", "Greek", "Chinese", "Japanese")
"""What the recogniser knows."""
VERSION = 1
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
_FINE_SIDE, _FINE_SCALE = 1_280, 0.75
"""Pictures above this size are searched at this scale: letters of 8 pixels are still found."""
_TILE, _OVERLAP = 640, 32
_SMALL = 96
"""Higher letters are left to the first look: in a tile of its own, an object may pass for one."""
_MIN_HEIGHT, _MAX_HEIGHT = 7, 0.6
"""Lower lines, in pixels, cannot be read; higher ones, as a share of the picture, are no lines."""
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
    crops = [_crop(Image.new("RGB", (64, 64)), line) for line in lines]
    _read_lines(crops)
    _grey(crops[0])


def read(request: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
    """The task of a worker: the lines of one JPEG, and the unread ones as pictures on request.

    A line is [text, confidence, left, top, right, bottom, height], in pixels of the picture; the
    text is empty where it could not be read. With `crops`, as many unread lines, the largest
    first, come along as grey pixels, `LINE_HEIGHT` rows each: whoever gets them needs no decoder.
    With `enlarged`, the picture is read at so many times its size, for letters that are too small.
    """
    from PIL.JpegImagePlugin import JpegImageFile

    image: Image.Image = JpegImageFile(io.BytesIO(request["contents"][0])).convert("RGB")
    size = image.size
    scale = max(1 / request.get("enlarged", 1), math.sqrt(size[0] * size[1] / MAX_PIXELS))
    if scale != 1:
        image = image.resize((round(size[0] / scale), round(size[1] / scale)))
    regions, more = find_lines(image)
    regions.sort(key=lambda region: -region.height * region.width)
    more += max(0, len(regions) - MAX_LINES)
    del regions[MAX_LINES:]
    crops = [_crop(image, region) for region in regions]
    texts = _read_lines(crops)
    lines: list[list[Any]] = []
    unread: list[int] = []
    for number, (region, (text, confidence)) in enumerate(zip(regions, texts, strict=True)):
        corners = region.corners() * scale
        left, top = np.clip(np.floor(corners.min(axis=0)), 0, size).astype(int).tolist()
        right, bottom = np.clip(np.ceil(corners.max(axis=0)), 0, size).astype(int).tolist()
        is_guessed = confidence >= GUESSED and bool(text.strip())
        lines.append(
            [
                text if is_guessed else "",
                round(confidence, 4),
                *(left, top, right, bottom),
                round(region.height * scale, 1),
            ]
        )
        if confidence < READ:
            unread.append(number)
    wanted = unread[: int(request.get("crops", 0))]
    blobs = [_grey(crops[number]) for number in wanted]
    return {"lines": lines, "more": more, "crops": wanted}, blobs


def find_lines(image: Image.Image) -> tuple[list[Region], int]:
    """The lines of text in a picture, and how many more there are than can be measured."""
    fine_factor = 1 / _FINE_SCALE if max(image.size) > _FINE_SIDE else 1.0
    coarse_factor = max(1.0, max(image.size) / _COARSE_SIDE)
    coarse, more = find_regions(_detect(_reduced(image, coarse_factor)))
    lines = [line.scaled(coarse_factor) for line in coarse]
    if coarse_factor > fine_factor:
        fine, more_fine = find_regions(_detect_tiles(_reduced(image, fine_factor)))
        small = [line.scaled(fine_factor) for line in fine if line.height <= _SMALL]
        lines = small + [
            line for line in lines if not any(_overlap(line, other) > _SAME for other in small)
        ]
        more = max(more, more_fine)
    largest = _MAX_HEIGHT * min(image.size)
    return [line for line in lines if _MIN_HEIGHT <= line.height <= largest], more


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
    boxes = [(corners.min(axis=0), corners.max(axis=0)) for corners in (a.corners(), b.corners())]
    (low_a, high_a), (low_b, high_b) = boxes
    both = np.prod(np.maximum(0, np.minimum(high_a, high_b) - np.maximum(low_a, low_b)))
    union = np.prod(high_a - low_a) + np.prod(high_b - low_b) - both
    return float(both / union)


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

"""The scorer `embedded`, the default: CLIP ViT-B/16 and our head, on the CPU, offline.

The weights are in the package. `model.json` beside them records the SHA-256 of each file, the cells
they were trained on and how albums are calibrated; a file that does not match is refused. Behind a
colon stands one of two other heads for the same tower, each trained on half of the photos: second
opinions at almost no cost where the tower has run on the photo already.

Training and this module share `preprocess`: a head trained on one view and run on another is
quietly worse. The view is the whole photo squashed to a square (measured as good as three crops).

The head maps the features by a few small networks into GeoCLIP's location space, where each cell
has a vector; the cosines decide, and the networks' scores are averaged. A linear recogniser of the
trained landmarks then lifts a landmark's cell, and only when it is sure. One row at a time, because
a batched product may round a row differently next to other rows.
"""

from __future__ import annotations

import hashlib
import io
import json
import threading
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from elsewhere.errors import FileError, InputError, ScorerError
from elsewhere.globe import Cells
from elsewhere.scorers.protocol import Photo, Row, ScorerInfo, log_softmax
from elsewhere.scorers.sessions import Session, open_session, read_verified

if TYPE_CHECKING:
    from PIL import Image

Floats = npt.NDArray[np.float32]
Features = npt.NDArray[np.float32]

WEIGHTS = Path(__file__).parent / "weights"
HALVES = ("half_a", "half_b")
"""Heads trained on disjoint halves of the photos."""
PREPARATION = 1
"""Counts up when decoding or preparing a photo changes on purpose: old rows are not used."""
HEAD_FORMAT = 1

SIDE = 224
"""Pixels on a side of the tower's input."""
MEAN = (0.48145466, 0.4578275, 0.40821073)
STD = (0.26862954, 0.26130258, 0.27577711)
"""CLIP's own normalisation, per channel of RGB in 0..1."""
DRAFT_SIDE = 2 * SIDE
"""A JPEG may be decoded at reduced scale as long as both sides stay at least this long."""
MAX_REMEMBERED = 2048
"""Photos whose features are remembered, at 2 kB each."""

# x / 255 normalised is x * SCALE + SHIFT: one multiplication and one addition a value.
_SCALE = (1.0 / (255.0 * np.array(STD))).astype(np.float32).reshape(3, 1, 1)
_SHIFT = (-np.divide(MEAN, STD)).astype(np.float32).reshape(3, 1, 1)
_GELU = np.float32(0.7978845608028654)  # the square root of 2 / pi
_PRODUCT = "d,dh->h"
"""Row times matrix by einsum, without the BLAS: photos are scored in parallel, and for so small a
product its threads cost ten times what they save (measured 4 ms against 0.1 ms on two cores)."""

_known: OrderedDict[tuple[str, bytes], Features] = OrderedDict()
_lock = threading.Lock()


def preprocess(image: Image.Image) -> Floats:
    """The (3, 224, 224) float32 tensor of a decoded or freshly opened picture.

    A freshly opened JPEG is decoded at reduced scale: of a 12-megapixel photo only a twentieth of
    the pixels would survive the squashing anyway.
    """
    from PIL import Image as Pillow

    image.draft("RGB", (DRAFT_SIDE, DRAFT_SIDE))
    flat = image if image.mode == "RGB" else image.convert("RGB")
    small = flat.resize((SIDE, SIDE), Pillow.Resampling.BICUBIC)
    pixels = np.asarray(small, dtype=np.uint8).transpose(2, 0, 1).astype(np.float32, order="C")
    pixels *= _SCALE  # in place: five times as fast, the same bits
    pixels += _SHIFT
    return pixels


def preprocess_file(source: str | Path | IO[bytes], **open_options: Any) -> Floats:
    """Open a photo, turn it upright as its metadata says, and :func:`preprocess` it."""
    from PIL import Image as Pillow, ImageOps

    with Pillow.open(source, **open_options) as image:
        image.draft("RGB", (DRAFT_SIDE, DRAFT_SIDE))
        return preprocess(ImageOps.exif_transpose(image))


def cached_features(tower: str, photo: Photo, infer: Callable[[Photo], Features]) -> Features:
    """The features of a photo by the tower with this digest: remembered, or inferred now.

    The tower is nearly all of the work and a head nearly none, so several heads share its result.
    Only bytes in memory are recognised, by their digest; nothing is written anywhere.
    """
    if photo.held is None:
        return infer(photo)
    key = tower, hashlib.sha256(photo.held).digest()
    with _lock:
        features = _known.get(key)
        if features is not None:
            _known.move_to_end(key)
            return features
    features = infer(photo)
    with _lock:
        _known[key] = features
        while len(_known) > MAX_REMEMBERED:
            _known.popitem(last=False)
    return features


def forget_features() -> None:
    """Forget all remembered features."""
    with _lock:
        _known.clear()


@dataclass(frozen=True)
class Head:
    """Plain arrays: E networks with H hidden units, D features, C cells, L landmarks."""

    mean: Floats  # (D,) of the features, once they have length √D
    std: Floats  # (D,)
    w1: Floats  # (E, D, H)
    b1: Floats  # (E, H)
    w2: Floats  # (E, H, 512)
    b2: Floats  # (E, 512)
    cells: Floats  # (512, C) unit vectors, as columns
    scale: Floats  # (E,)
    bias: Floats  # (E, C)
    landmark_w: Floats  # (D, L + 1), "none of them" last
    landmark_b: Floats  # (L + 1,)
    landmark_cell: npt.NDArray[np.int64]  # (L,)
    gate: Floats  # (slope, threshold) of the lift, in nats
    temperature: Floats  # () calibrates single photos

    @classmethod
    def read(cls, content: bytes) -> Head:
        """The head in the bytes of an ``.npz`` file; half-precision weights are widened once."""
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as stored:
                version = int(stored["format"])
                arrays = {
                    name: stored[name].astype(np.int64 if name == "landmark_cell" else np.float32)
                    for name in cls.__dataclass_fields__
                }
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            raise FileError(
                "the embedded model's head is not a file of the kind this version reads: "
                "install elsewhere again"
            ) from None
        if version != HEAD_FORMAT:
            raise FileError(
                f"the embedded model's head has format {version} and this version reads "
                f"{HEAD_FORMAT}: install elsewhere again"
            )
        return cls(**arrays)

    def log_probabilities(self, features: npt.ArrayLike) -> Floats:
        """Natural-log probabilities (N, C) of features (N, D), or (C,) of one row (D,)."""
        row = np.asarray(features, dtype=np.float32)
        if row.ndim > 1:
            return np.stack([self.log_probabilities(each) for each in row])
        length = max(float(np.linalg.norm(row)), 1e-12)
        x = row * np.float32(len(row) ** 0.5 / length)
        standard = (x - self.mean) / self.std
        total = np.zeros(self.cells.shape[1], dtype=np.float64)
        for w1, b1, w2, b2, scale, bias in zip(
            self.w1, self.b1, self.w2, self.b2, self.scale, self.bias, strict=True
        ):
            h = np.einsum(_PRODUCT, standard, w1) + b1
            h = np.float32(0.5) * h * (1 + np.tanh(_GELU * (h + np.float32(0.044715) * h * h * h)))
            z = np.einsum(_PRODUCT, h, w2) + b2
            z = z / max(float(np.linalg.norm(z)), 1e-12)
            total += log_softmax(np.einsum(_PRODUCT, z, self.cells) * scale + bias)
        scores = total / len(self.w1)
        landmarks = log_softmax(np.einsum(_PRODUCT, standard, self.landmark_w) + self.landmark_b)
        odds = landmarks[:-1] - landmarks[-1]
        lift = np.zeros_like(scores)
        np.maximum.at(lift, self.landmark_cell, self.gate[0] * odds - self.gate[1])
        return log_softmax((scores + lift) / float(self.temperature)).astype(np.float32)


def make(argument: str) -> EmbeddedScorer:
    """The scorer `embedded`, `embedded:half_a` or `embedded:half_b`."""
    if argument and argument not in HALVES:
        raise InputError(
            f'the scorer embedded takes only {" or ".join(HALVES)} after a colon, not "{argument}"'
        )
    return EmbeddedScorer(head=argument or "head")


@dataclass(eq=False)
class EmbeddedScorer:
    """Tower and head from one folder."""

    weights: Path = WEIGHTS
    head: str = "head"
    _about: ScorerInfo | None = field(default=None, init=False)

    def load(self) -> ScorerInfo:
        """Verify and read everything; the tower's session is shared by all scorers."""
        if self._about is None:
            record = read_record(self.weights)
            cells = Cells.default()
            if record["cells"] != cells.fingerprint:
                raise ScorerError(
                    "the embedded model was trained on other cells than this version has: "
                    "install elsewhere again"
                )
            tower, head = record["tower"], record[self.head]
            self._session: Session = open_session(self.weights / tower["file"], tower["sha256"])
            self._ends = tower["input"], tower["output"]
            self._head = Head.read(read_verified(self.weights / head["file"], head["sha256"]))
            # over everything that decides the rows, and nothing else in the record
            seal = f"embedded {PREPARATION} {tower['sha256']} {head['sha256']} {record['cells']}"
            name, accuracy = f"embedded:{self.head}", {}
            if self.head == "head":  # the halves are for comparison, and not measured
                measured = record["accuracy"]
                parts = {"": measured["never_seen"], **measured["never_seen_by_region"]}
                name = "embedded"
                accuracy = {
                    part: {
                        int(key.removeprefix("within_")): float(share)
                        for key, share in shares.items()
                        if key.startswith("within_")
                    }
                    for part, shares in parts.items()
                }
            self._about = ScorerInfo(
                name=name,
                fingerprint=hashlib.sha256(seal.encode()).hexdigest(),
                cells=cells.count,
                grid=cells.fingerprint,
                globe=cells,
                exponents={int(n): float(e) for n, e in record["album_exponents"].items()},
                accuracy=accuracy,
            )
        return self._about

    def score(self, photo: Photo) -> Row:
        """Decode, one forward pass, head."""
        features = cached_features(
            self._session.sha256,
            photo,
            lambda photo: self._session(preprocess(photo.image((SIDE, SIDE)))[None], *self._ends)[
                0
            ],
        )
        return self._head.log_probabilities(features)


def read_record(weights: Path = WEIGHTS) -> dict[str, Any]:
    """The contents of `model.json`, about the files beside it."""
    path = weights / "model.json"
    try:
        record: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        raise FileError(
            f"the embedded model's record {path.name} is missing or damaged: "
            "install elsewhere again"
        ) from None
    return record

"""What scorers with a tower in the package share: preparing photos, features, loading.

A tower sees a photo once and makes a few hundred numbers of it, the features; a head makes a row of
these. The weights are in the package. A record beside them has the SHA-256 of each file, the cells
they were trained on and how albums are calibrated; a file that does not match is refused.

Training and these scorers share `preprocess`: a head trained on one view and run on another is
quietly worse. The view is the whole photo squashed to a square (measured as good as three crops).
"""

from __future__ import annotations

import hashlib
import io
import json
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ClassVar

import numpy as np

from elsewhere.errors import FileError, ScorerError
from elsewhere.globe import Cells
from elsewhere.scorers.heads import Floats, Head, LeafHead, LeafVectors, PaperHead
from elsewhere.scorers.protocol import FeatureInfo, Features, Photo, Row, ScorerInfo
from elsewhere.scorers.sessions import Session, open_session, read_verified

if TYPE_CHECKING:
    from PIL import Image

WEIGHTS = Path(__file__).parent / "weights"
PREPARATION = 1
"""Counts up when decoding or preparing a photo changes on purpose: old rows are not used."""

SIDE = 224
"""Pixels on a side of a tower's input."""
MEAN = (0.48145466, 0.4578275, 0.40821073)
STD = (0.26862954, 0.26130258, 0.27577711)
"""CLIP's own normalisation, per channel of RGB in 0..1."""
DRAFT_SIDE = 2 * SIDE
"""A JPEG may be decoded at reduced scale as long as both sides stay at least this long."""
MAX_REMEMBERED = 4096
"""Features of photos that are remembered, at 2 or 3 kB each."""

# x / 255 normalised is x * SCALE + SHIFT: one multiplication and one addition a value.
_SCALE = (1.0 / (255.0 * np.array(STD))).astype(np.float32).reshape(3, 1, 1)
_SHIFT = (-np.divide(MEAN, STD)).astype(np.float32).reshape(3, 1, 1)

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


def tower_view(photo: Photo) -> bytes:
    """A PNG of what towers see of a photo: they make the same features of it, bit by bit."""
    from PIL import Image as Pillow

    image = photo.image((SIDE, SIDE))
    small = image.resize((SIDE, SIDE), Pillow.Resampling.BICUBIC)
    stream = io.BytesIO()
    small.save(stream, "PNG", compress_level=1)
    return stream.getvalue()


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


@dataclass(eq=False)
class TowerScorer:
    """Tower and head from one folder."""

    NAME: ClassVar[str]
    RECORD: ClassVar[str]
    """The file that describes the others."""
    FORM: ClassVar[str] = ""
    """How the tower is run, where not as it is stored; part of the fingerprints."""

    weights: Path = WEIGHTS
    head: str = "head"
    _about: ScorerInfo | None = field(default=None, init=False)

    def choose_part(self, record: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """The part of the record that describes the head, and the head's entry there."""
        return record, self.head

    def load(self) -> ScorerInfo:
        """Verify and read everything; tower and leaves are shared by all scorers."""
        if self._about is None:
            record = read_record(self.weights, self.RECORD)
            part, entry = self.choose_part(record)
            leaves = part.get("leaves")
            cells = Cells.leaves() if leaves else Cells.paper()
            if part["cells"] != cells.fingerprint:
                raise ScorerError(
                    f"the {self.NAME} model was trained on other cells than this version has: "
                    "install elsewhere again"
                )
            tower, head = record["tower"], part[entry]
            self._session: Session = open_session(self.weights / tower["file"], tower["sha256"])
            self._ends = tower["input"], tower["output"]
            content = read_verified(self.weights / head["file"], head["sha256"])
            parts = [tower["sha256"], head["sha256"]]
            self._head: Head
            if leaves:
                vectors = _read_leaves(self.weights / leaves["file"], leaves["sha256"])
                self._head = LeafHead.read(content, leaves=vectors)
                parts.append(leaves["sha256"])
            else:
                self._head = PaperHead.read(content)
            # over everything that decides the rows, and nothing else in the record
            seal = " ".join([self.NAME, str(PREPARATION), *parts, part["cells"]])
            seen = f"{self.NAME} features {PREPARATION} {tower['sha256']}"
            if self.FORM:
                seal, seen = f"{seal} {self.FORM}", f"{seen} {self.FORM}"
            accuracy = {}
            if entry == "head":  # the halves are for comparison, and not measured
                measured = part["accuracy"]
                regions = {"": measured["never_seen"], **measured["never_seen_by_region"]}
                accuracy = {
                    region: {
                        int(key.removeprefix("within_")): float(share)
                        for key, share in shares.items()
                        if key.startswith("within_")
                    }
                    for region, shares in regions.items()
                }
            self._about = ScorerInfo(
                name=self.NAME if self.head == "head" else f"{self.NAME}:{self.head}",
                fingerprint=hashlib.sha256(seal.encode()).hexdigest(),
                cells=cells.count,
                grid=cells.fingerprint,
                globe=cells,
                exponents={int(n): float(e) for n, e in part["album_exponents"].items()},
                accuracy=accuracy,
                features=FeatureInfo(
                    hashlib.sha256(seen.encode()).hexdigest(), len(self._head.mean)
                ),
            )
        return self._about

    def score(self, photo: Photo) -> Row:
        """Decode, one forward pass, head."""
        return self.row(self.features(photo))

    def features(self, photo: Photo) -> Features:
        """Decode, one forward pass."""
        return cached_features(
            self._session.sha256,
            photo,
            lambda photo: self._session(preprocess(photo.image((SIDE, SIDE)))[None], *self._ends)[
                0
            ],
        )

    def row(self, features: Features) -> Row:
        """What the head makes of a photo's features."""
        return self._head.log_probabilities(features)


@lru_cache(maxsize=2)
def _read_leaves(path: Path, sha256: str) -> LeafVectors:
    """The leaves' vectors, once for all heads."""
    return LeafVectors.read(read_verified(path, sha256))


def read_record(weights: Path = WEIGHTS, file: str = "model.json") -> dict[str, Any]:
    """The contents of a record, about the files beside it."""
    try:
        record: dict[str, Any] = json.loads((weights / file).read_text("utf-8"))
    except (OSError, ValueError):
        raise FileError(
            f"a built-in model's record {file} is missing or damaged: install elsewhere again"
        ) from None
    return record

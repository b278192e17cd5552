"""The scorer `geoclip`: GeoCLIP (Vivanco Cepeda et al., 2023), a far stronger attacker than ours.

GeoCLIP compares a photo with places: an image tower (CLIP ViT-L/14) and a location encoder map
into one space, and the places are a gallery of 100,000 coordinates. The location encoder is
evaluated once at that gallery, its features are kept on disk, and the gallery's probabilities are
pooled into the paper's 512 cells. As these hold equally many of the coordinates, pooling adds no
prior.

The image tower comes from the model hub, and only because the user asked for this scorer.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import InputError, ScorerError
from elsewhere.globe import Cells
from elsewhere.platform.files import write_whole
from elsewhere.platform.machine import user_folder
from elsewhere.scorers.protocol import Photo, Row, ScorerInfo, normalise_row
from elsewhere.values.wording import installed_by

if TYPE_CHECKING:
    from PIL import Image

TOWER = "openai/clip-vit-large-patch14"
"""The image tower that GeoCLIP was trained on, by its name on the model hub."""
MIN_SIZE = (224, 224)

Tower = Callable[["Image.Image"], Any]
"""From a picture to a (1, 768) tensor of CLIP's image features."""


def make(argument: str) -> GeoclipScorer:
    """The scorer `geoclip`."""
    if argument:
        raise InputError(f'the scorer geoclip takes nothing after a colon, but has ":{argument}"')
    return GeoclipScorer()


class GeoclipScorer:
    """GeoCLIP over the paper's cells, or over any others with a place of its gallery in each."""

    def __init__(
        self, tower: Tower | None = None, cells: Cells | None = None, place: Path | None = None
    ) -> None:
        """`tower` replaces the hub's image tower; `place` is where location features are kept."""
        self._tower, self._tower_name = tower, "given" if tower else TOWER
        self._cells, self._place = cells, place
        self._lock = threading.Lock()  # the tower uses all cores by itself
        self._about: ScorerInfo | None = None

    def load(self) -> ScorerInfo:
        """Read the package's weights and gallery, evaluate or recall the location features."""
        with self._lock:
            if self._about is None:
                self._about = self._load()
        return self._about

    def score(self, photo: Photo) -> Row:
        """Cosines with every place of the gallery, pooled into cells."""
        image = photo.image(MIN_SIZE)
        assert self._tower is not None, "load comes first"
        with self._lock, self._torch.inference_mode():
            embedded = self._mlp(self._tower(image))
            unit = self._torch.nn.functional.normalize(embedded, dim=1)
            vector = np.asarray(unit[0].numpy(), dtype=np.float32)
        logits = self._scale * (self._places @ vector)
        return normalise_row(_pool(logits, self._starts))

    def _load(self) -> ScorerInfo:
        try:
            import torch
            from geoclip import model
        except ImportError as missing:
            raise ScorerError(
                f"the scorer geoclip needs a package that is not installed ({missing.name}): "
                + installed_by("geoclip")
            ) from None
        self._tower = self._tower or _hub_tower(torch)  # first, since it is what may be missing
        parts = Path(model.__file__).parent
        cells = self._cells or Cells.paper()
        gallery = parts / "gps_gallery" / "coordinates_100K.csv"
        weights = parts / "weights"
        digest = hashlib.sha256()
        for path in (*sorted(weights.glob("*.pth")), gallery):
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        release = digest.hexdigest()

        coordinates = np.loadtxt(gallery, delimiter=",", skiprows=1, dtype=np.float64, ndmin=2)
        cell_of = cells.locate(coordinates[:, 0], coordinates[:, 1])
        order = np.argsort(cell_of, kind="stable")
        if len(np.unique(cell_of)) != cells.count:
            raise ScorerError(
                f"{cells.count - len(np.unique(cell_of))} of the {cells.count} cells hold no place "
                "of GeoCLIP's gallery: use coarser cells with this scorer"
            )
        self._starts = np.searchsorted(cell_of[order], np.arange(cells.count))
        features = self._location_features(torch, model, coordinates, release)
        self._places = features[order].astype(np.float32)
        read = partial(torch.load, map_location="cpu", weights_only=True)
        self._scale = float(torch.exp(read(weights / "logit_scale_weights.pth")))
        self._torch = torch
        self._mlp = torch.nn.Sequential(
            torch.nn.Linear(768, 768), torch.nn.ReLU(), torch.nn.Linear(768, 512)
        )
        self._mlp.load_state_dict(read(weights / "image_encoder_mlp_weights.pth"))
        seal = f"geoclip 1 {release} {self._tower_name} {cells.fingerprint}"
        return ScorerInfo(
            name="geoclip",
            fingerprint=hashlib.sha256(seal.encode()).hexdigest(),
            cells=cells.count,
            grid=cells.fingerprint,
            globe=cells,
            cacheable=self._tower_name == TOWER,
        )

    def _location_features(
        self, torch: Any, model: Any, coordinates: NDArray[np.float64], release: str
    ) -> NDArray[np.float16]:
        """Unit vectors of the gallery, computed once per release of GeoCLIP and then recalled.

        They are always used as the 16-bit numbers that are stored, so that every run gives the
        same bits.
        """
        path = (self._place or user_folder("cache")) / "features" / f"geoclip-{release[:32]}.npz"
        shape = (len(coordinates), 512)
        with contextlib.suppress(OSError, ValueError, KeyError, EOFError):
            with np.load(path, allow_pickle=False) as stored:
                features: NDArray[np.float16] = stored["features"]
            if features.shape == shape and features.dtype == np.float16:
                return features
        encoder = model.LocationEncoder().eval()
        features = np.empty(shape, dtype=np.float16)
        with torch.inference_mode():
            for first in range(0, len(coordinates), 2000):
                batch = torch.tensor(coordinates[first : first + 2000], dtype=torch.float32)
                unit = torch.nn.functional.normalize(encoder(batch), dim=1)
                features[first : first + 2000] = unit.numpy()
        with contextlib.suppress(OSError):  # without a cache it is computed again next time
            for private in (path.parent.parent, path.parent):
                private.mkdir(mode=0o700, parents=True, exist_ok=True)
                private.chmod(0o700)
            content = io.BytesIO()
            np.savez(content, features=features)
            write_whole(path, content.getvalue(), private=True)
        return features


def _pool(logits: NDArray[np.float32], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Log-sum-exp of the logits of each cell's places; places are sorted by cell."""
    wide = logits.astype(np.float64)
    top = np.maximum.reduceat(wide, starts)
    sizes = np.diff(np.append(starts, len(wide)))
    return top + np.log(np.add.reduceat(np.exp(wide - np.repeat(top, sizes)), starts))


def _hub_tower(torch: Any) -> Tower:
    """CLIP ViT-L/14 as GeoCLIP itself gets it from the hub."""
    from geoclip.model.image_encoder import ImageEncoder

    try:
        encoder = ImageEncoder().eval()
    except Exception as problem:  # the hub's client raises many kinds of errors
        raise ScorerError(
            f"GeoCLIP's image tower {TOWER} cannot be downloaded from the model hub "
            f"({type(problem).__name__}): connect to the network once, or use another scorer"
        ) from problem
    encoder.mlp = torch.nn.Identity()  # loaded separately, so that any tower can be used
    return lambda image: encoder(encoder.preprocess_image(image))

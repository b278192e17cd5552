"""Run by test_geoclip.py in an environment that has PyTorch and GeoCLIP; prints what it saw.

Location encoder, image MLP, temperature and gallery are those of the real wheel. Only the image
tower is small and random, since the model hub cannot be counted on. GeoCLIP's own `forward`, over
all places of a few cells, is the reference.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np
import torch
from geoclip.model import GeoCLIP, LocationEncoder

from elsewhere.globe import Cells
from elsewhere.scorers.cached_scorer import score
from elsewhere.scorers.geoclip import GeoclipScorer
from elsewhere.scorers.protocol import Photo


class SmallTower(torch.nn.Module):  # type: ignore[misc]
    """A picture in, CLIP-like features out: the same interface as ViT-L/14, a millionth of it."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(5)
        self.layers = torch.nn.Sequential(
            torch.nn.Conv2d(3, 16, 16, 16),
            torch.nn.ReLU(),
            torch.nn.Flatten(),
            torch.nn.Linear(16 * 14 * 14, 768),
        )

    def forward(self, image):  # type: ignore[no-untyped-def]
        pixels = np.asarray(image.resize((224, 224)), dtype=np.float32) / 255
        return self.layers(torch.tensor(pixels.transpose(2, 0, 1)[None]))


def reference(tower: SmallTower, image, cells: Cells):  # type: ignore[no-untyped-def]
    """GeoCLIP.forward with the small tower at all places of every 64th cell, pooled by cell.

    Less the first of them: what the other cells would add to each is the same.
    """
    import geoclip.model as wheel

    parts = Path(wheel.__file__).parent
    model = GeoCLIP.__new__(GeoCLIP)
    torch.nn.Module.__init__(model)
    mlp = torch.nn.Sequential(torch.nn.Linear(768, 768), torch.nn.ReLU(), torch.nn.Linear(768, 512))
    read = {"map_location": "cpu", "weights_only": True}
    mlp.load_state_dict(torch.load(parts / "weights/image_encoder_mlp_weights.pth", **read))
    scale = torch.load(parts / "weights/logit_scale_weights.pth", **read)
    model.logit_scale = torch.nn.Parameter(scale)
    model.image_encoder = lambda x: mlp(tower(x))
    model.location_encoder = LocationEncoder()
    gallery = np.loadtxt(parts / "gps_gallery/coordinates_100K.csv", delimiter=",", skiprows=1)
    where = cells.locate(*gallery.T)
    pooled = []
    with torch.inference_mode():
        for cell in range(0, cells.count, 64):
            places = torch.tensor(gallery[where == cell], dtype=torch.float32)
            pooled.append(float(model.forward(image, places).double().logsumexp(1)))
    return np.array(pooled) - pooled[0]


def main(folder: Path, place: Path) -> None:
    tower = SmallTower().eval()
    photos = [Photo(path.name, path) for path in sorted(folder.iterdir())]
    runs, seconds, abouts = [], [], []
    for _ in range(2):
        scorer = GeoclipScorer(tower, place=place)
        start = time.perf_counter()
        abouts.append(scorer.load())
        seconds.append(time.perf_counter() - start)
        runs.append(score(scorer, photos)[0])
    alone = score(scorer, photos[-1:], threads=1)[0]
    expected = reference(tower, photos[0].image((224, 224)), Cells.paper())
    wide = runs[0].values.astype(np.float64)
    some = wide[0, ::64] - wide[0, 0]
    print(
        json.dumps(
            {
                "shape": wide.shape,
                "sums": np.exp(wide).sum(axis=1).tolist(),
                "same_when_recalled": runs[0] == runs[1],
                "same_alone": alone.values[0].tobytes() == runs[0].values[-1].tobytes(),
                "rows_differ": float(np.abs(wide[0] - wide[1]).max()),
                "off_reference": float(np.abs(some - expected).max()),
                "spread": float(np.ptp(some)),
                "seconds": seconds,
                "kept": [path.name for path in (place / "features").iterdir()],
                "grid_is_ours": abouts[0].grid == Cells.paper().fingerprint,
            }
        )
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

"""The world that the lab's tables are run in: a simulator calibrated to the paper's numbers.

Like `simulator`, whose two worlds serve tests and benchmarks: each of 512 cells has a prototype

    mu[j] = (alpha · G[region] + delta · H[metro],  beta[j] · E[j])

and a photo taken in cell t is an observation x = s · mu[t] + noise, scored by `gam` times its
log-likelihood under each cell plus Student noise. What is new, and what the fit needed:

- a cell's own part E lies in directions of its own, so no cell has a twin that could take its place
  for nothing (top-1 deletions);
- metropolises are of one size: every cell has a dozen neighbours, and what it takes to get past
  five of them is much the same everywhere;
- cells differ a little in how distinct they are (beta[j]), photos more in how much they say (s);
- a few photos mislead: they look like another cell's;
- a model is never quite sure: its probabilities are mixed with a little of the uniform.

The parameters were *selected* to reproduce Tables 1 to 3, in this one world: that is calibration,
not validation, and the results page says which numbers it does not reach. They were found by an
evolution strategy over `Setting`, with the loss on all numbers of Tables 1 to 3 (R rows) in units
of the accepted differences; then `Albums` on the Albums rows; `Pairing` on two heads of our own
that were trained on disjoint photos.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from elsewhere_lab.simulator import CELLS, album_size, mix_noise

Floats = NDArray[np.float64]
WORLD_SEED = 2020


@dataclass(frozen=True)
class Setting:
    """What makes the world and its photos."""

    shared: int  # dimensions of regions and metropolises
    own: int  # dimensions of the cells' own parts
    regions: int
    metro_size: float  # cells a metropolis has on average
    alpha: float  # weight of the region in a prototype
    delta: float  # weight of the metropolis
    beta: float  # weight of the cell itself
    distinct: float  # how much cells differ in that weight (standard deviation of its logarithm)
    strength: float  # mean of the logarithm of a photo's strength s
    spread: float  # its standard deviation
    torn: float
    """Share of that (of the variance) in which what a photo shows of its cell goes its own way."""
    dull: float  # share of photos that say little
    dulled: float  # what the strength of those is multiplied by
    misleading: float  # share of photos that look like another cell's
    sure: float  # how sure of itself the model is (gam)
    error: float  # scale of the model's own errors
    freedom: float  # degrees of freedom of those errors (Student's t)
    doubt: float  # share of the uniform distribution in every answer


@dataclass(frozen=True)
class Pairing:
    """Two models that were trained on different halves of the same photos."""

    agree: float  # share of their errors (of the variance) that both make


@dataclass(frozen=True)
class Albums:
    """A person's album: few scenes, many near-repeats."""

    scenes: float  # scenes of an album beyond the first, on average
    alike: float  # share of the noise (of its variance) that the photos of a scene have in common
    jitter: float
    """How much the strength differs within a scene (standard deviation of its logarithm)."""
    plain: float
    """What is added to the logarithm of the strength: albums show people, not landmarks."""


PAPER_WORLD = Setting(
    shared=9, own=32, regions=10, metro_size=13.0, alpha=1.33, delta=1.01, beta=0.939,
    distinct=0.28, strength=0.426, spread=0.498, torn=0.616, dull=0.476, dulled=0.513,
    misleading=0.025, sure=0.408, error=0.0942, freedom=3.13, doubt=0.00033,
)  # fmt: skip
REFITTED = replace(
    PAPER_WORLD, beta=0.9377, distinct=0.2587, spread=0.434, dull=0.4742, misleading=0.02603,
    sure=0.402, doubt=0.0003626, delta=1.054,
)  # fmt: skip
"""Found by `python -m elsewhere_lab.refit`: Tables 1 to 3 with the T that the authors published."""
HALVES = Pairing(agree=0.7)
"""Mean gains of sixteen photos (`collections.distance`) are then .11 of their own size apart, those
of our two heads .09; `tests/lab/test_models.py` measures both. In nats that is 0.12 a photo against
0.58: real scores are five times as sharp, so a θ of the simulator's stands for five times as many
nats on real photos."""
ALBUMS = Albums(scenes=0.8, alike=0.7, jitter=0.35, plain=-0.48)


class CalibratedWorld:
    """512 cells and the photos that are taken there.

    >>> world = CalibratedWorld()
    >>> world.photos(17, 3, np.random.default_rng(0)).shape
    (3, 512)
    """

    def __init__(self, setting: Setting = PAPER_WORLD, seed: int = WORLD_SEED) -> None:
        self.setting = p = setting
        self.seed = seed
        rng = np.random.default_rng(seed)
        metros = max(1, round(CELLS / p.metro_size))
        self.metro = rng.permutation(CELLS) % metros
        region_of_metro = rng.permutation(metros) % p.regions
        self.region = region_of_metro[self.metro]
        regions = rng.normal(scale=p.shared**-0.5, size=(p.regions, p.shared))
        centres = rng.normal(scale=p.shared**-0.5, size=(metros, p.shared))
        own = rng.normal(scale=p.own**-0.5, size=(CELLS, p.own))
        beta = p.beta * np.exp(p.distinct * rng.standard_normal(CELLS) - p.distinct**2 / 2)
        shared = p.alpha * regions[self.region] + p.delta * centres[self.metro]
        self.prototypes: Floats = np.hstack([shared, beta[:, None] * own])

    def photos(self, cell: int, n: int, rng: np.random.Generator) -> NDArray[np.float32]:
        """Log-probabilities of `n` unrelated photos taken in `cell`, (n, 512)."""
        looks, strength = self._take_photos(cell, n, rng)
        x = strength * looks + rng.standard_normal(looks.shape)
        errors = rng.standard_t(self.setting.freedom, (n, CELLS))
        return self._scores(self.prototypes, strength, x, errors)

    def halves(
        self, cell: int, n: int, rng: np.random.Generator, pairing: Pairing = HALVES
    ) -> tuple[NDArray[np.float32], ...]:
        """The same photos as two models score them, each with prototypes and errors of its own."""
        looks, strength = self._take_photos(cell, n, rng)
        x = strength * looks + rng.standard_normal(looks.shape)
        width = self._widths(n, rng)
        common = rng.standard_normal((n, CELLS))
        result = []
        for which in range(2):
            own = rng.standard_normal((n, CELLS))
            errors = mix_noise(own, common, pairing.agree) / width
            # each has learned prototypes that are off by a share of a cell's weight
            off = np.random.default_rng([self.seed, 7, which]).standard_normal(
                self.prototypes.shape
            )
            scale = (1 - pairing.agree) * self.setting.beta / self.prototypes.shape[1] ** 0.5
            result.append(self._scores(self.prototypes + scale * off, strength, x, errors))
        return tuple(result)

    def album(
        self, rng: np.random.Generator, albums: Albums = ALBUMS
    ) -> tuple[int, NDArray[np.float32]]:
        """The true cell and the scores of 16 to 250 correlated photos (33 on average)."""
        cell, scenes, scene = self.draw_scenes(rng, albums)
        n = len(scene)
        looks, strength = self._take_photos(cell, scenes, rng, plain=albums.plain)
        strength = strength[scene] * np.exp(albums.jitter * rng.standard_normal((n, 1)))
        size = looks.shape[1]
        common = rng.standard_normal((scenes, size))[scene]
        noise = mix_noise(rng.standard_normal((n, size)), common, albums.alike)
        x = strength * looks[scene] + noise
        common = rng.standard_normal((scenes, CELLS))[scene]
        errors = mix_noise(rng.standard_normal((n, CELLS)), common, albums.alike)
        errors /= self._widths(scenes, rng)[scene]
        return cell, self._scores(self.prototypes, strength, x, errors)

    def draw_scenes(
        self, rng: np.random.Generator, albums: Albums = ALBUMS
    ) -> tuple[int, int, NDArray[np.intp]]:
        """The cell of the album that `rng` makes, its number of scenes, and each photo's scene."""
        cell = int(rng.integers(CELLS))
        n = album_size(rng)
        scenes = 1 + int(rng.poisson(albums.scenes))
        shares = rng.dirichlet(np.ones(scenes))  # some scenes are photographed more than others
        return cell, scenes, np.sort(rng.choice(scenes, size=n, p=shares))

    def _take_photos(
        self, cell: int, n: int, rng: np.random.Generator, plain: float = 0.0
    ) -> tuple[Floats, Floats]:
        """What is in front of the camera (mostly this cell's looks), and how much of it shows."""
        p = self.setting
        common, alone = rng.standard_normal((2, n, 1))
        own = mix_noise(common, alone, p.torn)
        varied = np.hstack([np.repeat(common, p.shared, axis=1), np.repeat(own, p.own, axis=1)])
        strength = np.exp(p.strength + plain + p.spread * varied)
        strength *= np.where(rng.random((n, 1)) < p.dull, p.dulled, 1.0)
        other = rng.integers(CELLS, size=n)
        place = np.where(rng.random(n) < p.misleading, other, cell)
        return self.prototypes[place], strength

    def _scores(
        self, prototypes: Floats, strength: Floats, x: Floats, errors: Floats
    ) -> NDArray[np.float32]:
        p = self.setting
        likely = (strength * x) @ prototypes.T - strength**2 @ (prototypes**2).T / 2
        logits = p.sure * likely + p.error * errors
        logits -= logits.max(axis=1, keepdims=True)
        chances = np.exp(logits)
        chances /= chances.sum(axis=1, keepdims=True)
        return np.asarray(np.log((1 - p.doubt) * chances + p.doubt / CELLS), dtype=np.float32)

    def _widths(self, n: int, rng: np.random.Generator) -> Floats:
        """What normal errors are divided by to become Student's."""
        freedom = self.setting.freedom
        return np.asarray(np.sqrt(rng.chisquare(freedom, (n, CELLS)) / freedom))

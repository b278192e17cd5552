"""The calibrated simulator: scores like a real model's, for any number of photos, from a seed.

A photo points at a region, more weakly at a metropolis, more weakly still at one cell of it, and
every so often at nothing at all. So each cell j gets a prototype

    mu[j] = alpha · G[region] + delta · H[metro] + beta · E[j]      (a random vector of d numbers)

and a photo taken in cell t is an observation x = s · mu[t] + noise, of which an ideal model would
know s. Its scores are the log-softmax of `gam` times the log-likelihood of x under each cell, plus
Student noise for what models get wrong. The strength s varies from photo to photo, and a share
`pun` of the photos says little.

Two sets of parameters, W1 and W2, were *selected* to reproduce the published accuracies of single
photos and of random collections: that is calibration, not validation. Correlated albums do not
reproduce the published numbers; use them to exercise code, never to quote a figure.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import InputError
from elsewhere.scorers.protocol import log_softmax
from elsewhere.values.scores import Scores

CELLS = 512
ALBUM_SMALLEST, ALBUM_MEAN_EXCESS, ALBUM_LARGEST = 16, 17.0, 250


@dataclass(frozen=True)
class Parameters:
    """What makes one kind of world; the values were found by random search."""

    d: int  # dimensions of a prototype
    regions: int
    metro_size: float  # cells a metropolis has on average
    alpha: float  # weight of the region in a prototype
    delta: float  # weight of the metropolis
    beta: float  # weight of the cell itself
    ms: float  # mean of the logarithm of a photo's strength s
    ss: float  # its standard deviation
    pun: float  # share of photos that say little
    sun: float  # what the strength of those is multiplied by
    gam: float  # how sure of itself the model is
    tau: float  # scale of the model's own errors
    nu: float  # degrees of freedom of those errors (Student's t)


KINDS = {
    "w1": Parameters(
        d=16, regions=22, metro_size=1.88, alpha=0.76, delta=0.36, beta=0.33,
        ms=1.06, ss=0.56, pun=0.23, sun=0.57, gam=1.5, tau=0.60, nu=4.1,
    ),
    "w2": Parameters(
        d=9, regions=10, metro_size=5.6, alpha=1.54, delta=2.0, beta=0.99,
        ms=-0.11, ss=0.68, pun=0.17, sun=0.6, gam=0.47, tau=0.105, nu=3.8,
    ),
}  # fmt: skip


class LabelledScores(NamedTuple):
    """Photos of one place, as one attacker scores them."""

    scores: Scores
    truth: int


@dataclass(frozen=True, eq=False)
class World:
    """512 cells with their prototypes; the place that photos are taken in.

    >>> home = world("w1", seed=7)
    >>> home.photos(17, 3, np.random.default_rng(0)).shape
    (3, 512)
    """

    parameters: Parameters
    prototypes: NDArray[np.float64]  # (512, d): what photos of a cell have in common
    metro: NDArray[np.intp]  # the metropolis of each cell
    region: NDArray[np.intp]  # the region of each cell

    def photos(
        self, cell: int, n: int, rng: np.random.Generator, *, common: float = 0.0
    ) -> NDArray[np.float32]:
        """Log-probabilities of `n` photos taken in `cell`, (n, 512)."""
        return self.views(cell, n, rng, attackers=1, common=common)[0]

    def views(
        self, cell: int, n: int, rng: np.random.Generator, *, attackers: int, common: float = 0.0,
        agree: float = 0.5,
    ) -> list[NDArray[np.float32]]:  # fmt: skip
        """The same `n` photos as several attackers score them.

        Of the variance of the noise, all photos share `common`; of that of the errors, all
        attackers share `agree`.
        """
        p = self.parameters
        if not 0 <= cell < len(self.prototypes):
            raise InputError(f"cell {cell} is not one of the world's {len(self.prototypes)} cells")
        s = np.exp(p.ms + p.ss * rng.standard_normal(n))
        s = np.where(rng.random(n) < p.pun, s * p.sun, s)[:, None]
        noise = mix_noise(
            rng.standard_normal((n, p.d)), rng.standard_normal((1, p.d)) if common else None, common
        )
        x = s * self.prototypes[cell] + noise
        lengths = (self.prototypes**2).sum(axis=1)
        evidence = p.gam * (s * (x @ self.prototypes.T) - s**2 * lengths / 2)
        shape = (n, len(self.prototypes))
        of_album = rng.standard_t(p.nu, (1, shape[1])) if common else None
        of_all = rng.standard_t(p.nu, shape) if attackers > 1 else None
        result = []
        for _ in range(attackers):
            own = mix_noise(rng.standard_t(p.nu, shape), of_all, agree if attackers > 1 else 0.0)
            logits = evidence + p.tau * mix_noise(own, of_album, common)
            result.append(log_softmax(logits).astype(np.float32))
        return result

    def zone(self, cell: int, size: int) -> frozenset[int]:
        """`cell` and its nearest neighbours, `size` cells in all."""
        if not 1 <= size < len(self.prototypes):
            raise InputError(f"a zone has 1 to {len(self.prototypes) - 1} cells, not {size}")
        apart = ((self.prototypes - self.prototypes[cell]) ** 2).sum(axis=1)
        apart[cell] = -1.0
        order = np.lexsort(
            (apart, self.region != self.region[cell], self.metro != self.metro[cell])
        )
        return frozenset(int(j) for j in order[:size])

    def collection(self, rng: np.random.Generator, photos: int) -> LabelledScores:
        """R-N: `photos` unrelated photos of one cell drawn at random."""
        truth = int(rng.integers(len(self.prototypes)))
        return LabelledScores(Scores(self.photos(truth, photos, rng)), truth)

    def album(self, rng: np.random.Generator, *, common: float = 0.85) -> LabelledScores:
        """A person's album: 16 to 250 correlated photos (33 on average) of one cell."""
        truth = int(rng.integers(len(self.prototypes)))
        return LabelledScores(
            Scores(self.photos(truth, album_size(rng), rng, common=common)), truth
        )


def world(kind: str = "w1", seed: int | np.random.SeedSequence = 0) -> World:
    """A world of `kind` "w1" or "w2"; the same seed always makes the same one."""
    try:
        p = KINDS[kind.lower()]
    except KeyError:
        raise InputError(f"no world is called {kind!r}: it is one of {', '.join(KINDS)}") from None
    rng = np.random.default_rng(seed)
    metros = max(1, round(CELLS / p.metro_size))
    metro_of_cell = rng.integers(metros, size=CELLS)
    region_of_metro = rng.integers(p.regions, size=metros)
    region_of_cell = region_of_metro[metro_of_cell]
    scale = 1 / np.sqrt(p.d)
    regions = rng.normal(scale=scale, size=(p.regions, p.d))
    metro_centres = rng.normal(scale=scale, size=(metros, p.d))
    own = rng.normal(scale=scale, size=(CELLS, p.d))
    prototypes = (
        p.alpha * regions[region_of_cell] + p.delta * metro_centres[metro_of_cell] + p.beta * own
    )
    return World(p, prototypes, metro_of_cell, region_of_cell)


def collection(seed: int, photos: int = 128, world: str = "w1") -> LabelledScores:
    """R-N from a seed alone, in a fresh world: `photos` unrelated photos of one cell.

    >>> scores, truth = collection(1, photos=16)
    >>> scores.photos, scores.cells, 0 <= truth < 512
    (16, 512, True)
    """
    home, rng = _fresh(seed, world)
    return home.collection(rng, photos)


def album(seed: int, world: str = "w1", *, common: float = 0.85) -> LabelledScores:
    """A correlated album from a seed alone, in a fresh world; see the module's warning."""
    home, rng = _fresh(seed, world)
    return home.album(rng, common=common)


def views(
    seed: int, photos: int = 128, world: str = "w1", *, attackers: int = 2
) -> tuple[list[Scores], int]:
    """R-N as several attackers see it, and its truth, from a seed alone, in a fresh world."""
    home, rng = _fresh(seed, world)
    truth = int(rng.integers(len(home.prototypes)))
    rows = home.views(truth, photos, rng, attackers=attackers)
    return [Scores(matrix) for matrix in rows], truth


def _fresh(seed: int, kind: str) -> tuple[World, np.random.Generator]:
    """A world and a stream of random numbers that are independent of each other."""
    of_world, of_photos = np.random.SeedSequence(seed).spawn(2)
    return world(kind, of_world), np.random.default_rng(of_photos)


def mix_noise(
    own: NDArray[np.float64], common: NDArray[np.float64] | None, share: float
) -> NDArray[np.float64]:
    """Noise of which `share` of the variance is `common`; its total variance stays the same."""
    if common is None:
        return own
    return np.asarray(math.sqrt(1 - share) * own + math.sqrt(share) * common)


def album_size(rng: np.random.Generator) -> int:
    """How many photos a random album has."""
    return min(ALBUM_SMALLEST + int(rng.exponential(ALBUM_MEAN_EXCESS)), ALBUM_LARGEST)

"""The numbers that calibrate the simulated world, its paired models and its albums.

How they were found: an evolution strategy over the parameters of `Setting`, with the loss on all
numbers of Tables 1 to 3 (R rows) in units of the tolerances that are wanted of them; then `Albums`
on the Albums rows; `Pairing` on two heads of our own that were trained on disjoint photos.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Setting:
    """What makes the world and its photos."""

    shared: int
    """Dimensions of regions and metropolises."""
    own: int
    """Dimensions of the cells' own parts."""
    regions: int
    metro_size: float
    """Cells a metropolis has on average."""
    alpha: float
    """Weight of the region in a prototype."""
    delta: float
    """Weight of the metropolis."""
    beta: float
    """Weight of the cell itself."""
    distinct: float
    """How much cells differ in that weight (standard deviation of its logarithm)."""
    strength: float
    """Mean of the logarithm of a photo's strength s."""
    spread: float
    """Its standard deviation."""
    torn: float
    """Share of that (of the variance) in which what a photo shows of its cell goes its own way."""
    dull: float
    """Share of photos that say little."""
    dulled: float
    """What the strength of those is multiplied by."""
    misleading: float
    """Share of photos that look like another cell's."""
    sure: float
    """How sure of itself the model is (gam)."""
    error: float
    """Scale of the model's own errors."""
    freedom: float
    """Degrees of freedom of those errors (Student's t)."""
    doubt: float
    """Share of the uniform distribution in every answer."""


@dataclass(frozen=True)
class Pairing:
    """Two models that were trained on different halves of the same photos."""

    agree: float
    """Share of their errors (of the variance) that both make."""

    @property
    def apart(self) -> float:
        """How far each one's prototypes are from the true ones, as a share of a cell's weight."""
        return 1 - self.agree


@dataclass(frozen=True)
class Albums:
    """A person's album: few scenes, many near-repeats."""

    scenes: float
    """Scenes of an album beyond the first, on average."""
    alike: float
    """Share of the noise (of its variance) that the photos of a scene have in common."""
    jitter: float
    """How much the strength differs within a scene (standard deviation of its logarithm)."""
    plain: float
    """What is added to the logarithm of the strength: albums show people, not landmarks."""


PAPER_WORLD = Setting(
    shared=9, own=32, regions=10, metro_size=13.0, alpha=1.33, delta=1.01, beta=0.939,
    distinct=0.28, strength=0.426, spread=0.498, torn=0.616, dull=0.476, dulled=0.513,
    misleading=0.025, sure=0.408, error=0.0942, freedom=3.13, doubt=0.00033,
)  # fmt: skip
HALVES = Pairing(agree=0.7)
"""Mean gains of sixteen photos (`models.distance`) are then apart by .11 of their own size, those
of our two heads by .09; `tests/lab/test_models.py` measures both. In nats that is 0.12 a photo
against 0.58: real scores are five times as sharp, so a θ of the simulator's stands for five times
as many nats on real photos."""
ALBUMS = Albums(scenes=0.8, alike=0.7, jitter=0.35, plain=-0.48)

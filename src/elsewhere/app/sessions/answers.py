"""One wish and what came of it: what was asked, of which photos, and the best plan so far."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from elsewhere.album.places import Places
from elsewhere.app.api import models
from elsewhere.app.sessions.beliefs import BeliefView
from elsewhere.errors import InputError
from elsewhere.service import ScoredAlbum
from elsewhere.service.planning.plan_album import AlbumPlan
from elsewhere.service.posted.values import Posted
from elsewhere.service.wishes import Wishes
from elsewhere.values.plan import Status


class OvertakenError(InputError):
    """Something was asked by a window that has not seen what is on the table now."""

    def __init__(self) -> None:
        super().__init__(
            "the plan changed meanwhile, by its proof or in another window: look, and try again"
        )


@dataclass(frozen=True)
class PlannedAnswer:
    """A wish, and what came of it."""

    wishes: models.Wishes
    seen: ScoredAlbum
    """The album as the attackers of these wishes see it."""
    places: Places
    posted: Posted
    plan: AlbumPlan | None
    """None where no place is known."""
    looks: BeliefView | None
    version: int

    @property
    def proved(self) -> bool:
        """Whether nothing is left to be done: that there is no plan needs a reason, too."""
        if self.plan is None or self.plan.plan.status == Status.OPTIMAL:
            return True
        return self.plan.plan.status == Status.INFEASIBLE and bool(self.plan.plan.explanation)


def as_typed(wishes: models.Wishes, seconds: float | None) -> Wishes:
    """The wishes as every door gives them to the job."""
    return Wishes(
        top=None if wishes.budget is not None else wishes.top,
        budget=wishes.budget,
        hide=tuple(wishes.hide),
        hide_level=wishes.hide_level,
        radius_km=wishes.radius_km,
        keep=tuple(wishes.keep),
        drop=tuple(wishes.drop),
        stars=wishes.stars,
        margin=wishes.margin,
        each_photo=None if wishes.each_photo else False,
        bursts=wishes.bursts,
        prior=wishes.prior or None,
        exact_top=wishes.exact_top,
        time_limit=seconds,
    )


def one_try(wishes: models.Wishes) -> bool:
    """Whether all the time is for one k; one that was drawn gets half, for smaller ones need some
    after it, too."""
    return wishes.exact_top or wishes.budget is not None


def where(wishes: models.Wishes) -> object:
    """All that decides the watches, and what they see beside the album."""
    return (
        tuple(wishes.at),
        tuple(wishes.hide),
        wishes.hide_level,
        wishes.radius_km,
        wishes.prior,
        tuple(wishes.scorers),
        tuple(wishes.posted),
    )


def words_of(seen: ScoredAlbum) -> tuple[str, ...]:
    """Its attackers, as typed."""
    return tuple(attack.word for attack in seen.attacks)


def improves(new: AlbumPlan, old: AlbumPlan) -> bool:
    """Whether a plan is worth showing instead of another for the same wishes."""
    if not new.plan.found or not old.plan.found:
        return new.plan.found
    if new.wishes.budget is not None:
        return new.plan.protected_k > old.plan.protected_k
    return Fraction(new.plan.cost) < Fraction(old.plan.cost)

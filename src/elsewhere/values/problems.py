"""What a check finds wrong, and what it tries: what kind of thing, where, and which numbers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum, auto


class ProblemKind(Enum):
    """Everything that can be wrong with a plan; the value is its sentence for score files."""

    OTHER_PROMISE = "the plan was made for another promise ({found} differs)"
    ATTACKER_COUNT = "the promise is against {wanted} attackers, but {found} scored"
    SCORES_SHAPE = "the scores of attacker {attacker} are {found}, not {wanted}"
    OTHER_SCORES = "the scores of attacker {attacker} are not those of the promise"
    OTHER_SCORER = "the scorer of attacker {attacker} is not that of the promise"

    NO_ATTACKER = "the promise names no attacker"
    PINS = "the promise's {found} is not an ascending list of photos"
    GROUPS = "the promise's groups are not disjoint ascending lists of photos"
    VALUES = "the promise's values are not one positive number for each photo"
    VERSIONS = (
        "the promise's versions are not one or more for each photo in order, each from 0 up and "
        "below the photo's value"
    )
    BUDGET = "the promise's budget is not a number of photos, or a cost where photos have versions"
    TRUTH = "the truth of attacker {attacker} is not an ascending list of cells"
    RIVALS = (
        "the rivals of attacker {attacker} are not an ascending list of cells outside the truth"
    )
    SEES = "the photos seen of attacker {attacker} are not an ascending list of photos"
    TOP = (
        "the top of attacker {attacker} must be 1 or more in a guarantee, and absent under a budget"
    )
    EACH_PHOTO = "the top for each photo of attacker {attacker} is below 1"
    MARGIN = "margin and lead of attacker {attacker} are not finite numbers from 0 up"
    PRIOR = "the prior of attacker {attacker} is not one log-probability for each cell"

    STATUS = "{found!r} is not a status"
    PHOTOS = "the {found} photos are not an ascending list of photos"
    OTHER_ALBUM = "the photos withheld and kept are not together the album"
    CHOICES = "the plan does not name one version of each photo that it keeps"
    NOTHING_KEPT = "the plan keeps no photo"
    VIEW_COUNT = "the plan has {found} views for {wanted} attackers"
    SEVERAL = "the plan is against several attackers but does not say so"
    PINNED_WITHHELD = "photo {photo} must stay but is withheld"
    DROPPED_KEPT = "photo {photo} must go but is kept"
    GROUP_PARTED = "the photos {found} belong together but are parted"
    OVER_BUDGET = "{found} photos are withheld, more than the budget of {wanted}"
    OVER_COST = "the plan costs {found}, more than the budget of {wanted}"
    COST = "the plan costs {wanted}, not {found}"

    ALONE = "photo {photo} alone has {found} rivals ahead for attacker {attacker}, not {wanted}"
    TOO_FEW = "attacker {attacker}: {found} rivals hold, too few for a top of {wanted}"
    OTHER_COUNT = "attacker {attacker}: {found} rivals hold, not {wanted}"
    FALSE_RIVAL = "attacker {attacker}: cell {found} is named as a rival but does not hold"
    MISSING_RIVAL = "attacker {attacker}: cell {found} holds but is not named"
    RIVAL_ORDER = (
        "attacker {attacker}: the rivals are not named once each, the one furthest ahead first"
    )
    SLACK = "attacker {attacker}: the slack is {wanted!r}, not {found!r}"
    RESTS_ON_ZERO = (
        "the plan is said {found}to rest on a probability of zero, and the reverse is true"
    )

    CIRCLES = (
        "attacker {attacker}: {found} distinct places come before the photos' at exponent "
        "{exponent:.4g}, not {wanted}"
    )
    CIRCLE_SUMS = (
        "attacker {attacker}: {found} distinct places come before the photos' in the sum of the "
        "photos' own circles, not {wanted}"
    )
    CIRCLES_ALONE = (
        "photo {photo} alone: {found} distinct places come before the photos' for attacker "
        "{attacker}, not {wanted}"
    )

    RIVALS_NEAR = (
        "attacker {attacker}: the places named as rivals are not as many as promised, or lie too "
        "near the photos or within {wanted} km of each other"
    )
    POINTS = "attacker {attacker}: it is not known where the cells lie"
    POSITIONS = "what is hidden from attacker {attacker} is not a list of positions and a radius"

    BOUND_INEXACT = "the bound {found!r} is not an exact number"
    BOUND = "the bound of {found} contradicts the plan, which reaches {wanted}"
    BOUND_ABOVE_COST = "no plan is said to cost less than {found}, but this one costs {wanted}"
    BOUND_BELOW_COST = "a plan that costs {wanted} is called optimal with a bound of only {found}"
    BOUND_BELOW_REACHED = (
        "no plan is said to protect more than {found}, but this one protects {wanted}"
    )
    BOUND_ABOVE_REACHED = "a plan that protects {wanted} is called optimal with a bound of {found}"
    CHEAPER = "withholding only what must go costs {wanted}, less than the bound of {found}"
    FURTHER = "withholding only what must go protects {wanted}, more than the bound of {found}"
    BETTER = "withholding only what must go is better than this plan, which is called optimal"

    NOT_A_PLAN = "a plan that is {found} is no plan to keep"
    EMPTY_CARRIES = "a plan that is {found} carries photos, views or a cost"
    EMPTY_BOUND = "a plan that is {found} has a bound"
    NOT_INFEASIBLE = "no plan is said to exist, but {found} fulfils the promise"

    PROOF_PLACES = "what tree {found} of the proof says of hidden places does not follow"
    PROOF_OF_NOTHING = "there is nothing to prove of a plan that was not found"
    PROOF_TREES = "the proof has {found} trees, but the plan makes {wanted} claims"
    PROOF_NODE = "the proof's tree:node {found} is not well formed, or is one too many"
    PROOF_OPEN = "the proof does not close tree:node {found}"


@dataclass(frozen=True)
class PlanProblem:
    """One thing that is wrong. It may hold the secret k: never show it beside a copy.

    >>> print(PlanProblem(ProblemKind.COST, found=3, wanted=2))
    the plan costs 2, not 3
    """

    kind: ProblemKind
    attacker: int | None = None
    photo: int | None = None
    found: object = None
    """What the plan says, or what is there."""
    wanted: object = None
    """What it should be."""
    exponent: float | None = None
    """How the attacker weighs the photos' sum, where that matters."""

    def __str__(self) -> str:
        return self.kind.value.format_map(vars(self))


class Attack(StrEnum):
    """How an attacker goes about it whom no promise is about."""

    POSTERIOR = auto()
    """The posterior that the promise is about, with the calibrated exponent."""
    LINEAR_POOLING = auto()
    """The mean of the photos' probabilities."""
    HALVES = auto()
    """The first or second half of the album, or every second photo."""
    SMALLER_CIRCLES = auto()
    """Circles of 0.8 R."""
    LARGER_CIRCLES = auto()
    """Circles of 1.2 R."""
    POPULATION = auto()
    """Cells weighed by the people who live in them."""
    EXCLUDER = auto()
    """The first places of every photo and of the album are struck out."""

"""What the promise of a plan does not cover, a sentence each, said of this very plan."""

from __future__ import annotations

from collections.abc import Iterator

from elsewhere.service.planning.hidden_zones import HideScope
from elsewhere.service.planning.plan_album import AlbumPlan
from elsewhere.service.planning.presets import margin
from elsewhere.service.posted.values import Posted
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.values.wording import counted, listed


def limitations(seen: ScoredAlbum, album_plan: AlbumPlan, posted: Posted) -> Iterator[str]:
    """Every limit that a person should know of before sharing."""
    wishes, words = album_plan.wishes, listed([attack.called for attack in seen.attacks])
    width = wishes.width
    yield (
        f"Other attackers: the promise is against {words}. A better model, or somebody who knows "
        "the place, may still find it."
    )
    spare = margin(wishes.margin)
    if spare.theta:
        yield (
            f"Models that differ more than the margin: its {spare.theta:g} nats a photo stand for "
            f"{spare.stands_for}, and nothing is proved beyond that."
        )
    else:
        yield (
            "Models that differ at all: no margin was asked for, so a model only a little unlike "
            "the scorers may rank the place higher."
        )
    if wishes.budget is None:
        yield f"More guesses: whoever may try more than {wishes.top} places may come to this one."
    else:
        yield "Any fixed rank: under a budget the place goes as far down as the budget reaches."
    yield f"What lies around: {_hidden(width)} is hidden, as outlined on the map, and no more."
    if album_plan.public:
        names = listed([place.label for place in album_plan.public])
        yield f"Places that you called public: {names} may be found from these photos."
    if posted:
        many = len(posted.ids) + len(posted.already)
        yield (
            f"Other photos that are out: {counted(many, 'photo')} already public "
            f"{'was' if many == 1 else 'were'} counted, and no others."
        )
    else:
        yield (
            "Photos that are out already, yours or others' of the same event: none were counted "
            "(--posted counts them)."
        )
    yield (
        "What these models do not look for: words and signs that can be read, what a model of "
        "language and vision or a search by image makes of it, and the sensor's noise, which links "
        "photos to others of the same camera."
    )
    yield (
        "Everything but the pixels: what you write beside the photos, when you post them, who is "
        "in them, and your other accounts."
    )


def _hidden(width: HideScope) -> str:
    if width.level is None:
        return f"what lies within {width.radius_km:g} km of each hidden place"
    return {"cell": "each hidden place's cell", "city": "each hidden place's city"}.get(
        width.level, f"each hidden place's whole {width.level}"
    )

"""What a copy's certificate says for people, held against what is proved of its numbers.

The proof is about cells, tops and margins; a person reads a place and a number of guesses. Nothing
but these lines joins the two, so whoever verifies a copy is told the promise from what was proved,
and a certificate that names another place, or a larger top, is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from elsewhere.formats.copy_certificate import CopyCertificate
from elsewhere.globe import Cells, zone
from elsewhere.globe.names import cell_names
from elsewhere.service.scored_album import model_name
from elsewhere.values.wording import counted, listed, shortened

_SHOWN = 3


def find_mismatches(certificate: CopyCertificate, globes: Sequence[Cells | None]) -> Iterator[str]:
    """Where a place that is named does not lie in the cells that are hidden for it.

    `globes` are the models' maps, as they are now; a model without one says nothing of places.
    What is hidden reaches at least so far around where the place is said to be, whatever else
    belongs to it.
    """
    against = certificate.promised.promise.against
    for watch, one in zip(certificate.watches, against, strict=True):
        cells, place = globes[watch.attack], certificate.hidden[watch.place]
        if cells is None:
            continue
        here = {int(cells.locate(place.lat, place.lon))}
        if watch.radius_km > 0:
            here |= set(zone(cells, place.lat, place.lon, watch.radius_km).cells.tolist())
        if not here <= set(one.truth):
            name = certificate.models[watch.attack].name
            yield (
                f"the certificate says that {place.label} is hidden from {name}, but what it "
                "promises is about other cells"
            )


def describe_promise(
    certificate: CopyCertificate, globes: Sequence[Cells | None]
) -> tuple[str, ...]:
    """What is promised, a clause for each hidden place, from the numbers that are proved.

    No k is told but the one asked for, which is not above any that is proved. Under a budget it is
    how far down the place was pushed.
    """
    told = []
    views = certificate.promised.views
    for number, place in enumerate(certificate.hidden):
        watching = [n for n, watch in enumerate(certificate.watches) if watch.place == number]
        attacks = list(dict.fromkeys(certificate.watches[n].attack for n in watching))
        if not attacks:
            continue
        who = listed([model_name(certificate.models[attack].name) for attack in attacks])
        where = _where(certificate, globes, watching[0])
        if certificate.top is not None:
            told.append(
                f"{place.label}{where} is not among the first {certificate.top} guesses of {who}"
            )
        elif least := min(views[n].protected_k for n in watching):
            told.append(
                f"{counted(least, 'other place')} or more come before {place.label}{where} for "
                f"{who}"
            )
    return tuple(told)


def _where(certificate: CopyCertificate, globes: Sequence[Cells | None], watch: int) -> str:
    """Which cells that is, by name, where there is a map: as the promise has them."""
    cells = globes[certificate.watches[watch].attack]
    if cells is None:
        return ""
    names, truth = cell_names(cells), certificate.promised.promise.against[watch].truth
    many = "the cell of" if len(truth) == 1 else f"{len(truth)} cells:"
    return f" ({many} {shortened([names[cell] for cell in truth], _SHOWN)})"

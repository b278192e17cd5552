"""What the fields of the page's text mean: `{{word argument …}}`, each a look at the two runs."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from elsewhere.errors import InputError
from elsewhere_lab import experiments, figures
from elsewhere_lab.defaults_page.quoted import (
    NOTHING,
    REAL,
    SIMULATED,
    Quoted,
    amount,
    bare,
    percent,
    plain,
    points,
)
from elsewhere_lab.defaults_page.shipped import temperature
from elsewhere_lab.defaults_page.tables import ENCODED, TABLES
from elsewhere_lab.experiments import transfer
from elsewhere_lab.files import write_whole
from elsewhere_lab.plan_comparisons import NO_DIFFERENCE, Way, both, costs_of
from elsewhere_lab.values import Number

BESIDE = "defaults"
"""The folder beside the page that figures go to."""


class Fields:
    """The words that a field may begin with, as methods by the same names."""

    def __init__(self, quoted: Quoted, page: Path) -> None:
        self.quoted = quoted
        self.page = page

    def filled(self, field: str) -> str:
        """A field's text.

        >>> Fields(Quoted([]), Path("page.md")).filled("here 0.1")
        '0.14'
        """
        word, *given = shlex.split(field)
        words: dict[str, Callable[..., str]] = {
            "scale": self.scale, "photos": self.photos, "minutes": self.minutes,
            "table": self.table, "figure": self.figure,
            "percent": self.percent, "amount": self.amount, "value": self.value,
            "count": self.count, "compared": self.compared, "withheld": self.withheld,
            "likened": self.likened, "leads": self.leads, "covered": self.covered,
            "least": self.least, "most": self.most, "temperature": self.temperature,
            "here": self.here,
        }  # fmt: skip
        if word not in words:
            raise InputError(f"the page has a field of the unknown kind {word!r}: {field}")
        return words[word](*given)

    def scale(self) -> str:
        """The one scale of all runs."""
        scales = {str(run.told["scale"]) for run in self.quoted.runs}
        if len(scales) > 1:
            raise InputError(f"the page is of one scale, not of {' and '.join(sorted(scales))}")
        return scales.pop()

    def photos(self) -> str:
        """The options that name the score files."""
        return str(self.quoted.run_of(REAL, "defaults").told["given"])

    def minutes(self) -> str:
        """Processor time of the studies that the page is of, all together."""
        took = (
            run.told.get("took", {}).get(name, {}).get("busy", 0.0)
            for run in self.quoted.runs
            for name in STUDIES + REAL_ONLY
        )
        return f"{max(1.0, sum(took) / 60):.0f}"

    def table(self, name: str) -> str:
        """One of the tables."""
        return TABLES[name](self.quoted)

    def figure(self, source: str, study: str) -> str:
        """A study's figure, drawn beside the page; its file's name."""
        experiment = experiments.find(study)
        if experiment.draw is None:
            raise InputError(f"{study} has no figure")
        name = f"{study}.svg"
        if figures.available():
            numbers = list(self.quoted.numbers(source, study).values())
            with figures.drawing(), TemporaryDirectory() as made:
                figures.save(Path(made), experiment.draw(self.quoted.rows(source, study), numbers))
                drawn = (Path(made) / name).read_bytes()
            write_whole(self.page.parent / BESIDE / name, drawn)
        return name

    def percent(self, source: str, study: str, line: str, column: str, *how: str) -> str:
        """A share of collections; `n`: with their number, `not`: of those of which it is untrue."""
        found = self.quoted.number(source, study, line, column)
        if "not" in how:
            found = replace(found, ours=1 - found.ours)
        return percent(found, counted="n" in how)

    def amount(self, source: str, study: str, line: str, column: str, *how: str) -> str:
        """A mean; `+`: with its sign."""
        return amount(self.quoted.number(source, study, line, column), sign="+" in how)

    def value(self, source: str, study: str, line: str, column: str, form: str) -> str:
        """A number alone."""
        return plain(self.quoted.number(source, study, line, column), form)

    def count(self, source: str, study: str, line: str, column: str) -> str:
        """Of how many a number is."""
        return str(self.quoted.number(source, study, line, column).count)

    def compared(self, attacker: str, one: str, two: str, what: str) -> str:
        """How much better the second of two plans does for somebody, where both exist."""
        rows = self.quoted.rows(REAL, "transfer")
        return _one_of(what, *both(rows, attacker, way_of(one), way_of(two))[:2])

    def withheld(self, one: str, two: str, what: str) -> str:
        """What two plans withhold where both exist: the `first`, the `second`, or of how many."""
        rows = self.quoted.rows(REAL, "transfer")
        first, second, _ = costs_of(rows, way_of(one), way_of(two))
        if what == "n":
            return str(first.count)
        return bare({"first": first, "second": second}[what].ours, ".2f")

    def likened(self, attacker: str, proxy: str, what: str) -> str:
        """Plans against two models beside the margin that costs most nearly as much."""
        rows = self.quoted.rows(REAL, "transfer")
        like = transfer.beside_second(rows, proxy, attacker)
        if like is None:
            return NOTHING
        return f"{like.margin:g}" if what == "margin" else _one_of(what, like.better, like.more)

    def leads(self, which: str) -> str:
        """How many comparisons of a lead with a margin came out for whom."""
        verdicts = Counter[str]()
        for source in (SIMULATED, REAL):
            rows = self.quoted.rows(source, "transfer")
            pairs = dict.fromkeys((str(r["proxy"]), str(r["attacker"])) for r in rows)
            for proxy, name in pairs:
                for lead in transfer.LEADS if " + " not in proxy else ():
                    if like := transfer.beside_lead(rows, proxy, name, lead):
                        verdicts[like.verdict] += 1
        asked = {
            "all": verdicts.total(),
            "margin": verdicts["θ holds more often"],
            "lead": verdicts["the lead holds more often"],
            "neither": verdicts[NO_DIFFERENCE],
        }
        return str(asked[which])

    def covered(self, margin: str) -> str:
        """The ways to encode again that a margin covers, to the upper end of the interval."""
        most = {
            way: self.quoted.number(REAL, "recompress", way, "8 kept, to").ours for way in ENCODED
        }
        names = [way for way, theta in most.items() if theta <= float(margin)]
        if len(names) in {0, len(ENCODED)}:
            return "all of these ways" if names else "none of these ways"
        return ", ".join(names)

    def least(self, study: str, column: str) -> str:
        """The smallest of a column."""
        return f"{min(self._column(study, column)):.1f}"

    def most(self, study: str, column: str) -> str:
        """The largest of a column."""
        return f"{max(self._column(study, column)):.1f}"

    def temperature(self) -> str:
        """What the shipped scorer divides by."""
        return f"{temperature():.2f}"

    def here(self, margin: str) -> str:
        """A margin of the shipped scorer's in the nats of the kept score files."""
        return f"{float(margin) * temperature():.2f}"

    def _column(self, study: str, column: str) -> list[float]:
        return [n.ours for n in self.quoted.numbers(REAL, study).values() if n.column == column]


STUDIES = ("defaults", "adaptive", "subset", "transfer", "correlated", "online", "values")
REAL_ONLY = ("radius", "recompress")


def way_of(line: str) -> Way:
    """A plan of `transfer` by the name of its line.

    >>> way_of("half-a + half-b, θ 0.15"), way_of("half-a, 0.4 √n")
    (('half-a + half-b', 'θ', 0.15), ('half-a', '√n', 0.4))
    """
    proxy, _, guarded = line.rpartition(", ")
    first, second = guarded.split(" ")
    return (proxy, "θ", float(second)) if first == "θ" else (proxy, second, float(first))


def _one_of(what: str, better: Number, more: Number) -> str:
    if what == "n":
        return str(better.count)
    return points(better) if what == "points" else amount(more, sign=True)

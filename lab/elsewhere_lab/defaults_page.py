"""The page about the defaults: `defaults_page.md` with every field filled from the rows of runs.

A field is `{{word argument …}}`; `Fields.field_WORD` fills it. A line that begins with
`{{rows SET}}` is repeated for each row of a set, with `$names` in it replaced.
"""

import json
import math
import re
import shlex
import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from string import Template

from elsewhere.errors import InputError
from elsewhere_lab import experiments, plots
from elsewhere_lab.collections import ONE_PLACE
from elsewhere_lab.experiments import attacks, wishes
from elsewhere_lab.files import write_whole
from elsewhere_lab.run_folder import Run, read_runs, run_with
from elsewhere_lab.statistics import PlanName, compare_costs, compare_success
from elsewhere_lab.values import Number, Row, wilson

SIMULATED, REAL = "simulated", "real"
STUDIES = ("defaults", "adaptive", "subset", "transfer", "correlated", "online", "values")
REAL_STUDIES = ("radius", "recompress")
FIELD = re.compile(r"\{\{(.+?)\}\}", re.DOTALL)
FIGURES = "defaults"  # the folder beside the page that figures go to
NOTHING = "–"
WIDTH = 110
_REPEATED = re.compile(r"^\{\{rows (\w+)\}\}(.+)$", re.MULTILINE)
_NOT_WRAPPED = ("#", "|", "```", "![")
"""How blocks begin that are left as they are."""
_REAL_KINDS = {"R-16": "16 photos", "R-32": "32 photos", ONE_PLACE: "one landmark"}
_ENCODINGS = [f"quality {quality}" for quality in (60, 70, 80, 90, 95)]
_ENCODINGS += [f"{side} px" for side in (1080, 1600, 2048)]
_PROXIES = ("embedded", "half-a + half-b", "embedded + retrieval", "embedded + dino")
ROWS: dict[str, list[dict[str, str]]] = {
    "kinds": [
        {"source": SIMULATED, "kind": "R-16", "name": "simulated, 16 photos"},
        {"source": SIMULATED, "kind": "R-32", "name": "simulated, 32 photos"},
        {"source": SIMULATED, "kind": "Albums", "name": "simulated albums"},
        *({"source": REAL, "kind": k, "name": f"real, {name}"} for k, name in _REAL_KINDS.items()),
    ],
    "zones": [
        {
            "line": f"{kind}, {zone}", "name": name,
            "hidden": zone.removeprefix("zone of ").removesuffix(" alone"),
        }
        for kind, name in _REAL_KINDS.items()
        for zone in (wishes.CELL_ALONE, *wishes.ZONES)
    ],
    "margins": [{"margin": f"{margin:g}"} for margin in attacks.MARGINS],
    "proxies": [{"proxy": proxy} for proxy in _PROXIES],
    "encodings": [{"way": way} for way in _ENCODINGS],
}  # fmt: skip
"""What table lines are repeated for."""


def write_defaults_page(folders: Sequence[Path], page: Path) -> None:
    """Write the page from these runs, of the simulator and of real photos, and its figures."""
    fields = Fields(read_runs(folders, page), page)
    text = wrap(FIELD.sub(lambda field: fields.fill(field[1]), template()))
    write_whole(page, text.replace("|  |", "| |"))


def template() -> str:
    """The page with its fields, table lines repeated."""
    text = (files(__package__) / "defaults_page.md").read_text("utf-8")
    return _REPEATED.sub(
        lambda line: "\n".join(Template(line[2]).substitute(row) for row in ROWS[line[1]]), text
    )


def wrap(page: str) -> str:
    """The page with its paragraphs and list items wrapped anew; tables and code as they are.

    >>> print(wrap("one\\ntwo\\n\\n- a\\n  b\\n- c\\n"), end="")
    one two
    <BLANKLINE>
    - a b
    - c
    """
    blocks = page.strip("\n").split("\n\n")
    for i, block in enumerate(blocks):
        if not block.startswith(_NOT_WRAPPED):
            blocks[i] = "\n".join(
                textwrap.fill(
                    " ".join(item.split()), WIDTH, break_long_words=False, break_on_hyphens=False,
                    subsequent_indent="  " if item.startswith("- ") else "",
                )
                for item in re.split(r"\n(?=- )", block)
            )  # fmt: skip
    return "\n\n".join(blocks) + "\n"


class Fields:
    """The runs, and what their studies came to; `field_WORD` fills the fields of that word."""

    def __init__(self, runs: Sequence[Run], page: Path) -> None:
        self.runs = tuple(runs)
        self.page = page
        self.rows = cache(self._rows)
        self.numbers = cache(self._numbers)

    def fill(self, field: str) -> str:
        """A field's text.

        >>> Fields([], Path("page.md")).fill("nats 0.1 here")
        '0.14'
        """
        word, *arguments = shlex.split(field)
        fill = getattr(self, f"field_{word}", None)
        if fill is None:
            raise InputError(f"the page has a field of the unknown kind {word!r}: {field}")
        return str(fill(*arguments))

    def run_of(self, source: str, study: str) -> Run:
        """The run that holds a study."""
        mine = [run for run in self.runs if run.simulated == (source == SIMULATED)]
        run = run_with(mine, experiments.find(study))
        if run is None:
            where = "the simulator" if source == SIMULATED else "real photos"
            raise InputError(
                f"no folder holds {study} of {where}: run elsewhere-lab run {study} first"
            )
        return run

    def _rows(self, source: str, study: str) -> list[Row]:
        return self.run_of(source, study).rows(experiments.find(study))

    def _numbers(self, source: str, study: str) -> dict[tuple[str, str], Number]:
        every = experiments.find(study).summarise(self.rows(source, study))
        return {(each.line, each.column): each for each in every}

    def number(self, source: str, study: str, line: str, column: str) -> Number:
        """One number; one of nothing where a run was too small to have it."""
        nothing = Number(line, column, math.nan, math.nan)
        return self.numbers(source, study).get((line, column), nothing)

    def field_scale(self) -> str:
        """The one scale of all runs."""
        scales = {str(run.info["scale"]) for run in self.runs}
        if len(scales) > 1:
            raise InputError(f"the page is of one scale, not of {' and '.join(sorted(scales))}")
        return scales.pop()

    def field_photos(self) -> str:
        """The options that name the score files."""
        return str(self.run_of(REAL, "defaults").info["given"])

    def field_minutes(self) -> str:
        """Processor time of the page's studies, all together."""
        times = [run.info.get("took", {}) for run in self.runs]
        studies = STUDIES + REAL_STUDIES
        busy = [took[name]["busy"] for took in times for name in studies if name in took]
        return f"{max(1.0, sum(busy) / 60):.0f}"

    def field_figure(self, source: str, study: str) -> str:
        """A study's figure, drawn beside the page; its file's name."""
        numbers = list(self.numbers(source, study).values())
        rows, folder = self.rows(source, study), self.page.parent / FIGURES
        plots.draw_figure(experiments.find(study), rows, numbers, folder, endings=("svg",))
        return f"{study}.svg"

    def field_percent(self, source: str, study: str, line: str, column: str, *how: str) -> str:
        """A share of collections; `n`: with their number, `not`: of those of which it is untrue,
        `optional`: empty where there are none."""
        number = self.number(source, study, line, column)
        if "not" in how:
            number = replace(number, ours=1 - number.ours)
        if "optional" in how and not number.count:
            return ""
        return format_percent(number, counted="n" in how)

    def field_amount(self, source: str, study: str, line: str, column: str, *how: str) -> str:
        """A mean; `+`: with its sign."""
        return format_amount(self.number(source, study, line, column), sign="+" in how)

    def field_value(self, source: str, study: str, line: str, column: str, form: str) -> str:
        """A number alone."""
        ours = self.number(source, study, line, column).ours
        return NOTHING if math.isnan(ours) else format(ours, form)

    def field_count(self, source: str, study: str, line: str, column: str) -> int:
        """Of how many a number is."""
        return self.number(source, study, line, column).count

    def field_near(self, line: str, km: str) -> str:
        """How often a guess is within so many kilometres, where the zone does not rule it out."""
        if wishes.ZONES.get(line.partition(", ")[2], 0) >= int(km):
            return "by itself"
        return format_percent(self.number(REAL, "radius", line, wishes.within_column(int(km))))

    def field_compared(self, attacker: str, first: str, second: str, what: str) -> str:
        """How much better the second of two plans does for somebody, where both exist."""
        plans = plan_name(first), plan_name(second)
        better, more, _ = compare_success(self._transfers, attacker, *plans)
        return _comparison(what, better, more)

    def field_withheld(self, first: str, second: str, what: str) -> str:
        """What two plans withhold where both exist: the `first`, the `second`, or of how many."""
        before, after, _ = compare_costs(self._transfers, plan_name(first), plan_name(second))
        if what == "n":
            return str(before.count)
        return format_bare({"first": before, "second": after}[what].ours, ".2f")

    def field_likened(self, attacker: str, proxy: str, what: str) -> str:
        """Plans against two models beside the margin that costs most nearly as much."""
        match = attacks.match_second(self._transfers, proxy, attacker)
        if match is None:
            return NOTHING
        return f"{match.margin:g}" if what == "margin" else _comparison(what, *match[1:3])

    def field_leads(self, which: str) -> int:
        """How many comparisons of a lead with a margin came out for which of them."""
        winners = Counter[str]()
        for source in (SIMULATED, REAL):
            rows = self.rows(source, "transfer")
            for proxy, name in dict.fromkeys((str(r["proxy"]), str(r["attacker"])) for r in rows):
                for lead in attacks.LEADS if " + " not in proxy else ():
                    if match := attacks.match_lead(rows, proxy, name, lead):
                        winners[match.winner] += 1
        keys = {"margin": "θ", "lead": attacks.LEAD_NAME, "neither": ""}
        return winners.total() if which == "all" else winners[keys[which]]

    def field_covered(self, margin: str) -> str:
        """The ways to encode again that a margin covers, to the upper end of the interval."""
        needed = {way: self.number(REAL, "recompress", way, "8 kept, to") for way in _ENCODINGS}
        names = [way for way, number in needed.items() if number.ours <= float(margin)]
        if names == _ENCODINGS:
            return "all of these ways"
        return ", ".join(names) or "none of these ways"

    def field_range(self, study: str, column: str) -> str:
        """The smallest to the largest of a column."""
        every = [n.ours for n in self.numbers(REAL, study).values() if n.column == column]
        return f"{min(every):.1f} to {max(every):.1f}"

    def field_nats(self, margin: str, unit: str) -> str:
        """A margin of the shipped scorer in nats of the kept score files (`here`), or back."""
        factor = temperature() if unit == "here" else 1 / temperature()
        return f"{float(margin) * factor:.2f}"

    @cached_property
    def _transfers(self) -> list[Row]:
        return self.rows(REAL, "transfer")


@cache
def temperature() -> float:
    """What the scorer embedded:512 divides scores by; the kept score files are of heads without.

    >>> round(temperature(), 2)
    1.41
    """
    record = json.loads((files("elsewhere.scorers") / "weights" / "model.json").read_text("utf-8"))
    return float(record["512"]["temperature"])


def plan_name(line: str) -> PlanName:
    """A plan of `transfer` by the name of its line.

    >>> plan_name("half-a + half-b, θ 0.15"), plan_name("half-a, 0.4 √n")
    (('half-a + half-b', 'θ', 0.15), ('half-a', '√n', 0.4))
    """
    proxy, _, guarded = line.rpartition(", ")
    first, second = guarded.split(" ")
    return (proxy, "θ", float(second)) if first == "θ" else (proxy, second, float(first))


def _comparison(what: str, better: Number, more: Number) -> str:
    if what == "n":
        return str(better.count)
    if what != "points":
        return format_amount(more, sign=True)
    if math.isnan(better.ours) or math.isnan(better.error):
        return NOTHING
    return f"{better.ours * 100:+.0f} ± {196 * better.error:.0f} points"


def format_percent(number: Number, *, counted: bool = False) -> str:
    """A share of collections with its interval, and of how many where asked for.

    >>> format_percent(Number("R-16", "no plan", 0.5, 0.05, 100), counted=True)
    '50 % (40 to 60, n = 100)'
    """
    if not number.count or math.isnan(number.ours):
        return NOTHING
    low, high = wilson(number.ours, number.count)
    of = f", n = {number.count}" if counted else ""
    return f"{number.ours * 100:.0f} % ({low * 100:.0f} to {high * 100:.0f}{of})"


def format_amount(number: Number, *, sign: bool = False) -> str:
    """A share of photos with its error, as the paper prints shares.

    >>> format_amount(Number("R-16", "withheld", 0.482, 0.011, 40))
    '.48 ± .02'
    """
    if math.isnan(number.ours):
        return NOTHING
    text = format_bare(number.ours, "+.2f" if sign else ".2f")
    error = format_bare(1.96 * number.error, ".2f")
    return text if math.isnan(number.error) else f"{text} ± {error}"


def format_bare(value: float, form: str) -> str:
    """A number without the zero before its point.

    >>> format_bare(0.5, ".2f"), format_bare(-0.25, "+.2f"), format_bare(1.0, ".2f")
    ('.50', '-.25', '1.00')
    """
    text = format(value, form)
    sign = text.rstrip("0123456789.")
    return sign + text[len(sign) :].removeprefix("0")

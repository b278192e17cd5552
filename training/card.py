"""Every table of the model card, from the saved results; none is typed by hand.

    python -m training.card [--check]

Rewrites the tables of ``docs/model-card.md`` between their markers from ``docs/model/*.json`` and
the shipped record, and draws the plots. ``--check`` only says whether the page is up to date.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "model-card.md"
RESULTS = ROOT / "docs" / "model"
WEIGHTS = ROOT / "src" / "elsewhere" / "scorers" / "weights"
KM = (1, 25, 200, 750, 2500)

PUBLISHED = {
    "PlaNet (arXiv 1602.05314)": (8.5, 24.8, 34.3, 48.4, 64.6),
    "ISNs (ECCV 2018)": (10.5, 28.0, 36.6, 49.7, 66.0),
    "SemP (WACV 2022)": (12.5, 31.4, 42.7, 57.3, 72.0),
    "GeoCLIP (arXiv 2309.16020)": (14.11, 34.47, 50.65, 69.67, 83.82),
    "G3 (arXiv 2405.14702)": (16.65, 40.94, 55.56, 71.24, 84.68),
}
"""Per cent of Im2GPS3k within 1, 25, 200, 750 and 2,500 km, as their papers print them."""


def read(name: str) -> Any:
    """One saved result."""
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def share(value: float) -> str:
    """Three decimals without the zero in front."""
    return f"{value:.3f}".removeprefix("0") if value < 1 else "1"


def span(pair: list[float], digits: int = 3) -> str:
    """A 95 % interval."""
    low, high = (f"{v:.{digits}f}".removeprefix("0" if digits == 3 else "") for v in pair)
    return f"{low} to {high}"


def targets() -> str:
    """The promises of the model, measured."""
    a, c = read("measured")["all"], read("calibration")
    never, seen = c["never_seen_intervals"], c["seen"]
    rows = [["never seen: mean rank of 512", "≤ 56", f"{a['mean_rank']:.1f}"]]
    rows[0].append(span(never["mean_rank"], 1))
    for km, target in ((750, ".34"), (2500, ".58")):
        key = f"within_{km}"
        rows.append(
            [f"never seen: within {km:,} km", f"≥ {target}", share(a[key]), span(never[key])]
        )
    for text, found, pair in (
        ("one held-out tenth", a["seen_top1"], a["intervals"]["seen_top1"]),
        ("all ten tenths in turn", seen["top1"], seen["top1_interval"]),
    ):
        rows.append([f"trained landmarks, {text}: top-1", "≥ .82", share(found), span(pair)])
    albums = share(c["albums"]["16"]["all_seen_top1"])
    rows.append(["albums of 16 held-out landmark photos: top-1", "≥ .97", albums, ""])
    return table(["what", "target", "measured", "95 % interval"], rows)


def distances() -> str:
    """Accuracy by distance, beside what others print for other photos."""
    c = read("calibration")
    ours = [f"{100 * c['never_seen'][f'within_{k}']:.1f}" for k in KM]
    rows = [["this model, never-seen sources and places", *ours]]
    rows += [[f"{n}, Im2GPS3k", *(f"{v:g}" for v in values)] for n, values in PUBLISHED.items()]
    return table(["per cent within", *(f"{k:,} km" for k in KM)], rows)


def places(which: str) -> Callable[[], str]:
    """Accuracy by region or by source."""

    def made() -> str:
        rows = [
            [name, f"{f['photos']:.0f}", f"{f['mean_rank']:.0f}"]
            + [share(f[k]) for k in ("top1", "top5", "within_200", "within_750", "within_2500")]
            for name, f in read("calibration")[which].items()
        ]
        head = ["", "photos", "mean rank", "top-1", "top-5", "200 km", "750 km", "2,500 km"]
        return table(head, rows)

    return made


def albums() -> str:
    """Calibration by album size."""
    rows = []
    for size, row in read("calibration")["albums"].items():
        cells = [size, f"{row['exponent']:.3f}"]
        for kind in ("seen", "never"):
            f = row.get(kind)
            cells += (
                [share(f["top1"]), share(f["error_plain"]), share(f["error"])] if f else ["–"] * 3
            )
        rows.append(cells)
    head = ["photos", "exponent"]
    for kind in ("landmarks", "never seen"):
        head += [f"{kind}: top-1", "error, plain sum", "error, calibrated"]
    return table(head, rows)


def variants() -> str:
    """Training with fewer members, without doubtful licences, or on another tower."""
    m = read("measured")
    named = {
        "all": "shipped: every shard, four networks",
        "one_member": "the same, one network",
        "without_doubtful": "without licences unrecorded, unverified or research-only",
        "without_doubtful_strict": "and without photos whose origin is not stated",
    }
    rows = [
        [text, f"{m[k]['trained_photos']:.0f}", f"{m[k]['mean_rank']:.1f}"]
        + [share(m[k][f]) for f in ("top5", "within_750", "within_2500", "seen_top1")]
        for k, text in named.items()
    ]
    other = read("dinov2")["all"]
    rows.append(
        ["another tower, DINOv2-S (for the lab only)", f"{other['trained_photos']:.0f}",
         f"{other['mean_rank']:.1f}"]
        + [share(other[f]) for f in ("top5", "within_750", "within_2500", "seen_top1")]
    )  # fmt: skip
    head = ["", "photos trained on", "mean rank", "top-5", "750 km", "2,500 km", "landmarks top-1"]
    return table(head, rows)


def curve() -> str:
    """What more places bring."""
    rows = [
        [
            f"{f['share_of_places']:.0%}",
            f"{f['trained_photos']:.0f}",
            f"{f['mean_rank']:.1f}",
            share(f["within_750"]),
            share(f["within_2500"]),
        ]
        for f in read("measured")["curve"]
    ]
    return table(["places trained on", "photos", "mean rank", "750 km", "2,500 km"], rows)


def towers() -> str:
    """The towers that were weighed against each other."""
    rows = read("towers")
    base = rows["the wheel's int8"]["milliseconds"]
    return table(
        ["tower", "MB", "cosine with float: mean", "least", "time, the wheel's = 1",
         "rows depend on the batch"],
        [[name, f"{r['megabytes']:.1f}", f"{r['cosine_mean']:.4f}", f"{r['cosine_least']:.4f}",
          f"{r['milliseconds'] / base:.2f}", "yes" if r["batch_changes_rows"] else "no"]
         for name, r in rows.items()],
    )  # fmt: skip


def files() -> str:
    """The shipped files."""
    record, dino = (
        json.loads((WEIGHTS / file).read_text("utf-8")) for file in ("model.json", "dino.json")
    )
    parts = [record[k] for k in ("tower", "leaves", "head", "half_a", "half_b")]
    parts += [record["512"]["head"], dino["tower"], dino["head"]]
    return table(
        ["file", "MB", "SHA-256"],
        [
            [f"`{part['file']}`", f"{part['bytes'] / 1e6:.1f}", f"`{part['sha256']}`"]
            for part in parts
        ],
    )


def leaves() -> str:
    """The head on leaves beside a head on 512 cells that was trained on the same photos."""
    figures = read("leaves")
    return by_nearness({
        "512 cells, the likeliest": figures["cells_512"],
        "leaves, the likeliest": figures["leaves"],
        "leaves, the likeliest circle of 25 km": figures["leaves_circle"],
    })  # fmt: skip


def dino() -> str:
    """The second model beside the first."""
    circle = "leaves_circle"
    return by_nearness({"`embedded`": read("leaves")[circle], "`dino`": read("dino")[circle]})


def by_nearness(heads: dict[str, Any]) -> str:
    """First guesses by distance, for all photos and those far from what was trained on.

    What lies near was trained on by other photos for other heads, so numbers may differ.
    """
    near = {
        "all": "all",
        "beyond_25": "trained on nothing within 25 km",
        "beyond_100": "trained on nothing within 100 km",
    }
    rows = [
        [title, f"{figures[part]['photos']:,}", name]
        + [share(figures[part][f"within_{km}"]) for km in KM]
        for part, title in near.items()
        for name, figures in heads.items()
    ]
    return table(["photos", "number", "first guess", *(f"{km:,} km" for km in KM)], rows)


def leaf_regions() -> str:
    """The likeliest circle by continent."""
    rows = [
        [region, str(row["photos"]), *(share(row[f"within_{km}"]) for km in KM)]
        for region, row in read("leaves-calibration")["regions"].items()
    ]
    return table(["", "photos", *(f"{km:,} km" for km in KM)], rows)


def circle_albums(name: str) -> Callable[[], str]:
    """Exponents on leaves, and how well the first circle's mass agrees with its hits."""

    def made() -> str:
        saved = read(name)
        rows = [
            [size, f"{saved['exponents'][size]:.3f}", share(row["mass"]), share(row["hits"])]
            for size, row in saved["albums"].items()
        ]
        return table(["photos", "exponent", "mass of the first circle", "it is right"], rows)

    return made


def dino_towers() -> str:
    """The second tower, beside float and beside the first."""
    rows = read("dino-towers")
    last = list(rows)[-1]
    return table(
        ["tower", "MB", "cosine with float: mean", "least", "time, CLIP's = 1"],
        [[name, f"{r['megabytes']:.1f}", *(f"{r[k]:.4f}" if k in r else "–"
          for k in ("cosine_mean", "cosine_least")),
          f"{r['milliseconds'] / rows[last]['milliseconds']:.2f}"]
         for name, r in rows.items()],
    )  # fmt: skip


def faster() -> str:
    """Cheaper forms of the tower: how fast, and what their heads lose."""
    heads = read("faster")["heads"]
    named = {"shipped": "today", "today": "today, written anew"}
    times = {named.get(name, name): row for name, row in read("faster-times")["times"].items()}
    rows = []
    for name in dict.fromkeys([*times, *heads]):
        form = name.split(", int8")[0].split(", distilled")[0].split(", another")[0]
        timed, right = times.get(form), heads.get(name)
        line = [name, f"{right['cost']:.2f}" if right else "–"]
        for threads in ("one", "two"):
            key = f"cpu_ms_{threads}"
            line.append(f"{times['today'][key] / timed[key]:.2f}" if timed else "–")
        line += [share(right[f"within_{km}"]) if right else "–" for km in KM]
        line.append(f"{100 * max(right[f'lost_{km}'] for km in KM):.1f}" if right else "–")
        rows.append(line)
    head = ["tower", "multiply-adds", "speed, one thread", "two"]
    return table([*head, *(f"{km:,} km" for km in KM), "most lost, points"], rows)


def faster_settings() -> str:
    """Ways to run today's file."""
    ways = read("faster-times")["settings"]
    first = next(iter(ways.values()))
    rows = [
        [name, f"{row['cpu_ms_one']:.0f}", f"{first['cpu_ms_one'] / row['cpu_ms_one']:.2f}"]
        for name, row in ways.items()
    ]
    return table(["today's file", "ms of processor time a photo", "speed"], rows)


TABLES: dict[str, Callable[[], str]] = {
    "targets": targets,
    "distances": distances,
    "regions": places("regions"),
    "sources": places("sources"),
    "albums": albums,
    "variants": variants,
    "curve": curve,
    "towers": towers,
    "leaves": leaves,
    "leaf_regions": leaf_regions,
    "leaf_albums": circle_albums("leaves-calibration"),
    "dino": dino,
    "dino_albums": circle_albums("dino-calibration"),
    "dino_towers": dino_towers,
    "faster": faster,
    "faster_settings": faster_settings,
    "files": files,
}


def filled(page: str) -> str:
    """The page with every table made anew."""
    for name, make in TABLES.items():
        pattern = re.compile(rf"<!-- {name} -->\n.*?<!-- end -->", re.DOTALL)
        if len(pattern.findall(page)) != 1:
            raise SystemExit(f"{PAGE.name} needs the markers of the table {name} exactly once")
        start, stop = f"<!-- {name} -->\n", "<!-- end -->"
        page = pattern.sub(start + make().replace("\\", r"\\") + "\n" + stop, page)
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    page = PAGE.read_text("utf-8")
    if args.check:
        sys.exit(0 if filled(page) == page else f"{PAGE} is not what the saved results say")
    PAGE.write_text(filled(page), "utf-8")
    from training.plots import draw

    draw(read("calibration"), read("measured"), RESULTS)


if __name__ == "__main__":
    main()

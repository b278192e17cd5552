"""`python -m benchmarks.gpu.batch`: `elsewhere batch` from JPEGs, on a GPU and on the processor.

    python -m benchmarks.gpu.batch --photos DIR       JPEGs of DIR, enlarged to 12 megapixels
    python -m benchmarks.gpu.batch --photos DIR --two also with two cores and no GPU

It prints photos a second of each run, with the start of all processes and without (from how much
longer a larger run takes than a small one), and their processor time; the share of plans from the
GPU's scores that fail on the processor's; in how many albums both runs withhold the same photos;
and how far the rows of `--rows` photos of DIR are apart. Albums are twelve neighbours in DIR; the
place of each is the packaged model's first guess from all of them, so all are at risk.

It needs PyTorch and what `elsewhere batch` needs: pyarrow, pydantic, typer, jinja2, filelock and
lazy_loader, beside numpy, Pillow and onnxruntime. elsewhere need not be installed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import elsewhere
from benchmarks.gpu.photos import enlarge, find_photos
from benchmarks.gpu.rows import both_rows, describe_machine, difference, open_tower
from elsewhere.globe import Cells

ALBUM = 12
FEW, MIDDLE = 24, 120
"""Photos of short runs: what they take is mostly their start; and of runs on two cores."""


def main() -> None:
    """Measure, and print what was found."""
    asked = _arguments()
    originals = find_photos(asked.photos)
    wanted = max(asked.rows, asked.count)
    originals = originals[:: max(1, len(originals) // wanted)][:wanted]
    if len(originals) < ALBUM:
        raise SystemExit(f"{asked.photos} has fewer than {ALBUM} JPEGs")
    gpu, cpu = both_rows(open_tower(asked.device), originals, asked.batch)
    found: dict[str, Any] = {"machine": describe_machine(asked.device)}
    found["rows"] = difference(gpu[: asked.rows], cpu[: asked.rows])
    chosen = originals[: asked.count // ALBUM * ALBUM]
    albums = _enlarged(chosen, asked.out / "photos")
    dataset = asked.out / "albums.parquet"
    _write(dataset, albums, cpu)
    environment = _environment(asked.out)
    few, middle = asked.out / "few.parquet", asked.out / "middle.parquet"
    _write(few, albums[:FEW], cpu)
    _write(middle, albums[:MIDDLE], cpu)
    runs = [(device, 0) for device in (("cpu",) if asked.device == "cpu" else ("cuda", "cpu"))]
    runs += [("cpu", 2)] if asked.two else []
    for device, cores in runs:
        name = f"{device}-{cores}-cores" if cores else device
        small, large = (
            _run(data, asked.out / name, device, environment, cores)
            for data in (few, middle if cores else dataset)
        )
        more = large["photos"] - small["photos"], large["seconds"] - small["seconds"]
        large["photos/s without the start"] = round(more[0] / more[1], 2) if more[1] > 0 else None
        found[name] = large
    if "cuda" in found:
        found["both runs"] = _compare(asked.out / "cuda", asked.out / "cpu")
    (asked.out / "batch.json").write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))


def _enlarged(photos: Sequence[Path], folder: Path) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    targets = [folder / f"{number:05}.jpg" for number in range(len(photos))]
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        list(pool.map(enlarge, photos, targets, chunksize=8))
    return targets


def _write(dataset: Path, photos: Sequence[Path], rows: Any) -> None:
    """A dataset of albums, each at the first guess of the packaged model from all its photos."""
    import pyarrow as pa
    from pyarrow import parquet

    from elsewhere.batch.columns import photos_in

    lats, lons = Cells.leaves().points
    records = []
    for start in range(0, len(photos), ALBUM):
        guess = int(rows[start : start + ALBUM].sum(axis=0, dtype=np.float64).argmax())
        records += [
            {
                "album": f"{start // ALBUM:05}",
                "photo": path.name,
                "path": str(path.absolute()),
                "lat": float(lats[guess]),
                "lon": float(lons[guess]),
            }
            for path in photos[start : start + ALBUM]
        ]
    parquet.write_table(pa.Table.from_pylist(records, photos_in()), dataset, row_group_size=64)


def _run(
    dataset: Path, output: Path, device: str, environment: dict[str, str], cores: int = 0
) -> dict[str, Any]:
    """One run of `elsewhere batch`, on all cores or on the first few."""
    shutil.rmtree(output, ignore_errors=True)
    words = ["batch", str(dataset), "-o", str(output), "--device", device]
    words += ["--key-file", str(_key(dataset.parent))]

    def keep_to_cores() -> None:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])

    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "elsewhere", *words],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=keep_to_cores if cores else None,
    )
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode:
        raise SystemExit(f"elsewhere batch --device {device} failed:\n{done.stderr[-2000:]}")
    summary = json.loads((output / "summary.json").read_text())
    photos = summary["photos"] + summary["left"]
    plans = summary["gpu_plans"]
    proofs = plans.get("proved", 0) + plans.get("failed", 0)
    result = {
        "photos": photos,
        "seconds": round(seconds, 1),
        "photos/s, start included": round(photos / seconds, 2),
        "processor ms a photo, start included": round(1000 * busy / photos),
        "statuses": summary["statuses"],
        "dead letters": summary["dead"],
    }
    if device == "cuda":
        result["plans from the GPU's scores"] = plans
        share = plans.get("failed", 0) / proofs if proofs else None
        result["share that fails on the processor's"] = share and round(share, 4)
    return result


def _compare(first: Path, second: Path) -> dict[str, Any]:
    """The rows of two runs beside each other."""
    from pyarrow import parquet

    tables = [parquet.read_table(output / "albums").to_pylist() for output in (first, second)]
    pairs = [
        (one, other) for one in tables[0] for other in tables[1] if one["album"] == other["album"]
    ]
    planned = [(a, b) for a, b in pairs if a["share"] is not None and b["share"] is not None]
    return {
        "albums": len(pairs),
        "same status": sum(a["status"] == b["status"] for a, b in pairs),
        "a plan in both": len(planned),
        "the same photos withheld": sum(a["withheld"] == b["withheld"] for a, b in planned),
        "photos withheld": [sum(len(row[n]["withheld"]) for row in planned) for n in (0, 1)],
    }


def _key(folder: Path) -> Path:
    """One key for all runs, so that all draw the same secret k."""
    file = folder / "key"
    file.write_bytes(bytes(range(32)))
    return file


def _environment(out: Path) -> dict[str, str]:
    """The variables of a run; where elsewhere is not installed, with what says its version."""
    paths = [path for path in sys.path if path]
    try:
        version("elsewhere")
    except PackageNotFoundError:
        site = out / "site"
        about = site / f"elsewhere-{elsewhere.__version__}.dist-info" / "METADATA"
        about.parent.mkdir(parents=True, exist_ok=True)
        lines = f"Metadata-Version: 2.1\nName: elsewhere\nVersion: {elsewhere.__version__}\n"
        about.write_text(lines)
        paths.insert(0, str(site.absolute()))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu.batch")
    add = parser.add_argument
    add("--device", default="cuda", choices=("cuda", "cpu"))
    add("--photos", type=Path, required=True, help="a folder of JPEGs, different ones")
    add("--rows", type=int, default=1000, help="photos that rows are compared on")
    add("--count", type=int, default=960, help="photos that are enlarged and run through batch")
    add("--batch", type=int, default=64, help="photos at a time, for the comparison of rows")
    add("--two", action="store_true", help="also run on two cores without a GPU")
    add("--out", type=Path, default=Path("build/gpu"))
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    return asked


if __name__ == "__main__":
    main()

"""More than the example album: a trip of several days and places, and a model of one's own."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from commands import ALBUM, Commands, Notes
from PIL import Image
from running import Product
from told import comparable

TRIP = "trip"
GPS, CAPTURE = 0x8825, 0x8769
SHOTS: dict[str, tuple[str, str, tuple[float, float] | None, int]] = {
    # name: photo of the example, time, position, stars
    "a-1.jpg": ("fig.jpg", "2023:05:01 09:00:00", (43.68, 4.63), 0),
    "a-2.jpg": ("fig.jpg", "2023:05:01 09:00:01", (43.68, 4.63), 5),
    "a-3.jpg": ("arles-arena.jpg", "2023:05:02 10:00:00", (43.68, 4.63), 3),
    "a-4.jpg": ("wine.jpg", "2023:05:03 11:00:00", (43.69, 4.64), 0),
    "b-1.jpg": ("hills.jpg", "2023:05:05 09:00:00", (38.72, -9.14), 4),
    "b-2.jpg": ("sunset.jpg", "2023:05:05 20:00:00", (38.71, -9.13), 0),
    "b-3.jpg": ("bridge.jpg", "2023:05:05 20:30:00", None, 0),
    "c-1.jpg": ("pont-du-gard.jpg", "2023:05:09 12:00:00", (43.95, 4.53), 1),
}
BOXES = [[0, -90, -180, 0, 0], [1, -90, 0, 0, 180], [2, 0, -180, 90, 0], [3, 0, 0, 90, 10],
         [4, 0, 10, 90, 180]]  # fmt: skip


def write_trip(example: Path, folder: Path) -> None:
    """Small copies of the example's photos with times, positions and stars of our own."""
    folder.mkdir()
    for number, (name, (photo, time, position, stars)) in enumerate(SHOTS.items()):
        with Image.open(example / photo) as opened:
            small = opened.convert("RGB")
        small.thumbnail((400, 400))
        small = small.crop((number, 0, small.width, small.height))
        exif = Image.Exif()
        exif.get_ifd(CAPTURE)[0x9003] = time
        if stars:
            exif[0x4746] = stars
        if position is not None:
            exif.get_ifd(GPS).update(_gps(*position))
        small.save(folder / name, "JPEG", quality=88, exif=exif)


def _gps(lat: float, lon: float) -> dict[int, object]:
    def degrees(angle: float) -> tuple[float, float, float]:
        return (abs(angle), 0.0, 0.0)

    return {
        1: "N" if lat >= 0 else "S",
        2: degrees(lat),
        3: "E" if lon >= 0 else "W",
        4: degrees(lon),
    }


def write_model(folder: Path) -> None:
    """`model.onnx`: mean colour to five cells, with the description and the cells beside it."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    weights = np.random.default_rng(5).normal(0, 3, (3, len(BOXES))).astype(np.float32)
    nodes = [
        helper.make_node("GlobalAveragePool", ["photo"], ["pooled"]),
        helper.make_node("Flatten", ["pooled"], ["flat"]),
        helper.make_node("MatMul", ["flat", "w"], ["logits"]),
    ]
    float32 = TensorProto.FLOAT
    graph = helper.make_graph(
        nodes,
        "mean-colour",
        [helper.make_tensor_value_info("photo", float32, ["n", 3, 8, 8])],
        [helper.make_tensor_value_info("logits", float32, ["n", len(BOXES)])],
        [numpy_helper.from_array(weights, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(folder / "model.onnx"))
    told = {"cells": "cells.json", "size": 8, "fit": "crop", "output": "logits"}
    (folder / "model.json").write_text(json.dumps(told), "utf-8")
    cells = {"format": "elsewhere cells", "version": 1, "boxes": BOXES}
    (folder / "cells.json").write_text(json.dumps(cells), "utf-8")


def record_trip(product: Product) -> Notes:
    """Several places, bursts, stars, a second attacker; and a few experiments of the lab."""
    at = Commands(product)
    write_trip(at.work / ALBUM, at.work / TRIP)
    write_model(at.work)
    same = ("--exact-top", "--json", "--dry-run")
    at.folder("trip files", at.work / TRIP)
    at.case("trip audit", "audit", TRIP, "--json")
    runs: dict[str, tuple[str, ...]] = {
        "all": ("--top", "2"),
        "home": ("--hide", "home", "--bursts"),
        "one place": ("--hide", "Lisbon", "--value", "stars", "--no-each-photo"),
        "two levels": ("--hide-level", "region", "--budget", "50%"),
        "two attackers": ("--scorer", "embedded", "--scorer", "embedded:half_a", "--top", "1"),
        "own model": ("--scorer", "onnx:model.onnx", "--top", "1", "--radius", "1"),
    }
    for name, options in runs.items():
        at.case(f"trip {name}", "protect", TRIP, *options, *same)
    at.case("trip own model guess", "guess", TRIP, "--scorer", "onnx:model.onnx", "--json")
    ran = at.product.program("lab", "run", "teaser", "worst", "values", "online", "--scale",
                             "small", "--processes", "1", "-o", "lab")  # fmt: skip
    at.notes.add("lab run", {"exit": ran.code}, comparable(ran.stdout, product))
    for file in sorted((at.work / "lab").rglob("*.csv")):
        if file.parent.name != "parts":
            lines = file.read_text("utf-8").splitlines()
            told = {f"{number:04}": line for number, line in enumerate(lines)}
            at.notes.add(f"lab {file.parent.name} {file.name}", told)
    at.case("lab page", "lab", "page", "lab", "-o", "page.md")
    return at.notes

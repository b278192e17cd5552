"""The public names with their signatures, what they refuse, and score files; run by itself.

python interface.py FOLDER > RECORD.json
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import importlib
import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import surfaces

from values import plain

elsewhere: Any = importlib.import_module(surfaces.PUBLIC)

TABLE = np.log([[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.6, 0.1, 0.3], [0.2, 0.5, 0.3]])


def names() -> dict[str, Any]:
    """Each public name: what it is and how it is used."""
    return {name: _described(getattr(elsewhere, name)) for name in sorted(elsewhere.__all__)}


def _described(thing: Any) -> dict[str, Any]:
    if not inspect.isclass(thing):
        return {"kind": "function", "signature": _signature(thing)}
    if issubclass(thing, BaseException):
        return {"kind": "error", "bases": [one.__name__ for one in thing.__mro__[1:-1]]}
    if issubclass(thing, enum.Enum):
        return {"kind": "enum", "members": {one.name: one.value for one in thing}}
    told: dict[str, Any] = {"kind": "class", "signature": _signature(thing)}
    if dataclasses.is_dataclass(thing):
        told["fields"] = {
            one.name: f"{one.type}{_default(one)}"
            for one in dataclasses.fields(thing)
            if not one.name.startswith("_")
        }
        told["frozen"] = thing.__dataclass_params__.frozen  # type: ignore[attr-defined]
    told["members"] = {
        name: _signature(member) if callable(member) else type(member).__name__
        for name, member in sorted(inspect.getmembers(thing))
        if not name.startswith("_") and name not in told.get("fields", {})
    }
    return told


def _default(one: Any) -> str:
    return "" if one.default is dataclasses.MISSING else f" = {one.default!r}"


def _signature(thing: Any) -> list[str]:
    """Parameters one by one; types by their last name, wherever they live."""
    found = inspect.signature(thing)
    told = [
        ("* " if one.kind is one.KEYWORD_ONLY else "") + _short(str(one))
        for one in found.parameters.values()
    ]
    returned = "" if found.return_annotation is inspect.Signature.empty else found.return_annotation
    return [*told, f"-> {_short(returned if isinstance(returned, str) else repr(returned))}"]


def _short(text: str) -> str:
    text = re.sub(r" at 0x[0-9a-f]+", "", text)
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z])", "", text).replace("'", "")


def refusals() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Calls that make no sense, or only just do."""
    protect, frontier, check = elsewhere.protect, elsewhere.frontier, elsewhere.check
    plan = protect(TABLE, 0, top=1)
    two = [TABLE, TABLE]
    nan, inf = float("nan"), float("inf")
    tables: dict[str, Any] = {
        "text": "scores", "none": None, "one number": 3.0, "one row": [1.0, 2.0], "empty": [],
        "no cells": [[], []], "one cell": [[1.0], [2.0]], "ragged": [[1.0, 2.0], [1.0]],
        "words": [["a", "b"]], "nan": [[nan, 0.0]], "inf": [[inf, 0.0]], "complex": [[1j, 0.0]],
        "three dimensions": np.zeros((2, 2, 2)), "huge integers": [[2**60, 0]],
        "booleans": [[True, False]], "minus infinity": [[-inf, 0.0], [0.0, -inf]],
        "masked": np.ma.masked_array([[1.0, 2.0]], mask=[[True, False]]),
        "unlike attackers": [TABLE, TABLE[:2]], "other cells": [TABLE, TABLE[:, :2]],
        "fractions": [[Fraction(1, 3), Fraction(1, 2)]],
    }  # fmt: skip
    for name, table in tables.items():
        yield f"scores {name}", partial(protect, table, 0, top=1)
    for truth in (-1, 3, "0", 0.0, None, True, [], [0, 1, 2], [0, 9], {0}, (0, 0), [[0]]):
        yield f"truth {truth!r}", partial(protect, TABLE, truth, top=1)
    wishes: list[dict[str, Any]] = [
        {}, {"top": 1, "budget": 1}, {"top": 0}, {"top": 3}, {"top": -1}, {"top": 1.5},
        {"top": "1"}, {"top": True}, {"top": [1, 2]}, {"top": None}, {"budget": -1},
        {"budget": 4}, {"budget": 99}, {"budget": 1.0}, {"top": 1, "keep": [9]},
        {"top": 1, "keep": ["x"]}, {"top": 1, "keep": "0"}, {"top": 1, "keep": 0},
        {"top": 1, "keep": [0], "drop": [0]}, {"top": 1, "keep": [0, 1, 2, 3]},
        {"top": 1, "drop": [0, 1, 2, 3]}, {"top": 1, "drop": None}, {"budget": 1, "drop": [0, 1]},
        {"top": 1, "margin": -0.1}, {"top": 1, "margin": nan}, {"top": 1, "margin": "much"},
        {"top": 1, "margin": 50.0}, {"top": 1, "margin": [0.1]}, {"top": 1, "lead": -1},
        {"top": 1, "lead": inf}, {"top": 1, "lead": 100}, {"top": 1, "prior": [0.0]},
        {"top": 1, "prior": [0.0, nan, 0.0]}, {"top": 1, "prior": [0.0, inf, 0.0]},
        {"top": 1, "prior": [-inf, 0.0, 0.0]}, {"top": 1, "prior": "flat"},
        {"top": 1, "values": [1, 2]}, {"top": 1, "values": [0, 1, 1, 1]},
        {"top": 1, "values": [-1, 1, 1, 1]}, {"top": 1, "values": ["x", 1, 1, 1]},
        {"top": 1, "values": {9: 1}}, {"top": 1, "values": 2}, {"top": 1, "values": [1e-300] * 4},
        {"top": 1, "values": ["1/3", 0.1, 2, "1e2"]}, {"top": 1, "values": [nan, 1, 1, 1]},
        {"top": 1, "groups": [0, 1]}, {"top": 1, "groups": [[0, 1], [1, 2]]},
        {"top": 1, "groups": [[0]]}, {"top": 1, "groups": [[0, 9]]},
        {"top": 1, "groups": [[0, 2]], "keep": [0], "drop": [2]}, {"top": 1, "rivals": []},
        {"top": 1, "rivals": [0]}, {"top": 1, "rivals": [9]}, {"top": 1, "rivals": 1},
        {"top": 2, "rivals": [1]}, {"top": 1, "sees": []}, {"top": 1, "sees": [9]},
        {"top": 1, "sees": [0]}, {"budget": 1, "each_photo": True}, {"top": 1, "each_photo": 0},
        {"top": 1, "each_photo": 3}, {"top": 1, "each_photo": "yes"}, {"top": 1, "strict": 1},
        {"top": 1, "strict": None}, {"top": 1, "near": [9]}, {"top": 1, "near": "x"},
        {"top": 1, "near": plan}, {"top": 1, "time_limit": -1}, {"top": 1, "time_limit": "x"},
        {"top": 1, "time_limit": 0}, {"top": 1, "work_limit": -1}, {"top": 1, "work_limit": 1.5},
        {"top": 1, "work_limit": 0}, {"top": 1, "unknown": 1},
    ]  # fmt: skip
    for asked in wishes:
        name = ", ".join(
            f"{wish}={'a plan' if value is plan else value!r}" for wish, value in asked.items()
        )
        yield f"protect {name}", partial(protect, TABLE, 0, **asked)
    for asked in ({"top": [1]}, {"top": [1, 1]}, {"top": 1, "margin": [0.1, 0.2, 0.3]}):
        yield f"two attackers {asked}", partial(protect, two, 0, **asked)
    yield "two attackers three truths", lambda: protect(two, [0, 0, 0], top=1)
    for asked in (
        {"top": 1}, {"budget": 1}, {"unknown": 1}, {"prove_up_to": -1}, {"drop": [0]},
        {"prove_up_to": 99}, {"drop": [0, 1, 2, 3]}, {"keep": [0], "drop": [0]},
    ):  # fmt: skip
        yield f"frontier {asked}", partial(frontier, TABLE, 0, **asked)
    yield "check no plan", lambda: check("plan", TABLE)
    yield "check without truth", lambda: check(plan, TABLE, top=1)
    yield "check other shape", lambda: check(plan, TABLE[:2])
    yield "check unknown wish", lambda: check(plan, TABLE, 0, top=1, near=[])
    yield "check another top", lambda: check(plan, TABLE, 0, top=2)
    yield "check another truth", lambda: check(plan, TABLE, 1, top=1)
    for asked in (
        {"truth": 9}, {"truth": []}, {"sees": [9]}, {"sees": []}, {"truth": [0, 1, 2]},
        {"truth": 0, "among": [0, 1]}, {"top": 1}, {"truth": 0, "rivals": [1]},
        {"truth": 0, "exponents": {1: 0.5, 4: 0.25}},
    ):  # fmt: skip
        yield f"audit {asked}", partial(elsewhere.audit, TABLE, **asked)
    yield "ids too few", lambda: elsewhere.Scores(TABLE, ["a"])
    yield "ids twice", lambda: elsewhere.Scores(TABLE, ["a", "a", "b", "c"])
    yield "no such photo", lambda: elsewhere.Scores(TABLE, "abcd").index("e")


def score_files(folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Files that are read and written, whole and broken."""
    read, write = elsewhere.read_scores, elsewhere.write_scores
    names = ["a.jpg", "b,c.jpg", 'd"e".jpg', "é\n.jpg"]
    wide = elsewhere.Scores(TABLE, names, scorer="m", grid="g")
    with_zero = TABLE.copy()
    with_zero[1, 2] = -np.inf
    samples = {
        "plain": elsewhere.Scores(TABLE),
        "named": wide,
        "narrow": elsewhere.Scores(TABLE.astype(np.float32)),
        "zero": elsewhere.Scores(with_zero),
    }
    for ending in ("npz", "csv", "parquet"):
        for name, scores in samples.items():
            file = folder / f"{name}.{ending}"

            def there_and_back(file: Path = file, scores: Any = scores) -> Any:
                write(file, scores)
                found = read(file)
                kind = str(found.values.dtype)
                mode = oct(file.stat().st_mode & 0o777)
                return [found == scores, found.digest, kind, mode, _digest(file)]

            yield f"{ending} {name}", there_and_back
    good = (folder / "whole.npz", folder / "whole.csv", folder / "whole.parquet")
    for file in good:
        write(file, wide)
        content = file.read_bytes()
        for share in (0, 10, 50, 90):
            broken = file.with_name(f"cut-{share}{file.suffix}")
            broken.write_bytes(content[: len(content) * share // 100])
            yield f"{file.suffix[1:]} cut at {share}", partial(_read, broken)
    texts = {
        "header": "photo,0,1\n", "no header": "a,1,2\n", "words": "photo,0,1\na,x,y\n",
        "ragged": "photo,0,1\na,1\n", "nan": "photo,0,1\na,nan,0\n", "inf": "photo,0,1\na,inf,0\n",
        "twice": "photo,0,1\na,1,2\na,1,2\n", "minus infinity": "photo,0,1\na,-inf,0\n",
        "one cell": "photo,0\na,1\n", "spaces": "photo, 0, 1\na, 1, 2\n",
        "bom": "\ufeffphoto,0,1\na,1,2\n",
        "blank lines": "photo,0,1\n\na,1,2\n\n", "other cells": "photo,1,0\na,1,2\n",
    }  # fmt: skip
    for name, text in texts.items():
        file = folder / f"text-{name.replace(' ', '-')}.csv"
        file.write_text(text, "utf-8")
        yield f"csv {name}", partial(_read, file)
    for name in ("missing.npz", "scores.txt", "no-ending", "whole.csv/x.npz"):
        yield f"read {name}", partial(_read, folder / name)
        yield f"write {name}", partial(write, folder / name, wide)
    (folder / "a-folder.npz").mkdir()
    yield "read a folder", partial(_read, folder / "a-folder.npz")
    yield "write over a folder", lambda: write(folder / "a-folder.npz", wide)
    np.savez(folder / "pickled.npz", scores=np.array([{}], dtype=object))
    yield "npz pickled", partial(_read, folder / "pickled.npz")
    np.savez(folder / "other.npz", other=TABLE)
    yield "npz other names", partial(_read, folder / "other.npz")
    np.savez(folder / "bare.npz", scores=TABLE)
    yield "npz bare", partial(_read, folder / "bare.npz")


def _read(file: Path) -> Any:
    scores = elsewhere.read_scores(file)
    return [list(scores.ids), scores.digest, scores.scorer, scores.grid, str(scores.values.dtype)]


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _outcome(call: Callable[[], Any], folder: Path) -> tuple[Any, str]:
    """What a call gives in short, or the class of what it raises; and the sentence."""
    try:
        found = call()
    except Exception as wrong:
        return {"error": type(wrong).__name__}, str(wrong).replace(str(folder), "FOLDER")
    if isinstance(found, elsewhere.Plan):
        return [str(found.status), plain(found.cost), list(found.withheld)], found.explanation
    if isinstance(found, elsewhere.Verdict):
        return bool(found), str(found)
    if isinstance(found, elsewhere.Frontier):
        return [[point.budget, point.protected_k, point.bound] for point in found], ""
    return plain(found), ""


def main() -> None:
    """Record it all."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True)
    calls = {"calls": refusals(), "score files": score_files(folder)}
    record: dict[str, Any] = {"names": names()}
    sentences: dict[str, Any] = {}
    for section, cases in calls.items():
        record[section], sentences[section] = {}, {}
        for name, call in cases:
            assert name not in record[section], name
            record[section][name], said = _outcome(call, folder)
            if said:
                sentences[section][name] = said
    record["version"] = elsewhere.__version__
    record["audit"] = plain(elsewhere.audit(TABLE, 0))
    json.dump({"record": record, "sentences": sentences}, sys.stdout)


if __name__ == "__main__":
    main()

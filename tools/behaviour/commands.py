"""The program on the example album: every command, what it prints, writes and refuses."""

from __future__ import annotations

import json
import re
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from running import Product, Ran
from told import comparable, digest, files_below, sealed, split

ALBUM = "album"


@dataclass
class Notes:
    """What was recorded so far: facts, and sentences apart from them."""

    facts: dict[str, Any] = field(default_factory=dict)
    sentences: dict[str, Any] = field(default_factory=dict)

    def add(self, name: str, fact: Any, words: Any = None) -> None:
        """One case more."""
        if name in self.facts:
            raise ValueError(f"two cases are called {name}")
        self.facts[name] = fact
        if words:
            self.sentences[name] = words


class Commands:
    """The cases, one after the other; later ones use what earlier ones wrote."""

    def __init__(self, product: Product) -> None:
        self.product = product
        self.work = product.work
        self.notes = Notes()

    def told(self, ran: Ran) -> tuple[dict[str, Any], dict[str, Any]]:
        """A run as facts and words."""
        fact: dict[str, Any] = {"exit": ran.code, "stderr lines": len(ran.stderr.splitlines())}
        words: dict[str, Any] = {"stderr": comparable(ran.stderr, self.product)}
        try:
            fact["json"], words["json"] = split(json.loads(ran.stdout), self.product)
        except json.JSONDecodeError:
            fact["stdout"] = bool(ran.stdout)
            words["stdout"] = comparable(ran.stdout, self.product)
        fact["traceback"] = "Traceback (most" in ran.stderr
        return fact, {name: said for name, said in words.items() if said}

    def case(self, name: str, *arguments: str, home: str = "anybody", stdin: str = "") -> Ran:
        """Record one run of the program."""
        ran = self.product.program(*arguments, home=home, stdin=stdin)
        self.notes.add(name, *self.told(ran))
        return ran

    def refused(self, name: str, *arguments: str, home: str = "anybody", stdin: str = "") -> None:
        """Record one run that is expected to end badly, with the class of its error."""
        ran, kind = self.product.watched(*arguments, home=home, stdin=stdin)
        fact, words = self.told(ran)
        self.notes.add(name, {**fact, "error": kind}, words)

    def document(self, name: str, file: Path, *, shuffled: bool = False) -> None:
        """Record a JSON file that was written; without the names of files that are shuffled."""
        try:
            found = json.loads(file.read_text("utf-8"))
        except (OSError, json.JSONDecodeError) as wrong:
            self.notes.add(name, {"file": type(wrong).__name__})
            return
        whole = sealed(found)
        if shuffled:
            for one in found["files"]:
                del one["name"]
        fact, words = split(found, self.product)
        self.notes.add(name, {"sealed": whole, "content": fact}, words)

    def folder(self, name: str, folder: Path) -> None:
        """Record the files of a folder, or of an archive."""
        if folder.suffix == ".zip" and folder.is_file():
            with zipfile.ZipFile(folder) as archive:
                listed = {one.filename: [one.file_size, one.CRC] for one in archive.infolist()}
            self.notes.add(name, listed)
        else:
            self.notes.add(name, files_below(folder))

    def page(self, name: str, file: Path) -> None:
        """Record of a page which elements it is made of; its words are not of this section."""
        if not file.is_file():
            self.notes.add(name, "missing")
            return
        text = file.read_text("utf-8")
        tags = Counter(re.findall(r"<([a-z][a-z0-9]*)", text))
        self.notes.add(name, {"tags": dict(sorted(tags.items())), "outside": "http" in text})

    def private(self, name: str, folder: Path, *, shuffled: bool = False) -> None:
        """Record what lies in a private folder: the certificate and the report of one copy."""
        for kind in ("certificate.json", "report.html"):
            found = sorted(folder.rglob(kind))
            self.notes.add(f"{name} {kind} files", len(found))
            for number, file in enumerate(found):
                if kind == "certificate.json":
                    self.document(f"{name} certificate {number}", file, shuffled=shuffled)
                else:
                    self.page(f"{name} report {number}", file)


def record_protect(product: Product) -> Notes:
    """`protect`, `verify` and `demo`: copies, their files and their certificates."""
    at = Commands(product)
    same = ("--exact-top", "--order", "album", "--json")
    copies: dict[str, tuple[str, ...]] = {
        "plain": (),
        "kept names": ("--names", "keep", "--top", "3", "--no-report"),
        "budget": ("--budget", "4", "--no-report"),
        "place": ("--at", "Lisbon"),
        "small": ("--max-side", "512", "--margin", "paranoid", "--top", "2", "--no-report"),
        "full": ("--full", "--value", "values.csv", "--no-report"),
        "pins": ("--keep", "arles-*", "--drop", "wine.jpg", "--top", "1", "--no-report"),
    }
    plans: dict[str, tuple[str, ...]] = {
        "dry run": (),
        "share of a budget": ("--budget", "25%"),
        "no margin": ("--margin", "none", "--top", "10"),
        "country": ("--hide-level", "country", "--top", "2"),
        "radius": ("--radius", "100", "--no-each-photo"),
        "prior": ("--prior", "France", "--top", "2", "--no-each-photo"),
        "bursts": ("--bursts", "--value", "stars", "--hide", "home"),
    }
    (at.work / "values.csv").write_text("wine.jpg,2.5\nfig.jpg,1/3\n", "utf-8")
    for name, options in copies.items():
        target = f"copy-{name.replace(' ', '-')}"
        private = f"private-{name.replace(' ', '-')}"
        ran = at.case(
            f"protect {name}", "protect", ALBUM, *options, *same,
            "-o", target, "--private", private,
        )  # fmt: skip
        at.folder(f"protect {name} files", at.work / target)
        at.private(f"protect {name}", at.work / private)
        if ran.code == 0 and name in {"plain", "budget"}:
            at.case(f"verify {name}", "verify", target, "--private", private, "--json")
    archive = ("-o", "copy.zip", "--private", "private-zip")
    at.case("protect archive", "protect", ALBUM, *same, *archive)
    at.folder("protect archive files", at.work / "copy.zip")
    at.case("verify archive", "verify", "copy.zip", "--private", "private-zip", "--json")
    for name, options in plans.items():
        at.case(f"protect {name}", "protect", ALBUM, *options, "--dry-run", *same)
    at.case("protect dry run in words", "protect", ALBUM, "--dry-run", "--exact-top")
    at.case("protect photos", "protect", "album/fig.jpg", "album/wine.jpg", "--dry-run", *same)
    secret = at.product.program("protect", ALBUM, "--dry-run", "--json")
    at.notes.add("protect secret top", {"exit": secret.code, "asked": _asked(secret)})
    shuffled = at.product.program(
        "protect", ALBUM, "--exact-top", "--json", "-o", "shuffled", "--private", "private-shuffled"
    )
    found = sorted(one[1] for one in files_below(at.work / "shuffled").values())
    at.notes.add("protect shuffled", {"exit": shuffled.code, "digests": found})
    _verify_broken(at)
    at.case("demo", "demo", "-o", "demo", home="demo")
    at.notes.add("demo files", sorted(one[1] for one in files_below(at.work / "demo").values()))
    at.private("demo", at.work / "homes" / "demo" / "data", shuffled=True)
    return at.notes


def _asked(ran: Ran) -> Any:
    try:
        return json.loads(ran.stdout)["asked"]
    except (json.JSONDecodeError, KeyError) as wrong:
        return type(wrong).__name__


def _verify_broken(at: Commands) -> None:
    """Copies that are not what their certificate says."""
    copy, private = at.work / "copy-plain", at.work / "private-plain"
    if not copy.is_dir():
        return
    certificate = next(private.rglob("certificate.json"))
    first = sorted(copy.iterdir())[0]
    content = first.read_bytes()
    asked = ("verify", "copy-plain", "--private", "private-plain", "--json")
    first.write_bytes(content + b"x")
    at.refused("verify changed file", *asked)
    first.unlink()
    at.refused("verify missing file", *asked)
    first.write_bytes(content)
    (copy / "another.txt").write_text("more", "utf-8")
    at.refused("verify one file more", *asked)
    (copy / "another.txt").unlink()
    at.refused("verify no certificate", "verify", "copy-plain", "--json")
    found = json.loads(certificate.read_text("utf-8"))
    forged = at.work / "forged.json"
    forged.write_text(json.dumps({**found, "top": 4}), "utf-8")
    at.refused("verify forged", "verify", "copy-plain", "--certificate", "forged.json", "--json")
    named = ("--certificate", str(certificate))
    at.case("verify named certificate", "verify", "copy-plain", *named, "--json")
    at.refused("verify nothing there", "verify", "nowhere", "--json")
    at.case("verify in words", "verify", "copy-plain", "--private", "private-plain")


def record_looking(product: Product) -> Notes:
    """`audit`, `guess`, `next`, `ledger`, `cache`, `score`, `plan` and `check`."""
    at = Commands(product)
    at.case("cache empty", "cache", "show", home="looking")
    at.case("audit", "audit", ALBUM, "--json", home="looking")
    at.case("audit place", "audit", ALBUM, "--at", "Lisbon", "--hide-level", "country", "--json",
            "--no-cache")  # fmt: skip
    at.case("audit in words", "audit", ALBUM, "--map", home="looking")
    at.case("audit report", "audit", ALBUM, "--report", "audit.html", "--json", home="looking")
    at.page("audit report page", at.work / "audit.html")
    at.case("guess", "guess", ALBUM, "--json", home="looking")
    at.case("guess one", "guess", "album/fig.jpg", "--top", "10", "--json", home="looking")
    at.case("guess in words", "guess", ALBUM, "--no-map", home="looking")
    at.case("cache full", "cache", "show", home="looking")
    at.case("cache clear", "cache", "clear", home="looking")
    at.case("cache cleared", "cache", "show", home="looking")
    _one_by_one(at)
    _scores(at)
    return at.notes


def _one_by_one(at: Commands) -> None:
    """Photos that are posted one by one, and what is remembered of them."""
    home = "ledger"
    same = ("--exact-top", "--json")
    at.case("ledger empty", "ledger", "list", "--json", home=home)
    at.case("next keep", "next", ALBUM, "fig.jpg", *same, home=home)
    at.case("next withhold", "next", ALBUM, "pont-du-gard.jpg", *same, home=home)
    at.case("next wait", "next", ALBUM, "arles-arena.jpg", "--top", "2", *same, home=home)
    at.case("next write", "next", ALBUM, "bird-lamp.jpg", "-o", "posted", "--remember", *same,
            home=home)  # fmt: skip
    at.folder("next write files", at.work / "posted")
    at.case("next after", "next", ALBUM, "sunset.jpg", "--posted", "posted", *same, home=home)
    at.case("next in words", "next", ALBUM, "sunset.jpg", "--exact-top", home=home)
    at.case("protect remember", "protect", ALBUM, "--order", "album", "--remember", *same,
            "-o", "remembered", "--private", "private-remembered", home=home)  # fmt: skip
    at.folder("protect remember files", at.work / "remembered")
    at.private("protect remember", at.work / "private-remembered")
    at.case("ledger list", "ledger", "list", "--json", home=home)
    at.case("ledger in words", "ledger", "list", home=home)
    at.case("audit after", "audit", ALBUM, "--json", home=home)
    at.case("protect after", "protect", ALBUM, "--dry-run", *same, home=home)
    at.case("protect posted", "protect", ALBUM, "--posted", "posted", "--dry-run", *same)
    at.refused("ledger no entry", "ledger", "forget", "9", home=home)
    at.refused("ledger no such place", "ledger", "forget", "Lisbon", home=home)
    at.refused("ledger nothing said", "ledger", "forget", home=home)
    at.refused("ledger list all", "ledger", "list", "--all", home=home)
    at.case("ledger confirm", "ledger", "confirm", "1", home=home)
    at.case("ledger forget", "ledger", "forget", "1", home=home)
    at.case("ledger one less", "ledger", "list", "--json", home=home)
    at.case("ledger forget place", "ledger", "forget", "France", home=home)
    at.case("ledger forget all", "ledger", "forget", "--all", home=home)
    at.case("ledger forgotten", "ledger", "list", "--json", home=home)


def _scores(at: Commands) -> None:
    """From photos to score files to plans."""
    for ending in ("npz", "csv", "parquet"):
        at.case(f"score {ending}", "score", ALBUM, "-o", f"scores.{ending}")
        at.notes.add(f"score {ending} file", digest(at.work / f"scores.{ending}"))
    (at.work / "prior.txt").write_text(" ".join(["-1.5", "-inf", *["-6.25"] * 510]), "utf-8")
    (at.work / "worth.csv").write_text("photo,value\nwine.jpg,2.5\n3,1/3\n", "utf-8")
    plans: dict[str, tuple[str, ...]] = {
        "town": ("--truth", "Arles", "--top", "5"),
        "coordinate": ("--truth", "43.8, 4.6", "--top", "3", "--radius", "60"),
        "cells": ("--truth", "276,280-284", "--top", "5"),
        "budget": ("--truth", "276", "--budget", "3"),
        "wishes": (
            "--truth", "276", "--top", "2", "--keep", "fig.jpg", "--drop", "0", "--group",
            "hills.jpg,sunset.jpg", "--margin", "0.05", "--lead", "0.5", "--strict",
            "--values", "worth.csv", "--each-photo", "1",
        ),
        "prior": ("--truth", "276", "--top", "1", "--prior", "prior.txt", "--rivals", "0-100"),
        "little work": ("--truth", "276", "--top", "40", "--work-limit", "1"),
        "infeasible": ("--truth", "276", "--top", "5", "--margin", "30"),
    }  # fmt: skip
    for name, options in plans.items():
        slug = name.replace(" ", "-")
        files = ("-o", f"plan-{slug}.json", "--certificate", f"certificate-{slug}.json")
        at.case(f"plan {name}", "plan", "scores.npz", *options, *files, "--json")
        at.document(f"plan {name} file", at.work / f"plan-{slug}.json")
        if name != "infeasible":
            at.document(f"plan {name} certificate", at.work / f"certificate-{slug}.json")
        checked = "plan" if name in {"cells", "infeasible"} else "certificate"
        at.case(f"check {name}", "check", f"{checked}-{slug}.json", "scores.npz")
    at.case("plan in words", "plan", "scores.npz", "--truth", "Arles", "--top", "5")
    at.case("plan two attackers", "plan", "scores.npz", "scores.csv", "--truth", "276",
            "--top", "2", "--top", "3", "-o", "plan-two.json", "--json")  # fmt: skip
    at.case("check two attackers", "check", "plan-two.json", "scores.npz", "scores.csv")
    at.refused("check one attacker too few", "check", "plan-two.json", "scores.npz")
    at.case("plan near", "plan", "scores.npz", "--truth", "276", "--top", "7", "--near",
            "plan-cells.json", "--json")  # fmt: skip
    plan = json.loads((at.work / "plan-cells.json").read_text("utf-8"))
    lies: dict[str, dict[str, Any]] = {
        "cost": {"cost": plan["cost"] + 1},
        "status": {"status": "feasible"},
        "set": {"withheld": plan["withheld"][1:]},
        "format": {"format": "elsewhere-plan/9"},
        "field": {"another": 1},
    }
    for name, lie in lies.items():
        (at.work / "lie.json").write_text(json.dumps({**plan, **lie}), "utf-8")
        at.refused(f"check a lie about {name}", "check", "lie.json", "scores.npz")
    at.refused("check other scores", "check", "plan-town.json", "no-such.npz")
    at.case("protect by table", "protect", ALBUM, "--scorer", "table:scores.npz", "--dry-run",
            "--exact-top", "--json")  # fmt: skip
    at.case("guess by table", "guess", ALBUM, "--scorer", "table:scores.npz", "--json")


REFUSED: dict[str, tuple[str, ...]] = {
    "no command": (),
    "unknown command": ("frobnicate",),
    "unknown option": ("protect", ALBUM, "--frobnicate"),
    "protect nothing": ("protect",),
    "protect no target": ("protect", ALBUM),
    "protect missing": ("protect", "nowhere", "-o", "x"),
    "protect empty folder": ("protect", "empty", "-o", "x"),
    "protect no photo": ("protect", "texts", "-o", "x"),
    "protect target and dry run": ("protect", ALBUM, "-o", "x", "--dry-run", "--exact-top"),
    "protect target there": ("protect", ALBUM, "-o", "texts", "--exact-top"),
    "protect target in album": ("protect", ALBUM, "-o", "album/copy"),
    "protect target without parent": ("protect", ALBUM, "-o", "no/such/folder"),
    "protect private in copy": ("protect", ALBUM, "-o", "x", "--private", "x/private"),
    "protect top zero": ("protect", ALBUM, "--dry-run", "--top", "0"),
    "protect top huge": ("protect", ALBUM, "--dry-run", "--top", "600", "--exact-top"),
    "protect top and budget": ("protect", ALBUM, "--dry-run", "--top", "5", "--budget", "3"),
    "protect budget percent": ("protect", ALBUM, "--dry-run", "--budget", "120%"),
    "protect budget none": ("protect", ALBUM, "--dry-run", "--budget", "0", "--json"),
    "protect unknown place": ("protect", ALBUM, "--dry-run", "--at", "Xyzzyville"),
    "protect ambiguous place": ("protect", ALBUM, "--dry-run", "--at", "Springfield"),
    "protect hide unknown": ("protect", ALBUM, "--dry-run", "--hide", "Lisbon"),
    "protect hide level": ("protect", ALBUM, "--dry-run", "--hide-level", "planet"),
    "protect radius huge": ("protect", ALBUM, "--dry-run", "--radius", "30000"),
    "protect keep unknown": ("protect", ALBUM, "--dry-run", "--keep", "nothing*"),
    "protect keep and drop": ("protect", ALBUM, "--dry-run", "--keep", "fig*", "--drop", "fig.jpg"),
    "protect keep all": ("protect", ALBUM, "--dry-run", "--keep", "*", "--exact-top", "--json"),
    "protect drop all": ("protect", ALBUM, "--dry-run", "--drop", "*", "--exact-top", "--json"),
    "protect value missing": ("protect", ALBUM, "--dry-run", "--value", "nowhere.csv"),
    "protect value broken": ("protect", ALBUM, "--dry-run", "--value", "texts/a.txt"),
    "protect margin": ("protect", ALBUM, "--dry-run", "--margin", "much"),
    "protect margin huge": (
        "protect", ALBUM, "--dry-run", "--margin", "20", "--exact-top", "--json",
    ),
    "protect prior unknown": ("protect", ALBUM, "--dry-run", "--prior", "Xyzzyville"),
    "protect prior elsewhere": ("protect", ALBUM, "--dry-run", "--prior", "Japan", "--exact-top"),
    "protect prior too narrow": ("protect", ALBUM, "--dry-run", "--prior", "Arles", "--exact-top"),
    "protect scorer unknown": ("protect", ALBUM, "--dry-run", "--scorer", "oracle"),
    "protect scorer missing": ("protect", ALBUM, "--dry-run", "--scorer", "onnx:nowhere.onnx"),
    "protect scorer broken": ("protect", ALBUM, "--dry-run", "--scorer", "onnx:texts/a.txt"),
    "protect posted missing": ("protect", ALBUM, "--dry-run", "--posted", "nowhere"),
    "protect order": ("protect", ALBUM, "-o", "x", "--order", "random"),
    "protect names": ("protect", ALBUM, "-o", "x", "--names", "funny"),
    "protect two sizes": ("protect", ALBUM, "-o", "x", "--max-side", "512", "--full"),
    "protect time": ("protect", ALBUM, "--dry-run", "--time-limit", "-1"),
    "protect nowhere known": ("protect", "unplaced", "--dry-run", "--json"),
    "audit missing": ("audit", "nowhere"),
    "audit empty folder": ("audit", "empty", "--json"),
    "audit nowhere known": ("audit", "unplaced", "--json"),
    "audit report exists": ("audit", ALBUM, "--report", "texts"),
    "verify nothing": ("verify", "empty"),
    "verify certificate missing": ("verify", "empty", "--certificate", "nowhere.json"),
    "next missing photo": ("next", ALBUM, "nowhere.jpg"),
    "next remember alone": ("next", ALBUM, "fig.jpg", "--remember"),
    "next nowhere known": ("next", "unplaced", "fig.jpg", "--json"),
    "guess missing": ("guess", "nowhere.jpg", "--json"),
    "guess no photo": ("guess", "texts/a.txt", "--json"),
    "guess top": ("guess", ALBUM, "--top", "51"),
    "score missing": ("score", "nowhere", "-o", "x.npz"),
    "score ending": ("score", ALBUM, "-o", "x.txt"),
    "score empty": ("score", "empty", "-o", "x.npz"),
    "plan missing": ("plan", "nowhere.npz", "--truth", "1", "--top", "1"),
    "plan no wish": ("plan", "tiny.csv", "--truth", "0"),
    "plan no truth": ("plan", "tiny.csv", "--top", "1"),
    "plan truth outside": ("plan", "tiny.csv", "--truth", "9", "--top", "1"),
    "plan truth a place": ("plan", "tiny.csv", "--truth", "Lisbon", "--top", "1"),
    "plan radius of cells": ("plan", "tiny.csv", "--truth", "0", "--top", "1", "--radius", "5"),
    "plan top": ("plan", "tiny.csv", "--truth", "0", "--top", "9"),
    "plan keep number": ("plan", "tiny.csv", "--truth", "0", "--top", "1", "--keep", "99"),
    "plan tops": ("plan", "tiny.csv", "--truth", "0", "--top", "1", "--top", "2"),
    "plan values": ("plan", "tiny.csv", "--truth", "0", "--top", "1", "--values", "texts/a.txt"),
    "plan prior": ("plan", "tiny.csv", "--truth", "0", "--top", "1", "--prior", "texts/a.txt"),
    "plan near": ("plan", "tiny.csv", "--truth", "0", "--top", "1", "--near", "texts/a.txt"),
    "plan over input": ("plan", "tiny.csv", "--truth", "0", "--top", "1", "-o", "tiny.csv"),
    "plan over a stranger": ("plan", "tiny.csv", "--truth", "0", "--top", "1", "-o", "texts/a.txt"),
    "plan infeasible": ("plan", "tiny.csv", "--truth", "0", "--top", "1", "--lead", "99", "--json"),
    "check missing": ("check", "nowhere.json", "tiny.csv"),
    "check no plan": ("check", "texts/a.txt", "tiny.csv"),
    "ledger unknown": ("ledger", "burn"),
    "cache unknown": ("cache", "burn"),
    "app port": ("app", "--port", "99999"),
    "batch missing": ("batch", "nowhere.parquet", "-o", "x"),
    "batch engine": ("batch", "nowhere.parquet", "-o", "x", "--engine", "steam"),
    "batch broken": ("batch", "texts/a.txt", "-o", "x"),
    "lab unknown": ("lab", "dance"),
    "lab no experiment": ("lab", "run", "nothing", "-o", "x"),
    "lab no folder": ("lab", "page", "nowhere", "-o", "x.md"),
    "demo target there": ("demo", "-o", "texts"),
}  # fmt: skip
"""Command lines that should end badly, or without a plan."""


def record_refusals(product: Product) -> Notes:
    """What the program does with what it cannot do."""
    at = Commands(product)
    for folder in ("empty", "texts"):
        (at.work / folder).mkdir()
    (at.work / "texts" / "a.txt").write_text("not a photo\n", "utf-8")
    (at.work / "tiny.csv").write_text(
        "photo,0,1,2\na.jpg,-0.3,-1.6,-2.3\nb.jpg,-1.2,-0.5,-2.3\nc.jpg,-1.6,-0.7,-1.2\n", "utf-8"
    )
    _unplaced(at.work)
    for name, arguments in REFUSED.items():
        at.refused(name, *arguments, home="refused")
    at.case("version", "--version", home="refused")
    at.case("lab list", "lab", "list", home="refused")
    return at.notes


def _unplaced(work: Path) -> None:
    """Photos of the album without anything that says where they were taken."""
    from PIL import Image

    (work / "unplaced").mkdir()
    for name in ("fig.jpg", "hills.jpg"):
        with Image.open(work / ALBUM / name) as photo:
            photo.convert("RGB").save(work / "unplaced" / name, "JPEG", quality=90)

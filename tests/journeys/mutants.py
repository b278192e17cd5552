"""Good files with something changed, given to the real commands: a program for test_mutants.py.

    python -m tests.journeys.mutants KIND COUNT SEED FOLDER

Everything happens below FOLDER, which is the user's home, data, cache and temporary folder. What
is being tried lies in FOLDER/current, so that it is there after a crash. At the end one line of
JSON says how the commands ended and how much memory that took. An exception that no command should
let through, a write outside of FOLDER or an input that was changed ends the program.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

TIME_LIMIT = 1_000
"""Seconds after which one command hangs, however busy the machine is."""
IMAGES_AT_ONCE = 40
EXIT_CODES = set(range(6))
SCORER = ("--scorer", "onnx:model/tiny.onnx")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_CHANGES = {"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.link", "os.chmod"}
_STRANGE: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 5, 2**31, 2**64, 1e308, -1e308, 5e-324, float("nan"), float("inf")),
    *("", "x" * 5000, "\x1b[2J", "\ud800", "../../etc/passwd", "/dev/zero", [], {}, [[]]),
)


def change_bytes(content: bytes, draw: random.Random) -> bytes:
    """Some bytes replaced, removed, repeated or added, mostly near the ends."""
    changed = bytearray(content)
    for _ in range(draw.choice([1, 1, 2, 4, 16])):
        size = max(1, len(changed))
        reach = draw.choice([(0, size), (0, min(600, size)), (max(0, size - 1500), size)])
        at = draw.randrange(*reach)
        way = draw.random()
        if way < 0.5:
            changed[at : at + 1] = bytes([draw.choice([0, 127, 128, 255, draw.randrange(256)])])
        elif way < 0.7:
            number = draw.choice([0, 1, 2**31 - 1, 2**31, 2**32 - 1])
            changed[at : at + 4] = number.to_bytes(4, draw.choice(["little", "big"]))
        elif way < 0.8:
            del changed[at : at + draw.randrange(1, 50)]
        elif way < 0.88:
            changed[at:at] = draw.randbytes(draw.randrange(1, 50))
        elif way < 0.95:
            changed[at:at] = changed[at : at + draw.randrange(1, 200)] * draw.choice([1, 2, 30])
        else:
            del changed[at:]
    return bytes(changed)


def change_document(content: bytes, draw: random.Random, digest: Callable[[Any], str]) -> bytes:
    """A JSON document with some values replaced; half of them with the digest that then fits."""
    document = json.loads(content)
    for _ in range(draw.choice([1, 1, 2, 3])):
        holders: list[Any] = []
        waiting = [document]
        while waiting:
            value = waiting.pop()
            if isinstance(value, (dict, list)) and value:
                holders.append(value)
                waiting += value.values() if isinstance(value, dict) else value
        holder = draw.choice(holders)
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        key, way = draw.choice(keys), draw.random()
        if way < 0.15:
            del holder[key]
        elif way < 0.3:
            holder[key] = deepcopy(holder[draw.choice(keys)])
        elif way < 0.5 and isinstance(holder[key], (int, float)):
            holder[key] = holder[key] * draw.choice([2, -1, 0.5, 10]) + draw.choice([0, 1])
        else:
            holder[key] = deepcopy(draw.choice(_STRANGE))
        if not document:
            break
    if draw.random() < 0.5 and isinstance(document, dict) and "digest" in document:
        with suppress(Exception):
            document["digest"] = digest(document)
    return json.dumps(document).encode("utf-8", "surrogatepass")


@dataclass
class Runner:
    """Types commands and watches what they do."""

    root: Path
    ends: Counter[str]
    inputs: dict[Path, bytes]

    def run(self, *arguments: str) -> str:
        """Type a command; what it printed."""
        from tests.cli.keyboard import typed

        signal.alarm(TIME_LIMIT)
        result = typed(*arguments)
        signal.alarm(0)
        problem = result.exception
        if problem is not None and not isinstance(problem, SystemExit):
            raise problem
        assert result.exit_code in EXIT_CODES, result.exit_code
        assert "Traceback" not in result.output, result.output[-2000:]
        assert "mistake of ours" not in result.output, result.output[-2000:]
        longest = max(map(len, result.stderr.splitlines()), default=0)
        assert longest < 1000, result.stderr[:3000]
        self.ends[f"exit {result.exit_code}"] += 1
        return result.output

    def check_inputs(self) -> None:
        """What is not the mutant is as it was."""
        for path, content in self.inputs.items():
            assert path.read_bytes() == content, f"{path} was changed"


def watch_writes(root: Path) -> None:
    """End the program where it opens a file for writing, or changes a name, outside of `root`."""
    allowed = (str(root), "/dev/null", "/dev/tty", "/proc/self", f"/proc/{os.getpid()}")

    def check(path: Any) -> None:
        if isinstance(path, (str, bytes, os.PathLike)):
            full = os.path.realpath(os.fsdecode(os.fspath(path)))
            if not full.startswith(allowed):
                sys.stderr.write(f"written outside: {full}\n")
                os._exit(99)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if (
            event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITING
        ) or event in _CHANGES:
            check(arguments[0])

    sys.addaudithook(hook)


def images(runner: Runner, count: int, draw: random.Random) -> None:
    """Photos of every format, some forty in an album."""
    from tests.album.test_mutants import SEEDS

    while count > 0:
        folder = runner.root / "current"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for number in range(min(count, IMAGES_AT_ONCE)):
            name = draw.choice(list(SEEDS))
            (folder / f"{number}-{name}").write_bytes(change_bytes(SEEDS[name], draw))
        runner.run("guess", "current", *SCORER)
        count -= IMAGES_AT_ONCE


def scores(runner: Runner, count: int, draw: random.Random) -> None:
    """Score files of every format."""
    seeds = [runner.root / f"album{suffix}" for suffix in (".npz", ".csv", ".parquet")]
    for _ in range(count):
        seed = draw.choice(seeds)
        file = runner.root / "current"
        file.mkdir(exist_ok=True)
        (file / seed.name).write_bytes(change_bytes(seed.read_bytes(), draw))
        runner.run("plan", f"current/{seed.name}", "--truth", "3", "--top", "2", "--work-limit=999")


def documents(
    runner: Runner, count: int, draw: random.Random, names: list[str], command: Callable[[str], Any]
) -> None:
    """JSON files, changed as bytes or as values."""
    from elsewhere.formats.validation import digest_of

    (runner.root / "current").mkdir(exist_ok=True)
    for _ in range(count):
        name = draw.choice(names)
        content = (runner.root / name).read_bytes()
        if draw.random() < 0.3:
            content = change_bytes(content, draw)
        else:
            content = change_document(content, draw, digest_of)
        (runner.root / "current" / name).write_bytes(content)
        command(f"current/{name}")


def plans(runner: Runner, count: int, draw: random.Random) -> None:
    """Plans, and certificates of plans."""
    names = ["plan.json", "certificate.json", "none.json"]
    documents(runner, count, draw, names, lambda file: runner.run("check", file, "album.npz"))


def certificates(runner: Runner, count: int, draw: random.Random) -> None:
    """Certificates of copies, as those of a stranger: none yields more than the true one."""
    from elsewhere.messages.verification import NOTES
    from elsewhere.values.verification import CopyNoteKind

    # that scores differ in their last bits is a note beside the same words
    _, other_bits = NOTES[CopyNoteKind.OTHER_BITS].split("{about}")

    def said_of(file: str) -> list[str]:
        said = runner.run("verify", "out", "--certificate", file, "--no-text", *SCORER)
        return [line for line in said.splitlines() if other_bits not in line]

    truth = said_of("copy.json")

    def verify(file: str) -> None:
        before = runner.ends["exit 0"]
        words = said_of(file)
        if runner.ends["exit 0"] > before and words != truth:
            said = "\n".join(words)
            assert "only for what the certificate calls" in said, said

    documents(runner, count, draw, ["copy.json"], verify)


def ledgers(runner: Runner, count: int, draw: random.Random) -> None:
    """Ledgers: listed, and asked to forget."""
    ledger = next((runner.root / "data").rglob("ledger*"))
    content = ledger.read_bytes()
    for _ in range(count):
        ledger.write_bytes(change_bytes(content, draw))
        shutil.copyfile(ledger, runner.root / "current")
        runner.run("ledger", *draw.choice([("list",), ("list", "--json"), ("forget", "1")]))


def datasets(runner: Runner, count: int, draw: random.Random) -> None:
    """Parquet and Arrow files of many albums."""
    seeds = [runner.root / name for name in ("data.parquet", "data.arrow", "packed.arrow")]
    for number in range(count):  # each has its own name: files that are open stay mapped
        seed = draw.choice(seeds)
        folder = runner.root / "current" / str(number)
        folder.mkdir(parents=True)
        (folder / seed.name).write_bytes(change_bytes(seed.read_bytes(), draw))
        given = str(folder / seed.name)
        runner.run("batch", given, "-o", f"planned-{number}", "--top", "2", "--work-limit=999")
        for made in (folder, runner.root / f"planned-{number}"):
            shutil.rmtree(made, ignore_errors=True)


KINDS = {
    "images": images,
    "scores": scores,
    "plans": plans,
    "certificates": certificates,
    "ledgers": ledgers,
    "datasets": datasets,
}


def prepare(root: Path, kind: str) -> Iterator[Path]:
    """Make the good files of a kind; those that must stay as they are."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import ipc

    from elsewhere.formats.ledger import Rows
    from elsewhere.formats.score_files import write_scores
    from elsewhere.globe import Cells
    from elsewhere.service.ledger import Ledger, NewEntry
    from elsewhere.values.scores import Scores
    from tests.album.makers import jpeg
    from tests.batch.makers import scored, write
    from tests.cli.keyboard import typed
    from tests.scorers.models import described

    names = [f"IMG_{n}.jpg" for n in range(6)]
    if kind in ("images", "certificates"):
        (root / "model").mkdir()
        described(root / "model", Cells.default())
    if kind in ("scores", "plans"):
        values = np.random.default_rng(5).normal(size=(6, 9)) + 1.0 * (np.arange(9) == 3)
        for suffix in (".npz", ".csv", ".parquet"):
            file = root / f"album{suffix}"
            write_scores(file, Scores(values, names, scorer="abc", grid="def"))
            yield file
    if kind == "plans":
        command = ("plan", "album.npz", "--truth", "3", "--top", "2")
        done = typed(*command, "-o", "plan.json", "--certificate", "certificate.json")
        assert done.exit_code == 0, done.output
        keep = [word for name in names for word in ("--keep", name)]
        done = typed("plan", "album.npz", "--truth", "3", "--top", "8", *keep, "-o", "none.json")
        assert done.exit_code == 3, done.output
    if kind == "certificates":
        (root / "album").mkdir()
        for number, name in enumerate(names):
            (root / "album" / name).write_bytes(jpeg(number + 1))
        done = typed("protect", "album", "--at=Lisbon", "-o", "out", "--top", "1", *SCORER)
        assert done.exit_code == 0, done.output
        [certificate] = (root / "data").rglob("certificate.json")
        shutil.copyfile(certificate, root / "copy.json")
        yield from sorted((root / "out").iterdir())
    if kind == "ledgers":
        for number, place in enumerate([(38.72, -9.14), (41.15, -8.61), (59.91, 10.75)]):
            rows = np.full((number + 1, 8), number, dtype=np.float32)
            photos = tuple(sha256(b"%d %d" % (number, i)).hexdigest() for i in range(number + 1))
            entry = NewEntry((place,), photos, (Rows("0123456789abcdef", "grid", rows),))
            with Ledger().recording([entry], root / "out"):
                pass
    if kind == "datasets":
        table = scored(8, photos=(3, 5), cells=7)
        lists = pa.array(table["scores"].to_pylist(), pa.list_(pa.float32()))
        table = table.set_column(table.column_names.index("scores"), "scores", lists)
        yield write(table, root / "data.parquet", group=12)
        yield write(table, root / "data.arrow", group=12)
        options = ipc.IpcWriteOptions(compression="lz4")
        with ipc.new_file(str(root / "packed.arrow"), table.schema, options=options) as out:
            out.write_table(table, max_chunksize=12)
        yield root / "packed.arrow"


def peak_bytes(*, children: bool = False) -> int:
    """The most memory that this process, or one of its children, has taken."""
    import resource

    who = resource.RUSAGE_CHILDREN if children else resource.RUSAGE_SELF
    return resource.getrusage(who).ru_maxrss * 1024


def main(kind: str, count: int, seed: int, folder: str) -> None:
    """The program."""
    root = Path(folder).resolve()
    for name in ("home", "tmp", "data", "cache"):
        (root / name).mkdir(parents=True)
    os.environ |= {
        "HOME": str(root / "home"),
        "TMPDIR": str(root / "tmp"),
        "ELSEWHERE_DATA_DIR": str(root / "data"),
        "ELSEWHERE_CACHE_DIR": str(root / "cache"),
    }
    os.chdir(root)
    sys.dont_write_bytecode = True
    from elsewhere.batch import runner as batch_runner
    from tests.batch.makers import Here

    batch_runner.Engine.run = Here.run  # type: ignore[method-assign,assignment] # no processes
    inputs = {path: path.read_bytes() for path in prepare(root, kind)}
    watch_writes(root)
    runner = Runner(root, Counter(), inputs)
    start = peak_bytes()
    KINDS[kind](runner, count, random.Random(seed))
    runner.check_inputs()
    assert not list((root / "home").iterdir())
    report = {
        "ends": dict(sorted(runner.ends.items())),
        "start": start,
        "peak": peak_bytes(),
        "workers": peak_bytes(children=True),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])

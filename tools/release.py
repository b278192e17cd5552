"""Builds a release into dist/: wheel, source archive, bill of materials, requirements, checksums.

    make release                          # of the last commit
    .venv/bin/python tools/release.py --output DIR

It builds from what is committed and from nothing else, so the same commit gives the same bytes on
every machine with the locked setuptools: times are that of the commit (SOURCE_DATE_EPOCH), owners,
modes and order are fixed. The wheel is built from the source archive. It builds twice, in other
folders and under another umask, and fails where the bytes differ. It publishes nothing.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

MAX_BYTES = {".whl": 150 << 20, ".gz": 160_000_000}
_BUILD = "import sys; from setuptools import build_meta as b; getattr(b, sys.argv[1])(sys.argv[2])"


def git(*arguments: str) -> bytes:
    """What git answers."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True).stdout


def build(kind: str, tree: Path, output: Path, epoch: int) -> Path:
    """Let setuptools build `kind` from a tree; the file."""
    output.mkdir(parents=True, exist_ok=True)
    environment = {
        **{name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ},
        "SOURCE_DATE_EPOCH": str(epoch),
        "PYTHONHASHSEED": "0",
        "LC_ALL": "C.UTF-8",
    }
    command = [sys.executable, "-c", _BUILD, f"build_{kind}", str(output)]
    done = subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"the {kind} could not be built:\n{done.stderr[-3000:]}")
    [made] = output.iterdir()
    return made


def normalize(archive: Path, epoch: int) -> None:
    """Write a .tar.gz again with fixed order, times, owners and modes."""
    packed = io.BytesIO()
    with (
        tarfile.open(archive) as old,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            plain = tarfile.TarInfo(member.name)
            plain.size, plain.type, plain.mtime = member.size, member.type, epoch
            plain.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            new.addfile(plain, old.extractfile(member) if member.isfile() else None)
    with archive.open("wb") as stream, gzip.GzipFile("", "wb", 9, stream, mtime=epoch) as out:
        out.write(packed.getvalue())


def build_all(folder: Path, epoch: int, commit: str, umask: int) -> dict[str, bytes]:
    """Source archive and wheel, by name."""
    before = os.umask(umask)
    try:
        tree = folder / "tree"
        with tarfile.open(fileobj=io.BytesIO(git("archive", commit))) as archive:
            archive.extractall(tree, filter="data")
        source = build("sdist", tree, folder / "sdist", epoch)
        normalize(source, epoch)
        with tarfile.open(source) as archive:
            archive.extractall(folder / "unpacked", filter="data")
        [unpacked] = (folder / "unpacked").iterdir()
        os.umask(0o022)  # the wheel keeps the modes of what was unpacked
        for file in unpacked.rglob("*"):
            file.chmod(0o755 if file.is_dir() or file.stat().st_mode & 0o100 else 0o644)
        wheel = build("wheel", unpacked, folder / "wheel", epoch)
        return {made.name: made.read_bytes() for made in (source, wheel)}
    finally:
        os.umask(before)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Build a release.")
    parser.add_argument("--output", type=Path, default=ROOT / "dist")
    parser.add_argument("--commit", default="HEAD")
    options = parser.parse_args()
    import sbom

    commit = git("rev-parse", options.commit).decode().strip()
    epoch = int(git("show", "-s", "--format=%ct", commit))
    os.environ["SOURCE_DATE_EPOCH"] = str(epoch)
    if git("status", "--porcelain", "--untracked-files=no") and options.commit == "HEAD":
        print("what is not committed is not in the release")
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        files = build_all(Path(first), epoch, commit, 0o022)
        if build_all(Path(second) / "elsewhere", epoch, commit, 0o077) != files:
            sys.exit("building twice gave other bytes: the release is not reproducible")
    for name, content in files.items():
        if len(content) > MAX_BYTES[Path(name).suffix]:
            sys.exit(f"{name} has {len(content):,} bytes, which is too much")
    name = f"elsewhere-{sbom.version()}"
    files[f"{name}.cdx.json"] = json_bytes(sbom.bill())
    hashes = " ".join(f"--hash=sha256:{digest(files[file])}" for file in list(files)[:2])
    lock = (ROOT / "locks/run.txt").read_text("utf-8")
    files[f"{name}-requirements.txt"] = f"{lock}elsewhere=={sbom.version()} {hashes}\n".encode()
    sums = "".join(f"{digest(content)}  {file}\n" for file, content in sorted(files.items()))
    files["SHA256SUMS"] = sums.encode()
    shutil.rmtree(options.output, ignore_errors=True)
    options.output.mkdir(parents=True)
    for file, content in files.items():
        (options.output / file).write_bytes(content)
        print(f"{len(content):>12,}  {file}")
    return 0


def digest(content: bytes) -> str:
    """SHA-256, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def json_bytes(value: object) -> bytes:
    """JSON for people and programs."""
    import json

    return (json.dumps(value, indent=2) + "\n").encode()


if __name__ == "__main__":
    sys.exit(main())

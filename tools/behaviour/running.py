"""Running one source tree: the program, and the drivers that import the public package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import surfaces

HERE = Path(__file__).resolve().parent
TIMEOUT = 300.0
"""Seconds that one command may take, on a machine that has other things to do."""


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Product:
    """A source tree, the Python that runs it, and a folder to work in."""

    python: str
    src: Path
    work: Path

    def environment(self, home: str) -> dict[str, str]:
        """The surroundings of a run: a user of our own, called `home`, who has nothing yet."""
        mine = self.work / "homes" / home
        for folder in ("tmp", "data", "cache"):
            (mine / folder).mkdir(parents=True, exist_ok=True)
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "PYTHONPATH": str(self.src),
            "HOME": str(mine),
            "TMPDIR": str(mine / "tmp"),
            "ELSEWHERE_DATA_DIR": str(mine / "data"),
            "ELSEWHERE_CACHE_DIR": str(mine / "cache"),
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "TERM": "dumb",
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
        }

    def program(self, *arguments: str, home: str = "anybody", stdin: str = "") -> Ran:
        """`python -m elsewhere` with these arguments, in the working folder."""
        return self._run(["-m", surfaces.PUBLIC, *arguments], home, stdin)

    def watched(self, *arguments: str, home: str = "anybody", stdin: str = "") -> tuple[Ran, str]:
        """The same, and the class of the error that was raised on purpose last ("" for none)."""
        log = self.work / "homes" / f"{home}-errors"
        log.unlink(missing_ok=True)
        ran = self._run([str(HERE / "launcher.py"), str(log), *arguments], home, stdin)
        return ran, log.read_text("utf-8") if log.exists() else ""

    def driver(self, script: str, *arguments: str) -> Any:
        """What a script of this folder prints as JSON, run with the source tree."""
        ran = self._run([str(HERE / script), *arguments], "driver", "")
        if ran.code:
            raise RuntimeError(f"{script} failed: {ran.stderr[-2000:]}")
        return json.loads(ran.stdout)

    def start(self, *arguments: str, home: str) -> subprocess.Popen[str]:
        """The program, left running."""
        return subprocess.Popen(
            [self.python, "-u", "-m", surfaces.PUBLIC, *arguments],
            cwd=self.work,
            env=self.environment(home),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def _run(self, command: list[str], home: str, stdin: str) -> Ran:
        try:
            done = subprocess.run(
                [self.python, *command],
                cwd=self.work,
                env=self.environment(home),
                input=stdin,
                capture_output=True,
                encoding="utf-8",
                errors="backslashreplace",
                timeout=TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            print(f"took longer than {TIMEOUT:g} s: {command}", file=sys.stderr)
            return Ran(-1, "", "timeout")
        return Ran(done.returncode, done.stdout, done.stderr)

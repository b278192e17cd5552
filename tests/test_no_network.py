"""Nothing phones home: every program runs in a network of its own that leads nowhere.

The namespace counts what was tried: packets without a route, and datagrams (a lookup of a name is
one). ONNX Runtime reports late, but what it means to report lies in the home folder at once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from elsewhere.batch.columns import photos_in
from elsewhere.example import ALBUM
from tests.scorers.models import classifier

_ROOT = Path(__file__).parent.parent
_PHOTO = ALBUM / "fig.jpg"

_IN_THE_NAMESPACE = """
import fcntl, json, socket, struct, subprocess, sys

with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:  # the loopback interface: up
    fcntl.ioctl(sock, 0x8914, struct.pack("16sH14x", b"lo", 0x41))
done = subprocess.run(sys.argv[1:], capture_output=True, text=True, timeout=240)
counts = dict(line.split() for line in open("/proc/net/snmp6"))
tables = open("/proc/net/snmp").read().splitlines()
for names, values in zip(tables[::2], tables[1::2]):
    kind = names.partition(":")[0]
    counts |= {kind + n: v for n, v in zip(names.split()[1:], values.split()[1:])}
tried = {n: int(counts.get(n, 0)) for n in
         ("IpOutNoRoutes", "Ip6OutNoRoutes", "UdpOutDatagrams", "Udp6OutDatagrams")}
print(json.dumps([done.returncode, done.stdout, done.stderr, tried]))
"""

_SESSION = """
import onnxruntime
onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
"""
_LIBRARY = "import sys; import elsewhere" + _SESSION
_BARE = "import sys" + _SESSION
_ONNX_FIRST = """
import sys
import onnxruntime
import elsewhere
from pathlib import Path
from elsewhere.errors import ScorerError
from elsewhere.scorers.sessions import open_session
try:
    open_session(Path(sys.argv[1]), None)
except ScorerError as error:
    print(error)
"""
_APP = """
import sys
from pathlib import Path
from tests.app.server import running_server
with running_server("embedded") as server:
    print(server.open(Path(sys.argv[1]))["stage"])
"""
_LOOKUP = """
import socket
try:
    socket.getaddrinfo("example.org", 443)
except OSError as error:
    print("no route")
"""

pytestmark = [
    pytest.mark.needs("unshare"),
    pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's"),
]


class Alone:
    """A home folder, and programs that run in it without a network."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.tried: dict[str, int] = {}

    def run(self, *command: str) -> str:
        """What a command prints; it must succeed."""
        kept = ("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "VIRTUAL_ENV")
        env = {name: os.environ[name] for name in kept if name in os.environ}
        # CI is a reason of its own for ONNX Runtime to keep quiet
        env |= {"HOME": str(self.home), "PYTHONPATH": f"{_ROOT / 'src'}{os.pathsep}{_ROOT}"}
        wrapped = ["unshare", "-rn", sys.executable, "-c", _IN_THE_NAMESPACE, *command]
        done = subprocess.run(
            wrapped, capture_output=True, text=True, env=env, check=False, timeout=300
        )
        if done.returncode and "unshare" in done.stderr:
            pytest.skip("no namespaces can be made here")
        assert done.returncode == 0, done.stderr
        code, out, err, self.tried = json.loads(done.stdout)
        assert code == 0, out + err
        return str(out)

    def python(self, script: str, *arguments: str) -> str:
        return self.run(sys.executable, "-c", script, *arguments)

    def elsewhere(self, *arguments: str) -> str:
        return self.run(sys.executable, "-m", "elsewhere", *arguments)

    def reports(self) -> list[str]:
        """What ONNX Runtime keeps in order to report it."""
        files = [str(path.relative_to(self.home)) for path in self.home.rglob("*")]
        return [name for name in files if "onnxruntime" in name or "Microsoft" in name]

    def was_silent(self) -> bool:
        return not self.reports() and not any(self.tried.values())


@pytest.fixture
def alone(tmp_path: Path) -> Alone:
    home = tmp_path / "home"
    home.mkdir()
    return Alone(home)


def test_a_lookup_is_noticed(alone: Alone) -> None:
    assert alone.python(_LOOKUP) == "no route\n"
    assert any(alone.tried.values())


def test_onnx_runtime_by_itself_is_noticed(alone: Alone, tmp_path: Path) -> None:
    alone.python(_BARE, str(classifier(tmp_path / "model.onnx", 4)))
    assert alone.reports()


def test_the_library_is_silent(alone: Alone, tmp_path: Path) -> None:
    """Also where the user's own program uses ONNX Runtime afterwards."""
    alone.python(_LIBRARY, str(classifier(tmp_path / "model.onnx", 4)))
    assert alone.was_silent()


def test_onnx_runtime_that_was_imported_first_runs_no_model(alone: Alone, tmp_path: Path) -> None:
    """It cannot be silenced any more."""
    said = alone.python(_ONNX_FIRST, str(classifier(tmp_path / "model.onnx", 4)))
    assert "ORT_DISABLE_TELEMETRY=1" in said and said.count("\n") == 1


def test_the_command_line_is_silent(alone: Alone) -> None:
    assert "fig.jpg" in alone.elsewhere("guess", str(_PHOTO))
    assert alone.was_silent()


def test_sharing_is_silent(alone: Alone, tmp_path: Path) -> None:
    alone.elsewhere("protect", str(ALBUM), "-o", str(tmp_path / "out"))
    assert alone.was_silent()


def test_the_app_is_silent(alone: Alone) -> None:
    assert alone.python(_APP, str(_PHOTO)) == "ready\n"
    assert alone.was_silent()


def test_batch_is_silent(alone: Alone, tmp_path: Path) -> None:
    row = {"album": "a", "photo": "fig.jpg", "content": _PHOTO.read_bytes(), "place": "Lisbon"}
    parquet.write_table(pa.Table.from_pylist([row], photos_in()), tmp_path / "in.parquet")
    alone.elsewhere("batch", str(tmp_path / "in.parquet"), "-o", str(tmp_path / "out"))
    assert alone.was_silent()


def test_no_library_is_left_to_report_its_use() -> None:
    """Ray reports by default, and so does the hub's client."""
    script = "import elsewhere, json, os; print(json.dumps(dict(os.environ)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env={}, check=True
    )
    env = json.loads(done.stdout)
    assert env["ORT_DISABLE_TELEMETRY"] == "1"
    assert env["RAY_USAGE_STATS_ENABLED"] == "0"
    assert env["HF_HUB_DISABLE_TELEMETRY"] == "1"

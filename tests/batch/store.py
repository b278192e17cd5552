"""A real object store on this machine, as another program: what S3 says, said by moto."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import fs, parquet

from elsewhere.batch.storage import Storage

PROGRAM = "moto_server"
BUCKET = "house"


@dataclass
class Store:
    """Where it listens, and the environment in which pyarrow and s3fs find it."""

    port: int

    @property
    def environment(self) -> dict[str, str]:
        return {
            "AWS_ACCESS_KEY_ID": "anybody",
            "AWS_SECRET_ACCESS_KEY": "anything",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
        }


@contextmanager
def store_in(folder: Path) -> Iterator[Store]:
    """Within, a store with one empty bucket."""
    port = free_port()
    program = shutil.which(PROGRAM, path=str(Path(sys.executable).parent)) or PROGRAM
    with (folder / "store.log").open("w") as log:
        process = subprocess.Popen(
            [program, "--host", "127.0.0.1", "--port", str(port)], stdout=log, stderr=log
        )
    try:
        end = time.monotonic() + 60
        while not answers(f"http://127.0.0.1:{port}/moto-api/data.json"):
            assert process.poll() is None and time.monotonic() < end, "the store does not start"
            time.sleep(0.05)
        address = f"http://127.0.0.1:{port}/{BUCKET}"
        urllib.request.urlopen(urllib.request.Request(address, method="PUT")).close()
        yield Store(port)
    finally:
        process.kill()
        process.wait()


def answers(address: str) -> bool:
    try:
        urllib.request.urlopen(address).close()
    except OSError:
        return False
    return True


def free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])


@dataclass
class Cable:
    """A way to a store that can be cut: what goes in at `port` comes out at `to`."""

    to: int
    port: int = field(default_factory=free_port)
    cut: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self.cut.set()
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                one, _ = self._listener.accept()
                if self.cut.is_set():
                    one.close()
                    continue
                other = socket.create_connection(("127.0.0.1", self.to))
                for ends in ((one, other), (other, one)):
                    threading.Thread(target=self._carry, args=ends, daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while (content := one.recv(1 << 16)) and not self.cut.is_set():
                other.sendall(content)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


def everything(address: str) -> list[str]:
    """All that lies below an address, hidden or not, folders left out."""
    storage = Storage(address)
    found = storage.fs.get_file_info(
        fs.FileSelector(storage.root, recursive=True, allow_not_found=True)
    )
    files = [one.path for one in found if one.type == fs.FileType.File and one.base_name]
    return sorted(os.path.relpath(path, storage.root) for path in files)


def rows_at(address: str, folder: str) -> list[dict[str, Any]]:
    """The rows of all files of a folder at an address, by album and photo."""
    storage = Storage(address)
    files = (pa.BufferReader(storage.read(f"{folder}/{one}")) for one in storage.names(folder))
    rows = [row for file in files for row in parquet.read_table(file).to_pylist()]
    return sorted(rows, key=lambda row: (row["album"], row.get("photo") or ""))

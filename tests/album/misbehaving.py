"""Tasks that do what no decoder should: the workers' tests hand them to real workers."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from pathlib import Path
from typing import Any

Answer = tuple[dict[str, Any], list[bytes]]


def act(request: dict[str, Any]) -> Answer:
    what = request["do"]
    if what == "echo":
        return {"said": request["say"]}, [request["say"].encode() * request.get("times", 1)]
    if what == "pid":
        return {"pid": os.getpid()}, []
    if what == "crash":
        ctypes.string_at(0)
    if what == "exit":
        os._exit(7)
    if what == "hang":
        time.sleep(1000)
    if what == "nap":
        time.sleep(1)
        return {}, []
    if what == "spin":
        while True:
            pass
    if what == "grow":
        held = [b"x" * (1 << 20) for _ in range(request["megabytes"])]
        return {"held": len(held)}, []
    if what == "raise":
        raise ValueError("a word from the decoder")
    if what == "recurse":
        return act(request)
    if what == "chatter":
        print("chatter on stdout", flush=True)
        print("chatter on stderr", file=sys.stderr, flush=True)
        os.write(1, b"raw chatter")
        os.write(2, b"raw chatter")
        return {"read": sys.stdin.read()}, []
    if what == "write":
        Path(request["path"]).write_bytes(b"overwritten")
        return {"wrote": True}, []
    if what == "path":
        return {"path": sys.path, "modules": sorted(sys.modules)}, []
    raise AssertionError(what)

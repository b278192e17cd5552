"""All nasty files together, and good ones beside them, through `elsewhere protect`: each ends in a
named reason or is read, the good ones are protected, and no original is touched.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from elsewhere.album.files import REASONS
from elsewhere.globe import Cells
from elsewhere.values.wording import printable
from tests.album.makers import exif, jpeg
from tests.album.nasty import make_all, snapshot
from tests.album.nasty_list import ALL
from tests.scorers.models import described

WISHES = ("--json", "--scorer", "onnx:model/tiny.onnx", "--top", "1", "--exact-top", "--at=Lisbon")
GOOD = [f"good-{number}.jpg" for number in range(6)]


def test_all_nasty_files_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "album"
    impossible = make_all(folder)
    for number, name in enumerate(GOOD):
        (folder / name).write_bytes(jpeg(900 + number, exif=exif().tobytes()))
    (tmp_path / "model").mkdir()
    described(tmp_path / "model", Cells.paper())
    before = snapshot(folder)
    done = subprocess.run(
        [sys.executable, "-m", "elsewhere", "protect", "album", "-o", "copy", *WISHES],
        cwd=tmp_path,
        env={
            **os.environ,
            "ELSEWHERE_DATA_DIR": str(tmp_path / "data"),
            "ELSEWHERE_CACHE_DIR": str(tmp_path / "cache"),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert snapshot(folder) == before
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == "", "decoders' chatter, or worse"
    told = json.loads(done.stdout)
    read = {*told["kept"], *told["withheld"]}
    assert read >= set(GOOD)
    for one in told["left"]:
        assert one["kind"] in REASONS and len(one["reason"]) > 10
    left = [(one["file"], one["kind"]) for one in told["left"]]
    tried = [nasty for nasty in ALL if nasty not in impossible]
    assert len(tried) >= 60
    for nasty in tried:
        name = printable(nasty.name)
        ends = {kind for file, kind in left if file == name or file.startswith(f"{name}/")}
        ends |= {"read" for file in read if file == name or file.startswith(f"{name}/")}
        if nasty.ends:
            assert ends and ends <= nasty.ends, nasty.name
    assert len(told["files"]) == len(told["kept"]) == len(list((tmp_path / "copy").iterdir()))
    assert set(GOOD) & set(told["kept"])

"""After a plain `pip install .`: whoever needs an extra says in one sentence which, and how."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.album.makers import jpeg
from tests.batch.makers import pixels, scored, write

ROOT = Path(__file__).parents[2]
EXTRAS = {
    "parquet": ("pyarrow",),
    "ray": ("ray",),
    "geoclip": ("geoclip", "torch"),
    "gpu": ("torch",),
}
"""By extra, what cannot be imported without it."""


def without(
    extra: str, folder: Path, *words: str, program: str = "elsewhere.cli"
) -> tuple[int, str, str]:
    """The program, as it is where an extra was never installed: exit code, output, complaints."""
    start = folder / "start"
    start.mkdir()
    missing = dict.fromkeys(EXTRAS[extra])
    # read by every Python that is started below, the workers' too
    (start / "sitecustomize.py").write_text(f"import sys\nsys.modules.update({missing})\n", "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", program, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(start), "XDG_CACHE_HOME": str(folder / "cache")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ("parquet", "batch in.parquet -o out"),
        ("parquet", "score photos -o scores.parquet"),
        ("parquet", "plan in.parquet --truth 3 --top 2"),
        ("parquet", "guess photos --scorer table:in.parquet"),
        ("ray", "batch in.parquet -o out --engine ray"),
        ("geoclip", "guess photos --scorer geoclip"),
        ("geoclip", "batch photos.parquet -o out --scorer geoclip"),
        ("gpu", "batch photos.parquet -o out --device cuda"),
    ],
)
def test_an_extra_that_is_missing_is_named_in_one_sentence(
    extra: str, words: str, tmp_path: Path
) -> None:
    write(scored(2), tmp_path / "in.parquet")
    write(pixels(1), tmp_path / "photos.parquet")
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "a.jpg").write_bytes(jpeg())
    code, told, said = without(extra, tmp_path, *words.split())
    assert code in (1, 2) and told == "", (told, said)
    assert re.fullmatch(rf"elsewhere: [^\n]*pip install '\.\[{extra}\]'[^\n]*\n", said), said
    assert list(tmp_path.glob("out/[!.]*")) == [], "said before anything is begun"


def test_the_lab_names_an_extra_that_is_missing(tmp_path: Path) -> None:
    write(scored(2), tmp_path / "in.parquet")
    (tmp_path / "truth.csv").write_text("photo,cell\n0000.jpg,0\n", "utf-8")
    words = "run fewest --source in.parquet --truth truth.csv -o out"
    code, told, said = without("parquet", tmp_path, *words.split(), program="elsewhere_lab")
    assert code in (1, 2) and told == "", (told, said)
    assert re.fullmatch(r"elsewhere-lab: [^\n]*pip install '\.\[parquet\]'[^\n]*\n", said), said


@pytest.mark.parametrize("folder", ["src", "docs"])
def test_nobody_is_sent_to_a_registry_for_us(folder: str) -> None:
    """The name `elsewhere` there is not ours: what it would install is somebody else's."""
    files = [f for f in (ROOT / folder).rglob("*") if f.suffix in (".py", ".md", ".txt")]
    assert len(files) > 12
    named = re.compile(r"""pip install (-e )?['"]?elsewhere""")
    assert [f.name for f in files if named.search(f.read_text("utf-8"))] == []

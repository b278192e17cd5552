"""Nothing hides between the last pixel and the end of a picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from PIL import Image

from elsewhere.album.export import OutgoingFile, export
from elsewhere.album.renditions import (
    NotJpegError,
    Recipe,
    Spool,
    accept_rendition,
    encode_jpeg,
    reject_trailing_data,
    size_if_bare,
)
from elsewhere.errors import FileError
from tests.album.makers import picture

SECRET = b"GPS 43.9475,4.5350 owner=Alice "


@settings(max_examples=60)
@given(
    st.integers(1, 70),
    st.integers(1, 70),
    st.sampled_from(["noise", "flat", "smooth"]),
    st.integers(0, 2**32 - 1),
    st.binary(min_size=8, max_size=200).map(lambda text: text.replace(b"\xff", b"\xfe")),
)
def test_every_picture_ends_with_its_pixels_and_none_with_more(
    width: int, height: int, kind: str, seed: int, more: bytes
) -> None:
    rng = np.random.default_rng(seed)
    if kind == "smooth":
        small = Image.fromarray(rng.integers(0, 256, (3, 3, 3), dtype=np.uint8))
        image = small.resize((width, height))
    else:
        shape = (height, width, 3) if kind == "noise" else (1, 1, 3)
        values = np.broadcast_to(rng.integers(0, 256, shape, dtype=np.uint8), (height, width, 3))
        image = Image.fromarray(np.ascontiguousarray(values))
    content = encode_jpeg(image)
    reject_trailing_data(content, image.size)
    with pytest.raises(NotJpegError, match="between its last pixel and its end"):
        reject_trailing_data(content[:-2] + more + content[-2:], image.size)


@pytest.mark.parametrize("target", ["copy", "copy.zip"])
@pytest.mark.parametrize("many", [1, 60, 2000])
def test_text_behind_the_pixels_is_seen_though_no_marker_tells(
    many: int, target: str, tmp_path: Path
) -> None:
    bare = encode_jpeg(picture(6, 640, 480))
    content = bare[:-2] + SECRET * many + bare[-2:]
    assert size_if_bare(content) == (640, 480), "its skeleton is right"
    hidden, honest = (accept_rendition(one, Recipe(), Spool()) for one in (content, bare))
    with pytest.raises(FileError, match=r"2\.jpg would not be a bare picture: something lies betw"):
        export(
            [OutgoingFile("1.jpg", honest), OutgoingFile("2.jpg", hidden)], tmp_path / target, print
        )
    assert not list(tmp_path.iterdir())
    export([OutgoingFile("1.jpg", honest)], tmp_path / target, print)
    assert (tmp_path / target).exists()


def test_a_picture_that_is_cut_short_is_not_one_with_more() -> None:
    bare = encode_jpeg(picture(6, 640, 480))
    reject_trailing_data(bare[: len(bare) // 2] + bare[-2:], (640, 480))

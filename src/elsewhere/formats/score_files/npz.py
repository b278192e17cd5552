"""`.npz`: a zip of NumPy arrays called scores, ids, scorer and grid.

NumPy's own loader can unpickle and trusts headers. So the arrays of a score file are read here: the
header must match one strict pattern, and its size that of the zip's directory and of the file,
before any array is allocated.
"""

from __future__ import annotations

import math
import re
import sys
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import FileError, InputError
from elsewhere.formats.score_files.limits import ROW_BYTES, refuse_bomb
from elsewhere.values.scores import Scores
from elsewhere.values.wording import first_line

_ARRAYS = ("scores", "ids", "scorer", "grid")
_HEADER = re.compile(
    r"\{\s*'descr':\s*'(?P<descr>[<>|=]?[A-Za-z]\d*)',\s*'fortran_order':\s*(?P<order>True|False),"
    r"\s*'shape':\s*\((?P<shape>[\d, ]{0,60})\),?\s*\}\s*"
)
_LONGEST_HEADER = 4096
_NUMBERS = re.compile(r"[<>|=]?(f[248]|[iu][1248]|b1)")
_TEXT = re.compile(r"[<>|=]?U\d{1,7}")


def read(file: Path) -> Scores:
    """The scores in an `.npz` file."""
    with file.open("rb") as stream:
        _refuse_others(file, stream.read(6))
    try:
        with zipfile.ZipFile(file) as archive:
            arrays = {
                name: _array(file, archive, member) for name, member in _members(file, archive)
            }
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        ValueError,
        OverflowError,
    ) as error:
        raise FileError(
            f"{file} is damaged and cannot be read as .npz ({first_line(error)}): save it again"
        ) from None
    if "scores" not in arrays:
        raise FileError(f"{file} holds no array called 'scores': save it with scores=…")
    ids = arrays.get("ids")
    if ids is not None and ids.ndim != 1:
        raise FileError(f"{file} has 'ids' of {ids.ndim} dimensions: give one name per photo")
    photos = len(arrays["scores"]) if arrays["scores"].ndim else 0
    if ids is not None and len(ids) != photos:
        raise InputError(f"{photos} photos need {photos} ids, not {len(ids)}")
    _refuse_large(file, arrays["scores"], photos)
    return Scores(
        arrays["scores"],
        None if ids is None else ids.tolist(),
        scorer=_fingerprint(file, arrays, "scorer"),
        grid=_fingerprint(file, arrays, "grid"),
    )


def _refuse_large(file: Path, scores: NDArray[Any], photos: int) -> None:
    """Other numbers than 32-bit floats become 64-bit floats."""
    width = 4 if scores.dtype.kind == "f" and scores.dtype.itemsize == 4 else 8
    refuse_bomb(file, scores.size * width + photos * ROW_BYTES)


def write(stream: BinaryIO, scores: Scores) -> None:
    """Write `scores` as `.npz`; the same scores always give the same bytes."""
    arrays: dict[str, NDArray[Any]] = {
        "scores": scores.values.astype(scores.values.dtype.newbyteorder("<"), order="C"),
        "ids": np.array(scores.ids, dtype=np.str_),
    }
    for name, text in (("scorer", scores.scorer), ("grid", scores.grid)):
        if text:
            arrays[name] = np.array(text, dtype=np.str_)
    for text in (*scores.ids, scores.scorer, scores.grid):
        if text.endswith("\0"):
            raise InputError(f"the name {text!r} ends in a null character: rename the photo")
    np.savez(stream, allow_pickle=False, **arrays)


def _refuse_others(file: Path, start: bytes) -> None:
    """Refuse other files, and name the usual ones: a pickle, or a bare array."""
    if start[:1] == b"\x80":
        raise FileError(f"{file} is a pickle, which is never loaded: save it with numpy.savez")
    if start == b"\x93NUMPY":
        raise FileError(f"{file} is a bare .npy array: save it with numpy.savez(file, scores=…)")
    if start[:2] != b"PK":
        raise FileError(f"{file} is not an .npz file: save it with numpy.savez")


def _members(file: Path, archive: zipfile.ZipFile) -> list[tuple[str, zipfile.ZipInfo]]:
    """The arrays in the zip, each known, there once, and of a believable size."""
    members = archive.infolist()
    for member in members[: len(_ARRAYS) + 1]:
        name = member.filename.removesuffix(".npy")
        if name not in _ARRAYS or name == member.filename:
            raise FileError(
                f"{file} holds {member.filename!r}, which is no part of a score file: "
                "save only scores, ids, scorer and grid"
            )
        if member.flag_bits & 1:
            raise FileError(f"{file} is encrypted: save it without a password")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise FileError(f"{file} is packed in an unusual way: save it with numpy.savez")
    names = [member.filename.removesuffix(".npy") for member in members]
    if len(set(names)) < len(names):
        raise FileError(f"{file} holds the same array twice: save it again with numpy.savez")
    refuse_bomb(file, sum(member.file_size for member in members))
    return list(zip(names, members, strict=True))


def _array(file: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    """One array, after its header agreed with the size that the zip's directory states."""
    with archive.open(member) as stream:
        descr, fortran, shape, start = _header(file, stream)
        text = member.filename != "scores.npy"
        if not (_TEXT if text else _NUMBERS).fullmatch(descr):
            what = "text" if text else "numbers"
            raise FileError(f"{file} has {member.filename!r} of type {descr}, which is not {what}")
        dtype = np.dtype(descr)
        size = math.prod(shape) * dtype.itemsize  # Python's integers do not overflow
        if size != member.file_size - start:
            raise FileError(
                f"{file} has {member.filename!r} of {member.file_size - start:,} bytes where its "
                f"header claims {size:,}: the file is damaged or was tampered with"
            )
        data = stream.read(size)
        # one more read reaches the end, where zipfile compares the checksum
        if len(data) != size or stream.read(1):
            raise EOFError("an array ends early")
        if text:
            codes = np.frombuffer(data, dtype=np.dtype(np.uint32).newbyteorder(dtype.byteorder))
            if codes.size and codes.max() > sys.maxunicode:
                raise FileError(
                    f"{file} has a character in {member.filename!r} that is none in Unicode: "
                    "save it again"
                )
    return np.frombuffer(data, dtype=dtype).reshape(shape, order="F" if fortran else "C")


def _header(file: Path, stream: IO[bytes]) -> tuple[str, bool, tuple[int, ...], int]:
    """The header of a `.npy`: type, Fortran order, shape, and where the data begins."""
    magic = stream.read(8)
    wide = magic[6:7] in (b"\x02", b"\x03")
    if magic[:6] != b"\x93NUMPY" or not (wide or magic[6:7] == b"\x01"):
        raise ValueError("not an array")
    length = stream.read(4 if wide else 2)
    claimed = int.from_bytes(length, "little")
    if claimed > _LONGEST_HEADER:
        raise ValueError("a header is too long")
    text = stream.read(claimed).decode("latin-1")
    if re.search(r"'descr':\s*'[<>|=]?O", text):
        raise FileError(
            f"{file} holds pickled Python objects, which are never loaded: save numbers and text"
        )
    found = _HEADER.fullmatch(text)
    if found is None:
        raise ValueError("a header is not plain numbers or text")
    shape = tuple(int(side) for side in found["shape"].replace(" ", "").split(",") if side)
    return found["descr"], found["order"] == "True", shape, 8 + len(length) + claimed


def _fingerprint(file: Path, arrays: dict[str, NDArray[Any]], name: str) -> str:
    found = arrays.get(name)
    if found is None:
        return ""
    if found.size != 1:
        raise FileError(f"{file} has {found.size} texts in {name!r}: give one fingerprint")
    return str(found.reshape(())[()])

"""What the program tells, made comparable: no paths, times or chance, and words set apart."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from running import Product

from values import plain

SENTENCES = frozenset(
    ["verdict", "explanation", "advice", "reason", "notes", "note", "promised", "problems",
     "problem", "not_covered", "warning", "error", "sentence", "title", "description", "why",
     "alone", "changes", "words", "uncovered", "headline", "proof", "against", "watches"]
)  # fmt: skip
"""Fields of JSON that hold words for people, alone or in a list."""
GLOSSARIES = frozenset(["margins"])
"""Fields that explain other values in words, one by one."""
DIGESTS = frozenset(["digest", "certificate_digest", "dataset", "settings"])
"""Fields that seal words, versions or file times along with the rest, and so change with them."""
SAID = "(said)"
LONG = 48
"""Lists longer than this are recorded by their digest."""

_TIMES = re.compile(r"\b\d+(?:\.\d+)?(?= (?:s|ms|min|photos/s|albums/s|MiB/s)\b)")
_HASHED = re.compile(r"-[0-9a-f]{16}\b")
_DAY = re.compile(r"\b20\d\d-\d\d-\d\d(?:T[\d:.+Z-]+)?\b")
_SECONDS = frozenset(["took", "seconds", "elapsed", "duration"])


def comparable(text: str, product: Product) -> str:
    """A text without what differs from run to run, or with where the source lies."""
    text = text.replace(str(product.work), "WORK")
    text = re.sub(rf"{re.escape(str(product.src))}[\w./-]*", "SOURCE", text)
    text = _HASHED.sub("-HASH", text)
    text = _TIMES.sub("N", text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def split(value: Any, product: Product, path: str = "") -> tuple[Any, dict[str, str]]:
    """JSON as data and sentences: where words stood, the data says only that there were some."""
    words: dict[str, str] = {}
    data = _split(plain(value), product, path, words)
    return data, words


def _split(value: Any, product: Product, path: str, words: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {
            comparable(key, product): _field(key, one, product, f"{path}.{key}".lstrip("."), words)
            for key, one in value.items()
        }
    if isinstance(value, list):
        parts = [_split(one, product, f"{path}[{n}]", words) for n, one in enumerate(value)]
        if len(parts) > LONG and not any(isinstance(one, dict) for one in parts):
            seal = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
            return {"length": len(parts), "sha256": seal}
        return parts
    return _DAY.sub("DAY", comparable(value, product)) if isinstance(value, str) else value


def _field(name: str, value: Any, product: Product, path: str, words: dict[str, str]) -> Any:
    if name in SENTENCES:
        return _said(value, product, path, words)
    if name in GLOSSARIES and isinstance(value, dict):
        return {key: _said(one, product, f"{path}.{key}", words) for key, one in value.items()}
    if name in DIGESTS and isinstance(value, str) and len(value) == 64:
        return "(digest)"
    if name in _SECONDS and isinstance(value, float):
        return "N"
    if name == "versions" and isinstance(value, dict):
        return sorted(value)
    return _split(value, product, path, words)


def _said(value: Any, product: Product, path: str, words: dict[str, str]) -> Any:
    if isinstance(value, str):
        if value:
            words[path] = comparable(value, product)
        return SAID if value else ""
    if isinstance(value, list):
        return [_said(one, product, f"{path}[{n}]", words) for n, one in enumerate(value)]
    return _split(value, product, path, words)


def sealed(certificate: Any) -> bool:
    """Whether a certificate's digest is that of its canonical JSON, as docs/plan-files.md says."""
    told = {name: value for name, value in certificate.items() if name != "digest"}
    canonical = json.dumps(told, sort_keys=True, separators=(",", ":"))
    return bool(hashlib.sha256(canonical.encode()).hexdigest() == certificate.get("digest"))


def digest(file: Path) -> list[Any]:
    """A file's size and SHA-256; empty where there is none."""
    if not file.is_file():
        return []
    return [file.stat().st_size, hashlib.sha256(file.read_bytes()).hexdigest()]


def files_below(folder: Path) -> dict[str, Any]:
    """Every file in a folder by name, size and digest."""
    return {
        str(file.relative_to(folder)): digest(file)
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }

"""What an earlier copy of the same name has in the private folder is set aside, and stays whole."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

from elsewhere.album.files import file_digest
from elsewhere.errors import FileError
from elsewhere.service.private_files import (
    CERTIFICATE,
    REPORT,
    back_up,
    give_usual_name,
    new_certificate,
)


def folder_of(tmp_path: Path, **contents: str) -> Path:
    for name, content in contents.items():
        (tmp_path / {"certificate": CERTIFICATE, "report": REPORT}[name]).write_text(content)
    return tmp_path


def inside(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in folder.iterdir()}


def test_a_report_goes_with_its_certificate(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, certificate="one", report="of one")
    mark = file_digest(folder / CERTIFICATE)[:12]
    back_up(folder)
    apart = {f"certificate-{mark}.json": "one", f"report-{mark}.html": "of one"}
    assert inside(folder) == apart
    folder_of(folder, certificate="two")  # of which no report was asked for
    back_up(folder)
    kept = inside(folder)
    assert apart.items() <= kept.items() and "two" in kept.values() and len(kept) == 3


def test_a_report_without_a_certificate_is_not_written_over_either(tmp_path: Path) -> None:
    back_up(folder_of(tmp_path, report="of what is gone"))
    (name,) = inside(tmp_path)
    assert name.startswith("report-") and name != REPORT
    assert inside(tmp_path)[name] == "of what is gone"


def test_where_there_is_nothing_nothing_is_done(tmp_path: Path) -> None:
    back_up(tmp_path)
    assert inside(tmp_path) == {}


def test_a_kill_between_the_two_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report goes first, and the certificate follows it to the same digest the next time."""
    folder = folder_of(tmp_path, certificate="one", report="of one")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", _dying_after(1))
        with pytest.raises(KeyboardInterrupt):
            back_up(folder)
    back_up(folder)
    certificate, report = sorted(inside(folder))
    assert certificate.split("-")[1].split(".")[0] == report.split("-")[1].split(".")[0]
    assert sorted(inside(folder).values()) == ["of one", "one"]


def test_what_cannot_be_set_aside_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(tmp_path, certificate="one", report="of one")
    real = Path.replace

    def full(self: Path, target: Path) -> Path:
        if self.name == CERTIFICATE:
            raise OSError(28, os.strerror(28))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(FileError, match="cannot be written"):
        back_up(folder)
    assert inside(folder) == {CERTIFICATE: "one", REPORT: "of one"}


def test_a_certificate_gets_the_usual_name_or_keeps_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(tmp_path, certificate="one", report="of one")
    certificate = new_certificate(folder)
    certificate.write_text("two")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", Mock(side_effect=OSError(28, os.strerror(28))))
        assert give_usual_name(certificate) == certificate
    assert inside(folder) == {CERTIFICATE: "one", REPORT: "of one", certificate.name: "two"}
    assert give_usual_name(certificate) == folder / CERTIFICATE
    assert inside(folder)[CERTIFICATE] == "two" and len(inside(folder)) == 3
    assert sorted(inside(folder).values()) == ["of one", "one", "two"]


def _dying_after(moves: int) -> Callable[[Path, Path], Path]:
    real = Path.replace
    done: list[Path] = []

    def replace(self: Path, target: Path) -> Path:
        if len(done) == moves:
            raise KeyboardInterrupt
        done.append(target)
        return real(self, target)

    return replace

"""The launcher and the menus of file managers: for one user, and taken out without a trace."""

from __future__ import annotations

import configparser
import os
import shlex
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from elsewhere.errors import FileError
from elsewhere.service.desktop import (
    ACTION,
    Notices,
    desktop_files,
    install_desktop,
    remove_desktop,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="for Linux desktops")

OTHERS = """<?xml version="1.0" encoding="UTF-8"?>
<actions><!-- mine -->
<action><icon>x</icon><name>Verkleinern</name><unique-id>1-1</unique-id><command>resize %F</command>
<patterns>*</patterns><image-files/></action></actions>
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(tmp_path / "etc"))
    return tmp_path


def files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


def thunar(home: Path) -> Path:
    return home / "config/Thunar/uca.xml"


def actions(home: Path) -> dict[str, str]:
    root = ElementTree.parse(thunar(home)).getroot()
    return {a.findtext("name", ""): a.findtext("command", "") for a in root.findall("action")}


def test_what_is_installed_is_taken_out_again(home: Path) -> None:
    written = install_desktop(["/opt/elsewhere"])
    assert files(home) == set(written) and len(written) == 6
    assert install_desktop(["/opt/elsewhere"]) == written
    assert list(actions(home)) == [ACTION]
    assert set(remove_desktop()) == set(written)
    assert files(home) == set() and remove_desktop() == []


def test_the_users_own_actions_stay(home: Path) -> None:
    thunar(home).parent.mkdir(parents=True)
    thunar(home).write_text(OTHERS, "utf-8")
    install_desktop(["/opt/else where"])
    install_desktop(["/opt/else where"])
    assert list(actions(home)) == ["Verkleinern", ACTION]
    assert shlex.split(actions(home)[ACTION]) == ["/opt/else where", "desktop", "share", "%F"]
    remove_desktop()
    assert actions(home) == {"Verkleinern": "resize %F"} and "mine" in thunar(home).read_text()


def test_the_actions_that_come_with_thunar_stay(home: Path) -> None:
    (home / "etc/Thunar").mkdir(parents=True)
    (home / "etc/Thunar/uca.xml").write_text(OTHERS, "utf-8")
    install_desktop(["/opt/elsewhere"])
    assert list(actions(home)) == ["Verkleinern", ACTION]
    remove_desktop()
    assert not thunar(home).exists(), "Thunar's own file counts again"


def test_a_file_that_is_not_understood_is_left_alone(home: Path) -> None:
    thunar(home).parent.mkdir(parents=True)
    thunar(home).write_text("<actions><action>")
    with pytest.raises(FileError, match="nothing was changed"):
        install_desktop(["/opt/elsewhere"])
    assert files(home) == {thunar(home)} and thunar(home).read_text() == "<actions><action>"


def test_every_entry_can_be_read(home: Path) -> None:
    for file in desktop_files(['/opt/a "b" $c 100%/elsewhere']):
        if file.path.suffix in {".desktop", ".nemo_action"}:
            entry = configparser.ConfigParser(interpolation=None, strict=True)
            entry.optionxform = str  # type: ignore[assignment]
            entry.read_string(file.content)
            commands = [entry[part]["Exec"] for part in entry.sections() if "Exec" in entry[part]]
            assert commands and all(
                command.startswith(r'"/opt/a \\"b\\" \\$c 100%%/elsewhere" ')
                and command.endswith(" %F")
                for command in commands
            )


def test_the_script_of_nautilus_passes_on_what_is_selected(home: Path) -> None:
    program = home / "else where"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    program.chmod(0o755)
    install_desktop([str(program)])
    script = home / f"data/nautilus/scripts/{ACTION}"
    chosen = "/a/My trip\n/b/50% *.jpg\n"
    environment = {**os.environ, "NAUTILUS_SCRIPT_SELECTED_FILE_PATHS": chosen}
    told = subprocess.run([script], env=environment, capture_output=True, text=True, check=True)
    assert told.stdout.splitlines() == ["desktop", "share", "/a/My trip", "/b/50% *.jpg"]


def test_progress_and_the_end_are_notices_one_in_the_place_of_the_other(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, sender = home / "log", home / "notify-send"
    sender.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> "{log}"\necho 7\n')
    sender.chmod(0o755)
    monkeypatch.setenv("PATH", f"{home}:/usr/bin:/bin")
    monkeypatch.setattr("shutil.which", lambda name: str(sender) if name == sender.name else None)
    notices = Notices("Share")
    notices.progress("Reading", 0.25)
    notices.progress("too soon", 0.3)
    notices.close("Done", worked=True)
    first, last = log.read_text().splitlines()
    assert "int:value:25" in first and first.endswith("-- Share Reading")
    assert "--replace-id=7" in last and last.endswith("-- Share Done")
    monkeypatch.setattr("shutil.which", lambda name: None)
    Notices("nobody to tell").close("nothing happens", worked=False)

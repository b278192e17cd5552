"""A launcher, and an action in the menus of file managers, for Linux desktops.

All of it lies in the user's own folders: an entry for the app, a script of Nautilus, an action of
Nemo, a service menu of Dolphin, and one action among the user's own in Thunar's file. Each file
manager reads only its own, so all are written whether it is installed or not.

While an action works there is no terminal: progress and notices go to what the desktop has, a
window of zenity or notifications.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from elsewhere.errors import FileError
from elsewhere.platform.files import write_whole

ACTION = "Share without the place"
"""What the action is called in every menu."""
ABOUT = "A clean copy beside it: metadata removed, the place hidden; the originals stay as they are"
_IMAGES = "image/jpeg;image/png;image/webp;image/tiff;image/heif;image/avif"
_THUNAR_ID = "elsewhere-share"
_ICON = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="128" height="128">
<rect width="32" height="32" rx="7" fill="#fbfaf7"/>
<circle cx="13" cy="14" r="8" fill="none" stroke="#93278f" stroke-width="3"/>
<path d="M22 14.5 28.5 21 22 27.5 15.5 21z" fill="#00705f"/>
</svg>
"""


class DesktopFile(NamedTuple):
    """A file of ours, and whether it must be executable."""

    path: Path
    content: str
    executable: bool = False


def desktop_files(program: Sequence[str]) -> list[DesktopFile]:
    """Every file but Thunar's, for a program that is started so."""
    data = _base("XDG_DATA_HOME", ".local/share")
    share, entry = [*program, "desktop", "share"], " ".join(map(_entry_word, program))
    script = (
        f"#!/bin/sh\n# {ABOUT}.\nIFS='\n'\n"
        f"set -f\nexec {shlex.join(share)} $NAUTILUS_SCRIPT_SELECTED_FILE_PATHS\n"
    )
    return [
        DesktopFile(
            data / "applications/elsewhere.desktop",
            "[Desktop Entry]\nType=Application\nName=elsewhere\n"
            "Comment=Share the photos, not the place\n"
            f"Exec={entry} app %F\nIcon=elsewhere\nTerminal=true\n"
            f"Categories=Graphics;Photography;\nMimeType=inode/directory;{_IMAGES};\n",
        ),
        DesktopFile(data / "icons/hicolor/scalable/apps/elsewhere.svg", _ICON),
        DesktopFile(data / f"nautilus/scripts/{ACTION}", script, executable=True),
        DesktopFile(
            data / "nemo/actions/elsewhere.nemo_action",
            f"[Nemo Action]\nActive=true\nName={ACTION}\nComment={ABOUT}\n"
            f"Exec={entry} desktop share %F\nIcon-Name=elsewhere\nSelection=notnone\n"
            f"Quote=double\nMimetypes=inode/directory;{_IMAGES};\n",
        ),
        DesktopFile(
            data / "kio/servicemenus/elsewhere.desktop",
            "[Desktop Entry]\nType=Service\nX-KDE-ServiceTypes=KonqPopupMenu/Plugin\n"
            f"MimeType=inode/directory;{_IMAGES};\nActions=share;\n\n"
            f"[Desktop Action share]\nName={ACTION}\nIcon=elsewhere\n"
            f"Exec={entry} desktop share %F\n",
            executable=True,
        ),
    ]


def install_desktop(program: Sequence[str]) -> list[Path]:
    """Write all files; those that were written."""
    files = desktop_files(program)
    thunar = _thunar_file()
    document = _thunar_actions(thunar)
    _without_ours(document)
    action = ElementTree.SubElement(document, "action")
    values = {
        "icon": "elsewhere", "name": ACTION, "unique-id": _THUNAR_ID,
        "command": f"{shlex.join([*program, 'desktop', 'share'])} %F",
        "description": ABOUT, "patterns": "*",
    }  # fmt: skip
    for name, text in values.items():
        ElementTree.SubElement(action, name).text = text
    for name in ("directories", "image-files"):
        ElementTree.SubElement(action, name)
    try:
        for file in files:
            file.path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(file.path, file.content.encode())
            if file.executable:
                file.path.chmod(0o755)
        _write_thunar(thunar, document)
    except OSError as problem:
        raise _unwritable(problem) from None
    return [*(file.path for file in files), thunar]


def remove_desktop() -> list[Path]:
    """Delete our files and our action in Thunar's; those that were there."""
    removed = []
    thunar = _thunar_file()
    try:
        for file in desktop_files(["elsewhere"]):
            if file.path.exists():
                file.path.unlink()
                removed.append(file.path)
        if thunar.exists():
            document = _thunar_actions(thunar)
            if _without_ours(document):
                if _same_actions(document, _thunar_defaults()):
                    thunar.unlink()  # it was there for our action alone
                else:
                    _write_thunar(thunar, document)
                removed.append(thunar)
    except OSError as problem:
        raise _unwritable(problem) from None
    return removed


def _base(variable: str, usual: str) -> Path:
    return Path(os.environ.get(variable) or Path.home() / usual)


def _entry_word(word: str) -> str:
    """A word of an Exec line, quoted as desktop entries want it."""
    for special in '\\"`$':
        word = word.replace(special, f"\\{special}")
    return f'"{word}"'.replace("%", "%%").replace("\\", "\\\\")


def _thunar_file() -> Path:
    return _base("XDG_CONFIG_HOME", ".config") / "Thunar/uca.xml"


def _thunar_defaults() -> ElementTree.Element:
    """The actions that Thunar has where the user has no file of their own."""
    for folder in (os.environ.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(":"):
        file = Path(folder) / "Thunar/uca.xml"
        if file.is_file():
            return _parse(file)
    return ElementTree.Element("actions")


def _thunar_actions(file: Path) -> ElementTree.Element:
    """The user's actions, or those that Thunar has without them."""
    return _parse(file) if file.exists() else _thunar_defaults()


def _parse(file: Path) -> ElementTree.Element:
    builder = ElementTree.TreeBuilder(insert_comments=True)
    try:
        return ElementTree.parse(file, ElementTree.XMLParser(target=builder)).getroot()
    except (ElementTree.ParseError, UnicodeDecodeError):
        raise FileError(
            f"{file} is not understood, so nothing was changed: mend or move it, and try again"
        ) from None


def _without_ours(document: ElementTree.Element) -> bool:
    """Take our action out; whether it was there."""
    ours = [a for a in document.findall("action") if a.findtext("unique-id") == _THUNAR_ID]
    for action in ours:
        document.remove(action)
    return bool(ours)


def _same_actions(one: ElementTree.Element, other: ElementTree.Element) -> bool:
    return [[(part.tag, part.text) for part in action] for action in one.findall("action")] == [
        [(part.tag, part.text) for part in action] for action in other.findall("action")
    ]


def _write_thunar(file: Path, document: ElementTree.Element) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    ElementTree.indent(document, "\t")
    content = ElementTree.tostring(document, encoding="UTF-8", xml_declaration=True)
    write_whole(file, content + b"\n")


def _unwritable(problem: OSError) -> FileError:
    where = problem.filename or "the user's folder"
    return FileError(f"{where} cannot be written: {problem.strerror or problem}")


class Notices:
    """Tells the user without a terminal how far something is, and what came of it."""

    INTERVAL = 0.5
    """Seconds between two words on the progress."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._shown = 0.0
        self._number = ""
        self._notify = shutil.which("notify-send")
        self._window: subprocess.Popen[bytes] | None = None
        if zenity := shutil.which("zenity"):
            command = [zenity, "--progress", "--auto-close", f"--title={title}", "--text="]
            self._window = subprocess.Popen(command, stdin=subprocess.PIPE)

    def progress(self, words: str, share: float | None) -> None:
        """How far it is; KeyboardInterrupt where the user closed the window."""
        now = time.monotonic()
        if now - self._shown < self.INTERVAL:
            return
        self._shown = now
        percent = min(99, int(100 * share)) if share is not None else 0
        if self._window is not None:
            if self._window.poll() is not None:
                raise KeyboardInterrupt
            assert self._window.stdin is not None
            with suppress(OSError):
                self._window.stdin.write(f"# {words}\n{percent}\n".encode())
                self._window.stdin.flush()
        else:
            self._send(words, f"--hint=int:value:{percent}", "--expire-time=0")

    def close(self, words: str, *, worked: bool) -> None:
        """What came of it."""
        if self._window is not None:
            self._window.terminate()
            self._window.wait()
        if self._notify:
            self._send(words, f"--urgency={'normal' if worked else 'critical'}")
        elif self._window is not None:
            kind = "--info" if worked else "--warning"
            arguments = [str(self._window.args[0]), kind, f"--title={self._title}", "--no-markup"]  # type: ignore[index]
            subprocess.Popen([*arguments, f"--text={words}"], start_new_session=True)

    def _send(self, words: str, *options: str) -> None:
        """One notification, in the place of the one before."""
        if self._notify is None:
            return
        command = [self._notify, "--app-name=elsewhere", "--icon=elsewhere", "--print-id", *options]
        command += [f"--replace-id={self._number}"] if self._number else []
        with suppress(OSError, subprocess.SubprocessError):
            sent = subprocess.run(
                [*command, "--", self._title, words],
                check=False,
                capture_output=True,
                text=True,
                timeout=5,
            )
            self._number = sent.stdout.strip() or self._number

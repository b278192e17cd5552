"""`elsewhere desktop`: a launcher, and an action in the menus of file managers."""

from __future__ import annotations

import shutil
import subprocess
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from elsewhere.cli.program import CODES, INFEASIBLE
from elsewhere.errors import ElsewhereError, InputError
from elsewhere.values.wording import counted, listed, printable

if TYPE_CHECKING:
    from elsewhere.service import ProtectedAlbum, Step

DesktopAction = StrEnum("DesktopAction", ["INSTALL", "REMOVE", "SHARE"])
_ACTION = typer.Argument(metavar="install|remove|share", help="What to do.")
_ALBUM = typer.Argument(metavar="ALBUM", help="With share: folders, zips and photos.")
_MOVING = {".mov", ".mp4"}
"""The moving half of a live photo."""
_STAGES = {
    "reading": "Reading the photos",
    "scoring": "Looking at each photo",
    "planning": "Choosing what to withhold",
    "writing": "Writing the copy",
    "proving": "Checking the copy",
    "telling": "Writing the private report",
}


def command(
    action: Annotated[DesktopAction, _ACTION],
    album: Annotated[list[Path] | None, _ALBUM] = None,
) -> int:
    """Put elsewhere into the menus of your desktop, or take it out again (Linux).

    `install` writes a launcher and the action "Share without the place" for the file managers
    Nautilus, Nemo, Thunar and Dolphin, for you alone; `remove` deletes both. The action writes a
    clean copy beside what you right-clicked, as `elsewhere protect` does, and tells you with a
    notification. Where no place is known, or it cannot be hidden, it opens the album in the app.

    Examples:

    - `elsewhere desktop install`
      (then right-click a folder; restart the file manager if the action is not there)
    - `elsewhere desktop remove`
      (take everything out again)
    - `elsewhere desktop share ~/Pictures/trip`
      (what the action does)

    Exit codes: 0 done, 1 an error, 2 invalid usage, 3 no plan keeps the promise, 4 stopped early.
    """
    from elsewhere.service import install_desktop, remove_desktop

    if action is DesktopAction.SHARE:
        return _share([path.absolute() for path in album or ()])
    if album:
        raise InputError("only share takes an album")
    if sys.platform in {"win32", "darwin"}:
        raise InputError("this is for Linux desktops: elsewhere app opens the browser here")
    files = install_desktop(_program()) if action is DesktopAction.INSTALL else remove_desktop()
    done = "Written" if action is DesktopAction.INSTALL else "Deleted"
    for file in files:
        typer.echo(f"{done}: {printable(str(file))}")
    if not files:
        typer.echo("Nothing was installed.")
    return 0


def _program() -> list[str]:
    """How this program is started from anywhere."""
    called = Path(sys.argv[0])
    if called.name == "elsewhere":
        return [str(Path(shutil.which(str(called)) or called).absolute())]
    return [sys.executable, "-m", "elsewhere"]


def _share(album: list[Path]) -> int:
    from elsewhere.service import Ledger, Notices, NowhereError, protect_album
    from elsewhere.values.wishes import Wishes

    if not album:
        raise InputError("name a folder or photos to share")
    target = _target(album)
    notices = Notices("Share without the place")

    def progress(step: Step) -> None:
        share = step.done / step.total if step.total else None
        notices.progress(_STAGES[step.stage], share)

    try:
        done = protect_album(
            album,
            target,
            Wishes(top=5),
            ledger=Ledger(),
            command="elsewhere desktop share",
            progress=progress,
        )
    except NowhereError:
        notices.close("No photo says where it was taken: say it in the app.", worked=False)
        _open_app(album)
        return INFEASIBLE
    except ElsewhereError as problem:
        notices.close(f"Nothing was written: {problem}.", worked=False)
        raise
    except BaseException:
        notices.close("Nothing was written: it was stopped.", worked=False)
        raise
    if done.export is None:
        notices.close(
            "Nothing was written: the place cannot be hidden like this. The app shows what can be "
            "done.",
            worked=False,
        )
        _open_app(album)
        return CODES[done.plan.plan.status] or INFEASIBLE
    words = _result(done, target)
    notices.close(words, worked=True)
    typer.echo(printable(words))
    return 0


def _result(done: ProtectedAlbum, target: Path) -> str:
    from elsewhere import messages

    places = listed([place.label for place in done.plan.hidden], 3)
    withheld = f"{len(done.withheld)} withheld" if done.withheld else "none withheld"
    written = counted(len(done.kept), "photo")
    # what nobody takes for a photo of theirs is not missed
    files = [file for file in done.scored.skipped if file.kind not in {"hidden", "sidecar"}]
    videos = sum(file.kind == "video" or file.path.suffix.lower() in _MOVING for file in files)
    missing = messages.left_out(len(files), videos)
    missing = f" {missing}." if missing else ""
    return f"{written} in {target.name}, {withheld}.{missing} Hidden: {places}. The copy is proved."


def _target(album: list[Path]) -> Path:
    """A folder that does not exist yet, beside what is shared."""
    from elsewhere.service import is_archive

    whole = album[0].is_dir() or is_archive(album[0])
    folder = album[0] if whole else album[0].parent
    name = folder.stem if is_archive(folder) else folder.name
    names = (f"{name}-to-share{n}" for n in ("", *(f"-{n}" for n in range(2, 1000))))
    return next(path for name in names if not (path := folder.parent / name).exists())


def _open_app(album: list[Path]) -> None:
    """Show the album in the app, which goes on without this process and has no terminal."""
    subprocess.Popen(
        [*_program(), "app", "--end-when-unused", "60", *map(str, album)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )

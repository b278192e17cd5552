"""Where photos lie that a dataset names by their paths."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from elsewhere.batch.storage import Storage
from elsewhere.errors import ElsewhereError
from elsewhere.service import sidecars_in_folder

_MAX_FOLDERS = 16  # folders outside the dataset that stay open, and folders of known sidecars


class PhotoFiles:
    """Finds photos: below the dataset's folder, elsewhere on the disk, or at an address."""

    def __init__(self, address: str) -> None:
        self.input = storage = Storage(address)
        self._dataset = storage.parent_folder() if storage.is_file() else storage
        self._folder = lru_cache(maxsize=_MAX_FOLDERS)(Storage)  # opening may need a connection
        self._sidecars = lru_cache(maxsize=_MAX_FOLDERS)(sidecars_in_folder)

    def find(self, path: str) -> tuple[Storage, str]:
        """A filesystem, and the photo's name on it."""
        if "://" not in path and not Path(path).is_absolute():
            return self._dataset, path
        if "://" not in path:
            return self._folder(str(Path(path).parent)), Path(path).name
        if path.startswith("http") or "::" in path:  # only the whole address makes sense
            return Storage(path), ""
        address, mark, options = path.partition("?")
        folder, _, name = address.rpartition("/")
        return self._folder(f"{folder}{mark}{options}"), name

    def version(self, path: str) -> str:
        """Size and time of a photo, and name, size and time of the sidecars beside it.

        They change with what is known of the photo; empty where they are not known.
        """
        try:
            storage, name = self.find(path)
            known = f"{storage.size(name)} {storage.modified(name)}"
            if storage.is_local:
                file = Path(storage.path(name))
                for sidecar in self._sidecars(file.parent).get(file.name, ()):
                    about = sidecar.stat()
                    known += f" {sidecar.name} {about.st_size} {about.st_mtime_ns}"
            return known
        except (ElsewhereError, OSError, ValueError):
            return ""

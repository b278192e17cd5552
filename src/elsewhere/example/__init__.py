"""The bundled example album: twelve real photos staged as a weekend in the south of France.

It ships with the package, so that `elsewhere demo`, the tests and the first page of the manual
show the whole job on something that everybody has. The photos are by nine photographers; only
those of the Pont du Gard, the arena of Arles and the Palais des Papes were taken where the album
says. Positions, times, comments, a serial number and the notes beside two photos are planted by
`tools/example_album.py`, which makes the album. Credits and licences: NOTICE.
"""

from __future__ import annotations

from pathlib import Path

ALBUM = Path(__file__).parent / "album"
"""The folder with the photos. They are read, never written."""

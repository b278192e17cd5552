"""What can go wrong, as one small tree.

    ElsewhereError
    ├── InputError      what was asked cannot be understood: scores, truth, a wish (a ValueError)
    │   └── PlaceError  a place name is unknown or could be several; the choices come with it
    ├── FileError       a file cannot be read or is not what it claims to be
    │   └── NoPhotoError  no photo of an album can be used; every file comes with its reason
    ├── ScorerError     a scorer is unknown, not installed, damaged, or says what it must not
    │   └── DeviceError   what a scorer runs on failed: no photo can be scored on it
    └── CheckError      a plan did not survive its own re-proof: nothing is handed out

Every message is one sentence for a person: it names the thing that is wrong and what to do.
Nothing else is raised on purpose; anything else that escapes is a bug.
"""

from collections.abc import Sequence


class ElsewhereError(Exception):
    """The root: catch this to catch everything that elsewhere raises on purpose."""


class InputError(ElsewhereError, ValueError):
    """What was asked cannot be understood: scores, truth or a wish out of bounds.

    With an `argument`, its name stands before the `problem` in the sentence.
    """

    def __init__(self, problem: str, argument: str = "") -> None:
        super().__init__(f"{argument} {problem}" if argument else problem)
        self.problem, self.argument = problem, argument


class PlaceError(InputError):
    """A place name is unknown, or could be several places; `choices` holds those there are."""

    def __init__(self, message: str, choices: Sequence[object] = ()) -> None:
        super().__init__(message)
        self.choices = tuple(choices)


class FileError(ElsewhereError):
    """A file cannot be read, or is not what it claims to be."""


class NoPhotoError(FileError):
    """No photo of an album can be read and scored; `left` holds every file with its reason."""

    def __init__(self, message: str, left: Sequence[object] = ()) -> None:
        super().__init__(message)
        self.left = tuple(left)


class ScorerError(ElsewhereError):
    """A scorer is unknown or not installed, its files are damaged, or its rows are no scores."""


class DeviceError(ScorerError):
    """The GPU that a scorer runs on is not there or failed; every photo would meet this."""


class CheckError(ElsewhereError):
    """A plan did not survive its own re-proof; this is a bug, and no plan is handed out."""

"""What is said between server and page, as types: the OpenAPI description is made from these.

All of it is for one person at one machine, behind the guard. Photos are numbers into the table's
own list; no path of a photo ever goes out, and none is ever taken in for one.
"""

from elsewhere.app.api.models.album import (
    Album,
    Choices,
    Folders,
    Guess,
    Left,
    Link,
    Nothing,
    Photo,
    PhotoDetails,
    Place,
    Scorer,
    Session,
)
from elsewhere.app.api.models.base import Asked, Level, Names, Order, PhotoState, Problem, Told
from elsewhere.app.api.models.jobs import (
    Answer,
    Event,
    Exported,
    Job,
    JobStarted,
    Table,
    Verified,
)
from elsewhere.app.api.models.plan import Audit, Belief, Leak, Plan, Point, Undo, View, Way
from elsewhere.app.api.models.requests import Export, OpenAlbum, Opening, Wishes

__all__ = [
    "Album",
    "Answer",
    "Asked",
    "Audit",
    "Belief",
    "Choices",
    "Event",
    "Export",
    "Exported",
    "Folders",
    "Guess",
    "Job",
    "JobStarted",
    "Leak",
    "Left",
    "Level",
    "Link",
    "Names",
    "Nothing",
    "OpenAlbum",
    "Opening",
    "Order",
    "Photo",
    "PhotoDetails",
    "PhotoState",
    "Place",
    "Plan",
    "Point",
    "Problem",
    "Scorer",
    "Session",
    "Table",
    "Told",
    "Undo",
    "Verified",
    "View",
    "Way",
    "Wishes",
]

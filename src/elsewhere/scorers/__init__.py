"""A photo → log-probabilities over cells: one small file per scorer, one two-method interface.

interface   what a scorer is: load and score
registry    the word a user types → a scorer; third-party ones by entry point
embedded · geoclip · onnx_file · table        the scorers
photos · images     renditions → pixels
sessions    verified, warm, shared ONNX Runtime sessions
pipeline    many photos through one scorer, fast, in order, in flat memory
rows        normalising and checking rows
cache       rows on disk, private and keyed
"""

from elsewhere.scorers.cache import RowCache
from elsewhere.scorers.cached_scorer import CachedScorer, Outcome, each, score
from elsewhere.scorers.protocol import Photo, Row, Scorer, ScorerInfo
from elsewhere.scorers.registry import available, find

__all__ = [
    "CachedScorer",
    "Outcome",
    "Photo",
    "Row",
    "RowCache",
    "Scorer",
    "ScorerInfo",
    "available",
    "each",
    "find",
    "score",
]

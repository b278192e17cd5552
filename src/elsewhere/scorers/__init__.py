"""A photo → log-probabilities over cells: one small file per scorer, one two-method interface.

protocol        what a scorer is: load and score; photos and rows, also of several photos; find
embedded · dino · geoclip · onnx_scorer · table         the scorers
tower · heads   what scorers with weights in the package share: a photo to features, these to a row
gpu · onnx_graph  the embedded tower on a GPU, in a form made of its file
sessions        verified, shared ONNX Runtime sessions
cached_scorer   many photos through one scorer; rows on disk, private and keyed
"""

from elsewhere.scorers.cached_scorer import CachedScorer, RowCache, ScoredPhoto, each, score
from elsewhere.scorers.protocol import (
    FeatureInfo,
    FeatureScorer,
    Photo,
    Row,
    Scorer,
    ScorerInfo,
    available,
    find,
)

About = ScorerInfo
"""The former name of `ScorerInfo`; scorers of other packages may still use it."""

__all__ = [
    "About",
    "CachedScorer",
    "FeatureInfo",
    "FeatureScorer",
    "Photo",
    "Row",
    "RowCache",
    "ScoredPhoto",
    "Scorer",
    "ScorerInfo",
    "available",
    "each",
    "find",
    "score",
]

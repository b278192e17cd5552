"""The whole job from end to end, for the doors: album → scores → audit → plan → export.

Each room before this one knows its own part and none of the others; here they are joined, once,
so that the command line, the app and the batch job do the same and hold no logic of their own.

seen         an album read and scored: what every attacker is taken to see
planning/    what a person wishes, and one plan for the whole album
posted/      what is public already
ledger/      what was shared before, as far as the user has it remembered
one_by_one/  one photo at a time: may it be posted now?
sharing/     the copy, proved again before it has its name; its certificate; verifying it later
showing/     what people are shown: the audit, the private report
"""

from elsewhere.service.scored_album import ModelScores, ScoredAlbum, Step, score_album

__all__ = ["ModelScores", "ScoredAlbum", "Step", "score_album"]

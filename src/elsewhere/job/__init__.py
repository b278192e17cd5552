"""The whole job from end to end, for the doors: album → scores → audit → plan → export.

Each room before this one knows its own part and none of the others; here they are joined, once,
so that the command line, the app and the batch job do the same and hold no logic of their own.

seen        an album read and scored: what every attacker is taken to see
wishes      what a person wants · presets (margins by name) · pins (photos by name, values, bursts)
planning    one plan for an album · hiding (which places) · truths (how widely) · watches (against
            whom) · drawing (the secret k) · verdict · notes · obstacles · guesses (what to say)
posted      what is public already · posted_files (read and known again) · posted_alike
            posted_down (when it breaks the promise)
ledger      what was shared before · ledger_album (given and found) · ledger_file · ledger_store
next        one photo at a time · next_order (which way) · next_album
sharing     the copy: proved again before it has its name · begun (what the killed left)
verifying   a copy held against its certificate · rescoring · certificate · private (where it lies)
"""

from elsewhere.job.seen import Attack, Seen, Step, see

__all__ = ["Attack", "Seen", "Step", "see"]

"""The whole job, once: what the command line, the app and the batch program call.

These names are the public face; nothing outside this package imports its modules. They are loaded
when first used, so that a command waits only for what it needs. `__init__.pyi` lists them.

jobs            the whole job: open an album, protect it, write the report
scored_album    read an album and score it with every model
places          which places are hidden, and how far around them
threats         the attackers that a plan must withstand: model, place and photos they see
planning        one plan for the whole album
secret_top      the number of guesses to withstand, drawn in secret
alternatives    what to ask for instead; planning finds out what each would share
infeasibility   why there is no plan, and which posted photos to take down
notes           what a person should know beside a plan
posted          photos that are public already; posted_photos finds them
ledger          what was shared before, as far as the user has it remembered
next_photo      whether a single photo may be posted now
export          a proved copy with its certificate; verify checks it later
album_audit     what an album gives away; report writes it down
frontier        what each number of withheld photos buys
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

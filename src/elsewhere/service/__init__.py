"""The whole job, once: what the command line, the app and the batch program call.

These names are the public face; nothing outside this package imports its modules. They are loaded
when first used, so that a command waits only for what it needs. `__init__.pyi` lists them.

jobs            the whole job: open an album, protect it, write the report
scored_album    read an album and score it with every model
selection       which places are hidden, how far around them, and which photos the wishes name
threats         the attackers that a plan must withstand: model, place and photos they see
scores          solve and check: score tables to proved plans
secret_top      the k of an album, drawn in secret
album_versions  versions of photos as rows that a plan chooses among
planning        one plan for the whole album
advice          what a person should know beside a plan: notes, reasons, alternatives
posted          photos that are public already
public_versions those that were exported edited
photo_texts     the readable text of photos, and the rule that it makes for plans
text_rows       what texts say, added to the models' scores
text_covers     covers over readable names, read again
ledger          what was shared before, as far as the user has it remembered
next_photo      whether a single photo may be posted now
edits           versions of photos: the search for edits
edited_album    an album with some photos edited
edit_planning   a plan that edits photos instead of withholding them
export          a proved copy with its certificate; verify checks it later
clean           a copy without metadata that promises nothing
album_audit     what an album gives away; report writes it down
frontier        what each number of withheld photos buys
bulk            many albums: photos scored one by one, albums planned from rows alone
processor_rows  plans made from a GPU's rows, proved again on the processor's
files           files of scores and plans
stages          types and small functions of the stages below
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

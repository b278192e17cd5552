"""What stages exchange: immutable values without behaviour of their own.

scores        what one attacker's model says of each photo
promise       what a plan must fulfil
plan          which photos to withhold, and the frontier of such plans; proof: why none is better
versions      a photo as it is or edited, and what an edit loses
wishes        what a person asks for an album; outcome: what came of it
notes         remarks beside a plan or an audit
problems      what a check finds wrong; verification: what `verify` found
wording       amounts and lists of names in sentences
"""

"""From a plan to a proved copy, and back: write, score again, prove, certify, verify.

share_album  the export and its proof · rescoring · begun (leftovers of killed exports)
certificate  what was promised of which files · private (where it lies)
verifying    a copy held against its certificate · saying (the promise in words)
"""

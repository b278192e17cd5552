"""The files that are written and read: scores, plans, certificates, the ledger.

validation        JSON to dataclasses and back, from their type annotations; the one validator
plan_file         a plan with its promise
proof_file        why no plan is better
plan_certificate  a plan that was proved, with a digest
copy_certificate  the same with the files of a copy
edits_file        edits that a user drew
ledger            what was shared before, with a keyed digest
score_files/      tables of scores: npz, csv, parquet
"""

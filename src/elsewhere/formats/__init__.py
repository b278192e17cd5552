"""The files that are written and read: scores, plans, certificates, the ledger.

validation        JSON to dataclasses and back, from their type annotations; the one validator
plan_file         a plan with its promise
certificate       a plan that was proved, sealed
copy_certificate  the same joined to the files of a copy
ledger            what was shared before, sealed with a key
score_files/      tables of scores: npz, csv, parquet
"""

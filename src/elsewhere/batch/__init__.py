"""Many albums: Parquet in, Parquet out, on this machine or on a Ray cluster.

Both engines run the same functions on the same blocks of albums, so that they write the same rows.

settings   what a run was asked for, as every worker gets it
schemas    what goes in and what comes out, column by column
storage    files here or anywhere that pyarrow or fsspec reaches; written whole or not at all
stores     from an address to a filesystem, and what that one complains about
source     the dataset that goes in, read a range of rows at a time · columns (which, of what type)
damage     rows that cannot be read · texts (what is no UTF-8) · matrix (what are no scores)
grouping   blocks of whole albums, and giants in slices · regrouping (albums that lie scattered)
looking    photos → partial rows: decode, score · asked (an album's rows → what is wished)
solving    one album → one row · inferring (what an attacker infers) · cells (scores without a map)
work       one block, from its rows to its files · partial (rows under way) · tries (who died)
local      the engine here: processes · on_ray: the engine on a cluster · on_node (what a node does)
suspects   albums that killed a whole run, and how they are found out
running    the whole run: begin, go on where a run was killed, finish · state (what was begun)
lock       one run at a time in one output
summary    what came of it, counted · page (the same with plots)
"""

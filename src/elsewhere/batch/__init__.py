"""Many albums: Parquet in, Parquet out, on this machine or on a Ray cluster.

Both engines run the same functions on the same blocks of albums, so they write the same rows.

settings      what a run was asked for, as every worker gets it
columns       the columns that go in and come out
storage       files here or anywhere that pyarrow or fsspec reaches
source        the dataset, read a range of rows at a time
input_rows    rows of the dataset → an album's photos, scores and wishes; rows between the stages
grouping      blocks of whole albums; albums whose rows are scattered are brought together
scoring       photos → scores
output_rows   one album → one row
blocks        one block, from its rows to its files
local_engine  worker processes on this machine; ray_engine runs the same on a cluster
crash_blame   which albums killed a worker or a whole run
runner        the whole run; state holds what was begun, and the lock
summary       what came of a run, counted and as a page
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

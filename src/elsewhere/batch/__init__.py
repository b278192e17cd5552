"""Many albums: Parquet in, Parquet out, on this machine or on a Ray cluster.

Both engines run the same functions on the same blocks of albums, so they write the same rows.

settings      the settings of a run, as every worker gets them
columns       the columns of the input and of the output
storage       files here or anywhere that pyarrow or fsspec reaches
source        the dataset, read a range of rows at a time
schemas       one schema for all files of a dataset
input_rows    rows of the dataset → an album's photos, scores and wishes
grouping      blocks of whole albums; scattered albums are brought together first
scoring       photos → scores
output_rows   one album → one row
processor_proof  a plan from a GPU's scores, proved again on the processor's
blocks        one block, from its rows to its files
merging       blocks → files of the output
local_engine  worker processes on this machine; ray_engine does the same on a cluster
photo_files   where the photos lie that a dataset names
unchanged     albums that an earlier run has planned as they are
crash_blame   which albums killed a worker or a whole run
state         what was begun, and the lock
runner        the whole run
limits        limits on the results, after which a run has failed
summary       the results of a run, counted and as a page
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""The lab: the calibrated simulator, collections, and the experiments of the paper."""

"""The lab: simulators, collections, the paper's experiments, and studies beyond it."""

"""What the solver is measured against: greedy, the top-1 algorithm, and the paper's MILP."""

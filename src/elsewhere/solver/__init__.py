"""What to withhold: the problem, its reductions, the exact solver, baselines, plan and check."""

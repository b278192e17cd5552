"""From a promise to a plan that is proved optimal.

requests       arguments → Request: a promise and its scores
problem        the canonical problem that every promise is reduced to, and exact decisions on it
reductions     a promise → the canonical problem, and its solution back
exact/         the exact solver of the canonical problem
plans          a request → a plan, or a plan for every budget
infeasibility  why there is no plan
greedy         the paper's baseline
"""

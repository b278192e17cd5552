"""From a promise to a plan that is proved optimal.

requests         arguments → Request: a promise and its scores
problem          the canonical problem that every promise is reduced to, and exact decisions on it
reductions       a promise → the canonical problem, and its solution back
exact/           the exact solver of the canonical problem
plans            a request → a plan, or a plan for every budget
proof_writer     why no plan is better, for others to check (proof_tree, _versions, _places)
places           a plan after which none of the attacker's first circles comes near a photo
circle_attacker  what circles hold, and rows for it
infeasibility    why there is no plan
greedy           the paper's baseline
"""

"""The check: proves a plan again, exactly, with code that shares nothing with the solver.

proof       a plan keeps its promise; facts: what is true of an album whatever a plan says
optimality  no plan is better, where a proof of it is given
place_rows  what every plan for hidden places must fulfil, for such a proof
places      none of an attacker's first circles comes near what is hidden
circles     which circles are hidden, and how many places lie apart
attacks     attacks that no promise is about
arithmetic  exact sums
"""

from elsewhere.checker.proof import Verdict, prove

__all__ = ["Verdict", "prove"]

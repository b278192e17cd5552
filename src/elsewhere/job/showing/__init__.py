"""What people are shown: the audit, the private report, and the words and pictures in them.

auditing   what an album gives away · leaking (by its metadata)
reporting  the private page · scenes · stairs (the frontier) · why (one photo in words) · previews
limits     what no promise covers · greedy (the plan beside ours)
"""

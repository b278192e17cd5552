"""What people are shown: the audit, the private report, and the words and pictures in them.

auditing   what an album gives away · leaking (by its metadata)
reporting  the private page · scenes · why (one photo in words) · previews
stairs     what each number of withheld photos buys, and greedy beside it
limits     what no promise covers
"""

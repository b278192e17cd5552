"""One photo at a time: may it be posted now?

answers  keep, wait or withhold, over scores
order    an order in which every step keeps the promise
album    the same for an album on disk
"""

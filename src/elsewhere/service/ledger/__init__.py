"""What was shared before, kept privately for as long as the user wants it.

entries  what is remembered · album (of an album, by place)
file     the sealed file · store (locking, replacing, forgetting)
"""

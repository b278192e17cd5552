"""The operating system, each task done in one way.

files    files that are written completely or not at all
locks    one process at a time
machine  the user's folders, the cores
"""

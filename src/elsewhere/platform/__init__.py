"""The operating system, each task done in one way.

cage     what a process that decodes untrusted files can still do
files    files that are written completely or not at all, and locks between processes
machine  the user's folders, the cores, the surroundings of worker processes
threads  threads whose start always ends, and pools of them
"""

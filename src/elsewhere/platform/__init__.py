"""What every room needs of the machine that it runs on, each thing done in one way.

writing  a file that is there whole or not at all
locks    one process at a time
system   the user's folders, and the cores that are ours
"""

"""The local app: a page on the user's own machine, behind a door that lets nobody else in.

keys      the token that opens a session, its secret, signed links
guard     what every request must pass
"""

"""The local app: a page on the user's own machine, behind a door that lets nobody else in.

serving     the program: socket, browser, end · redirect (how the browser gets the token)
guard       what every request must pass · keys (token, secret, signed links)
server      the application: errors as sentences · routes · page_files (the built page)
contract    what is said between server and page, as types
table       the album that lies open · desk (wishes and plans, undo) · jobs (long work, told)
looks       what attackers believe, quickly · telling and details (as the page is told)
exporting   the copy and its proof · stairs (the frontier) · uploads · thumbs · folders · choices
"""

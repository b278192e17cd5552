"""The local app: a page on the user's own machine that nobody else can open.

security/   guard (what every request must pass), connections, keys, login_page
api/        server (application and program), routes, models (the JSON)
sessions/   workspace (the open album), planning (wishes, plans, undo), jobs and album_jobs (long
            work), presenter (values to models), photo_index (pictures), uploads (folders and files)
page/       the built page; its source is web/
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

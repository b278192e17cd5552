"""Print the OpenAPI description of the app, which the page's types are made from (`make web`)."""

import json

from elsewhere.app.api.server import application
from elsewhere.app.security.keys import Keys
from elsewhere.app.sessions.workspace import Workspace

print(json.dumps(application(Workspace(Keys(), use_ledger=False)).openapi(), indent=1))

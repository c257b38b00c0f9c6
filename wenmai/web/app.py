"""The entry file of `http.app`: the server puts this middleware and these routes in front of its own routes.

`langgraph.json` sets `middleware_order: auth_first`, so that the checks run behind authentication and a refusal carries
the CORS headers that Studio needs. Nothing is read or opened when this file is loaded.
"""

from starlette.applications import Starlette
from starlette.middleware import Middleware

from wenmai.web.documents import ROUTES
from wenmai.web.guard import InputGuard

app = Starlette(routes=ROUTES, middleware=[Middleware(InputGuard)])

"""The middleware that finds out who sends a request, as LangGraph's server does with `wenmai.web.langgraph.auth`."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from langgraph_sdk import Auth
from starlette.authentication import BaseUser
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from wenmai.access.keyring import KeyRing
from wenmai.web.doors import identified

CHALLENGE = {"www-authenticate": "Bearer"}


@dataclass(frozen=True, slots=True)
class KeyUser(BaseUser):
    """The user of a request; `known` is what stands for him."""

    known: Mapping[str, Any]

    @property
    def is_authenticated(self) -> bool:
        """Whether he has a key."""
        return bool(self.known["is_authenticated"])

    @property
    def display_name(self) -> str:
        """His name."""
        return self.identity

    @property
    def identity(self) -> str:
        """His name, '' for one without a key."""
        return str(self.known["identity"])

    def dict(self) -> Mapping[str, Any]:
        """Return all that is known."""
        return self.known


@dataclass(frozen=True, slots=True)
class Authentication:
    """ASGI middleware that lets in who has a key, without any keys who is on this machine."""

    app: ASGIApp
    keys: Callable[[], KeyRing]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 401, or hand on with the user."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        try:
            known = await identified(scope, await asyncio.to_thread(self.keys))
        except Auth.exceptions.HTTPException as error:
            await JSONResponse({"detail": error.detail}, error.status_code, CHALLENGE)(scope, receive, send)
            return
        await self.app({**scope, "user": KeyUser(known)}, receive, send)

"""The middleware that gives refusals one form, also those of guards and of a server around it.

Below `/api/` errors are problem details; other protocols hand in their own form.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wenmai.web.problems import MEDIA_TYPE, problem_from

ERROR = 400
KEPT = (b"content-type", b"content-length")


@dataclass(frozen=True, slots=True)
class Form:
    """A form of errors: its media type, and what makes a refusal's body one; None leaves it as it is."""

    media_type: str
    made: Callable[[int, bytes], bytes | None]


@dataclass(frozen=True, slots=True)
class ProblemForm:
    """ASGI middleware in front of everything: errors below `/api/`, and below prefixes of `others`, get a form."""

    app: ASGIApp
    others: Mapping[str, Form]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand everything on; hold an error back until its body is known."""
        form = self.form_of(scope["path"]) if scope["type"] == "http" else None
        if form is None:
            await self.app(scope, receive, send)
            return
        start: Message | None = None
        body = bytearray()

        async def formed(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and is_foreign_error(message):
                start = message
            elif start is None:
                await send(message)
            elif message["type"] == "http.response.body":
                body.extend(message.get("body", b""))
                if not message.get("more_body"):
                    for one in rewritten(start, bytes(body), form):
                        await send(one)

        await self.app(scope, receive, formed)

    def form_of(self, path: str) -> Form | None:
        """Return the form of errors below a path."""
        forms = {"/api/": PROBLEM, **self.others}
        return next((form for prefix, form in forms.items() if path.startswith(prefix)), None)


def is_foreign_error(start: Message) -> bool:
    """Return True if a response is an error in another form."""
    headers = dict(start.get("headers", ()))
    return start["status"] >= ERROR and not headers.get(b"content-type", b"").startswith(MEDIA_TYPE.encode())


def rewritten(start: Message, body: bytes, form: Form) -> tuple[Message, Message]:
    """Return the messages of the same error in a form; an object of another form stays as it is."""
    data = form.made(start["status"], body)
    if data is None:
        return start, {"type": "http.response.body", "body": body}
    others = [(name, value) for name, value in start.get("headers", ()) if name.lower() not in KEPT]
    own = [(b"content-type", form.media_type.encode()), (b"content-length", str(len(data)).encode())]
    return {**start, "headers": [*others, *own]}, {"type": "http.response.body", "body": data}


def problem_body(status: int, body: bytes) -> bytes | None:
    """Return a refusal as problem details."""
    found = problem_from(status, body)
    return found.model_dump_json().encode() if found else None


PROBLEM = Form(MEDIA_TYPE, problem_body)

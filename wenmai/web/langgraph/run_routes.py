"""Which requests of the LangGraph server start a run or store what a run is started with."""

import re
from dataclasses import dataclass
from typing import Literal

from wenmai.application.caller import Caller

Kind = Literal["run", "batch", "cron", "cron_change", "assistant", "assistant_change", "command"]

THREAD = r"(?:/threads/(?P<thread>[^/]+))?"
TABLE: tuple[tuple[str, str, Kind], ...] = (
    ("POST", THREAD + r"/runs(?:/stream|/wait)?", "run"),
    ("POST", r"/runs/batch", "batch"),
    ("POST", THREAD + r"/runs/crons", "cron"),
    ("PATCH", r"/runs/crons/(?P<cron>[^/]+)", "cron_change"),
    ("POST", r"/assistants", "assistant"),
    ("PATCH", r"/assistants/(?P<assistant>[^/]+)", "assistant_change"),
    ("POST", r"/threads/(?P<thread>[^/]+)/commands", "command"),
)
ROUTES: tuple[tuple[str, re.Pattern[str], Kind], ...] = tuple(
    (method, re.compile(pattern), kind) for method, pattern, kind in TABLE
)
# Routes of the runtime of `langgraph dev` that ask nobody who he is: threads without their owners, deletion of
# everything, a deployment of this folder.
CLOSED = re.compile(r"/(?:internal|deploy)(?:/.*)?")
# Uploads count their own bytes, of which there may be more.
UPLOAD = re.compile(r"/documents|/api/v1/(?:documents|libraries/[^/]+/sources|networks/[^/]+(?:/preview)?|previews)")
BODILESS = frozenset({"GET", "HEAD", "OPTIONS"})
SOCKET = re.compile(r"/threads/(?P<thread>[^/]+)/stream/events")


@dataclass(frozen=True, slots=True)
class Route:
    """A request that is checked, with the ids in its path and who sends it."""

    kind: Kind
    thread: str | None = None
    assistant: str | None = None
    cron: str | None = None
    caller: Caller | None = None


def route_of(method: str, path: str) -> Route | None:
    """Return what a request does, None where it needs no check. A2A comes back as a run of its own."""
    for wanted, pattern, kind in ROUTES:
        found = pattern.fullmatch(path.rstrip("/")) if method == wanted else None
        if found:
            ids = found.groupdict()
            return Route(kind, ids.get("thread"), ids.get("assistant"), ids.get("cron"))
    return None


def is_closed(path: str) -> bool:
    """Return True if a path is answered to nobody."""
    return CLOSED.fullmatch(path) is not None


def has_counted_body(method: str, path: str) -> bool:
    """Return True if the bytes of a request are counted while they are read."""
    return method not in BODILESS and not (method == "POST" and UPLOAD.fullmatch(path.rstrip("/")))


def is_json(content_type: str) -> bool:
    """Return True for JSON; what a page may send anywhere without asking (`text/plain`, a form) is never JSON."""
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def socket_thread(path: str) -> str | None:
    """Return the thread of a WebSocket that takes commands."""
    found = SOCKET.fullmatch(path.rstrip("/"))
    return found["thread"] if found else None

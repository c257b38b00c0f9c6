"""Errors of the networks' tools, `{error, status_code, detail}`, and which failures of a request are an answer."""

from typing import Any

from tools.errors import KnowledgeFailed, KnowledgeQueryError, KnowledgeRefused, KnowledgeTimeout, StoreError
from tools.messages import Message, say

CALL_S = 5.0  # seconds for one request
FAILURES = (KnowledgeTimeout, KnowledgeFailed, KnowledgeQueryError)  # of one request: the others go on
FAILURES_AND_REFUSALS = (*FAILURES, KnowledgeRefused)


def cause_of(failure: BaseException) -> str:
    """Return a failure in one word for people: the service's own words may hold its addresses."""
    return "timeout" if isinstance(failure, KnowledgeTimeout) else "error"


BAD_REQUEST = 400
BAD_GATEWAY = 502  # a time-out or a 5xx of the service

# A service's own words may hold its addresses: they are logged, never answered.
REFUSALS = {
    401: Message("network.tool.login_needed"),
    403: Message("network.tool.no_permission"),
    404: Message("network.tool.unknown_network"),
}


class RefusedCall(Exception):
    """A call that is answered with an error; `answer` is its shape."""

    def __init__(self, error: Message, detail: dict[str, Any] | None = None) -> None:
        super().__init__(str(error))
        self.answer = {"error": str(error), "status_code": BAD_REQUEST, "detail": detail or {}}


def of_service(error: StoreError, network_id: str) -> dict[str, Any]:
    """Return the answer to a failure of the service: 401, 403 and 404 are passed on, anything else is 502."""
    if isinstance(error, KnowledgeRefused):
        detail = {"network_id": network_id, "error_code": error.code}
        return {"error": say(REFUSALS[error.status].key, id=network_id), "status_code": error.status, "detail": detail}
    detail = {"network_id": network_id, "cause": type(error).__name__}
    return {"error": say("network.tool.service_unavailable"), "status_code": BAD_GATEWAY, "detail": detail}

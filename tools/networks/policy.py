"""What the parts of the networks' tool share: how long a request may take, and which failures are an answer."""

from tools.errors import KnowledgeFailed, KnowledgeQueryError, KnowledgeRefused, KnowledgeTimeout

CALL_S = 5.0  # seconds for one request
FAILURES = (KnowledgeTimeout, KnowledgeFailed, KnowledgeQueryError)  # of one request: the others go on
FAILURES_AND_REFUSALS = (*FAILURES, KnowledgeRefused)


def cause_of(failure: BaseException) -> str:
    """Return a failure in one word for people: the service's own words may hold its addresses."""
    return "timeout" if isinstance(failure, KnowledgeTimeout) else "error"

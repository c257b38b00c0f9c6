"""The service's own error bodies."""

from typing import Any

from tests.gemini.parts import Json

TYPES = "type.googleapis.com/google.rpc."
SERVICE = "generativelanguage.googleapis.com"
LIMITS_PAGE = "https://ai.google.dev/gemini-api/docs/rate-limits"
STATUS = {
    400: "INVALID_ARGUMENT",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
MESSAGES = {
    500: "An internal error has occurred. Please retry or report in "
    "https://developers.generativeai.google/guide/troubleshooting",
    503: "The model is overloaded. Please try again later.",
    504: "Deadline expired before operation could complete.",
}


class Refusal(Exception):
    """The service says no."""

    def __init__(self, code: int, message: str, status: str = "", details: list[Json] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.body = error(code, message, status, details)


def error(code: int, message: str = "", status: str = "", details: list[Json] | None = None) -> Json:
    """Return an error body."""
    said = message or MESSAGES.get(code, "Request contains an invalid argument.")
    made: Json = {"code": code, "message": said, "status": status or STATUS.get(code, "UNKNOWN")}
    return {"error": {**made, "details": details} if details else made}


def invalid(message: str) -> Refusal:
    """Return an INVALID_ARGUMENT."""
    return Refusal(400, message)


def violations(found: list[tuple[str, str]]) -> Refusal:
    """Return the refusal of a payload that is not a message of the API: pairs of field and description."""
    listed = [{"field": field, "description": said} if field else {"description": said} for field, said in found]
    details: list[Json] = [{"@type": f"{TYPES}BadRequest", "fieldViolations": listed}]
    return Refusal(400, "\n".join(said for _, said in found), details=details)


def bad_key() -> Refusal:
    """Return the refusal of a key that nobody has."""
    message = "API key not valid. Please pass a valid API key."
    info = {"reason": "API_KEY_INVALID", "domain": "googleapis.com", "metadata": {"service": SERVICE}}
    local = {"locale": "en-US", "message": message}
    return Refusal(
        400, message, details=[{"@type": f"{TYPES}ErrorInfo", **info}, {"@type": f"{TYPES}LocalizedMessage", **local}]
    )


def no_key() -> Refusal:
    """Return the refusal of a caller without a key."""
    return Refusal(
        403,
        "Method doesn't allow unregistered callers (callers without established identity). "
        "Please use API Key or other form of API consumer identity to call this API.",
    )


def region() -> Refusal:
    """Return the refusal of a place that is not served."""
    return Refusal(400, "User location is not supported for the API use.", "FAILED_PRECONDITION")


def unknown_model(model: str, method: str) -> Refusal:
    """Return the refusal of a model id that the service does not know."""
    return Refusal(
        404,
        f"models/{model} is not found for API version v1beta, or is not supported for {method}. "
        "Call ListModels to see the list of available models and their supported methods.",
    )


def quota(retry_s: float | None, model: str, per: str = "Minute") -> Refusal:
    """Return a spent quota; RetryInfo is left out when `retry_s` is None."""
    metric = f"{SERVICE}/generate_content_free_tier_requests"
    message = (
        "You exceeded your current quota, please check your plan and billing details. For more information on this "
        f"error, head to: {LIMITS_PAGE}. \n* Quota exceeded for metric: {metric}, limit: 10, model: {model}"
    )
    violation = {
        "quotaMetric": metric,
        "quotaId": f"GenerateRequestsPer{per}PerProjectPerModel-FreeTier",
        "quotaDimensions": {"location": "global", "model": model},
        "quotaValue": "10",
    }
    links = [{"description": "Learn more about Gemini API quotas", "url": LIMITS_PAGE}]
    details: list[dict[str, Any]] = [
        {"@type": f"{TYPES}Help", "links": links},
        {"@type": f"{TYPES}QuotaFailure", "violations": [violation]},
    ]
    if retry_s is not None:
        message += f"\nPlease retry in {retry_s}s."
        details.append({"@type": f"{TYPES}RetryInfo", "retryDelay": f"{retry_s:g}s"})
    return Refusal(429, message, details=details)

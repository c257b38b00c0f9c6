"""Error bodies of the protocol, and those of scripts translated into them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tests.gemini.parts import Json
from tests.gemini.refusals import Refusal
from tests.gemini.replies import Reply

TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_exceeded"}
NOT_HERE = "Country, region, or territory not supported"


def error(code: int, message: str, named: str | None = None, param: str | None = None) -> Json:
    """Return an error body."""
    kind = TYPES.get(code, "server_error" if code >= 500 else "invalid_request_error")
    return {"error": {"message": message, "type": kind, "param": param, "code": named}}


def refusal(message: str, code: int = 400, named: str | None = None, param: str | None = None) -> Refusal:
    """Return what the service refuses."""
    made = Refusal(code, message)
    made.body = error(code, message, named, param)
    return made


def no_key() -> Refusal:
    """Return the refusal of a caller without a key."""
    return refusal("You didn't provide an API key. You need to provide your API key in an Authorization header.", 401)


def bad_key() -> Refusal:
    """Return the refusal of a key that nobody has."""
    return refusal("Incorrect API key provided.", 401, "invalid_api_key")


def unknown_model(model: str) -> Refusal:
    """Return the refusal of a model id that the service does not know."""
    said = f"The model `{model}` does not exist or you do not have access to it."
    return refusal(said, 404, "model_not_found", "model")


def translated(reply: Reply) -> tuple[Reply, dict[str, str]]:
    """Return a scripted error as this protocol has it, and its headers."""
    given: Mapping[str, Any] = reply.body.get("error") or {}
    said, details = str(given.get("message", "")), given.get("details") or []
    if given.get("status") == "FAILED_PRECONDITION":
        return replace(reply, body=error(403, NOT_HERE, "unsupported_country_region_territory"), status=403), {}
    if any(one.get("reason") == "API_KEY_INVALID" for one in details):
        return replace(reply, body=bad_key().body, status=401), {}
    waits = [one["retryDelay"].removesuffix("s") for one in details if "retryDelay" in one]
    named = "insufficient_quota" if reply.status == 429 and not waits else None
    return replace(reply, body=error(reply.status, said, named)), {"retry-after": waits[0]} if waits else {}

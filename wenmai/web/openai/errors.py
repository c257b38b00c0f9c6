"""Errors as OpenAI's protocol has them: `{"error": {"message", "type", "param", "code"}}`."""

import json
from http import HTTPStatus
from typing import Any

from starlette.responses import JSONResponse, Response

from tools.wording import Text
from wenmai.errors import LibraryNotFound
from wenmai.inputs import FieldError
from wenmai.web.problems import problem_from, problem_of

KINDS = {
    HTTPStatus.UNAUTHORIZED: ("authentication_error", "invalid_api_key"),
    HTTPStatus.FORBIDDEN: ("permission_error", "forbidden"),
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: ("invalid_request_error", "request_too_large"),
    HTTPStatus.TOO_MANY_REQUESTS: ("rate_limit_error", "rate_limit_exceeded"),
}
SERVER_ERROR, WRONG = "server_error", "invalid_request_error"
NO_MODEL = "model_not_found"
CONTEXT = "context."


class Refusal(FieldError):
    """A request that is understood and not carried out; `code` is what programs read."""

    def __init__(self, param: str, message: Text, code: str = "unsupported_value") -> None:
        super().__init__(param, message, HTTPStatus.BAD_REQUEST)
        self.code = code


def error_object(status: int, message: str, param: str | None = None, code: str | None = None) -> dict[str, Any]:
    """Return the object of an error."""
    kind, usual = KINDS.get(
        HTTPStatus(status), (WRONG if status < HTTPStatus.INTERNAL_SERVER_ERROR else SERVER_ERROR, None)
    )
    return {"error": {"message": message, "type": kind, "param": param, "code": code or usual}}


def error_of(error: Exception) -> tuple[int, dict[str, Any]]:
    """Return status and object for an error; of one that is none of ours only that it happened."""
    found = problem_of(error)
    status = HTTPStatus.BAD_REQUEST if found.status == HTTPStatus.UNPROCESSABLE_ENTITY else found.status
    param, code = None, None
    if isinstance(error, FieldError):
        param, code = error.field.removeprefix(CONTEXT), getattr(error, "code", None)
    if isinstance(error, LibraryNotFound) or param == "library":
        return HTTPStatus.NOT_FOUND, error_object(HTTPStatus.NOT_FOUND, found.detail, "model", NO_MODEL)
    return status, error_object(status, found.detail, param, code)


def refused(error: Exception) -> Response:
    """Return the response for an error."""
    status, told = error_of(error)
    return JSONResponse(told, status)


def error_from(status: int, body: bytes) -> bytes | None:
    """Return what a guard in front refuses in this form; None for what has it already."""
    found = problem_from(status, body)
    if found is None:
        return None
    field = found.errors[0].field if found.errors else None
    return json.dumps(error_object(status, found.detail, field), ensure_ascii=False).encode()

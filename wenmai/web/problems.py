"""Errors as problem details (RFC 9457): one form for every refusal of the API."""

import json
from collections.abc import Collection, Mapping
from http import HTTPStatus
from typing import Any

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.responses import Response

from tools.errors import InputError, StoreError, WenmaiError
from tools.messages import say
from tools.reasons import MOST, joined, reason_of
from wenmai.inputs import FieldError, NotFound, code_of

BODY = "body"  # where no field of it is wrong, but the whole
MEDIA_TYPE = "application/problem+json"


class Fault(BaseModel):
    """One wrong field."""

    field: str
    message: str


class Problem(BaseModel):
    """Problem details: what is wrong, and what to do."""

    type: str = Field(description="A URI for the kind of problem", examples=["urn:wenmai:problem:not-found"])
    title: str = Field(description="The kind in English, the same for all of one type")
    status: int = Field(description="The HTTP status")
    code: str = Field(description="The kind of error, for programs", examples=["LibraryNotFound"])
    detail: str = Field(description="What happened here and what to do, one line in the caller's language")
    errors: list[Fault] = Field(default_factory=list, description="The wrong fields, if any are")


def problem(status: int, detail: str, errors: list[Fault] | None = None, code: str = "") -> Problem:
    title = HTTPStatus(status).phrase if status in set(HTTPStatus) else "Error"
    kind = f"urn:wenmai:problem:{title.lower().replace(' ', '-')}"
    code = code or (InputError.__name__ if status < HTTPStatus.INTERNAL_SERVER_ERROR else StoreError.__name__)
    return Problem(type=kind, title=title, status=status, code=code, detail=detail, errors=errors or [])


def problem_of(error: Exception, query: Collection[str] = ()) -> Problem:
    """Return what is told of an error; of one that is none of ours only that it happened.

    A wrong field that came in the query, whose names are given, is called `query.NAME`; what is not there has its own.
    """
    if isinstance(error, FieldError):
        is_wrong = error.field in query and not isinstance(error, NotFound)
        name = f"query.{error.field}" if is_wrong else error.field
        return problem(error.status, error.reason, [Fault(field=name, message=error.reason)], code_of(error))
    if isinstance(error, RequestValidationError):
        return unreadable(error)
    if not isinstance(error, WenmaiError):
        return problem(500, say("server.internal_error"))
    return problem(error.http_status, str(error), code=code_of(error))


def unreadable(error: RequestValidationError) -> Problem:
    """Return a problem for what FastAPI refused: fields of the body bear their own names, those of a query its."""
    faults, found = list[Fault](), error.errors()
    for one in found[:MOST]:
        part, *rest = one["loc"]
        if one["type"] == "json_invalid":
            return problem(422, f"{BODY}: {say('field.not_json')}", [Fault(field=BODY, message=say("field.not_json"))])
        place = rest if part == BODY else [part, *rest]
        faults.append(Fault(field=".".join(map(str, place)) or BODY, message=reason_of(one)))
    return problem(422, joined([f"{one.field}: {one.message}" for one in faults], len(found) - MOST), faults)


def problem_from(status: int, body: bytes) -> Problem | None:
    """Return what a guard tells: `{"detail": text}`, `{"detail": [{field, message}]}` or a text; None for the rest."""
    try:
        given: Any = json.loads(body)
    except ValueError:
        given = {"detail": body.decode(errors="replace")}
    if not isinstance(given, Mapping) or set(given) != {"detail"}:
        return None
    detail = given["detail"]
    if isinstance(detail, list):
        faults = [Fault(field=str(one.get("field")), message=str(one.get("message"))) for one in detail]
        return problem(status, joined([one.message for one in faults]), faults)
    return problem(status, str(detail))


def retry_headers(error: Exception) -> dict[str, str]:
    """Return the header that says when the same may be asked again, {} where that is not known."""
    wait_s = error.wait_s if isinstance(error, FieldError) else 0
    return {"retry-after": str(wait_s)} if wait_s else {}


def response_of(found: Problem, headers: Mapping[str, str] | None = None) -> Response:
    return Response(found.model_dump_json(), found.status, headers, media_type=MEDIA_TYPE)

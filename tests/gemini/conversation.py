"""Rules of a conversation: roles, order of turns, one response for each call."""

from collections import Counter
from itertools import pairwise

from tests.gemini.models import Model
from tests.gemini.parts import Json, calls, responses
from tests.gemini.refusals import invalid

ROLES = frozenset({"user", "model"})
CALL_ORDER = (
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
)
RESPONSE_ORDER = "Please ensure that function response turn comes immediately after a function call turn."
RESPONSE_COUNT = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)
MIXED = (
    "Please ensure that function call turn contains at least one function_call part which can not be mixed with "
    "function_response parts."
)
SINGLE = "Please ensure that single turn requests end with a user role or the role field is empty."
MODEL_LAST = "Requests ending with a model turn are not supported."
DATA = frozenset({"text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode"})
RESULTS = frozenset({"codeExecutionResult", "toolCall", "toolResponse"})


def check_conversation(contents: list[Json], model: Model) -> None:
    """Raise Refusal for a conversation that the service does not take."""
    check_parts(contents)
    check_roles(contents)
    padded = [{}, *contents, {}]
    for before, now in pairwise(padded[:-1]):
        check_order(before, now)
    for now, after in pairwise(padded[1:]):
        check_answers(now, after)
    check_last(contents, model)


def check_parts(contents: list[Json], where: str = "GenerateContentRequest.contents") -> None:
    """Refuse empty contents, empty parts and nameless calls, all at once."""
    if not contents:
        raise invalid(f"* {where}: contents is not specified\n")
    found: list[str] = []
    for number, content in enumerate(contents):
        if not content.get("parts"):
            found.append(f"* {where}[{number}].parts: contents.parts must not be empty.\n")
        for place, part in enumerate(content.get("parts") or []):
            found.extend(part_problems(part, f"{where}[{number}].parts[{place}]"))
    if found:
        raise invalid("".join(found))


def part_problems(part: Json, where: str) -> list[str]:
    """Say what is wrong with one part."""
    if not (DATA | RESULTS) & part.keys():
        return [f"* {where}.data: required oneof field 'data' must have one initialized field\n"]
    named = {"functionCall": "function_call", "functionResponse": "function_response"}
    return [
        f"* {where}.{field}.name: Name cannot be empty.\n"
        for key, field in named.items()
        if key in part and not part[key].get("name")
    ]


def check_roles(contents: list[Json]) -> None:
    """Refuse roles that do not exist; a missing one is the user's."""
    if any(content.get("role", "user") not in ROLES for content in contents):
        raise invalid("Please use a valid role: user, model.")
    if any(calls(content) and responses(content) for content in contents):
        raise invalid(MIXED)


def check_order(before: Json, now: Json) -> None:
    """Refuse calls that do not follow the user, and responses that do not follow calls."""
    after_user = bool(before) and before.get("role", "user") == "user"
    if calls(now) and (now.get("role") != "model" or not after_user):
        raise invalid(CALL_ORDER)
    if responses(now) and (now.get("role", "user") != "user" or not calls(before)):
        raise invalid(RESPONSE_ORDER)


def check_answers(now: Json, after: Json) -> None:
    """Refuse unanswered calls, surplus responses, and responses of other functions."""
    asked, answered = calls(now), responses(after)
    if not asked:
        return
    if len(asked) != len(answered):
        raise invalid(RESPONSE_COUNT)
    if Counter(one.get("id") for one in asked) != Counter(one.get("id") for one in answered):
        raise invalid("functionResponse.id does not match functionCall.id")
    if Counter(one["name"] for one in asked) != Counter(one["name"] for one in answered):
        raise invalid("Please ensure that function response names match the function call names of the call turn.")


def check_last(contents: list[Json], model: Model) -> None:
    """Refuse requests in which the model has the last word."""
    if contents[-1].get("role") != "model":
        return
    if len(contents) == 1:
        raise invalid(SINGLE)
    if model.user_last:
        raise invalid(MODEL_LAST)

"""All rules for a request to generate, in the order in which the service looks at them."""

from tests.gemini.conversation import check_conversation
from tests.gemini.models import Model
from tests.gemini.parts import Json
from tests.gemini.signatures import Signatures


def check_generate(body: Json, model: Model, signatures: Signatures) -> None:
    """Raise Refusal when the service would refuse the request."""
    contents = body.get("contents") or []
    check_conversation(contents, model)
    if model.signs:
        signatures.check(contents)

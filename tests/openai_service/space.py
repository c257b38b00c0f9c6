"""One test's share of the service."""

import time
from dataclasses import dataclass, field
from typing import ClassVar

from tests.gemini.exchange import public_headers
from tests.gemini.parts import Json
from tests.gemini.space import Space, Words
from tests.openai_service.dialect import STRICT, Dialect
from tests.openai_service.refusals import refusal
from tests.openai_service.view import ChatRequest
from tests.openai_service.wire import Issued
from wenmai.minds.model.client import ProviderName

METHODS = {False: "generateContent", True: "streamGenerateContent"}  # as the history of the other service has them


@dataclass(slots=True)
class OpenAI(Space):
    """A space of the service that speaks OpenAI's protocol."""

    provider: ClassVar[ProviderName] = "openai"
    words: ClassVar[Words] = Words("127.0.0.1", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI")
    dialect: Dialect = STRICT
    issued: Issued = field(default_factory=Issued)
    probes: int = 0

    def note(self, body: Json, headers: dict[str, str]) -> ChatRequest:
        """Write a request into the history, unless it only tries the tools."""
        method = METHODS[body.get("stream") is True]
        with self.lock:
            request = ChatRequest(
                len(self.history) + 1, time.time(), method, str(body.get("model")), body, public_headers(headers)
            )
            if request.probes:
                self.probes += 1
            else:
                self.history.append(request)
            return request

    def check_thoughts(self, request: ChatRequest) -> None:
        """Refuse turns with calls that come back without their thoughts, or with others."""
        field = "reasoning" if self.dialect.thoughts == "reasoning" else "reasoning_content"
        for place, message in enumerate(request.messages):
            for call in message.get("tool_calls") or []:
                given, thought = message.get(field), self.issued.thoughts.get(call["id"], "")
                if self.dialect.thoughts == "required" and thought and not given:
                    raise refusal(f"Missing `{field}` field in the assistant message at message index {place}")
                if given is not None and given != thought:
                    raise refusal(f"loopback: `{field}` of message {place} is not what was sent")

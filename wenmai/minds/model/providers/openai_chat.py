"""`ChatOpenAI` for servers of many makers: thoughts are kept and sent back, odd replies are told from good ones."""

from collections.abc import AsyncIterator, Sequence
from typing import Any, cast

import openai
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI

from wenmai.minds.model.providers.exchange import beside, blocks, field_of

FIELD = "wenmai_field"  # where a chunk keeps the name of the field that its thoughts came in


class BrokenReply(Exception):
    """The reply is none of the protocol, or ended before its end."""


class OpenAIChat(ChatOpenAI):
    """The chat completions of OpenAI and of all that speak like it.

    `ChatOpenAI` drops `reasoning_content`, passes `<think>` on as text, adds up the usage of streams that repeat it,
    and takes a stream that was cut off for a short answer.
    """

    returns_thoughts: bool = True
    has_old_limit: bool = False
    """`max_tokens`, which most servers know, limits a reply; OpenAI's own takes its new name alone."""

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        payload: dict[str, Any] = super()._get_request_payload(input_, stop=stop, **kwargs)
        for message, sent in zip(self._convert_input(input_).to_messages(), payload["messages"], strict=True):
            if isinstance(message, AIMessage):
                sent["content"] = sent["content"] or ""  # some servers do not take null
                if self.returns_thoughts and message.tool_calls:
                    # By the fields that they came in; those that stood in the text do not go back.
                    thoughts: list[dict[str, Any]] = message.additional_kwargs.get("thoughts") or []
                    sent.update({one["field"]: one["thinking"] for one in thoughts if one.get("field")})
        if self.has_old_limit and "max_completion_tokens" in payload:
            payload["max_tokens"] = payload.pop("max_completion_tokens")
        return payload

    def _create_chat_result(
        self, response: dict[str, Any] | openai.BaseModel, generation_info: dict[str, Any] | None = None
    ) -> ChatResult:
        """Return the first choice of a reply, an empty message where there is none."""
        body = response.model_dump(warnings=False) if isinstance(response, openai.BaseModel) else response
        if not isinstance(body, dict) or not isinstance(body.get("choices"), list) or body.get("error"):
            raise BrokenReply(str(body))
        if not body["choices"]:
            body = {**body, "choices": [{"message": {"role": "assistant", "content": ""}, "finish_reason": None}]}
        first = body["choices"][0]
        result = super()._create_chat_result({**body, "choices": [first]}, generation_info)
        raw: dict[str, Any] = first.get("message") or {}
        message = result.generations[0].message
        message.content = blocks(*field_of(raw), str(raw.get("content") or ""))
        message.additional_kwargs = {"refusal": raw["refusal"]} if raw.get("refusal") else {}
        # Usage is booked under the id that the settings name: it is what MODEL_PRICES has.
        result.llm_output = {"model_name": self.model_name, "model_provider": "openai"}
        return result

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        """Return a chunk of the first choice, its thoughts beside it."""
        if chunk.get("error"):
            raise BrokenReply(str(chunk["error"]))
        choices: Sequence[dict[str, Any]] = chunk.get("choices") or []
        first = [with_places(one) for one in choices if not one.get("index") and one.get("delta")]
        chosen = {**chunk, "choices": first}
        made = super()._convert_chunk_to_generation_chunk(chosen, default_chunk_class, base_generation_info)
        if made is not None and chosen["choices"]:
            delta = chosen["choices"][0]["delta"]
            field, thought = field_of(delta)
            refusal = {"refusal": delta["refusal"]} if delta.get("refusal") else {}
            made.message.additional_kwargs = ({FIELD: field, "thought": thought} if thought else {}) | refusal
            if (made.generation_info or {}).get("finish_reason"):
                made.generation_info = {**(made.generation_info or {}), "model_name": self.model_name}
        return made

    async def _astream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        """Yield chunks, thoughts as blocks, the usage last. Raises BrokenReply for a stream without its end."""
        usage, ended, named, is_empty = cast(UsageMetadata | None, None), False, False, True
        async for chunk in super()._astream(messages, stop, None, **kwargs):
            message = chunk.message
            if isinstance(message, AIMessageChunk) and message.usage_metadata:
                # Servers that send it with every chunk send sums.
                usage, message.usage_metadata = message.usage_metadata, None
            is_empty = is_empty and not message.content and not message.additional_kwargs and not chunk.generation_info
            ended = ended or bool((chunk.generation_info or {}).get("finish_reason"))
            field, thought = message.additional_kwargs.pop(FIELD, ""), message.additional_kwargs.pop("thought", "")
            # The first one names its field: joined chunks join their texts.
            content = beside("" if named else field, thought, str(message.content))
            named = named or isinstance(content, list)
            shown = message.model_copy(update={"content": content})
            yield ChatGenerationChunk(message=shown, generation_info=chunk.generation_info)
        if not ended and not (usage and is_empty):  # the usage comes last, also of a reply without a choice
            raise BrokenReply("the stream has no end")
        yield ChatGenerationChunk(message=AIMessageChunk(content="", usage_metadata=usage))


def with_places(choice: dict[str, Any]) -> dict[str, Any]:
    """Return a choice whose calls have an index; some servers leave it out."""
    delta = choice["delta"]
    calls = [{"index": place, **call} for place, call in enumerate(delta.get("tool_calls") or [])]
    return {**choice, "delta": {**delta, "tool_calls": calls}} if calls else choice

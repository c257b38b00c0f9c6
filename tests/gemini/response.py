"""From a scripted reply to the body of the API: signatures, indexes, token counts, stream chunks."""

from collections.abc import Iterator
from dataclasses import replace

from tests.gemini.exchange import Request
from tests.gemini.models import Model
from tests.gemini.parts import Json
from tests.gemini.replies import Reply, usage
from tests.gemini.signatures import Signatures


def count_tokens(value: object) -> int:
    """Return a token count that grows with the text: two characters of any script are one token."""
    return max(1, len(str(value)) // 2)


def completed(reply: Reply, request: Request, model: Model, signatures: Signatures) -> Reply:
    """Return the reply with all that the service adds to a script."""
    if reply.status != 200 or reply.raw is not None:
        return reply
    body = {**reply.body}
    if "candidates" in body:
        body["candidates"] = [signed(one, model, signatures) for one in body["candidates"]]
    body.setdefault("usageMetadata", counted(body, request))
    body.setdefault("modelVersion", request.model)
    body.setdefault("responseId", f"response-{request.number}")
    for chunk in reply.chunks:
        for one in chunk.get("candidates", []):
            signed(one, model, signatures)
    return replace(reply, body=body)


def counted(body: Json, request: Request) -> Json:
    """Return token counts for a body that has none."""
    prompt = count_tokens(request.body)
    parts = [part for one in body.get("candidates", []) for part in one.get("content", {}).get("parts", [])]
    thoughts = sum(count_tokens(part["text"]) for part in parts if part.get("thought"))
    answer = sum(count_tokens(part) for part in parts if not part.get("thought"))
    return usage(prompt, answer, thoughts=thoughts)


def signed(candidate: Json, model: Model, signatures: Signatures) -> Json:
    """Sign as newer models do: the first call of a turn, or the last part of a turn without calls."""
    content = candidate.get("content", {})
    parts = [dict(part) for part in content.get("parts", [])]
    calls = [place for place, part in enumerate(parts) if "functionCall" in part]
    visible = [place for place, part in enumerate(parts) if not part.get("thought")]
    chosen = calls[:1] or visible[-1:]
    for place, part in enumerate(parts):
        if "thoughtSignature" in part or (model.signs and place in chosen):
            parts[place] = signatures.sign(part)
    return {**candidate, "content": {**content, "parts": parts}} if parts else candidate


def chunked(reply: Reply, piece: int) -> list[Json]:
    """Return the chunks of a stream: texts in pieces, calls whole, the reason to finish last."""
    if reply.chunks or "candidates" not in reply.body or not reply.body["candidates"]:
        return list(reply.chunks) or [reply.body]
    frame = {key: value for key, value in reply.body.items() if key != "candidates"}
    made = [{**frame, "candidates": [one]} for whole in reply.body["candidates"] for one in fragments(whole, piece)]
    for number, chunk in enumerate(made[:-1]):
        chunk["usageMetadata"] = partial(frame.get("usageMetadata", {}), number)
    return made


def partial(counts: Json, number: int) -> Json:
    """Return the counts of an early chunk: they grow up to the last one."""
    early = {key: value for key, value in counts.items() if key in ("promptTokenCount", "cachedContentTokenCount")}
    answered = min(number, counts.get("candidatesTokenCount", 0))
    return {**early, "candidatesTokenCount": answered, "totalTokenCount": early.get("promptTokenCount", 0) + answered}


def fragments(candidate: Json, piece: int) -> Iterator[Json]:
    """Cut one candidate into what its chunks hold."""
    parts = [one for part in candidate.get("content", {}).get("parts", []) for one in cut(part, piece)]
    frame = {key: value for key, value in candidate.items() if key not in ("content", "finishReason")}
    for part in parts[:-1]:
        yield {**frame, "content": {"role": "model", "parts": [part]}}
    yield {**candidate, "content": {**candidate.get("content", {}), **({"parts": parts[-1:]} if parts else {})}}


def cut(part: Json, piece: int) -> Iterator[Json]:
    """Cut a text; its signature comes after it, in an empty text of its own."""
    whole = part.get("text")
    if whole is None or len(whole) <= piece:
        yield part
        return
    marks = {"thought": True} if part.get("thought") else {}
    for start in range(0, len(whole), piece):
        yield {"text": whole[start : start + piece], **marks}
    if "thoughtSignature" in part:
        yield {"text": "", **marks, "thoughtSignature": part["thoughtSignature"]}

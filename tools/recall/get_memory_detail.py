"""get_memory_detail: the full text of a memory of the run's user."""

from tools.arguments import shown
from tools.recall.context import MemoryContext
from tools.recall.failures import Refused
from tools.recall.inputs import DetailInput
from tools.recall.outputs import DetailOutput
from tools.recall.wording import FORBIDDEN, GOT, GOT_CUT, REMEDIES, UNKNOWN_KEY, WITH_REMEDY

CONTENT_BYTES = 102_400


async def get_memory_detail(arguments: DetailInput, call: MemoryContext) -> DetailOutput:
    """Return a memory; unknown, inactive and foreign keys get the same refusal. Raises StoreError, Refused."""
    memory = await call.store.get(call.user_id, arguments.memory_key)
    if memory is None or not call.may_know(memory):
        error = UNKNOWN_KEY.say(key=shown(arguments.memory_key))
        message = WITH_REMEDY.say(error=error, remedy=REMEDIES["not_found"].say())
        return DetailOutput(success=False, message=message, error_code="not_found")
    if not call.may_read(memory):
        raise Refused("permission_denied", FORBIDDEN.say())
    content, size = cut(memory.content)
    truncated = content != memory.content
    return DetailOutput(
        memory_key=memory.memory_key,
        summary=memory.summary or "",
        content=content,
        memory_type=memory.memory_type,
        created_at=memory.created_at.isoformat(),
        metadata=dict(memory.content_metadata),
        truncated=truncated,
        original_size=size,
        message=GOT_CUT.say(size=size) if truncated else GOT.say(),
    )


def cut(content: str) -> tuple[str, int]:
    """Return at most 100 KB of a text, cut between two characters, and the size of the whole text in bytes."""
    raw = content.encode("utf-8", "surrogatepass")
    if len(raw) <= CONTENT_BYTES:
        return content, len(raw)
    return raw[:CONTENT_BYTES].decode("utf-8", "ignore"), len(raw)
